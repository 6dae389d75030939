/*
 * generate.c - fills the matrices of a case; generate.h describes the kinds. Every value is computed exactly, or
 * rounded once.
 */
#include "generate.h"

#include <math.h>
#include <string.h>

#include "verify/base/parallel.h"

enum { STREAM_A = 1, STREAM_B, STREAM_PLACES };

/* Elements that a thread fills at a time, some milliseconds, and those that words are drawn for at once. */
enum { FILL_PIECE = 1 << 20, CHUNK = 512 };

static const char *const names[MATMUL_KIND_COUNT] = {
    [MATMUL_UNIFORM] = "uniform",   [MATMUL_POSITIVE] = "positive",
    [MATMUL_WIDE] = "wide",         [MATMUL_CANCEL] = "cancel",
    [MATMUL_INTEGERS] = "integers", [MATMUL_PERMUTATION] = "permutation",
    [MATMUL_TINY] = "tiny",         [MATMUL_SPECIAL] = "special",
    [MATMUL_MIXED] = "mixed",
};

const char *matmul_kind_name(enum matmul_kind kind) { return names[kind]; }

enum matmul_kind matmul_kind_find(const char *name)
{
    int kind = 0;

    while (kind < MATMUL_KIND_COUNT && strcmp(names[kind], name) != 0)
        kind++;
    return (enum matmul_kind)kind;
}

static float uniform(uint32_t word) { return (float)((double)word * 0x1p-31 - 1); }

