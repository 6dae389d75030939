/*
 * submission.c - the kernels of a submission, each with its launches' predictions added up: see request.h.
 *
 * Launches of a kernel err alike, and so may kernels: ends of intervals are added up as times are.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/cells.h"
#include "output.h"
#include "predictions.h"
#include "roofs.h"
#include "what_if.h"

/* Digits of sums in JSON: they are of numbers with six, so no more of them means anything. */
enum { SUM_DIGITS = 15 };

#define SMALL_PART 0.05 /* of the time: below it a part is not printed */

/* A launch that was counted, and what was predicted of it. */
struct launch {
    const struct sample *sample;     /* in the table, in the order of the launches */
    const struct forecast *forecast; /* its numbers of six digits */
};

/* All launches of one kernel. Sums are over those that are predicted, in microseconds. */
struct kernel {
    const struct launch *launch; /* `launches` of them, in the order in which they were made */
    size_t launches, predicted;  /* all, and those with a prediction */
    bool regular;                /* no loop of it depends on data */
    double us, low_us, high_us;  /* the time and the ends of its interval */
    double launch_us;            /* what launching takes of it */
    const char *bound;           /* what bounds most of its time */
    double bound_share;          /* the part of those launches' time that it takes */
    double part[PARTS];          /* by the mechanism: the time that each part of the machine takes */
    const char *refused;         /* why the first launch that is not predicted is not; NULL where all are */
};

/* A file of launches by kernel. */
struct kernels {
    struct predictions predictions; /* of each launch */
    struct launch *launch;          /* by kernel's name, then as they were made */
    struct kernel *kernel;          /* `kernels` of them */
    size_t kernels;                 /* with different names */
};

static int by_name(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    int order = strcmp(x->sample->kernel, y->sample->kernel);

    return order ? order : (x->sample > y->sample) - (x->sample < y->sample);
}

/* Those with no prediction first, then the costliest; else as they were first launched. */
static int by_cost(const void *a, const void *b)
{
    const struct kernel *x = a, *y = b;
    double cost = (x->predicted ? -x->us : -INFINITY), other = (y->predicted ? -y->us : -INFINITY);

    if (cost != other)
        return (cost > other) - (cost < other);
    return (x->launch->sample > y->launch->sample) - (x->launch->sample < y->launch->sample);
}

/* Finds what bounds most of a kernel's time; of two alike the later name. */
static void find_bound(struct kernel *k)
{
    struct {
        const char *name;
        double us, share; /* of the launches that it bounds: their time, and its part in it */
    } sum[ROW_TERMS + 1] = {{NULL, 0, 0}}, *best = &sum[0];

    for (size_t i = 0; i < k->launches; i++) {
        const struct forecast *f = k->launch[i].forecast;
        int at = 0;

        if (f->refused[0])
            continue;
        while (sum[at].name && strcmp(sum[at].name, f->bound) != 0)
            at++;
        sum[at].name = f->bound;
        sum[at].us += f->us;
        sum[at].share += f->us * f->share;
    }
    for (int i = 1; i <= ROW_TERMS && sum[i].name; i++)
        if (sum[i].us > best->us || (sum[i].us == best->us && strcmp(sum[i].name, best->name) > 0))
            best = &sum[i];
    k->bound = best->name;
    k->bound_share = best->share / best->us;
}

static void add_up(struct kernel *k)
{
    k->regular = true;
    for (size_t i = 0; i < k->launches; i++) {
        const struct forecast *f = k->launch[i].forecast;

        k->regular = k->regular && k->launch[i].sample->value[COLUMN_REGULAR] >= 0.5;
        if (f->refused[0]) {
            k->refused = k->refused ? k->refused : f->refused;
            continue;
        }
        k->predicted++;
        k->us += f->us;
        k->low_us += f->low_us;
        k->high_us += f->high_us;
        k->launch_us += f->us * f->launch_share;
        for (int part = 0; part < PARTS; part++)
            k->part[part] += f->us * f->part[part];
    }
    if (k->predicted)
        find_bound(k);
}

static void kernels_release(struct kernels *k)
{
    free(k->launch);
    free(k->kernel);
    predictions_release(&k->predictions);
    *k = (struct kernels){.kernels = 0};
}

