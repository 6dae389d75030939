/*
 * coin.h - the coincidence algorithm (COIN) on the travelling salesman problem, in the host: a fast reference and a
 * plain one. Called by problem.c, main_search.c and the unit tests; knows neither inputs nor outputs as bytes.
 *
 * Wattanapornprom, Olanviwitchai, Chutima and Chongstitvatana, "Multi-objective combinatorial optimisation with
 * coincidence algorithm" (CEC 2009). What is prescribed here beyond it (fixed point, random numbers, ties) is in the
 * statement.
 */
#ifndef COINTSP_COIN_H
#define COINTSP_COIN_H

#include <stdbool.h>
#include <stdint.h>

#include "include/device_user.h"

/* Parameters that main_search.c found (docs/results/cointsp-search.txt), in the units of cointsp_parameters(). */
enum { COINTSP_PERCENT_DEFAULT = 10, COINTSP_K_DEFAULT = 200, COINTSP_CAP_DEFAULT = 1000 };

/*
 * Fills the prescribed numbers of *c from parameters in the statement's units: `percent` of the population selected,
 * 1 to 50 (at least one tour); k in thousandths, 1 to 1000; the cap in thousandths, at least 1000 / (n - 1).
 */
void cointsp_parameters(struct cointsp_case *c, uint32_t percent, uint32_t k, uint32_t cap);

/*
 * Runs the algorithm on distance[n][n]: generations[G] and tour[n] as device_user() must write them. False when memory
 * is exhausted.
 */
bool cointsp_coin(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                  int32_t *tour);

/* The same by another method, in the words of the statement: O(G P (n^2 + P)) steps of one operation or a few. */
bool cointsp_coin_plain(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                        int32_t *tour);

/* The closed length of a tour[n] of cities below n. */
int64_t cointsp_length(uint32_t n, const int32_t *distance, const int32_t *tour);

#endif
