/*
 * elm.c - extreme learning machine: a hidden layer with random weights, whose outputs are fitted by least squares.
 *
 * Huang, Zhu, Siew, "Extreme learning machine: theory and applications", Neurocomputing 70 (2006); with a penalty on
 * the weights in place of the pseudo-inverse, chosen by leaving one row out, since hidden outputs are all but
 * dependent.
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "method.h"
#include "verify/base/random.h"

enum { HIDDEN, OUTPUT };      /* neurons x (inputs + 1), the last a threshold; neurons + 1 */
enum { MAX_NEURONS = 320, ROWS_A_NEURON = 4, ELM_SEED = 11, MAX_ROWS = 2500 };

static double uniform(struct random_stream *stream)
{
    return (double)random_u32(stream) / 2147483648.0 - 1;
}

/* outputs: neurons, of one row. */
static void hidden(const double *weights, size_t neurons, size_t inputs, const double *x, double *outputs)
{
    for (size_t k = 0; k < neurons; k++) {
        const double *w = weights + k * (inputs + 1);

        outputs[k] = 1 / (1 + exp(-cblas_ddot((int)inputs, w, 1, x, 1) - w[inputs]));
    }
}

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    size_t neurons = t->rows / ROWS_A_NEURON;
    struct random_key key = {.seed = ELM_SEED};
    struct random_stream stream = random_stream(&key, 0);
    double *weights, *output, *h;
    bool good;

    neurons = neurons < 4 ? 4 : neurons > MAX_NEURONS ? MAX_NEURONS : neurons;
    weights = learned_array(learned, HIDDEN, neurons * (t->inputs + 1), error);
    output = weights ? learned_array(learned, OUTPUT, neurons + 1, error) : NULL;
    if (!output)
        return false;
    h = malloc((t->rows + 1) * neurons * sizeof *h);
    if (!h)
        return error_toolkit(error, "no memory for %zu neurons", neurons);
    /* Sums of a spread that does not grow with the number of inputs: a saturated neuron says nothing. */
    for (size_t k = 0; k < neurons * (t->inputs + 1); k++)
        weights[k] = 6 / sqrt((double)t->inputs) * uniform(&stream);
    for (size_t i = 0; i < t->rows; i++)
        hidden(weights, neurons, t->inputs, t->x + i * t->inputs, h + i * neurons);
    good = least_squares(h, t->y, t->rows, neurons, output, error);
    free(h);
    return good;
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    const double *output = learned->array[OUTPUT].values;
    size_t neurons = learned->array[OUTPUT].count - 1;
    double outputs[MAX_NEURONS];

    (void)terms;
    hidden(learned->array[HIDDEN].values, neurons, inputs, x, outputs);
    return cblas_ddot((int)neurons, outputs, 1, output, 1) + output[neurons];
}

static bool check(const struct learned *learned, size_t inputs)
{
    size_t count = learned->array[OUTPUT].count;

    return count >= 2 && count <= MAX_NEURONS + 1 && learned->array[HIDDEN].count == (count - 1) * (inputs + 1);
}

const struct method method_elm = {.name = "elm", .title = "extreme learning machine", .most = MAX_ROWS,
                                  .arrays = {"hidden", "output"}, .fit = fit, .predict = predict, .check = check};
