/*
 * filter.h - which system calls a submission may make. The runner installs the filter for itself and all its threads,
 * after CUDA or OpenCL is initialised and before any user code is loaded; nobody can take it off again.
 *
 * It is a list of what is allowed, as long as what the submission runs on needs: each level has all of the one before.
 */
#ifndef VERIFY_FILTER_H
#define VERIFY_FILTER_H

#include <stdbool.h>

enum filter_level {
    FILTER_NONE,   /* nothing is forbidden: a submission without a box */
    FILTER_PLAIN,  /* C, and the simulator: what the C library needs */
    FILTER_DRIVER, /* and what the driver of a GPU does beside it */
    FILTER_POCL,   /* OpenCL on the CPU: PoCL writes files, and starts the linker */
    FILTER_LEVELS
};

/* "none", "plain", "driver", "pocl"; and back. False for any other word. */
const char *filter_name(enum filter_level level);
bool filter_find(const char *name, enum filter_level *level);

/*
 * Memory that can be executed is mapped from a file, privately, not to be written, and by a descriptor of this number
 * up to 127: the loader gets one while all below are taken, and nobody has one later, when no more than these are
 * allowed (verify/runner/executable.c).
 */
enum { FILTER_EXECUTABLE_FD = 96 };

/*
 * NULL, or why the filter could not be installed. `loads_later`: OpenCL's drivers load their compilers, and PoCL the
 * kernels that it has compiled, when a submission asks for them: by any descriptor, then.
 */
const char *filter_install(enum filter_level level, bool loads_later);

#endif
