/*
 * model_file.c - models as text: a line is a name, a count and that many numbers; `end` is last, so a cut file is seen.
 *
 * Numbers have 17 digits and so come back as they were. A file is read as something anyone may have edited: every name,
 * count and number is checked, and what the method needs of its arrays is asked of the method.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MAX_NUMBERS = 1 << 24 };

static const char *const residual_names[NOVELTIES] = {"new-size-residuals", "new-kernel-residuals"},
                         *const distance_names[NOVELTIES] = {"new-size-distances", "new-kernel-distances"};

static void put(FILE *file, const char *name, const double *values, size_t count)
{
    fprintf(file, "%s %zu", name, count);
    for (size_t i = 0; i < count; i++)
        fprintf(file, " %.17g", values[i]);
    fputc('\n', file);
}

static const char *gpu_fields[] = {
#define X(field) #field,
    GPU_FIELDS(X)
#undef X
};
enum { GPU_NUMBERS = sizeof gpu_fields / sizeof gpu_fields[0] };

static void gpu_numbers(struct gpu *gpu, double *numbers, bool from)
{
    double *const fields[] = {
#define X(field) &gpu->field,
        GPU_FIELDS(X)
#undef X
    };

    for (int i = 0; i < GPU_NUMBERS; i++)
        if (from)
            *fields[i] = numbers[i];
        else
            numbers[i] = *fields[i];
}

bool model_write(const struct model *m, const char *path, struct error *error)
{
    FILE *file = fopen(path, "w");
    struct gpu gpu = m->gpu;
    double numbers[GPU_NUMBERS];
    bool failed;

    if (!file) {
        error_system(error, "cannot write '%s'", path);
        error->code = EXIT_USAGE;
        return false;
    }
    gpu_numbers(&gpu, numbers, false);
    fprintf(file, "predict-model %d\nmethod %s\ninputs %s\ntime %s\n", MODEL_FORMAT, m->recipe.method->name,
            m->recipe.set == INPUTS_SOURCE ? "source" : "derived", m->recipe.raw_time ? "raw" : "log");
    fprintf(file, "gpu-alias %s\ngpu-name %s\n", *gpu.alias ? gpu.alias : "-", *gpu.name ? gpu.name : "-");
    put(file, "gpu", numbers, GPU_NUMBERS);
    put(file, "rows", (double[]){(double)m->trained_rows}, 1);
    put(file, "low", m->normaliser.low, m->normaliser.inputs);
    put(file, "high", m->normaliser.high, m->normaliser.inputs);
    put(file, "times", (double[]){m->time_low, m->time_high}, 2);
    put(file, "law", m->law, LIMITS_COUNT);
    for (int i = 0; i < MAX_ARRAYS && m->recipe.method->arrays[i]; i++)
        put(file, m->recipe.method->arrays[i], m->learned.array[i].values, m->learned.array[i].count);
    put(file, "reach-low", m->reach.range.low, m->reach.rows ? m->reach.range.inputs : 0);
    put(file, "reach-high", m->reach.range.high, m->reach.rows ? m->reach.range.inputs : 0);
    put(file, "reach-rows", m->reach.x, m->reach.rows * m->reach.range.inputs);
    for (int novelty = 0; novelty < NOVELTIES; novelty++) {
        const struct residuals *off = &m->reach.off[novelty];

        put(file, residual_names[novelty], off->residual, off->count);
        put(file, distance_names[novelty], off->distance, off->count);
    }
    fputs("end\n", file);
    failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return error_system(error, "cannot write '%s'", path);
    return true;
}

struct reader {
    FILE *file;          /* that is read */
    const char *path;    /* its name, for messages */
    char *line;          /* the last one read */
    size_t size;         /* of `line`, bytes */
    long number;         /* of the last line, from 1 */
    struct error *error; /* where failures go */
};

static bool bad(struct reader *r, const char *what)
{
    return error_usage(r->error, "%s:%ld: %s; train the model again", r->path, r->number, what);
}

