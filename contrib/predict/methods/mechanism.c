/*
 * mechanism.c - puts the parts of a launch together: time = launch + q-norm(p-norm(throughputs), path).
 *
 * The parts come from the machine's constants. What is learned is little: a factor for each part, held close to 1, the
 * price of a launch, p, which says how far the throughputs overlap, and q, which says how far the path is hidden. The
 * method is that of Levenberg and Marquardt, with weights that keep a row that is far off from bending all others. What
 * this law leaves is corrected by rows that are alike: in where their time goes, and in their inputs (leftover.h).
 */
#include "mechanism.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leftover.h"

enum { LAW, SITES, PULLS };
enum { MOST_ROWS = 4000, MOST_SITES = 3000, STEPS = 60, TRIALS = 8 };
#define HOLD 0.001      /* how strongly the logarithm of a factor is held to 0, as a share of all kernels' squares */
#define EXACT 10.0      /* how much more strongly that of a part is held whose clocks are known exactly */
#define LARGE 0.25      /* errors beyond it count as they are, not squared */
#define LEAST 1e-6      /* microseconds: a part that is nothing */
#define STRIDE 0.7      /* the most that a logarithm changes in a step */
#define LEAST_POWER -1.5
#define MOST_POWER 2.5

struct gradient {
    double time;                /* the logarithm of microseconds */
    double by[MECHANISM_COUNT]; /* its derivatives; of a factor the part's share of the time */
};

static double path_of(const double *law, const double *parts)
{
    double sum = 0;

    for (int i = 0; i < PARTS; i++)
        if (part_is_path(i))
            sum += exp(law[i]) * parts[i];
    return fmax(sum, LEAST);
}

/* The p-norm of two times, each over the larger of both; what the first is of it, and the derivative by p - 1. */
static double join(double a, double b, double p, double *share, double *by_power)
{
    double most = fmax(a, b), x = pow(a / most, p), y = pow(b / most, p);
    double mean_log = (x > 0 ? x * log(a / most) : 0) + (y > 0 ? y * log(b / most) : 0);

    *share = x / (x + y);
    *by_power = (mean_log / (x + y) / p - log(x + y) / (p * p)) * (p - 1);
    return most * pow(x + y, 1 / p);
}

/* The p-norm of the throughputs; each one's share of it, and its derivative by p - 1. */
static double join_throughputs(const double *law, const double *parts, double *share, double *by_power)
{
    double p = 1 + exp(law[MECHANISM_POWER]), most = LEAST, sum = 0, mean_log = 0;

    for (int i = 0; i < PARTS; i++)
        if (!part_is_path(i))
            most = fmax(most, exp(law[i]) * parts[i]);
    for (int i = 0; i < PARTS; i++) {
        double x = exp(law[i]) * parts[i] / most;

        share[i] = part_is_path(i) || x < 1e-9 ? 0 : pow(x, p);
        sum += share[i];
        mean_log += share[i] > 0 ? share[i] * log(x) : 0;
    }
    for (int i = 0; i < PARTS && sum > 0; i++)
        share[i] /= sum;
    sum = fmax(sum, 1e-9);
    *by_power = (mean_log / sum / p - log(sum) / (p * p)) * (p - 1);
    return most * pow(sum, 1 / p);
}

static void evaluate(const double *law, const double *terms, struct gradient *g)
{
    const double *parts = terms + TERMS;
    double launch = exp(law[MECHANISM_LAUNCH]) * parts[PARTS_LAUNCH], path = path_of(law, parts);
    double of_path, by_power, rest;
    double busy = join_throughputs(law, parts, g->by, &by_power);
    double norm = join(path, busy, 1 + exp(law[MECHANISM_HIDING]), &of_path, &g->by[MECHANISM_HIDING]);

    rest = norm / (launch + norm);
    g->time = log(launch + norm);
    for (int i = 0; i < PARTS; i++)
        g->by[i] = rest * (part_is_path(i) ? of_path * exp(law[i]) * parts[i] / path : (1 - of_path) * g->by[i]);
    g->by[MECHANISM_LAUNCH] = 1 - rest;
    g->by[MECHANISM_POWER] = rest * (1 - of_path) * by_power;
    g->by[MECHANISM_HIDING] *= rest;
}

double mechanism_predict(const double *law, const double *terms, double *share, double *launch_share)
{
    struct gradient g;

    evaluate(law, terms, &g);
    if (share)
        memcpy(share, g.by, PARTS * sizeof *share);
    if (launch_share)
        *launch_share = g.by[MECHANISM_LAUNCH];
    return g.time;
}

