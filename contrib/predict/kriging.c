/* kriging.c - the Gaussian process of kriging.h, on LAPACKE's Cholesky, NLopt's L-BFGS. */
#include "kriging.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"
#include "verify/random.h"

enum { ROWS, WEIGHTS, SCALES };
enum { RANDOM_ROWS = 240, CLUSTERS = 16, CLUSTER_ROWS = 70, STEPS = 70, KRIGING_SEED = 13, MAX_ROWS = 12000 };

/* Parameters of the search, logarithms: a scale for each input, then s^2 and n^2 over the variance of y. */
struct search {
    size_t rows, inputs;
    double *x;        /* rows x inputs */
    double *y;        /* rows, mean 0, deviation 1 */
    double *noise;    /* rows: spread^2 over the variance of y */
    double *scaled;   /* rows x inputs */
    double *k, *g;    /* rows x rows */
    double *alpha;    /* rows */
};

/* k: squared distances of rows of `scaled`, the lower triangle. norm: room for rows. */
static void distances(const double *scaled, size_t rows, size_t inputs, double *norm, double *k)
{
    int n = (int)rows, in = (int)inputs;

    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, in, -2, scaled, in, 0, k, n);
    for (size_t i = 0; i < rows; i++) /* the diagonal holds -2 norm^2 until its row is done */
        norm[i] = -0.5 * k[i * rows + i];
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < i; j++)
            k[i * rows + j] += norm[i] + norm[j];
        k[i * rows + i] = 0;
    }
}

static void scale_rows(const double *x, size_t rows, size_t inputs, const double *scale, double *scaled)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < inputs; j++)
            scaled[i * inputs + j] = x[i * inputs + j] * scale[j];
}

/* Minus the logarithm of the marginal likelihood of one part, added to *gradient what belongs there. */
static double part_loss(const double *p, double *gradient, struct search *s)
{
    size_t n = s->rows, in = s->inputs;
    double scale[MAX_INPUTS], signal = exp(p[in]), noise = exp(p[in + 1]), value = 0;

    for (size_t j = 0; j < in; j++)
        scale[j] = exp(p[j]);
    scale_rows(s->x, n, in, scale, s->scaled);
    distances(s->scaled, n, in, s->alpha, s->k);
    for (size_t i = 0; i < n; i++) {
        vector_matern(s->k + i * n, s->g + i * n, i + 1);
        cblas_dscal((int)i + 1, signal, s->k + i * n, 1);
        cblas_dscal((int)i + 1, signal, s->g + i * n, 1);
    }
    for (size_t i = 0; i < n; i++)
        s->k[i * n + i] += noise + s->noise[i] + 1e-8 * signal;
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (int)n, s->k, (int)n) != 0)
        return HUGE_VAL;
    for (size_t i = 0; i < n; i++)
        value += log(s->k[i * n + i]);
    memcpy(s->alpha, s->y, n * sizeof(double));
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', (int)n, 1, s->k, (int)n, s->alpha, (int)n);
    value += 0.5 * cblas_ddot((int)n, s->alpha, 1, s->y, 1);
    if (!gradient)
        return value;
    /* k := inverse - alpha alpha', then the sums over its product with each derivative of the covariance. */
    LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', (int)n, s->k, (int)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            s->k[i * n + j] -= s->alpha[i] * s->alpha[j];
    {
        double by_noise = 0, by_diagonal = 0;

        for (size_t i = 0; i < n; i++) {
            by_noise += s->k[i * n + i] * noise;
            by_diagonal += s->k[i * n + i] * (noise + s->noise[i]);
        }
        /* tr(A K) = tr(I) - alpha' K alpha, and K = signal part + diagonal. */
        gradient[in] += 0.5 * ((double)n - cblas_ddot((int)n, s->alpha, 1, s->y, 1) - by_diagonal);
        gradient[in + 1] += 0.5 * by_noise;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            s->g[i * n + j] = s->g[j * n + i] = s->g[i * n + j] * s->k[i * n + j];
    /* Sum over i, j of g_ij (x_i - x_j)^2 = 2 sum_i x_i (x_i sum_j g_ij - sum_j g_ij x_j), for every input at once. */
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)in, (int)n, 1, s->g, (int)n, s->scaled, (int)in, 0,
                s->k, (int)in);
    for (size_t i = 0; i < n; i++) {
        double row = 0;

        for (size_t j = 0; j < n; j++)
            row += s->g[i * n + j];
        for (size_t j = 0; j < in; j++) {
            double x = s->scaled[i * in + j];

            gradient[j] += 2 * x * (x * row - s->k[i * in + j]);
        }
    }
    return value;
}

struct parts {
    struct search part[CLUSTERS + 1];
    int count;
};

