/*
 * input.h - how the two strings of an edit-distance case lie in one input.
 *
 * Written by problem.c in the host, read by call.c in the runner.
 */
#ifndef EDITDISTANCE_INPUT_H
#define EDITDISTANCE_INPUT_H

#include <stdint.h>

/* Limits of the problem. */
enum { LENGTH_UNIT = 128, LENGTH_MAX = 1048448 };
#define CELLS_MAX (1ull << 34)

/* At the start of the input; str1 follows at STRINGS_OFFSET, str2 right behind it. Both are 128-byte aligned. */
struct editdistance_input {
    uint32_t length1, length2; /* bytes */
};

enum { STRINGS_OFFSET = 128 };

#endif
