/* bounded.h - what else may be asked of a model that bounded.c learned. */
#ifndef PREDICT_BOUNDED_H
#define PREDICT_BOUNDED_H

#include "method.h"

/* The law of limits within: LIMITS_COUNT numbers. */
const double *bounded_law(const struct learned *learned);

#endif
