/* normalise.c - see normalise.h. */
#include "normalise.h"

#include <math.h>

static double range(const struct normaliser *normaliser, size_t i)
{
    double range = normaliser->high[i] - normaliser->low[i];

    return range > 1e-9 * (fabs(normaliser->high[i]) + 1) ? range : 1; /* less is the rounding of a constant */
}

void normaliser_fit(struct normaliser *normaliser, const double *x, size_t rows, size_t inputs)
{
    normaliser->inputs = inputs;
    for (size_t i = 0; i < inputs; i++) {
        normaliser->low[i] = normaliser->high[i] = x[i];
        for (size_t row = 1; row < rows; row++) {
            double value = x[row * inputs + i];

            normaliser->low[i] = value < normaliser->low[i] ? value : normaliser->low[i];
            normaliser->high[i] = value > normaliser->high[i] ? value : normaliser->high[i];
        }
    }
}

void normalise(const struct normaliser *normaliser, const double *raw, double *scaled)
{
    for (size_t i = 0; i < normaliser->inputs; i++)
        scaled[i] = (raw[i] - normaliser->low[i]) / range(normaliser, i);
}

void denormalise(const struct normaliser *normaliser, const double *scaled, double *raw)
{
    for (size_t i = 0; i < normaliser->inputs; i++)
        raw[i] = scaled[i] * range(normaliser, i) + normaliser->low[i];
}
