/*
 * heads.h - an input's arrays, as the parts of the trusted side pass them around.
 */
#ifndef ATTENTION_HEADS_H
#define ATTENTION_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "input.h"
#include "verify/base/blob.h"

struct attention_heads {
    uint16_t *q, *k, *v;       /* [heads][length][dim], bfloat16, into the input */
    size_t heads, length, dim; /* within the limits of input.h */
    bool causal, loaded;       /* as in the header */
};

static inline struct attention_heads attention_heads_of(const struct blob *input)
{
    const struct attention_input *header = (const struct attention_input *)input->data;
    const uint64_t pitch = attention_pitch(header->heads, header->length, header->dim);
    unsigned char *data = input->data + ATTENTION_HEADER;

    return (struct attention_heads){
        .q = (uint16_t *)data,
        .k = (uint16_t *)(data + pitch),
        .v = (uint16_t *)(data + 2 * pitch),
        .heads = header->heads,
        .length = header->length,
        .dim = header->dim,
        .causal = header->causal != 0,
        .loaded = header->loaded != 0,
    };
}

/* How many keys query i sees. */
static inline size_t attention_keys(const struct attention_heads *h, size_t i) { return h->causal ? i + 1 : h->length; }

/* The number of a bfloat16, which is the upper half of a float32. */
static inline float attention_number(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;

    memcpy(&x, &wide, sizeof x);
    return x;
}

/* The bfloat16 nearest to a finite number, ties to even. */
static inline uint16_t attention_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
