/*
 * sums.h - what is known of the right sums of a list: the exact sum before each chunk, and words to show.
 *
 * All sums of 2^28 numbers would be as large as the output. So the answer holds what goes into each chunk, and who
 * judges an output adds up each chunk from there. Called by problem.c and outputs.c.
 *
 * Float32 numbers are 0 or have absolute values from 2^-40 on and below 2^20. So they are multiples of 2^-64, and up to
 * 2^28 of them have a sum below 2^48: exact in 113 bits.
 */
#ifndef SCAN_SUMS_H
#define SCAN_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "list.h"

enum { SCAN_CHUNK = 1 << 16 }; /* numbers */

/* What goes into a chunk from the segment that lies before it. */
struct scan_carry {
    uint64_t sum;   /* of integers, modulo 2^64 */
    double real;    /* of float32: the exact sum, rounded to float64 */
    double largest; /* of float32: the largest absolute value of the segment's sums so far, rounded so */
    uint64_t count; /* numbers of the segment so far; 0 where the chunk begins with a start */
};

struct scan_answer {
    uint64_t last;               /* integers: the last sum */
    uint64_t hash;               /* integers: of all sums and their places */
    double real, largest;        /* float32: the last sum, and the largest absolute value of any */
    struct scan_carry carries[]; /* [chunks] */
};

static inline size_t scan_chunks(size_t count) { return (count + SCAN_CHUNK - 1) / SCAN_CHUNK; }
static inline size_t scan_answer_size(size_t count)
{
    return sizeof(struct scan_answer) + scan_chunks(count) * sizeof(struct scan_carry);
}

/* Fills answer->carries and the rest, by several threads. False when memory is exhausted. */
bool scan_sums(const struct scan_list *list, struct scan_answer *answer);

/* The same by one walk from the first number to the last, in other arithmetic. */
void scan_sums_plain(const struct scan_list *list, struct scan_answer *answer);

/* What the sum at the place i adds to the hash. */
static inline uint64_t scan_hash(uint64_t sum, size_t i)
{
    uint64_t mixed = (sum ^ (uint64_t)i * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

    return (mixed ^ mixed >> 32) * 0xc4ceb9fe1a85ec53u;
}

/* A sum of integers as the type holds it. */
static inline uint64_t scan_wrap(uint64_t sum, uint32_t type) { return type == SCAN_UINT32 ? (uint32_t)sum : sum; }

#endif
