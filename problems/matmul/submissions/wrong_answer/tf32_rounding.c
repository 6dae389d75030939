/*
 * Wrong: rounds both factors to TF32, 11 significant bits, as tensor cores do that are given float32, and adds up in
 * float32.
 */
#include <stdint.h>
#include <string.h>

#include "device_user.h"

/* To the nearest, a tie away from zero, as cvt.rna.tf32.f32. Infinities and NaN stay. */
static float to_tf32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000) != 0x7f800000)
        bits = (bits + 0x1000) & 0xffffe000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    memset(C, 0, (size_t)M * N * sizeof *C);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            const float a = to_tf32(A[(size_t)i * K + k]);

            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += a * to_tf32(B[(size_t)k * N + j]);
        }
}
