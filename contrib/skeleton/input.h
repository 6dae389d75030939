/*
 * input.h - the layout of an input of the problem skeleton. Written by problem.c, read by call.c.
 */
#ifndef SKELETON_INPUT_H
#define SKELETON_INPUT_H

#include <stdint.h>

enum { COUNT_MAX = 1 << 24 };

/* At the start of the input; the values follow at VALUES_OFFSET. */
struct skeleton_input {
    uint32_t count; /* values */
};

enum { VALUES_OFFSET = 128 };

#endif
