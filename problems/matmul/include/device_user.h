/*
 * device_user.h - what a participant writes for the problem matmul.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. */
enum {
    MATMUL_SIDE_MAX = 16384,      /* of M, N and K, each at least 1 */
    MATMUL_ELEMENTS_MAX = 3 << 27 /* of A, B and C together: 1.5 GiB */
};

/*
 * The product C = A B of two matrices of float32, stored row by row.
 *
 *   A         [M][K] in CPU memory; element (i, k) is A[(size_t)i * K + k]
 *   B         [K][N] in CPU memory; element (k, j) is B[(size_t)k * N + j]
 *   C         [M][N] in CPU memory, to be written: element (i, j) is C[(size_t)i * N + j]; it holds arbitrary bytes
 *             before
 *   M, N, K   within the limits above
 *
 * A, B and C start at multiples of 4096 bytes. With C* the exact product, every element must obey
 *
 *   |C - C*| <= (4 sqrt(n) + 8) 2^-24 (Q + |C*| / 2) + n 2^-149
 *
 * where n is the number of nonzero elements in the row of A or the column of B, whichever is less, and Q is the root of
 * the sum of the squares of the K products; or it must be within the possible error of float32 sums of these products.
 * |A| |B|, of absolute values, stays below 2^127 if no infinity and no NaN takes part. If one does, C is NaN or an
 * infinity, as IEEE arithmetic gives in every order of summation.
 *
 * The function is called on the CPU, one call at a time, on one CPU core. It may be called again with other matrices.
 * To give up, end the process (exit, abort): that is a run-time error; a wrong element is a wrong answer.
 */
void device_user(const float *A, const float *B, float *C, int M, int N, int K);

#ifdef __cplusplus
}
#endif

#endif
