/*
 * poison.h - the contents of an output before a call: bytes that no answer has by chance. Host and warden include it,
 * as the warden's GPU writes the same bytes.
 */
#ifndef VERIFY_POISON_H
#define VERIFY_POISON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define POISON_FUNCTION static inline __host__ __device__
#else
#define POISON_FUNCTION static inline
#endif

/*
 * Word `index` of it. Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), the
 * finaliser of SplitMix64.
 */
POISON_FUNCTION uint64_t poison_word(uint64_t key, size_t index)
{
    uint64_t z = key + (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
