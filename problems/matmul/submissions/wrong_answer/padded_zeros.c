/*
 * Wrong for infinities: pads K to a multiple of 16 with zeros in A, but goes on reading the last row of B for them, so
 * that an infinity there meets a zero and makes NaN. Right in all other cases.
 *
 * fails in: secret/11-special
 */
#include "device_user.h"

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const int padded = (K + 15) / 16 * 16;

    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;

            for (int k = 0; k < padded; k++)
                sum += (k < K ? A[(size_t)i * K + k] : 0) * B[(size_t)(k < K ? k : K - 1) * N + j];
            C[(size_t)i * N + j] = sum;
        }
}
