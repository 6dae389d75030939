/*
 * format.h - the formats that results are converted to: one function each, in the file of its name.
 *
 * Each writes all results as one document to `file` and is false with an error where it cannot: a format may have no
 * way to tell some result (gradescope), or memory or the disk is full.
 */
#ifndef AUTOGRADERS_FORMAT_H
#define AUTOGRADERS_FORMAT_H

#include <stdio.h>

#include "contrib/autograders/result.h"

struct format_options {
    char *title;        /* the team's or the assignment's name, cleaned; "" for none */
    double points;      /* gradescope, classroom: what all cases together are worth, above 0 */
    double execution_time; /* gradescope: seconds that judging took; below 0 where nobody says */
    int tap_version;    /* tap: 13, which every reader knows, or 14 */
    bool hide_secret;   /* gradescope: secret cases are never shown, rather than after the due date */
    bool full;          /* for organisers: secret cases by their names, with their messages */
};

typedef bool format_function(FILE *file, const struct graded *results, size_t count,
                             const struct format_options *options, struct error *error);

format_function format_junit, format_tap, format_summary, format_gradescope, format_classroom;

#endif
