/* report.c - what evaluate.h found, as markdown for readers, CSV and JSON for programs. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "evaluate.h"
#include "output.h"

static const char *const group_names[GROUPS] = {"computation", "memory", "merged"};
static const char *const test_names[TESTS] = {"random", "folds", "kernel", "gpu"};

/* The errors that Riahi et al. print, in percent: maximum and mean. */
static const struct {
    const char *method;
    enum group group;
    double max, mean;
} source[] = {
    {"elm", GROUP_COMPUTATION, 3.42, 0.97},   {"mlp", GROUP_COMPUTATION, 5.18, 0.007},
    {"svr", GROUP_COMPUTATION, 10.78, 0.016}, {"elm", GROUP_MEMORY, 9.84, 3.83},
    {"mlp", GROUP_MEMORY, 11.28, 0.089},      {"svr", GROUP_MEMORY, 19.82, 0.16},
    {"elm", GROUP_MERGED, 13.92, 2.7},        {"mlp", GROUP_MERGED, 24.66, 0.02},
    {"svr", GROUP_MERGED, 35.62, 0.31}};
enum { SOURCE_ROWS = sizeof source / sizeof source[0] };

static void beside_source(FILE *f, const struct evaluation *e)
{
    fputs("## The tables of Riahi et al., ours beside them\n\n"
          "Errors in percent, random fifth held back. *As theirs*: their features as they are, the time itself, both "
          "min-max normalised. *Derived*: our inputs, the logarithm of the time. *Relative*: |predicted - measured| / "
          "measured. *Of the range*: |predicted - measured| over the range of the measured times, the error on the "
          "normalised scale. *Square*: mean square of the latter, as a share of 1.\n\n"
          "| kernels | method | Riahi et al.: max / mean | as theirs, relative: max / mean | "
          "as theirs, of the range: max / mean | square | derived, relative: max / mean | "
          "derived, of the range: max / mean |\n"
          "|---|---|---|---|---|---|---|---|\n", f);
    for (int i = 0; i < SOURCE_ROWS; i++) {
        char name[32];
        const struct run *raw, *derived;

        snprintf(name, sizeof name, "%s-source", source[i].method);
        raw = evaluation_run(e, name, source[i].group, TEST_RANDOM);
        derived = evaluation_run(e, source[i].method, source[i].group, TEST_RANDOM);
        if (!raw || !derived)
            continue;
        fprintf(f, "| %s | %s | %.2f / %.4g ", group_names[source[i].group], source[i].method, source[i].max,
                source[i].mean);
        fprintf(f, "| %.4g / %.3g | %.3g / %.3g | %.2g | %.3g / %.3g | %.3g / %.3g |\n", 100 * raw->score.max,
                100 * raw->score.mean, 100 * raw->score.range_max, 100 * raw->score.range_mean, raw->score.range_square,
                100 * derived->score.max, 100 * derived->score.mean, 100 * derived->score.range_max,
                100 * derived->score.range_mean);
    }
}

static void all_methods(FILE *f, const struct evaluation *e, enum test test)
{
    fprintf(f, "\n## %s\n\n| method |", test == TEST_RANDOM ? "A random fifth held back" : "Ten folds");
    for (int g = 0; g < GROUPS; g++)
        fprintf(f, " %s: max / mean / median | in log ratio: max / mean |", group_names[g]);
    fputs("\n|---|---|---|---|---|---|---|\n", f);
    for (int v = 0; v < e->variant_count; v++) {
        fprintf(f, "| %s |", e->variants[v].name);
        for (int g = 0; g < GROUPS; g++) {
            const struct run *run = evaluation_run(e, e->variants[v].name, g, test);

            if (run)
                fprintf(f, " %.4g / %.3g / %.3g | %.3g / %.3g |", 100 * run->score.max, 100 * run->score.mean,
                        100 * run->score.p50, run->score.log_max, run->score.log_mean);
            else
                fputs(" - | - |", f);
        }
        fputc('\n', f);
    }
}

