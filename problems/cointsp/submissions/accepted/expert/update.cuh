/*
 * update.cuh - a block's rows of the generator: counts of who follows whom, and the new row.
 */
#pragma once

#include "select.cuh"

/* floor(value * ONE / sum), sum > ONE: the quotient in double precision is at most 1 off. */
__device__ __forceinline__ uint32_t share(uint32_t value, unsigned long long sum, double factor)
{
    unsigned long long product = (unsigned long long)value << 30;
    uint32_t quotient = (uint32_t)((double)value * factor);
    long long rest = (long long)(product - quotient * sum);

    return rest < 0 ? quotient - 1 : rest >= (long long)sum ? quotient + 1 : quotient;
}

/* Row i of the new generator by a warp, from its counts [32 RUN]. Returns, in lane 0, what it adds to the checksum. */
template <int RUN>
__device__ unsigned long long update_row(const coin &coin, uint32_t i, uint32_t *row, const int32_t *counts)
{
    const uint32_t n = coin.c.n, lane = threadIdx.x % 32;
    uint32_t cells[RUN], low = 0, high = 0;
    unsigned long long sum, terms = 0;

    if (coin.kept)
        load_run<RUN, true>(cells, row, lane);
    else
        load_run<RUN, false>(cells, row, lane);
#pragma unroll
    for (uint32_t b = 0; b < RUN; b++) {
        uint32_t city = lane * RUN + b;
        long long value = (long long)cells[b] + (long long)coin.c.gain * counts[place_of<RUN>(city)];

        value = value < 0 ? 0 : value > coin.c.cap ? coin.c.cap : value;
        cells[b] = city < n && city != i ? (uint32_t)value : 0;
        low += cells[b] & 0xffff; /* of up to 1024 cells of 30 bits: the sum of the halves fits a word */
        high += cells[b] >> 16;
    }
    sum = ((unsigned long long)__reduce_add_sync(ALL, high) << 16) + __reduce_add_sync(ALL, low);
    if (sum > COINTSP_ONE) {
        double factor = (double)COINTSP_ONE / (double)sum;

#pragma unroll
        for (uint32_t b = 0; b < RUN; b++)
            cells[b] = share(cells[b], sum, factor);
    }
#pragma unroll
    for (uint32_t b = 0; b < RUN; b++) {
        uint32_t city = lane * RUN + b;

        row[place_of<RUN>(city)] = cells[b];
        terms += city < n ? cointsp_term(i * n + city, cells[b]) : 0;
    }
    for (int distance = 16; distance > 0; distance /= 2)
        terms += __shfl_down_sync(ALL, terms, distance);
    return terms;
}

/* Rows first to first + rows - 1, by a block. generator: all rows. counts: coin.chunk rows of shared memory. */
template <int RUN>
__device__ void update_rows(const coin &coin, uint32_t first, uint32_t rows, uint32_t g, uint32_t *generator,
                            const uint16_t *selected, int32_t *counts)
{
    const uint32_t width = 32 * RUN, n = coin.c.n, j = coin.c.selected, warps = blockDim.x / 32;

    for (uint32_t from = first; from < first + rows; from += coin.chunk) {
        const uint32_t now = min(coin.chunk, first + rows - from);

        for (uint32_t k = threadIdx.x; k < now * width; k += blockDim.x)
            counts[k] = 0;
        __syncthreads();
#pragma unroll 4
        for (uint32_t k = threadIdx.x; k < now * 2 * j; k += blockDim.x) {
            uint32_t which = k / now, row = k % now; /* lanes side by side: rows side by side of one tour */
            uint32_t to = __ldcg(coin.followers + (size_t)selected[which] * n + from + row);

            atomicAdd(&counts[row * width + place_of<RUN>(to)], which < j ? 1 : -1);
        }
        __syncthreads();
        for (uint32_t row = threadIdx.x / 32; row < now; row += warps) {
            unsigned long long terms =
                update_row<RUN>(coin, from + row, generator + (from + row) * width, counts + row * width);

            if (threadIdx.x % 32 == 0)
                atomicAdd((unsigned long long *)&coin.generations[g].generator, terms);
        }
        __syncthreads();
    }
}

/* Of the best tour so far, by a warp: remembered and reported. *length is 2^32 - 1 at first. */
__device__ void keep_best(const coin &coin, uint32_t g, const selection *s, uint32_t *length,
                          unsigned long long *checksum)
{
    const uint32_t n = coin.c.n, lane = threadIdx.x % 32;

    if (s->shortest < *length) {
        unsigned long long terms = 0;

        for (uint32_t step = lane; step < n; step += 32) {
            uint32_t city = __ldcg(coin.tours + (size_t)s->best * n + step);

            coin.best_tour[step] = (int32_t)city;
            terms += cointsp_term(step, city);
        }
        for (int distance = 16; distance > 0; distance /= 2)
            terms += __shfl_down_sync(ALL, terms, distance);
        *checksum = terms; /* lane 0's counts */
        *length = s->shortest;
    }
    if (lane == 0) {
        coin.generations[g].tour = *checksum;
        coin.generations[g].length = *length;
    }
}
