/*
 * table.c - the reader of table.h: one pass, a line at a time.
 *
 * Cells are plain: neither names of kernels nor numbers need quotes, so a quote is an error and not a dialect.
 */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

enum { MAX_CELLS = 256 };

enum need { NEED_MEASURED, NEED_FEATURE, NEED_OPTIONAL, NEED_WORK };

static const struct {
    const char *name;
    enum need need;
} columns[COLUMNS] = {
#define X(identifier, name, kind) {name, NEED_##kind},
    TABLE_COLUMNS(X)
#undef X
};

#define USUAL_REGISTERS 32 /* of a thread, where there is no machine code */

enum { NOWHERE = -1 };

/* Where each thing stands in a line: an index of a cell, or NOWHERE. */
struct header {
    int gpu, kernel, class; /* the columns that are names */
    int column[COLUMNS];    /* those that are numbers */
    size_t cells;           /* of a line */
};

const char *column_name(enum column column)
{
    return columns[column].name;
}

enum column column_by_name(const char *name)
{
    int c = 0;

    while (c < COLUMNS && strcmp(columns[c].name, name) != 0)
        c++;
    return c;
}

static bool read_header(struct header *header, char *line, const char *path, enum table_kind kind, struct error *error)
{
    char *cells[MAX_CELLS];
    const char *missing = NULL;

    header->gpu = header->kernel = header->class = NOWHERE;
    for (int c = 0; c < COLUMNS; c++)
        header->column[c] = NOWHERE;
    header->cells = cells_cut(line, ',', cells, MAX_CELLS);
    if (header->cells > MAX_CELLS)
        return error_usage(error, "%s:1: more than %d columns", path, MAX_CELLS);
    for (int i = 0; i < (int)header->cells; i++) {
        int column = column_by_name(cells[i]);
        int *place = column < COLUMNS ? &header->column[column]
                     : strcmp(cells[i], "gpu") == 0 ? &header->gpu
                     : strcmp(cells[i], "kernel") == 0 ? &header->kernel
                     : strcmp(cells[i], "class") == 0 ? &header->class : NULL;

        if (place && *place != NOWHERE)
            return error_usage(error, "%s:1: two columns are called '%s'", path, cells[i]);
        if (place)
            *place = i;
    }
    for (int c = COLUMNS - 1; c >= 0; c--)
        if (header->column[c] == NOWHERE && columns[c].need != NEED_WORK &&
            (columns[c].need != NEED_MEASURED || kind == TABLE_MEASURED))
            missing = columns[c].name;
    if (kind == TABLE_MEASURED && header->class == NOWHERE)
        missing = "class";
    if (header->kernel == NOWHERE)
        missing = "kernel";
    if (kind == TABLE_MEASURED && header->gpu == NOWHERE)
        missing = "gpu";
    return !missing || error_usage(error, "%s:1: the header has no column '%s'", path, missing);
}

/* A number of a cell. Empty is NaN where that is allowed. */
static bool read_number(double *value, const char *cell, enum column column, const char *path, long line,
                        struct error *error)
{
    const char *name = columns[column].name;
    char *end;

    if (!*cell && (columns[column].need == NEED_OPTIONAL || columns[column].need == NEED_WORK)) {
        *value = NAN;
        return true;
    }
    if (!*cell)
        return error_usage(error, "%s:%ld: column '%s' is empty", path, line, name);
    errno = 0;
    *value = strtod(cell, &end);
    if (*end || end == cell)
        return error_usage(error, "%s:%ld: column '%s' holds '%.40s', which is not a number", path, line, name, cell);
    if (!isfinite(*value))
        return error_usage(error, "%s:%ld: column '%s' holds '%.40s'; it must be finite", path, line, name, cell);
    if (*value < 0)
        return error_usage(error, "%s:%ld: column '%s' holds '%.40s'; it must not be negative", path, line, name, cell);
    return true;
}

/* What must hold between the numbers of a row, or the derived features mean nothing. */
static bool consistent(const struct sample *sample, enum table_kind kind, const char *path, struct error *error)
{
    static const enum column positive[] = {COLUMN_N_B, COLUMN_N_T, COLUMN_W, COLUMN_WARP_INSTRUCTIONS};
    const double *v = sample->value;
    long line = sample->line;

    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++)
        if (v[positive[i]] <= 0)
            return error_usage(error, "%s:%ld: column '%s' must be above 0", path, line, columns[positive[i]].name);
    if (v[COLUMN_N_T] > 1024)
        return error_usage(error, "%s:%ld: %g threads a block; CUDA allows 1024", path, line, v[COLUMN_N_T]);
    if (v[COLUMN_DIVERGENCE] > 1.000001)
        return error_usage(error, "%s:%ld: divergence %g; it is the share of lanes at work, at most 1", path, line,
                           v[COLUMN_DIVERGENCE]);
    if (kind != TABLE_MEASURED)
        return true;
    if (!(v[COLUMN_TIME_US] > 0))
        return error_usage(error, "%s:%ld: column 'time_us' must be above 0", path, line);
    if (v[COLUMN_LOW_US] > v[COLUMN_TIME_US] || v[COLUMN_HIGH_US] < v[COLUMN_TIME_US])
        return error_usage(error, "%s:%ld: time_us %g is not between low_us %g and high_us %g", path, line,
                           v[COLUMN_TIME_US], v[COLUMN_LOW_US], v[COLUMN_HIGH_US]);
    return true;
}

