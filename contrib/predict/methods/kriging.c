/* kriging.c - the Gaussian processes of kriging.h, on LAPACKE's Cholesky, NLopt's L-BFGS. */
#include "kriging.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/vector.h"
#include "verify/base/random.h"

enum { STEPS = 70 };

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
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)in, (int)n, 1, s->g, (int)n, s->scaled, (int)in,
                0, s->k, (int)in);
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
    struct search *part;
    int count;
    struct kriging_belief belief;
};

/* The sum over the parts, with beliefs about the parameters, and its gradient. */
static double loss(unsigned count, const double *p, double *gradient, void *data)
{
    struct parts *parts = data;
    unsigned in = count - 2;
    double value = 0;

    for (unsigned i = 0; i < count; i++) {
        double centre = i < in ? log(parts->belief.centre) : i == in ? log(4) : log(1e-4);
        double width = i < in ? parts->belief.width : 3;

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

bool kriging_scales(const struct training *t, const double *y, const struct kriging_part *list, int parts_count,
                    struct kriging_belief belief, double *scales, struct error *error)
{
    unsigned in = (unsigned)t->inputs, count = in + 2;
    double p[MAX_INPUTS + 2], low[MAX_INPUTS + 2], high[MAX_INPUTS + 2], mean, deviation, final = HUGE_VAL;
    nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, count);
    struct parts parts = {.part = calloc((size_t)parts_count + 1, sizeof *parts.part), .belief = belief};
    bool good = parts.part && optimiser;

    mean_and_deviation(y, t->rows, &mean, &deviation);
    for (int i = 0; good && i < parts_count; i++)
        good = search_make(&parts.part[parts.count++], t, y, mean, deviation, list[i].row, list[i].count);
    if (!good)
        error_toolkit(error, "no memory for %zu rows", t->rows);
    for (unsigned i = 0; i < count; i++) {
        p[i] = i < in ? log(belief.centre) : i == in ? log(4) : log(1e-4);
        low[i] = i < in ? log(1e-4) : i == in ? log(1e-2) : log(1e-9);
        high[i] = i < in ? log(60) : i == in ? log(1e4) : log(0.5);
    }
    if (good) {
        nlopt_set_min_objective(optimiser, loss, &parts);
        nlopt_set_lower_bounds(optimiser, low);
        nlopt_set_upper_bounds(optimiser, high);
        nlopt_set_maxeval(optimiser, STEPS);
        nlopt_set_ftol_rel(optimiser, 3e-5);
        nlopt_optimize(optimiser, p, &final); /* whatever its result, p is the best so far */
    }
    for (unsigned j = 0; j < in; j++)
        scales[j] = exp(p[j]);
    scales[in] = mean;
    scales[in + 1] = exp(p[in]) * deviation * deviation;
    scales[in + 2] = exp(p[in + 1]) * deviation * deviation;
    nlopt_destroy(optimiser);
    for (int i = 0; i < parts.count; i++)
        search_release(&parts.part[i]);
    free(parts.part);
    return good;
}

bool kriging_fit(const struct training *t, const double *y, const struct kriging_part *part, const double *scales,
                 double *weights, struct error *error)
{
    size_t n = part->count, in = t->inputs;
    double jitter = 1e-9, signal = scales[in + 1], *rows = malloc((n + 1) * in * sizeof *rows);
    double *k = malloc((n + 1) * n * sizeof *k);
    int result = 1;

    if (!rows || !k) {
        free(rows);
        free(k);
        return error_toolkit(error, "no memory for a matrix of %zu rows", n);
    }
    for (size_t i = 0; i < n; i++)
        scale_rows(t->x + part->row[i] * in, 1, in, scales, rows + i * in);
    for (int attempt = 0; result != 0 && attempt < 6; attempt++, jitter *= 10) {
        distances(rows, n, in, weights, k);
        for (size_t i = 0; i < n; i++) {
            double spread = t->spread[part->row[i]];

            vector_matern(k + i * n, NULL, i + 1);
            cblas_dscal((int)i + 1, signal, k + i * n, 1);
            k[i * n + i] += scales[in + 2] + spread * spread + jitter * signal;
        }
        result = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (int)n, k, (int)n);
    }
    for (size_t i = 0; i < n; i++)
        weights[i] = y[part->row[i]] - scales[in];
    if (result == 0)
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', (int)n, 1, k, (int)n, weights, (int)n);
    cblas_dscal((int)n, signal, weights, 1);
    free(rows);
    free(k);
    return result == 0 || error_toolkit(error, "the covariance of %zu rows is not positive definite", n);
}

double kriging_predict(const double *x, const double *weights, size_t count, size_t inputs, const double *scales,
                       const double *point)
{
    double part[256], sum = scales[inputs];

    for (size_t i = 0; i < count; i += 256) {
        size_t some = count - i < 256 ? count - i : 256;

        vector_scaled_distances(x + i * inputs, some, inputs, point, scales, part);
        vector_matern(part, NULL, some);
        sum += cblas_ddot((int)some, part, 1, weights + i, 1);
    }
    return sum;
}
