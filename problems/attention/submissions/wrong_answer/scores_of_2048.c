/*
 * Wrong: keeps the scores of a query in an array of 2048, and meets no key beyond it.
 *
 * fails in: secret/28-past-2048
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "device_user.h"

enum { SCORES = 2048, DIM_MAX = 128 };

static float number(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;

    memcpy(&x, &wide, sizeof x);
    return x;
}

static uint16_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* One query meets the first `count` keys. */
static void attend(const uint16_t *q, const uint16_t *K, const uint16_t *V, uint16_t *o, int count, int dim)
{
    float score[SCORES], sum[DIM_MAX] = { 0 }, most = -INFINITY, total = 0;

    count = count < SCORES ? count : SCORES;
    for (int j = 0; j < count; j++) {
        score[j] = 0;
        for (int c = 0; c < dim; c++)
            score[j] += number(q[c]) * number(K[(size_t)j * dim + c]);
        score[j] /= sqrtf((float)dim);
        most = fmaxf(most, score[j]);
    }
    for (int j = 0; j < count; j++) {
        const float weight = expf(score[j] - most);

        total += weight;
        for (int c = 0; c < dim; c++)
            sum[c] += weight * number(V[(size_t)j * dim + c]);
    }
    for (int c = 0; c < dim; c++)
        o[c] = bits_of(sum[c] / total);
}

void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads, int length, int dim,
                 int causal, device_stream stream)
{
    (void)stream;
    for (int head = 0; head < heads; head++) {
        const size_t at = (size_t)head * length * dim;

        for (int i = 0; i < length; i++)
            attend(Q + at + (size_t)i * dim, K + at, V + at, O + at + (size_t)i * dim, causal ? i + 1 : length, dim);
    }
}
