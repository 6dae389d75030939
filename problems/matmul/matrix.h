/*
 * matrix.h - the two matrices of an input, as the parts of the trusted side pass them around.
 */
#ifndef MATMUL_MATRIX_H
#define MATMUL_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "input.h"
#include "verify/base/blob.h"

struct matmul_pair {
    float *a;       /* [m][k], into the input */
    float *b;       /* [k][n], into the input */
    size_t m, n, k; /* 1 to MATMUL_SIDE_MAX */
    uint64_t salt;  /* of the input's header */
};

static inline struct matmul_pair matmul_pair_of(const struct blob *input)
{
    const struct matmul_input *header = (const struct matmul_input *)input->data;

    return (struct matmul_pair){
        .a = (float *)(input->data + MATMUL_A_OFFSET),
        .b = (float *)(input->data + matmul_b_offset(header->m, header->k)),
        .m = header->m,
        .n = header->n,
        .k = header->k,
        .salt = header->salt,
    };
}

#endif
