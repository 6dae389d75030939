/*
 * progress.h - what the grader prints while it works: one line that is written over on a terminal, plain lines
 * elsewhere.
 */
#ifndef GRADE_PROGRESS_H
#define GRADE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool terminal;          /* standard error is one */
    double started;         /* seconds since 1970 */
    size_t done_before;     /* judgements that were done when this grader started */
    double drawn;           /* when the bar was last drawn */
    bool bar;               /* a bar stands on the line */
};

void progress_begin(struct progress *progress, size_t done_before, double now);

/* A line for good: a verdict, a note. */
void progress_line(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where things stand; drawn on a terminal only, and not oftener than four times a second. */
void progress_show(struct progress *progress, size_t done, size_t all, size_t building, size_t running, double now);

/* "2 h 05 min", "3 min", "40 s" of the time left, or "" while it is not known. */
void progress_left(const struct progress *progress, size_t done, size_t all, double now, char *text, size_t size);

void progress_end(struct progress *progress);

#endif
