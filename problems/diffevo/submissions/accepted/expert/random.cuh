/*
 * random.cuh - random numbers: Philox, and what its blocks of one generation have in common.
 */
#pragma once

#include "common.cuh"

/*
 * What blocks of Philox of one generation have in common. Their counters are (q, i, g, kind): in the first round, M1 g
 * is the same for all, and M0 q for all individuals i; in the second, one factor is the same for all individuals and
 * the other for all q; in the third, one factor is still the same for all individuals. So each thread is left with half
 * of a multiplication of round 2 for all blocks of an individual, with half of round 3 for each, and with rounds 4 to
 * 10.
 */
__device__ uint4 make_common(const uint32_t seed[2], uint32_t generation, uint32_t kind, uint32_t q)
{
    uint64_t first = (uint64_t)M0 * q;
    uint32_t c2 = (uint32_t)(first >> 32) ^ kind ^ seed[1];
    uint64_t second = (uint64_t)M1 * c2;
    uint32_t c0 = (uint32_t)(second >> 32) ^ M1 * generation ^ (seed[0] + W0);
    uint64_t third = (uint64_t)M0 * c0;

    return make_uint4((uint32_t)first ^ (seed[1] + W1), (uint32_t)second ^ (seed[0] + 2 * W0),
                      (uint32_t)(third >> 32) ^ (seed[1] + 2 * W1), (uint32_t)third);
}

/* Rounds 2 to 10. own: M0 times word 0 of the counter after round 1. */
__device__ __forceinline__ de_words finish_philox(uint64_t own, uint4 common, uint32_t key0, uint32_t key1)
{
    uint64_t p1 = (uint64_t)M1 * ((uint32_t)(own >> 32) ^ common.x), p0;
    uint32_t c0 = (uint32_t)(p1 >> 32) ^ common.y, c1 = (uint32_t)p1, c2 = common.z ^ (uint32_t)own, c3 = common.w;

#pragma unroll
    for (uint32_t round = 3; round < 10; round++) {
        p0 = (uint64_t)M0 * c0;
        p1 = (uint64_t)M1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ (key0 + round * W0);
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ (key1 + round * W1);
        c3 = (uint32_t)p0;
    }
    return { { c0, c1, c2, c3 } };
}

/* mask + bit if a < b. Written so that the multiply-add unit has the addition: the other one is the busier. */
__device__ __forceinline__ void add_if_less(uint32_t *mask, uint32_t a, uint32_t b, uint32_t one, uint32_t bit)
{
    asm("{ .reg .pred p; setp.lo.u32 p, %1, %2; @p mad.lo.u32 %0, %3, %4, %0; }"
        : "+r"(*mask) : "r"(a), "r"(b), "r"(one), "r"(bit));
}

/* Adds to the mask which of 8 coordinates are crossed, from bit `first` on. limit: CR in the upper half. one: 1. */
__device__ __forceinline__ void add_crossed(uint32_t *mask, uint32_t first, const de_words &words, uint32_t limit,
                                            uint32_t one)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        add_if_less(mask, words.w[k] << 16, limit, one, 1u << (first + 2 * k));
        add_if_less(mask, words.w[k], limit, one, 2u << (first + 2 * k));
    }
}
