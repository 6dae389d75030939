/* ridge.c - ridge regression: the linear baseline, its penalty chosen by leaving one row out. */
#include <cblas.h>

#include "method.h"

enum { WEIGHTS }; /* inputs, then the constant */

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    double *w = learned_array(learned, WEIGHTS, t->inputs + 1, error);

    return w && least_squares(t->x, t->y, t->rows, t->inputs, w, error);
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    const double *w = learned->array[WEIGHTS].values;

    (void)terms;
    return cblas_ddot((int)inputs, w, 1, x, 1) + w[inputs];
}

static bool check(const struct learned *learned, size_t inputs)
{
    return learned->array[WEIGHTS].count == inputs + 1;
}

const struct method method_ridge = {
    .name = "ridge", .title = "ridge regression", .arrays = {"weights"},
    .fit = fit, .predict = predict, .check = check};
