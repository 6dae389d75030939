/*
 * learned.h - what methods share: the arrays of numbers that a fit leaves, and least squares.
 *
 * Knows no method, no file and no kernel.
 */
#ifndef PREDICT_LEARNED_H
#define PREDICT_LEARNED_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

enum { MAX_ARRAYS = 12 };

struct learned {
    struct {
        double *values; /* `count` of them */
        size_t count;   /* 0 of an array that the method does not use */
    } array[MAX_ARRAYS]; /* in the order of the method's names */
};

/* Room for an array; NULL and an error without memory. */
double *learned_array(struct learned *learned, int array, size_t count, struct error *error);
void learned_release(struct learned *learned);

/*
 * Least squares with a penalty: w minimises |y - mean - (h - means) w|^2 + penalty |w|^2, the penalty being the one of
 * twelve, relative to the largest eigenvalue, with the least leave-one-out error. h: rows x columns, row-major.
 * w has columns + 1 places, the last for the constant.
 */
bool least_squares(const double *h, const double *y, size_t rows, size_t columns, double *w, struct error *error);

/* Means and standard deviation of y, at least a tiny one. */
void mean_and_deviation(const double *y, size_t rows, double *mean, double *deviation);

#endif
