/*
 * kriging.h - regression by a Gaussian process: Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006).
 *
 * Covariance s^2 M(|w (x - x')|), M the Matern function of smoothness 3/2 (times have corners: waves, caches), a
 * scale w for each input; noise n^2 + spread^2.
 * s, w, n are those of the largest marginal likelihood on a part of the rows, all rows then count by one Cholesky.
 */
#ifndef PREDICT_KRIGING_H
#define PREDICT_KRIGING_H

#include "method.h"

/* Fills three arrays from number `first` on: rows x inputs (scaled by w), rows (weights), inputs + 3 (w, mean, s^2, n^2). */
bool kriging_fit(struct learned *learned, int first, const struct training *training, const double *y,
                 struct error *error);
double kriging_predict(const struct learned *learned, int first, size_t inputs, const double *x);
bool kriging_check(const struct learned *learned, int first, size_t inputs);

#define KRIGING_ARRAYS "rows", "weights", "scales"

#endif
