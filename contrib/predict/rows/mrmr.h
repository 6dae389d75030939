/*
 * mrmr.h - the influence of inputs by minimum redundancy, maximum relevance.
 *
 * Peng, Long, Ding, "Feature selection based on mutual information", IEEE TPAMI 27 (2005), in its difference form: each
 * step takes the input with the largest I(input; target) - mean over those taken of I(input; taken).
 */
#ifndef PREDICT_MRMR_H
#define PREDICT_MRMR_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

struct influence {
    size_t input;     /* which */
    double relevance; /* mutual information with the target, bits */
};

/* Ranks all inputs of x (rows x inputs) for y (rows), the most influential first; ranking has `inputs` places. */
bool mrmr_rank(const double *x, const double *y, size_t rows, size_t inputs, struct influence *ranking,
               struct error *error);

#endif
