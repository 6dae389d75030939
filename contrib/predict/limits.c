/* limits.c - the law of limits.h by L-BFGS, with its gradient. */
#include "limits.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>

enum { LAW };
#define LEAST 1e-9     /* microseconds: a term that is nothing */
#define HOLD 0.0002    /* how strongly a factor is held to its start, for terms that no row depends on */
#define STEPS 250

/* TERM_TOTAL and TERM_BYTES are the roofline's alone: other terms know better. */
static bool used(int term)
{
    return term != TERM_TOTAL && term != TERM_BYTES;
}

/* Where the search starts: the peaks are not reached, latencies are partly hidden. */
static const double start_factor[TERMS] = {
    [TERM_ISSUE] = 0.5, [TERM_DOUBLE] = 0.1, [TERM_SPECIAL] = 0.1, [TERM_SHARED] = 0.1, [TERM_L1] = 0.1, [TERM_L2] = 0.3,
    [TERM_DRAM] = 0.2, [TERM_LATENCY] = -0.5, [TERM_MEMORY_LATENCY] = -1, [TERM_BARRIER] = -0.5, [TERM_BLOCKS] = -0.5};

struct gradient {
    double time;            /* the logarithm of microseconds */
    double by[LIMITS_COUNT]; /* its derivatives */
    double share[TERMS];
    double launch_share;
};

static void evaluate(const double *law, const double *terms, struct gradient *g)
{
    double p = 1 + exp(law[LIMITS_POWER]), launch = exp(law[LIMITS_LAUNCH]);
    double logs[TERMS], largest = log(LEAST), sum = 0, mean_log = 0, norm, rest;

    for (int i = 0; i < TERMS; i++) {
        logs[i] = used(i) ? law[i] + log(terms[i] + LEAST) : -INFINITY;
        largest = fmax(largest, logs[i]);
    }
    for (int i = 0; i < TERMS; i++) {
        g->share[i] = used(i) ? exp(p * (logs[i] - largest)) : 0;
        sum += g->share[i];
    }
    for (int i = 0; i < TERMS; i++) {
        g->share[i] /= sum;
        mean_log += g->share[i] > 0 ? g->share[i] * (logs[i] - largest) : 0;
    }
    norm = exp(largest + log(sum) / p);
    g->time = log(launch + norm);
    g->launch_share = launch / (launch + norm);
    rest = norm / (launch + norm);
    for (int i = 0; i < TERMS; i++)
        g->by[i] = rest * g->share[i];
    g->by[LIMITS_LAUNCH] = g->launch_share;
    g->by[LIMITS_POWER] = rest * (mean_log / p - log(sum) / (p * p)) * (p - 1);
}

struct work {
    const struct training *t;
    const double *start;
    double *weight; /* rows: one over the rows of the kernel */
};

static double loss(unsigned count, const double *law, double *gradient, void *data)
{
    struct work *work = data;
    const struct training *t = work->t;
    struct gradient g;
    double sum = 0;

    for (unsigned i = 0; i < count; i++) {
        double off = law[i] - work->start[i];

        sum += HOLD * off * off;
        if (gradient)
            gradient[i] = 2 * HOLD * off;
    }
    for (size_t row = 0; row < t->rows; row++) {
        double error;

        evaluate(law, t->terms + row * TERMS, &g);
        error = g.time - t->y[row];
        sum += work->weight[row] * error * error;
        for (unsigned i = 0; gradient && i < count; i++)
            gradient[i] += 2 * work->weight[row] * error * g.by[i];
    }
    return sum;
}

bool limits_fit(const struct training *t, double *law, struct error *error)
{
    struct work work = {.t = t, .weight = calloc(t->rows + 1, sizeof(double))};
    double start[LIMITS_COUNT], least = INFINITY, final = INFINITY;
    size_t *rows_of = calloc((size_t)t->kernels + 1, sizeof *rows_of), present = 0;
    nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, LIMITS_COUNT);

    if (!work.weight || !rows_of || !search) {
        free(work.weight);
        free(rows_of);
        nlopt_destroy(search);
        return error_toolkit(error, "no memory for %zu rows", t->rows);
    }
    for (size_t i = 0; i < t->rows; i++) {
        present += rows_of[t->kernel[i]]++ == 0;
        least = fmin(least, t->y[i]);
    }
    for (size_t i = 0; i < t->rows; i++)
        work.weight[i] = 1 / (double)rows_of[t->kernel[i]] / (double)present;
    for (int i = 0; i < TERMS; i++)
        start[i] = start_factor[i];
    start[LIMITS_LAUNCH] = least - 0.1;
    start[LIMITS_POWER] = log(1.5);
    work.start = start;
    for (int i = 0; i < LIMITS_COUNT; i++)
        law[i] = start[i];
    nlopt_set_min_objective(search, loss, &work);
    nlopt_set_maxeval(search, STEPS);
    nlopt_set_ftol_rel(search, 1e-8);
    nlopt_optimize(search, law, &final);
    nlopt_destroy(search);
    free(work.weight);
    free(rows_of);
    for (int i = 0; i < LIMITS_COUNT; i++)
        if (!isfinite(law[i]))
            return error_toolkit(error, "the law of limits could not be calibrated");
    return true;
}

double limits_predict(const double *law, const double *terms, double *share, double *launch_share)
{
    struct gradient g;

    evaluate(law, terms, &g);
    for (int i = 0; share && i < TERMS; i++)
        share[i] = g.share[i];
    if (launch_share)
        *launch_share = g.launch_share;
    return g.time;
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    double *law = learned_array(learned, LAW, LIMITS_COUNT, error);

    return law && limits_fit(t, law, error);
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    (void)inputs;
    (void)x;
    return limits_predict(learned->array[LAW].values, terms, NULL, NULL);
}

static bool check(const struct learned *learned, size_t inputs)
{
    (void)inputs;
    return learned->array[LAW].count == LIMITS_COUNT;
}

const struct method method_limits = {.name = "limits", .title = "calibrated limits", .physical = true, .arrays = {"law"},
                                     .fit = fit, .predict = predict, .check = check};