/* Predicts the launches of a file and puts them in order by kernel. */
static bool kernels_make(struct kernels *k, const struct request *r, const char *features, struct error *error)
{
    struct predictions *p = &k->predictions;

    *k = (struct kernels){.kernels = 0};
    if (!predictions_make(p, r, features, true, error))
        return false;
    k->launch = malloc(p->table.rows * sizeof *k->launch);
    k->kernel = calloc(p->table.rows, sizeof *k->kernel);
    if (!k->launch || !k->kernel) {
        kernels_release(k);
        return error_toolkit(error, "no memory for %zu rows", p->table.rows);
    }
    for (size_t i = 0; i < p->table.rows; i++) {
        struct forecast *f = &p->forecast[i];

        f->us = predictions_number(f->us);
        f->low_us = predictions_number(f->low_us);
        f->high_us = predictions_number(f->high_us);
        f->share = predictions_number(f->share);
        f->launch_share = predictions_number(f->launch_share);
        k->launch[i] = (struct launch){&p->table.samples[i], f};
    }
    qsort(k->launch, p->table.rows, sizeof *k->launch, by_name);
    for (size_t i = 0; i < p->table.rows; i++) {
        if (i == 0 || strcmp(k->launch[i].sample->kernel, k->launch[i - 1].sample->kernel) != 0)
            k->kernel[k->kernels++] = (struct kernel){.launch = &k->launch[i]};
        k->kernel[k->kernels - 1].launches++;
    }
    for (size_t i = 0; i < k->kernels; i++)
        add_up(&k->kernel[i]);
    return true;
}

/* The sums over all kernels. */
static struct kernel sum_of(const struct kernels *k)
{
    struct kernel all = {.regular = true};

    for (size_t i = 0; i < k->kernels; i++) {
        all.launches += k->kernel[i].launches;
        all.predicted += k->kernel[i].predicted;
        all.us += k->kernel[i].us;
        all.low_us += k->kernel[i].low_us;
        all.high_us += k->kernel[i].high_us;
        all.launch_us += k->kernel[i].launch_us;
    }
    return all;
}

static void block_of(char text[64], const struct sample *s)
{
    snprintf(text, 64, "%.0fx%.0fx%.0f", s->value[COLUMN_BLOCK_X], s->value[COLUMN_BLOCK_Y], s->value[COLUMN_BLOCK_Z]);
}

/* The fastest of a kernel's launches; NULL where none is predicted. */
static const struct launch *best_of(const struct kernel *k)
{
    const struct launch *best = NULL;

    for (size_t i = 0; i < k->launches; i++)
        if (!k->launch[i].forecast->refused[0] && (!best || k->launch[i].forecast->us < best->forecast->us))
            best = &k->launch[i];
    return best;
}

/* Empty for methods that know no parts. */
static json_t *parts_json(const struct kernel *k)
{
    json_t *parts = json_object();

    for (int i = 0; i < PARTS; i++)
        if (k->part[i] > 0)
            json_object_set_new(parts, part_name(i), json_real(k->part[i]));
    if (json_object_size(parts))
        return json_pack("{s:o}", "parts_us", parts);
    json_decref(parts);
    return json_object();
}

static json_t *kernel_json(const struct kernel *k)
{
    json_t *all = json_pack("{s:s, s:I, s:I, s:b}", "kernel", k->launch->sample->kernel, "launches",
                            (json_int_t)k->launches, "predicted", (json_int_t)k->predicted, "regular", k->regular);

    if (k->predicted)
        json_object_update_new(all, json_pack("{s:f, s:f, s:f, s:f, s:s, s:f}", "us", k->us, "low_us", k->low_us,
                                              "high_us", k->high_us, "launch_us", k->launch_us, "bound", k->bound,
                                              "bound_share", k->bound_share));
    if (k->predicted)
        json_object_update_new(all, parts_json(k));
    if (k->refused)
        json_object_set_new(all, "refused", json_string(k->refused));
    return all;
}

/* The blocks that were tried for the first launch of a kernel; the program's own comes first. */
static json_t *tried_json(const struct kernel *k)
{
    const struct launch *best = best_of(k);
    json_t *tried = json_array(), *all;
    char block[64];

    for (size_t i = 0; i < k->launches; i++) {
        const struct forecast *f = k->launch[i].forecast;

        block_of(block, k->launch[i].sample);
        json_array_append_new(tried, f->refused[0] ? json_pack("{s:s, s:s}", "block", block, "refused", f->refused)
                                                   : json_pack("{s:s, s:f, s:f, s:f}", "block", block, "us", f->us,
                                                               "low_us", f->low_us, "high_us", f->high_us));
    }
    block_of(block, k->launch->sample);
    all = json_pack("{s:s, s:s, s:o}", "kernel", k->launch->sample->kernel, "given", block, "tried", tried);
    if (best) {
        block_of(block, best->sample);
        json_object_set_new(all, "best", json_string(block));
    }
    return all;
}

