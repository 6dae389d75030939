/*
 * instances.h - made-up instances of the travelling salesman problem. Called by problem.c and main_search.c.
 */
#ifndef COINTSP_INSTANCES_H
#define COINTSP_INSTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "verify/base/random.h"

enum cointsp_kind { COINTSP_UNIFORM, COINTSP_CLUSTERED, COINTSP_GRID, COINTSP_WEIGHTS, COINTSP_FAR, COINTSP_KINDS };

/* The kind of that name, or COINTSP_KINDS. */
enum cointsp_kind cointsp_kind_find(const char *name);
const char *cointsp_kind_name(enum cointsp_kind kind);
#define COINTSP_KIND_NAMES "uniform, clustered, grid, weights or far"

/*
 * Fills distance[n][n], symmetric with a zero diagonal, n from 3 to COINTSP_CITIES_MAX.
 *
 *   uniform    points with whole coordinates below 10000 in a square
 *   clustered  points around n / 10 + 1 centres in that square
 *   grid       points on a square lattice, 100 apart: many tours are equally long
 *   far        points with whole coordinates below 1480000: distances up to nearly COINTSP_DISTANCE_MAX, so a tour's
 *              length needs 31 bits, more than float32 has
 *   weights    no points: each pair's distance is one of 0 to 9, whatever the others are
 *
 * Distances of points are Euclidean, rounded to the nearest whole number (TSPLIB's EUC_2D).
 */
void cointsp_make(enum cointsp_kind kind, uint32_t n, struct random_stream *stream, int32_t *distance);

#endif
