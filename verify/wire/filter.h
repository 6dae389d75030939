/*
 * filter.h - which system calls a submission may make. The runner installs the filter for itself and all its threads,
 * after CUDA or OpenCL is initialised and before any user code is loaded; nobody can take it off again.
 */
#ifndef VERIFY_FILTER_H
#define VERIFY_FILTER_H

#include <stdbool.h>

enum filter_level {
    FILTER_NONE,      /* nothing is forbidden: a submission without a box */
    FILTER_PROCESSES, /* processes may be started: PoCL starts the linker */
    FILTER_STRICT,
};

/* "none", "processes", "strict"; and back. False for any other word. */
const char *filter_name(enum filter_level level);
bool filter_find(const char *name, enum filter_level *level);

/* NULL, or why the filter could not be installed. */
const char *filter_install(enum filter_level level);

#endif
