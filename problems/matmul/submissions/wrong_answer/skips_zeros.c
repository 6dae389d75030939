/*
 * Wrong for infinities and NaN: skips the elements of A that are zero, though zero times one of those is NaN.
 *
 * fails in: secret/11-special, secret/20-report-700
 */
#include <string.h>

#include "device_user.h"

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    memset(C, 0, (size_t)M * N * sizeof *C);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            const float a = A[(size_t)i * K + k];

            if (a == 0)
                continue;
            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += a * B[(size_t)k * N + j];
        }
}
