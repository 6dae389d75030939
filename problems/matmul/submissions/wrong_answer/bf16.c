/* Wrong: rounds both factors to bfloat16, 8 significant bits, and adds up in float32. */
#include <stdint.h>
#include <string.h>

#include "device_user.h"

/* To the nearest, a tie to even, as cvt.rn.bf16.f32. Infinities and NaN stay. */
static float to_bf16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000) != 0x7f800000)
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    memset(C, 0, (size_t)M * N * sizeof *C);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            const float a = to_bf16(A[(size_t)i * K + k]);

            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += a * to_bf16(B[(size_t)k * N + j]);
        }
}
