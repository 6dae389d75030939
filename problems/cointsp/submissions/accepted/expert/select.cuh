/*
 * select.cuh - which tours are good and bad: thresholds by radix, or ranks where tours are few.
 */
#pragma once

#include "walk.cuh"

const uint32_t DIGIT = 11, BINS = 1u << DIGIT; /* most tours then have a bin of their own */
const uint32_t FEW = 32;
const uint32_t RANKED = 128; /* up to so many tours are ranked one by one */
const uint32_t ALONE = 16, ALONE_N = 64; /* one block has all: up to so many tours, of so many cities */

/* A search for the tour of a rank, the order being by `bits`: (length - the shortest) * 2^b + p. In shared memory. */
struct search {
    unsigned long long prefix; /* the bits so far: those above the lowest `shift` */
    uint32_t shift;
    uint32_t rank, count; /* among the tours that have the prefix; how many those are */
    uint32_t listed;      /* how many of them are in `few` */
    bool done;            /* all tours with this prefix belong to the group */
};

__device__ __forceinline__ bool is_narrowed(const search &s) { return s.done || s.count <= FEW; }

/* What a block knows of a generation. */
struct selection {
    search searches[2]; /* 0: of the last good tour, 1: of the first bad one */
    unsigned long long few[2][FEW];
    uint32_t shortest, longest, best; /* lengths; the first tour that has the shortest */
    uint32_t taken[2];
};

__device__ __forceinline__ unsigned long long bits_of(uint32_t length, uint32_t p, uint32_t index_bits)
{
    return (unsigned long long)length << index_bits | p;
}

/* The bin that has the tour of rank *rank, by a warp; *rank becomes that in the bin. bins: 32 COUNT of them. */
template <uint32_t COUNT> __device__ uint32_t find_bin(const uint32_t *bins, uint32_t *rank)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t sum = 0;

#pragma unroll 16
    for (uint32_t b = 0; b < COUNT; b++)
        sum += bins[lane * COUNT + (b + lane) % COUNT]; /* each lane from another bank */

    uint32_t inside = *rank - scan(sum).before; /* wraps where the rank lies before */
    uint32_t owner = __ffs(__ballot_sync(ALL, inside < sum)) - 1;

    *rank = __shfl_sync(ALL, inside, owner);
    if (COUNT <= 1)
        return owner;
    return owner * COUNT + find_bin<COUNT / 32>(bins + owner * COUNT, rank);
}

/* 64 bins, two a lane: the end of the above. */
template <> __device__ uint32_t find_bin<2>(const uint32_t *bins, uint32_t *rank)
{
    const uint32_t lane = threadIdx.x % 32, first = bins[2 * lane], sum = first + bins[2 * lane + 1];
    uint32_t inside = *rank - scan(sum).before, owner = __ffs(__ballot_sync(ALL, inside < sum)) - 1;
    uint32_t second = __shfl_sync(ALL, (uint32_t)(inside >= first), owner);

    *rank = __shfl_sync(ALL, inside >= first ? inside - first : inside, owner);
    return 2 * owner + second;
}

/* One digit further, by a warp. which: the search; bins [BINS]: how many tours have its prefix and which digit. */
__device__ void advance(search *own, uint32_t which, const uint32_t *bins, uint32_t digit)
{
    uint32_t rank = own->rank, bin = find_bin<BINS / 32>(bins, &rank), count = bins[bin];

    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        own->prefix = own->prefix << digit | bin;
        own->shift -= digit;
        own->rank = rank;
        own->count = count;
        own->done = own->shift == 0 || (which == 0 ? rank + 1 == count : rank == 0);
    }
}

/* The end of a search, by a warp: `few` are all that have its prefix. */
__device__ void rank_few(search *own, const unsigned long long *few)
{
    const uint32_t lane = threadIdx.x % 32, count = own->count, rank = own->rank;
    uint32_t before = 0;

    for (uint32_t k = 0; k < count; k++)
        before += lane < count && few[k] < few[lane];
    __syncwarp();
    if (lane < count && before == rank) {
        own->prefix = few[lane];
        own->shift = 0;
        own->done = true;
    }
}

/*
 * Finds the good and the bad tours: selected[0 ... j) and selected[j ... 2 j), each in any order; and s->best and
 * s->shortest. By a block. Shared memory to work in: lengths [P], bins [2][BINS].
 */
