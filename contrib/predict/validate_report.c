/* validate_report.c - tables and points of a validation: see validation.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "validation.h"

/* Which rows a line of the summary is of. */
enum rows_of { ROWS_ALL, ROWS_PROBLEM, ROWS_LONG };
#define LONG_US 10 /* a launch, median */

static bool in_part(const struct validated *k, enum rows_of part, const char *problem)
{
    return part == ROWS_ALL || (part == ROWS_PROBLEM ? strcmp(k->problem, problem) == 0 : k->median >= LONG_US);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A number to two decimals, or that there is none. */
static void print_factor(FILE *f, double sum, size_t count)
{
    if (count)
        fprintf(f, "%.15g", round(exp(sum / (double)count) * 100) / 100);
    else
        fputc('-', f);
}

/* Of those whose launches were predicted, how far off: a line of the summary behind its name. False without memory. */
static bool print_scores(FILE *f, const struct validation *v, enum rows_of part, const char *problem)
{
    double *error = malloc((v->kernels + 1) * sizeof *error), sum = 0, logs = 0;
    size_t count = 0, launches = 0, held = 0;
    char mean[32] = "-", middle[32] = "-", most[32] = "-";

    for (size_t i = 0; error && i < v->kernels; i++) {
        const struct validated *k = &v->kernel[i];

        if (!in_part(k, part, problem) || k->predicted_launches == 0)
            continue;
        error[count++] = fabs(k->error);
        sum += fabs(k->error);
        logs += fabs(log(k->predicted / k->measured_of_predicted));
        launches += k->predicted_launches;
        held += k->held;
    }
    if (error && count) {
        qsort(error, count, sizeof *error, ascending);
        predictions_percent(mean, sum / (double)count);
        predictions_percent(middle, (error[(count - 1) / 2] + error[count / 2]) / 2);
        predictions_percent(most, error[count - 1]);
    }
    fprintf(f, "%zu | %zu | %s | %s | %s | ", count, launches, mean, middle, most);
    print_factor(f, logs, count);
    fprintf(f, " | %zu |\n", held);
    free(error);
    return error;
}

/* Why a kernel is refused, in the order of their names. */
enum refusal { REFUSED_DATA, REFUSED_RANGE, REFUSED_UNLIKE, REFUSALS };
static const char *const refusals[REFUSALS] = {"loops depend on data", "outside of the training range",
                                               "unlike every kernel trained on"};

static enum refusal refusal_of(const struct validated *k)
{
    return k->irregular ? REFUSED_DATA : strncmp(k->refused, "outside", 7) == 0 ? REFUSED_RANGE : REFUSED_UNLIKE;
}

static void print_refusals(FILE *f, const struct validation *v)
{
    fputs("| refused, because | kernels | launches | factor of a prediction |\n|---|---|---|---|\n", f);
    for (enum refusal r = 0; r < REFUSALS; r++) {
        size_t kernels = 0, launches = 0;
        double logs = 0;

        for (size_t i = 0; i < v->kernels; i++) {
            const struct validated *k = &v->kernel[i];

            if (k->refused_launches == 0 || refusal_of(k) != r)
                continue;
            kernels++;
            launches += k->refused_launches;
            logs += fabs(log(k->refused_us / k->measured_of_refused));
        }
        if (kernels == 0)
            continue;
        fprintf(f, "| %s | %zu | %zu | ", refusals[r], kernels, launches);
        print_factor(f, logs, kernels);
        fputs(" |\n", f);
    }
}

static bool print_summary(FILE *f, const struct validation *v)
{
    size_t unmatched = 0, launches = 0;
    bool good;

    fputs("\nAn error is |predicted - measured| / measured of the sum over a kernel's launches that are predicted; the "
          "factor is the\nexponential of the mean |ln(predicted / measured)|.\n\n"
          "| | kernels | launches | mean error | median error | largest error | factor | in the 90 % interval |\n"
          "|---|---|---|---|---|---|---|---|\n| all that are predicted | ", f);
    good = print_scores(f, v, ROWS_ALL, NULL);
    for (size_t i = 0; i < v->kernels; i++) {
        unmatched += v->kernel[i].unmatched;
        launches += v->kernel[i].launches;
        if (i > 0 && strcmp(v->kernel[i].problem, v->kernel[i - 1].problem) == 0)
            continue;
        fprintf(f, "| %s | ", v->kernel[i].problem);
        good = print_scores(f, v, ROWS_PROBLEM, v->kernel[i].problem) && good;
    }
    fprintf(f, "| at least %d us a launch, median | ", LONG_US);
    good = print_scores(f, v, ROWS_LONG, NULL) && good;
    fputc('\n', f);
    print_refusals(f, v);
    fprintf(f, "\nMeasured launches that differ on the simulator: %zu of %zu.\n", unmatched, launches);
    if (*v->left_out)
        fprintf(f, "Left out: %s.\n", v->left_out);
    else
        fputs("No submission was left out.\n", f);
    fputc('\n', f);
    return good;
}

static void print_kernel(FILE *f, const struct validated *k)
{
    char measured[32], middle[32], predicted[32], low[32], high[32], percent[32];

    fprintf(f, "| %s | %s | %s%s | %zu | %s | %s | ", k->problem, k->submission, k->kernel,
            k->irregular ? " (irregular)" : "", k->launches, predictions_shown(measured, k->measured),
            predictions_shown(middle, k->median));
    if (k->predicted_launches > 0) {
        fprintf(f, "%s | %s to %s | ", predictions_shown(predicted, k->predicted), predictions_shown(low, k->low),
                predictions_shown(high, k->high));
        fprintf(f, "%s | %s%s | %s", predictions_shown(predicted, k->predicted_median), k->error > 0 ? "+" : "",
                predictions_percent(percent, k->error), k->bound);
        if (k->predicted_launches != k->launches)
            fprintf(f, "; only %zu launches, measured %s", k->predicted_launches,
                    predictions_shown(measured, k->measured_of_predicted));
        fputs(" |\n", f);
    } else if (k->refused)
        fprintf(f, "refused | - | - | - | %s |\n", k->refused);
    else
        fputs("- | - | - | - | launches differ on the simulator |\n", f);
}

static bool write_tables(const struct validation *v, const char *folder, const char *summary, struct error *error)
{
    const struct predictions *p = v->model;
    FILE *f = output_open(folder, "predict-validation.md", error);

    if (!f)
        return false;
    fprintf(f, "# Predicted and measured times of the submissions\n\n"
               "Written by `run_scripts/predict.sh validate` from the times that "
               "`contrib/predict/scripts/kernel_times.sh` measured under ncu on a\n%s: the first 40 launches of every "
               "accepted CUDA submission. Predicted by %s, for one\n%s, from counts of the simulator on the same "
               "inputs. None of these kernels was trained on. How to read it:\n[PREDICT.md](../PREDICT.md#validation)."
               "\n\n## Summary\n%s", p->gpu->name, p->model.recipe.method->name, p->gpu->name, summary);
    fputs("## Kernels\n\nMicroseconds; sums over launches, and medians of a launch. "
          "\"irregular\": a loop's rounds depend on data in memory.\n\n"
          "| problem | submission | kernel | launches | measured | median | predicted | 90 % | median | error | "
          "bounded by |\n|---|---|---|---|---|---|---|---|---|---|---|\n", f);
    for (size_t i = 0; i < v->kernels; i++)
        print_kernel(f, &v->kernel[i]);
    return output_close(f, "predict-validation.md", error);
}

/* A cell of text, quoted. */
static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const char *at = text; *at; at++) {
        if (*at == '"')
            fputc('"', f);
        fputc(*at, f);
    }
    fputc('"', f);
}

