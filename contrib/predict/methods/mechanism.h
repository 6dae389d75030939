/*
 * mechanism.h - the mechanistic model of time: launch + q-norm of the path of a warp and the p-norm of
 * the throughputs (parts.h).
 */
#ifndef PREDICT_MECHANISM_H
#define PREDICT_MECHANISM_H

#include "method.h"

/*
 * Logarithms: a factor for each part and one for the price of a launch, held to 1; p - 1, q - 1.
 */
enum { MECHANISM_LAUNCH = PARTS, MECHANISM_POWER, MECHANISM_HIDING, MECHANISM_COUNT };

/*
 * The logarithm of microseconds; and, unless NULL, the share of the time that each part takes, and the launch's.
 * `terms` is a row of ROW_TERMS.
 */
double mechanism_predict(const double *law, const double *terms, double *share, double *launch_share);

/* The law of a method that learned. */
const double *mechanism_law(const struct learned *learned);

#endif
