/*
 * Wrong: cuts each number into two of bfloat16, 17 significant bits together, as tensor cores multiply them, and adds
 * up in float32. That is not enough where few products decide. league: accurate
 *
 * fails in: sample/1-square, secret/13-wide, secret/20-report-700
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

/* To the nearest, a tie to even, as cvt.rn.bf16.f32. */
static float to_bf16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float to_two(float x)
{
    const float high = to_bf16(x);

    return isfinite(x) ? high + to_bf16(x - high) : x;
}

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t count = (size_t)K * (size_t)N;
    float *b = malloc(count * sizeof *b);

    if (!b)
        abort();
    for (size_t e = 0; e < count; e++)
        b[e] = to_two(B[e]);
    memset(C, 0, (size_t)M * N * sizeof *C);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            const float a = to_two(A[(size_t)i * K + k]);

            for (int j = 0; j < N; j++)
                C[(size_t)i * N + j] += a * b[(size_t)k * N + j];
        }
    free(b);
}
