/* learned.c - see learned.h. */
#include "learned.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

double *learned_array(struct learned *learned, int array, size_t count, struct error *error)
{
    free(learned->array[array].values);
    learned->array[array].count = count;
    learned->array[array].values = calloc(count + 1, sizeof(double));
    if (!learned->array[array].values)
        error_toolkit(error, "no memory for a model of %zu numbers", count);
    return learned->array[array].values;
}

void learned_release(struct learned *learned)
{
    for (int i = 0; i < MAX_ARRAYS; i++)
        free(learned->array[i].values);
    *learned = (struct learned){.array = {{NULL, 0}}};
}

void mean_and_deviation(const double *y, size_t rows, double *mean, double *deviation)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < rows; i++)
        sum += y[i];
    *mean = sum / (double)rows;
    for (size_t i = 0; i < rows; i++)
        squares += (y[i] - *mean) * (y[i] - *mean);
    *deviation = fmax(sqrt(squares / (double)rows), 1e-12);
}

/*
 * The squared error of leaving one row out, for all rows, of a penalty: z = h V, of which `values` are the squared
 * norms.
 */
static double press(const double *z, const double *zy, const double *values, const double *y, double mean, size_t rows,
                    size_t columns, double penalty)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double fit = 0, weight = 1 / (double)rows, error;

        for (size_t j = 0; j < columns; j++) {
            double share = z[i * columns + j] / (fmax(values[j], 0) + penalty);

            fit += share * zy[j];
            weight += share * z[i * columns + j];
        }
        error = (y[i] - mean - fit) / fmax(1 - weight, 1e-3);
        sum += error * error;
    }
    return sum;
}

bool least_squares(const double *h, const double *y, size_t rows, size_t columns, double *w, struct error *error)
{
    int m = (int)rows, n = (int)columns;
    double mean, deviation, best = INFINITY, best_penalty = 0;
    double *centred = calloc(rows + 1, columns * sizeof *centred), *z = malloc((rows + 1) * columns * sizeof *z);
    double *gram = calloc(columns + 1, columns * sizeof *gram), *values = calloc(4 * columns + 1, sizeof *values);
    double *zy = values ? values + columns : NULL, *means = values ? values + 2 * columns : NULL;
    double *share = values ? values + 3 * columns : NULL;
    bool good = centred && z && gram && values;

    if (!good) {
        error_toolkit(error, "no memory for %zu x %zu numbers", rows, columns);
        goto out;
    }
    mean_and_deviation(y, rows, &mean, &deviation);
    for (size_t i = 0; i < rows; i++)
        cblas_daxpy(n, 1 / (double)rows, h + i * columns, 1, means, 1);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            centred[i * columns + j] = h[i * columns + j] - means[j];
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, m, 1, centred, n, 0, gram, n);
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', n, gram, n, values) != 0) {
        good = error_toolkit(error, "the eigenvalues of %d columns did not converge", n);
        goto out;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, n, 1, centred, n, gram, n, 0, z, n);
    for (size_t i = 0; i < rows; i++)
        cblas_daxpy(n, y[i] - mean, z + i * columns, 1, zy, 1);
    for (int k = 2; k < 14; k++) {
        double penalty = fmax(values[columns - 1], 1e-12) * pow(10, -k);
        double sum = press(z, zy, values, y, mean, rows, columns, penalty);

        if (sum < best) {
            best = sum;
            best_penalty = penalty;
        }
    }
    if (!(best < INFINITY)) {
        good = error_toolkit(error, "least squares with %zu columns has no finite solution", columns);
        goto out;
    }
    for (size_t j = 0; j < columns; j++)
        share[j] = zy[j] / (fmax(values[j], 0) + best_penalty);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, gram, n, share, 1, 0, w, 1);
    w[columns] = mean - cblas_ddot(n, w, 1, means, 1);
out:
    free(centred);
    free(z);
    free(gram);
    free(values);
    return good;
}
