/*
 * grader.h - the loop that takes submissions to their verdicts.
 *
 *   new ─▶ building ─▶ samples ─▶ secret ─▶ ranked ─▶ done
 *
 * A judgement's state in the database names what is to be done next. Each step is a command (build, host) in an own
 * work folder; what it found is written, with the next state, in one transaction. A grader that dies leaves the state
 * as it was, and the next one does that step again, in another folder. Builds have slots of their own; a run slot is a
 * GPU, or the machine where there is none, and has one submission from its samples to its times.
 *
 * The same loop runs on a machine of a cluster (spool.h), on a database of its own with the judgements that were handed
 * to it: then it looks for no files, and passes each verdict to `done`.
 */
#ifndef GRADE_GRADER_H
#define GRADE_GRADER_H

#include <sys/types.h>

#include "contest.h"
#include "contrib/grade/store/judgement.h"
#include "contrib/grade/store/store.h"
#include "intake.h"
#include "progress.h"
#include "verify/gpu/warden.h"

enum { GRADER_JOBS = 64, GRADER_GPUS = 16 };

struct job {
    pid_t keeper;        /* 0: the slot is free */
    int64_t judgement, submission;
    const struct contest_problem *problem;
    enum judgement_state state;
    bool baseline;       /* in the state ranked: the baseline runs, the submission is next */
    char language[16];   /* CUDA, OpenCL or C; while it is built, C where that is known and "" otherwise */
    char object[3000], work[3000]; /* the built submission; the step's folder */
    char seed[24];       /* ranked: the same for both */
    char fault[400];     /* what is wrong with the baseline; or "" */
    char explained[256]; /* samples: the case that the simulator explains now, or has explained; or "" */
    int samples_code, explain_code; /* exit codes: of the samples while the explanation runs; of that */
    double explain_started; /* seconds since 1970 */
    double started;      /* seconds since 1970 */
    char gpu[96];        /* number or UUID of a run slot's GPU, as the host takes it; no two slots have one. Or "" */
    struct warden warden; /* of that GPU, lent to one host after the other; or none */
    double idle;         /* seconds since 1970: when the slot's last step ended */
};

struct grader {
    const struct contest *contest;
    const char *folder, *root, *build; /* the contest's, the toolkit's, and where it is built */
    struct store *store;
    struct intake intake;
    bool watch;
    const char *host;                  /* this machine's name, as it is in the results */
    bool handed;                       /* what is in the database is all there is to do: no files are looked for */
    bool stop_on_failure;              /* a step that the machine failed ends the loop: somebody is to look at it */
    bool failed;                       /* and it did */
    bool (*done)(void *context, int64_t judgement, struct error *error); /* a verdict is written; or NULL */
    void *context;
    struct job builds[GRADER_JOBS], runs[GRADER_GPUS]; /* [build_count], [run_count] */
    size_t build_count, run_count;
    char token[120];                   /* of this contest, for the names of work folders */
    char baselines[CONTEST_PROBLEMS][3000]; /* [problem_count] built baselines, "" until they are */
    struct progress progress;
};

/* One more run slot, for that GPU; false for one too many, or one that a slot has already. */
bool grader_add_gpu(struct grader *grader, const char *gpu, struct error *error);

/* The contest's token, drawn where there is none yet. */
bool grader_token(struct store *store, char *token, size_t size, struct error *error);

/* Prints the line of a judgement that is done; nothing for one that is not. */
void grader_say(const struct contest *contest, struct store *store, struct progress *progress, int64_t judgement);

/*
 * Grades until nothing is left to do, or, with `watch`, until SIGINT or SIGTERM. *stopped tells that a signal ended it
 * while something was left.
 */
bool grader_run(struct grader *grader, bool *stopped, struct error *error);

#endif
