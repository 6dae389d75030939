/*
 * parts.h - the instances of an input, and where their results are in an output: for the host's side, which has both as
 * blobs. The layout itself is in input.h.
 */
#ifndef COINTSP_PARTS_H
#define COINTSP_PARTS_H

#include <stdbool.h>

#include "input.h"
#include "verify/base/blob.h"

/* One instance of an input and its place in an output. */
struct instance {
    uint32_t index;
    struct cointsp_case *c; /* into the input */
    int32_t *distance;      /* [n][n], into the input */
    size_t result;          /* where generations[G] and tour[n] are, in bytes from the output's start */
};

static inline struct cointsp_input *header_of(const struct blob *input) { return (struct cointsp_input *)input->data; }

static inline struct instance instance_at(uint32_t index, unsigned char *place, size_t result)
{
    return (struct instance){ index, (struct cointsp_case *)place, (int32_t *)(place + COINTSP_ALIGNMENT), result };
}

static inline struct instance first_of(const struct blob *input)
{
    return instance_at(0, input->data + COINTSP_ALIGNMENT, 0);
}

/* Moves on to the next instance; false behind the last. */
static inline bool advance(const struct blob *input, struct instance *i)
{
    if (i->index + 1 == header_of(input)->count)
        return false;
    *i = instance_at(i->index + 1, (unsigned char *)i->c + cointsp_instance_size(i->c),
                     i->result + cointsp_result_size(i->c));
    return true;
}

static inline struct cointsp_generation *generations_of(const struct blob *output, const struct instance *i)
{
    return (struct cointsp_generation *)(output->data + i->result);
}

static inline int32_t *tour_of(const struct blob *output, const struct instance *i)
{
    return (int32_t *)(generations_of(output, i) + i->c->generations);
}

static inline bool is_open(const struct blob *input) { return first_of(input).c->mode == COINTSP_OPEN; }

#endif
