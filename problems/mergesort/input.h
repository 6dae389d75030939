/*
 * input.h - how the arrays of a sorting case lie in one input and in one output.
 *
 * Input: the header, the keys from KEYS_OFFSET on, and for pairs the payloads at the next multiple of PAGE.
 * Output: the sorted keys from 0 on, for pairs the sorted payloads at the next multiple of PAGE, and right behind the
 * last array the word CALL_RETURNED, so that the output of an empty case is not empty.
 * Written by problem.c in the host, read and answered by call.c in the runner.
 */
#ifndef MERGESORT_INPUT_H
#define MERGESORT_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "include/device_user.h"

enum { MERGESORT_DISTINCT_MAX = 65536 }; /* of a case's `distinct` */

enum { PAGE = 4096, KEYS_OFFSET = PAGE };

/* What call.c writes when device_user() has returned. */
#define CALL_RETURNED 0x64656e64u

struct mergesort_input {
    uint32_t count;         /* keys, at most MERGESORT_COUNT_MAX */
    uint32_t pairs;         /* 1 if every key has a payload, else 0 */
    uint32_t round_keys[4]; /* which payload belongs to which index: payload.h. Random for keys alone, too */
};

/* Bytes of an array of `count` 32-bit words, rounded up so that the next array starts on a page. */
static inline size_t mergesort_paged(size_t count) { return (count * 4 + PAGE - 1) / PAGE * PAGE; }

/* Sizes in bytes. */
static inline size_t mergesort_input_size(size_t count, int pairs)
{
    return KEYS_OFFSET + (pairs ? mergesort_paged(count) : 0) + count * 4;
}
static inline size_t mergesort_output_size(size_t count, int pairs)
{
    return (pairs ? mergesort_paged(count) : 0) + count * 4 + sizeof(uint32_t);
}

#endif
