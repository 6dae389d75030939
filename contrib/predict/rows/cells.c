/* cells.c - see cells.h. */
#include "cells.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t cells_cut(char *line, char separator, char **cell, size_t most)
{
    size_t count = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at; count++) {
        if (count < most)
            cell[count] = at;
        at = strchr(at, separator);
        if (at)
            *at++ = '\0';
    }
    return count;
}

/* The whole file with a zero behind it. */
static char *read_text(const char *path, struct error *error)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (file && getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = feof(file) ? calloc(1, 1) : NULL;
    }
    if (!text) {
        error_system(error, "cannot read '%s'", path);
        error->code = EXIT_USAGE;
    }
    if (file)
        fclose(file);
    return text;
}

bool cells_read(struct cells *cells, const char *path, char separator, struct error *error)
{
    size_t rows = 1, room = 1, used = 0;

    *cells = (struct cells){.path = path, .text = read_text(path, error)};
    if (!cells->text)
        return false;
    for (const char *at = cells->text; *at; at++) {
        rows += *at == '\n';
        room += *at == '\n' || *at == separator;
    }
    cells->cell = malloc(room * sizeof *cells->cell);
    cells->row = malloc(rows * sizeof *cells->row);
    if (!cells->cell || !cells->row) {
        cells_release(cells);
        return error_toolkit(error, "%s: no memory for so many rows", path);
    }
    for (char *line = cells->text; line && *line;) {
        struct cells_row *row = &cells->row[cells->rows++];
        char *next = strchr(line, '\n');

        if (next)
            *next++ = '\0';
        *row = (struct cells_row){.cell = cells->cell + used, .line = (long)cells->rows};
        row->count = cells_cut(line, separator, row->cell, room - used);
        used += row->count;
        line = next;
    }
    return true;
}

void cells_release(struct cells *cells)
{
    free(cells->text);
    free(cells->cell);
    free(cells->row);
    *cells = (struct cells){.rows = 0};
}

size_t cells_column(const struct cells *cells, const char *name)
{
    size_t c = 0;

    while (cells->rows > 0 && c < cells->row[0].count && strcmp(cells->row[0].cell[c], name) != 0)
        c++;
    return c;
}

bool cells_is_number(const char *cell)
{
    const char *at = cell;

    while (isdigit((unsigned char)*at))
        at++;
    if (at == cell)
        return false;
    if (*at == '.')
        at++;
    while (isdigit((unsigned char)*at))
        at++;
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        if (!isdigit((unsigned char)*at))
            return false;
        while (isdigit((unsigned char)*at))
            at++;
    }
    return *at == '\0';
}