const double *mechanism_law(const struct learned *learned)
{
    return learned->array[LAW].values;
}

/* ---- the fit ---- */

struct problem {
    const struct training *t;
    size_t step;      /* every so many rows are used */
    double *weight;   /* of each row: a kernel has the same of all its rows together as its weight says */
    double centre[MECHANISM_COUNT];
};

static bool usable(const double *terms)
{
    return path_of((const double[MECHANISM_COUNT]){0}, terms + TERMS) > LEAST;
}

/* Parts whose clocks the microbenchmarks give exactly, and whose instructions ptxas mostly keeps. */
static bool is_exact(int part)
{
    return part == PART_ISSUE || part == PART_FP64 || part == PART_XU || part == PART_TENSOR;
}

/* Huber's loss; and, unless NULL, half its gradient and the Gauss-Newton matrix of half of it. */
static double objective(const struct problem *p, const double *law, double *gradient, double *matrix)
{
    struct gradient g;
    double sum = 0;

    if (matrix) {
        memset(gradient, 0, MECHANISM_COUNT * sizeof *gradient);
        memset(matrix, 0, MECHANISM_COUNT * MECHANISM_COUNT * sizeof *matrix);
    }
    for (size_t row = 0; row < p->t->rows; row += p->step) {
        double error, size, weight;

        if (p->weight[row] <= 0)
            continue;
        evaluate(law, p->t->terms + row * ROW_TERMS, &g);
        error = g.time - p->t->y[row];
        size = fabs(error);
        sum += p->weight[row] * (size <= LARGE ? size * size : LARGE * (2 * size - LARGE));
        weight = p->weight[row] * (size <= LARGE ? 1 : LARGE / size);
        for (int i = 0; matrix && i < MECHANISM_COUNT; i++) {
            gradient[i] += weight * g.by[i] * error;
            for (int j = 0; j <= i; j++)
                matrix[i * MECHANISM_COUNT + j] += weight * g.by[i] * g.by[j];
        }
    }
    for (int i = 0; i < MECHANISM_COUNT; i++) {
        double off = law[i] - p->centre[i], hold = is_exact(i) ? EXACT * HOLD : HOLD;

        sum += hold * off * off;
        if (matrix) {
            gradient[i] += hold * off;
            matrix[i * MECHANISM_COUNT + i] += hold;
        }
    }
    return sum;
}

/* One step downhill from `law`, whose objective is *value; false where there is none. */
static bool descend(const struct problem *p, double *law, double *value, double *damping)
{
    enum { N = MECHANISM_COUNT };
    double gradient[N], matrix[N * N];

    objective(p, law, gradient, matrix);
    for (int trial = 0; trial < TRIALS; trial++, *damping *= 6) {
        double damped[N * N], step[N], next[N], reached;

        memcpy(damped, matrix, sizeof damped);
        for (int i = 0; i < N; i++) {
            damped[i * N + i] *= 1 + *damping;
            step[i] = -gradient[i];
        }
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', N, 1, damped, N, step, 1) != 0)
            continue;
        for (int i = 0; i < N; i++)
            next[i] = law[i] + fmax(-STRIDE, fmin(step[i], STRIDE));
        next[MECHANISM_POWER] = fmax(LEAST_POWER, fmin(next[MECHANISM_POWER], MOST_POWER));
        next[MECHANISM_HIDING] = fmax(LEAST_POWER, fmin(next[MECHANISM_HIDING], MOST_POWER));
        reached = objective(p, next, NULL, NULL);
        if (reached < *value) {
            bool further = *value - reached > 1e-5 * *value;

            memcpy(law, next, sizeof next);
            *value = reached;
            *damping = fmax(*damping / 6, 1e-9);
            return further;
        }
    }
    return false;
}

static bool weigh(struct problem *p, struct error *error)
{
    const struct training *t = p->t;
    size_t *rows_of = calloc((size_t)t->kernels + 1, sizeof *rows_of);
    double all = 0;

    p->weight = calloc(t->rows + 1, sizeof *p->weight);
    if (!rows_of || !p->weight) {
        free(rows_of);
        return error_toolkit(error, "no memory for %zu rows", t->rows);
    }
    for (size_t i = 0; i < t->rows; i += p->step)
        if (usable(t->terms + i * ROW_TERMS))
            rows_of[t->kernel[i]]++;
    for (size_t i = 0; i < t->rows; i += p->step)
        if (usable(t->terms + i * ROW_TERMS))
            all += p->weight[i] = (t->weight ? t->weight[i] : 1) / (double)rows_of[t->kernel[i]];
    for (size_t i = 0; i < t->rows && all > 0; i++)
        p->weight[i] /= all;
    free(rows_of);
    return all > 0 || error_usage(error, "no row has the work of its launch: count again with this simulator");
}

