/*
 * exact.c - the objective functions in double precision. See exact.h.
 */
#include "exact.h"

#include <math.h>

#include "input.h"

static double rosenbrock(const double *z, uint32_t dimension)
{
    double sum = 0;

    for (uint32_t j = 0; j + 1 < dimension; j++) {
        double w = z[j] + 1, next = z[j + 1] + 1;

        sum += 100 * (next - w * w) * (next - w * w) + (w - 1) * (w - 1);
    }
    return sum;
}

static double ackley(const double *z, uint32_t dimension)
{
    double squares = 0, cosines = 0;

    for (uint32_t j = 0; j < dimension; j++) {
        squares += z[j] * z[j];
        cosines += cos(2 * M_PI * z[j]);
    }
    return -20 * exp(-0.2 * sqrt(squares / dimension)) - exp(cosines / dimension) + 20 + M_E;
}

static double griewank(const double *z, uint32_t dimension)
{
    double squares = 0, product = 1;

    for (uint32_t j = 0; j < dimension; j++) {
        squares += z[j] * z[j];
        product *= cos(z[j] / sqrt(j + 1.0));
    }
    return squares / 4000 - product + 1;
}

static double schwefel(const double *z, uint32_t dimension)
{
    double sum = 0;

    for (uint32_t j = 0; j < dimension; j++) {
        double w = z[j] + 420.9687462275036, inside = fmin(fmax(w, -500), 500);

        sum += 418.9828872724338 - inside * sin(sqrt(fabs(inside))) + (w - inside) * (w - inside) / 100;
    }
    return sum;
}

static double value_at(const struct diffevo_problem *p, const float *data, const float *shift, const float *x)
{
    double z[DIFFEVO_DIMENSION_MAX], sum = 0;

    for (uint32_t row = 0; row < p->dimension; row++) {
        z[row] = 0;
        if (p->rotation == DIFFEVO_NO_ROTATION)
            z[row] = (double)x[row] - shift[row];
        else
            for (uint32_t j = 0; j < p->dimension; j++)
                z[row] += (double)data[p->rotation + row * p->dimension + j] * ((double)x[j] - shift[j]);
    }
    switch (p->function) {
    case DIFFEVO_ROSENBROCK: return rosenbrock(z, p->dimension);
    case DIFFEVO_ACKLEY: return ackley(z, p->dimension);
    case DIFFEVO_GRIEWANK: return griewank(z, p->dimension);
    case DIFFEVO_SCHWEFEL: return schwefel(z, p->dimension);
    case DIFFEVO_RASTRIGIN:
        for (uint32_t j = 0; j < p->dimension; j++)
            sum += z[j] * z[j] - 10 * cos(2 * M_PI * z[j]) + 10;
        return sum;
    default:
        for (uint32_t j = 0; j < p->dimension; j++)
            sum += z[j] * z[j];
        return sum;
    }
}

double diffevo_exact_value(const struct diffevo_problem *p, const float *data, const float *x)
{
    double sum = 0;

    for (uint32_t s = 0; s < p->shifts; s++)
        sum += value_at(p, data, data + p->shift + s * p->dimension, x);
    return sum;
}
