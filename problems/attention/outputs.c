/*
 * outputs.c - makes right outputs, and wrong ones that look right, for the tests of check(). It is not linked into the
 * host. It computes rows by the plain method, and does not look at an answer: so it shares nothing with what it tests
 * but the rule.
 */
#include "problems/outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "generate.h"
#include "precision.h"
#include "rows.h"

enum { DIM_MAX = 128 };

/* truths[dim] of one row; all NaN when memory is exhausted, which no caller takes for right. */
static void truths_of(const struct attention_heads *h, size_t row, struct attention_truth *truths)
{
    const struct attention_row place = { .head = (uint32_t)(row / h->length), .i = (uint32_t)(row % h->length) };

    if (!attention_rows_plain(h, &place, 1, truths))
        for (size_t c = 0; c < h->dim; c++)
            truths[c] = (struct attention_truth){ NAN, NAN, NAN };
}

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    const struct attention_heads h = attention_heads_of(input);
    uint16_t *o = (uint16_t *)output->data;

    (void)answer;
    for (size_t row = 0; row < h.heads * h.length; row++) {
        struct attention_truth truths[DIM_MAX];

        truths_of(&h, row, truths);
        if (isnan(truths[0].sum))
            return error_toolkit(error, "out of memory for an output");
        for (size_t c = 0; c < h.dim; c++)
            o[row * h.dim + c] = attention_bits((float)truths[c].sum);
    }
    return true;
}

/* ------------------------------------------------------------------ spoiling */

/* Off by so many tolerances, and one step of bfloat16 more, so that rounding does not bring it back. */
static void push(const struct attention_heads *h, uint16_t *o, size_t row, size_t c, double tolerances)
{
    struct attention_truth truths[DIM_MAX];
    double pushed;

    truths_of(h, row, truths);
    pushed = attention_tolerance(&truths[c], h->loaded) * tolerances;
    pushed = truths[c].sum + (truths[c].sum < 0 ? -pushed : pushed);
    o[row * h->dim + c] = attention_bits((float)pushed);
}

/* Whether a row of an output is wrong. */
static bool is_wrong(const struct attention_heads *h, const uint16_t *o, size_t row)
{
    struct attention_truth truths[DIM_MAX];

    truths_of(h, row, truths);
    for (size_t c = 0; c < h->dim; c++)
        if (!attention_is_right((double)attention_number(o[row * h->dim + c]), &truths[c], h->loaded))
            return true;
    return false;
}

/* The last row of the first head becomes that of the row before it; or it becomes zeros; or the last column does. */
static bool spoil_part(const struct attention_heads *h, uint16_t *o, size_t way)
{
    const size_t d = h->dim, last = h->length - 1;

    if (way == 0)
        memcpy(o + last * d, o + (last - 1) * d, d * sizeof *o);
    else if (way == 1)
        memset(o + last * d, 0, d * sizeof *o);
    else
        for (size_t row = 0; row <= last; row++)
            o[row * d + d - 1] = 0;
    return is_wrong(h, o, last);
}

/*
 * Single elements 1.5 tolerances off and no numbers, and then parts, where these are wrong. In a large output a single
 * element is seen if it is no number, or out of its column's range.
 */
static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    const struct attention_heads h = attention_heads_of(input);
    const size_t rows = h.heads * h.length, any = h.k[0] * (size_t)977 + h.k[1];
    uint16_t *o = (uint16_t *)output->data;

    (void)answer;
    switch (way) {
    case 0: o[(rows - 1) * h.dim + h.dim - 1] = 0x7fc0; return true; /* NaN */
    case 1: o[0] = 0x7f80; return true;                              /* infinity */
    case 2: o[any % rows * h.dim + any % h.dim] = 0xff80; return true;
    case 3: o[any % rows * h.dim + any % h.dim] = attention_bits(-0x1p101f); return true;
    default: break;
    }
    if (attention_is_large(&h))
        return false;
    switch (way) {
    case 4: push(&h, o, 0, 0, 1.5); return true;
    case 5: push(&h, o, rows - 1, h.dim - 1, -1.5); return true;
    case 6: push(&h, o, any % rows, any % h.dim, 1.5); return true;
    default: break;
    }
    for (size_t part = 0; part < 3; part++) {
        uint16_t *kept = malloc(output->size);

        if (!kept)
            return false;
        memcpy(kept, o, output->size);
        if (spoil_part(&h, o, part) && way-- == 7) {
            free(kept);
            return true;
        }
        memcpy(o, kept, output->size);
        free(kept);
    }
    return false;
}

/* Rows in which two outputs may differ and pass, as the judge looks at drawn rows only. */
enum { UNSEEN_ROWS = 4 };

/* Whether numbers of a row could be means of their columns of V, give or take what the statement allows. */
static bool is_possible(const struct attention_heads *h, const uint16_t *o, size_t row)
{
    const uint16_t *v = h->v + row / h->length * h->length * h->dim;

    for (size_t c = 0; c < h->dim; c++) {
        const float x = attention_number(o[row * h->dim + c]);
        float low = attention_number(v[c]), high = low;

        for (size_t j = 1; j < h->length; j++) {
            low = fminf(low, attention_number(v[j * h->dim + c]));
            high = fmaxf(high, attention_number(v[j * h->dim + c]));
        }
        if (!(x >= low - 0.05f * fmaxf(-low, high) - 0x1p-119f && x <= high + 0.05f * fmaxf(-low, high) + 0x1p-119f))
            return false;
    }
    return true;
}