/* ---- the roofline ---- */

/* Of all launches of a kernel together. */
static struct roofs kernel_roofs(const struct kernel *k, const struct gpu *gpu)
{
    static const enum column summed[] = {COLUMN_WARP_INSTRUCTIONS, COLUMN_BYTES_READ, COLUMN_BYTES_WRITTEN,
                                         COLUMN_LOAD_HITS, COLUMN_FLOPS};
    struct sample sum = *k->launch->sample;

    for (size_t c = 0; c < sizeof summed / sizeof *summed; c++) {
        sum.value[summed[c]] = 0;
        for (size_t i = 0; i < k->launches; i++)
            if (!k->launch[i].forecast->refused[0])
                sum.value[summed[c]] += k->launch[i].sample->value[summed[c]];
    }
    return roofs_of(&sum, gpu, k->us);
}

static void print_roofs(const struct kernels *k)
{
    printf("roofline: %10s %14s %12s %12s  kernel\n", "instr/byte", "10^9 instr/s", "of its roof", "Gflop/s");
    for (size_t i = 0; i < k->kernels; i++)
        if (k->kernel[i].predicted) {
            struct roofs x = kernel_roofs(&k->kernel[i], k->predictions.gpu);

            printf("%20.4g %14.4g %10.1f %% %12.4g  %s\n", x.intensity, x.rate / 1e9, 100 * x.share, x.flops / 1e9,
                   k->kernel[i].launch->sample->kernel);
        }
}

static json_t *roofs_json(const struct kernel *k, const struct gpu *gpu)
{
    struct roofs x = kernel_roofs(k, gpu);

    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "intensity", x.intensity, "instructions_per_second", x.rate,
                     "flops_per_second", x.flops, "issue_roof", x.issue_roof, "l2_roof", x.l2_roof, "memory_roof",
                     x.memory_roof, "share", x.share);
}

/* What contrib/plot/kernels_roofline.gp reads. */
static bool plot_roofs(const struct kernels *k, const char *folder, struct error *error)
{
    const struct gpu *gpu = k->predictions.gpu;
    FILE *names = output_open(folder, "names", error), *f;
    double low = INFINITY, high = 0, bottom = INFINITY;
    int count = 0;

    if (!names)
        return false;
    for (size_t i = 0; i < k->kernels; i++) {
        struct roofs x;
        char name[32];

        if (!k->kernel[i].predicted)
            continue;
        x = kernel_roofs(&k->kernel[i], gpu);
        fprintf(names, "%s\n", k->kernel[i].launch->sample->kernel);
        snprintf(name, sizeof name, "%d.tsv", ++count);
        if (!(f = output_open(folder, name, error)))
            break;
        fprintf(f, "%.6g\t%.6g\n", x.intensity, x.rate);
        if (!output_close(f, name, error))
            break;
        low = fmin(low, x.intensity);
        high = fmax(high, x.intensity);
        bottom = fmin(bottom, x.rate);
    }
    if (!output_close(names, "names", error) || !(f = output_open(folder, "definitions", error)))
        return false;
    fprintf(f, "count = %d; issue = %.6g; l2 = %.6g; memory = %.6g; low = %.6g; high = %.6g; bottom = %.6g\n", count,
            4.0 * gpu->sms * gpu->max_mhz * 1e6, roofs_l2(gpu), roofs_memory(gpu), low, high, bottom);
    fprintf(f, "note = '%s, predicted'\n", gpu->name);
    return output_close(f, "definitions", error);
}

static bool print_json(const struct request *r, const struct kernels *k, const struct kernels *tuned,
                       struct error *error)
{
    const struct predictions *p = &k->predictions;
    const struct kernel sum = sum_of(k);
    json_t *rows = json_array(), *all;

