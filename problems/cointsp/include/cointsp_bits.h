/*
 * cointsp_bits.h - the random numbers and the checksums of the problem cointsp, for C and for CUDA, host and device.
 *
 * A submission may include it or write its own. The judge's reference includes it too.
 */
#ifndef COINTSP_BITS_H
#define COINTSP_BITS_H

#include <stdint.h>

#include "../../../verify/base/philox.h"

#ifdef __CUDACC__
#define COINTSP_BOTH __host__ __device__
#else
#define COINTSP_BOTH
#endif

/* block[4] of Philox4x32-10 for the steps 4 * quarter to 4 * quarter + 3 of a tour. */
static inline COINTSP_BOTH void cointsp_random_block(const uint32_t key[2], uint32_t generation, uint32_t individual,
                                                     uint32_t quarter, uint32_t block[4])
{
    const uint32_t counter[4] = { quarter, individual, generation, 0 };

    philox4x32(counter, key, block);
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