/* ---- what the law leaves ---- */

enum { OWN_COORDINATES = PARTS + 2 }; /* of a row's site: before its inputs */
#define SHORT 0.05 /* what a factor e of the time counts beside shares and inputs, which go from 0 to 1 */

/* Where a row lies among others: the shares of its time, its time, its inputs. */
static void find_site(const double *law, size_t inputs, const double *x, const double *terms, double *site)
{
    site[PARTS + 1] = SHORT * mechanism_predict(law, terms, site, &site[PARTS]);
    for (size_t i = 0; i < inputs; i++)
        site[OWN_COORDINATES + i] = x[i];
}

/* The sites of the rows that count, what the law leaves of them, and their weights; how many. */
static size_t find_sites(const struct problem *p, const double *law, size_t step, double *site, double *left,
                         double *weight)
{
    const struct training *t = p->t;
    size_t rows = 0, size = OWN_COORDINATES + t->inputs;
    double *own;

    for (size_t i = 0; i < t->rows; i += step) {
        if (p->weight[i] <= 0)
            continue;
        own = site + rows * size;
        find_site(law, t->inputs, t->x + i * t->inputs, t->terms + i * ROW_TERMS, own);
        left[rows] = t->y[i] - own[PARTS + 1] / SHORT;
        weight[rows++] = p->weight[i];
    }
    return rows;
}

/* A kernel weighs 1 in the mean. */
static double mean_weight(const struct problem *p)
{
    bool *seen = calloc((size_t)p->t->kernels + 1, sizeof *seen);
    double kernels = 0;

    for (size_t i = 0; seen && i < p->t->rows; i++)
        if (p->weight[i] > 0 && !seen[p->t->kernel[i]]) {
            seen[p->t->kernel[i]] = true;
            kernels++;
        }
    free(seen);
    return 1 / fmax(kernels, 1);
}

static bool fit_leftover(struct learned *learned, const struct problem *p, const double *law, struct error *error)
{
    size_t most = p->t->rows / p->step + 1, often = (most + MOST_SITES - 1) / MOST_SITES;
    size_t room = most / often + 1, size = OWN_COORDINATES + p->t->inputs, rows;
    double *left = malloc(room * sizeof *left), *weight = malloc(room * sizeof *weight), mean = mean_weight(p);
    double *site = learned_array(learned, SITES, room * size, error);
    double *pull = site ? learned_array(learned, PULLS, room, error) : NULL;
    bool good = pull && ((left && weight) || error_toolkit(error, "no memory for %zu rows", room));

    if (good) {
        rows = find_sites(p, law, p->step * often, site, left, weight);
        learned->array[SITES].count = rows * size;
        learned->array[PULLS].count = rows;
        for (size_t i = 0; i < rows; i++)
            weight[i] *= (double)often / mean;
        good = leftover_fit(pull, site, size, left, weight, rows, error);
    }
    free(left);
    free(weight);
    return good;
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    double *law = learned_array(learned, LAW, MECHANISM_COUNT, error), damping = 1e-2, value;
    struct problem p = {.t = t, .step = (t->rows + MOST_ROWS - 1) / MOST_ROWS};
    bool good = law && weigh(&p, error);

    if (good) {
        p.centre[MECHANISM_POWER] = log(1.5);
        p.centre[MECHANISM_HIDING] = log(1.5);
        memcpy(law, p.centre, sizeof p.centre);
        value = objective(&p, law, NULL, NULL);
        for (int step = 0; step < STEPS && descend(&p, law, &value, &damping); step++)
            ;
        good = fit_leftover(learned, &p, law, error);
    }
    free(p.weight);
    return good;
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    double site[OWN_COORDINATES + MAX_INPUTS];

    find_site(mechanism_law(learned), inputs, x, terms, site);
    return site[PARTS + 1] / SHORT + leftover_at(site, learned->array[SITES].values, OWN_COORDINATES + inputs,
                                                 learned->array[PULLS].values, learned->array[PULLS].count);
}

static bool check(const struct learned *learned, size_t inputs)
{
    return learned->array[LAW].count == MECHANISM_COUNT &&
           learned->array[SITES].count == learned->array[PULLS].count * (OWN_COORDINATES + inputs);
}

const struct method method_mechanism = {.name = "mechanism", .title = "mechanism", .physical = true,
                                        .arrays = {"law", "sites", "pulls"}, .fit = fit, .predict = predict,
                                        .check = check};
