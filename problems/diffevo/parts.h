/*
 * parts.h - the parts of an input, an answer and an output, for the host's side, which has them as blobs. The layout
 * itself is in input.h.
 */
#ifndef DIFFEVO_PARTS_H
#define DIFFEVO_PARTS_H

#include <stdbool.h>

#include "input.h"
#include "verify/base/blob.h"

static inline const struct diffevo_input *header_of(const struct blob *input)
{
    return (const struct diffevo_input *)input->data;
}

static inline const struct diffevo_problem *problems_of(const struct blob *input)
{
    return (const struct diffevo_problem *)(input->data + PROBLEMS_OFFSET);
}

static inline const float *data_of(const struct blob *input)
{
    return (const float *)(input->data + input_data_offset(header_of(input)->count));
}

/* Of an output, or of the answer in the prescribed mode. */
static inline struct diffevo_result *results_of(const struct blob *output)
{
    return (struct diffevo_result *)output->data;
}

static inline float *x_of(const struct blob *input, const struct blob *output)
{
    return (float *)(output->data + output_x_offset(header_of(input)));
}

static inline bool is_open(const struct blob *input) { return header_of(input)->mode == DIFFEVO_OPEN; }

#endif
