/*
 * svr.c - support-vector regression with a Gaussian kernel, by libsvm.
 *
 * The kernel matrix is made here by one matrix product and given to libsvm as precomputed, which is several times as
 * fast as its sparse vectors. The kernel's width is the best of three on a part of the training rows.
 */
#include <cblas.h>
#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"
#include "contrib/predict/rows/vector.h"

enum { VECTORS, WEIGHTS, SCALE }; /* SCALE: mean and deviation of y, gamma, the constant */
enum {
    TRIAL_ROWS = 240, /* a third of them to test on */
    MAX_ROWS = 1100,  /* training takes the square of their number and more */
};
#define COST 10.0
#define TUBE 0.02

static void silent(const char *text)
{
    (void)text;
}

/* Rows step * i of the training, of which the model is; fills VECTORS, WEIGHTS, SCALE. */
static bool train(struct learned *learned, const struct training *t, size_t step, size_t skip, double gamma,
                  double mean, double deviation, struct error *error)
{
    struct svm_parameter parameter = {.svm_type = EPSILON_SVR, .kernel_type = PRECOMPUTED, .cache_size = 400,
                                      .eps = 5e-2, .C = COST, .p = TUBE, .shrinking = 1};
    size_t count = 0, in = t->inputs;
    size_t *row = malloc((t->rows + 1) * sizeof *row);
    struct svm_node *nodes = NULL, **starts = NULL;
    struct svm_model *model = NULL;
    double *x = NULL, *gram = NULL, *norm = NULL, *y = NULL, *vectors, *weights, *scale;
    bool good = false;

    for (size_t i = 0; row && i < t->rows; i += step)
        if (!skip || (i / step) % skip != 0)
            row[count++] = i;
    x = calloc(count + 1, in * sizeof *x);
    gram = malloc((count + 1) * count * sizeof *gram);
    norm = malloc((count + 1) * sizeof *norm);
    y = malloc((count + 1) * sizeof *y);
    nodes = malloc((count + 2) * (count + 1) * sizeof *nodes);
    starts = malloc((count + 1) * sizeof *starts);
    if (!row || !x || !gram || !norm || !y || !nodes || !starts) {
        error_toolkit(error, "no memory for a kernel matrix of %zu rows", t->rows);
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(x + i * in, t->x + row[i] * in, in * sizeof *x);
        norm[i] = cblas_ddot((int)in, x + i * in, 1, x + i * in, 1);
        y[i] = (t->y[row[i]] - mean) / deviation;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)count, (int)in, 1, x, (int)in, x, (int)in, 0,
                gram, (int)count);
    for (size_t i = 0; i < count; i++) {
        starts[i] = nodes + i * (count + 2);
        starts[i][0] = (struct svm_node){0, (double)(i + 1)};
        for (size_t j = 0; j < count; j++)
            gram[i * count + j] = norm[i] + norm[j] - 2 * gram[i * count + j];
        vector_gauss(gram + i * count, gamma, count);
        for (size_t j = 0; j < count; j++)
            starts[i][j + 1] = (struct svm_node){(int)j + 1, gram[i * count + j]};
        starts[i][count + 1].index = -1;
    }
    svm_set_print_string_function(silent);
    model = svm_train(&(struct svm_problem){.l = (int)count, .y = y, .x = starts}, &parameter);
    if (!model) {
        error_toolkit(error, "libsvm returned no model");
        goto out;
    }
    vectors = learned_array(learned, VECTORS, (size_t)model->l * in, error);
    weights = vectors ? learned_array(learned, WEIGHTS, (size_t)model->l, error) : NULL;
    scale = weights ? learned_array(learned, SCALE, 4, error) : NULL;
    if (!scale)
        goto out;
    for (int i = 0; i < model->l; i++) {
        memcpy(vectors + (size_t)i * in, x + (size_t)(model->sv_indices[i] - 1) * in, in * sizeof *x);
        weights[i] = model->sv_coef[0][i];
    }
    memcpy(scale, (double[]){mean, deviation, gamma, -model->rho[0]}, 4 * sizeof *scale);
    good = true;
out:
    if (model)
        svm_free_and_destroy_model(&model);
    free(row);
    free(x);
    free(gram);
    free(norm);
    free(y);
    free(nodes);
    free(starts);
    return good;
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    const double *vectors = learned->array[VECTORS].values, *weights = learned->array[WEIGHTS].values;
    const double *scale = learned->array[SCALE].values;
    size_t count = learned->array[WEIGHTS].count;
    double sum = scale[3], part[256];

    (void)terms;
    for (size_t i = 0; i < count; i += 256) {
        size_t some = count - i < 256 ? count - i : 256;

        vector_distances(vectors + i * inputs, some, inputs, x, part);
        vector_gauss(part, scale[2], some);
        sum += cblas_ddot((int)some, part, 1, weights + i, 1);
    }
    return sum * scale[1] + scale[0];
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    static const double gammas[] = {0.1, 0.4, 1.6};
    double mean, deviation, best = INFINITY, gamma = gammas[0];
    size_t step = t->rows / TRIAL_ROWS + 1;

    mean_and_deviation(t->y, t->rows, &mean, &deviation);
    for (size_t g = 0; t->rows >= 30 && g < sizeof gammas / sizeof gammas[0]; g++) {
        double sum = 0;

        if (!train(learned, t, step, 3, gammas[g], mean, deviation, error))
            return false;
        for (size_t i = 0; i < t->rows; i += step)
            if ((i / step) % 3 == 0)
                sum += fabs(predict(learned, t->inputs, t->x + i * t->inputs, NULL) - t->y[i]);
        if (sum < best) {
            best = sum;
            gamma = gammas[g];
        }
    }
    return train(learned, t, 1, 0, gamma, mean, deviation, error);
}

static bool check(const struct learned *learned, size_t inputs)
{
    return learned->array[SCALE].count == 4 && learned->array[VECTORS].count == learned->array[WEIGHTS].count * inputs;
}

const struct method method_svr = {.name = "svr", .title = "support-vector regression", .most = MAX_ROWS,
                                  .arrays = {"vectors", "weights", "scale"}, .fit = fit, .predict = predict,
                                  .check = check};
