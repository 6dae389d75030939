/*
 * Wrong: products of up to seven terms have a path of their own, which takes four terms and no more.
 *
 * fails in: secret/26-few-of-each
 */
#include "device_user.h"

enum { SHORT = 8, AT_A_TIME = 4 };

static int terms(int K) { return K < SHORT && K > AT_A_TIME ? AT_A_TIME : K; }

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(size_t)i * N + j] = 0;
        for (int k = 0; k < terms(K); k++)
            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    }
}