static void harder(FILE *f, const struct evaluation *e, enum test test, const char *heading)
{
    fprintf(f, "\n## %s\n\n| method | mean %% | median %% | 95th percentile %% | max %% | mean log ratio | bias %% |\n"
            "|---|---|---|---|---|---|---|\n", heading);
    for (int v = 0; v < e->variant_count; v++) {
        const struct run *run = evaluation_run(e, e->variants[v].name, GROUP_MERGED, test);

        if (run)
            fprintf(f, "| %s | %.4g | %.3g | %.4g | %.4g | %.3g | %+.3g |\n", e->variants[v].name,
                    100 * run->score.mean, 100 * run->score.p50, 100 * run->score.p95, 100 * run->score.max,
                    run->score.log_mean, 100 * run->score.bias);
    }
}

/* The mean error of one kernel in a run, as a share; its rows in *rows. */
static double kernel_error(const struct run *run, int kernel, size_t *rows)
{
    double sum = 0;

    *rows = 0;
    for (size_t i = 0; i < run->rows; i++)
        if (run->design->kernel[i] == kernel && run->predicted[i] > 0) {
            sum += fabs(run->predicted[i] - run->design->time[i]) / run->design->time[i];
            ++*rows;
        }
    return *rows ? sum / (double)*rows : 0;
}

static const char *kernel_name(const struct design *d, int kernel)
{
    for (size_t i = 0; i < d->rows; i++)
        if (d->kernel[i] == kernel)
            return d->sample[i]->kernel;
    return "";
}

static void by_kernel(FILE *f, const struct evaluation *e)
{
    static const char *const shown[] = {"roofline", "limits", "bounded", "svr", "nearest"};
    const struct design *d = &e->designs[GROUP_MERGED][INPUTS_DERIVED];

    fputs("\n### By kernel: mean error in percent when it was left out\n\n| kernel | rows |", f);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        fprintf(f, " %s |", shown[i]);
    fputs(" bounded, ten folds |\n|---|---|---|---|---|---|---|---|\n", f);
    for (int k = 0; k < d->kernels; k++) {
        const struct run *folds = evaluation_run(e, "bounded", GROUP_MERGED, TEST_FOLDS);
        size_t rows = 0;

        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            const struct run *run = evaluation_run(e, shown[i], GROUP_MERGED, TEST_KERNEL);
            double error = run ? kernel_error(run, k, &rows) : NAN;

            if (i == 0)
                fprintf(f, "| %s | %zu |", kernel_name(d, k), rows);
            fprintf(f, " %.3g |", 100 * error);
        }
        fprintf(f, " %.3g |\n", folds ? 100 * kernel_error(folds, k, &rows) : NAN);
    }
}

static void times(FILE *f, const struct evaluation *e)
{
    fputs("\n## Time of training and of one prediction\n\n"
          "On the rows of the random test of all kernels, on the machine that made these tables. The way of "
          "Riahi et al. to train an extreme learning machine, a perceptron and a support-vector machine is "
          "`-source`.\n\n"
          "| method | training, s | one prediction, us |\n|---|---|---|\n", f);
    for (int v = 0; v < e->variant_count; v++)
        fprintf(f, "| %s | %.3f | %.1f |\n", e->variants[v].name, e->fit_s[v], e->predict_us[v]);
}

static void influence(FILE *f, const struct evaluation *e)
{
    size_t inputs = inputs_count(INPUTS_SOURCE);

    fputs("\n## Influence of the features of Riahi et al., by minimum redundancy and maximum relevance\n\n"
          "In brackets: mutual information with the time, bits.\n\n| rank | computation | memory | merged | "
          "derived inputs, merged |\n|---|---|---|---|---|\n", f);
    for (size_t i = 0; i < inputs; i++) {
        fprintf(f, "| %zu |", i + 1);
        for (int g = 0; g < GROUPS; g++)
            if (e->designs[g][INPUTS_SOURCE].rows > 1)
                fprintf(f, " %s (%.2f) |", input_name(INPUTS_SOURCE, e->influence[g][i].input),
                        e->influence[g][i].relevance);
            else
                fputs(" - |", f);
        fprintf(f, " %s (%.2f) |\n", input_name(INPUTS_DERIVED, e->derived_influence[i].input),
                e->derived_influence[i].relevance);
    }
}

