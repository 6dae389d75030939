/* vector.h - loops over many numbers that the compiler may vectorise and reorder; finite numbers only. */
#ifndef PREDICT_VECTOR_H
#define PREDICT_VECTOR_H

#include <stddef.h>

/* x[i] = tanh x[i] */
void vector_tanh(double *x, size_t count);

/*
 * r2[i], a squared distance, becomes the Matern function of smoothness 3/2, and slope[i], unless NULL,
 * its derivative by r2.
 */
void vector_matern(double *r2, double *slope, size_t count);

/* r2[i] = exp(-gamma r2[i]) */
void vector_gauss(double *r2, double gamma, size_t count);

/* r2[i] = |row i of x - point|^2 */
void vector_distances(const double *x, size_t rows, size_t inputs, const double *point, double *r2);

/* The same of rows and point times `scale`. */
void vector_scaled_distances(const double *x, size_t rows, size_t inputs, const double *point, const double *scale,
                             double *r2);

#endif
