/*
 * simulator.h - cudasim as a device: where its library is, and the environment of a process that runs on it.
 *
 * The simulator is a separate libcudart (contrib/cudasim), which a submission finds by the library path. The host knows
 * only its file name and the variables that it reads, and links nothing of it.
 */
#ifndef VERIFY_SIMULATOR_H
#define VERIFY_SIMULATOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/error.h"
#include "options.h"

enum { SIMULATOR_VARIABLES = 7, SIMULATOR_TEXT = 64 };

struct simulator {
    char folder[PATH_MAX];  /* where its library is */
    uint64_t device_memory; /* bytes that the virtual device has */
    size_t host_memory;     /* bytes of private memory that it may ask for, for itself and its device's memory */
    size_t memory_in_use;   /* and that it may use of that */
    char text[SIMULATOR_VARIABLES][SIMULATOR_TEXT];
    const char *variables[SIMULATOR_VARIABLES + 1]; /* the environment it reads: NAME=VALUE, NULL-terminated */
};

/* What reports call it. */
extern const char simulator_name[];

/*
 * Finds the library below the folder where the toolkit was built. `cuda_library` is the soname that the submission
 * needs, or NULL for any. One that is missing, or of another version, is an error that says what to do.
 */
bool simulator_find(struct simulator *simulator, const char *build, const char *cuda_library, struct error *error);

/* Fills in the rest, as the options say. */
void simulator_configure(struct simulator *simulator, const struct options *options);

#endif
