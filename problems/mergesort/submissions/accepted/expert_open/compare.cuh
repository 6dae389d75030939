/*
 * compare.cuh - some thousand elements: each is compared with all, and its place is how many go before it.
 */
#pragma once

#include "move.cuh"

namespace radix {

/*
 * A merge in one block has a chain of steps that wait for each other, and a pass by digits needs several launches. Here
 * nothing waits: n * n comparisons are shared out to all multiprocessors, and each key is written once. A block places
 * the elements of one warp, one element per lane. Each of its warps counts in a part of all keys, and reads four at a
 * time, the same ones in all lanes.
 */
const unsigned COMPARE_THREADS = 512, COMPARE_WARPS = COMPARE_THREADS / WARP, MOST_COMPARED = 8192;

/* count + 1 if a < b. The multiply-add unit counts, because the integer unit is busy with the comparisons. */
__device__ __forceinline__ void count_less(float &count, int32_t a, int32_t b)
{
    asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p add.f32 %0, %0, 0f3F800000; }" : "+f"(count) : "r"(a), "r"(b));
}
__device__ __forceinline__ void count_not_greater(float &count, int32_t a, int32_t b)
{
    asm("{ .reg .pred p; setp.le.s32 p, %1, %2; @p add.f32 %0, %0, 0f3F800000; }" : "+f"(count) : "r"(a), "r"(b));
}

/* All keys to shared memory, and behind them as many of the highest value as fill a group of four. */
__device__ __forceinline__ void load_all(int32_t *all, const uint32_t *keys, unsigned n)
{
    const unsigned padded = (n + 3) / 4 * 4;

#pragma unroll 4
    for (unsigned i = threadIdx.x; i < padded; i += COMPARE_THREADS)
        all[i] = i < n ? (int32_t)keys[i] : INT32_MAX;
}

/*
 * Sorts a to b, which are different. Of equal keys the one that stood before goes before: of the keys in front of the
 * block's own an equal one counts, of those behind it does not, and among the block's own the index decides.
 */
template <bool PAIRS>
__global__ __launch_bounds__(COMPARE_THREADS) void sort_by_comparing(buffer a, buffer b, unsigned n)
{
    extern __shared__ __align__(128) int32_t all[];
    __shared__ float counts[COMPARE_WARPS][WARP];
    const int4 *fours = (const int4 *)all;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, first = blockIdx.x * WARP, i = first + lane;
    const unsigned own = first / 4, behind_own = own + WARP / 4, end = (n + 3) / 4; /* in groups of four */
    float count = 0, other = 0; /* two, so that an addition need not wait for the one before */
    unsigned payload = 0;

    wait_for_kernel_before();
    let_next_kernel_start();
    if (PAIRS && warp == 0 && i < n)
        payload = a.payloads[i];
    load_all(all, a.keys, n);
    __syncthreads();

    const int32_t key = all[min(i, n - 1)];

#pragma unroll 4
    for (unsigned g = warp; g < own; g += COMPARE_WARPS) {
        const int4 k = fours[g];

        count_not_greater(count, k.x, key);
        count_not_greater(other, k.y, key);
        count_not_greater(count, k.z, key);
        count_not_greater(other, k.w, key);
    }
    if (own + warp < min(behind_own, end)) {
        const unsigned j = 4 * (own + warp);
        const int4 k = fours[own + warp];

        count += (k.x < key || (k.x == key && j < i)) + (k.y < key || (k.y == key && j + 1 < i)) +
                 (k.z < key || (k.z == key && j + 2 < i)) + (k.w < key || (k.w == key && j + 3 < i));
    }
#pragma unroll 4
    for (unsigned g = behind_own + warp; g < end; g += COMPARE_WARPS) {
        const int4 k = fours[g];

        count_less(count, k.x, key);
        count_less(other, k.y, key);
        count_less(count, k.z, key);
        count_less(other, k.w, key);
    }
    counts[warp][lane] = count + other;
    __syncthreads();
    if (warp > 0 || i >= n)
        return;
    count = 0;
#pragma unroll
    for (unsigned w = 0; w < COMPARE_WARPS; w++)
        count += counts[w][lane];
    const unsigned place = (unsigned)count;

    b.keys[place] = (uint32_t)key;
    if constexpr (PAIRS)
        b.payloads[place] = payload;
}

} // namespace radix
