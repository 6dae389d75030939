/*
 * leftover.h - what a law leaves of the logarithm of a time: a Gaussian process on the rows that it was fitted to. A
 * row that is like none of them is left as it is. mechanism.c calls it.
 */
#ifndef PREDICT_LEFTOVER_H
#define PREDICT_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

/*
 * Fills pull[rows], what each row adds to the correction of others. site: rows x size, where a row lies; left: rows,
 * the measured logarithm less the law's; weight: rows, of a row, 1 in the mean. Fails without memory.
 */
bool leftover_fit(double *pull, const double *site, size_t size, const double *left, const double *weight, size_t rows,
                  struct error *error);

/* The correction of a logarithm at `at`. */
double leftover_at(const double *at, const double *site, size_t size, const double *pull, size_t rows);

#endif
