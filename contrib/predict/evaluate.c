/* evaluate.c - the runs of evaluate.h, as independent jobs. */
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cblas.h>

#include "jobs.h"
#include "contrib/predict/rows/split.h"
#include "verify/base/clock.h"

struct job {
    struct run *run; /* that it is a part of */
    int part; /* the fold, or the kernel that is left out */
};

struct work {
    struct evaluation *e; /* whose runs they are parts of */
    struct job *jobs;     /* independent of each other */
};

static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void list_variants(struct evaluation *e)
{
    static const char *const source_names[] = {"elm-source", "mlp-source", "svr-source"};
    const struct method *const source_methods[] = {&method_elm, &method_mlp, &method_svr};

    for (int i = 0; i < 3; i++)
        e->variants[e->variant_count++] = (struct variant){source_names[i], {source_methods[i], INPUTS_SOURCE, true}};
    for (int i = 0; methods[i]; i++) {
        /* Rows from before the simulator counted the work of a launch say nothing to the mechanism. */
        if (methods[i] == &method_mechanism && !parts_known(&e->table->samples[0]))
            continue;
        e->variants[e->variant_count++] = (struct variant){methods[i]->name, {methods[i], INPUTS_DERIVED, false}};
    }
}

/* One model: fitted on the rows of one part of a split, or on all for another GPU, and tried on the others. */
static bool do_job(void *context, size_t number, struct error *error)
{
    struct work *work = context;
    struct evaluation *e = work->e;
    struct run *run = work->jobs[number].run;
    int part = work->jobs[number].part;
    const struct recipe *recipe = &run->variant->recipe;
    const struct design *all = &e->designs[run->group][recipe->set], *tested = run->design;
    struct design train = {.rows = 0};
    struct split split = {.train_count = 0};
    struct model model;
    bool good;

    if (run->test == TEST_GPU) {
        good = model_fit(&model, recipe, all, NULL, error);
        for (size_t i = 0; good && i < tested->rows; i++)
            run->predicted[i] = model_time(&model, tested->x + i * tested->inputs, tested->terms + i * ROW_TERMS);
        if (good)
            model_release(&model);
        return good;
    }
    good = run->test == TEST_RANDOM ? split_random(&split, all->rows, SPLIT_SEED, error)
           : run->test == TEST_FOLDS ? split_fold(&split, all->rows, FOLDS_COUNT, part, SPLIT_SEED, error)
                                     : split_group(&split, all->kernel, all->rows, part, error);
    good = good && design_pick(&train, all, split.train, split.train_count, error);
    if (good && (good = model_fit(&model, recipe, &train, NULL, error))) {
        for (size_t i = 0; i < split.test_count; i++) {
            size_t row = split.test[i];

            run->predicted[row] = model_time(&model, all->x + row * all->inputs, all->terms + row * ROW_TERMS);
        }
        model_release(&model);
    }
    design_release(&train);
    split_release(&split);
    return good;
}

static bool add_run(struct evaluation *e, const struct variant *variant, enum group group, enum test test,
                    struct job *jobs, size_t *job_count, struct error *error)
{
    const struct design *all = &e->designs[group][variant->recipe.set];
    const struct design *design = test == TEST_GPU ? &e->other_designs[variant->recipe.set] : all;
    int parts = test == TEST_FOLDS ? FOLDS_COUNT : test == TEST_KERNEL ? all->kernels : 1;
    struct run *run = &e->runs[e->run_count];

    if (all->rows < 2 * FOLDS_COUNT || (test == TEST_KERNEL && all->kernels < 2))
        return true;
    *run = (struct run){.variant = variant, .group = group, .test = test, .rows = design->rows, .design = design};
    run->predicted = calloc(design->rows + 1, sizeof *run->predicted);
    if (!run->predicted)
        return error_toolkit(error, "no memory for %zu rows", design->rows);
    e->run_count++;
    for (int part = 0; part < parts; part++)
        jobs[(*job_count)++] = (struct job){run, part};
    return true;
}

