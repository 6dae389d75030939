/*
 * opt.h - a good tour in milliseconds: what the open league's targets are measured against. Called by problem.c.
 */
#ifndef COINTSP_OPT_H
#define COINTSP_OPT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Nearest neighbour from city 0, then 2-opt and Or-opt moves among near neighbours until none is left. tour[n], 3 <= n
 * <= COINTSP_CITIES_MAX; *length is its closed length. Deterministic. False when memory is exhausted.
 */
bool cointsp_opt(uint32_t n, const int32_t *distance, int32_t *tour, int64_t *length);

#endif
