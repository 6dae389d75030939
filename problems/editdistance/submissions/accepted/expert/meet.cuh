/*
 * meet.cuh - afterwards: the line where the two fronts meet, and the least sum of distances over its points.
 */
#pragma once

#include "sweep.cuh"

/* One front's distances along the line: `start`, and then the sums of the differences (+1, -1). */
struct line {
    const uint2 *bits;
    int start;
};

/* Sums of the differences before each of `count` words from `first` on, start included, by all threads of a block. */
__device__ void prefix(int *sums, const line &line, int first, int count)
{
    __shared__ int total;

    __syncthreads();
    if (threadIdx.x == 0)
        total = line.start;
    __syncthreads();
    int sum = 0;

    for (int w = (int)threadIdx.x; w < first; w += MEET_THREADS)
        sum += __popc(line.bits[w].x) - __popc(line.bits[w].y);
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += MEET_THREADS) {
        sum = total;
        for (int w = first; w < first + i; w++)
            sum += __popc(line.bits[w].x) - __popc(line.bits[w].y);
        sums[i] = sum;
    }
    __syncthreads();
}

/* The distance at bit x of the line, whose words from `first` on have the sums. */
__device__ __forceinline__ int distance_at(const int *sums, const line &line, int first, int x)
{
    const u32 below = (1u << x % 32) - 1;

    if (below == 0)
        return sums[x / 32 - first];
    const uint2 bits = line.bits[x / 32];

    return sums[x / 32 - first] + __popc(bits.x & below) - __popc(bits.y & below);
}

/* best = the least sum of f at p and g at length - p, for p from `first` to length. */
__global__ void __launch_bounds__(MEET_THREADS) meet(line f, line g, int first, int length, u32 *best,
                                                      const race_state *state)
{
    __shared__ int f_sums[MEET_SPAN / 32 + 2], g_sums[MEET_SPAN / 32 + 2];
    const int from = first + (int)blockIdx.x * MEET_SPAN, to = min(from + MEET_SPAN - 1, length);
    const int f_first = from / 32, f_last = to / 32, g_first = (length - to) / 32, g_last = (length - from) / 32;
    int least = INT_MAX;

    if (state->winner == THE_RACE)
        return;

    prefix(f_sums, f, f_first, f_last - f_first + 1);
    prefix(g_sums, g, g_first, g_last - g_first + 1);
    for (int p = from + (int)threadIdx.x; p <= to; p += MEET_THREADS)
        least = min(least, distance_at(f_sums, f, f_first, p) + distance_at(g_sums, g, g_first, length - p));
    least = __reduce_min_sync(~0u, least);
    if (threadIdx.x % 32 == 0)
        atomicMin(best, (u32)least);
}
