/*
 * product_engine.h - what product.c needs of each version of the kernel.
 */
#ifndef MATMUL_PRODUCT_ENGINE_H
#define MATMUL_PRODUCT_ENGINE_H

#include <stddef.h>

struct matmul_engine {
    size_t rows, columns; /* of the tile that it keeps in registers */
    /*
     * tile[rows][columns] += the product of a[k][rows] and b[k][columns], in ascending k. tile and b are aligned to 64
     * bytes.
     */
    void (*run)(const double *a, const double *b, size_t k, double *tile);
};

extern const struct matmul_engine matmul_engine_portable, matmul_engine_avx2, matmul_engine_avx512;

/* The largest of any engine. */
enum { MATMUL_TILE_ROWS = 8, MATMUL_TILE_COLUMNS = 16 };

#endif
