/*
 * grader.h - the loop that takes submissions to their verdicts.
 *
 *   new ─▶ building ─▶ samples ─▶ secret ─▶ ranked ─▶ done
 *
 * A judgement's state in the database names what is to be done next. Each step is a command (build, host) in an own work
 * folder; what it found is written, with the next state, in one transaction. A grader that dies leaves the state as it
 * was, and the next one does that step again, in another folder. Builds have slots of their own; a run slot is a GPU, or
 * the machine where there is none, and has one submission from its samples to its times.
 */
#ifndef GRADE_GRADER_H
#define GRADE_GRADER_H

#include <sys/types.h>

#include "contest.h"
#include "intake.h"
#include "progress.h"
#include "store.h"

enum { GRADER_JOBS = 64, GRADER_GPUS = 16 };

struct job {
    pid_t keeper;        /* 0: the slot is free */
    int64_t judgement, submission;
    const struct contest_problem *problem;
    char state[16];      /* of the judgement */
    bool baseline;       /* in the state ranked: the baseline runs, the submission is next */
    char language[16];   /* CUDA, OpenCL or C */
    char object[3000], work[3000]; /* the built submission; the step's folder */
    char seed[24];       /* ranked: the same for both */
    double started;      /* seconds since 1970 */
    char gpu[96];        /* UUID of a run slot's GPU, or "" */
};

struct grader {
    const struct contest *contest;
    const char *folder, *root, *build; /* the contest's, the toolkit's, and where it is built */
    struct store *store;
    struct intake intake;
    bool watch;
    struct job builds[GRADER_JOBS], runs[GRADER_GPUS]; /* [build_count], [run_count] */
    size_t build_count, run_count;
    char token[33];                    /* of this contest, for the names of work folders */
    char baselines[CONTEST_PROBLEMS][3000]; /* [problem_count] built baselines, "" until they are */
    struct progress progress;
};

/* Grades until nothing is left to do, or, with `watch`, until SIGINT or SIGTERM. *stopped tells that a signal ended it. */
bool grader_run(struct grader *grader, bool *stopped, struct error *error);

#endif
