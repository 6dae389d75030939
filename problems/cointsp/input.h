/*
 * input.h - how the instances of a cointsp case lie in one input, and their results in one output.
 *
 * Written by problem.c in the host, read by call.c in the runner.
 */
#ifndef COINTSP_INPUT_H
#define COINTSP_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "include/device_user.h"

/* At the start of the input; the instances follow, each at a multiple of COINTSP_ALIGNMENT. */
struct cointsp_input {
    uint32_t count; /* instances, 1 to COINTSP_BATCH_MAX */
    uint32_t salt;  /* drawn from the key: two inputs never are the same by chance of their small numbers alone */
};

enum { COINTSP_ALIGNMENT = 128 };

/* Limits of the numbers in a case's line, beside those of device_user.h. */
enum {
    COINTSP_BATCH_MAX = 10000,
    COINTSP_PERCENT_MAX = 50,  /* of the population that are selected */
    COINTSP_THOUSANDTHS = 1000, /* k and the cap are up to 1 */
    COINTSP_TARGET_MAX = 100,  /* percent above cointsp_opt()'s tour */
};

/* Bytes of an instance in the input: its struct cointsp_case, and at COINTSP_ALIGNMENT its distances. */
static inline size_t cointsp_instance_size(const struct cointsp_case *c)
{
    size_t matrix = (size_t)c->n * c->n * sizeof(int32_t);

    return COINTSP_ALIGNMENT + (matrix + COINTSP_ALIGNMENT - 1) / COINTSP_ALIGNMENT * COINTSP_ALIGNMENT;
}

/* Bytes of its results in the output: generations[G], then tour[n], filled up to a multiple of 8. */
static inline size_t cointsp_result_size(const struct cointsp_case *c)
{
    return c->generations * sizeof(struct cointsp_generation) + (c->n + c->n % 2) * sizeof(int32_t);
}

#endif