__device__ void select_tours(const coin &coin, selection *s, uint32_t *lengths, uint16_t *selected, uint32_t *bins)
{
    const uint32_t population = coin.c.population, j = coin.c.selected;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t index_bits = 32 - __clz(population - 1);
    uint32_t low = ALL, high = 0;

    if (threadIdx.x == 0) {
        s->shortest = s->best = ALL;
        s->longest = 0;
        s->taken[0] = s->taken[1] = 0;
    }
    __syncthreads();
#pragma unroll 4
    for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
        uint32_t length = (uint32_t)__ldcg(coin.lengths + p);

        lengths[p] = length;
        low = min(low, length);
        high = max(high, length);
    }
    low = __reduce_min_sync(ALL, low);
    high = __reduce_max_sync(ALL, high);
    if (lane == 0) {
        atomicMin(&s->shortest, low);
        atomicMax(&s->longest, high);
    }
    for (uint32_t b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    const uint32_t shortest = s->shortest, range = s->longest - shortest, total = 32 - __clz(range) + index_bits;

    if (threadIdx.x < 2)
        s->searches[threadIdx.x] = { 0, total, threadIdx.x == 0 ? j - 1 : population - j, population, 0, false };
    for (uint32_t shift = total; shift > 0;) {
        const uint32_t digit = min(DIGIT, shift), rest = shift - digit;
        const bool common = shift == total; /* neither has a prefix: one histogram does */

        if (!common)
            for (uint32_t b = threadIdx.x; b < 2 * BINS; b += blockDim.x)
                bins[b] = 0;
        __syncthreads();

        const search first = s->searches[0], second = s->searches[1];

#pragma unroll 4
        for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
            unsigned long long bits = bits_of(lengths[p] - shortest, p, index_bits);
            uint32_t bin = (uint32_t)(bits >> rest) & ((1u << digit) - 1);

            if (common && lengths[p] == shortest)
                atomicMin(&s->best, p);
            if (!first.done && bits >> shift == first.prefix)
                atomicAdd(&bins[bin], 1u);
            if (!common && !second.done && bits >> shift == second.prefix)
                atomicAdd(&bins[BINS + bin], 1u);
        }
        __syncthreads();
        if (warp < 2 && !s->searches[warp].done)
            advance(&s->searches[warp], warp, bins + (common ? 0 : warp * BINS), digit);
        __syncthreads();
        shift = rest;
        if (is_narrowed(s->searches[0]) && is_narrowed(s->searches[1]))
            break;
    }

    const search first = s->searches[0], second = s->searches[1];

    if (!first.done || !second.done) {
#pragma unroll 4
        for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
            unsigned long long bits = bits_of(lengths[p] - shortest, p, index_bits);

            if (!first.done && bits >> first.shift == first.prefix)
                s->few[0][atomicAdd(&s->searches[0].listed, 1u)] = bits;
            if (!second.done && bits >> second.shift == second.prefix)
                s->few[1][atomicAdd(&s->searches[1].listed, 1u)] = bits;
        }
        __syncthreads();
        if (warp < 2 && !s->searches[warp].done)
            rank_few(&s->searches[warp], s->few[warp]);
        __syncthreads();
    }

    const search good = s->searches[0], bad = s->searches[1];

#pragma unroll 4
    for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
        unsigned long long bits = bits_of(lengths[p] - shortest, p, index_bits);

        if (bits >> good.shift <= good.prefix)
            selected[atomicAdd(&s->taken[0], 1u)] = (uint16_t)p;
        if (bits >> bad.shift >= bad.prefix)
            selected[j + atomicAdd(&s->taken[1], 1u)] = (uint16_t)p;
    }
    __syncthreads();
}

/*
 * The same where tours are few: the rank of each is the number of tours before it, which a warp counts. One pass, and
 * no search that waits for itself.
 */
__device__ void rank_tours(const coin &coin, selection *s, uint32_t *lengths, uint16_t *selected)
{
    const uint32_t population = coin.c.population, j = coin.c.selected;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (uint32_t p = threadIdx.x; p < population; p += blockDim.x)
        lengths[p] = (uint32_t)__ldcg(coin.lengths + p);
    __syncthreads();
    for (uint32_t p = warp; p < population; p += blockDim.x / 32) {
        const uint32_t own = lengths[p];
        uint32_t before = 0;

#pragma unroll 4
        for (uint32_t q = lane; q < population; q += 32)
            before += lengths[q] < own || (lengths[q] == own && q < p);
        before = __reduce_add_sync(ALL, before);
        if (lane == 0 && before == 0) {
            s->best = p;
            s->shortest = own;
        }
        if (lane == 0 && before < j)
            selected[before] = (uint16_t)p;
        if (lane == 0 && before >= population - j)
            selected[j + population - 1 - before] = (uint16_t)p;
    }
    __syncthreads();
}
