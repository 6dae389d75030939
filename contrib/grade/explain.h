/*
 * explain.h - what the simulator says of a submission's kernels, for one sample: a run of its own between the samples
 * and the secret cases.
 *
 * It decides nothing. Its text comes from the submission's process, so it is advice, and no record has it. Secret cases
 * are never explained: what their kernels did tells of their inputs.
 */
#ifndef GRADE_EXPLAIN_H
#define GRADE_EXPLAIN_H

#include "grader.h"

/*
 * Whether the job, whose samples have just run on the simulator, is to be explained: then job->explained names the
 * case, the first that failed or else the first. So it is for submissions of teams where the contest has it, and of
 * programs that want it.
 */
bool explain_is_due(const struct grader *grader, struct job *job);

/* Starts the run. False for a failure of the machine. */
bool explain_start(const struct grader *grader, struct job *job, struct error *error);

/* Writes what it said, or why it says nothing, as the step `explain`. Within the transaction of the samples. */
bool explain_write(struct store *store, const struct job *job, struct error *error);

#endif
