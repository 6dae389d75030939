/*
 * matrix.h - the matrix of an input, and elements of either type, as the parts of the trusted side pass them around.
 */
#ifndef SOFTMAX_MATRIX_H
#define SOFTMAX_MATRIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "input.h"
#include "verify/base/blob.h"

struct softmax_matrix {
    unsigned char *elements; /* [rows][columns] of the type, into the input */
    size_t rows, columns;
    uint32_t type; /* SOFTMAX_FLOAT32 or SOFTMAX_BFLOAT16 */
};

static inline struct softmax_matrix softmax_matrix_of(const struct blob *input)
{
    const struct softmax_input *header = (const struct softmax_input *)input->data;

    return (struct softmax_matrix){ .elements = input->data + SOFTMAX_ELEMENTS_OFFSET,
                                    .rows = header->rows,
                                    .columns = header->columns,
                                    .type = header->type };
}

/* Bytes of an element. */
static inline size_t softmax_size(uint32_t type) { return type == SOFTMAX_BFLOAT16 ? 2 : 4; }

/* Element `index` of an array of that type. */
static inline float softmax_get(const unsigned char *elements, uint32_t type, size_t index)
{
    uint32_t bits;
    float value;

    if (type == SOFTMAX_BFLOAT16) {
        uint16_t upper;

        memcpy(&upper, elements + index * 2, 2);
        bits = (uint32_t)upper << 16;
    } else {
        memcpy(&bits, elements + index * 4, 4);
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bfloat16 next to a float32, the even one of two that are as near; a NaN stays one. */
static inline uint16_t softmax_to_bfloat16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Writes it, rounded to the type. */
static inline void softmax_put(unsigned char *elements, uint32_t type, size_t index, float value)
{
    if (type == SOFTMAX_BFLOAT16) {
        uint16_t upper = softmax_to_bfloat16(value);

        memcpy(elements + index * 2, &upper, 2);
    } else {
        memcpy(elements + index * 4, &value, 4);
    }
}

#endif
