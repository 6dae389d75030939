/*
 * input.h - the layout of an input and of an output of the problem diffevo. Written by problem.c and read by call.c,
 * and the other way round.
 */
#ifndef DIFFEVO_INPUT_H
#define DIFFEVO_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "include/device_user.h"

/* Of a case's `target`. */
#define DIFFEVO_TARGET_MIN 1e-9
#define DIFFEVO_TARGET_MAX 1e9

/* At the start of the input. The problems follow at PROBLEMS_OFFSET, data at input_data_offset(). */
struct diffevo_input {
    uint32_t mode;       /* DIFFEVO_PRESCRIBED or DIFFEVO_OPEN */
    uint32_t count;      /* problems */
    uint32_t data_count; /* floats */
    uint32_t x_count;    /* floats in best_x: the sum of the dimensions */
};

enum { PROBLEMS_OFFSET = 128 };

/* Where the data are: the next multiple of 128 bytes after the problems. */
static inline size_t input_data_offset(uint32_t count)
{
    return (PROBLEMS_OFFSET + count * sizeof(struct diffevo_problem) + 127) / 128 * 128;
}

/* An output is results[count], in the prescribed mode only, and then best_x: this is where best_x begins. */
static inline size_t output_x_offset(const struct diffevo_input *header)
{
    return header->mode == DIFFEVO_OPEN ? 0 : header->count * sizeof(struct diffevo_result);
}

static inline size_t output_bytes(const struct diffevo_input *header)
{
    return output_x_offset(header) + header->x_count * sizeof(float);
}

#endif
