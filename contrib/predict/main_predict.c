/*
 * main_predict.c - predict COMMAND ...: trains models of kernels' execution times, evaluates the methods, predicts.
 *
 * The day-to-day way in is run_scripts/predict.sh. Reads CSV (table.h) and model files, knows no CUDA.
 */
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evaluate.h"

static const char help[] =
    "usage: predict train DATA.csv MODEL [--method NAME] [--inputs source|derived] [--time raw|log]\n"
    "       predict evaluate DATA.csv [OTHER-GPU.csv] --out FOLDER [--rows FOLDER]\n"
    "       predict predict MODEL FEATURES.csv [--gpu NAME] [--json [--all]]\n"
    "\n"
    "train     fits a model to measured times and calibrates its intervals\n"
    "  --method NAME   elm, mlp, svr, ridge, nearest, roofline, limits, kriging or bounded (default: bounded)\n"
    "  --inputs SET    source: the 19 features as they are; derived: logarithms, occupancy, limits (default: derived)\n"
    "  --time WAY      raw: learn the time; log: its logarithm (default: log)\n"
    "evaluate  every method on every test, as tables (markdown), CSV and JSON in FOLDER\n"
    "  --rows FOLDER   for each row's prediction and the JSON (default: the same)\n"
    "predict   a line for each row of features: time, interval, what bounds it; or why it is not predicted\n"
    "  --gpu NAME      an alias of gpus.csv (default: the GPU whose times the model was trained on)\n"
    "  --all           with --json: beside why a launch is refused the number that is, to judge refusals by\n"
    "--gpus FILE       what is known of GPUs (default: contrib/predict/gpus.csv)\n"
    "\n"
    "exit codes: 0 done, 2 arguments or files are at fault, 3 the toolkit failed\n";

struct options {
    const char *method, *inputs, *time, *gpu, *out, *rows, *gpus;
    bool json, all;
};