static bool run_all(struct evaluation *e, struct error *error)
{
    size_t most_runs = (size_t)e->variant_count * (2 * GROUPS + 2), count = 0;
    int kernels = e->designs[GROUP_MERGED][INPUTS_DERIVED].kernels;
    struct job *jobs = calloc(most_runs * (size_t)(kernels + FOLDS_COUNT + 1) + 1, sizeof *jobs);
    bool good;

    e->runs = calloc(most_runs + 1, sizeof *e->runs);
    good = (jobs && e->runs) || error_toolkit(error, "no memory for %zu runs", most_runs);
    for (int v = 0; good && v < e->variant_count; v++) {
        for (int g = 0; good && g < GROUPS; g++)
            good = add_run(e, &e->variants[v], g, TEST_RANDOM, jobs, &count, error) &&
                   (e->variants[v].recipe.method == &method_kriging ||
                    add_run(e, &e->variants[v], g, TEST_FOLDS, jobs, &count, error));
        /* The way of Riahi et al. is tried on their own tests; the process alone shows what the law adds. */
        if (e->variants[v].recipe.raw_time || e->variants[v].recipe.method == &method_kriging)
            continue;
        good = good && add_run(e, &e->variants[v], GROUP_MERGED, TEST_KERNEL, jobs, &count, error);
        if (good && e->other)
            good = add_run(e, &e->variants[v], GROUP_MERGED, TEST_GPU, jobs, &count, error);
    }
    good = good && jobs_run(do_job, &(struct work){e, jobs}, count, error);
    free(jobs);
    for (size_t r = 0; good && r < e->run_count; r++) {
        struct run *run = &e->runs[r];
        double *predicted = malloc((run->rows + 1) * sizeof *predicted);
        double *measured = malloc((run->rows + 1) * sizeof *measured);
        size_t tested = 0;

        good = (predicted && measured) || error_toolkit(error, "no memory for %zu rows", run->rows);
        for (size_t i = 0; good && i < run->rows; i++)
            if (run->predicted[i] > 0) {
                predicted[tested] = run->predicted[i];
                measured[tested++] = run->design->time[i];
            }
        if (good)
            run->score = score_of(predicted, measured, tested);
        free(predicted);
        free(measured);
    }
    return good;
}

/* Times of training and of one prediction, of one processor: what else runs on the machine does not count. */
static bool take_times(struct evaluation *e, struct error *error)
{
    openblas_set_num_threads(1);
    for (int v = 0; v < e->variant_count; v++) {
        const struct recipe *recipe = &e->variants[v].recipe;
        const struct design *all = &e->designs[GROUP_MERGED][recipe->set];
        struct design train;
        struct split split;
        struct model model;
        double start, sum = 0;
        bool good;

        if (!split_random(&split, all->rows, SPLIT_SEED, error))
            return false;
        good = design_pick(&train, all, split.train, split.train_count, error);
        start = thread_seconds();
        good = good && model_fit(&model, recipe, &train, NULL, error);
        e->fit_s[v] = thread_seconds() - start;
        start = thread_seconds();
        for (size_t i = 0; good && i < split.test_count; i++) {
            size_t row = split.test[i];

            sum += model_time(&model, all->x + row * all->inputs, all->terms + row * ROW_TERMS);
        }
        e->predict_us[v] = (thread_seconds() - start) * 1e6 / (double)split.test_count;
        if (good && !(sum > 0))
            good = error_toolkit(error, "%s predicts no time at all", e->variants[v].name);
        if (good)
            model_release(&model);
        design_release(&train);
        split_release(&split);
        if (!good)
            return false;
    }
    return true;
}

static bool take_influence(struct evaluation *e, struct error *error)
{
    for (int g = 0; g < GROUPS + 1; g++) {
        const struct design *d = g < GROUPS ? &e->designs[g][INPUTS_SOURCE] : &e->designs[GROUP_MERGED][INPUTS_DERIVED];

        if (d->rows > 1 && !mrmr_rank(d->x, d->time, d->rows, d->inputs,
                                      g < GROUPS ? e->influence[g] : e->derived_influence, error))
            return false;
    }
    return true;
}

static void count_row(struct coverage *c, double factor, double predicted, double measured)
{
    c->rows++;
    c->held += fabs(log(predicted / measured)) <= log(factor) * (1 + 1e-12);
    c->mean_factor += factor;
}

