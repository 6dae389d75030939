/*
 * roofline.c - the calibrated roofline: launch + max(instructions / rate, bytes / bandwidth), three numbers from the
 * training rows, by the least squared logarithm of predicted over measured.
 *
 * The baseline that a method for unknown kernels has to beat: Williams, Waterman, Patterson, "Roofline",
 * CACM 52 (2009).
 */
#include <math.h>
#include <nlopt.h>

#include "method.h"

enum { RATES }; /* launch in microseconds, times that the instructions and the bytes take longer than at the peak */
enum { MAX_ROWS = 3500 }; /* for three numbers */

static double roofline(const double *rates, const double *terms)
{
    return rates[0] + fmax(rates[1] * terms[TERM_TOTAL], rates[2] * terms[TERM_BYTES]);
}

static double loss(unsigned count, const double *logs, double *gradient, void *data)
{
    const struct training *t = data;
    double rates[3], sum = 0;

    (void)gradient;
    for (unsigned i = 0; i < count; i++)
        rates[i] = exp(logs[i]);
    for (size_t i = 0; i < t->rows; i++) {
        double error = log(roofline(rates, t->terms + i * ROW_TERMS)) - t->y[i];

        sum += error * error;
    }
    return sum;
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    double *rates = learned_array(learned, RATES, 3, error);
    double least = INFINITY, best = INFINITY;

    if (!rates)
        return false;
    for (size_t i = 0; i < t->rows; i++)
        least = fmin(least, t->y[i]);
    /* From several starts: the maximum makes valleys. */
    for (int start = 0; start < 4; start++) {
        double logs[3] = {least, start & 1 ? 3 : 1, start & 2 ? 3 : 1}, final = INFINITY;
        nlopt_opt search = nlopt_create(NLOPT_LN_SBPLX, 3);

        if (!search)
            return error_toolkit(error, "no memory for a search");
        nlopt_set_min_objective(search, loss, (void *)t);
        nlopt_set_maxeval(search, 300);
        nlopt_set_xtol_abs1(search, 1e-5);
        nlopt_optimize(search, logs, &final);
        nlopt_destroy(search);
        if (final < best) {
            best = final;
            for (int i = 0; i < 3; i++)
                rates[i] = exp(logs[i]);
        }
    }
    return best < INFINITY || error_toolkit(error, "the roofline could not be calibrated");
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    (void)inputs;
    (void)x;
    return log(roofline(learned->array[RATES].values, terms));
}

static bool check(const struct learned *learned, size_t inputs)
{
    const double *rates = learned->array[RATES].values;

    (void)inputs;
    return learned->array[RATES].count == 3 && rates[0] > 0 && rates[1] > 0 && rates[2] > 0;
}

const struct method method_roofline = {.name = "roofline", .title = "calibrated roofline", .physical = true,
                                       .most = MAX_ROWS, .arrays = {"rates"}, .fit = fit, .predict = predict,
                                       .check = check};
