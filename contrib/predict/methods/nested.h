/*
 * nested.h - what kernels have in common, and what is a kernel's own: two levels of Gaussian processes.
 *
 * Common: one process on some of the rows of all kernels, about a common base (the law of limits, or nothing). Own: for
 * the rows of each kernel a base of its own (its law of limits, or its mean) and a process about it, with scales which
 * all kernels share. A prediction belongs to the kernel of the nearest row, the more so the nearer that row is; far
 * from all it is the common level's. So no Cholesky is larger than a kernel's rows or the common level's part of all
 * rows, as in Snelson and Ghahramani, "Local and global sparse Gaussian process approximations", AISTATS 2007.
 */
#ifndef PREDICT_NESTED_H
#define PREDICT_NESTED_H

#include "method.h"

#define NESTED_ARRAYS \
    "rows", "own-weights", "own-scales", "groups", "common-rows", "common-weights", "common-scales", "metric"

/* Fills the arrays above from number `first` on. law: the common law of limits, or NULL to do without laws. */
bool nested_fit(struct learned *learned, int first, const struct training *training, const double *law,
                struct error *error);
double nested_predict(const struct learned *learned, int first, const double *law, size_t inputs, const double *x,
                      const double *terms);
bool nested_check(const struct learned *learned, int first, size_t inputs, bool laws);

#endif
