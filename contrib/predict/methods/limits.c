/* limits.c - the law of limits.h by the method of Levenberg and Marquardt, on LAPACKE. */
#include "limits.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAW };
enum { LOGIT = TERMS, LOGS }; /* of the share of the footprint that memory serves: log(share / (1 - share)) */
enum { MOST_ROWS = 3000, STEPS = 40, TRIALS = 8 };
#define LEAST 1e-9     /* microseconds: a term that is nothing */
#define HOLD 0.0002    /* how strongly a factor is held to its start, for terms that no row depends on */
#define OWN_HOLD 0.001 /* the same of one kernel's law, in rows: how strongly it is held to the law of all */
#define OWN_LAUNCH 10  /* the launch this many times as strongly: short rows show it, and it is much the same for all */
#define LARGEST 1e15    /* a share of memory over one of the cache, or the other way round */
#define STRIDE 1.0     /* the most that a logarithm changes in a step */
#define LEAST_POWER -3.0
#define MOST_POWER 3.5
#define LEAST_STEEPNESS -1.5
#define MOST_STEEPNESS 2.5

/*
 * TERM_TOTAL and TERM_BYTES are the roofline's alone: other terms know better. TERM_FOOTPRINT stands behind
 * TERM_DRAM.
 */
static bool used(int term)
{
    return term != TERM_TOTAL && term != TERM_BYTES && term != TERM_FOOTPRINT;
}

/* Where the search starts: the peaks are not reached, latencies are partly hidden. */
static const double start_factor[TERMS] = {
    [TERM_ISSUE] = 0.5, [TERM_DOUBLE] = 0.1, [TERM_SPECIAL] = 0.1, [TERM_SHARED] = 0.1, [TERM_L1] = 0.1,
    [TERM_L2] = 0.3, [TERM_DRAM] = 0.2, [TERM_LATENCY] = -0.5, [TERM_MEMORY_LATENCY] = -1, [TERM_BARRIER] = -0.5,
    [TERM_BLOCKS] = -0.5};

struct gradient {
    double time;            /* the logarithm of microseconds */
    double by[LIMITS_COUNT]; /* its derivatives */
    double share[TERMS];
    double launch_share;
};

static void take_logs(const double *terms, double *logs)
{
    double rest = terms[TERM_DRAM] > 0 ? terms[TERM_FOOTPRINT] / terms[TERM_DRAM] - 1 : LARGEST;

    for (int i = 0; i < TERMS; i++)
        logs[i] = log(terms[i] + LEAST);
    logs[LOGIT] = -log(fmin(fmax(rest, 1 / LARGEST), LARGEST));
}

/* logs: of the terms. */
static void evaluate(const double *law, const double *logs, struct gradient *g)
{
    double p = 1 + exp(law[LIMITS_POWER]), launch = exp(law[LIMITS_LAUNCH]);
    double off[TERMS], largest = log(LEAST), sum = 0, mean_log = 0, norm, rest;
    double steepness = exp(law[LIMITS_STEEPNESS]), place = steepness * (logs[LOGIT] + law[LIMITS_CACHE]);
    double cached = 1 / (1 + exp(place));

    for (int i = 0; i < TERMS; i++) {
        off[i] = law[i] + (i == TERM_DRAM ? logs[TERM_FOOTPRINT] - log1p(exp(-place)) : logs[i]);
        if (used(i))
            largest = fmax(largest, off[i]);
    }
    for (int i = 0; i < TERMS; i++) {
        double below = p * (off[i] - largest);

        g->share[i] = used(i) && below > -40 ? exp(below) : 0;
        sum += g->share[i];
    }
    for (int i = 0; i < TERMS; i++) {
        g->share[i] /= sum;
        mean_log += g->share[i] > 0 ? g->share[i] * (off[i] - largest) : 0;
    }
    norm = exp(largest + log(sum) / p);
    g->time = log(launch + norm);
    g->launch_share = launch / (launch + norm);
    rest = norm / (launch + norm);
    for (int i = 0; i < TERMS; i++)
        g->by[i] = rest * g->share[i];
    g->by[LIMITS_CACHE] = g->by[TERM_DRAM] * cached * steepness;
    g->by[LIMITS_STEEPNESS] = g->by[TERM_DRAM] * cached * place;
    g->by[LIMITS_LAUNCH] = g->launch_share;
    g->by[LIMITS_POWER] = rest * (mean_log / p - log(sum) / (p * p)) * (p - 1);
}

/* What a law is fitted to: sum of weight x (its error)^2 + hold x (law - centre)^2. */
struct problem {
    size_t rows;
    double *logs;   /* rows x LOGS */
    double *y;      /* rows */
    double *weight; /* rows */
    double centre[LIMITS_COUNT], hold[LIMITS_COUNT];
};

/* The objective; and, unless NULL, half its gradient and the Gauss-Newton matrix of half of it. */
static double objective(const struct problem *p, const double *law, double *gradient, double *matrix)
{
    struct gradient g;
    double sum = 0;

    if (matrix) {
        memset(gradient, 0, LIMITS_COUNT * sizeof *gradient);
        memset(matrix, 0, LIMITS_COUNT * LIMITS_COUNT * sizeof *matrix);
    }
    for (size_t row = 0; row < p->rows; row++) {
        double error;

        evaluate(law, p->logs + row * LOGS, &g);
        error = g.time - p->y[row];
        sum += p->weight[row] * error * error;
        for (int i = 0; matrix && i < LIMITS_COUNT; i++) {
            double by = p->weight[row] * g.by[i];

            gradient[i] += by * error;
            for (int j = 0; j <= i; j++)
                matrix[i * LIMITS_COUNT + j] += by * g.by[j];
        }
    }
    for (int i = 0; i < LIMITS_COUNT; i++) {
        double off = law[i] - p->centre[i];

        sum += p->hold[i] * off * off;
        if (matrix) {
            gradient[i] += p->hold[i] * off;
            matrix[i * LIMITS_COUNT + i] += p->hold[i];
        }
    }
    return sum;
}

