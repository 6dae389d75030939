/*
 * few.cuh - few elements: one block sorts them all, by merges.
 */
#pragma once

#include "move.cuh"

namespace radix {

/* What sort_few sorts: signed keys; or keys with their places, which makes all differ and the sort stable. */
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

/* How many of the first `diagonal` elements merged of x[a..a + na) and x[b..b + nb) are from the first. */
template <class T>
__device__ unsigned split(const T *x, unsigned a, unsigned na, unsigned b, unsigned nb, unsigned diagonal)
{
    unsigned low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (x[a + middle] <= x[b + diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Sorts few elements, in one block. Little work takes as long as
 * its longest chain of steps that wait for each other. So a thread has few elements, and there are as many warps as
 * the elements need: a warp sorts its own in registers, and the block merges two by two in shared memory. Pairs are
 * merged with their places, from which the payloads follow at the end. Shared memory: few_bytes().
 */
const unsigned FEW_THREADS = 1024, FEW_ITEMS = 4;

template <bool PAIRS, unsigned ITEMS>
__global__ __launch_bounds__(FEW_THREADS) void sort_few(buffer a, unsigned n)
{
    extern __shared__ __align__(128) unsigned shared[];
    typedef element<PAIRS> E;
    int32_t *keys = (int32_t *)shared, key[ITEMS];
    typename E::type item[ITEMS];
    const unsigned room = blockDim.x * ITEMS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, mine = threadIdx.x * ITEMS;
    uint32_t *places = (uint32_t *)keys + room, *payloads = places + room, its_place[PAIRS ? ITEMS : 1];

    wait_for_kernel_before();
    let_next_kernel_start();
    if (!PAIRS && threadIdx.x == 0)
        keys[room] = INT32_MAX; /* a merge of keys looks at one behind the last */
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned index = (warp * ITEMS + i) * WARP + lane;

        item[i] = E::make(index < n ? (int32_t)a.keys[index] : INT32_MAX, index);
        if constexpr (PAIRS)
            payloads[index] = index < n ? a.payloads[index] : 0;
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
        unsigned x = left + split(keys, left, run, right, end_right - right, diagonal);
        unsigned y = right + diagonal - (x - left);
        int32_t first = keys[x], second = keys[y];

#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            bool from_right = y < end_right && (x >= right || second < first);

            key[i] = from_right ? second : first;
            if constexpr (PAIRS)
                its_place[i] = places[from_right ? y : x];
            x += !from_right;
            y += from_right;
            int32_t next = keys[from_right ? y : x];

            first = from_right ? first : next;
            second = from_right ? next : second;
        }
    }
    if constexpr (PAIRS)
        __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++)
        if (mine + i < n) {
            a.keys[mine + i] = (uint32_t)key[i];
            if constexpr (PAIRS)
                a.payloads[mine + i] = payloads[its_place[i]];
        }
}

/* Bytes of shared memory for a block that sorts `room` elements.*/
template <bool PAIRS> static unsigned few_bytes(unsigned room) { return PAIRS ? room * 12 : room * 4 + 16; }

} // namespace radix
