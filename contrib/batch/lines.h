/*
 * lines.h - the results that were written already, one a line, on standard output or in a file that outlives a kill.
 *
 * In a file every line is on the disk before the next one is asked for, and a line that was cut off is cut away. So a
 * batch that is resumed has every result once.
 */
#ifndef BATCH_LINES_H
#define BATCH_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

enum { LINES_ITEMS = 100 };

/* The items of a batch, in order. */
struct items {
    struct item {
        char *id;         /* the submission's number: equal sources have one */
        const char *name; /* of the file; NULL where it is not known */
        bool written;
    } items[LINES_ITEMS]; /* [count] */
    size_t count, written;
};

struct lines {
    int fd;
    const char *path; /* NULL: standard output */
};

/*
 * Opens the file, which need not be there yet, and marks the items whose results are in it. Lines of other batches
 * stay. Without a path it is standard output.
 */
bool lines_open(struct lines *lines, const char *path, const char *batch, struct items *items, struct error *error);

/*
 * Writes the result, an object with an `id`, for the first item of that number that has none yet; true too where there
 * is none. The object becomes {"batch", "file", ...}.
 */
bool lines_write(struct lines *lines, const char *batch, struct items *items, json_t *result, struct error *error);
bool lines_close(struct lines *lines, struct error *error);

#endif
