/*
 * feed.h - the event feed: a log that only grows, with one notification per line.
 *
 * The log is kept, not computed anew: what it says so far is replayed, compared with the objects as they are now, and
 * the differences are appended. So tokens stay what they were, whatever has changed: results, rejudgings, contest.yaml,
 * teams. A notification's token is a prefix, which tells logs apart, and the number of its line.
 *
 * https://ccs-specs.icpc.io/2023-06/contest_api#event-feed
 */
#ifndef CLICS_FEED_H
#define CLICS_FEED_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "verify/base/error.h"

struct feed {
    json_t *state; /* what all lines come to: an object for each type, by ID but for `contest` and `state` */
    char *text;                   /* the lines, as they are in the file */
    size_t size, capacity, count; /* bytes, bytes that there is room for, lines */
    char prefix[32];
    const char *path;
};

/*
 * Reads the log at `path`, which need not be there yet. One of another prefix, or with a line that is no notification,
 * is refused by its line: nothing is ever repaired by guessing.
 */
bool feed_load(struct feed *feed, const char *path, const char *prefix, struct error *error);
void feed_release(struct feed *feed);

/*
 * Appends what leads from the log's objects to `objects`, which is as objects_read() gives it. After every line every
 * reference resolves: what new things refer to comes first, live data as it came about, deletions from the end. Refused
 * where the log has said that there are no more updates and there are some.
 */
bool feed_append(struct feed *feed, const json_t *objects, struct error *error);

/* Where in its text, bytes, the log goes on after the line with that token; -1 where it has none. */
int64_t feed_after(const struct feed *feed, const char *token);

/* Prints the lines after the one with that token. A token that is not the log's is refused, as the API's error 400. */
bool feed_print_since(const struct feed *feed, const char *token, FILE *out, struct error *error);

#endif
