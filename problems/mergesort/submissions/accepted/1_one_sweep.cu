/*
 * 1_one_sweep.cu - league: open. The first step from radix.cu to expert_open: every key is moved once a digit.
 *
 * Four passes of eight bits instead of eight of four, and in each no counting and scanning of tables before: one kernel
 * counts all digits of all keys beforehand, and a block that moves a tile learns from the tiles before it, while they
 * run, where its keys go (Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022).
 * The threads of a warp find those with the same digit by eight votes; keys go through shared memory, so that those of
 * one digit are written side by side.
 *
 * What is left: votes, of which a multiprocessor makes one in two clocks, take longer than all else; and nothing is
 * sorted while the copies run. expert_open explains the words that describe tiles.
 */
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_one_sweep.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

namespace one_sweep {

const unsigned WARP = 32, ALL_LANES = 0xffffffffu;
const unsigned BITS = 8, DIGITS = 1 << BITS, PASSES = 32 / BITS;

/* keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28. */
struct buffer {
    uint32_t *keys;
    uint32_t *payloads;
};

/* What the kernels share. All zero before and after a sort; but tiles[t] may hold numbers, without the bits above. */
struct workspace {
    unsigned counts[PASSES][DIGITS]; /* keys of each digit, of the whole input */
    unsigned ticket;                 /* blocks of this pass that have started */
    unsigned tiles[1][DIGITS];       /* in fact one row for every tile */
};

/*
 * What a word of workspace.tiles means, by the two highest bits; every second pass the first and the last trade places.
 */
const unsigned KIND = 3u << 30, NOTHING = 0, SUM = 2u << 30;

template <bool PAIRS_, unsigned THREADS_, unsigned ITEMS_, unsigned BLOCKS_> struct shape {
    static const bool PAIRS = PAIRS_;
    static const unsigned THREADS = THREADS_, ITEMS = ITEMS_, TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
    static const unsigned BLOCKS = BLOCKS_; /* blocks on a multiprocessor at once: what registers are shared out for */
    static const int SHARED_BYTES = (WARPS * DIGITS + TILE) * 4;
    static_assert(THREADS >= DIGITS, "a thread a digit");
    static_assert(SHARED_BYTES <= 48 << 10, "what a block has without asking");
    static_assert(ITEMS % 2 == 0 && TILE <= 65536, "ranks of 16 bits");
};

/* Digits in the order of signed keys: the highest bit counts the other way. */
__device__ unsigned digit_of(uint32_t key, unsigned pass)
{
    return (key >> pass * BITS & (DIGITS - 1)) ^ (pass == PASSES - 1 ? DIGITS / 2 : 0);
}

/* Adds to counts[pass] how many of keys[n] have which digit, for the passes from first_pass on. */
const unsigned COUNT_THREADS = 512, COUNT_ITEMS = 8;
__global__ __launch_bounds__(COUNT_THREADS) void count_digits(const uint32_t *keys, unsigned n, unsigned first_pass,
                                                              unsigned (*counts)[DIGITS])
{
    __shared__ unsigned shared[PASSES][DIGITS];

    for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        shared[0][i] = 0;
    __syncthreads();
    for (unsigned start = blockIdx.x * COUNT_THREADS * COUNT_ITEMS; start < n;
         start += gridDim.x * COUNT_THREADS * COUNT_ITEMS) {
        uint32_t key[COUNT_ITEMS];

#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++) {
            unsigned i = start + item * COUNT_THREADS + threadIdx.x;

            key[item] = i < n ? keys[i] : 0;
        }
#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++)
            if (start + item * COUNT_THREADS + threadIdx.x < n)
#pragma unroll
                for (unsigned pass = 0; pass < PASSES; pass++)
                    if (pass >= first_pass)
                        atomicAdd(&shared[pass][digit_of(key[item], pass)], 1);
    }
    __syncthreads();
    for (unsigned i = first_pass * DIGITS + threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        if (shared[0][i] > 0)
            atomicAdd(&counts[0][i], shared[0][i]);
}

/* The threads of the warp whose digit is the same. */
__device__ unsigned same_digit(unsigned digit)
{
    unsigned same = ALL_LANES;

#pragma unroll
    for (unsigned bit = 0; bit < BITS; bit++) {
        bool set = (digit >> bit & 1) != 0;
        unsigned vote = __ballot_sync(ALL_LANES, set);

        same &= set ? vote : ~vote;
    }
    return same;
}

/*
 * The sum of the values of the first DIGITS threads before this one. All threads call it; sums[DIGITS / WARP] is
 * shared.
 */
__device__ unsigned sum_before(unsigned value, unsigned *sums)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned sum = value;

#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        unsigned other = __shfl_up_sync(ALL_LANES, sum, step);

