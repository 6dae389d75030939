/*
 * stats.c - order statistics.
 */
#include "stats.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t count, double p)
{
    double place = p * (double)(count - 1);
    size_t below = (size_t)place;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct stats stats_of(double *samples, size_t count)
{
    if (count == 0)
        return (struct stats){ 0 };
    qsort(samples, count, sizeof *samples, ascending);
    return (struct stats){
        .min = samples[0],
        .q1 = quantile(samples, count, 0.25),
        .median = quantile(samples, count, 0.5),
        .q3 = quantile(samples, count, 0.75),
        .max = samples[count - 1],
    };
}