/* One step downhill from `law`, whose objective is *value; false where there is none. */
static bool descend(const struct problem *p, double *law, double *value, double *damping)
{
    double gradient[LIMITS_COUNT], matrix[LIMITS_COUNT * LIMITS_COUNT];

    objective(p, law, gradient, matrix);
    for (int trial = 0; trial < TRIALS; trial++, *damping *= 6) {
        double damped[LIMITS_COUNT * LIMITS_COUNT], step[LIMITS_COUNT], next[LIMITS_COUNT], reached;

        memcpy(damped, matrix, sizeof damped);
        for (int i = 0; i < LIMITS_COUNT; i++) {
            damped[i * LIMITS_COUNT + i] *= 1 + *damping;
            step[i] = -gradient[i];
        }
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', LIMITS_COUNT, 1, damped, LIMITS_COUNT, step, 1) != 0)
            continue;
        for (int i = 0; i < LIMITS_COUNT; i++)
            next[i] = law[i] + fmax(-STRIDE, fmin(step[i], STRIDE));
        next[LIMITS_POWER] = fmax(LEAST_POWER, fmin(next[LIMITS_POWER], MOST_POWER));
        next[LIMITS_STEEPNESS] = fmax(LEAST_STEEPNESS, fmin(next[LIMITS_STEEPNESS], MOST_STEEPNESS));
        reached = objective(p, next, NULL, NULL);
        if (reached < *value) {
            bool further = *value - reached > 1e-3 * *value;

            memcpy(law, next, sizeof next);
            *value = reached;
            *damping = fmax(*damping / 6, 1e-9);
            return further;
        }
    }
    return false;
}

static void solve(const struct problem *p, double *law)
{
    double damping = 1e-2, value;

    memcpy(law, p->centre, sizeof p->centre);
    value = objective(p, law, NULL, NULL);
    for (int step = 0; step < STEPS && descend(p, law, &value, &damping); step++)
        ;
}

static bool problem_make(struct problem *p, size_t rows, struct error *error)
{
    *p = (struct problem){.logs = malloc((rows + 1) * LOGS * sizeof(double)), .y = malloc((rows + 1) * sizeof(double)),
                          .weight = malloc((rows + 1) * sizeof(double))};
    return (p->logs && p->y && p->weight) || error_toolkit(error, "no memory for %zu rows", rows);
}

static void problem_add(struct problem *p, const struct training *t, size_t row, double weight)
{
    take_logs(t->terms + row * ROW_TERMS, p->logs + p->rows * LOGS);
    p->y[p->rows] = t->y[row];
    p->weight[p->rows++] = weight;
}

static void problem_release(struct problem *p)
{
    free(p->logs);
    free(p->y);
    free(p->weight);
}

bool limits_fit(const struct training *t, double *law, struct error *error)
{
    size_t *rows_of = calloc((size_t)t->kernels + 1, sizeof *rows_of), present = 0;
    size_t step = (t->rows + MOST_ROWS - 1) / MOST_ROWS;
    double least = INFINITY;
    struct problem p;
    bool good = problem_make(&p, t->rows, error);

    if (!rows_of || !good) {
        free(rows_of);
        problem_release(&p);
        return error_toolkit(error, "no memory for %zu rows", t->rows);
    }
    for (size_t i = 0; i < t->rows; i++) {
        least = fmin(least, t->y[i]);
        if (i % step == 0)
            present += rows_of[t->kernel[i]]++ == 0;
    }
    for (size_t i = 0; i < t->rows; i += step)
        problem_add(&p, t, i, 1 / (double)rows_of[t->kernel[i]] / (double)present);
    for (int i = 0; i < LIMITS_COUNT; i++)
        p.hold[i] = HOLD;
    for (int i = 0; i < TERMS; i++)
        p.centre[i] = start_factor[i];
    p.centre[LIMITS_LAUNCH] = least - 0.1;
    p.centre[LIMITS_POWER] = log(1.5);
    solve(&p, law);
    problem_release(&p);
    free(rows_of);
    for (int i = 0; i < LIMITS_COUNT; i++)
        if (!isfinite(law[i]))
            return error_toolkit(error, "the law of limits could not be calibrated");
    return true;
}

bool limits_fit_own(const struct training *t, const size_t *rows, size_t count, const double *common, double *law,
                    struct error *error)
{
    struct problem p;
    bool good = problem_make(&p, count, error);

    for (size_t i = 0; good && i < count; i++)
        problem_add(&p, t, rows[i], 1);
    for (int i = 0; i < LIMITS_COUNT; i++)
        p.hold[i] = i == LIMITS_LAUNCH ? OWN_HOLD * OWN_LAUNCH : OWN_HOLD;
    memcpy(p.centre, common, sizeof p.centre);
    if (good)
        solve(&p, law);
    problem_release(&p);
    return good;
}

double limits_predict(const double *law, const double *terms, double *share, double *launch_share)
{
    struct gradient g;
    double logs[LOGS];

    take_logs(terms, logs);
    evaluate(law, logs, &g);
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

const struct method method_limits = {.name = "limits", .title = "calibrated limits", .physical = true,
                                     .arrays = {"law"}, .fit = fit, .predict = predict, .check = check};