static bool read_name(char *name, size_t size, const char *cell, const char *column, const char *path, long line,
                      struct error *error)
{
    if (!*cell)
        return error_usage(error, "%s:%ld: column '%s' is empty", path, line, column);
    if (strlen(cell) >= size)
        return error_usage(error, "%s:%ld: column '%s' has more than %zu characters", path, line, column, size - 1);
    if (strchr(cell, '"'))
        return error_usage(error, "%s:%ld: column '%s' has a quote; cells are plain here", path, line, column);
    memcpy(name, cell, strlen(cell) + 1);
    return true;
}

static bool read_row(struct sample *sample, char **cells, const struct header *header, enum table_kind kind,
                     const char *path, struct error *error)
{
    long line = sample->line;

    if (!read_name(sample->kernel, sizeof sample->kernel, cells[header->kernel], "kernel", path, line, error))
        return false;
    if (header->gpu != NOWHERE && (kind == TABLE_MEASURED || *cells[header->gpu]) &&
        !read_name(sample->gpu, sizeof sample->gpu, cells[header->gpu], "gpu", path, line, error))
        return false;
    if (header->class != NOWHERE && (kind == TABLE_MEASURED || *cells[header->class])) {
        const char *class = cells[header->class];

        sample->class = strcmp(class, "memory") == 0 ? CLASS_MEMORY
                        : strcmp(class, "computation") == 0 ? CLASS_COMPUTATION : CLASS_NONE;
        if (sample->class == CLASS_NONE)
            return error_usage(error, "%s:%ld: class '%.40s'; it is memory or computation", path, line, class);
    }
    for (int c = 0; c < COLUMNS; c++)
        if (columns[c].need == NEED_WORK)
            sample->value[c] = NAN;
    for (int c = 0; c < COLUMNS; c++)
        if (header->column[c] != NOWHERE && (columns[c].need != NEED_MEASURED || kind == TABLE_MEASURED) &&
            !read_number(&sample->value[c], cells[header->column[c]], c, path, line, error))
            return false;
    if (isnan(sample->value[COLUMN_REGISTERS]))
        sample->value[COLUMN_REGISTERS] = USUAL_REGISTERS;
    return consistent(sample, kind, path, error);
}

bool table_read(struct table *table, const char *path, enum table_kind kind, struct error *error)
{
    struct header header;
    char *cells[MAX_CELLS], *line = NULL;
    size_t room = 0, size = 0;
    bool good = false;
    FILE *file = fopen(path, "r");

    *table = (struct table){.rows = 0};
    if (!file) {
        error_system(error, "cannot open '%s'", path);
        error->code = EXIT_USAGE;
        return false;
    }
    snprintf(table->path, sizeof table->path, "%s", path);
    if (getline(&line, &size, file) < 0) {
        error_usage(error, "%s: the file is empty; it needs a header", path);
        goto out;
    }
    if (!read_header(&header, line, path, kind, error))
        goto out;
    for (long number = 2; getline(&line, &size, file) >= 0; number++) {
        size_t count;

        if (table->rows == room) {
            void *more = room < 1 << 24 ? realloc(table->samples, (room = 2 * room + 256) * sizeof *table->samples)
                                        : NULL;

            if (!more) {
                error_toolkit(error, "%s:%ld: no memory for so many rows", path, number);
                goto out;
            }
            table->samples = more;
        }
        count = cells_cut(line, ',', cells, MAX_CELLS);
        if (count != header.cells) {
            error_usage(error, "%s:%ld: %zu cells, but the header has %zu columns", path, number, count, header.cells);
            goto out;
        }
        table->samples[table->rows] = (struct sample){.line = number};
        if (!read_row(&table->samples[table->rows], cells, &header, kind, path, error))
            goto out;
        table->rows++;
    }
    if (table->rows == 0)
        error_usage(error, "%s: no row below the header", path);
    good = table->rows > 0;
out:
    free(line);
    fclose(file);
    if (!good)
        table_release(table);
    return good;
}

void table_release(struct table *table)
{
    free(table->samples);
    *table = (struct table){.rows = 0};
}
