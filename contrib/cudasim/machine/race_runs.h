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

/* Whether one of them is of an asynchronous copy. */
bool run_has_copy(const uint64_t *entries, uint32_t n);

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
void offsets_of_halves(uint32_t first, const uint32_t *steps, uint32_t *offsets);

/* One unit of each of `count` lanes: its index, and the lane's own entry. */
struct lane_units {
    uint32_t at[LANES];
    uint64_t mine[LANES];
    uint32_t count;
};

/* Lists the units of all 32 lanes, of 1 << shift bytes at offsets[32]. */
void units_of_all(struct lane_units *u, uint64_t who, unsigned shift, const uint32_t *offsets);

/* Whether each entry is fine(). */
bool units_fine(const uint64_t *entries, const struct lane_units *u, const struct self *m);

/*
 * Adds reads with `flags` of the lanes. False: two lanes have one unit, and nothing was done. Here and below, a warp
 * whose reads are not fine() must be `simple`.
 */
bool units_read(uint64_t *entries, const struct lane_units *u, uint64_t flags, const struct self *m);

/* Adds a read of n units by several lanes, of which these are the first and the last. */
void shared_read(uint64_t *entries, uint32_t n, unsigned first, unsigned last, uint64_t flags, const struct self *m);

/* Adds reads of n units by 16 pairs of lanes that are 16 apart: `stride` units from one pair's to the next one's. */
void pairs_read(uint64_t *entries, int32_t stride, uint32_t n, uint64_t flags, const struct self *m);

/* Whether none of the entries of the units at offsets[32] is zero. */
bool units_written(const uint64_t *entries, const uint32_t *offsets, unsigned shift);

/* Makes the writes `entries` the lanes' own. False: two lanes have one unit. Then all are `nobody`. */
bool units_put(uint64_t *entries, const struct lane_units *u, uint64_t nobody);

/* The same, if all writes and reads there are fine(). False: then the writes may be `nobody`, if they were. */
bool units_write(uint64_t *writes, const uint64_t *reads, const struct lane_units *u, const struct self *m,
                 uint64_t nobody);

#endif
