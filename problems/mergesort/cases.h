/*
 * cases.h - the keys of the kinds of cases.
 *
 * Called by problem.c's generate(). Knows nothing of blobs and payloads.
 */
#ifndef MERGESORT_CASES_H
#define MERGESORT_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"
#include "verify/base/random.h"

struct mergesort_case {
    const char *kind;
    size_t count;      /* keys */
    uint32_t distinct; /* for few: different values, from 1 to MERGESORT_DISTINCT_MAX */
    uint32_t period;   /* for sawtooth: keys a tooth, at least 1 */
    uint32_t swaps;    /* for nearly: pairs of keys that trade places */
};

#define MERGESORT_KINDS \
    "random, sorted, reversed, equal, few, sawtooth, nearly, extremes, organpipe, interleaved or mixed"

/* Fills keys[count]. False when there is no such kind. */
bool mergesort_make_keys(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys);

#endif
