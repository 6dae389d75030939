/*
 * input.h - how the arrays of a scan lie in one input; an output is the sums alone.
 *
 * Input: the header, the numbers from SCAN_HEADER on, and in segmented cases the starts at the next multiple of 256.
 * Written by problem.c in the host, read by call.c in the runner, which knows the header before the clock starts.
 */
#ifndef SCAN_INPUT_H
#define SCAN_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "include/device_user.h"

enum { SCAN_ALIGNMENT = 256, SCAN_HEADER = 256 };

/* Limits of float32 inputs: 0, or an absolute value from 2^SCAN_EXPONENT_MIN on and below 2^SCAN_EXPONENT_END. */
enum { SCAN_EXPONENT_MIN = -40, SCAN_EXPONENT_END = 20 };

struct scan_input {
    uint64_t count;     /* numbers, from 1 to SCAN_COUNT_MAX */
    uint32_t type;      /* SCAN_UINT32, SCAN_UINT64 or SCAN_FLOAT32 */
    uint32_t segmented; /* 1 if there are starts, else 0 */
};

/* Bytes of a number. */
static inline size_t scan_width(uint32_t type) { return type == SCAN_UINT64 ? 8 : 4; }

static inline size_t scan_starts_offset(size_t count, uint32_t type)
{
    return SCAN_HEADER + (count * scan_width(type) + SCAN_ALIGNMENT - 1) / SCAN_ALIGNMENT * SCAN_ALIGNMENT;
}

static inline size_t scan_input_size(size_t count, uint32_t type, int segmented)
{
    return segmented ? scan_starts_offset(count, type) + count : SCAN_HEADER + count * scan_width(type);
}

#endif
