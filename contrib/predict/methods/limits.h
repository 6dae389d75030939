/*
 * limits.h - the calibrated law of limits: time = launch + p-norm over the terms of factor x term.
 *
 * The roofline with more roofs and round corners. The factors say how far below each peak kernels run in practice;
 * large p means that work on different parts overlaps, p near 1 that it adds up.
 */
#ifndef PREDICT_LIMITS_H
#define PREDICT_LIMITS_H

#include "method.h"

/*
 * Logarithms: TERMS factors, the launch in microseconds, p - 1; then of the part of the footprint that memory serves, a
 * sigmoid of the logarithm of footprint over L2 (terms.c): how far it is moved, and the logarithm of its steepness.
 */
enum { LIMITS_LAUNCH = TERMS, LIMITS_POWER, LIMITS_CACHE, LIMITS_STEEPNESS, LIMITS_COUNT };

/* Fits `law`, LIMITS_COUNT numbers. Each kernel weighs as much as any other, however many rows it has. */
bool limits_fit(const struct training *training, double *law, struct error *error);

/* A law of the rows numbered rows[0..count) alone, weakly held to the law of all, `common`. */
bool limits_fit_own(const struct training *training, const size_t *rows, size_t count, const double *common,
                    double *law, struct error *error);

/*
 * The logarithm of microseconds; and, unless NULL, each term's share of the p-norm's sum, and the launch's of the
 * time.
 */
double limits_predict(const double *law, const double *terms, double *share, double *launch_share);

#endif
