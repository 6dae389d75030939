/*
 * plain.h - the plain reference: prescribed differential evolution as the statement says it, an individual at a time.
 *
 * Called by problem.c and the tests, to hold the fast one against. It shares no code with that, nor with diffevo.h.
 */
#ifndef DIFFEVO_PLAIN_H
#define DIFFEVO_PLAIN_H

#include <stdbool.h>

#include "include/device_user.h"

/* As diffevo_evolve(). */
bool diffevo_plain(const struct diffevo_problem *problem, const float *data, struct diffevo_result *result,
                   float *best_x);

#endif
