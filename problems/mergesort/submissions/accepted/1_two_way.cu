/*
 * 1_two_way.cu - the first step from merge_path.cu to expert: more elements a thread, and nothing carried in vain.
 *
 *   ITEMS         17 elements a thread instead of 8, so one search along the merge path serves twice as many; an odd
 *                 number, so that the threads of a warp, which write their elements side by side, meet different banks
 *                 of shared memory; in registers, as all loops over them are unrolled
 *   PAIRS         keys alone are merged without keeping book of where each stood
 *   find_splits   a kernel of its own searches where the tiles begin, all of them at once, before the tiles are merged:
 *                 in merge_path.cu a whole block waits for two of its threads
 *   state         memory on the GPU is kept from call to call
 *
 * What is left: log2(n / TILE) passes over memory, two runs at a time; and copies before and after, not during the
 * sort.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_two_way.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

namespace two_way {

const unsigned THREADS = 256, ITEMS = 17, TILE = THREADS * ITEMS;

/* keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28, so that 2 * run fits in 32 bits, too. */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

/* How many of the first `diagonal` elements of the merged run are from a[na]; the others are from b[nb]. */
__device__ unsigned split(const int32_t *a, unsigned na, const int32_t *b, unsigned nb, unsigned diagonal)
{
    unsigned low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Elements first, first + 1 ... of the merged run of keys[0..na) and keys[na..na + nb): their keys, and for pairs where
 * they stood. Up to ITEMS of them, as many as there are.
 */
template <bool PAIRS>
__device__ void merge_items(const int32_t *keys, unsigned na, unsigned nb, unsigned first, int32_t merged[ITEMS],
                            unsigned source[ITEMS])
{
    unsigned from_start = min(first, na + nb), a = split(keys, na, keys + na, nb, from_start), b = from_start - a + na;
    const unsigned end = na + nb;
    int32_t left = a < na ? keys[a] : INT_MAX, right = b < end ? keys[b] : INT_MAX;

#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        bool from_left = a < na && (b >= end || left <= right);

        if (PAIRS)
            source[item] = from_left ? a : b;
        merged[item] = from_left ? left : right;
        a += from_left;
        b += !from_left;
        unsigned next = from_left ? a : b;
        int32_t key = next < (from_left ? na : end) ? keys[next] : INT_MAX;

        left = from_left ? key : left;
        right = from_left ? right : key;
    }
}

/* Sorts TILE elements a block. */
template <bool PAIRS> __global__ __launch_bounds__(THREADS) void sort_tiles(buffer from, buffer to, unsigned n)
{
    __shared__ int32_t keys[TILE];
    __shared__ unsigned sources[PAIRS ? TILE : 1];
    unsigned start = blockIdx.x * TILE, count = min(TILE, n - start), mine = threadIdx.x * ITEMS;
    int32_t key[ITEMS];
    unsigned source[ITEMS];

    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        keys[i] = i < count ? from.keys[start + i] : INT_MAX; /* these stay behind all others, as the sort is stable */
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        key[item] = keys[mine + item];
        source[item] = mine + item;
    }
    /* Each thread sorts its own elements: ITEMS rounds in which neighbours change places. */
#pragma unroll
    for (unsigned round = 0; round < ITEMS; round++)
#pragma unroll
        for (unsigned item = round % 2; item + 1 < ITEMS; item += 2) {
            bool change = key[item] > key[item + 1];
            int32_t low = min(key[item], key[item + 1]), high = max(key[item], key[item + 1]);
            unsigned first = source[change ? item + 1 : item], second = source[change ? item : item + 1];

            key[item] = low;
            key[item + 1] = high;
            source[item] = first;
            source[item + 1] = second;
        }
    for (unsigned run = ITEMS; run < TILE; run *= 2) {
        unsigned left = mine / (2 * run) * (2 * run), before[ITEMS];

        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < ITEMS; item++) {
            keys[mine + item] = key[item];
            if (PAIRS)
                sources[mine + item] = source[item];
        }
        __syncthreads();
        merge_items<PAIRS>(keys + left, run, run, mine - left, key, before);
        if (PAIRS)
#pragma unroll
            for (unsigned item = 0; item < ITEMS; item++)
                source[item] = sources[left + before[item]];
    }
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        keys[mine + item] = key[item];
        if (PAIRS)
            sources[mine + item] = source[item];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += THREADS) {
        to.keys[start + i] = keys[i];
        if (PAIRS)
            to.payloads[start + i] = from.payloads[start + sources[i]];
    }
}

/* splits[tile]: how many elements of its left run go before the tile. One thread a tile; one more for the end. */
__global__ void find_splits(const int32_t *keys, unsigned n, unsigned run, unsigned tiles, unsigned *splits)
{
    unsigned tile = blockIdx.x * blockDim.x + threadIdx.x, start = tile * TILE;

    if (tile >= tiles)
        return;
    unsigned left = start / (2 * run) * (2 * run), right = min(left + run, n), end = min(left + 2 * run, n);

    splits[tile] = split(keys + left, right - left, keys + right, end - right, start - left);
}

