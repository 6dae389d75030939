/*
 * input.h - how the matrix of a case of softmax lies in one input.
 *
 * Written by problem.c in the host, read by call.c in the runner.
 */
#ifndef SOFTMAX_INPUT_H
#define SOFTMAX_INPUT_H

#include <stdint.h>

#include "include/device_user.h"

/* At the start of the input, which tells nothing of the elements: they follow row by row at SOFTMAX_ELEMENTS_OFFSET. */
struct softmax_input {
    uint32_t rows, columns; /* within the limits of device_user.h */
    uint32_t type;          /* SOFTMAX_FLOAT32 or SOFTMAX_BFLOAT16 */
    uint32_t reserved;      /* 0 */
};

enum { SOFTMAX_ELEMENTS_OFFSET = 256 };

#endif
