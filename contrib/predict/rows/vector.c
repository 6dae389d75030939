/* vector.c - built with -ffast-math for the processor at hand: see contrib/mk/90-predict.mk. */
#include "vector.h"

#include <math.h>

void vector_tanh(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double y = x[i] > 20 ? 20 : x[i] < -20 ? -20 : x[i]; /* beyond it is 1 to the last bit */

        x[i] = 1 - 2 / (exp(2 * y) + 1);
    }
}

void vector_matern(double *r2, double *slope, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double s = sqrt(3 * (r2[i] > 0 ? r2[i] : 0)), e = exp(-s);

        if (slope)
            slope[i] = -1.5 * e;
        r2[i] = (1 + s) * e;
    }
}

void vector_distances(const double *x, size_t rows, size_t inputs, const double *point, double *r2)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;

        for (size_t j = 0; j < inputs; j++)
            sum += (x[i * inputs + j] - point[j]) * (x[i * inputs + j] - point[j]);
        r2[i] = sum;
    }
}

void vector_gauss(double *r2, double gamma, size_t count)
{
    for (size_t i = 0; i < count; i++)
        r2[i] = exp(-gamma * (r2[i] > 0 ? r2[i] : 0));
}

void vector_scaled_distances(const double *x, size_t rows, size_t inputs, const double *point, const double *scale,
                             double *r2)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;

        for (size_t j = 0; j < inputs; j++) {
            double off = scale[j] * (x[i * inputs + j] - point[j]);

            sum += off * off;
        }
        r2[i] = sum;
    }
}
