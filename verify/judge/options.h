/*
 * options.h - the host's command line.
 */
#ifndef VERIFY_OPTIONS_H
#define VERIFY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/box/box.h"
#include "verify/base/error.h"

/* The first four may be asked for; DEVICE_POCL is what OpenCL has on a CPU. */
enum device_choice { DEVICE_AUTO, DEVICE_GPU, DEVICE_CPU, DEVICE_SIM, DEVICE_POCL };
enum box_choice { BOX_CHOICE_AUTO, BOX_CHOICE_CGROUP, BOX_CHOICE_NAMESPACES, BOX_CHOICE_LANDLOCK, BOX_CHOICE_NONE };

struct options {
    const char *problem;         /* the problem's name; NULL with help, version or devices */
    const char *submission;      /* path of the built submission, or NULL for the default */
    const char *source;          /* what the submission was built from, for the record; or NULL */
    const char *language;        /* "C", "CUDA" or "OpenCL": what the judge built it as, by its sources; or NULL */
    const char *compile_error;   /* file with the compiler's words: record a compile error; or NULL */
    const char *json;            /* where to write the result, or NULL */
    const char *public_json;     /* where to write its public form, or NULL */
    bool show_secret;            /* the organiser reads this: with a seal, too, show and write everything */
    const char *seal;            /* file of the secret that the seeds are derived from; or NULL */
    uint64_t judgement;          /* the number of the judgement, from 1, that they are derived from with it; or 0 */
    const char *key;             /* file of the key that signs the result; or NULL */
    const char *test_case;       /* one case, or NULL */
    const char *group;           /* "sample", "secret", "all", "ranked", or a folder below the first two */
    const char *generate;        /* the line of a case that is not in a file, or NULL */
    const char *league;          /* its name, or NULL for the problem's first */
    bool seeded;                 /* --seed was given: */
    uint64_t seed;               /* of generated cases */
    bool check_seeded;           /* what the check draws is drawn from: */
    uint64_t check_seed;
    size_t repeat;               /* calls a case */
    double until;                /* percent: fewer calls where their median is known as well as that; or 0 */
    double time_limit;           /* seconds a call, or 0 for the problem's own */
    size_t memory_limit;         /* bytes of memory, or 0 for the problem's own */
    enum device_choice device;
    size_t device_memory_limit;  /* bytes, or 0 for the problem's own */
    const char *gpu;             /* number or UUID of the GPU, or NULL for the first */
    int warden;                  /* descriptor of a warden of that GPU which the caller has started; or -1 */
    bool ranked;                 /* times that rank: fresh secret inputs, calibrated, on an idle GPU */
    bool hasten;                 /* times do not count: calls may run beside the start of the next runners */
    enum box_choice box;
    enum box_level require_box;  /* less is refused */
    bool explain;                /* the simulator's report of every case */
    const char *checks;          /* what the simulator checks: all, none or a list; NULL for its default */
    bool sim_seeded;             /* its order of threads is drawn from: */
    uint64_t sim_seed;
    uint64_t sim_workers;        /* processors it uses; 0 for all */
    bool any_imports;            /* the names in the submission's file are not looked at: for tests of the box */
    bool counters;               /* read the GPU's counters, whatever the league */
    bool no_counters;            /* leave them to another run, whatever the league */
    bool keep_going;             /* run the cases after one that failed */
    bool help, version, devices; /* print that and end */
    int input_count;             /* files on the command line */
    char *const *inputs;         /* [input_count] */
};

/*
 * Reads argv. `alias_problem` is the problem solved under the program's present name, or NULL where the first
 * word names it.
 */
bool options_parse(struct options *options, int argc, char *const *argv, const char *alias_problem,
                   struct error *error);

/* The text of --help. */
extern const char options_help[];

#endif
