/* append.c - joined rows to a file of data, and where they come from: see steps.h. */
#include "steps.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contrib/predict/rows/cells.h"

/* What a failure to write is: the caller's file is at fault. */
static bool cannot(struct error *error, const char *what, const char *path)
{
    error_system(error, "cannot %s '%s'", what, path);
    error->code = EXIT_USAGE;
    return false;
}

/* Makes the folders above a path. */
static bool make_folders(const char *path, struct error *error)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = folder + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return cannot(error, "make the folder", folder);
        *at = '/';
    }
    return true;
}

/* FOLDER/h100.csv for NVIDIA H100 80GB HBM3. */
static void default_file(char *path, size_t room, const char *folder, const char *gpu)
{
    size_t length = snprintf(path, room, "%s/", folder);

    gpu += strncmp(gpu, "NVIDIA ", 7) == 0 ? 7 : 0;
    for (; isalnum((unsigned char)*gpu) && length + 5 < room; gpu++)
        path[length++] = (char)tolower((unsigned char)*gpu);
    snprintf(path + length, room - length, ".csv");
}

static void write_row(FILE *file, const struct cells_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        fprintf(file, "%s%s", i ? "," : "", row->cell[i]);
    fputc('\n', file);
}

static bool same_header(const struct cells_row *a, const struct cells_row *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->cell[i], b->cell[i]) != 0)
            return false;
    return true;
}

/* Whether the file is there with something in it, and if so with this header. */
static bool check_file(bool *there, const char *path, const struct cells_row *header, struct error *error)
{
    struct cells before = {.rows = 0};
    struct stat status;
    bool good;

    *there = stat(path, &status) == 0 && status.st_size > 0;
    if (!*there)
        return true;
    good = cells_read(&before, path, ',', error);
    if (good && !(before.rows > 0 && same_header(&before.row[0], header)))
        good = error_usage(error, "%s:1: the header has other columns; nothing was appended", path);
    cells_release(&before);
    return good;
}

/* The least and the largest of a column, or the one that all are. */
static void span(char *text, size_t room, const struct cells *c, size_t column)
{
    const char *least = c->row[1].cell[column], *most = least;

    for (size_t r = 2; r < c->rows; r++) {
        const char *cell = c->row[r].cell[column];

        if (strtod(cell, NULL) < strtod(least, NULL))
            least = cell;
        if (strtod(cell, NULL) > strtod(most, NULL))
            most = cell;
    }
    snprintf(text, room, strcmp(least, most) == 0 ? "%s" : "%s to %s", least, most);
}

/* With the toolkit's own rows, or in a file beside one's own. */
static void provenance_file(char *path, size_t room, const char *to, const char *folder)
{
    char here[PATH_MAX], there[PATH_MAX], above[PATH_MAX];
    const char *slash = strrchr(to, '/');
    size_t length = strlen(to);

    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - to) : 1, slash ? to : ".");
    if (realpath(above, here) && realpath(folder, there) && strcmp(here, there) == 0) {
        snprintf(path, room, "%s/README.md", folder);
        return;
    }
    if (length > 4 && strcmp(to + length - 4, ".csv") == 0)
        length -= 4;
    snprintf(path, room, "%.*s.provenance.md", (int)length, to);
}

static bool write_provenance(const struct cells *joined, const char *to, const struct provenance *from,
                             struct error *error)
{
    char path[PATH_MAX], sm[64], memory[64];
    const char *slash = strrchr(to, '/');
    FILE *file;

    provenance_file(path, sizeof path, to, from->folder);
    span(sm, sizeof sm, joined, cells_column(joined, "sm_mhz"));
    span(memory, sizeof memory, joined, cells_column(joined, "mem_mhz"));
    file = fopen(path, "a");
    if (!file)
        return cannot(error, "write", path);
    fprintf(file, "| %s | %zu | %s | %s | %s | %s | %s | predict.sh collect --subset %s |\n", slash ? slash + 1 : to,
            joined->rows - 1, joined->row[1].cell[0], from->driver, sm, memory, from->date, from->subset);
    return fclose(file) == 0 || cannot(error, "write", path);
}

bool step_append(const char *joined_path, const struct provenance *from, struct error *error)
{
    struct cells joined;
    char path[PATH_MAX];
    const char *to = from->to;
    FILE *file;
    bool there, good;

    if (!cells_read(&joined, joined_path, ',', error))
        return false;
    good = (joined.rows > 1 && cells_column(&joined, "sm_mhz") < joined.row[0].count &&
            cells_column(&joined, "mem_mhz") < joined.row[0].count) ||
           error_usage(error, "%s:1: these are no joined rows", joined_path);
    if (good && !to) {
        default_file(path, sizeof path, from->folder, joined.row[1].cell[0]);
        to = path;
    }
    good = good && make_folders(to, error) && check_file(&there, to, &joined.row[0], error);
    if (good) {
        file = fopen(to, "a");
        for (size_t r = there ? 1 : 0; file && r < joined.rows; r++)
            write_row(file, &joined.row[r]);
        good = (file && fclose(file) == 0) || cannot(error, "write", to);
    }
    good = good && write_provenance(&joined, to, from, error);
    if (good)
        printf("%zu rows were appended to %s\n", joined.rows - 1, to);
    cells_release(&joined);
    return good;
}
