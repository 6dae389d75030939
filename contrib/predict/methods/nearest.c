/* nearest.c - the mean of the three nearest training rows, weighted by the inverse of their distance. */
#include <math.h>
#include <string.h>

#include "method.h"
#include "contrib/predict/rows/vector.h"

enum { ROWS, TARGETS };
enum { NEIGHBOURS = 3, BATCH = 256 };

static bool fit(struct learned *learned, const struct training *t, struct error *error)
{
    double *rows = learned_array(learned, ROWS, t->rows * t->inputs, error);
    double *targets = rows ? learned_array(learned, TARGETS, t->rows, error) : NULL;

    if (!targets)
        return false;
    memcpy(rows, t->x, t->rows * t->inputs * sizeof *rows);
    memcpy(targets, t->y, t->rows * sizeof *targets);
    return true;
}

static double predict(const struct learned *learned, size_t inputs, const double *x, const double *terms)
{
    const double *rows = learned->array[ROWS].values, *targets = learned->array[TARGETS].values;
    size_t count = learned->array[TARGETS].count, found = 0;
    double distance[NEIGHBOURS], target[NEIGHBOURS], sum = 0, weights = 0, part[BATCH];

    (void)terms;
    for (size_t i = 0; i < count; i++) {
        double d;
        size_t at;

        if (i % BATCH == 0)
            vector_distances(rows + i * inputs, count - i < BATCH ? count - i : BATCH, inputs, x, part);
        d = part[i % BATCH];
        if (found == NEIGHBOURS && d >= distance[NEIGHBOURS - 1])
            continue;
        for (at = found < NEIGHBOURS ? found++ : NEIGHBOURS - 1; at > 0 && distance[at - 1] > d; at--) {
            distance[at] = distance[at - 1];
            target[at] = target[at - 1];
        }
        distance[at] = d;
        target[at] = targets[i];
    }
    for (size_t i = 0; i < found; i++) {
        double weight = 1 / (sqrt(distance[i]) + 1e-6);

        sum += weight * target[i];
        weights += weight;
    }
    return sum / weights;
}

static bool check(const struct learned *learned, size_t inputs)
{
    return learned->array[TARGETS].count > 0 && learned->array[ROWS].count == learned->array[TARGETS].count * inputs;
}

const struct method method_nearest = {.name = "nearest", .title = "nearest neighbours", .arrays = {"rows", "targets"},
                                      .fit = fit, .predict = predict, .check = check};
