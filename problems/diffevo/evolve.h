/*
 * evolve.h - the reference: prescribed differential evolution on the CPU, several individuals to a vector instruction.
 *
 * Called by problem.c and open.c. Every version gives the same bytes, which are those of plain.h.
 */
#ifndef DIFFEVO_EVOLVE_H
#define DIFFEVO_EVOLVE_H

#include <stdbool.h>

#include "include/device_user.h"

/* The versions: what the compiler was allowed to use. */
enum diffevo_isa { DIFFEVO_PORTABLE, DIFFEVO_AVX2, DIFFEVO_AVX512, DIFFEVO_ISAS };

/* Whether this processor can run that version, and the fastest that it can. */
bool diffevo_isa_present(enum diffevo_isa isa);
enum diffevo_isa diffevo_isa_best(void);

/*
 * Carries out one problem whose shift and rotation are in data, and writes its result and best_x[D] (not at
 * problem->x). False when memory is exhausted.
 */
bool diffevo_evolve(enum diffevo_isa isa, const struct diffevo_problem *problem, const float *data,
                    struct diffevo_result *result, float *best_x);

/* The versions themselves, for evolve.c: memory holds two populations and the values, aligned to 64 bytes. */
void diffevo_evolve_portable(const struct diffevo_problem *problem, const float *data, void *memory,
                             struct diffevo_result *result, float *best_x);
void diffevo_evolve_avx2(const struct diffevo_problem *problem, const float *data, void *memory,
                         struct diffevo_result *result, float *best_x);
void diffevo_evolve_avx512(const struct diffevo_problem *problem, const float *data, void *memory,
                           struct diffevo_result *result, float *best_x);

#endif
