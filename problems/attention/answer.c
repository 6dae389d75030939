/*
 * answer.c - prepares answers and judges outputs by them: see answer.h.
 */
#include "answer.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "precision.h"
#include "rows.h"
#include "verify/base/parallel.h"

enum { ROWS_LEAST = 1024, ROWS_MOST = 8192, PIECE_ROWS = 4096, PIECE_KNOWN = 64 };

#define ROWS_PRODUCTS ((uint64_t)1 << 31)

/* At the start of an answer. */
struct head {
    double total;   /* sum of O*: of all elements of a small case, of four rows of a large one */
    uint64_t count; /* of the rows that follow */
};

/* The least and the largest number of a column of V, for all of its head. */
struct range {
    float low, high;
};

/* Where the parts of an answer are. */
struct parts {
    struct head *head;
    struct range *ranges;           /* [heads][dim] */
    struct attention_row *rows;     /* [count], in ascending order */
    struct attention_truth *truths; /* [count][dim] */
};

bool attention_is_large(const struct attention_heads *h)
{
    return (uint64_t)h->heads * h->length * h->length * h->dim > ATTENTION_LARGE_PRODUCTS;
}

size_t attention_row_count(const struct attention_heads *h)
{
    const uint64_t affordable = ROWS_PRODUCTS / (h->length * h->dim), all = h->heads * h->length;
    const uint64_t count = affordable < ROWS_LEAST ? ROWS_LEAST : affordable > ROWS_MOST ? ROWS_MOST : affordable;

    return attention_is_large(h) && count < all ? count : all;
}

size_t attention_answer_size(const struct attention_heads *h)
{
    return sizeof(struct head) + h->heads * h->dim * sizeof(struct range) +
           attention_row_count(h) * (sizeof(struct attention_row) + h->dim * sizeof(struct attention_truth));
}

static struct parts parts_of(const struct attention_heads *h, const struct blob *answer)
{
    struct parts parts = { .head = (struct head *)answer->data };

    parts.ranges = (struct range *)(parts.head + 1);
    parts.rows = (struct attention_row *)(parts.ranges + h->heads * h->dim);
    parts.truths = (struct attention_truth *)(parts.rows + attention_row_count(h));
    return parts;
}

void attention_answer_word(const struct blob *answer, char *text, size_t size)
{
    snprintf(text, size, "%.9g", ((const struct head *)answer->data)->total);
}

/* ------------------------------------------------------------------ preparing */

enum { STREAM_ROWS = 1 };

static int by_place(const void *left, const void *right)
{
    const struct attention_row *a = left, *b = right;

    return a->head != b->head ? (a->head > b->head) - (a->head < b->head) : (a->i > b->i) - (a->i < b->i);
}

static void draw_rows(const struct attention_heads *h, const struct random_key *secret, struct attention_row *rows,
                      size_t count)
{
    struct random_stream stream = random_stream(secret, STREAM_ROWS);
    const uint32_t length = (uint32_t)h->length;

    for (size_t r = 0; r < count; r++) {
        struct attention_row *row = &rows[r];

        row->head = random_below(&stream, (uint32_t)h->heads);
        row->i = random_below(&stream, length);
        if (r % 16 == 0)
            row->i = row->i % 16;
        else if (r % 16 == 1)
            row->i = length - 1 - row->i % 128;
        else if (r % 16 == 2)
            row->i = row->i / 64 * 64 - (row->i >= 64 && row->i % 2 == 1);
    }
    qsort(rows, count, sizeof *rows, by_place);
}

struct ranging {
    const struct attention_heads *h;
    struct range *ranges;
};

static void find_ranges(void *context, size_t first, size_t end)
{
    const struct ranging *ranging = context;
    const size_t d = ranging->h->dim, length = ranging->h->length;

    for (size_t head = first; head < end; head++) {
        const uint16_t *v = ranging->h->v + head * length * d;
        struct range *ranges = ranging->ranges + head * d;

        for (size_t c = 0; c < d; c++)
            ranges[c] = (struct range){ .low = attention_number(v[c]), .high = attention_number(v[c]) };
        for (size_t j = 1; j < length; j++)
            for (size_t c = 0; c < d; c++) {
                const float x = attention_number(v[j * d + c]);

                ranges[c].low = x < ranges[c].low ? x : ranges[c].low;
                ranges[c].high = x > ranges[c].high ? x : ranges[c].high;
            }
    }
}

static bool compute(const struct attention_heads *h, bool plain, const struct attention_row *rows, size_t count,
                    struct attention_truth *truths)
{
    return plain ? attention_rows_plain(h, rows, count, truths)
                 : attention_rows(attention_isa_best(), h, rows, count, truths);
}

static double total_of(const struct attention_truth *truths, size_t count)
{
    double total = 0;

    for (size_t e = 0; e < count; e++)
        total += truths[e].sum;
    return total;
}

/* The first and the last row of the first and of the last head. */
static bool total_of_corners(const struct attention_heads *h, bool plain, double *total)
{
    const uint32_t head = (uint32_t)h->heads - 1, last = (uint32_t)h->length - 1;
    const struct attention_row rows[] = { { 0, 0 }, { 0, last }, { head, 0 }, { head, last } };
    enum { CORNERS = sizeof rows / sizeof rows[0] };
    struct attention_truth *truths = malloc(CORNERS * h->dim * sizeof *truths);
    const bool ok = truths && compute(h, plain, rows, CORNERS, truths);

    if (ok)
        *total = total_of(truths, CORNERS * h->dim);
    free(truths);
    return ok;
}

