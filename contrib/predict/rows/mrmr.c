/* mrmr.c - mutual information by bins of equally many rows; equal values share a bin. */
#include "mrmr.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 10 };

struct ranked {
    double value; /* that rows are sorted by */
    size_t row;   /* its number */
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

    return (x > y) - (x < y);
}

/* bin[row] of a column of values `stride` apart. */
static void make_bins(const double *values, size_t stride, size_t rows, struct ranked *order, unsigned char *bin)
{
    for (size_t i = 0; i < rows; i++)
        order[i] = (struct ranked){values[i * stride], i};
    qsort(order, rows, sizeof *order, by_value);
    for (size_t i = 0, start = 0; i < rows; i++) {
        if (order[i].value != order[start].value)
            start = i;
        bin[order[i].row] = (unsigned char)(start * BINS / rows);
    }
}

static double information(const unsigned char *a, const unsigned char *b, size_t rows)
{
    double joint[BINS][BINS] = {{0}}, of_a[BINS] = {0}, of_b[BINS] = {0}, bits = 0;

    for (size_t i = 0; i < rows; i++) {
        joint[a[i]][b[i]]++;
        of_a[a[i]]++;
        of_b[b[i]]++;
    }
    for (int i = 0; i < BINS; i++)
        for (int j = 0; j < BINS; j++)
            if (joint[i][j] > 0)
                bits += joint[i][j] / (double)rows * log2(joint[i][j] * (double)rows / (of_a[i] * of_b[j]));
    return bits;
}

bool mrmr_rank(const double *x, const double *y, size_t rows, size_t inputs, struct influence *ranking,
               struct error *error)
{
    struct ranked *order = malloc((rows + 1) * sizeof *order);
    unsigned char *bins = malloc((inputs + 1) * (rows + 1)), *target = bins ? bins + inputs * rows : NULL;
    double *relevance = calloc(inputs + 1, sizeof *relevance), *shared = calloc(inputs + 1, sizeof *shared);
    bool good = order && bins && relevance && shared;

    if (!good)
        error_toolkit(error, "no memory for %zu rows", rows);
    for (size_t i = 0; good && i < inputs; i++)
        make_bins(x + i, inputs, rows, order, bins + i * rows);
    if (good)
        make_bins(y, 1, rows, order, target);
    for (size_t i = 0; good && i < inputs; i++)
        relevance[i] = information(bins + i * rows, target, rows);
    for (size_t taken = 0; good && taken < inputs; taken++) {
        size_t best = inputs;
        double best_score = 0;

        for (size_t i = 0; i < inputs; i++) {
            double score = relevance[i] - (taken ? shared[i] / (double)taken : 0);

            if (!isinf(shared[i]) && (best == inputs || score > best_score)) {
                best = i;
                best_score = score;
            }
        }
        ranking[taken] = (struct influence){best, relevance[best]};
        shared[best] = INFINITY; /* taken */
        for (size_t i = 0; i < inputs; i++)
            shared[i] += information(bins + i * rows, bins + best * rows, rows);
    }
    free(order);
    free(bins);
    free(relevance);
    free(shared);
    return good;
}
