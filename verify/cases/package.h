/*
 * package.h - a problem's folder: its settings and its cases, as files.
 *
 * problem.yaml follows the Kattis Problem Package Format 2025-09; gpu.yaml beside it holds what that format has
 * no key for. A case is data/GROUP/NAME.in, GROUP being sample, secret or one folder below one of them: one line of
 * generator arguments (arguments.h). NAME.ans is the answer for seed 0 as the problem shows it.
 */
#ifndef VERIFY_PACKAGE_H
#define VERIFY_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"
#include "floor.h"
#include "verify/base/settings.h"

struct package_case {
    char *name;     /* "secret/03-random" or "secret/large/1-random" */
    char *line;     /* the arguments, without the newline */
    char *expected; /* the answer for seed 0, without the newline; NULL where NAME.ans is missing */
    bool gpu_only;  /* in a group of gpu_only in gpu.yaml: too large for other devices */
    bool ranks;     /* named by ranked in gpu.yaml, or in a group of it; of `secret` where it names nothing */
};

struct package {
    char *folder;                /* path of the problem's folder */
    struct settings problem;     /* problem.yaml */
    struct settings gpu;         /* gpu.yaml */
    double gpu_time_limit;       /* seconds a call may take on the GPU: limits.time_limit */
    double cpu_time_limit;       /* and without one: cpu.time_limit of gpu.yaml */
    double sim_time_limit;       /* and on the simulator: sim.time_limit of gpu.yaml */
    struct peak gpu_peak;        /* peak of gpu.yaml: no GPU does more; zero where it is not there */
    struct peak cpu_peak;        /* cpu.peak: and no CPU */
    size_t memory_limit;         /* bytes: limits.memory */
    size_t device_memory_limit;  /* bytes of the GPU's: device.memory of gpu.yaml; 0 for no limit */
    bool resident;               /* `resident` of gpu.yaml: device_user() gets the GPU's memory */
    size_t throughput;           /* `throughput` of gpu.yaml: so many calls in flight are timed too; 0 for none */
    bool warm;                   /* `cache: warm` of gpu.yaml: the GPU's L2 cache is left as it is between calls */
    bool must_use_gpu;           /* device.must_be_used of gpu.yaml: who does not is reported */
    size_t output_limit;         /* bytes printed: limits.output */
    struct package_case *cases;  /* [case_count], samples first, then by name */
    size_t case_count;
};

/* Reads problems/NAME under the toolkit's root. */
bool package_load(struct package *package, const char *root, const char *name, struct error *error);
void package_release(struct package *package);

/* Checks every file that package_load() read against the host's digests (frozen.h). */
bool package_check_frozen(const struct package *package, const char *root, const char *name, struct error *error);

/* Whether a case is in a group: "sample", "secret/large", "all", or "ranked", what times are compared on. */
bool package_case_in_group(const struct package_case *test_case, const char *group);

#endif
