/*
 * product_kernel.h - the innermost kernel of the float64 product, written once over a vector type.
 *
 * Included by product_{portable,avx2,avx512}.c, each of which first defines VECTOR_BYTES, TILE_ROWS and ENGINE. The
 * tile is two vectors wide, and so tall that its sums, and what is loaded beside them, fit in the registers.
 */
#include "product_engine.h"

typedef double vec __attribute__((vector_size(VECTOR_BYTES)));

enum { LANES = VECTOR_BYTES / sizeof(double) };

static void tile_run(const double *a, const double *b, size_t k, double *tile)
{
    vec sums[TILE_ROWS][2], *out = (vec *)tile;
    const vec *in = (const vec *)b;

#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++) {
        sums[r][0] = out[2 * r];
        sums[r][1] = out[2 * r + 1];
    }
    for (size_t step = 0; step < k; step++) {
        const vec b0 = in[2 * step], b1 = in[2 * step + 1];

#pragma GCC unroll 8
        for (int r = 0; r < TILE_ROWS; r++) {
            const double factor = a[step * TILE_ROWS + (size_t)r];

            sums[r][0] += factor * b0;
            sums[r][1] += factor * b1;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++) {
        out[2 * r] = sums[r][0];
        out[2 * r + 1] = sums[r][1];
    }
}

const struct matmul_engine ENGINE = { .rows = TILE_ROWS, .columns = 2 * LANES, .run = tile_run };
