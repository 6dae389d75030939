/*
 * cases.h - the numbers and starts of every kind of case. Called by problem.c.
 */
#ifndef SCAN_CASES_H
#define SCAN_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/random.h"

#define SCAN_KINDS "random, positive, negative, wide, cancel, sparse or step"

/* What a case's line asks for. */
struct scan_case {
    const char *kind;
    uint32_t type;
    uint64_t count;
    uint64_t mean; /* of a segment's length, more or less; 0 for plain cases */
};

/* Fills values[count] of the type, and starts[count] where mean is not 0. False if there is no such kind. */
bool scan_make(const struct scan_case *c, const struct random_key *key, void *values, uint8_t *starts);

#endif
