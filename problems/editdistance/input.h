/*
 * input.h - how the two strings of an edit-distance case lie in one input.
 *
 * Written by problem.c in the host, read by call.c in the runner.
 */
#ifndef EDITDISTANCE_INPUT_H
#define EDITDISTANCE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "include/device_user.h"

enum { EDITDISTANCE_PERIOD_MAX = 127 }; /* of a case's `period` */

/* At the start of the input; str1 follows at STRINGS_OFFSET, str2 at STRING2_OFFSET. Both are 128-byte aligned. */
struct editdistance_input {
    uint32_t length1, length2; /* bytes */
};

enum { STRINGS_OFFSET = 128 };

/* Where str2 begins: the length of str1 is a multiple of 128, but for practice. */
#define STRING2_OFFSET(length1) ((size_t)STRINGS_OFFSET + ((size_t)(length1) + 127) / 128 * 128)

#endif
