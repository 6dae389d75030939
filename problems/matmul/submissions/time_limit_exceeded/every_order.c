/*
 * Too slow: computes the product again for each row of A, and walks through both factors column by column.
 *
 * fails in: secret/19-report-512, secret/20-report-700
 */
#include "device_user.h"

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int again = 0; again < M; again++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                volatile float sum = 0; /* volatile: the compiler must not leave the repetitions out */

                for (int k = 0; k < K; k++)
                    sum += A[(size_t)i * K + k] * B[(size_t)k * N + j];
                C[(size_t)i * N + j] = sum;
            }
}
