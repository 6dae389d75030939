/*
 * input.h - how the two matrices of a case of matmul lie in one input.
 *
 * Written by problem.c in the host, read by call.c in the runner.
 */
#ifndef MATMUL_INPUT_H
#define MATMUL_INPUT_H

#include <stdint.h>

#include "include/device_user.h"

/*
 * Above either a case is large: not all of it is judged, and infinities and NaN are in no more than MATMUL_SPECIAL_MAX
 * rows of A and as many columns of B, whose products are judged whole. Products are M N K, elements those of C.
 */
#define MATMUL_LARGE_PRODUCTS ((uint64_t)1 << 30)
#define MATMUL_LARGE_ELEMENTS ((uint64_t)1 << 24)
enum { MATMUL_SPECIAL_MAX = 16 };

/* At the start of the input; A follows at MATMUL_A_OFFSET, B at matmul_b_offset(). Both lie at a multiple of 4096. */
struct matmul_input {
    uint32_t m, n, k;  /* A is M x K, B is K x N, C is M x N, all row by row */
    uint32_t reserved; /* 0 */
    uint64_t salt;     /* random: a case is never like another, not even one whose matrices leave nothing to chance */
};

enum { MATMUL_A_OFFSET = 4096 };

static inline uint64_t matmul_b_offset(uint32_t m, uint32_t k)
{
    return MATMUL_A_OFFSET + ((uint64_t)m * k * sizeof(float) + 4095) / 4096 * 4096;
}

#endif
