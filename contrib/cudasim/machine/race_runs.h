/*
 * race_runs.h - entries of many units at once, for lanes in order: the units of lane l begin at l << per.
 */
#ifndef CUDASIM_RACE_RUNS_H
#define CUDASIM_RACE_RUNS_H

#include "race_entry.h"

/* Whether each of the n entries is fine(). */
bool run_fine(const uint64_t *entries, uint32_t n, unsigned per, const struct self *m);

/* Whether one of them is zero. */
bool run_has_zero(const uint64_t *entries, uint32_t n);

/* Makes them the lanes' own. */
void run_put(uint64_t *entries, uint32_t n, unsigned per, uint64_t who);

/* Adds reads of the lanes. */
void run_read(uint64_t *entries, uint32_t n, unsigned per, const struct self *m);

/*
 * Whether the 32 lanes are two halves alike: steps[0] from each lane to the next in both, and steps[1] from a lane to
 * that of the other half. Tiles with rows of 16 threads are read so.
 */
#define HALF 16u
bool offsets_in_halves(const uint32_t *offsets, uint32_t *steps);

#endif
