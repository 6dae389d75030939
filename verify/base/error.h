/*
 * error.h - a failure: one line of text and the exit code.
 *
 * Every function that can fail for a reason worth reporting takes a struct error, fills it, and returns false. The line
 * says what, where and what to do, in lower case, without a full stop.
 */
#ifndef VERIFY_ERROR_H
#define VERIFY_ERROR_H

#include <stdbool.h>

/* Exit codes of the host, the judge and every script. */
enum exit_code {
    EXIT_ACCEPTED = 0,  /* the submission is right */
    EXIT_REJECTED = 1,  /* the submission failed */
    EXIT_USAGE = 2,     /* the caller's arguments or input files are at fault */
    EXIT_TOOLKIT = 3,   /* the toolkit or the machine is at fault */
};

struct error {
    enum exit_code code; /* EXIT_USAGE or EXIT_TOOLKIT once set */
    char text[512];      /* one line, and nothing in it that steers a terminal (text.h) */
};

/* Fills *error and returns false, so that a caller can `return error_usage(…)`. */
bool error_usage(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool error_toolkit(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same for a word that getopt_long() refuses. `id` is what it returned, ':' or '?', with an option string that
 * begins with ':'. `word` is argv[optind - 1]. `program` is the program whose --help lists the options.
 */
bool error_option(struct error *error, int id, const char *word, const char *program);

/* The same with strerror(errno) appended. */
bool error_system(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