/* The next line, without its end, if it starts with `name` and a space; *rest is what follows. */
static bool next(struct reader *r, const char *name, char **rest)
{
    size_t length = strlen(name);
    char text[160];

    r->number++;
    if (getline(&r->line, &r->size, r->file) < 0 || !strchr(r->line, '\n'))
        return bad(r, "the file ends early");
    r->line[strcspn(r->line, "\n")] = '\0';
    if (strncmp(r->line, name, length) != 0 || r->line[length] != ' ') {
        snprintf(text, sizeof text, "a line '%s' is expected here, not '%.40s'", name, r->line);
        return bad(r, text);
    }
    *rest = r->line + length + 1;
    return true;
}

/* The numbers of a line, allocated. `wanted`: how many there must be, or SIZE_MAX for any. */
static bool numbers(struct reader *r, const char *name, size_t wanted, double **values, size_t *count)
{
    char *at, *end, text[160];
    unsigned long long given;

    *values = NULL;
    if (!next(r, name, &at))
        return false;
    errno = 0;
    given = strtoull(at, &end, 10);
    if (end == at || *at == '-' || errno || given > MAX_NUMBERS || (wanted != SIZE_MAX && given != wanted)) {
        snprintf(text, sizeof text, "'%s' has a count that does not fit", name);
        return bad(r, text);
    }
    *count = given;
    *values = malloc((*count + 1) * sizeof **values);
    if (!*values)
        return error_toolkit(r->error, "no memory for '%s'", r->path);
    for (size_t i = 0; i < *count; i++) {
        at = end;
        (*values)[i] = strtod(at, &end);
        if (end == at || *at != ' ' || !isfinite((*values)[i])) {
            snprintf(text, sizeof text, "number %zu of '%s' is missing or not finite", i + 1, name);
            return bad(r, text);
        }
    }
    return *end == '\0' || bad(r, "more numbers than the line says");
}

/* The same into a place that is there. */
static bool numbers_into(struct reader *r, const char *name, double *values, size_t count)
{
    double *found;
    size_t size;
    bool good = numbers(r, name, count, &found, &size);

    if (good)
        memcpy(values, found, count * sizeof *values);
    free(found);
    return good;
}

static bool read_recipe(struct reader *r, struct model *m)
{
    char *text;

    if (!next(r, "predict-model", &text))
        return false;
    if (atoi(text) != MODEL_FORMAT)
        return bad(r, "the model's format is not the one that this program reads");
    if (!next(r, "method", &text))
        return false;
    m->recipe.method = method_find(text);
    if (!m->recipe.method)
        return bad(r, "there is no such method");
    if (!next(r, "inputs", &text))
        return false;
    m->recipe.set = strcmp(text, "source") == 0 ? INPUTS_SOURCE : INPUTS_DERIVED;
    if (strcmp(text, "source") != 0 && strcmp(text, "derived") != 0)
        return bad(r, "inputs are source or derived");
    if (!next(r, "time", &text))
        return false;
    m->recipe.raw_time = strcmp(text, "raw") == 0;
    if ((!m->recipe.raw_time && strcmp(text, "log") != 0) || (m->recipe.raw_time && m->recipe.method->physical))
        return bad(r, "time is log, or raw for methods that do not need its logarithm");
    return true;
}

static bool read_gpu(struct reader *r, struct model *m)
{
    double values[GPU_NUMBERS];
    char *text;

    if (!next(r, "gpu-alias", &text))
        return false;
    snprintf(m->gpu.alias, sizeof m->gpu.alias, "%s", strcmp(text, "-") == 0 ? "" : text);
    if (!next(r, "gpu-name", &text))
        return false;
    snprintf(m->gpu.name, sizeof m->gpu.name, "%s", strcmp(text, "-") == 0 ? "" : text);
    if (!numbers_into(r, "gpu", values, GPU_NUMBERS))
        return false;
    for (int i = 0; i < GPU_NUMBERS; i++)
        if (*m->gpu.alias && values[i] <= 0)
            return bad(r, "a GPU's numbers are above 0");
    gpu_numbers(&m->gpu, values, true);
    return true;
}

