/*
 * draw.h - draws random numbers. With them a seed orders warps and blocks. All callers share worker.random.
 */
#ifndef CUDASIM_DRAW_H
#define CUDASIM_DRAW_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). It gives every 64-bit number once in 2^64 draws. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

#endif
