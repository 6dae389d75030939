/*
 * input.h - the layout of an input and of an output of the problem adapted. Written by problem.c, read by call.c.
 */
#ifndef ADAPTED_INPUT_H
#define ADAPTED_INPUT_H

#include <stdint.h>

/* At the start of the input; the text follows at TEXT_OFFSET. */
struct adapted_input {
    uint64_t size;  /* bytes of text */
    uint64_t room;  /* bytes of text that the output may have */
    char stem[240]; /* the case's files below imported/data, without .in */
};

/* At the start of the output; the text follows at TEXT_OFFSET. */
struct adapted_output {
    uint64_t size; /* bytes of text; above the room where there was more */
};

enum { TEXT_OFFSET = 256, TEXT_MOST = 1 << 30 };

#endif
