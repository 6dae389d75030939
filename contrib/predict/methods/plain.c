/* plain.c - `kriging`: the two levels of Gaussian processes without any law, shown for what the law adds to them. */
#include "nested.h"

enum { LEVELS };

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    return nested_fit(learned, LEVELS, t, NULL, error);
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    return nested_predict(learned, LEVELS, NULL, inputs, x, terms);
}

static bool check(const struct learned *learned, size_t inputs)
{
    return nested_check(learned, LEVELS, inputs, false);
}

const struct method method_kriging = {.name = "kriging", .title = "Gaussian processes", .arrays = {NESTED_ARRAYS},
                                      .fit = fit, .predict = predict, .check = check};