/* The sum over the parts, with weak beliefs about the parameters, and its gradient. */
static double loss(unsigned count, const double *p, double *gradient, void *data)
{
    struct parts *parts = data;
    unsigned in = count - 2;
    double value = 0;

    for (unsigned i = 0; i < count; i++) {
        double centre = i < in ? log(0.3) : i == in ? log(4) : log(1e-4), width = i < in ? 1.5 : 3;

        value += 0.5 * (p[i] - centre) * (p[i] - centre) / (width * width);
        if (gradient)
            gradient[i] = (p[i] - centre) / (width * width);
    }
    for (int i = 0; i < parts->count; i++)
        value += part_loss(p, gradient, &parts->part[i]);
    return value;
}

static bool search_make(struct search *s, const struct training *t, const double *y, double mean, double deviation,
                        const size_t *row, size_t n)
{
    *s = (struct search){.rows = n, .inputs = t->inputs};
    s->x = malloc((n + 1) * t->inputs * sizeof(double));
    s->scaled = malloc((n + 1) * t->inputs * sizeof(double));
    s->y = malloc((n + 1) * sizeof(double));
    s->noise = malloc((n + 1) * sizeof(double));
    s->alpha = malloc((n + 1) * sizeof(double));
    s->k = malloc((n + 1) * (n + t->inputs) * sizeof(double));
    s->g = malloc((n + 1) * n * sizeof(double));
    if (!s->x || !s->scaled || !s->y || !s->noise || !s->alpha || !s->k || !s->g)
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(s->x + i * t->inputs, t->x + row[i] * t->inputs, t->inputs * sizeof(double));
        s->y[i] = (y[row[i]] - mean) / deviation;
        s->noise[i] = t->spread[row[i]] * t->spread[row[i]] / (deviation * deviation);
    }
    return true;
}

struct near {
    double distance;
    size_t row;
};

static int nearer(const void *a, const void *b)
{
    double x = ((const struct near *)a)->distance, y = ((const struct near *)b)->distance;

    return (x > y) - (x < y);
}

/*
 * The parts that the scales are found on: one of rows drawn at random, which shows how kernels hang together, and clusters
 * of neighbours, which show how a kernel's time changes from row to row. Random rows alone lie too far apart for that.
 */
static bool parts_make(struct parts *parts, const struct training *t, const double *y, double mean, double deviation)
{
    size_t n = t->rows < RANDOM_ROWS ? t->rows : RANDOM_ROWS, taken = 0;
    struct random_stream stream = random_stream(&(struct random_key){.seed = KRIGING_SEED}, 0);
    struct near *near = malloc((t->rows + 1) * sizeof *near);
    size_t *row = malloc((t->rows + 1) * sizeof *row);
    double *r2 = malloc((t->rows + 1) * sizeof *r2);
    bool good = near && row && r2;

    /* In order: row i is taken with the chance that the places left over the rows left give. */
    for (size_t i = 0; good && i < t->rows && taken < n; i++)
        if (random_below(&stream, (uint32_t)(t->rows - i)) < n - taken)
            row[taken++] = i;
    good = good && search_make(&parts->part[parts->count++], t, y, mean, deviation, row, n);
    for (int c = 0; good && c < CLUSTERS && t->rows > CLUSTER_ROWS; c++) {
        size_t centre = random_below(&stream, (uint32_t)t->rows);

        vector_distances(t->x, t->rows, t->inputs, t->x + centre * t->inputs, r2);
        for (size_t i = 0; i < t->rows; i++)
            near[i] = (struct near){r2[i], i};
        qsort(near, t->rows, sizeof *near, nearer);
        for (size_t i = 0; i < CLUSTER_ROWS; i++)
            row[i] = near[i].row;
        good = search_make(&parts->part[parts->count++], t, y, mean, deviation, row, CLUSTER_ROWS);
    }
    free(near);
    free(row);
    free(r2);
    return good;
}

static void search_release(struct search *s)
{
    free(s->x);
    free(s->scaled);
    free(s->y);
    free(s->noise);
    free(s->alpha);
    free(s->k);
    free(s->g);
}

/* p: inputs + 2 logarithms, found; the start is a good guess for inputs that all matter a little. */
static bool find_scales(const struct training *t, const double *y, double mean, double deviation, double *p,
                        struct error *error)
{
    unsigned count = (unsigned)t->inputs + 2;
    nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, count);
    struct parts parts = {.count = 0};
    double final = HUGE_VAL, low[MAX_INPUTS + 2], high[MAX_INPUTS + 2];
    bool good = parts_make(&parts, t, y, mean, deviation) && optimiser;

    if (!good)
        error_toolkit(error, "no memory for %zu rows", t->rows);
    for (unsigned i = 0; i < count; i++) {
        p[i] = i < t->inputs ? log(0.3) : i == t->inputs ? log(4) : log(1e-4);
        low[i] = i < t->inputs ? log(1e-4) : i == t->inputs ? log(1e-2) : log(1e-9);
        high[i] = i < t->inputs ? log(60) : i == t->inputs ? log(1e4) : log(0.5);
    }
    if (good) {
        nlopt_set_min_objective(optimiser, loss, &parts);
        nlopt_set_lower_bounds(optimiser, low);
        nlopt_set_upper_bounds(optimiser, high);
        nlopt_set_maxeval(optimiser, STEPS);
        nlopt_set_ftol_rel(optimiser, 1e-6);
        nlopt_optimize(optimiser, p, &final); /* whatever its result, p is the best so far */
    }
    nlopt_destroy(optimiser);
    for (int i = 0; i < parts.count; i++)
        search_release(&parts.part[i]);
    return good;
}

