/*
 * spoils.h - wrong outputs that every check() must reject.
 *
 * Called by main_check.c. It knows no problem: a problem's outputs.h says which other answers are right, and makes
 * them.
 */
#ifndef PROBLEMS_SPOILS_H
#define PROBLEMS_SPOILS_H

#include "outputs.h"
#include "problem.h"
#include "verify/base/random.h"

/* The outputs that check() is tried with. */
struct spoiling {
    const struct problem *problem;
    const struct outputs *outputs;
    const struct blob *input, *answer, *right; /* right: an output that check() accepts */
    const struct blob *other;                  /* a right output for another seed, or NULL */
    struct random_stream stream;               /* for the places */
    size_t tried;                              /* outputs so far that are wrong */
    char wrong[96];                            /* what check() did not see first; "" while it saw all */
};

/*
 * Spoils the right output at random places, in all of these ways: every bit of a 32-bit word; +1 and -1 in a byte; two
 * unequal words swapped; all zeros; all NaN; the other seed's output; the end missing. What is right all the same by
 * outputs.also_right is left out. False when memory is exhausted.
 */
bool spoils_try(struct spoiling *spoiling, struct error *error);

#endif
