/*
 * cointsp_bits.h - the random numbers and the checksums of the problem cointsp, for C and for CUDA, host and device.
 *
 * A submission may include it, or write its own. Included by the judge's reference as well.
 */
#ifndef COINTSP_BITS_H
#define COINTSP_BITS_H

#include <stdint.h>

#ifdef __CUDACC__
#define COINTSP_BOTH __host__ __device__
#else
#define COINTSP_BOTH
#endif

/*
 * Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): block[4] for
 * the steps 4 * quarter to 4 * quarter + 3 of a tour.
 */
static inline COINTSP_BOTH void cointsp_random_block(const uint32_t key[2], uint32_t generation, uint32_t individual,
                                                     uint32_t quarter, uint32_t block[4])
{
    uint32_t c0 = quarter, c1 = individual, c2 = generation, c3 = 0, k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    block[0] = c0;
    block[1] = c1;
    block[2] = c2;
    block[3] = c3;
}

/* floor(random * bound / 2^32): a number in [0, bound). */
static inline COINTSP_BOTH uint32_t cointsp_scale(uint32_t random, uint32_t bound)
{
    return (uint32_t)(((uint64_t)random * bound) >> 32);
}

/*
 * One term of a checksum: `value` at `place`. The checksum is the sum of all terms modulo 2^64, so their order is free.
 * The mixing is the finaliser of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
 */
static inline COINTSP_BOTH uint64_t cointsp_term(uint32_t place, uint32_t value)
{
    uint64_t x = ((uint64_t)place << 32 | value) + 0x9E3779B97F4A7C15ull;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

#endif
