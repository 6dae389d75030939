/* models.c - the commands that make a model, judge the methods, and predict rows of features: see request.h. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "evaluate.h"
#include "predictions.h"
#include "verify/base/clock.h"

/*
 * The mechanism learns what a launch takes alone, as ncu has it: from an idle GPU. Its rows were timed so.
 * ncu's time is longer than CUPTI's by as much for every kernel (contrib/predict/data/README.md).
 */
#define NCU_US 1.1

static void keep_alone(struct table *table)
{
    size_t rows = 0;

    for (size_t i = 0; i < table->rows; i++) {
        struct sample s = table->samples[i];
        double *v = s.value;

        if (isnan(v[COLUMN_ALONE_US]))
            continue;
        v[COLUMN_TIME_US] = v[COLUMN_LOW_US] = v[COLUMN_HIGH_US] = v[COLUMN_ALONE_US] + NCU_US;
        v[COLUMN_COLD] = v[COLUMN_FIRST] = v[COLUMN_FRESH] = 0; /* the same launch ran before */
        table->samples[rows++] = s;
    }
    table->rows = rows ? rows : table->rows;
}

/* The mechanism where the rows have what it needs. */
static const char *default_method(const struct table *table)
{
    return parts_known(&table->samples[0]) ? "mechanism" : "bounded";
}

static bool make_recipe(struct recipe *recipe, const struct request *r, const char *method, struct error *error)
{
    *recipe = (struct recipe){.method = method_find(method)};
    if (!recipe->method)
        return error_usage(error, "there is no method '%s'; see build/predict/predict --help", method);
    if (strcmp(r->inputs, "source") != 0 && strcmp(r->inputs, "derived") != 0)
        return error_usage(error, "--inputs must be source or derived, not '%s'", r->inputs);
    if (strcmp(r->time, "raw") != 0 && strcmp(r->time, "log") != 0)
        return error_usage(error, "--time must be raw or log, not '%s'", r->time);
    recipe->set = strcmp(r->inputs, "source") == 0 ? INPUTS_SOURCE : INPUTS_DERIVED;
    recipe->raw_time = strcmp(r->time, "raw") == 0;
    return !recipe->raw_time || !recipe->method->physical ||
           error_usage(error, "method %s learns the logarithm of the time: omit --time raw", method);
}

/* Appends the rows of public programs. */
static bool read_also(struct table *table, const char *path, struct error *error)
{
    struct table more;
    struct sample *all;

    if (!table_read(&more, path, TABLE_MEASURED, error))
        return false;
    all = realloc(table->samples, (table->rows + more.rows) * sizeof *all);
    if (all) {
        memcpy(all + table->rows, more.samples, more.rows * sizeof *all);
        table->samples = all;
        table->rows += more.rows;
    }
    table_release(&more);
    return all || error_toolkit(error, "no memory for the rows of %s", path);
}

/* What was predicted of each row from `first` on that is of a draw, as `predict --json` writes it. */
static bool write_cross(const struct table *table, size_t first, const struct left_out *out, const char *what,
                        const char *path, struct error *error)
{
    json_t *rows = json_array(), *all;
    bool good;

    for (size_t i = first; i < table->rows; i++) {
        const struct sample *sample = &table->samples[i];
        const struct left_out *x = &out[i - first];
        const char *refused = parts_refused(sample);

        if (refused)
            json_array_append_new(rows, json_pack("{s:s, s:f, s:s}", "kernel", sample->kernel, "refused_us", x->us,
                                                  "refused", refused));
        else
            json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:s}", "kernel", sample->kernel, "us", x->us,
                                                  "low_us", x->us / x->factor, "high_us", x->us * x->factor, "bound",
                                                  what));
    }
    all = json_pack("{s:i, s:o}", "format", 1, "kernels", rows);
    good = all && json_dump_file(all, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(all);
    return good || error_toolkit(error, "cannot write '%s'", path);
}

/* Puts the intervals to draws of programs that were left out. */
static bool cross(struct model *model, const struct table *table, size_t first, const struct request *r,
                  struct error *error)
{
    size_t rows = table->rows - first + 1, draws = 0;
    struct left_out *by_family = calloc(rows, sizeof *by_family), *by_draw = calloc(rows, sizeof *by_draw);
    bool good = (by_family && by_draw) || error_toolkit(error, "no memory for %zu rows", table->rows);

    good = good && model_cross(model, table, first, &r->known, by_family, by_draw, &draws, error);
    if (good && r->cross)
        good = write_cross(table, first, by_family, "its program was left out", r->cross, error);
    if (good && r->cross_draws)
        good = draws ? write_cross(table, first, by_draw, "its draw was left out", r->cross_draws, error)
                     : error_usage(error, "--cross-draws: the rows of '%s' are not of two draws or more", r->also);
    free(by_family);
    free(by_draw);
    return good;
}

/* The GPU of the first rows; nameless if there are several. */
static struct gpu gpu_of(const struct table *table, size_t rows, const struct gpus *gpus)
{
    const struct gpu *first = gpus_find(gpus, table->samples[0].gpu);

