/*
 * tsplib.h - reads TSPLIB files: symmetric instances, and tours. Called by problem.c's load(); trusts no byte of a
 * file.
 *
 * The format and the distances are those of Reinelt, "TSPLIB - a traveling salesman problem library" (ORSA Journal on
 * Computing 3, 1991) and the description "TSPLIB 95" that comes with the library:
 *
 *   EDGE_WEIGHT_TYPE    EUC_2D, CEIL_2D, ATT, GEO, EXPLICIT
 *   EDGE_WEIGHT_FORMAT  FULL_MATRIX, and UPPER or LOWER, _ROW or _COL, with or without _DIAG
 *
 * A broken file is refused in one line: "FILE:LINE: what is wrong".
 */
#ifndef COINTSP_TSPLIB_H
#define COINTSP_TSPLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/error.h"

struct cointsp_tsplib {
    uint32_t n;        /* cities */
    int32_t *distance; /* [n][n], symmetric, zero diagonal, at most COINTSP_DISTANCE_MAX; owned */
};

/* An instance from text[size]; `path` is for the errors. */
bool cointsp_tsplib_parse(const char *path, const char *text, size_t size, struct cointsp_tsplib *instance,
                          struct error *error);
void cointsp_tsplib_release(struct cointsp_tsplib *instance);

/* A tour of n cities, TYPE TOUR with one TOUR_SECTION, into tour[n] as numbers from 0. */
bool cointsp_tour_parse(const char *path, const char *text, size_t size, uint32_t n, int32_t *tour,
                        struct error *error);

#endif
