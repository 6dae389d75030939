/* gpus.c - the reader of gpus.csv. */
#include "gpus.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cells.h"

static const char *const fields[] = {
    "alias", "gpu",
#define X(field) #field,
    GPU_FIELDS(X)
#undef X
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool read_gpu(struct gpu *gpu, char **cells, const int *place, const char *path, int line, struct error *error)
{
    double *const values[] = {
#define X(field) &gpu->field,
        GPU_FIELDS(X)
#undef X
    };

    snprintf(gpu->alias, sizeof gpu->alias, "%s", cells[place[0]]);
    snprintf(gpu->name, sizeof gpu->name, "%s", cells[place[1]]);
    for (int f = 2; f < FIELDS; f++) {
        char *end;
        double value = strtod(cells[place[f]], &end);

        if (*end || end == cells[place[f]] || !isfinite(value) || value <= 0)
            return error_usage(error, "%s:%d: column '%s' holds '%s'; it must be a number above 0", path, line,
                               fields[f], cells[place[f]]);
        *values[f - 2] = value;
    }
    return true;
}

bool gpus_read(struct gpus *gpus, const char *path, struct error *error)
{
    char line[1024], *cells[FIELDS];
    int place[FIELDS];
    bool good = false;
    FILE *file = fopen(path, "r");

    *gpus = (struct gpus){.count = 0};
    if (!file) {
        error_system(error, "cannot open '%s'", path);
        error->code = EXIT_USAGE;
        return false;
    }
    if (!fgets(line, sizeof line, file) || cells_cut(line, ',', cells, FIELDS) != FIELDS) {
        error_usage(error, "%s:1: the header must have %d columns", path, FIELDS);
        goto out;
    }
    for (int f = 0; f < FIELDS; f++) {
        place[f] = 0;
        while (place[f] < FIELDS && strcmp(cells[place[f]], fields[f]) != 0)
            place[f]++;
        if (place[f] == FIELDS) {
            error_usage(error, "%s:1: the header has no column '%s'", path, fields[f]);
            goto out;
        }
    }
    for (int number = 2; fgets(line, sizeof line, file); number++) {
        if (gpus->count == (int)(sizeof gpus->gpu / sizeof gpus->gpu[0])) {
            error_usage(error, "%s:%d: more GPUs than there is room for", path, number);
            goto out;
        }
        if (cells_cut(line, ',', cells, FIELDS) != FIELDS) {
            error_usage(error, "%s:%d: not %d cells", path, number, FIELDS);
            goto out;
        }
        if (!read_gpu(&gpus->gpu[gpus->count], cells, place, path, number, error))
            goto out;
        gpus->count++;
    }
    good = gpus->count > 0 || error_usage(error, "%s: no GPU in it", path);
out:
    fclose(file);
    return good;
}

/* Without the vendor, which some programs leave away. */
static const char *bare(const char *name)
{
    return strncasecmp(name, "NVIDIA ", 7) == 0 ? name + 7 : name;
}

const struct gpu *gpus_find(const struct gpus *gpus, const char *name)
{
    for (int i = 0; i < gpus->count; i++)
        if (strcasecmp(gpus->gpu[i].alias, name) == 0 || strcasecmp(bare(gpus->gpu[i].name), bare(name)) == 0)
            return &gpus->gpu[i];
    return NULL;
}
