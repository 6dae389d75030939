/*
 * product.h - products of matrices in float64: the truth that outputs are judged by.
 *
 * A product of two float32 is exact in float64 (24 + 24 of 53 bits, exponents from -298 to 256), so an element summed
 * in ascending k has the same bits whatever the vectors, the blocks, and whether multiplication and addition are fused.
 * Where the right factor is float64, products are rounded; the objects are compiled without fused operations, and the
 * bits are the same again. Every NaN is written as one and the same, because which one an operation gives
 * depends on the order of its operands.
 *
 * The method is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (ACM TOMS 34, 2008):
 * blocks of both factors are copied into the order in which the innermost kernel reads them. It is compiled for
 * AVX-512, AVX2 and plain float64, and chosen at run time.
 */
#ifndef MATMUL_PRODUCT_H
#define MATMUL_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

enum matmul_isa { MATMUL_PORTABLE, MATMUL_AVX2, MATMUL_AVX512, MATMUL_ISAS };

const char *matmul_isa_name(enum matmul_isa isa);
bool matmul_isa_supported(enum matmul_isa isa);
enum matmul_isa matmul_isa_best(void);

/*
 * sums[m][n] = A B, and, where squares[m][n] is not NULL, the sums of the squares of the same products; a[m][k] and
 * b[k][n] row by row, the rows of a lda elements apart, those of b ldb. False when memory is exhausted.
 */
bool matmul_product(enum matmul_isa isa, const float *a, size_t lda, const float *b, size_t ldb, size_t m, size_t n,
                    size_t k, double *sums, double *squares);

/* The same with the left factor A, or the squares of its elements (squared), and a right factor of float64. */
bool matmul_product_f64(enum matmul_isa isa, bool squared, const float *a, size_t lda, const double *b, size_t ldb,
                        size_t m, size_t n, size_t k, double *sums);

/* Both by their definitions: an element at a time, in ascending k. */
void matmul_product_plain(const float *a, const float *b, size_t m, size_t n, size_t k, double *sums, double *squares);
void matmul_product_f64_plain(bool squared, const float *a, const double *b, size_t m, size_t n, size_t k,
                              double *sums);

/* NaN as it stands in all of these. */
double matmul_canonical(double x);

#endif
