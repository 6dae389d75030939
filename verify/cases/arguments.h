/*
 * arguments.h - the line of a case file: words, then key=value options, separated by spaces.
 *
 *   random 20480 20480 alphabet=printable seed=3
 *
 * Read by the host for `seed` and by a problem's generate() for the rest.
 */
#ifndef VERIFY_ARGUMENTS_H
#define VERIFY_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/error.h"

enum { ARGUMENTS_MAX = 16, ARGUMENTS_TEXT = 1024 };

struct arguments {
    char text[ARGUMENTS_TEXT];          /* the line, cut into pieces in place */
    const char *words[ARGUMENTS_MAX];   /* [word_count] */
    size_t word_count;
    const char *keys[ARGUMENTS_MAX];    /* [option_count] */
    const char *values[ARGUMENTS_MAX];  /* [option_count] */
    size_t option_count;
};

/* Cuts a line. Too long, too many pieces, or a word after an option is an error. */
bool arguments_parse(struct arguments *arguments, const char *line, struct error *error);

/* An option's value, or `fallback`. */
const char *arguments_option(const struct arguments *arguments, const char *key, const char *fallback);

/* A whole number in [low, high] from an option, or `fallback` where it is missing. */
bool arguments_number(const struct arguments *arguments, const char *key, uint64_t fallback, uint64_t low,
                      uint64_t high, uint64_t *number, struct error *error);

/* Whether every option is in `known` (NULL-terminated); `seed` always is. */
bool arguments_check(const struct arguments *arguments, const char *const *known, struct error *error);

/* A whole decimal number in [low, high], nothing around it. `what` names it in the error. */
bool parse_number(const char *text, const char *what, uint64_t low, uint64_t high, uint64_t *number,
                  struct error *error);

#endif
