/*
 * kriging.h - regression by Gaussian processes: Rasmussen and Williams, "Gaussian Processes for Machine
 * Learning" (2006).
 *
 * Covariance s^2 M(|w (x - x')|), M the Matern function of smoothness 3/2 (times have corners: waves, caches), a
 * scale w for each input; noise n^2 + spread^2. s, w, n are those of the largest marginal likelihood of some parts of
 * the rows, taken to be independent of each other.
 */
#ifndef PREDICT_KRIGING_H
#define PREDICT_KRIGING_H

#include "method.h"

/* Some of the rows of a training, by number. */
struct kriging_part {
    size_t *row, count; /* numbers of rows, and how many */
};

enum { KRIGING_SCALES = 3 }; /* beside one for each input: the mean of y, s^2, n^2 */

/* What is thought of the scales before any row: of the logarithm of each a normal distribution. */
struct kriging_belief {
    double centre; /* of a scale; its inverse is how far apart rows are that have little to do with each other */
    double width;  /* deviation of the logarithm */
};

/* Finds `scales`, inputs + KRIGING_SCALES numbers: w, mean, s^2, n^2. Time goes with the cube of the largest part. */
bool kriging_scales(const struct training *training, const double *y, const struct kriging_part *parts, int count,
                    struct kriging_belief belief, double *scales, struct error *error);

/*
 * Conditions a process on some rows: fills their weights (part->count), of which kriging_predict makes predictions.
 * Time goes with the cube of part->count.
 */
bool kriging_fit(const struct training *training, const double *y, const struct kriging_part *part,
                 const double *scales, double *weights, struct error *error);

/* y at a point (inputs, as the rows' are); x: count x inputs, of the rows that the weights are of. */
double kriging_predict(const double *x, const double *weights, size_t count, size_t inputs, const double *scales,
                       const double *point);

#endif
