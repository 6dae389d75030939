/*
 * exact.h - the objective functions in double precision, by their textbook formulas and the C library: for the open
 * mode.
 *
 * Called by problem.c, which judges vectors by it, and by the tests. Shares nothing with diffevo.h.
 */
#ifndef DIFFEVO_EXACT_H
#define DIFFEVO_EXACT_H

#include "include/device_user.h"

/* The value at x[D]. */
double diffevo_exact_value(const struct diffevo_problem *problem, const float *data, const float *x);

#endif