static void intervals(FILE *f, const struct evaluation *e)
{
    const struct coverage *c[] = {&e->interpolation, &e->new_kernel};

    fprintf(f, "\n## Intervals of the default model\n\nPromised: %.0f %%.\n\n"
            "| rows | tested | within, %% | mean factor |\n|---|---|---|---|\n", 100 * MODEL_LEVEL);
    for (int i = 0; i < 2; i++)
        if (c[i]->rows)
            fprintf(f, "| %s | %zu | %.1f | %.3f |\n", i ? "of a kernel left out" : "of known kernels", c[i]->rows,
                    100.0 * (double)c[i]->held / (double)c[i]->rows, c[i]->mean_factor);
}

static void goal(FILE *f, const char *what, double got, double wanted)
{
    fprintf(f, "| %s | %.3g | %.3g | %s |\n", what, wanted, got, got <= wanted ? "met" : "missed");
}

static void goals(FILE *f, const struct evaluation *e)
{
    const struct run *computation = evaluation_run(e, "bounded", GROUP_COMPUTATION, TEST_RANDOM);
    const struct run *memory = evaluation_run(e, "bounded", GROUP_MEMORY, TEST_RANDOM);
    const struct run *kernel = evaluation_run(e, "bounded", GROUP_MERGED, TEST_KERNEL);
    const struct run *roofline = evaluation_run(e, "roofline", GROUP_MERGED, TEST_KERNEL);

    fputs("## Goals\n\nOf the default model, `bounded`.\n\n| goal | at most | reached | |\n|---|---|---|---|\n", f);
    if (computation) {
        goal(f, "computation-bound, random fifth: maximum error, %", 100 * computation->score.max, 3.42);
        goal(f, "computation-bound, random fifth: mean error, %", 100 * computation->score.mean, 1);
    }
    if (memory) {
        goal(f, "memory-bound, random fifth: maximum error, %", 100 * memory->score.max, 9.84);
        goal(f, "memory-bound, random fifth: mean error, %", 100 * memory->score.mean, 3);
    }
    if (kernel && roofline) {
        goal(f, "kernel left out: mean error, %", 100 * kernel->score.mean, 25);
        goal(f, "kernel left out: mean error over the calibrated roofline's",
             kernel->score.mean / roofline->score.mean, 0.5);
    }
    for (int v = 0; v < e->variant_count; v++)
        if (strcmp(e->variants[v].name, "bounded") == 0) {
            goal(f, "training, s", e->fit_s[v], 1);
            goal(f, "one prediction, ms", e->predict_us[v] / 1000, 1);
        }
    fputc('\n', f);
}

static bool write_tables(const struct evaluation *e, const char *folder, struct error *error)
{
    FILE *f = output_open(folder, "predict-tables.md", error);

    if (!f)
        return false;
    fprintf(f, "# Predicted execution times: every method on every test\n\n"
            "Made by `run_scripts/predict.sh evaluate` from %s: %zu rows of %d kernels on %s.%s "
            "Seed of all splits: 20.\n\n",
            strrchr(e->table->path, '/') ? strrchr(e->table->path, '/') + 1 : e->table->path, e->table->rows,
            e->designs[GROUP_MERGED][INPUTS_DERIVED].kernels, e->table->samples[0].gpu,
            e->other ? " The other GPU's rows are tested on only." : "");
    goals(f, e);
    beside_source(f, e);
    all_methods(f, e, TEST_RANDOM);
    all_methods(f, e, TEST_FOLDS);
    harder(f, e, TEST_KERNEL, "Each kernel left out: errors on kernels that were never seen");
    by_kernel(f, e);
    if (e->other) {
        char heading[160];

        snprintf(heading, sizeof heading, "Trained on %.40s, tested on %.40s (%zu rows)", e->table->samples[0].gpu,
                 e->other->samples[0].gpu, e->other->rows);
        harder(f, e, TEST_GPU, heading);
    }
    intervals(f, e);
    times(f, e);
    influence(f, e);
    return output_close(f, "predict-tables.md", error);
}

