/*
 * stats.h - order statistics of a few samples.
 */
#ifndef VERIFY_STATS_H
#define VERIFY_STATS_H

#include <stddef.h>

struct stats {
    double min, q1, median, q3, max; /* quartiles by linear interpolation (Hyndman and Fan 1996, type 7) */
};

/* Of samples[count], which it sorts; all zero when count is 0. */
struct stats stats_of(double *samples, size_t count);

#endif