/* A cell before each number, to three decimals; all empty where there are none. */
static void put_numbers(FILE *f, bool there, int count, ...)
{
    va_list numbers;

    va_start(numbers, count);
    for (int i = 0; i < count; i++) {
        double value = va_arg(numbers, double);

        fputc(',', f);
        if (there)
            fprintf(f, "%.15g", round(value * 1000) / 1000);
    }
    va_end(numbers);
}

static bool write_csv(const struct validation *v, const char *folder, struct error *error)
{
    static const char *const columns[] = {
        "problem", "submission", "kernel", "launches", "measured_us", "measured_median_us", "predicted_launches",
        "measured_of_predicted_us", "predicted_us", "low_us", "high_us", "predicted_median_us", "error", "bound",
        "irregular", "unmatched_launches", "refused_launches", "measured_of_refused_us", "refused_guess_us",
        "refused"};
    FILE *f = output_open(folder, "predict-validation.csv", error);

    if (!f)
        return false;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        fprintf(f, "%s\"%s\"", i ? "," : "", columns[i]);
    fputc('\n', f);
    for (size_t i = 0; i < v->kernels; i++) {
        const struct validated *k = &v->kernel[i];

        put_text(f, k->problem);
        fputc(',', f);
        put_text(f, k->submission);
        fputc(',', f);
        put_text(f, k->kernel);
        fprintf(f, ",%zu", k->launches);
        put_numbers(f, true, 2, k->measured, k->median);
        fprintf(f, ",%zu", k->predicted_launches);
        put_numbers(f, k->predicted_launches > 0, 6, k->measured_of_predicted, k->predicted, k->low, k->high,
                    k->predicted_median, k->error);
        fputc(',', f);
        if (*k->bound)
            put_text(f, k->bound);
        fprintf(f, ",%d,%zu,%zu", k->irregular, k->unmatched, k->refused_launches);
        put_numbers(f, k->refused_launches > 0, 2, k->measured_of_refused, k->refused_us);
        fputc(',', f);
        if (k->refused)
            put_text(f, k->refused);
        fputc('\n', f);
    }
    return output_close(f, "predict-validation.csv", error);
}