    for (size_t i = 0; i < k->kernels; i++) {
        const struct kernel *x = &k->kernel[i];
        json_t *row = kernel_json(x), *changes = NULL;

        json_array_append_new(rows, row);
        if (r->roofline && x->predicted)
            json_object_set_new(row, "roofline", roofs_json(x, p->gpu));
        if (r->what_if && !x->launch->forecast->refused[0] &&
            !(changes = what_if_json(&p->model, x->launch->sample, p->gpu, error))) {
            json_decref(rows);
            return false;
        }
        if (changes)
            json_object_set_new(row, "what_if", changes);
    }
    all = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:f, s:o, s:I, s:I, s:f, s:f, s:f, s:f}", "format", 1, "submission",
                    r->submission, "problem", r->problem, "gpu", p->gpu->name, "trained_on", predictions_trained_on(p),
                    "method", p->model.recipe.method->name, "level", MODEL_LEVEL, "kernels", rows, "launches",
                    (json_int_t)sum.launches, "predicted", (json_int_t)sum.predicted, "us", sum.us, "low_us",
                    sum.low_us, "high_us", sum.high_us, "launch_us", sum.launch_us);
    if (tuned) {
        json_t *kernels = json_array();

        for (size_t i = 0; i < tuned->kernels; i++)
            json_array_append_new(kernels, tried_json(&tuned->kernel[i]));
        json_object_set_new(all, "tuned", kernels);
    }
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(SUM_DIGITS));
    putchar('\n');
    json_decref(all);
    return true;
}

/* Where the time goes by the mechanism: what takes a twentieth or more, most first. */
static void print_parts(const struct kernel *k)
{
    bool told[PARTS] = {false};
    const char *before = "";

    if (!k->predicted)
        return;
    for (;;) {
        int most = -1;

        for (int i = 0; i < PARTS; i++)
            if (!told[i] && k->part[i] >= SMALL_PART * k->us && (most < 0 || k->part[i] > k->part[most]))
                most = i;
        if (most < 0)
            break;
        told[most] = true;
        printf("%s%s %.0f %%", *before ? before : "            goes to: ", part_name(most),
               100 * k->part[most] / k->us);
        before = ", ";
    }
    if (*before)
        printf("%slaunch %.0f %%\n", before, 100 * k->launch_us / k->us);
}