static int fail(const struct error *error)
{
    fprintf(stderr, "predict: %s\n", error->text);
    return error->code;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool make_recipe(struct recipe *recipe, const struct options *o, struct error *error)
{
    *recipe = (struct recipe){.method = method_find(o->method)};
    if (!recipe->method)
        return error_usage(error, "there is no method '%s'; see predict --help", o->method);
    if (strcmp(o->inputs, "source") != 0 && strcmp(o->inputs, "derived") != 0)
        return error_usage(error, "--inputs is source or derived, not '%s'", o->inputs);
    if (strcmp(o->time, "raw") != 0 && strcmp(o->time, "log") != 0)
        return error_usage(error, "--time is raw or log, not '%s'", o->time);
    recipe->set = strcmp(o->inputs, "source") == 0 ? INPUTS_SOURCE : INPUTS_DERIVED;
    recipe->raw_time = strcmp(o->time, "raw") == 0;
    return !recipe->raw_time || !recipe->method->physical ||
           error_usage(error, "method %s learns the logarithm of the time; leave --time raw away", o->method);
}

static int train(const char *data, const char *path, const struct options *o, const struct gpus *gpus)
{
    struct table table = {.rows = 0};
    struct recipe recipe;
    struct model model;
    struct error error;
    double start;
    int code = 0;

    if (!make_recipe(&recipe, o, &error) || !table_read(&table, data, TABLE_MEASURED, &error))
        return fail(&error);
    start = now();
    if (!model_train(&model, &recipe, &table, gpus, &error)) {
        table_release(&table);
        return fail(&error);
    }
    if (!model_write(&model, path, &error))
        code = fail(&error);
    else
        printf("%s: %s, trained on %zu rows of %s in %.1f s, its intervals calibrated\n", path, recipe.method->title,
               table.rows, *model.gpu.name ? model.gpu.name : "several GPUs", now() - start);
    model_release(&model);
    table_release(&table);
    return code;
}

static int evaluate_all(const char *data, const char *other, const struct options *o, const struct gpus *gpus)
{
    struct table table = {.rows = 0}, second = {.rows = 0};
    struct evaluation evaluation;
    struct error error;
    bool good = table_read(&table, data, TABLE_MEASURED, &error) &&
                (!other || table_read(&second, other, TABLE_MEASURED, &error));

    if (good && (good = evaluate(&evaluation, &table, other ? &second : NULL, gpus, &error))) {
        good = report_write(&evaluation, o->out, o->rows ? o->rows : o->out, &error);
        if (good)
            printf("%s: tables of %zu runs in %.0f s\n", o->out, evaluation.run_count, evaluation.seconds);
        evaluation_release(&evaluation);
    }
    table_release(&table);
    table_release(&second);
    return good ? 0 : fail(&error);
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
    return row;
}

static int predict(const char *path, const char *features, const struct options *o, const struct gpus *gpus)
{
    struct table table = {.rows = 0};
    const struct gpu *gpu = NULL;
    struct model model;
    struct error error;
    json_t *rows = o->json ? json_array() : NULL;
    bool good;

    if (!model_read(&model, path, &error))
        return fail(&error);
    good = table_read(&table, features, TABLE_FEATURES, &error);
    gpu = o->gpu ? gpus_find(gpus, o->gpu) : *model.gpu.alias ? &model.gpu : NULL;
    if (good && !gpu)
        good = o->gpu ? error_usage(&error, "gpu '%s' is not in %s", o->gpu, o->gpus)
                      : error_usage(&error, "%s was trained on several GPUs; name one with --gpu", path);
    for (size_t i = 0; good && i < table.rows; i++) {
        struct forecast forecast;

        good = model_forecast(&model, &table.samples[i], gpu, &forecast, features, &error);
        if (good && rows)
            json_array_append_new(rows, to_json(&table.samples[i], &forecast, o->all));
        else if (good)
            print_line(&table.samples[i], &forecast);
    }
    if (good && rows) {
        json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:f, s:O}", "format", 1, "gpu", gpu->name, "method",
                                model.recipe.method->name, "trained_on",
                                *model.gpu.name ? model.gpu.name : "several GPUs",
                                "level", MODEL_LEVEL, "kernels", rows);

        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(all);
    } else if (good && *model.gpu.alias && strcmp(gpu->alias, model.gpu.alias) != 0)
        printf("the model was trained on %s, these are times on %s\n", model.gpu.name, gpu->name);
    json_decref(rows);
    table_release(&table);
    model_release(&model);
    return good ? 0 : fail(&error);
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"method", 1, 0, 'm'}, {"inputs", 1, 0, 'i'}, {"time", 1, 0, 't'},
                                          {"gpu", 1, 0, 'g'},    {"out", 1, 0, 'o'},    {"rows", 1, 0, 'r'},
                                          {"gpus", 1, 0, 'f'},   {"json", 0, 0, 'j'},   {"all", 0, 0, 'a'},
                                          {"help", 0, 0, 'h'},   {0}};
    struct options o = {.method = "bounded", .inputs = "derived", .time = "log", .gpus = "contrib/predict/gpus.csv"};
    struct gpus gpus;
    struct error error;
    const char *command;
    int option, left;

    while ((option = getopt_long(argc, argv, "h", names, NULL)) != -1)
        switch (option) {
        case 'm': o.method = optarg; break;
        case 'i': o.inputs = optarg; break;
        case 't': o.time = optarg; break;
        case 'g': o.gpu = optarg; break;
        case 'o': o.out = optarg; break;
        case 'r': o.rows = optarg; break;
        case 'f': o.gpus = optarg; break;
        case 'j': o.json = true; break;
        case 'a': o.all = true; break;
        case 'h': fputs(help, stdout); return 0;
        default: fputs(help, stderr); return 2;
        }
    command = optind < argc ? argv[optind++] : "";
    left = argc - optind;
    if (!((strcmp(command, "train") == 0 && left == 2) || (strcmp(command, "predict") == 0 && left == 2) ||
          (strcmp(command, "evaluate") == 0 && left >= 1 && left <= 2 && o.out))) {
        fputs(help, stderr);
        return 2;
    }
    if (!gpus_read(&gpus, o.gpus, &error))
        return fail(&error);
    if (strcmp(command, "train") == 0)
        return train(argv[optind], argv[optind + 1], &o, &gpus);
    if (strcmp(command, "predict") == 0)
        return predict(argv[optind], argv[optind + 1], &o, &gpus);
    return evaluate_all(argv[optind], left == 2 ? argv[optind + 1] : NULL, &o, &gpus);
}