bool attention_answer(const struct attention_heads *h, bool plain, const struct random_key *secret,
                      struct blob *answer, struct error *error)
{
    const size_t count = attention_row_count(h);
    const bool large = attention_is_large(h), drawn = count < h->heads * h->length;
    struct parts parts;
    bool ok;

    if (!blob_alloc(answer, attention_answer_size(h), error))
        return false;
    parts = parts_of(h, answer);
    parts.head->count = count;
    parallel_pieces(h->heads, 1, find_ranges, &(struct ranging){ .h = h, .ranges = parts.ranges });
    for (size_t r = 0; r < count && !drawn; r++)
        parts.rows[r] =
            (struct attention_row){ .head = (uint32_t)(r / h->length), .i = (uint32_t)(r % h->length) };
    if (drawn)
        draw_rows(h, secret, parts.rows, count);
    ok = compute(h, plain, parts.rows, count, parts.truths);
    if (ok && large)
        ok = total_of_corners(h, plain, &parts.head->total);
    else if (ok)
        parts.head->total = total_of(parts.truths, count * h->dim);
    return ok || error_toolkit(error, "out of memory for the reference answer");
}

/* ------------------------------------------------------------------ judging */

/* A number as text; printf() would write the sign of a NaN. */
static const char *words_for(double x, char text[32])
{
    if (isnan(x))
        return "NaN";
    snprintf(text, 32, "%.6g", x);
    return text;
}

/* An output that is judged, and what is wrong in the first of the rows where anything is. */
struct judging {
    const struct attention_heads *h;
    const struct parts *parts;
    const uint16_t *o;
    pthread_mutex_t lock; /* of what follows */
    size_t wrong;         /* the first row, SIZE_MAX while all are right */
    struct finding *finding;
};

/* Whether an element may be a mean of its column of V. */
static bool in_range(float x, const struct range *range)
{
    const float most = fmaxf(fabsf(range->low), fabsf(range->high)), margin = 0.05f * most + 0x1p-119f;

    return x >= range->low - margin && x <= range->high + margin;
}

static void found_in(struct judging *judging, size_t row, const struct finding *finding)
{
    pthread_mutex_lock(&judging->lock);
    if (row < judging->wrong) {
        judging->wrong = row;
        *judging->finding = *finding;
    }
    pthread_mutex_unlock(&judging->lock);
}

/* All elements by their ranges. */
static void judge_ranges(void *context, size_t first, size_t end)
{
    struct judging *judging = context;
    const size_t d = judging->h->dim, length = judging->h->length;

    for (size_t row = first; row < end; row++)
        for (size_t c = 0; c < d; c++) {
            const struct range *range = &judging->parts->ranges[row / length * d + c];
            const float x = attention_number(judging->o[row * d + c]);
            struct finding finding = { 0 };
            char word[32];

            if (in_range(x, range))
                continue;
            found_wrong(&finding, isfinite(x) ? REASON_VALUE : REASON_NAN,
                        "wrote O[%zu][%zu][%zu] = %s, a mean of numbers from %.6g to %.6g", row / length, row % length,
                        c, words_for((double)x, word), (double)range->low, (double)range->high);
            found_in(judging, row, &finding);
            return;
        }
}

/* The rows whose truth is known, by the rule. */
static void judge_known(void *context, size_t first, size_t end)
{
    struct judging *judging = context;
    const struct attention_heads *h = judging->h;

    for (size_t r = first; r < end; r++) {
        const struct attention_row *row = &judging->parts->rows[r];
        const size_t at = row->head * h->length + row->i;

        for (size_t c = 0; c < h->dim; c++) {
            const struct attention_truth *truth = &judging->parts->truths[r * h->dim + c];
            const double x = (double)attention_number(judging->o[at * h->dim + c]);
            struct finding finding = { 0 };
            char word[32];

            if (attention_is_right(x, truth, h->loaded))
                continue;
            found_wrong(&finding, isfinite(x) ? REASON_VALUE : REASON_NAN,
                        "wrote O[%u][%u][%zu] = %s where %.9g is right, within %.3g", row->head, row->i, c,
                        words_for(x, word), truth->sum, attention_tolerance(truth, h->loaded));
            found_in(judging, at, &finding);
            return;
        }
    }
}

enum check_result attention_judge(const struct attention_heads *h, const struct blob *answer, const uint16_t *o,
                                  struct finding *finding)
{
    const struct parts parts = parts_of(h, answer);
    struct judging judging = { .h = h, .parts = &parts, .o = o, .lock = PTHREAD_MUTEX_INITIALIZER,
                               .wrong = SIZE_MAX, .finding = finding };

    parallel_pieces(parts.head->count, PIECE_KNOWN, judge_known, &judging);
    if (judging.wrong == SIZE_MAX)
        parallel_pieces(h->heads * h->length, PIECE_ROWS, judge_ranges, &judging);
    return judging.wrong == SIZE_MAX ? CHECK_RIGHT : CHECK_WRONG;
}
