/*
 * gpu_use.h - a GPU for the length of one judging: claimed, watched over, and probed after a submission was killed.
 */
#ifndef VERIFY_GPU_USE_H
#define VERIFY_GPU_USE_H

#include <limits.h>
#include <stdbool.h>

#include "verify/base/error.h"
#include "gpm.h"
#include "gpu.h"
#include "warden.h"

struct gpu_use {
    const struct gpu *gpu;           /* the caller's; NULL before gpu_use_begin() */
    char program[PATH_MAX];          /* of the warden */
    struct warden warden;
    bool settled;                    /* gpu_use_settle() has seen to it */
    char doubt[160];                 /* what was wrong with a warden that was lent, or "" */
    bool busy;                       /* it was in use by somebody else: the warden has ended, nothing is watched over */
    struct gpm counters;             /* of the GPU, from gpu_use_count() on; none where it is busy */
    const char *no_counters;         /* why there are none then, in words; NULL where there are */
    struct gpu_state before, after;  /* the GPU before anything was started on it, and at the end */
};

/*
 * Claims the GPU, waiting for it if need be, and starts the warden `program`, which gets ready while the caller goes
 * on. The descriptor `lent`, if it is not -1, leads to one that is there already, and is taken where it is in order, or
 * ended; the descriptor is no more the caller's.
 */
bool gpu_use_begin(struct gpu_use *use, const struct gpu *gpu, const char *program, int lent, struct error *error);

/*
 * Before anything of a submission is started: waits for the warden. A GPU that is marked as unfit is probed first;
 * where it fails again there is an error. A GPU with other work is `busy`: a submission would be blamed for
 * somebody else's work. Later calls do nothing.
 */
bool gpu_use_settle(struct gpu_use *use, struct error *error);

/* Where the GPU's own counters are wanted (gpm.h): opens them, after it was settled. */
void gpu_use_count(struct gpu_use *use);

/*
 * After a submission was killed: probes the GPU with a kernel whose result is known, by a new warden where the old one
 * fails, some seconds long. False, with an error and the mark of an unfit GPU, where that fails too.
 */
bool gpu_use_probe(struct gpu_use *use, struct error *error);

/* Reads the GPU's state once more and ends the warden. Does nothing to one that was not begun. */
void gpu_use_end(struct gpu_use *use);

#endif
