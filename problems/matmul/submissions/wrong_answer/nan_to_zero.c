/*
 * Wrong for NaN: writes 0 if a sum is NaN.
 *
 * fails in: secret/11-special, secret/20-report-700
 */
#include "device_user.h"

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;

            for (int k = 0; k < K; k++)
                sum += A[(size_t)i * K + k] * B[(size_t)k * N + j];
            C[(size_t)i * N + j] = sum == sum ? sum : 0;
        }
}
