/* score.c - see score.h. */
#include "score.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(double *values, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;

    qsort(values, count, sizeof *values, ascending);
    return below + 1 < count ? values[below] + (place - (double)below) * (values[below + 1] - values[below])
                             : values[count - 1];
}

double conformal_quantile(double *values, size_t count, double q)
{
    size_t place = (size_t)ceil(q * (double)(count + 1));

    qsort(values, count, sizeof *values, ascending);
    return values[place < 1 ? 0 : place > count ? count - 1 : place - 1];
}

struct score score_of(const double *predicted, const double *measured, size_t rows)
{
    struct score s = {.rows = rows};
    double low = INFINITY, high = -INFINITY, *errors = malloc((rows + 1) * sizeof *errors);

    for (size_t i = 0; i < rows; i++) {
        low = fmin(low, measured[i]);
        high = fmax(high, measured[i]);
    }
    for (size_t i = 0; i < rows; i++) {
        double off = predicted[i] - measured[i], error = fabs(off) / measured[i];
        double ratio = fabs(log(predicted[i] / measured[i])), ranged = fabs(off) / (high > low ? high - low : 1);
        double share = 1 / (double)rows;

        s.max = fmax(s.max, error);
        s.mean += error * share;
        s.log_max = fmax(s.log_max, ratio);
        s.log_mean += ratio * share;
        s.bias += off / measured[i] * share;
        s.range_max = fmax(s.range_max, ranged);
        s.range_mean += ranged * share;
        s.range_square += ranged * ranged * share;
        if (errors)
            errors[i] = error;
    }
    if (errors && rows > 0) {
        s.p50 = quantile(errors, rows, 0.5);
        s.p95 = quantile(errors, rows, 0.95);
    }
    free(errors);
    return s;
}
