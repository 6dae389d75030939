/*
 * faults.h - what is wrong with a contest's folder, all of it: one line each on standard error.
 *
 * Called by contest.c and preflight.c for `grader check` and `grader run`. Without faults they stop at the first error.
 */
#ifndef GRADE_FAULTS_H
#define GRADE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

struct faults {
    size_t count; /* lines that were printed */
};

/*
 * Prints the error as a fault, and clears it. False, and nothing done, where there are no faults to add it to, or where
 * the machine failed: then the caller returns the error.
 */
bool faults_note(struct faults *faults, struct error *error);

#endif
