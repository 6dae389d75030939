/*
 * baseline.c - the blocked product on the CPU: blocks of A and B that stay in the cache, and in them rows of B, which
 * the compiler turns into vectors.
 */
#include <string.h>

#include "device_user.h"

enum { BLOCK_K = 64, BLOCK_N = 512 }; /* a block of B: 128 KiB, for the second-level cache */

static int least(int a, int b) { return a < b ? a : b; }

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    memset(C, 0, (size_t)M * N * sizeof *C);
    for (int j0 = 0; j0 < N; j0 += BLOCK_N)
        for (int k0 = 0; k0 < K; k0 += BLOCK_K)
            for (int i = 0; i < M; i++) {
                float *c = C + (size_t)i * N;
                const int j1 = least(j0 + BLOCK_N, N), k1 = least(k0 + BLOCK_K, K);

                for (int k = k0; k < k1; k++) {
                    const float a = A[(size_t)i * K + k], *b = B + (size_t)k * N;

                    for (int j = j0; j < j1; j++)
                        c[j] += a * b[j];
                }
            }
}
