/*
 * step.h - one step of a judgement (grader.h): its command started in a folder of its own, and what it found written,
 * with the next state, in one transaction.
 */
#ifndef GRADE_STEP_H
#define GRADE_STEP_H

#include "grader.h"

/* A path below a job's folder, in `path`. */
const char *step_path(const struct job *job, const char *name, char *path, size_t size);

/* The first line of a file; "" where it cannot be read. */
void step_first_line(const char *path, char *line, size_t size);

/*
 * Starts the build of `source`, or the host for the step that the job's state names. False for a failure of the
 * machine.
 */
bool step_start_build(const struct grader *grader, struct job *job, const char *source, struct error *error);
bool step_start_run(const struct grader *grader, struct job *job, struct error *error);

/* Starts a command in the job's folder, its words in the file `log` there. */
bool step_start_command(const struct grader *grader, struct job *job, const char *const *arguments, const char *log,
                        struct error *error);

/* The first `most` bytes of a file as clean text, lines kept; the caller frees it. Empty where it cannot be read. */
char *step_read_text(const char *path, size_t most);

/*
 * The channel to the warden of a run slot, which is started if there is none. 0 where that fails or the slot has no
 * GPU: then a host starts one, and says what is wrong.
 */
int step_warden(const struct grader *grader, struct job *job);

/* Writes what a step that ended with exit code `code` found, and the next state, into the database and *job. */
bool step_finish_build(struct grader *grader, struct job *job, int code, struct error *error);
bool step_finish_run(struct grader *grader, struct job *job, int code, struct error *error);

/*
 * Whether the baseline ran as it should; else what it did is the step's result, and the machine's fault. Where it has
 * a verdict other than AC that is in job->fault.
 */
bool step_baseline_ran(struct job *job, int *code);

/* Nothing is left of a build once its judgement is done. */
void step_remove_object(const struct job *job);

#endif