bool kriging_fit(struct learned *learned, int first, const struct training *t, const double *y, struct error *error)
{
    size_t n = t->rows, in = t->inputs;
    double p[MAX_INPUTS + 2], mean, deviation, signal, jitter = 1e-9, *rows, *weights, *scales, *k = NULL;
    int result = 1;

    if (n > MAX_ROWS)
        return error_usage(error, "%zu rows are more than this method takes (%d)", n, MAX_ROWS);
    rows = learned_array(learned, first + ROWS, n * in, error);
    weights = rows ? learned_array(learned, first + WEIGHTS, n, error) : NULL;
    scales = weights ? learned_array(learned, first + SCALES, in + 3, error) : NULL;
    k = scales ? malloc((n + 1) * n * sizeof *k) : NULL;
    if (!k)
        return error_toolkit(error, "no memory for a matrix of %zu rows", n);
    mean_and_deviation(y, n, &mean, &deviation);
    if (t->start) {
        const double *scale = t->start->array[first + SCALES].values;

        for (size_t j = 0; j < in; j++)
            p[j] = log(scale[j]);
        p[in] = log(scale[in + 1] / (deviation * deviation));
        p[in + 1] = log(scale[in + 2] / (deviation * deviation));
    } else if (!find_scales(t, y, mean, deviation, p, error)) {
        free(k);
        return false;
    }
    for (size_t j = 0; j < in; j++)
        scales[j] = exp(p[j]);
    signal = exp(p[in]) * deviation * deviation;
    scales[in] = mean;
    scales[in + 1] = signal;
    scales[in + 2] = exp(p[in + 1]) * deviation * deviation;
    scale_rows(t->x, n, in, scales, rows);
    for (int attempt = 0; result != 0 && attempt < 6; attempt++, jitter *= 10) {
        double noise = scales[in + 2];

        distances(rows, n, in, weights, k);
        for (size_t i = 0; i < n; i++) {
            vector_matern(k + i * n, NULL, i + 1);
            cblas_dscal((int)i + 1, signal, k + i * n, 1);
            k[i * n + i] += noise + t->spread[i] * t->spread[i] + jitter * signal;
        }
        result = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (int)n, k, (int)n);
    }
    for (size_t i = 0; i < n; i++)
        weights[i] = y[i] - mean;
    if (result == 0)
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', (int)n, 1, k, (int)n, weights, (int)n);
    cblas_dscal((int)n, signal, weights, 1);
    free(k);
    return result == 0 || error_toolkit(error, "the covariance of %zu rows is not positive definite", n);
}

double kriging_predict(const struct learned *learned, int first, size_t inputs, const double *x)
{
    const double *rows = learned->array[first + ROWS].values, *weights = learned->array[first + WEIGHTS].values;
    const double *scales = learned->array[first + SCALES].values;
    size_t n = learned->array[first + WEIGHTS].count;
    double point[MAX_INPUTS], part[256], sum = scales[inputs];

    for (size_t j = 0; j < inputs; j++)
        point[j] = x[j] * scales[j];
    for (size_t i = 0; i < n; i += 256) {
        size_t count = n - i < 256 ? n - i : 256;

        vector_distances(rows + i * inputs, count, inputs, point, part);
        vector_matern(part, NULL, count);
        sum += cblas_ddot((int)count, part, 1, weights + i, 1);
    }
    return sum;
}

bool kriging_check(const struct learned *learned, int first, size_t inputs)
{
    return learned->array[first + SCALES].count == inputs + 3 &&
           learned->array[first + ROWS].count == learned->array[first + WEIGHTS].count * inputs;
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    return kriging_fit(learned, 0, t, t->y, error);
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    (void)terms;
    return kriging_predict(learned, 0, inputs, x);
}

static bool check(const struct learned *learned, size_t inputs)
{
    return kriging_check(learned, 0, inputs);
}

const struct method method_kriging = {.name = "kriging", .title = "Gaussian process", .arrays = {KRIGING_ARRAYS},
                                      .fit = fit, .predict = predict, .check = check};