/*
 * The rows that differ, by the plain method. Of a large output few rows are seen only by chance, if their numbers are
 * possible ones.
 */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct attention_heads h = attention_heads_of(input);
    const uint16_t *o = (const uint16_t *)output->data, *known = (const uint16_t *)right->data;
    size_t unseen = attention_row_count(&h) < h.heads * h.length ? UNSEEN_ROWS : 0;

    (void)answer;
    for (size_t row = 0; row < h.heads * h.length; row++)
        if (memcmp(o + row * h.dim, known + row * h.dim, h.dim * sizeof *o) != 0 && is_wrong(&h, o, row)) {
            if (unseen == 0 || !is_possible(&h, o, row))
                return false;
            unseen--;
        }
    return true;
}

/* ------------------------------------------------------------------ other methods */

/* What a fast kernel may do in one way or another. */
struct method {
    size_t block;         /* keys at a time, each with the maximum so far; 0: all, with the true maximum */
    bool backwards;       /* the last block first */
    bool rounded;         /* weights are rounded to bfloat16 for the second product */
    bool sums_rounded;    /* and the sum of the weights is that of the rounded ones */
    bool normalised;      /* weights are divided by their sum before they are rounded; all keys at a time */
    bool late;            /* a maximum that grew by less than 8 (in powers of 2) is not used */
};

static const struct method methods[] = {
    { .block = 0 },
    { .block = 0, .rounded = true },
    { .block = 0, .rounded = true, .sums_rounded = true },
    { .block = 0, .rounded = true, .normalised = true },
    { .block = 64, .rounded = true },
    { .block = 128, .rounded = true, .backwards = true },
    { .block = 32, .rounded = true, .late = true },
    { .block = 1, .rounded = true },
    { .block = 17, .backwards = true },
};

static float rounded(float x) { return attention_number(attention_bits(x)); }

/* One query in float32. */
struct query {
    float p[ATTENTION_LENGTH_MAX]; /* scores, times log2(e) / sqrt(d) */
    float o[DIM_MAX], most, total;
};

/* Keys from `first` to `end`. */
static void meet(struct query *q, const struct method *method, const uint16_t *v, size_t d, size_t first, size_t end)
{
    float most = q->most, scale;

    for (size_t j = first; j < end; j++)
        most = fmaxf(most, q->p[j]);
    if (method->late && most < q->most + 8)
        most = q->most;
    scale = exp2f(q->most - most);
    q->most = most;
    q->total *= scale;
    for (size_t c = 0; c < d; c++)
        q->o[c] *= scale;
    for (size_t j = first; j < end; j++) {
        q->p[j] = exp2f(q->p[j] - most);
        q->total += method->sums_rounded ? rounded(q->p[j]) : q->p[j];
    }
    for (size_t j = first; j < end; j++) {
        float p = method->normalised ? q->p[j] / q->total : q->p[j];

        p = method->rounded ? rounded(p) : p;
        for (size_t c = 0; c < d; c++)
            q->o[c] = fmaf(p, attention_number(v[j * d + c]), q->o[c]);
    }
    if (method->normalised)
        q->total = 1;
}

static void attend(const struct attention_heads *h, const struct method *method, size_t head, size_t i,
                   struct query *q, uint16_t *o)
{
    const size_t d = h->dim, keys = attention_keys(h, i), block = method->block ? method->block : keys;
    const uint16_t *of_q = h->q + (head * h->length + i) * d, *k = h->k + head * h->length * d;
    const size_t blocks = (keys + block - 1) / block;

    q->most = -INFINITY;
    q->total = 0;
    memset(q->o, 0, sizeof q->o);
    for (size_t j = 0; j < keys; j++) {
        float sum = 0;

        for (size_t c = 0; c < d; c++)
            sum = fmaf(attention_number(of_q[c]), attention_number(k[j * d + c]), sum);
        q->p[j] = sum * (1.44269504f / sqrtf((float)d));
    }
    for (size_t b = 0; b < blocks; b++) {
        const size_t first = (method->backwards ? blocks - 1 - b : b) * block;

        meet(q, method, h->v + head * h->length * d, d, first, first + block < keys ? first + block : keys);
    }
    for (size_t c = 0; c < d; c++)
        o[c] = attention_bits(q->o[c] / q->total);
}

static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct attention_heads h = attention_heads_of(input);
    struct query *q;

    (void)answer;
    (void)stream;
    if (way >= sizeof methods / sizeof methods[0])
        return CHECK_NONE;
    q = malloc(sizeof *q);
    for (size_t row = 0; q && row < h.heads * h.length; row++)
        attend(&h, &methods[way], row / h.length, row % h.length, q, (uint16_t *)output->data + row * h.dim);
    free(q);
    return q ? CHECK_RIGHT : CHECK_FAILED;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    const uint32_t kind = random_below(stream, ATTENTION_KIND_COUNT), longer = random_below(stream, 8) == 0 ? 400 : 60;
    const uint32_t length = ATTENTION_LENGTH_MIN + random_below(stream, longer);

    snprintf(text, size, "%s %u %u %u causal=%u seed=%u", attention_kind_name((enum attention_kind)kind),
             1 + random_below(stream, 2), length, random_below(stream, 3) == 0 ? 128 : 64, random_below(stream, 2),
             random_u32(stream));
}

const struct outputs outputs_attention = { .solve = solve, .spoil = spoil, .also_right = also_right,
                                           .any_line = any_line, .honest = honest };
