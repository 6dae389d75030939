/*
 * validation.h - predictions beside measured times, a row for each kernel of a submission, and what is written of them.
 *
 * Times are microseconds. Sums of what was predicted stand beside sums of the same launches' measured times.
 */
#ifndef PREDICT_VALIDATION_H
#define PREDICT_VALIDATION_H

#include "predictions.h"

/* A kernel of a submission. */
struct validated {
    const char *problem, *submission, *kernel; /* names */
    size_t launches;           /* that were measured */
    size_t unmatched;          /* of them: differ on the simulator */
    size_t predicted_launches; /* of them: with a prediction */
    size_t refused_launches;   /* of them: without one */
    bool irregular;            /* a loop's rounds depend on data in memory */
    double measured, median;   /* of all launches: the sum, and of a launch */
    double measured_of_predicted, predicted, low, high; /* of those with a prediction: sums */
    double predicted_median;   /* of a launch with a prediction */
    double error;              /* predicted over measured, less one; of those with a prediction */
    bool held;                 /* the measured sum is in the interval */
    const char *bound;         /* of the longest launch with a prediction; "" where there is none */
    const char *refused;       /* why the first launch without one has none; NULL where all have */
    double measured_of_refused, refused_us; /* of those without one: sums; what a prediction would be */
};

/* All kernels, by problem, submission and name, and what they were predicted by. */
struct validation {
    struct validated *kernel;        /* `kernels` of them */
    size_t kernels;                  /* of all submissions */
    const struct predictions *model; /* whose model and GPU are named */
    const char *left_out;            /* the submissions that took too long, apart by "; "; "" where there is none */
};

/*
 * Writes predict-validation.md and .csv to one folder and what contrib/plot/predicted.gp reads to another, and prints
 * the summary.
 */
bool validation_write(const struct validation *v, const char *out, const char *plot, struct error *error);

#endif
