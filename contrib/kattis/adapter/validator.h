/*
 * validator.h - the package's own output validator, run on one output.
 */
#ifndef ADAPTED_VALIDATOR_H
#define ADAPTED_VALIDATOR_H

#include <stddef.h>

#include "verify/judge/reason.h"

/* Arguments of a validator, as they stand in a file, one a line. */
struct adapted_arguments {
    char text[4096];
    const char *items[64]; /* [count] */
    size_t count;
};

/*
 * Whether the package's validator accepts the output for the case STEM, in a box of its own that sees the case and the
 * validator. Its first words become the finding's detail, which is the organiser's alone. CHECK_FAILED where it says
 * neither yes nor no.
 */
enum check_result adapted_validate(const char *root, const char *build, const char *stem,
                                   const struct adapted_arguments *arguments, const char *output, size_t size,
                                   struct finding *finding);

#endif
