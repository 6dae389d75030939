/*
 * generate.c - fills Q, K and V of a case; generate.h describes the kinds. Every value is computed exactly, or rounded
 * once.
 */
#include "generate.h"

#include <math.h>
#include <string.h>

#include "verify/base/parallel.h"

enum { STREAM_Q = 1, STREAM_K, STREAM_V, STREAM_KINDS, STREAM_COLUMNS };

enum { FILL_ROWS = 1024, DIM_MAX = 128, LEVELS = 4 * 255 + 1 };

static const char *const names[ATTENTION_KIND_COUNT] = {
    [ATTENTION_NORMAL] = "normal", [ATTENTION_PEAKED] = "peaked",     [ATTENTION_FLAT] = "flat",
    [ATTENTION_WIDE] = "wide",     [ATTENTION_POSITIVE] = "positive", [ATTENTION_DRIFT] = "drift",
    [ATTENTION_SINK] = "sink",     [ATTENTION_MIXED] = "mixed",
    [ATTENTION_LOW] = "low",
};

const char *attention_kind_name(enum attention_kind kind) { return names[kind]; }

enum attention_kind attention_kind_find(const char *name)
{
    int kind = 0;

    while (kind < ATTENTION_KIND_COUNT && strcmp(names[kind], name) != 0)
        kind++;
    return (enum attention_kind)kind;
}

struct filling {
    const struct attention_heads *h;
    enum attention_kind kind;
    struct random_stream q, k, v, kinds, columns;
    float normal[LEVELS]; /* of the sum of four random bytes, a bfloat16 */
};

/* Four random bytes: their sum has mean 510 and variance 4 (256^2 - 1) / 12. */
static float normal(const struct filling *f, uint32_t word)
{
    return f->normal[(word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24)];
}

static enum attention_kind kind_of_head(const struct filling *f, size_t head)
{
    struct random_stream stream = random_ahead(&f->kinds, head);

    return f->kind == ATTENTION_MIXED ? (enum attention_kind)random_scaled(random_u32(&stream), ATTENTION_MIXED)
                                      : f->kind;
}

/* In mixed cases flat heads have weights that differ by more than the rule allows for: the mean of V is not enough. */
static float scale_of_queries(const struct filling *f, enum attention_kind kind)
{
    switch (kind) {
    case ATTENTION_PEAKED: return 32;
    case ATTENTION_FLAT: return f->kind == ATTENTION_MIXED ? 0x1p-2f : 0x1p-10f;
    default: return 1;
    }
}

/*
 * The first component of a key, where the first one of all queries is 8. It shows which keys have large scores. So in
 * mixed cases it differs by so little that all keys count: scores by 6 where they drift, by 10 at the sink.
 */
static float first_of_key(const struct filling *f, enum attention_kind kind, size_t head, size_t j)
{
    const bool mixed = f->kind == ATTENTION_MIXED;
    const float one = sqrtf((float)f->h->dim) / 8; /* changes a score by 1 */

    if (kind == ATTENTION_SINK)
        return j > 0 ? 0 : mixed ? 10 * one : 14;
    if (kind == ATTENTION_LOW)
        return 2 * j < f->h->length ? -224 : -112;
    j = head % 2 == 0 ? j : f->h->length - 1 - j;
    return (mixed ? 6 * one : 32) * (float)j / (float)f->h->length;
}

static void fill_rows(void *context, size_t first, size_t end)
{
    const struct filling *f = context;
    const struct attention_heads *h = f->h;
    const size_t d = h->dim;

    for (size_t row = first; row < end; row++) {
        const size_t head = row / h->length, j = row % h->length, at = row * d;
        const enum attention_kind kind = kind_of_head(f, head);
        const float scale = scale_of_queries(f, kind);
        struct random_stream q = random_ahead(&f->q, at), k = random_ahead(&f->k, at), v = random_ahead(&f->v, at);
        struct random_stream columns = random_ahead(&f->columns, head * d);
        uint32_t of_q[DIM_MAX], of_k[DIM_MAX], of_v[DIM_MAX], of_columns[DIM_MAX];

        random_words(&q, of_q, d);
        random_words(&k, of_k, d);
        random_words(&v, of_v, d);
        if (kind == ATTENTION_WIDE)
            random_words(&columns, of_columns, d);
        for (size_t c = 0; c < d; c++) {
            float x = normal(f, of_v[c]);

            if (kind == ATTENTION_POSITIVE)
                x = (float)(of_v[c] >> 8) * 0x1p-24f;
            if (kind == ATTENTION_WIDE)
                x = ldexpf(x, (int)random_scaled(of_columns[c], 41) - 20);
            h->q[at + c] = attention_bits(normal(f, of_q[c]) * scale);
            h->k[at + c] = attention_bits(normal(f, of_k[c]));
            h->v[at + c] = attention_bits(x);
        }
        if (kind == ATTENTION_DRIFT || kind == ATTENTION_SINK || kind == ATTENTION_LOW) {
            h->q[at] = attention_bits(8);
            h->k[at] = attention_bits(first_of_key(f, kind, head, j));
        }
    }
}

void attention_fill(enum attention_kind kind, const struct attention_heads *h, const struct random_key *key)
{
    struct filling f = {
        .h = h,
        .kind = kind,
        .q = random_stream(key, STREAM_Q),
        .k = random_stream(key, STREAM_K),
        .v = random_stream(key, STREAM_V),
        .kinds = random_stream(key, STREAM_KINDS),
        .columns = random_stream(key, STREAM_COLUMNS),
    };

    for (int sum = 0; sum < LEVELS; sum++)
        f.normal[sum] = attention_number(attention_bits((float)((sum - LEVELS / 2) / 147.80053)));
    parallel_pieces(h->heads * h->length, FILL_ROWS, fill_rows, &f);
}
