/*
 * Wrong: adds to what C holds, as if it were zero at first.
 *
 * fails in: secret/10-tiny
 */
#include "device_user.h"

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += A[(size_t)i * K + k] * B[(size_t)k * N + j];
}
