/*
 * input.h - the layout of an input of the problem attention, and its limits beside those of include/device_user.h.
 *
 * Used by the host's problem.c and the runner's call.c.
 */
#ifndef ATTENTION_INPUT_H
#define ATTENTION_INPUT_H

#include <stdint.h>

#include "include/device_user.h"

/*
 * Above, a case is large, and not all of it is judged: products of a query's and a key's element, 2^28 of which are
 * heads * length^2 * dim of a small case.
 */
#define ATTENTION_LARGE_PRODUCTS ((uint64_t)1 << 28)

/* At the start of the input; Q, K and V follow at multiples of 256. It tells sizes and no data. */
struct attention_input {
    uint32_t heads, length, dim; /* Q, K, V and O are [heads][length][dim] */
    uint32_t causal;             /* 1: query i sees keys 0 to i; 0: all */
    uint32_t loaded;             /* 1: from files; 0: generated */
    uint32_t reserved[3];        /* 0 */
};

enum { ATTENTION_HEADER = 256 };

/* Bytes from the start of one of Q, K and V to the next. */
static inline uint64_t attention_pitch(uint32_t heads, uint32_t length, uint32_t dim)
{
    return ((uint64_t)heads * length * dim * sizeof(uint16_t) + 255) / 256 * 256;
}

#endif
