/*
 * generate.c - fills the matrices of a case; generate.h describes the kinds. Every value is computed exactly, or
 * rounded once.
 */
#include "generate.h"

#include <math.h>
#include <string.h>

enum { STREAM_A = 1, STREAM_B, STREAM_PLACES };

static const char *const names[MATMUL_KIND_COUNT] = {
    [MATMUL_UNIFORM] = "uniform",   [MATMUL_POSITIVE] = "positive",
    [MATMUL_WIDE] = "wide",         [MATMUL_CANCEL] = "cancel",
    [MATMUL_INTEGERS] = "integers", [MATMUL_PERMUTATION] = "permutation",
    [MATMUL_TINY] = "tiny",         [MATMUL_SPECIAL] = "special",
};

const char *matmul_kind_name(enum matmul_kind kind) { return names[kind]; }

enum matmul_kind matmul_kind_find(const char *name)
{
    int kind = 0;

    while (kind < MATMUL_KIND_COUNT && strcmp(names[kind], name) != 0)
        kind++;
    return (enum matmul_kind)kind;
}

static float uniform(struct random_stream *stream) { return (float)((double)random_u32(stream) * 0x1p-31 - 1); }

/* A float32 from its fields: sign 0 or 1, biased exponent 0 to 254. */
static float from_bits(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    uint32_t bits = sign << 31 | exponent << 23 | (mantissa & 0x7fffff);
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Random sign and mantissa, exponent from `low` to `low` + count - 1. */
static float spread(struct random_stream *stream, int low, uint32_t count)
{
    uint32_t word = random_u32(stream), exponent = (uint32_t)(low + 127) + random_below(stream, count);

    return from_bits(word >> 31, exponent, word);
}

static float subnormal(struct random_stream *stream)
{
    uint32_t word = random_u32(stream);

    return from_bits(word >> 31, 0, word);
}

/* ------------------------------------------------------------------ kinds */

/* An element of either matrix, of the kinds whose elements are independent and alike. */
static float element(enum matmul_kind kind, struct random_stream *stream)
{
    switch (kind) {
    case MATMUL_POSITIVE: return (float)(random_u32(stream) >> 8) * 0x1p-24f;
    case MATMUL_WIDE: return spread(stream, -20, 41);
    case MATMUL_INTEGERS: return (float)random_below(stream, 33) - 16;
    case MATMUL_TINY: return spread(stream, -75, 10);
    default: return uniform(stream);
    }
}

static void cancel(const struct matmul_pair *pair)
{
    const size_t half = pair->k / 2;

    for (size_t i = 0; i < pair->m; i++)
        memcpy(pair->a + i * pair->k + half, pair->a + i * pair->k, half * sizeof(float));
    for (size_t k = 0; k < half; k++)
        for (size_t j = 0; j < pair->n; j++) {
            float *b = &pair->b[(half + k) * pair->n + j]; /* a uniform number so far */

            *b = -pair->b[k * pair->n + j] * (1 + *b * 0x1p-10f);
        }
}

/* A random permutation of k by the shuffle of Fisher and Yates; row i of A picks its element i mod k. */
static void permute(const struct matmul_pair *pair, struct random_stream *places)
{
    uint16_t order[MATMUL_SIDE_MAX];

    for (size_t k = 0; k < pair->k; k++)
        order[k] = (uint16_t)k;
    for (size_t k = pair->k - 1; k > 0; k--) {
        uint32_t other = random_below(places, (uint32_t)k + 1);
        uint16_t kept = order[k];

        order[k] = order[other];
        order[other] = kept;
    }
    memset(pair->a, 0, pair->m * pair->k * sizeof(float));
    for (size_t i = 0; i < pair->m; i++)
        pair->a[i * pair->k + order[i % pair->k]] = 1;
}

static void make_tiny(const struct matmul_pair *pair, struct random_stream *places)
{
    for (size_t i = 3; i < pair->m; i += 4)
        for (size_t k = 0; k < pair->k; k++)
            pair->a[i * pair->k + k] = subnormal(places);
    for (size_t k = 0; k < pair->k; k++)
        for (size_t j = 3; j < pair->n; j += 4)
            pair->b[k * pair->n + j] = spread(places, 0, 10);
}

static float special(struct random_stream *places)
{
    uint32_t which = random_below(places, 5);

    return which < 2 ? INFINITY : which < 4 ? -INFINITY : NAN;
}

/* The first of each matrix is at the last k: there a zero that only one factor was padded with would meet it. */
static void make_special(const struct matmul_pair *pair, struct random_stream *places)
{
    const uint32_t m = (uint32_t)pair->m, n = (uint32_t)pair->n, k = (uint32_t)pair->k;

    for (uint32_t t = 0; t < 1 + m / 16; t++) {
        uint32_t place = t == 0 ? k - 1 : random_below(places, k);

        pair->a[(size_t)random_below(places, m) * k + place] = special(places);
        if (t % 2 == 1)
            pair->b[(size_t)place * n + random_below(places, n)] = 0;
    }
    for (uint32_t t = 0; t < 1 + n / 16; t++) {
        uint32_t place = t == 0 ? k - 1 : random_below(places, k);

        pair->b[(size_t)place * n + random_below(places, n)] = special(places);
    }
}

void matmul_fill(enum matmul_kind kind, const struct matmul_pair *pair, const struct random_key *key)
{
    struct random_stream a = random_stream(key, STREAM_A), b = random_stream(key, STREAM_B);
    struct random_stream places = random_stream(key, STREAM_PLACES);

    for (size_t e = 0; e < pair->m * pair->k; e++)
        pair->a[e] = element(kind, &a);
    for (size_t e = 0; e < pair->k * pair->n; e++)
        pair->b[e] = element(kind, &b);
    if (kind == MATMUL_CANCEL)
        cancel(pair);
    else if (kind == MATMUL_PERMUTATION)
        permute(pair, &places);
    else if (kind == MATMUL_TINY)
        make_tiny(pair, &places);
    else if (kind == MATMUL_SPECIAL)
        make_special(pair, &places);
}