static bool write_scores(const struct evaluation *e, const char *folder, struct error *error)
{
    FILE *f = output_open(folder, "predict-scores.csv", error);

    if (!f)
        return false;
    fputs("method,test,kernels,rows,max,mean,median,p95,log_max,log_mean,bias,range_max,range_mean,range_square\n", f);
    for (size_t r = 0; r < e->run_count; r++) {
        const struct run *run = &e->runs[r];
        const struct score *s = &run->score;

        fprintf(f, "%s,%s,%s,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", run->variant->name,
                test_names[run->test], group_names[run->group], s->rows, s->max, s->mean, s->p50, s->p95, s->log_max,
                s->log_mean, s->bias, s->range_max, s->range_mean, s->range_square);
    }
    return output_close(f, "predict-scores.csv", error);
}

/* The default model's and the roofline's, row by row, for whoever wants to draw or to look for the worst. */
static bool write_predictions(const struct evaluation *e, const char *folder, struct error *error)
{
    const struct run *folds = evaluation_run(e, "bounded", GROUP_MERGED, TEST_FOLDS);
    const struct run *kernel = evaluation_run(e, "bounded", GROUP_MERGED, TEST_KERNEL);
    const struct run *roofline = evaluation_run(e, "roofline", GROUP_MERGED, TEST_KERNEL);
    const struct design *d = &e->designs[GROUP_MERGED][INPUTS_DERIVED];
    FILE *f = output_open(folder, "predict-predictions.csv", error);

    if (!f)
        return false;
    fputs("line,kernel,class,blocks,threads,measured_us,"
          "bounded_folds_us,bounded_left_out_us,roofline_left_out_us\n", f);
    for (size_t i = 0; i < d->rows; i++)
        fprintf(f, "%ld,%s,%s,%.0f,%.0f,%.6g,%.5g,%.5g,%.5g\n", d->sample[i]->line, d->sample[i]->kernel,
                d->sample[i]->class == CLASS_MEMORY ? "memory" : "computation", d->sample[i]->value[COLUMN_N_B],
                d->sample[i]->value[COLUMN_N_T], d->time[i], folds ? folds->predicted[i] : 0,
                kernel ? kernel->predicted[i] : 0, roofline ? roofline->predicted[i] : 0);
    return output_close(f, "predict-predictions.csv", error);
}

static bool write_json(const struct evaluation *e, const char *folder, struct error *error)
{
    json_t *runs = json_array(), *times_array = json_array(), *all;
    FILE *f = output_open(folder, "predict.json", error);

    for (size_t r = 0; r < e->run_count; r++) {
        const struct run *run = &e->runs[r];
        const struct score *s = &run->score;

        json_array_append_new(runs, json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f}", "method", run->variant->name,
                                              "test", test_names[run->test], "kernels", group_names[run->group],
                                              "rows", (json_int_t)s->rows, "max", s->max, "mean", s->mean,
                                              "log_max", s->log_max, "log_mean", s->log_mean));
    }
    for (int v = 0; v < e->variant_count; v++)
        json_array_append_new(times_array, json_pack("{s:s, s:f, s:f}", "method", e->variants[v].name,
                                                    "training_s", e->fit_s[v], "prediction_us", e->predict_us[v]));
    all = json_pack("{s:i, s:s, s:I, s:f, s:f, s:o, s:o}", "format", 1, "gpu", e->table->samples[0].gpu, "rows",
                    (json_int_t)e->table->rows, "interval_held", e->interpolation.rows ? (double)e->interpolation.held /
                    (double)e->interpolation.rows : 0, "interval_held_new_kernel", e->new_kernel.rows ?
                    (double)e->new_kernel.held / (double)e->new_kernel.rows : 0, "times", times_array, "runs", runs);
    if (f)
        json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(all);
    return f && (fputc('\n', f), output_close(f, "predict.json", error));
}

static bool make_folder(const char *folder, struct error *error)
{
    if (mkdir(folder, 0755) == 0 || errno == EEXIST)
        return true;
    error_system(error, "cannot make the folder '%s'", folder);
    error->code = EXIT_USAGE;
    return false;
}

bool report_write(const struct evaluation *e, const char *folder, const char *rows, struct error *error)
{
    return make_folder(folder, error) && make_folder(rows, error) && write_tables(e, folder, error) &&
           write_scores(e, folder, error) && write_predictions(e, rows, error) && write_json(e, rows, error);
}
