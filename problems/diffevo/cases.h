/*
 * cases.h - makes the inputs of the problem diffevo, from lines of arguments. Called by problem.c.
 */
#ifndef DIFFEVO_CASES_H
#define DIFFEVO_CASES_H

#include "input.h"
#include "verify/cases/arguments.h"
#include "verify/base/blob.h"
#include "verify/base/random.h"

/* The names in case lines: "sphere", ... */
extern const char *const diffevo_function_names[DIFFEVO_FUNCTIONS];

/* KIND COUNT and options, as the usage line of the statement says. */
bool diffevo_generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                      struct error *error);

/* The problems of all the lines of a file, which are lines as above, in one input. */
bool diffevo_load(const char *path, struct blob *input, struct error *error);

#endif