static void print_kernel(const struct kernel *k)
{
    char total[32] = "-", low[32], high[32], between[80] = "-", launches[64], bound[96] = "not predicted";

    if (k->predicted) {
        predictions_shown(total, k->us);
        snprintf(between, sizeof between, "%s to %s", predictions_shown(low, k->low_us),
                 predictions_shown(high, k->high_us));
        snprintf(bound, sizeof bound, "%s (%.0f %%)", k->bound, round(k->bound_share * 100));
    }
    if (k->predicted == k->launches || k->predicted == 0)
        snprintf(launches, sizeof launches, "%zu", k->launches);
    else
        snprintf(launches, sizeof launches, "%zu of %zu", k->predicted, k->launches);
    printf("%10s  %-22s %10s  %-24s %s\n", total, between, launches, bound, k->launch->sample->kernel);
    print_parts(k);
    if (k->refused)
        printf("%10s  %s%s\n", "", k->regular ? "" : "irregular: ", k->refused);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The kernels of which the simulator said that all their blocks had to be executed, each once. */
static bool print_waiting(const char *path, struct error *error)
{
    static const char start[] = "cudasim: ", wait[] = ": its blocks may wait for each other";
    struct cells said;
    char **line;
    size_t count = 0;

    if (!path)
        return true;
    if (!cells_read(&said, path, '\n', error))
        return false;
    line = malloc((said.rows + 1) * sizeof *line);
    for (size_t r = 0; line && r < said.rows; r++) {
        char *text = said.row[r].cell[0], *end = strstr(text, wait);

        if (strncmp(text, start, strlen(start)) != 0 || !end || strncmp(end + strlen(wait), ": ", 2) != 0)
            continue;
        end[strlen(wait)] = '\0';
        line[count++] = text + strlen(start);
    }
    if (line)
        qsort(line, count, sizeof *line, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(line[i], line[i - 1]) != 0)
            printf("%s: all were executed, and how long they wait is not known\n", line[i]);
    free(line);
    cells_release(&said);
    return line || error_toolkit(error, "no memory for %s", path);
}

static void print_launches(size_t count)
{
    printf("%zu launch%s", count, count == 1 ? "" : "es");
}

static void print_sum(const struct kernel *sum)
{
    char us[32], low[32], high[32], launch[32];

    if (sum->predicted == 0) {
        fputs("sum: none of ", stdout);
        print_launches(sum->launches);
        fputs(" is predicted\n", stdout);
    } else {
        printf("sum: %s us, %s to %s, of ", predictions_shown(us, sum->us), predictions_shown(low, sum->low_us),
               predictions_shown(high, sum->high_us));
        if (sum->predicted != sum->launches)
            printf("%zu of ", sum->predicted);
        print_launches(sum->launches);
        printf("%s; launching is about %s us of it\n",
               sum->predicted == sum->launches ? "" : ": the others come to it",
               predictions_shown(launch, sum->launch_us));
    }
    puts("each launch counts as alone, with warm caches; copies and the host's work are not included");
}

/* The fastest first, those that are not predicted last; else as they were tried. */
static int by_time(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    double time = x->forecast->refused[0] ? INFINITY : x->forecast->us;
    double other = y->forecast->refused[0] ? INFINITY : y->forecast->us;

    if (time != other)
        return (time > other) - (time < other);
    return (x->sample > y->sample) - (x->sample < y->sample);
}

/* A kernel's blocks, from the fastest; puts its launches in that order. */
static void print_tried(struct kernels *tuned, struct kernel *k)
{
    struct launch *launch = tuned->launch + (k->launch - tuned->launch);
    const struct launch *best = best_of(k);
    char given[64], block[64], us[32];

    block_of(given, launch->sample);
    printf("%s: ", launch->sample->kernel);
    if (!best) {
        printf("none is predicted: %s\n", launch->forecast->refused);
        return;
    }
    block_of(block, best->sample);
    printf("best %s; ", strcmp(block, given) == 0 ? "as it is" : block);
    qsort(launch, k->launches, sizeof *launch, by_time);
    for (size_t i = 0; i < k->predicted; i++) {
        block_of(block, launch[i].sample);
        printf("%s%s%s %s", i ? ", " : "", block, strcmp(block, given) == 0 ? " (as it is)" : "",
               predictions_shown(us, launch[i].forecast->us));
    }
    if (k->predicted < k->launches)
        printf("; %zu not predicted", k->launches - k->predicted);
    putchar('\n');
}

static void print_tuning(struct kernels *tuned)
{
    puts("block sizes that leave the number of threads as it is, us for the first launch of each kernel;"
         " whether the result is still right is not known:");
    for (size_t i = 0; tuned && i < tuned->kernels; i++)
        print_tried(tuned, &tuned->kernel[i]);
    if (!tuned)
        puts("no kernel was tried");
}

static bool print_what_ifs(const struct kernels *k, struct error *error)
{
    puts("if it were otherwise, us for the first launch of each kernel; whether it can be made so is not known:");
    for (size_t i = 0; i < k->kernels; i++) {
        const struct launch *first = k->kernel[i].launch;

        if (!first->forecast->refused[0] && !what_if_print(&k->predictions.model, first->sample, k->predictions.gpu,
                                                           first->forecast->us, error))
            return false;
    }
    return true;
}

static bool print_text(const struct request *r, const struct kernels *k, struct kernels *tuned, struct error *error)
{
    const struct kernel sum = sum_of(k);

    printf("predicted for one %s, by a model of launches on %s; on the simulator: %s\n", k->predictions.gpu->name,
           predictions_trained_on(&k->predictions), r->how);
    printf("%10s  %-22s %10s  %-24s %s\n", "total us", "90 % between", "launches", "bounded by", "kernel");
    for (size_t i = 0; i < k->kernels; i++)
        print_kernel(&k->kernel[i]);
    if (!print_waiting(r->said, error))
        return false;
    print_sum(&sum);
    if (r->tuned)
        print_tuning(tuned);
    if (r->roofline)
        print_roofs(k);
    return !r->what_if || print_what_ifs(k, error);
}

/* Whether the simulator tried another block of any kernel. */
static bool was_tried(const char *path, bool *tried, struct error *error)
{
    struct cells cells;

    if (!cells_read(&cells, path, ',', error))
        return false;
    *tried = cells.rows > 1;
    cells_release(&cells);
    return true;
}

bool command_submission(const struct request *r, struct error *error)
{
    struct kernels kernels, tuned;
    bool tried = false, good;

    if ((r->tuned && !was_tried(r->tuned, &tried, error)) || !kernels_make(&kernels, r, r->file[1], error))
        return false;
    qsort(kernels.kernel, kernels.kernels, sizeof *kernels.kernel, by_cost);
    good = !tried || kernels_make(&tuned, r, r->tuned, error);
    good = good && (!r->roofline || plot_roofs(&kernels, r->roofline, error));
    if (good && r->json)
        good = print_json(r, &kernels, tried ? &tuned : NULL, error);
    else if (good)
        good = print_text(r, &kernels, tried ? &tuned : NULL, error);
    if (tried)
        kernels_release(&tuned);
    kernels_release(&kernels);
    return good;
}
