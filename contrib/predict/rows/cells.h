/*
 * cells.h - a file of plain cells, read whole: lines cut at a separator, no quotes.
 *
 * For files whose cells are passed on as they are written. table.h reads those whose numbers are computed with.
 */
#ifndef PREDICT_CELLS_H
#define PREDICT_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

struct cells_row {
    char **cell;  /* `count` of them */
    size_t count; /* of `cell` */
    long line;    /* in the file, from 1 */
};

struct cells {
    const char *path;      /* the caller's, for messages */
    char *text;            /* the file, its separators and ends of lines replaced by zeros */
    char **cell;           /* all cells of the file, one row's after the other's */
    struct cells_row *row; /* `rows` of them; the first is the header, if the file has one */
    size_t rows;           /* lines of the file */
};

/* Reads a file. An error (EXIT_USAGE, EXIT_TOOLKIT) where it cannot be read or there is no memory. */
bool cells_read(struct cells *cells, const char *path, char separator, struct error *error);
void cells_release(struct cells *cells);

/* The place of a name in the first row; `count` of that row where there is none. */
size_t cells_column(const struct cells *cells, const char *name);

/*
 * Cuts a line in place at its separators and takes its end away. Returns how many cells it has, of which `most` at most
 * were put into `cell`.
 */
size_t cells_cut(char *line, char separator, char **cell, size_t most);

/* Whether a cell is a number as a table may hold it: digits, perhaps a fraction and an exponent, and no sign. */
bool cells_is_number(const char *cell);

#endif