    for (size_t i = 1; i < rows; i++)
        if (gpus_find(gpus, table->samples[i].gpu) != first)
            return (struct gpu){.alias = ""};
    return *first;
}

bool command_train(const struct request *r, struct error *error)
{
    struct table table = {.rows = 0};
    struct recipe recipe;
    struct model model;
    int64_t start;
    size_t first;
    bool good;

    if ((r->method && !make_recipe(&recipe, r, r->method, error)) ||
        !table_read(&table, r->file[0], TABLE_MEASURED, error))
        return false;
    if (!r->method && !make_recipe(&recipe, r, default_method(&table), error)) {
        table_release(&table);
        return false;
    }
    if (recipe.method == &method_mechanism)
        keep_alone(&table);
    start = clock_ns();
    first = table.rows;
    if ((r->also && !read_also(&table, r->also, error)) ||
        !model_train(&model, &recipe, &table, &r->known, error)) {
        table_release(&table);
        return false;
    }
    if (r->also)
        model.gpu = gpu_of(&table, first, &r->known);
    good = (!r->also || cross(&model, &table, first, r, error)) && model_write(&model, r->file[1], error);
    if (good)
        printf("%s: %s, trained on %zu rows of %s in %.1f s, its intervals calibrated\n", r->file[1],
               recipe.method->title, table.rows, *model.gpu.name ? model.gpu.name : "several GPUs",
               clock_seconds(start, clock_ns()));
    model_release(&model);
    table_release(&table);
    return good;
}

bool command_evaluate(const struct request *r, struct error *error)
{
    struct table table = {.rows = 0}, second = {.rows = 0};
    struct evaluation evaluation;
    const char *other = r->file[1];
    bool good = (r->out || error_usage(error, "evaluate needs --out FOLDER")) &&
                table_read(&table, r->file[0], TABLE_MEASURED, error) &&
                (!other || table_read(&second, other, TABLE_MEASURED, error));

    if (good && (good = evaluate(&evaluation, &table, other ? &second : NULL, &r->known, error))) {
        good = report_write(&evaluation, r->out, r->rows ? r->rows : r->out, error);
        if (good)
            printf("%s: tables of %zu runs in %.0f s\n", r->out, evaluation.run_count, evaluation.seconds);
        evaluation_release(&evaluation);
    }
    table_release(&table);
    table_release(&second);
    return good;
}

static void print_line(const struct sample *s, const struct forecast *f)
{
    printf("%s, %g blocks of %g threads: ", s->kernel, s->value[COLUMN_N_B], s->value[COLUMN_N_T]);
    if (f->refused[0])
        printf("not predicted: %s\n", f->refused);
    else
        printf("%.4g us, 90 %% between %.4g and %.4g; bounded by %s (%.0f %%)\n", f->us, f->low_us, f->high_us,
               f->bound,
               100 * f->share);
}

/* Of a launch that is refused only what was asked for: its number is a guess. */
static json_t *to_json(const struct sample *s, const struct forecast *f, bool all)
{
    json_t *row = json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:b}", "kernel", s->kernel, "blocks", s->value[COLUMN_N_B],
                            "threads", s->value[COLUMN_N_T], "block_x", s->value[COLUMN_BLOCK_X], "block_y",
                            s->value[COLUMN_BLOCK_Y], "block_z", s->value[COLUMN_BLOCK_Z], "regular",
                            s->value[COLUMN_REGULAR] >= 0.5);

    if (f->refused[0])
        json_object_set_new(row, "refused", json_string(f->refused));
    if (f->refused[0] && all)
        json_object_set_new(row, "refused_us", json_real(f->us));
    if (!f->refused[0])
        json_object_update_new(row, json_pack("{s:f, s:f, s:f, s:s, s:f, s:f, s:f}", "us", f->us, "low_us", f->low_us,
                                              "high_us", f->high_us, "bound", f->bound, "bound_share", f->share,
                                              "launch_share", f->launch_share, "utilisation", f->utilisation));
    if (all) {
        json_t *parts = json_object();

        for (int i = 0; i < PARTS; i++)
            json_object_set_new(parts, part_name(i), json_real(f->part[i]));
        json_object_set_new(row, "parts", parts);
    }
    return row;
}

bool command_predict(const struct request *r, struct error *error)
{
    struct predictions p;
    json_t *rows;

    if (!predictions_make(&p, r, r->file[1], false, error))
        return false;
    rows = r->json ? json_array() : NULL;
    for (size_t i = 0; i < p.table.rows; i++)
        if (rows)
            json_array_append_new(rows, to_json(&p.table.samples[i], &p.forecast[i], r->all));
        else
            print_line(&p.table.samples[i], &p.forecast[i]);
    if (rows) {
        json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:f, s:o}", "format", 1, "gpu", p.gpu->name, "method",
                                p.model.recipe.method->name, "trained_on", predictions_trained_on(&p), "level",
                                MODEL_LEVEL, "kernels", rows);

        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(all);
    } else if (*p.model.gpu.alias && strcmp(p.gpu->alias, p.model.gpu.alias) != 0)
        printf("the model was trained on %s; these times are for %s\n", p.model.gpu.name, p.gpu->name);
    predictions_release(&p);
    return true;
}
