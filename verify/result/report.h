/*
 * report.h - what the host reports about a judgement: to people as it happens, and to programs as JSON at the end.
 *
 * The JSON's keys are documented in docs/formats/result.md.
 */
#ifndef VERIFY_REPORT_H
#define VERIFY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "verify/base/error.h"
#include "verify/gpu/gpm.h"
#include "verify/gpu/gpu.h"
#include "record.h"
#include "verify/judge/session.h"
#include "verify/base/stats.h"
#include "verify/judge/verdict.h"

/* One case, as judged. */
struct case_result {
    const char *name;            /* "secret/03-random", or "input" for files on the command line */
    enum verdict verdict;        /* the first that is not AC, else AC */
    char message[512];           /* why, with values; empty for AC */
    enum reason reason;          /* why, for everybody */
    size_t failed_call;          /* which call it was, from 1; 0 where that says nothing */
    char answer[64], output[64]; /* of the last call, as the problem shows them; output "" for none */
    double start_seconds;        /* from the start of the runner until it was ready */
    double end_seconds;          /* from the last call's end until all that the submission started was gone */
    double limit;                /* seconds a call */
    size_t memory_limit;         /* bytes */
    size_t memory_peak;          /* bytes in use at most, as far as it was seen; 0: it was not */
    size_t device_memory_limit;  /* bytes of the GPU's; 0 for no limit */
    size_t device_memory_peak;   /* and in use at most, as far as it was seen */
    size_t calls;                /* calls that were made */
    struct session_times *times; /* [calls], of those that returned in time */
    size_t timed;                /* how many did, and count */
    struct stats overhead;       /* --ranked: what an empty submission takes; all 0 where that was not measured */
    size_t disturbed;            /* --ranked: calls that do not count, for the GPU was slowed down */
    bool unsteady;               /* --ranked: one that counts was made while the GPU was slowed down */
    bool used_gpu;               /* --ranked: it used the GPU */
    struct {
        size_t calls, series;    /* in flight together; series of them that were timed; 0: none were */
        struct stats seconds;    /* a call */
        size_t made;             /* calls of all series, also of those that do not count */
        double total;            /* seconds that they took */
    } throughput;                /* --ranked, of resident problems that ask for it */
    struct gpm_use counted;      /* by the GPU's own counters, over all calls; all 0 where there are none */
    double floor;                /* seconds that no call can do without: of the last call, or the first below; or 0 */
    bool below_floor;            /* a right answer came sooner */
    char (*inputs)[DIGEST_HEX];  /* [calls], SHA-256 of their inputs; NULL where they are not wanted */
    size_t printed;              /* bytes the submission printed */
    char *printed_text;          /* the first of them, or NULL */
    size_t printed_kept;         /* how many */
    struct session_report reports[SESSION_REPORTS]; /* of the simulator, where they were asked for */
};

/* One judgement of one submission. */
struct result {
    const char *problem;         /* NULL until it is known */
    const char *submission;      /* path of the shared object */
    const char *source;          /* what it was built from, or NULL */
    const char *language;        /* "CUDA", "OpenCL" or "C", or NULL */
    const char *cuda_library;    /* soname, or "" */
    const char *device_kind;     /* "gpu", "sim", "cpu" or "pocl", or NULL */
    const char *device_name;     /* of the GPU, the simulator or the CPU */
    const char *gpu_uuid, *driver; /* or NULL */
    const struct gpu_state *gpu_before, *gpu_after; /* or NULL */
    bool ranked;                 /* --ranked */
    bool simulated;              /* device_kind is "sim": times are the simulator's, and say nothing of a GPU */
    const char *const *variables; /* the simulator's settings, NAME=VALUE, NULL-terminated; or NULL */
    const char *box;             /* box_level_name(), or NULL */
    const char *const *box_layers; /* box_layers(), or NULL */
    const char *box_lacks;       /* why there is no more, or NULL */
    const char *league;          /* or "" */
    size_t left_out;             /* cases that only a GPU can do, and there is none */
    bool review;                 /* some case is below its floor: not to be ranked before somebody looked at it */
    struct record record;        /* for those who check the result later */
    uint64_t seed, check_seed;   /* seed: --seed; never a seal's */
    size_t repeat;
    enum verdict verdict;        /* the first that is not AC, else AC; NO when nothing ran */
    char message[512];           /* why */
    const struct case_result *failed; /* the case that it is of, or NULL */
    bool hides;                  /* people are shown the public form: there is a seal, and no --show-secret */
    struct case_result *cases;   /* [case_count] */
    size_t case_count;
};

/* Before the first run: the box, and what replaces the GPU. `no_gpu` says why; NULL if nothing replaces it. */
void report_surroundings(FILE *notes, const struct result *result, const char *no_gpu);

/* The lines of the GPU Challenge 2009 manual for one case, after its describe(): docs/formats/result.md. */
void report_case(FILE *file, const struct case_result *result, size_t repeat, bool simulated);

/* Of a case whose values are hidden: its times, where it was accepted. */
void report_hidden_case(FILE *file, const struct case_result *result, size_t repeat, bool simulated);

/*
 * Text from outside the toolkit, at most `limit` bytes of it: each line behind `mark`, and nothing in it that could
 * steer a terminal.
 */
void report_foreign(FILE *file, const char *mark, const char *text, size_t size, size_t limit);

/*
 * The result of a submission that did not compile: its verdict, and a message from the compiler's output in the file
 * `log`, whose first lines are shown.
 */
bool report_compile_error(FILE *notes, struct result *result, const char *log, struct error *error);

/* What the submission printed, line by line behind a mark that it cannot remove. */
void report_printed(FILE *file, const struct case_result *result, bool simulated);

/*
 * The simulator's report of one case, line by line behind the same mark. It comes from the submission's process. If its
 * JSON is broken, this drops it with a note on `notes`, and the result does not have it.
 */
void report_explain(FILE *file, FILE *notes, struct case_result *result);

/* The last line: SUCCESSFUL. or FAILED. and why. */
void report_verdict(FILE *file, enum verdict verdict, const char *message);

/* The same of the whole result, whose message is in its public form where values are hidden. */
void report_end(FILE *file, const struct result *result);

/*
 * Writes the result to the files that the options name. It first writes a new file beside each, so that a reader sees
 * all or nothing. Each file has its own form (disclosure.h), and is signed if there is a key.
 */
bool report_json(const struct result *result, struct error *error);

/*
 * Before anything runs: checks that `path` can be written, and removes an older result, so that nobody takes it for
 * new.
 */
bool report_json_begin(const char *path, struct error *error);

#endif