/* Merges runs of `run` elements, TILE times a power of two, two by two. A block makes TILE elements. */
template <bool PAIRS>
__global__ __launch_bounds__(THREADS) void merge_tiles(buffer from, buffer to, unsigned n, unsigned run,
                                                       const unsigned *splits)
{
    __shared__ int32_t keys[TILE];
    __shared__ unsigned sources[PAIRS ? TILE : 1];
    unsigned start = blockIdx.x * TILE, count = min(TILE, n - start), mine = threadIdx.x * ITEMS;
    unsigned left = start / (2 * run) * (2 * run), right = min(left + run, n), end = min(left + 2 * run, n);
    /* The tile's elements are na from a on, and the rest from b on. */
    unsigned before = splits[blockIdx.x], behind = start + count == end ? right - left : splits[blockIdx.x + 1];
    unsigned a = left + before, b = right + (start - left - before), na = behind - before;
    int32_t key[ITEMS];
    unsigned source[ITEMS];

#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        unsigned i = item * THREADS + threadIdx.x;

        if (i < count)
            keys[i] = from.keys[i < na ? a + i : b + (i - na)];
    }
    __syncthreads();
    merge_items<PAIRS>(keys, na, count - na, mine, key, source);
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        keys[mine + item] = key[item];
        if (PAIRS)
            sources[mine + item] = source[item];
    }
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        unsigned i = item * THREADS + threadIdx.x;

        if (i < count) {
            to.keys[start + i] = keys[i];
            if (PAIRS)
                to.payloads[start + i] = from.payloads[sources[i] < na ? a + sources[i] : b + (sources[i] - na)];
        }
    }
}

/* Sorts n elements of a, some at least. splits[n / TILE + 1]. Returns where they are then: 0 for a, 1 for b. */
template <bool PAIRS> static int sort(buffer a, buffer b, unsigned n, unsigned *splits)
{
    const unsigned tiles = (n + TILE - 1) / TILE, block = 128;
    int where = 1;

    sort_tiles<PAIRS><<<tiles, THREADS>>>(a, b, n);
    CHECK(cudaGetLastError());
    for (unsigned run = TILE; run < n; run *= 2) {
        buffer from = where ? b : a, to = where ? a : b;

        find_splits<<<(tiles + block - 1) / block, block>>>(from.keys, n, run, tiles, splits);
        CHECK(cudaGetLastError());
        merge_tiles<PAIRS><<<tiles, THREADS>>>(from, to, n, run, splits);
        CHECK(cudaGetLastError());
        where = !where;
    }
    return where;
}

/* What is kept from call to call: memory on the GPU for `room` elements, if has_payloads with payloads. */
static struct kept {
    buffer a, b;
    unsigned *splits;
    size_t room;
    bool has_payloads;

    ~kept() /* at the end of the process, when it no longer matters what CUDA says */
    {
        for (void *memory : {(void *)a.keys, (void *)a.payloads, (void *)b.keys, (void *)b.payloads, (void *)splits})
            cudaFree(memory);
    }
} state;

static void reserve(size_t n, bool payloads)
{
    if (n <= state.room && (!payloads || state.has_payloads))
        return;
    size_t room = n > state.room ? n : state.room, bytes = room * sizeof(int32_t);

    payloads |= state.has_payloads;
    CHECK(cudaFree(state.splits));
    CHECK(cudaMalloc(&state.splits, (room / TILE + 1) * sizeof *state.splits));
    for (buffer *b : {&state.a, &state.b}) {
        CHECK(cudaFree(b->keys));
        CHECK(cudaFree(b->payloads)); /* of a null pointer: nothing happens */
        CHECK(cudaMalloc(&b->keys, bytes));
        if (payloads)
            CHECK(cudaMalloc(&b->payloads, bytes));
    }
    state.room = room;
    state.has_payloads = payloads;
}

} // namespace two_way

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    using namespace two_way;
    const size_t bytes = n * sizeof *keys;

    if (n == 0)
        return;
    reserve(n, payloads != nullptr);
    buffer a = state.a, b = state.b;

    CHECK(cudaMemcpy(a.keys, keys, bytes, cudaMemcpyHostToDevice));
    if (payloads)
        CHECK(cudaMemcpy(a.payloads, payloads, bytes, cudaMemcpyHostToDevice));
    int where = payloads ? sort<true>(a, b, (unsigned)n, state.splits) : sort<false>(a, b, (unsigned)n, state.splits);
    buffer sorted = where ? b : a;

    CHECK(cudaMemcpy(sorted_keys, sorted.keys, bytes, cudaMemcpyDeviceToHost));
    if (payloads)
        CHECK(cudaMemcpy(sorted_payloads, sorted.payloads, bytes, cudaMemcpyDeviceToHost));
}
