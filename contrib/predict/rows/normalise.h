/* normalise.h - min-max normalisation: each input to [0, 1] over the training rows, and back. */
#ifndef PREDICT_NORMALISE_H
#define PREDICT_NORMALISE_H

#include "design.h"

struct normaliser {
    size_t inputs;                            /* of a row */
    double low[MAX_INPUTS], high[MAX_INPUTS]; /* over the training rows */
};

/* x: rows x inputs, rows > 0. */
void normaliser_fit(struct normaliser *normaliser, const double *x, size_t rows, size_t inputs);

/* One row; an input that was constant becomes its distance from the constant, so 0 where it still is. */
void normalise(const struct normaliser *normaliser, const double *raw, double *scaled);
void denormalise(const struct normaliser *normaliser, const double *scaled, double *raw);

#endif
