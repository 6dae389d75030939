/*
 * sort.cuh - sort_tiles, which makes the first runs, and sort_few, one block for all elements.
 */
#pragma once

#include "tile.cuh"

namespace merging {

/* What sort_tiles sorts: keys, or keys with the place in the tile, which makes all different and the sort stable. */
template <bool PAIRS> struct element {
    typedef int32_t type;
    static __device__ type make(int32_t key, unsigned) { return key; }
    static __device__ int32_t key(type e) { return e; }
    static __device__ unsigned index(type) { return 0; }
};
template <> struct element<true> {
    typedef uint64_t type;
    static __device__ type make(int32_t key, unsigned index)
    {
        return (uint64_t)((uint32_t)key ^ 1u << 31) << 32 | index;
    }
    static __device__ int32_t key(type e) { return (int32_t)((uint32_t)(e >> 32) ^ 1u << 31); }
    static __device__ unsigned index(type e) { return (unsigned)e; }
};

template <class T> __device__ void compare_exchange(T &a, T &b)
{
    T low = min(a, b), high = max(a, b);

    a = low;
    b = high;
}

/* Batcher's odd-even merge sort of item[N], N a power of two. */
template <class T, unsigned N> __device__ void sort_thread(T (&item)[N])
{
#pragma unroll
    for (unsigned p = 1; p < N; p *= 2)
#pragma unroll
        for (unsigned k = p; k >= 1; k /= 2)
#pragma unroll
            for (unsigned i = 0; i + k < N; i++)
                if (i >= k % p && (i - k % p) / k % 2 == 0 && i / (2 * p) == (i + k) / (2 * p))
                    compare_exchange(item[i], item[i + k]);
}

/* Item i of thread l is element l * N + i of the warp's run. Sorts it: bitonic merges of 2, 4 ... 32 threads' items. */
template <class T, unsigned N> __device__ void sort_warp(T (&item)[N])
{
    const unsigned lane = threadIdx.x % WARP;

    sort_thread(item);
#pragma unroll
    for (unsigned group = 2; group <= WARP; group *= 2) {
        bool lower = (lane & group / 2) == 0;

        /* First against the mirror image, so that both halves may ascend. */
#pragma unroll
        for (unsigned i = 0; i < N / 2; i++) {
            T high = __shfl_xor_sync(ALL_LANES, item[N - 1 - i], group - 1);
            T low = __shfl_xor_sync(ALL_LANES, item[i], group - 1);

            item[i] = lower ? min(item[i], high) : max(item[i], high);
            item[N - 1 - i] = lower ? min(item[N - 1 - i], low) : max(item[N - 1 - i], low);
        }
#pragma unroll
        for (unsigned step = group / 4; step >= 1; step /= 2) {
            bool down = (lane & step) == 0;

#pragma unroll
            for (unsigned i = 0; i < N; i++) {
                T other = __shfl_xor_sync(ALL_LANES, item[i], step);

                item[i] = down ? min(item[i], other) : max(item[i], other);
            }
        }
#pragma unroll
        for (unsigned step = N / 2; step >= 1; step /= 2)
#pragma unroll
            for (unsigned i = 0; i < N; i++)
                if ((i & step) == 0)
                    compare_exchange(item[i], item[i + step]);
    }
}

/* Sorts TILE elements a block. */
template <class S>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void sort_tiles(buffer from, buffer to, unsigned n)
{
    extern __shared__ __align__(128) int32_t shared[];
    __shared__ node nodes[2 * S::WARPS];
    typedef element<S::PAIRS> E;
    int32_t *keys = shared;
    uint32_t *payloads = (uint32_t *)shared + S::SORT_WORDS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned start = blockIdx.x * S::TILE, count = min(S::TILE, n - start);
    typename E::type item[S::SORT_ITEMS];

    wait_for_kernel_before();
    let_next_kernel_start();

    /* Which thread gets which of the warp's elements does not matter: neighbours read neighbours. */
#pragma unroll
    for (unsigned i = 0; i < S::SORT_ITEMS; i++) {
        unsigned index = warp * S::WARP_RUN + i * WARP + lane;

        item[i] = E::make(index < count ? from.keys[start + index] : INT_MAX, index);
    }
    sort_warp(item);
#pragma unroll
    for (unsigned i = 0; i < S::SORT_ITEMS; i++) {
        unsigned x = place<true>(warp * S::WARP_STRIDE + lane * S::SORT_ITEMS + i), index = E::index(item[i]);

        keys[x] = E::key(item[i]);
        if constexpr (S::PAIRS)
            payloads[x] = index < count ? from.payloads[start + index] : 0;
    }
    if (threadIdx.x < WARP) {
        if (threadIdx.x < S::WARPS) {
            unsigned before = threadIdx.x * S::WARP_RUN;

            nodes[S::WARPS + threadIdx.x] = {threadIdx.x * S::WARP_STRIDE,
                                             before < count ? min(S::WARP_RUN, count - before) : 0, 0};
        }
        plan_merges<S, S::WARPS>(nodes);
    }
    __syncthreads();
    write_guards<S, true>(keys, payloads, nodes, S::WARPS, true);
    __syncthreads();
    merge_levels<S, S::WARPS / 2, true>::run(keys, payloads, nodes);
    store_tile<S>(to, start, count, keys, payloads);
}

/*
 * Sorts few elements in one block, or in each block as many as it has threads times ITEMS. Little work takes as long as
 * its longest chain of steps that wait for each other. So a thread has few elements, and there are as many warps as
 * the elements need: a warp sorts its own in registers, and the block merges two by two in shared memory. Pairs are
 * merged with their places, from which the payloads follow at the end. Shared memory: few_bytes().
 */
const unsigned FEW_THREADS = 1024, FEW_ITEMS = 4;

template <bool PAIRS, unsigned ITEMS>
__global__ __launch_bounds__(FEW_THREADS) void sort_few(buffer from, buffer to, unsigned n)
{
    extern __shared__ __align__(128) int32_t shared[];
    typedef element<PAIRS> E;
    int32_t *keys = shared, key[ITEMS];
    typename E::type item[ITEMS];
    const unsigned room = blockDim.x * ITEMS, start = blockIdx.x * room, count = min(room, n - start);
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, mine = threadIdx.x * ITEMS;
    uint32_t *places = (uint32_t *)keys + room, *payloads = places + room, its_place[PAIRS ? ITEMS : 1];

    wait_for_kernel_before();
    let_next_kernel_start();
    if (!PAIRS && threadIdx.x == 0)
        keys[room] = INT_MAX; /* a merge of keys looks at one behind the last */
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned index = (warp * ITEMS + i) * WARP + lane;

        item[i] = E::make(index < count ? from.keys[start + index] : INT_MAX, index);
        if constexpr (PAIRS)
            payloads[index] = index < count ? from.payloads[start + index] : 0;
    }
    sort_warp(item);
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        key[i] = E::key(item[i]);
        if constexpr (PAIRS)
            its_place[i] = E::index(item[i]);
    }
    for (unsigned run = WARP * ITEMS; run < room; run *= 2) {
        const unsigned left = mine / (2 * run) * (2 * run), right = left + run, diagonal = mine - left;
        const unsigned end_right = min(right + run, room);

        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            keys[mine + i] = key[i];
            if constexpr (PAIRS)
                places[mine + i] = its_place[i];
        }
        __syncthreads();
        if (right >= room) /* no partner */
            continue;
        unsigned a = left + split<false>(keys, left, run, right, end_right - right, diagonal);
        unsigned b = right + diagonal - (a - left);
        int32_t first = keys[a], second = keys[b];

#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            bool from_right = b < end_right && (a >= right || second < first);

            key[i] = from_right ? second : first;
            if constexpr (PAIRS)
                its_place[i] = places[from_right ? b : a];
            a += !from_right;
            b += from_right;
            int32_t next = keys[from_right ? b : a];

            first = from_right ? first : next;
            second = from_right ? next : second;
        }
    }
    if constexpr (PAIRS)
        __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++)
        if (mine + i < count) {
            to.keys[start + mine + i] = key[i];
            if constexpr (PAIRS)
                to.payloads[start + mine + i] = payloads[its_place[i]];
        }
}

/* Bytes of shared memory for a block that sorts `room` elements.*/
template <bool PAIRS> static unsigned few_bytes(unsigned room) { return PAIRS ? room * 12 : room * 4 + 16; }

} // namespace merging
