/*
 * stats.c - order statistics.
 */
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* P(B = k) of a binomial(n, 1/2). */
static double probability(size_t n, size_t k)
{
    int sign;

    return exp(lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) - lgamma_r((double)(n - k) + 1, &sign) -
               (double)n * log(2));
}

struct interval stats_interval(const double *sorted, size_t count, double wanted)
{
    double outside = 0; /* P(B <= l - 1) */
    size_t l = 0;

    if (count == 0)
        return (struct interval){ 0 };
    for (;;) {
        double more = probability(count, l);

        if (l > 0 && (2 * (l + 1) > count + 1 || !(1 - 2 * (outside + more) >= wanted)))
            break;
        outside += more;
        l++;
    }
    return (struct interval){ sorted[l - 1], sorted[count - l], count == 1 ? 0 : 1 - 2 * outside };
}

bool stats_until(const double *samples, size_t count, double percent)
{
    struct interval interval;
    struct stats stats;
    double *sorted;

    if (count < STATS_UNTIL_LEAST || count % (1 + count / 64) != 0 || !(sorted = calloc(count, sizeof *sorted)))
        return false;
    memcpy(sorted, samples, count * sizeof *sorted);
    stats = stats_of(sorted, count);
    interval = stats_interval(sorted, count, STATS_COVERAGE);
    free(sorted);
    return (interval.high - interval.low) / 2 <= percent / 100 * stats.median;
}
