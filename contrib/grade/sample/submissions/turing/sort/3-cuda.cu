/*
 * merge_path.cu - a merge sort that reads and writes every element once a pass, in order.
 *
 * Two steps make it faster than the baseline, whose passes are the same from runs of TILE elements on:
 *
 *   sort_tiles   a block sorts TILE elements in shared memory, which saves the first passes over global memory;
 *   merge_tiles  a block makes TILE elements of a merged run. Which elements of the two runs these are, a binary
 *                search along a diagonal of the merge path says (Green, McColl and Bader, "GPU Merge Path", ICS 2012):
 *                of the first d elements of the merged run, `split` are from the left run, so d - split from the right
 *                one. They are loaded into shared memory, where in the same way each thread finds ITEMS of them, and
 *                merges them.
 *
 * Of equal keys those of the left run go first, so the sort is stable. Payloads stay where they are until it is known
 * which element goes where. Where the time goes: log2(n / TILE) passes over memory.
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
    std::fprintf(stderr, "merge_path.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

const unsigned THREADS = 128, ITEMS = 8, TILE = THREADS * ITEMS;

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
 * Elements first, first + 1 ... of the merged run of keys[0..na) and keys[na..na + nb): their keys and where they
 * stood. Up to ITEMS of them, as many as there are.
 */
__device__ void merge_items(const int32_t *keys, unsigned na, unsigned nb, unsigned first, int32_t merged[ITEMS],
                            unsigned source[ITEMS])
{
    unsigned from_start = min(first, na + nb), a = split(keys, na, keys + na, nb, from_start), b = from_start - a + na;

    for (unsigned item = 0; item < ITEMS; item++) {
        bool left = a < na && (b >= na + nb || keys[a] <= keys[b]);

        source[item] = left ? a++ : b++;
        merged[item] = source[item] < na + nb ? keys[source[item]] : INT_MAX;
    }
}

/* Sorts TILE elements a block. */
__global__ void sort_tiles(buffer from, buffer to, unsigned n)
{
    __shared__ int32_t keys[TILE];
    __shared__ unsigned sources[TILE];
    unsigned start = blockIdx.x * TILE, count = min(TILE, n - start), mine = threadIdx.x * ITEMS;
    int32_t key[ITEMS];
    unsigned source[ITEMS];

    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        keys[i] = i < count ? from.keys[start + i] : INT_MAX; /* these stay behind all others, as the sort is stable */
    __syncthreads();
    for (unsigned item = 0; item < ITEMS; item++) {
        key[item] = keys[mine + item];
        source[item] = mine + item;
    }
    /* Each thread sorts its own elements: ITEMS rounds in which neighbours change places. */
#pragma unroll
    for (unsigned round = 0; round < ITEMS; round++)
#pragma unroll
        for (unsigned item = round % 2; item + 1 < ITEMS; item += 2)
            if (key[item] > key[item + 1]) {
                int32_t k = key[item];
                unsigned s = source[item];

                key[item] = key[item + 1];
                key[item + 1] = k;
                source[item] = source[item + 1];
                source[item + 1] = s;
            }
    for (unsigned run = ITEMS; run < TILE; run *= 2) {
        unsigned left = mine / (2 * run) * (2 * run), before[ITEMS];

        __syncthreads();
        for (unsigned item = 0; item < ITEMS; item++) {
            keys[mine + item] = key[item];
            sources[mine + item] = source[item];
        }
        __syncthreads();
        merge_items(keys + left, run, run, mine - left, key, before);
        for (unsigned item = 0; item < ITEMS; item++)
            source[item] = sources[left + before[item]];
    }
    __syncthreads();
    for (unsigned item = 0; item < ITEMS; item++) {
        keys[mine + item] = key[item];
        sources[mine + item] = source[item];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += THREADS) {
        to.keys[start + i] = keys[i];
        if (from.payloads)
            to.payloads[start + i] = from.payloads[start + sources[i]];
    }
}

/* Merges runs of `run` elements, TILE times a power of two, two by two. A block makes TILE elements. */
__global__ void merge_tiles(buffer from, buffer to, unsigned n, unsigned run)
{
    __shared__ int32_t keys[TILE];
    __shared__ unsigned sources[TILE], splits[2];
    unsigned start = blockIdx.x * TILE, count = min(TILE, n - start), mine = threadIdx.x * ITEMS;
    unsigned left = start / (2 * run) * (2 * run), right = min(left + run, n), end = min(left + 2 * run, n);
    int32_t key[ITEMS];
    unsigned source[ITEMS];

    if (threadIdx.x < 2)
        splits[threadIdx.x] = split(from.keys + left, right - left, from.keys + right, end - right,
                                    start - left + threadIdx.x * count);
    __syncthreads();
    /* The tile's elements are na from a on, and the rest from b on. */
    unsigned a = left + splits[0], b = right + (start - left - splits[0]), na = splits[1] - splits[0];

    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        keys[i] = from.keys[i < na ? a + i : b + (i - na)];
    __syncthreads();
    merge_items(keys, na, count - na, mine, key, source);
    __syncthreads();
    for (unsigned item = 0; item < ITEMS; item++) {
        keys[mine + item] = key[item];
        sources[mine + item] = source[item];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += THREADS) {
        to.keys[start + i] = keys[i];
        if (from.payloads)
            to.payloads[start + i] = from.payloads[sources[i] < na ? a + sources[i] : b + (sources[i] - na)];
    }
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    const unsigned count = (unsigned)n, blocks = (count + TILE - 1) / TILE;
    const size_t bytes = n * sizeof *keys;
    buffer from = {}, to = {};

    if (n == 0)
        return;
    CHECK(cudaMalloc(&from.keys, bytes));
    CHECK(cudaMalloc(&to.keys, bytes));
    CHECK(cudaMemcpy(from.keys, keys, bytes, cudaMemcpyHostToDevice));
    if (payloads) {
        CHECK(cudaMalloc(&from.payloads, bytes));
        CHECK(cudaMalloc(&to.payloads, bytes));
        CHECK(cudaMemcpy(from.payloads, payloads, bytes, cudaMemcpyHostToDevice));
    }
    sort_tiles<<<blocks, THREADS>>>(from, to, count);
    CHECK(cudaGetLastError());
    std::swap(from, to);
    for (unsigned run = TILE; run < count; run *= 2) {
        merge_tiles<<<blocks, THREADS>>>(from, to, count, run);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
    CHECK(cudaMemcpy(sorted_keys, from.keys, bytes, cudaMemcpyDeviceToHost));
    if (payloads)
        CHECK(cudaMemcpy(sorted_payloads, from.payloads, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from.keys));
    CHECK(cudaFree(to.keys));
    CHECK(cudaFree(from.payloads));
    CHECK(cudaFree(to.payloads));
}
