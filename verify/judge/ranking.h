/*
 * ranking.h - makes times comparable: it measures the overhead of a call, and finds disturbed calls.
 */
#ifndef VERIFY_RANKING_H
#define VERIFY_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"
#include "ready.h"
#include "session.h"
#include "verify/base/stats.h"

enum {
    RANKING_REPEAT = 11,      /* calls that count, where nothing else is asked for */
    RANKING_CALIBRATIONS = 11, /* calls of the empty submission */
    RANKING_RESIDENT_CALIBRATIONS = 31 /* and where times of microseconds are compared */
};

/* A change of the SM clock from one call to another that is no noise of its measurement. */
#define RANKING_CLOCK_DRIFT 0.02

/*
 * Times the submission of `empty`, which does nothing, or on a GPU launches one empty kernel, on the same input as the
 * next calls. This is the overhead of every call. The first call does not count. False, with an error, if a call
 * failed: that is the toolkit's fault.
 */
bool ranking_calibrate(struct ready *ready, const struct session_config *empty, const struct blob *input,
                       size_t output_size, struct stats *overhead, struct error *error);

/*
 * Most calls that a ranked case makes: one that does not count, and as many again as count, where some are disturbed.
 */
size_t ranking_most_calls(size_t repeat);

/*
 * Whether the newest of times[count] was made while the GPU was slowed down, as the driver says or its clock shows
 * beside the fastest of the others.
 */
bool ranking_disturbed(const struct session_times *times, size_t count);

#endif