        sum += lane >= step ? other : 0;
    }
    if (lane == WARP - 1 && warp < DIGITS / WARP)
        sums[warp] = sum;
    __syncthreads();
    unsigned before = sum - value;

#pragma unroll
    for (unsigned w = 0; w < DIGITS / WARP; w++)
        before += w < warp ? sums[w] : 0;
    return before;
}

__device__ unsigned load_word(const unsigned *word)
{
    unsigned value;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ void store_word(unsigned *word, unsigned value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

const unsigned WORDS = 4; /* that a thread looks at, at a time */

/* The keys of this thread's digit in all tiles before `tile`, and whatever tile 0 began with. */
__device__ unsigned look_back(const unsigned (*tiles)[DIGITS], unsigned tile, unsigned nothing, unsigned sum)
{
    unsigned total = 0;

    for (;;) {
        unsigned word[WORDS]; /* some at a time, as each takes long to come */

#pragma unroll
        for (unsigned j = 0; j < WORDS; j++)
            word[j] = load_word(&tiles[tile > j ? tile - 1 - j : 0][threadIdx.x]);
#pragma unroll
        for (unsigned j = 0; j < WORDS; j++) {
            if ((word[j] & KIND) == nothing) /* not even its count is there: once more from this one on */
                break;
            total += word[j] & ~KIND;
            if ((word[j] & KIND) == sum)
                return total;
            tile--;
        }
    }
}

/* The compiler is to compute anew what follows from the value, rather than keep it in registers. */
__device__ void forget(unsigned &value) { asm volatile("" : "+r"(value)); }

/* One pass over `from`, n elements, to `to`. One block a tile. */
template <class S>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void move_by_digit(buffer from, buffer to, unsigned n,
                                                                       unsigned pass, unsigned odd, workspace *work)
{
    extern __shared__ unsigned shared[];
    __shared__ unsigned ticket, sums[2][DIGITS / WARP], places[DIGITS];
    unsigned *staged = shared + S::WARPS * DIGITS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, lanes_before = (1u << lane) - 1;
    const unsigned nothing = odd ? SUM : NOTHING, sum = odd ? NOTHING : SUM, count_kind = odd ? KIND : 1u << 30;
    unsigned *counters = shared + warp * DIGITS; /* the warp's, one a digit */
    uint32_t key[S::ITEMS];
    unsigned ranks[S::ITEMS / 2]; /* two a register */

    if (threadIdx.x == 0) {
        ticket = atomicAdd(&work->ticket, 1);
        if (ticket == gridDim.x - 1)
            atomicExch(&work->ticket, 0);
    }
    for (unsigned i = threadIdx.x; i < S::WARPS * DIGITS; i += S::THREADS)
        shared[i] = 0;
    __syncthreads();
    const unsigned tile = ticket, start = tile * S::TILE, count = min(S::TILE, n - start);
    const unsigned first = warp * WARP * S::ITEMS + lane; /* of this thread's elements, which are WARP apart */

    /* Behind the last key stand keys of the highest digit, which stay behind those there are. */
    if (count == S::TILE)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = from.keys[start + first + item * WARP];
    else
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = first + item * WARP < count ? from.keys[start + first + item * WARP] : INT32_MAX;

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        unsigned digit = digit_of(key[item], pass), same = same_digit(digit), before = __popc(same & lanes_before);
        unsigned counted = counters[digit], rank = counted + before;

        __syncwarp();
        if (before == 0)
            counters[digit] = counted + __popc(same);
        __syncwarp();
        ranks[item / 2] = item % 2 ? ranks[item / 2] | rank << 16 : rank;
        forget(key[item]);
    }
    __syncthreads();

    /* Thread d: the tile's keys of digit d, and where those of each warp go. */
    unsigned own[S::WARPS], total = 0, d = threadIdx.x;

    if (d < DIGITS) {
#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            own[w] = shared[w * DIGITS + d];
            total += own[w];
        }
        if (tile > 0)
            store_word(&work->tiles[tile][d], total | count_kind);
    }
    unsigned place = sum_before(d < DIGITS ? total : 0, sums[0]);

    if (d < DIGITS) {
        unsigned next = place;

#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            shared[w * DIGITS + d] = next;
            next += own[w];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        ranks[item / 2] += counters[digit_of(key[item], pass)] << item % 2 * 16;
        staged[ranks[item / 2] >> item % 2 * 16 & 0xffff] = key[item];
    }

    /* Tile 0 stands behind all keys of lower digits. Those after it look back. */
    unsigned before = 0;

    if (tile == 0) {
        unsigned all = d < DIGITS ? work->counts[pass][d] : 0;

        before = sum_before(all, sums[1]);
        if (d < DIGITS)
            work->counts[pass][d] = 0;
    } else if (d < DIGITS) {
        before = look_back(work->tiles, tile, nothing, sum);
    }
    if (d < DIGITS) {
        store_word(&work->tiles[tile][d], (before + total) | sum);
        places[d] = before - place;
    }
    __syncthreads();

    unsigned digit[S::PAIRS ? S::ITEMS : 1];

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        unsigned i = threadIdx.x + item * S::THREADS;
        uint32_t k = staged[i];
        unsigned its_digit = digit_of(k, pass);

        if (i < count)
            to.keys[places[its_digit] + i] = k;
        if constexpr (S::PAIRS)
            digit[item] = its_digit;
    }
    if constexpr (S::PAIRS) {
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = first + item * WARP < count ? from.payloads[start + first + item * WARP] : 0;
        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            staged[ranks[item / 2] >> item % 2 * 16 & 0xffff] = key[item];
        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++) {
            unsigned i = threadIdx.x + item * S::THREADS;

            if (i < count)
                to.payloads[places[digit[item]] + i] = staged[i];
        }
    }
}

