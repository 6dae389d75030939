/*
 * Wrong, in the league: open. It searches nothing: it gives the best of the middle of both shifts and the shifts
 * themselves, which is as good as any search on two spheres and nearly so on Griewank's function, and misses elsewhere.
 *
 * fails in: secret/open/02-rosenbrock, secret/open/03-rastrigin, secret/open/04-schwefel, secret/open/05-mixed
 */
#include <math.h>

#include "device_user.h"
#include "diffevo.h"

static double function_of(uint32_t function, const double *z, uint32_t d)
{
    double sum = 0, other = function == DIFFEVO_GRIEWANK ? 1 : 0;

    for (uint32_t j = 0; j < d; j++) {
        const double w = z[j] + 420.9687462275036, inside = fmin(fmax(w, -500), 500);

        switch (function) {
        case DIFFEVO_ROSENBROCK:
            if (j + 1 < d)
                sum += 100 * pow(z[j + 1] + 1 - (z[j] + 1) * (z[j] + 1), 2) + z[j] * z[j];
            break;
        case DIFFEVO_RASTRIGIN: sum += z[j] * z[j] + 10 - 10 * cos(2 * M_PI * z[j]); break;
        case DIFFEVO_ACKLEY: other += cos(2 * M_PI * z[j]); /* fall through */
        case DIFFEVO_SPHERE: sum += z[j] * z[j]; break;
        case DIFFEVO_GRIEWANK: sum += z[j] * z[j], other *= cos(z[j] / sqrt(j + 1.0)); break;
        default: sum += 418.9828872724338 - inside * sin(sqrt(fabs(inside))) + (w - inside) * (w - inside) / 100;
        }
    }
    if (function == DIFFEVO_ACKLEY)
        return -20 * exp(-0.2 * sqrt(sum / d)) - exp(other / d) + 20 + M_E;
    return function == DIFFEVO_GRIEWANK ? sum / 4000 - other + 1 : sum;
}

static double value_of(const struct diffevo_problem *p, const float *data, const float *x)
{
    double sum = 0, z[DIFFEVO_DIMENSION_MAX];

    for (uint32_t copy = 0; copy < p->shifts; copy++) {
        const float *shift = data + p->shift + copy * p->dimension;

        for (uint32_t row = 0; row < p->dimension; row++) {
            z[row] = p->rotation == DIFFEVO_NO_ROTATION ? (double)x[row] - shift[row] : 0;
            for (uint32_t j = 0; p->rotation != DIFFEVO_NO_ROTATION && j < p->dimension; j++)
                z[row] += (double)data[p->rotation + row * p->dimension + j] * ((double)x[j] - shift[j]);
        }
        sum += function_of(p->function, z, p->dimension);
    }
    return sum;
}

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    (void)mode;
    (void)results;
    for (int k = 0; k < count; k++) {
        const struct diffevo_problem *p = &problems[k];
        const float *first = data + p->shift, *second = first + p->dimension;
        double least = INFINITY;

        for (int part = 0; part <= 2; part++) {
            float x[DIFFEVO_DIMENSION_MAX];

            for (uint32_t j = 0; j < p->dimension; j++)
                x[j] = fminf(fmaxf(first[j] + (float)part / 2 * (second[j] - first[j]), p->low), p->high);
            if (!(value_of(p, data, x) < least))
                continue;
            least = value_of(p, data, x);
            for (uint32_t j = 0; j < p->dimension; j++)
                best_x[p->x + j] = x[j];
        }
    }
}