static bool read_reach(struct reader *r, struct reach *reach)
{
    size_t derived = inputs_count(INPUTS_DERIVED), count, low;
    double *values;
    bool good = numbers(r, "reach-low", SIZE_MAX, &values, &low);

    if (good && low != 0 && low != derived)
        good = bad(r, "'reach-low' has a count that does not fit");
    if (good)
        memcpy(reach->range.low, values, low * sizeof *values);
    free(values);
    reach->range.inputs = low;
    good = good && numbers_into(r, "reach-high", reach->range.high, low) &&
           numbers(r, "reach-rows", SIZE_MAX, &reach->x, &count);
    if (!good)
        return false;
    if (low == 0 ? count != 0 : count == 0 || count % low != 0)
        return bad(r, "'reach-rows' has a count that does not fit");
    reach->rows = low ? count / low : 0;
    for (int novelty = 0; novelty < NOVELTIES; novelty++) {
        struct residuals *off = &reach->off[novelty];

        if (!numbers(r, residual_names[novelty], low ? SIZE_MAX : 0, &off->residual, &off->count) ||
            !numbers(r, distance_names[novelty], off->count, &off->distance, &off->count))
            return false;
        if (low && novelty == NEW_SIZE && off->count == 0)
            return bad(r, "there are no residuals");
        for (size_t i = 1; i < off->count; i++)
            if (off->distance[i] < off->distance[i - 1])
                return bad(r, "the distances are not in order");
        if (off->count > 0)
            reach->farthest = fmax(reach->farthest, off->distance[off->count - 1]);
    }
    return true;
}

static bool read_all(struct reader *r, struct model *m)
{
    double rows, times[2];

    if (!read_recipe(r, m) || !read_gpu(r, m) || !numbers_into(r, "rows", &rows, 1))
        return false;
    m->trained_rows = rows >= 0 && rows < 1e9 ? (size_t)rows : 0;
    m->normaliser.inputs = inputs_count(m->recipe.set);
    if (!numbers_into(r, "low", m->normaliser.low, m->normaliser.inputs) ||
        !numbers_into(r, "high", m->normaliser.high, m->normaliser.inputs) || !numbers_into(r, "times", times, 2))
        return false;
    m->time_low = times[0];
    m->time_high = times[1];
    if (m->time_low <= 0 || m->time_high < m->time_low)
        return bad(r, "the times are not in order");
    if (!numbers_into(r, "law", m->law, LIMITS_COUNT))
        return false;
    for (int i = 0; i < MAX_ARRAYS && m->recipe.method->arrays[i]; i++)
        if (!numbers(r, m->recipe.method->arrays[i], SIZE_MAX, &m->learned.array[i].values, &m->learned.array[i].count))
            return false;
    if (!m->recipe.method->check(&m->learned, m->normaliser.inputs))
        return bad(r, "the method's numbers do not fit together");
    if (!read_reach(r, &m->reach))
        return false;
    r->number++;
    if (getline(&r->line, &r->size, r->file) < 0 || strcmp(r->line, "end\n") != 0)
        return bad(r, "'end' is missing");
    return getline(&r->line, &r->size, r->file) < 0 || bad(r, "there is more after 'end'");
}

bool model_read(struct model *m, const char *path, struct error *error)
{
    struct reader r = {.file = fopen(path, "r"), .path = path, .error = error};
    bool good;

    *m = (struct model){.trained_rows = 0};
    if (!r.file) {
        error_system(error, "cannot open '%s'", path);
        error->code = EXIT_USAGE;
        return false;
    }
    good = read_all(&r, m);
    free(r.line);
    fclose(r.file);
    if (!good)
        model_release(m);
    return good;
}
