/*
 * baseline.c - blocks on the CPU with an online softmax: 16 queries meet 64 keys at a time, so that keys and values are
 * read once for 16 queries, and no query's scores are kept. Where the maximum grows, what was summed up is scaled down.
 */
#include <math.h>
#include <string.h>

#include "device_user.h"

enum { QUERIES = 16, KEYS = 64, DIM_MAX = 128 };

/* What is known of a block of queries so far. */
struct block {
    float q[QUERIES][DIM_MAX]; /* scaled */
    float o[QUERIES][DIM_MAX]; /* sums of exp(score - most) v */
    float most[QUERIES], total[QUERIES];
};

static int least(int a, int b) { return a < b ? a : b; }

static float number(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;

    memcpy(&x, &wide, sizeof x);
    return x;
}

/* The nearest bfloat16, ties to even. */
static uint16_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* One query meets `count` keys: k is stored column by column, v row by row. */
static void meet(struct block *b, int r, float k[DIM_MAX][KEYS], float v[KEYS][DIM_MAX], int count, int d)
{
    float p[KEYS] = { 0 }, most = b->most[r], scale;

    for (int c = 0; c < d; c++)
        for (int j = 0; j < KEYS; j++)
            p[j] += b->q[r][c] * k[c][j];
    for (int j = 0; j < count; j++)
        most = fmaxf(most, p[j]);
    scale = expf(b->most[r] - most);
    b->most[r] = most;
    b->total[r] *= scale;
    for (int c = 0; c < d; c++)
        b->o[r][c] *= scale;
    for (int j = 0; j < count; j++) {
        p[j] = expf(p[j] - most);
        b->total[r] += p[j];
        for (int c = 0; c < d; c++)
            b->o[r][c] += p[j] * v[j][c];
    }
}

static void load(const uint16_t *K, const uint16_t *V, float k[DIM_MAX][KEYS], float v[KEYS][DIM_MAX], int count, int d)
{
    for (int j = 0; j < count; j++)
        for (int c = 0; c < d; c++) {
            k[c][j] = number(K[(size_t)j * d + c]);
            v[j][c] = number(V[(size_t)j * d + c]);
        }
}

/* Queries from `first` on of one head. */
static void attend(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int first, int length, int d,
                   int causal)
{
    static float k[DIM_MAX][KEYS], v[KEYS][DIM_MAX];
    const int rows = least(QUERIES, length - first), end = causal ? first + rows : length;
    struct block b = { 0 };

    for (int r = 0; r < rows; r++) {
        b.most[r] = -INFINITY;
        for (int c = 0; c < d; c++)
            b.q[r][c] = number(Q[(size_t)(first + r) * d + c]) / sqrtf((float)d);
    }
    for (int j = 0; j < end; j += KEYS) {
        load(K + (size_t)j * d, V + (size_t)j * d, k, v, least(KEYS, end - j), d);
        for (int r = 0; r < rows; r++) {
            const int seen = least(KEYS, (causal ? first + r + 1 : length) - j);

            if (seen > 0)
                meet(&b, r, k, v, seen, d);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < d; c++)
            O[(size_t)(first + r) * d + c] = bits_of(b.o[r][c] / b.total[r]);
}

void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads, int length, int dim,
                 int causal, device_stream stream)
{
    (void)stream;
    for (int head = 0; head < heads; head++) {
        const size_t at = (size_t)head * length * dim;

        for (int first = 0; first < length; first += QUERIES)
            attend(Q + at, K + at, V + at, O + at, first, length, dim, causal);
    }
}
