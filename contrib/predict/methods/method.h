/*
 * method.h - what every learning method is to the rest: a fit, a prediction, and named arrays of numbers in between.
 *
 * A method knows nothing of kernels, files or units: it learns y from x, both scaled by the caller. Those that are
 * `physical` learn the logarithm of microseconds and may use the terms. What was learned is in the arrays alone, so
 * that model files are written and read in one place (model_file.c). What methods share is in learned.h.
 */
#ifndef PREDICT_METHOD_H
#define PREDICT_METHOD_H

#include "contrib/predict/rows/design.h"
#include "learned.h"

struct training {
    size_t rows, inputs;  /* the size of the matrix */
    const double *x;      /* rows x inputs, between 0 and 1 */
    const double *y;      /* rows: the logarithm of the time in microseconds, or the time scaled to [0, 1] */
    const double *terms;  /* rows x ROW_TERMS, microseconds */
    const double *spread; /* rows: how well the time is known, as a share of it */
    const int *kernel;    /* rows: which kernel */
    const double *weight; /* rows: how much its kernel counts beside others; only the mechanism looks at
                           * it; NULL: all alike */
    int kernels;          /* of all rows */
    const struct learned *start; /* of an earlier fit to most of these rows, whose scales are kept; or NULL */
};

struct method {
    const char *name;                     /* on the command line and in model files */
    const char *title;                    /* in tables */
    bool physical;                        /* needs y as the logarithm of microseconds */
    /* Rows that training can afford: of more, every second or third is learned from; 0: any. */
    size_t most;
    const char *const arrays[MAX_ARRAYS]; /* names of what is learned, the unused NULL */
    /* Allocates and fills the arrays. Fails without memory, or where the numbers admit no solution. */
    bool (*fit)(struct learned *learned, const struct training *training, struct error *error);
    double (*predict)(const struct learned *learned, size_t inputs, const double *x, const double *terms);
    /* Whether the arrays of a file have sizes that fit together for so many inputs. */
    bool (*check)(const struct learned *learned, size_t inputs);
};

extern const struct method method_ridge, method_nearest, method_elm, method_mlp, method_svr, method_roofline,
    method_limits, method_kriging, method_bounded, method_mechanism;

/* All of them, ended by NULL, in the order of the tables. */
extern const struct method *const methods[];
const struct method *method_find(const char *name);

#endif
