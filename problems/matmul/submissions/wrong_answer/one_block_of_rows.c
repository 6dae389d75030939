/*
 * Wrong: the product with a single column has a path of its own, which one block of 1024 threads computes, a row each.
 *
 * fails in: secret/22-long-column
 */
#include "device_user.h"

static void multiply_column(const float *A, const float *b, float *c, int M, int K)
{
    for (int thread = 0; thread < 1024 && thread < M; thread++) {
        float sum = 0;

        for (int k = 0; k < K; k++)
            sum += A[(size_t)thread * K + k] * b[k];
        c[thread] = sum;
    }
}

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    if (N == 1) {
        multiply_column(A, B, C, M, K);
        return;
    }
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(size_t)i * N + j] = 0;
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
}
