/*
 * outputs.h - what a problem can add to the contract for the tests of its check(): right outputs, and wrong ones.
 *
 * problems/NAME/outputs.c, where there is one, defines one `const struct outputs outputs_NAME`; the build lists it in a
 * generated table. It is linked into check_problem, the exporter of packages and the tests, and never into the host.
 */
#ifndef PROBLEMS_OUTPUTS_H
#define PROBLEMS_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/blob.h"
#include "verify/base/error.h"
#include "verify/base/random.h"
#include "verify/judge/reason.h"

struct outputs {
    /*
     * Makes an output that check() must accept; NULL if the answer itself is an output. Called for cases that
     * reference_plain() solves in seconds. *output has the size of output_size().
     */
    bool (*solve)(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error);

    /*
     * Spoils a right output in the `way`-th of several ways, from 0; among them are the slightest that check() must
     * reject. False, with nothing changed, if there are no more. NULL if any changed byte makes a right output wrong.
     */
    bool (*spoil)(const struct blob *input, const struct blob *answer, struct blob *output, size_t way);

    /*
     * Says whether an output is right although it differs from `right`, by its own argument and not by check(). NULL if
     * an output that differs in any byte from a right one is wrong.
     */
    bool (*also_right)(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output);

    /* Writes the line of any case into text[size]: all kinds and many sizes, so small that all methods are quick. */
    void (*any_line)(struct random_stream *stream, char *text, size_t size);

    /*
     * Makes a right output by the `way`-th of the other methods, from 0, such as other orders of summation, other sorts
     * or other tours; CHECK_NONE when there are no more, CHECK_FAILED when the machine fails. Random choices are drawn
     * from the stream. The output is filled with random bytes before, which may stay where an output may hold any.
     */
    enum check_result (*honest)(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream);
};

/* The outputs of the problem of that name; all members are NULL if it has no outputs.c. */
const struct outputs *outputs_find(const char *problem);

#endif