/* What gnuplot reads: a folder with names, a line a series, and a file N.tsv of each. */
struct points {
    const char *folder; /* that all is written to */
    FILE *names;        /* of the series */
    char marks[256]; /* of the series so far: a style and mark each, 0 for what was refused */
    int series;      /* with a point */
};

/* A series of kernels: measured, predicted, low and high of a launch on average. One without points is left out. */
static bool write_series(struct points *p, const char *name, int mark, const struct validated *k, size_t count,
                         struct error *error)
{
    FILE *file = NULL;
    char path[32];

    snprintf(path, sizeof path, "%d.tsv", p->series + 1);
    for (size_t i = 0; i < count; i++) {
        double n = (double)(mark ? k[i].predicted_launches : k[i].refused_launches), guess = k[i].refused_us / n;

        if (n == 0)
            continue;
        if (!file && !(file = output_open(p->folder, path, error)))
            return false;
        if (mark)
            fprintf(file, "%.15g %.15g %.15g %.15g\n", k[i].measured_of_predicted / n, k[i].predicted / n,
                    k[i].low / n, k[i].high / n);
        else
            fprintf(file, "%.15g %.15g %.15g %.15g\n", k[i].measured_of_refused / n, guess, guess, guess);
    }
    if (!file)
        return true;
    fprintf(p->names, "%s\n", name);
    snprintf(p->marks + strlen(p->marks), sizeof p->marks - strlen(p->marks), "%s%d", p->series++ ? " " : "", mark);
    return output_close(file, path, error);
}

/* The series, and `definitions`: the variables that predicted.gp is given. */
static bool write_points(const struct validation *v, const char *folder, struct error *error)
{
    struct points p = {.folder = folder, .names = output_open(folder, "names", error)};
    bool good = p.names;
    FILE *definitions;
    int problem = 0;

    for (size_t i = 0, end; good && i < v->kernels; i = end) {
        for (end = i + 1; end < v->kernels && strcmp(v->kernel[end].problem, v->kernel[i].problem) == 0; end++)
            ;
        good = write_series(&p, v->kernel[i].problem, ++problem, v->kernel + i, end - i, error);
    }
    good = good && write_series(&p, "refused", 0, v->kernel, v->kernels, error);
    if (p.names)
        good = output_close(p.names, "names", error) && good;
    definitions = good ? output_open(folder, "definitions", error) : NULL;
    if (!definitions)
        return false;
    fprintf(definitions, "count = %d\npoints = '%s'\nnote = '%s'\n", p.series, p.marks, v->model->gpu->name);
    return output_close(definitions, "definitions", error);
}

/* Without its empty lines. */
static void print_filled(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at != '\n' || (at > text && at[-1] != '\n'))
            putchar(*at);
}

bool validation_write(const struct validation *v, const char *out, const char *plot, struct error *error)
{
    char *summary = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&summary, &size);
    bool good = f && print_summary(f, v);

    good = (f && fclose(f) == 0 && good) || error_toolkit(error, "no memory for the summary");
    good = good && write_tables(v, out, summary, error) && write_csv(v, out, error) && write_points(v, plot, error);
    if (good)
        print_filled(summary);
    free(summary);
    return good;
}