/* A float32 from its fields: sign 0 or 1, biased exponent 0 to 254. */
static float from_bits(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    uint32_t bits = sign << 31 | exponent << 23 | (mantissa & 0x7fffff);
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of two words: random sign and mantissa, exponent from `low` to `low` + count - 1. */
static float spread(const uint32_t words[2], int low, uint32_t count)
{
    return from_bits(words[0] >> 31, (uint32_t)(low + 127) + random_scaled(words[1], count), words[0]);
}

static float subnormal(struct random_stream *stream)
{
    uint32_t word = random_u32(stream);

    return from_bits(word >> 31, 0, word);
}

/* ------------------------------------------------------------------ kinds */

/* Words of its stream that an element takes. */
static size_t element_words(enum matmul_kind kind) { return kind == MATMUL_WIDE || kind == MATMUL_TINY ? 2 : 1; }

/* An element of either matrix, of the kinds whose elements are independent and alike, of its words. */
static float element(enum matmul_kind kind, const uint32_t *words)
{
    switch (kind) {
    case MATMUL_POSITIVE: return (float)(words[0] >> 8) * 0x1p-24f;
    case MATMUL_WIDE: return spread(words, -20, 41);
    case MATMUL_INTEGERS: return (float)random_scaled(words[0], 33) - 16;
    case MATMUL_TINY: return spread(words, -75, 10);
    default: return uniform(words[0]);
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
    uint32_t words[2];

    for (size_t i = 3; i < pair->m; i += 4)
        for (size_t k = 0; k < pair->k; k++)
            pair->a[i * pair->k + k] = subnormal(places);
    for (size_t k = 0; k < pair->k; k++)
        for (size_t j = 3; j < pair->n; j += 4) {
            random_words(places, words, 2);
            pair->b[k * pair->n + j] = spread(words, 0, 10);
        }
}

/*
 * The t-th of the special values: each comes in its turn, so that there is a NaN and an infinity of either sign where
 * there are three.
 */
static float special(uint32_t t)
{
    static const float values[] = { INFINITY, NAN, -INFINITY };

    return values[t % 3];
}

/*
 * Infinities and NaN, `in_rows` in A and `in_columns` in B. Each meets up to three zeros and a subnormal number in the
 * other matrix. The first of each matrix is at the last k: there a zero that only one factor was padded with would meet
 * it. Zeros come first, so that none replaces a special value.
 */
static void make_special(const struct matmul_pair *pair, uint32_t in_rows, uint32_t in_columns,
                         struct random_stream *places)
{
    const uint32_t m = (uint32_t)pair->m, n = (uint32_t)pair->n, k = (uint32_t)pair->k;
    const uint32_t first = random_below(places, 3);
    uint32_t in_a[1 + MATMUL_SIDE_MAX / 16], in_b[1 + MATMUL_SIDE_MAX / 16];

    for (uint32_t t = 0; t < in_rows; t++) {
        in_a[t] = t == 0 ? k - 1 : random_below(places, k);
        for (int zero = 0; zero < 3; zero++)
            pair->b[(size_t)in_a[t] * n + random_below(places, n)] = 0;
        pair->b[(size_t)in_a[t] * n + random_below(places, n)] = subnormal(places);
    }
    for (uint32_t t = 0; t < in_columns; t++) {
        in_b[t] = t == 0 ? k - 1 : random_below(places, k);
        for (int zero = 0; zero < 3; zero++)
            pair->a[(size_t)random_below(places, m) * k + in_b[t]] = 0;
        pair->a[(size_t)random_below(places, m) * k + in_b[t]] = subnormal(places);
    }
    for (uint32_t t = 0; t < in_rows; t++)
        pair->a[(size_t)random_below(places, m) * k + in_a[t]] = special(first + t);
    for (uint32_t t = 0; t < in_columns; t++)
        pair->b[(size_t)in_b[t] * n + random_below(places, n)] = special(first + 1 + t);
}

/* Row i of A with up to 8 elements other than 0. */
static void make_few(const struct matmul_pair *pair, size_t i, struct random_stream *places)
{
    enum { FEW = 8 };
    const uint32_t k = (uint32_t)pair->k, count = 1 + random_below(places, FEW);
    float *row = pair->a + i * pair->k, kept[FEW];
    uint32_t at[FEW];

    for (uint32_t e = 0; e < count; e++) {
        at[e] = random_below(places, k);
        kept[e] = row[at[e]];
    }
    memset(row, 0, pair->k * sizeof *row);
    for (uint32_t e = 0; e < count; e++)
        row[at[e]] = kept[e];
}

static void make_mixed(const struct matmul_pair *pair, struct random_stream *places)
{
    const uint32_t most = (uint32_t)(pair->m < pair->n ? pair->m : pair->n) / 64;
    uint32_t words[2];

    for (size_t i = 0; i < pair->m; i++) {
        const uint32_t class = random_below(places, 32);

        if (class < 2)
            make_few(pair, i, places);
        for (size_t k = 0; k < pair->k && class >= 2 && class < 5; k++) {
            random_words(places, words, 2);
            pair->a[i * pair->k + k] = class == 2 ? from_bits(words[0] >> 31, 0, words[0]) : spread(words, -20, 41);
        }
    }
    for (size_t j = 0; j < pair->n; j++)
        for (size_t k = 0, wide = random_below(places, 16) == 0; wide && k < pair->k; k++) {
            random_words(places, words, 2);
            pair->b[k * pair->n + j] = spread(words, -20, 41);
        }
    make_special(pair, most < 4 ? most : 4, most < 4 ? most : 4, places);
}

/* One of the matrices while it is filled with independent elements. */
struct filling {
    enum matmul_kind kind;
    struct random_stream stream;
    float *elements;
};

static void fill_elements(void *context, size_t first, size_t end)
{
    const struct filling *filling = context;
    const size_t each = element_words(filling->kind);
    struct random_stream stream = random_ahead(&filling->stream, first * each);
    uint32_t words[2 * CHUNK];

    for (; first < end; first += CHUNK) {
        const size_t count = end - first < CHUNK ? end - first : CHUNK;

        random_words(&stream, words, count * each);
        for (size_t e = 0; e < count; e++)
            filling->elements[first + e] = element(filling->kind, words + e * each);
    }
}

void matmul_fill(enum matmul_kind kind, const struct matmul_pair *pair, const struct random_key *key)
{
    struct filling a = { .kind = kind, .stream = random_stream(key, STREAM_A), .elements = pair->a };
    struct filling b = { .kind = kind, .stream = random_stream(key, STREAM_B), .elements = pair->b };
    struct random_stream places = random_stream(key, STREAM_PLACES);

    parallel_pieces(pair->m * pair->k, FILL_PIECE, fill_elements, &a);
    parallel_pieces(pair->k * pair->n, FILL_PIECE, fill_elements, &b);
    if (kind == MATMUL_CANCEL)
        cancel(pair);
    else if (kind == MATMUL_PERMUTATION)
        permute(pair, &places);
    else if (kind == MATMUL_TINY)
        make_tiny(pair, &places);
    else if (kind == MATMUL_SPECIAL)
        make_special(pair, 1 + (uint32_t)pair->m / 16, 1 + (uint32_t)pair->n / 16, &places);
    else if (kind == MATMUL_MIXED)
        make_mixed(pair, &places);
}