typedef shape<false, 256, 24, 3> shape_of_keys;
typedef shape<true, 384, 16, 2> shape_of_pairs;
const unsigned SMALLEST_TILE = 4096;

static void count(const uint32_t *keys, unsigned n, unsigned first_pass, workspace *work, cudaStream_t stream)
{
    const unsigned tile = COUNT_THREADS * COUNT_ITEMS, tiles = (n + tile - 1) / tile, most = 132 * 4;

    count_digits<<<tiles < most ? tiles : most, COUNT_THREADS, 0, stream>>>(keys, n, first_pass, work->counts);
    CHECK(cudaGetLastError());
}

template <class S>
static void move(buffer from, buffer to, unsigned n, unsigned pass, unsigned odd, workspace *work, cudaStream_t stream)
{
    const unsigned tiles = (n + S::TILE - 1) / S::TILE;

    move_by_digit<S><<<tiles, S::THREADS, S::SHARED_BYTES, stream>>>(from, to, n, pass, odd, work);
    CHECK(cudaGetLastError());
}

/* Sorts n elements of a, some at least, by way of b. */
template <class S> static void sort(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    count(a.keys, n, 0, work, stream);
    for (unsigned pass = 0; pass < PASSES; pass++)
        move<S>(pass % 2 ? b : a, pass % 2 ? a : b, n, pass, pass % 2, work, stream);
}

/* What is kept from call to call: memory on the GPU for `room` elements, if has_payloads with payloads. */
static struct kept {
    buffer a, b;
    workspace *work;
    size_t room;
    bool has_payloads;

    ~kept() /* at the end of the process, when it no longer matters what CUDA says */
    {
        for (void *memory : {(void *)a.keys, (void *)a.payloads, (void *)b.keys, (void *)b.payloads, (void *)work})
            cudaFree(memory);
    }
} state;

static void reserve(size_t n, bool payloads)
{
    if (n <= state.room && (!payloads || state.has_payloads))
        return;
    size_t room = n > state.room ? n : state.room, bytes = room * sizeof(uint32_t);
    size_t work_bytes = sizeof(workspace) + (room / SMALLEST_TILE + 1) * DIGITS * sizeof(unsigned);

    payloads |= state.has_payloads;
    CHECK(cudaFree(state.work));
    CHECK(cudaMalloc(&state.work, work_bytes));
    CHECK(cudaMemset(state.work, 0, work_bytes));
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

} // namespace one_sweep

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    using namespace one_sweep;
    const size_t bytes = n * sizeof *keys;

    if (n == 0)
        return;
    reserve(n, payloads != nullptr);
    buffer a = state.a, b = state.b;

    CHECK(cudaMemcpy(a.keys, keys, bytes, cudaMemcpyHostToDevice));
    if (payloads) {
        CHECK(cudaMemcpy(a.payloads, payloads, bytes, cudaMemcpyHostToDevice));
        sort<shape_of_pairs>(a, b, (unsigned)n, state.work, 0);
    } else {
        sort<shape_of_keys>(a, b, (unsigned)n, state.work, 0);
    }
    CHECK(cudaMemcpy(sorted_keys, a.keys, bytes, cudaMemcpyDeviceToHost));
    if (payloads)
        CHECK(cudaMemcpy(sorted_payloads, a.payloads, bytes, cudaMemcpyDeviceToHost));
}
