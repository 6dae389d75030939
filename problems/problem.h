/*
 * problem.h - the contract that a problem fulfils.
 *
 * Each problems/NAME/problem.c defines one `const struct problem problem_NAME`; the build finds it and lists it
 * in a generated table. Its functions are pure: the same arguments give the same bytes on every machine. They run
 * in the host, so they must not trust an output: any bytes may stand in it. What takes long may be shared by several
 * threads (verify/base/parallel.h): a GPU stands still meanwhile.
 */
#ifndef PROBLEMS_PROBLEM_H
#define PROBLEMS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "verify/cases/arguments.h"
#include "verify/base/blob.h"
#include "verify/base/error.h"
#include "verify/cases/floor.h"
#include "verify/base/random.h"
#include "verify/judge/verdict.h"

struct problem {
    const char *name;        /* the folder's name */
    const char *alias;       /* a program name under which the host solves this problem alone, or NULL */
    const char *input_usage; /* the INPUT arguments of the host, such as "FILE1 FILE2 [ANSWER]" */

    /*
     * A case has one input, whatever seed and repetition: its data come from files, and nobody can make others. Its
     * times do not rank then, since a second call would know the answer.
     */
    bool fixed;

    /*
     * Makes a case's input from its arguments. Every byte depends on arguments and key alone. False with an
     * error that names the argument when they make no valid input.
     */
    bool (*generate)(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error);

    /*
     * Reads an input given on the command line, argv[0..argc), and the answer where it is given too (else
     * *answer stays empty). A file that is missing, unreadable, empty or over a limit is refused by name.
     */
    bool (*load)(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error);

    /*
     * What check() needs to judge outputs for this input, computed fast: the right answer, or less where a right output
     * is known without it. A check by random samples or hashes draws them from `secret`, which no submission can know
     * and which is another one in every judging; other problems ignore it. False only when the machine fails (memory).
     */
    bool (*reference)(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error);

    /* The same by an independent and simple method, which may be slow; check-problem compares the two. */
    bool (*reference_plain)(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error);

    /* How many operations reference_plain() takes, so that a caller can leave out what would take too long. */
    double (*plain_cost)(const struct blob *input);

    /*
     * Bytes of output that device_user() must write for this input, more than 0: the same for every seed and repetition
     * of a case.
     */
    size_t (*output_size)(const struct blob *input);

    /*
     * NULL, or the bytes that this input takes together with its answer and what computing that needs; of NULL, the
     * most that any input does. So the host knows how many it can make at a time. Without it, it guesses the
     * input and four times the output, and generates the inputs of different cases one after the other.
     */
    size_t (*footprint)(const struct blob *input);

    /*
     * NULL, or the least that any known way to a right output must do for this input (floor.h); *work is zero before.
     * What the answer tells may be used: a problem may be easy where its answer is small. Never more than the best
     * program needs, and never more bytes than input and output have.
     */
    void (*work)(const struct blob *input, const struct blob *answer, struct work *work);

    /*
     * Judges an output of that size. *finding, which is empty before, gets what is wrong: by found_wrong(), a reason,
     * which anybody may see, and a detail, which may hold values (verify/judge/reason.h).
     */
    enum check_result (*check)(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding);

    /* Prints the lines that tell a participant what is about to run, the answer among them. */
    void (*describe)(FILE *file, const struct blob *input, const struct blob *answer);

    /*
     * Writes an answer or an output as one short word into text[size], up to 63 characters: the answer as it stands in
     * the case's .ans file, so without what was drawn from `secret`.
     */
    void (*show_answer)(const struct blob *input, const struct blob *answer, char *text, size_t size);
    void (*show_output)(const struct blob *input, const struct blob *output, char *text, size_t size);
};

/* All problems, in order of their names, ending with NULL. Generated by the build. */
extern const struct problem *const problems[];

/* The problem of that name, or NULL. */
const struct problem *problem_find(const char *name);

#endif
