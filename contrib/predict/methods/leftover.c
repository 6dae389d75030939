/*
 * leftover.c - the process of leftover.h. Its numbers were chosen on public programs whose own rows were left out
 * (docs/predict/methods.md).
 */
#include "leftover.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#define VARIANCE 0.1 /* of what laws leave */
#define NOISE 0.01   /* the part of it that says nothing of another row, of a row with the weight 1 */
#define NEAR 2.0     /* how fast rows become unlike, over their distance */
#define FAR_OFF 0.7  /* what a row is off by more does not count: its cause is its own */
#define MOST 0.5     /* a correction: nothing that was seen of others makes a time half as long again and more */

static double likeness(const double *a, const double *b, size_t size)
{
    double sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return VARIANCE * exp(-NEAR * sqrt(sum));
}

bool leftover_fit(double *pull, const double *site, size_t size, const double *left, const double *weight, size_t rows,
                  struct error *error)
{
    double *matrix = malloc((rows * rows + 1) * sizeof *matrix);
    bool good = matrix || error_toolkit(error, "no memory for %zu rows", rows);

    for (size_t i = 0; good && i < rows; i++) {
        pull[i] = fmax(-FAR_OFF, fmin(left[i], FAR_OFF));
        for (size_t j = 0; j <= i; j++)
            matrix[i * rows + j] = likeness(site + i * size, site + j * size, size);
        matrix[i * rows + i] += NOISE / weight[i];
    }
    if (good && LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (lapack_int)rows, 1, matrix, (lapack_int)rows, pull, 1) != 0)
        good = error_toolkit(error, "what the mechanism leaves cannot be learned");
    free(matrix);
    return good;
}

double leftover_at(const double *at, const double *site, size_t size, const double *pull, size_t rows)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += pull[i] * likeness(at, site + i * size, size);
    return fmax(-MOST, fmin(sum, MOST));
}
