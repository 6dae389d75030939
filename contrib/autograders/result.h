/*
 * result.h - what the converters know of one judging: main_host's JSON, or a line of the batch client
 * (docs/formats/conversions.md), read and made safe to show.
 *
 * Everything in it may be hostile: a submission chooses file names and compiler messages, a team its name. Texts are
 * cleaned when they are read, to one line of printable UTF-8; each format escapes them once more as it needs.
 *
 * What a secret case was, and what the right answer is, is not for participants. So a secret case has a number for a
 * name, and its message is a reason from one fixed list (verify/judge/reason.h). Where a secret case failed, the
 * judging's message is such a reason as well. `full` shows all. Where the inputs come from a seal, every case is secret
 * in this.
 */
#ifndef AUTOGRADERS_RESULT_H
#define AUTOGRADERS_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"
#include "verify/judge/verdict.h"

struct graded_case {
    char *name;           /* "sample/1-ten", or "secret case 3" */
    bool secret;          /* not in the group sample */
    enum verdict verdict;
    char *message;        /* why; "" if there is no reason, or it is secret */
    bool timed;           /* some call returned */
    double seconds;       /* the median of the calls' times; 0 where none returned */
};

struct graded {
    char *problem;
    char *league;         /* or "" */
    char *source;         /* the submission's file or folder, its name alone; or "" */
    char *date;           /* UTC: 2026-01-31T09:30:00Z */
    char *version;        /* the toolkit's */
    char *device;         /* "NVIDIA H100" */
    bool simulated;       /* times say nothing about a GPU */
    bool review;          /* somebody is to look at it before its times rank */
    bool keep_going;      /* every case was run, whatever the ones before gave */
    enum verdict verdict;
    char *message;        /* why; "" */
    struct graded_case *cases; /* [case_count], in the order they were run */
    size_t case_count;
    size_t left_out;      /* cases that need a GPU, and were not run */
};

/* Reads main_host's JSON, at most 64 MiB of it. False with an error where it is no result. */
bool graded_read(struct graded *graded, const char *path, bool full, struct error *error);
void graded_release(struct graded *graded);

/* How many cases were accepted; the sum of their medians in seconds. */
size_t graded_accepted(const struct graded *graded);
double graded_seconds(const struct graded *graded);

/*
 * A new string: `text` as one line. Control characters, line and paragraph separators, what changes the direction of
 * writing, and what no XML may hold become U+FFFD; a newline or tab becomes a space; invalid UTF-8 becomes U+FFFD byte
 * by byte; what is longer than `limit` bytes is cut at a character and ends in "...". NULL gives "".
 */
char *clean_text(const char *text, size_t limit);

#endif
