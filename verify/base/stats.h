/*
 * stats.h - order statistics of a few samples.
 */
#ifndef VERIFY_STATS_H
#define VERIFY_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct stats {
    double min, q1, median, q3, max; /* quartiles by linear interpolation (Hyndman and Fan 1996, type 7) */
};

/* Of samples[count], which it sorts; all zero when count is 0. */
struct stats stats_of(double *samples, size_t count);

/* The interval of the median of the distribution that the samples come from. */
struct interval {
    double low, high; /* the limits, two of the samples */
    double coverage;  /* how sure that is, 0 to 1: less than was asked for where the samples are too few; 0 for none */
};

/* What the toolkit asks for everywhere. */
#define STATS_COVERAGE 0.95

/*
 * The distribution-free confidence interval of the median: the l-th least and the l-th largest of `count` samples in
 * ascending order, with the largest l whose coverage is at least `wanted`. It holds whatever the samples' distribution:
 * the median is outside only if fewer than l samples lie below it, or fewer than l above, so with B a binomial(n, 1/2),
 *
 *   coverage = 1 - 2 P(B <= l - 1),
 *
 * exactly for a continuous distribution and at least that for any other (Hollander, Wolfe, Chicken, "Nonparametric
 * Statistical Methods", 3rd edition, section 3.6; Conover, "Practical Nonparametric Statistics", section 3.2). If even
 * l = 1 is not enough, it is returned with its coverage: up to 5 samples have no 95 % interval.
 */
struct interval stats_interval(const double *sorted, size_t count, double wanted);

/* The fewest samples that stats_until() ends with, one more than has an interval at all. */
enum { STATS_UNTIL_LEAST = 7 };

/*
 * True if samples[count] are enough: half of the median's interval is at most `percent` of the median. Call it after
 * every sample; with many samples it checks only now and then. A series that ends this way covers the median a little
 * less often than its interval says, as it ended when the interval happened to be short. So it is only for practice.
 * It allocates a copy; false without memory.
 */
bool stats_until(const double *samples, size_t count, double percent);

#endif
