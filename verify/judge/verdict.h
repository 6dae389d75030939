/*
 * verdict.h - the verdict as a pure function of observed facts.
 *
 * The session gathers the facts, the problem's checker adds one, report.c prints what comes out. Nothing
 * here looks at a process, a file or a clock.
 */
#ifndef VERIFY_VERDICT_H
#define VERIFY_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "reason.h"

/* The judgement types of the CLICS Contest API that this toolkit gives. */
enum verdict {
    VERDICT_AC,  /* accepted */
    VERDICT_WA,  /* wrong answer */
    VERDICT_TLE, /* time limit exceeded */
    VERDICT_RTE, /* run-time error */
    VERDICT_MLE, /* memory limit exceeded */
    VERDICT_OLE, /* output limit exceeded */
    VERDICT_CE,  /* compile error */
    VERDICT_NO,  /* no verdict: nothing was run */
    VERDICT_SV,  /* security violation */
    VERDICT_JE,  /* judging error: the toolkit's or the machine's fault */
    VERDICTS
};

/* The identifier ("AC") and the words ("accepted"). */
const char *verdict_id(enum verdict verdict);
const char *verdict_words(enum verdict verdict);

/* How a stage of the runner ended. */
enum outcome {
    OUTCOME_DONE,        /* it said what was expected */
    OUTCOME_TIMEOUT,     /* its limit passed */
    OUTCOME_DIED,        /* its process ended without being killed */
    OUTCOME_CLOSED,      /* it closed its end of the channel and lives on */
    OUTCOME_FORGED,      /* it sent something that the runner never sends */
    OUTCOME_FOREIGN_CODE, /* it registered device code that is not in its file */
    OUTCOME_FLOOD,       /* it printed more than the output limit */
    OUTCOME_LEFT_WORK,   /* it returned, and its work went on on the GPU */
    OUTCOME_MEMORY,      /* the host saw it above its memory limit */
    OUTCOME_CROWDED,     /* the host saw it with more threads than it may have */
    OUTCOME_LOAD_FAILED, /* the runner could not load the submission */
    OUTCOME_DEVICE_FAILED, /* the runner could not initialise CUDA or OpenCL, before any user code ran */
    OUTCOME_LOST,        /* the host could not go on: a system call failed */
    OUTCOME_HARMED,      /* so it was with this submission, and not with an empty one */
    OUTCOME_SLOW_END,    /* it was killed and did not end in time, and an empty one does */
    OUTCOMES
};

/* All that a verdict depends on. */
struct facts {
    bool called;             /* the outcome is of a call of device_user(), not of the start */
    enum outcome outcome;    /* how that ended */
    int signal;              /* OUTCOME_DIED: the signal that ended it, or 0 */
    int exit_code;           /* OUTCOME_DIED: its exit code, when no signal did */
    enum check_result check; /* OUTCOME_DONE of a call: what the checker said */
    enum reason wrong;       /* CHECK_WRONG: what kind of wrong it is */
    bool unwritten;          /* OUTCOME_DONE of a call: the output is as it was before the call */
    bool late;               /* OUTCOME_DONE of a call: the output was written to after that */
    bool ahead;              /* OUTCOME_DONE of a series: it wrote to the output of a call that was not made */
    double seconds;          /* from the start of the stage to its end */
    double limit;            /* the limit of the stage, seconds */
    size_t output_limit;     /* what may be printed, bytes */
    size_t printed;          /* what was printed, bytes */
    size_t memory_limit;     /* of main memory, bytes; 0 where there is none */
    size_t memory_used;      /* the most that was seen in use, bytes; 0: not known */
    bool oom_killed;         /* the kernel ended a process of the submission because it was above the limit */
    size_t memory_refused;   /* bytes of an allocation that was refused, 0 for none: the runner's word, for advice */
    size_t image;            /* bytes that the submission takes when it is loaded */
    size_t tasks_limit;      /* threads and processes */
    bool tasks_refused;      /* it wanted to start more */
    size_t device_memory_limit; /* of the GPU's memory, bytes; 0 where there is none */
    size_t device_memory_used;  /* the most that was seen in use, bytes */
    const char *detail;      /* the checker's or the loader's words; may be "" */
};

/*
 * The verdict; in *reason why, without any value, and in message[size] one line with all that is known (both empty for
 * VERDICT_AC).
 */
enum verdict verdict_of(const struct facts *facts, enum reason *reason, char *message, size_t size);

/* The exit code of host and judge. */
int verdict_exit_code(enum verdict verdict);

#endif