/* The default model calibrated on four fifths, its intervals tried on the rest. */
static bool take_coverage(struct evaluation *e, struct error *error)
{
    const struct design *all = &e->designs[GROUP_MERGED][INPUTS_DERIVED];
    const struct recipe recipe = {&method_bounded, INPUTS_DERIVED, false};
    const struct run *left_out = evaluation_run(e, "bounded", GROUP_MERGED, TEST_KERNEL);
    struct design train = {.rows = 0};
    struct split split;
    struct model model;
    bool good = split_random(&split, all->rows, SPLIT_SEED, error);

    if (!good)
        return false;
    good = design_pick(&train, all, split.train, split.train_count, error) &&
           model_fit(&model, &recipe, &train, NULL, error);
    if (good && (good = model_calibrate(&model, &train, &train, error))) {
        for (size_t i = 0; i < split.test_count; i++) {
            size_t row = split.test[i];
            double x[MAX_INPUTS], distance;

            normalise(&model.reach.range, all->x + row * all->inputs, x);
            distance = reach_distance(&model.reach, x, NULL, NULL);
            count_row(&e->interpolation,
                      reach_factor(&model.reach, reach_novelty(&model.reach, x), distance, MODEL_LEVEL),
                      model_time(&model, all->x + row * all->inputs, all->terms + row * ROW_TERMS), all->time[row]);
        }
        model_release(&model);
    }
    design_release(&train);
    split_release(&split);
    /* A kernel left out, with the interval that the other kernels' errors, when they were left out, give. */
    for (int k = 0; good && left_out && k < all->kernels; k++) {
        double *others = malloc((all->rows + 1) * sizeof *others), factor;
        size_t count = 0;

        if (!others)
            return error_toolkit(error, "no memory for %zu rows", all->rows);
        for (size_t i = 0; i < all->rows; i++)
            if (all->kernel[i] != k)
                others[count++] = fabs(log(left_out->predicted[i] / all->time[i]));
        factor = exp(conformal_quantile(others, count, MODEL_LEVEL));
        for (size_t i = 0; i < all->rows; i++)
            if (all->kernel[i] == k)
                count_row(&e->new_kernel, factor, left_out->predicted[i], all->time[i]);
        free(others);
    }
    if (e->interpolation.rows)
        e->interpolation.mean_factor /= (double)e->interpolation.rows;
    if (e->new_kernel.rows)
        e->new_kernel.mean_factor /= (double)e->new_kernel.rows;
    return good;
}

bool evaluate(struct evaluation *e, const struct table *table, const struct table *other, const struct gpus *gpus,
              struct error *error)
{
    static const enum kernel_class class_of[] = {CLASS_COMPUTATION, CLASS_MEMORY, CLASS_NONE};
    int64_t start = clock_ns();
    bool good = true;

    *e = (struct evaluation){.table = table, .other = other};
    if (table->rows < 3 * FOLDS_COUNT)
        return error_usage(error, "%s: %zu rows are too few to evaluate on; %d are the least", table->path, table->rows,
                           3 * FOLDS_COUNT);
    list_variants(e);
    for (int set = 0; good && set < 2; set++) {
        for (int g = 0; good && g < GROUPS; g++)
            good = design_make(&e->designs[g][set], set, table, class_of[g], gpus, error);
        if (good && other)
            good = design_make(&e->other_designs[set], set, other, CLASS_NONE, gpus, error);
    }
    good = good && take_times(e, error) && run_all(e, error) && take_influence(e, error) && take_coverage(e, error);
    e->seconds = clock_seconds(start, clock_ns());
    if (!good)
        evaluation_release(e);
    return good;
}

const struct run *evaluation_run(const struct evaluation *e, const char *variant, enum group group, enum test test)
{
    for (size_t r = 0; r < e->run_count; r++)
        if (strcmp(e->runs[r].variant->name, variant) == 0 && e->runs[r].group == group && e->runs[r].test == test)
            return &e->runs[r];
    return NULL;
}

void evaluation_release(struct evaluation *e)
{
    for (size_t r = 0; r < e->run_count; r++)
        free(e->runs[r].predicted);
    free(e->runs);
    for (int set = 0; set < 2; set++) {
        for (int g = 0; g < GROUPS; g++)
            design_release(&e->designs[g][set]);
        design_release(&e->other_designs[set]);
    }
    *e = (struct evaluation){.table = NULL};
}
