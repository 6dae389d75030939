/*
 * rows.c - rows of the attention in float64: see rows.h.
 */
#include "rows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "rows_engine.h"
#include "verify/base/parallel.h"

enum { ROWS = ATTENTION_TOGETHER, DIM_MAX = 128 };

bool attention_isa_supported(enum attention_isa isa)
{
#if defined(__x86_64__)
    if (isa == ATTENTION_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (isa == ATTENTION_AVX2)
        return __builtin_cpu_supports("avx2");
#endif
    return isa == ATTENTION_PORTABLE;
}

enum attention_isa attention_isa_best(void)
{
    int isa = ATTENTION_ISAS - 1;

    while (!attention_isa_supported((enum attention_isa)isa))
        isa--;
    return (enum attention_isa)isa;
}

static const struct attention_engine *engine_of(enum attention_isa isa)
{
    return isa == ATTENTION_AVX512 ? &attention_engine_avx512
           : isa == ATTENTION_AVX2 ? &attention_engine_avx2
                                   : &attention_engine_portable;
}

/* What all threads share. */
struct work {
    const struct attention_engine *engine;
    const struct attention_heads *h;
    const struct attention_row *rows;
    struct attention_truth *truths;
    atomic_bool exhausted;
};

/* From scores[keys][ROWS] of row r, of which it sees `seen`, to weights; their sum. */
static double weigh(double *scores, size_t r, size_t seen, size_t keys, double scale)
{
    double most = scores[r], sum = 0;

    for (size_t j = 1; j < seen; j++)
        most = fmax(most, scores[j * ROWS + r]);
    for (size_t j = 0; j < seen; j++) {
        scores[j * ROWS + r] = exp((scores[j * ROWS + r] - most) * scale);
        sum += scores[j * ROWS + r];
    }
    for (size_t j = seen; j < keys; j++)
        scores[j * ROWS + r] = 0;
    return sum;
}

/* Up to ROWS rows of one head; those behind the last are the first again. */
static bool make_group(const struct work *work, size_t first, size_t count)
{
    const struct attention_heads *h = work->h;
    const size_t d = h->dim, base = work->rows[first].head * h->length * d;
    double q[ROWS * DIM_MAX], *scores;
    struct attention_truth truths[ROWS * DIM_MAX];
    size_t keys = 0;

    for (size_t r = 0; r < ROWS; r++) {
        const size_t i = work->rows[first + (r < count ? r : 0)].i;

        keys = keys > attention_keys(h, i) ? keys : attention_keys(h, i);
        for (size_t c = 0; c < d; c++)
            q[r * d + c] = (double)attention_number(h->q[base + i * d + c]);
    }
    scores = malloc(keys * ROWS * sizeof *scores);
    if (!scores)
        return false;
    work->engine->scores(q, h->k + base, keys, d, scores);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t seen = attention_keys(h, work->rows[first + (r < count ? r : 0)].i);
        const double sum = weigh(scores, r, seen, keys, 1 / sqrt((double)d));

        for (size_t j = 0; j < seen; j++)
            scores[j * ROWS + r] /= sum;
    }
    work->engine->sums(scores, h->v + base, keys, d, truths);
    memcpy(work->truths + first * d, truths, count * d * sizeof *truths);
    free(scores);
    return true;
}

static void make_rows(void *context, size_t first, size_t end)
{
    struct work *work = context;

    while (first < end) {
        size_t count = 1;

        while (count < ROWS && first + count < end && work->rows[first + count].head == work->rows[first].head)
            count++;
        if (!make_group(work, first, count))
            atomic_store(&work->exhausted, true);
        first += count;
    }
}

bool attention_rows(enum attention_isa isa, const struct attention_heads *h, const struct attention_row *rows,
                    size_t count, struct attention_truth *truths)
{
    struct work work = { .engine = engine_of(isa), .h = h, .rows = rows, .truths = truths };

    parallel_pieces(count, 8 * (size_t)ROWS, make_rows, &work);
    return !atomic_load(&work.exhausted);
}

/* ------------------------------------------------------------------ plainly */

static double plain_score(const struct attention_heads *h, size_t head, size_t i, size_t j)
{
    const uint16_t *q = h->q + (head * h->length + i) * h->dim, *k = h->k + (head * h->length + j) * h->dim;
    double sum = 0;

    for (size_t c = 0; c < h->dim; c++)
        sum += (double)attention_number(q[c]) * (double)attention_number(k[c]);
    return sum;
}

bool attention_rows_plain(const struct attention_heads *h, const struct attention_row *rows, size_t count,
                          struct attention_truth *truths)
{
    double *weights = malloc(h->length * sizeof *weights);

    for (size_t t = 0; weights && t < count; t++) {
        const size_t head = rows[t].head, i = rows[t].i, keys = attention_keys(h, i);
        double most = -INFINITY, total = 0;

        for (size_t j = 0; j < keys; j++) {
            weights[j] = plain_score(h, head, i, j);
            most = fmax(most, weights[j]);
        }
        for (size_t j = 0; j < keys; j++) {
            weights[j] = exp((weights[j] - most) * (1 / sqrt((double)h->dim)));
            total += weights[j];
        }
        for (size_t c = 0; c < h->dim; c++) {
            struct attention_truth truth = { 0 };

            for (size_t j = 0; j < keys; j++) {
                const double v = (double)attention_number(h->v[(head * h->length + j) * h->dim + c]);
                const double term = weights[j] / total * v;

                truth.sum += term;
                truth.squares += term * term;
                truth.absolute += fabs(term);
            }
            truths[t * h->dim + c] = truth;
        }
    }
    count = weights != NULL;
    free(weights);
    return count;
}
