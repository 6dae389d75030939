/*
 * mlp.c - multi-layer perceptron: one hidden layer of tanh beside a linear path, trained by L-BFGS on all rows at once.
 *
 * On OpenBLAS and NLopt. Debian's libfann was looked at: it learns a row at a time by scalar loops in float32 and has
 * no second-order method but RPROP's, where some hundreds of steps of L-BFGS on matrices take less than a second.
 */
#include <cblas.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"
#include "contrib/predict/rows/vector.h"
#include "verify/base/random.h"

/* weights: hidden x inputs, hidden thresholds, hidden output weights, inputs of the linear path, one constant. */
enum { WEIGHTS, SCALE }; /* SCALE: mean and deviation of y, number of hidden neurons */
enum { HIDDEN = 20, STEPS = 150, MLP_SEED = 12, MAX_ROWS = 2500 };
#define DECAY 1e-5

struct work {
    const struct training *t;
    double mean, deviation;
    double *a;     /* rows x HIDDEN: outputs of the hidden layer */
    double *d;     /* rows x HIDDEN: their derivatives */
    double *error; /* rows */
};

static size_t weights_count(size_t inputs, size_t hidden)
{
    return hidden * inputs + 2 * hidden + inputs + 1;
}

/* The mean squared error and its gradient, for NLopt. */
static double loss(unsigned count, const double *w, double *gradient, void *data)
{
    struct work *work = data;
    const struct training *t = work->t;
    int n = (int)t->rows, in = (int)t->inputs;
    const double *threshold = w + HIDDEN * in, *out = threshold + HIDDEN, *linear = out + HIDDEN;
    double sum = 0, penalty = 0;

    for (int i = 0; i < n; i++)
        memcpy(work->a + i * HIDDEN, threshold, HIDDEN * sizeof(double));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, HIDDEN, in, 1, t->x, in, w, in, 1, work->a, HIDDEN);
    vector_tanh(work->a, (size_t)n * HIDDEN);
    for (int i = 0; i < n; i++)
        work->error[i] = linear[in] - (t->y[i] - work->mean) / work->deviation;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, HIDDEN, 1, work->a, HIDDEN, out, 1, 1, work->error, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, in, 1, t->x, in, linear, 1, 1, work->error, 1);
    sum = cblas_ddot(n, work->error, 1, work->error, 1) / n;
    penalty = cblas_ddot((int)count, w, 1, w, 1);
    if (!gradient)
        return sum + DECAY * penalty;
    for (unsigned i = 0; i < count; i++)
        gradient[i] = 2 * DECAY * w[i];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < HIDDEN; k++) {
            double a = work->a[i * HIDDEN + k];

            work->d[i * HIDDEN + k] = work->error[i] * out[k] * (1 - a * a);
        }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, HIDDEN, in, n, 2.0 / n, work->d, HIDDEN, t->x, in, 1, gradient,
                in);
    for (int i = 0; i < n; i++)
        cblas_daxpy(HIDDEN, 2.0 / n, work->d + i * HIDDEN, 1, gradient + HIDDEN * in, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, HIDDEN, 2.0 / n, work->a, HIDDEN, work->error, 1, 1,
                gradient + HIDDEN * in + HIDDEN, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, in, 2.0 / n, t->x, in, work->error, 1, 1,
                gradient + HIDDEN * in + 2 * HIDDEN, 1);
    for (int i = 0; i < n; i++)
        gradient[count - 1] += 2.0 / n * work->error[i];
    return sum + DECAY * penalty;
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    size_t count = weights_count(t->inputs, HIDDEN);
    double *w = learned_array(learned, WEIGHTS, count, error);
    double *scale = w ? learned_array(learned, SCALE, 3, error) : NULL;
    struct random_key key = {.seed = MLP_SEED};
    struct random_stream stream = random_stream(&key, 0);
    struct work work = {.t = t};
    double final = 0;
    nlopt_opt search = NULL;
    nlopt_result result = NLOPT_FAILURE;

    if (!scale)
        return false;
    mean_and_deviation(t->y, t->rows, &work.mean, &work.deviation);
    scale[0] = work.mean;
    scale[1] = work.deviation;
    scale[2] = HIDDEN;
    for (size_t i = 0; i < count; i++)
        w[i] = ((double)random_u32(&stream) / 2147483648.0 - 1) * (i < HIDDEN * t->inputs ? 0.7 : 0.3);
    work.a = malloc((t->rows + 1) * HIDDEN * sizeof(double));
    work.d = malloc((t->rows + 1) * HIDDEN * sizeof(double));
    work.error = malloc((t->rows + 1) * sizeof(double));
    search = nlopt_create(NLOPT_LD_LBFGS, (unsigned)count);
    if (work.a && work.d && work.error && search) {
        nlopt_set_min_objective(search, loss, &work);
        nlopt_set_maxeval(search, STEPS);
        nlopt_set_ftol_rel(search, 1e-9);
        nlopt_set_vector_storage(search, 20);
        result = nlopt_optimize(search, w, &final);
    }
    nlopt_destroy(search);
    free(work.a);
    free(work.d);
    free(work.error);
    /* A step that rounding ends early leaves the best weights so far, which is what is wanted. */
    return (result > 0 || result == NLOPT_ROUNDOFF_LIMITED || result == NLOPT_FAILURE) && isfinite(final) ? true
           : error_toolkit(error, "the perceptron could not be trained: NLopt's result is %d", (int)result);
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    const double *w = learned->array[WEIGHTS].values, *scale = learned->array[SCALE].values;
    size_t hidden = (size_t)scale[2];
    const double *threshold = w + hidden * inputs, *out = threshold + hidden, *linear = out + hidden;
    double sum = linear[inputs] + cblas_ddot((int)inputs, linear, 1, x, 1);

    (void)terms;
    for (size_t k = 0; k < hidden; k++)
        sum += out[k] * tanh(threshold[k] + cblas_ddot((int)inputs, w + k * inputs, 1, x, 1));
    return sum * scale[1] + scale[0];
}

static bool check(const struct learned *learned, size_t inputs)
{
    double hidden = learned->array[SCALE].count == 3 ? learned->array[SCALE].values[2] : 0;

    return hidden >= 1 && hidden <= 4096 && hidden == floor(hidden) &&
           learned->array[WEIGHTS].count == weights_count(inputs, (size_t)hidden);
}

const struct method method_mlp = {.name = "mlp", .title = "multi-layer perceptron", .most = MAX_ROWS,
                                  .arrays = {"weights", "scale"}, .fit = fit, .predict = predict, .check = check};
