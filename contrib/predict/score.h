/* score.h - how far predictions are from measurements, and orders of numbers. */
#ifndef PREDICT_SCORE_H
#define PREDICT_SCORE_H

#include <stddef.h>

/* Over some rows; errors as shares, not percent. */
struct score {
    size_t rows;                  /* that were tested */
    double max, mean;             /* of |predicted - measured| / measured: the reading that counts */
    double p50, p95;              /* median and 95th percentile of the same */
    double log_max, log_mean;     /* of |ln(predicted / measured)| */
    double bias;                  /* mean of (predicted - measured) / measured, with its sign */
    double range_max, range_mean; /* of |predicted - measured| over the range of the measured times of these rows */
    double range_square;          /* mean of the square of the latter: the mean squared error of normalised times */
};

struct score score_of(const double *predicted, const double *measured, size_t rows);

/* The smallest of `values` (count > 0; reordered) that at least a share q of them, and of one more, do not exceed. */
double conformal_quantile(double *values, size_t count, double q);

/* The q-quantile by linear interpolation; reorders values. */
double quantile(double *values, size_t count, double q);

#endif
