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
 * As run_put() for writes of one unit a lane. `values` are the lanes' registers and `memory` holds the old values, of 4
 * or 8 bytes. It marks each lane that writes back the value that it read, by the entries `reads`.
 */
void run_put_4(uint64_t *entries, const uint64_t *reads, uint32_t n, uint64_t who, const uint32_t *values,
               const uint32_t *memory, uint64_t start);
void run_put_8(uint64_t *entries, const uint64_t *reads, uint32_t n, uint64_t who, const uint64_t *values,
               const uint64_t *memory, uint64_t start);

#endif
