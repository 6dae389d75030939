/*
 * feature_work.h - the work of one launch for the mechanistic model of time: issue slots, pipes, the path of a warp,
 * what memory is asked for, and atomics. feature.c calls it around the blocks that it runs.
 */
#ifndef CUDASIM_FEATURE_WORK_H
#define CUDASIM_FEATURE_WORK_H

#include "feature.h"
#include "feature_code.h"
#include "feature_cost.h"

/* Begins a launch of `kernel`. Earlier counts are left out. NULL without memory. */
struct work *work_begin(struct sim *sim, const struct sim_kernel *kernel, struct features_code *code);

/* Multiplies the counts since the last call, or since the beginning, by `weight`. False without memory. */
bool work_take(struct work *work, double weight);

/* Fills the columns from FEATURE_ISSUE on; `blocks` and `warps` of the whole launch. Releases the work. */
bool work_end(struct work *work, double blocks, double warps, double value[FEATURE_COUNT]);
void work_drop(struct work *work);

#endif
