/*
 * bounded.c - a bound that no launch can beat, times what a launch is expected to make of it.
 *
 * The utilisation u in (0, 1] is learned as its logarithm: what the calibrated law of limits expects (limits.h),
 * corrected by a Gaussian process over the inputs (kriging.h). Near rows that were measured the process decides; far
 * from all of them its correction fades and the law is left, bounded by the peaks of the GPU.
 */
#include <math.h>
#include <stdlib.h>

#include "limits.h"
#include "nested.h"

enum { LAW, EASE, LEVELS }; /* LEVELS and those after it: nested.h */
#define MARGIN 0.8

/*
 * Microseconds that the GPU needs at its peaks. What is counted is PTX, of which machine code may be less: so the bound
 * is eased by a number that leaves all training rows above it, with a margin.
 */
static double bound(const double *terms)
{
    double most = 1e-3;

    for (int i = 0; i < TERMS; i++)
        if (term_is_bound(i))
            most = fmax(most, terms[i]);
    return most;
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    double *law = learned_array(learned, LAW, LIMITS_COUNT, error);
    double *ease = law ? learned_array(learned, EASE, 1, error) : NULL;

    if (!ease || !limits_fit(t, law, error))
        return false;
    *ease = 1;
    for (size_t i = 0; i < t->rows; i++)
        *ease = fmin(*ease, MARGIN * exp(t->y[i]) / bound(t->terms + i * ROW_TERMS));
    return nested_fit(learned, LEVELS, t, law, error);
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    double most = log(*learned->array[EASE].values * bound(terms));
    double time = nested_predict(learned, LEVELS, learned->array[LAW].values, inputs, x, terms);

    return most - fmin(0, most - time); /* log bound - log u, u <= 1 */
}

static bool check(const struct learned *learned, size_t inputs)
{
    return learned->array[LAW].count == LIMITS_COUNT && learned->array[EASE].count == 1 &&
           *learned->array[EASE].values > 0 && nested_check(learned, LEVELS, inputs, true);
}

const struct method method_bounded = {.name = "bounded", .title = "bounded utilisation", .physical = true,
                                      .arrays = {"law", "ease", NESTED_ARRAYS}, .fit = fit,
                                      .predict = predict, .check = check};
