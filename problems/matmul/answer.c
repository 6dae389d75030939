/*
 * answer.c - prepares answers and judges outputs by them: see answer.h.
 */
#include "answer.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "precision.h"
#include "product.h"
#include "rounding.h"
#include "verify/base/parallel.h"

/* At the start of an answer. */
struct head {
    double total;     /* the sum of all elements of the product, as (1^T A) (B 1), in one order of summation */
    uint64_t hash;    /* of the whole product; 0 where large */
    uint32_t large;   /* which of the two follows at HEAD_SIZE */
    uint32_t reserved;
};

enum { HEAD_SIZE = 64 };

/* How many elements of each row of A and of each column of B are not 0; SPECIAL where one is infinite or NaN. */
struct lines {
    uint32_t *in_row;    /* [m] */
    uint32_t *in_column; /* [n] */
};

#define SPECIAL UINT32_MAX

/* An element that was drawn. */
struct sample {
    uint32_t i, j;
    double sum, squares; /* of the products, and of their squares */
};

/* Where the parts of an answer are, behind the lines. Of a whole product: */
struct whole {
    double *sums, *squares; /* [m][n] */
};

/* Of a large one: */
struct probes {
    struct sample *samples; /* [MATMUL_SAMPLES] */
    double *x;              /* [MATMUL_VECTORS][n]; 0 for special columns, and for no others */
    double *expected;       /* [m][MATMUL_VECTORS][groups]: (A (B x))_i, a group of columns at a time */
    double *spread;         /* [m][groups]: the sum of a_ik^2 beta_kg */
    size_t groups;
};

static struct lines lines_of(const struct matmul_pair *pair, const struct blob *answer)
{
    uint32_t *in_row = (uint32_t *)(answer->data + HEAD_SIZE);

    return (struct lines){ .in_row = in_row, .in_column = in_row + pair->m };
}

/* Bytes of the head and the lines. */
static size_t front_size(const struct matmul_pair *pair)
{
    return HEAD_SIZE + (pair->m + pair->n + 1) / 2 * 2 * sizeof(uint32_t);
}

static struct whole whole_of(const struct matmul_pair *pair, const struct blob *answer)
{
    double *sums = (double *)(answer->data + front_size(pair));

    return (struct whole){ .sums = sums, .squares = sums + pair->m * pair->n };
}

static size_t whole_size(const struct matmul_pair *pair)
{
    return front_size(pair) + 2 * pair->m * pair->n * sizeof(double);
}

static struct probes probes_of(const struct matmul_pair *pair, const struct blob *answer)
{
    struct probes p = { .groups = (pair->n + MATMUL_GROUP - 1) / MATMUL_GROUP };

    p.samples = (struct sample *)(answer->data + front_size(pair));
    p.x = (double *)(p.samples + MATMUL_SAMPLES);
    p.expected = p.x + MATMUL_VECTORS * pair->n;
    p.spread = p.expected + pair->m * MATMUL_VECTORS * p.groups;
    return p;
}

static size_t probes_size(const struct matmul_pair *pair)
{
    size_t groups = (pair->n + MATMUL_GROUP - 1) / MATMUL_GROUP;

    return front_size(pair) + MATMUL_SAMPLES * sizeof(struct sample) +
           (MATMUL_VECTORS * pair->n + pair->m * (MATMUL_VECTORS + 1) * groups) * sizeof(double);
}

bool matmul_is_large(const struct matmul_pair *pair)
{
    uint64_t elements = (uint64_t)pair->m * pair->n;

    return elements > MATMUL_LARGE_ELEMENTS || elements * pair->k > MATMUL_LARGE_PRODUCTS;
}

/* ------------------------------------------------------------------ the word */

/*
 * What takes long is done by several threads, rows or columns or samples at a time: as many as take some milliseconds
 * of the largest cases. Every sum is of one thread, in its own order: no bit depends on how many threads there are.
 */
enum { PIECE_ROWS = 256, PIECE_COLUMNS = 256, PIECE_SAMPLES = 1024 };

/* The sums of A's columns and of B's rows, [k] each. */
struct totals {
    const struct matmul_pair *pair;
    double *columns, *rows;
};

static void total_columns(void *context, size_t first, size_t end)
{
    const struct totals *totals = context;
    const struct matmul_pair *pair = totals->pair;

    for (size_t i = 0; i < pair->m; i++)
        for (size_t k = first; k < end; k++)
            totals->columns[k] += (double)pair->a[i * pair->k + k];
}

static void total_rows(void *context, size_t first, size_t end)
{
    const struct totals *totals = context;
    const struct matmul_pair *pair = totals->pair;

    for (size_t k = first; k < end; k++)
        for (size_t j = 0; j < pair->n; j++)
            totals->rows[k] += (double)pair->b[k * pair->n + j];
}

/* (1^T A) (B 1), all sums ascending. */
static bool total_of(const struct matmul_pair *pair, double *total)
{
    double *sums = calloc(2 * pair->k, sizeof *sums);
    struct totals totals = { .pair = pair, .columns = sums, .rows = sums + pair->k };

    if (!sums)
        return false;
    parallel_pieces(pair->k, PIECE_COLUMNS, total_columns, &totals);
    parallel_pieces(pair->k, PIECE_ROWS, total_rows, &totals);
    *total = 0;
    for (size_t k = 0; k < pair->k; k++)
        *total += totals.columns[k] * totals.rows[k];
    *total = matmul_canonical(*total);
    free(sums);
    return true;
}

/* As FNV-1a (Fowler, Noll and Vo) with 64 bits, but a double at a time, and its high half folded in. */
static uint64_t hash_of(const double *values, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3;
        hash ^= hash >> 32;
    }
    return hash;
}

void matmul_answer_word(const struct blob *answer, char *text, size_t size)
{
    const struct head *head = (const struct head *)answer->data;
    char total[32] = "nan"; /* printf() would write the sign of a NaN */

    if (!isnan(head->total))
        snprintf(total, sizeof total, "%.17g", head->total);
    if (head->large)
        snprintf(text, size, "%s", total);
    else
        snprintf(text, size, "%s#%016" PRIx64, total, head->hash);
}

/* ------------------------------------------------------------------ preparing */

struct counting {
    const struct matmul_pair *pair;
    struct lines lines;
};

static uint32_t count_on(uint32_t count, float element)
{
    return !isfinite(element) || count == SPECIAL ? SPECIAL : count + (element != 0);
}

static void count_rows(void *context, size_t first, size_t end)
{
    const struct counting *counting = context;
    const struct matmul_pair *pair = counting->pair;

    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < pair->k; k++)
            counting->lines.in_row[i] = count_on(counting->lines.in_row[i], pair->a[i * pair->k + k]);
}

static void count_columns(void *context, size_t first, size_t end)
{
    const struct counting *counting = context;
    const struct matmul_pair *pair = counting->pair;

    for (size_t k = 0; k < pair->k; k++)
        for (size_t j = first; j < end; j++)
            counting->lines.in_column[j] = count_on(counting->lines.in_column[j], pair->b[k * pair->n + j]);
}

static void count_lines(const struct matmul_pair *pair, struct lines lines)
{
    struct counting counting = { .pair = pair, .lines = lines };

    memset(lines.in_row, 0, pair->m * sizeof *lines.in_row);
    memset(lines.in_column, 0, pair->n * sizeof *lines.in_column);
    parallel_pieces(pair->m, PIECE_ROWS, count_rows, &counting);
    parallel_pieces(pair->n, PIECE_COLUMNS, count_columns, &counting);
}

static bool answer_whole(const struct matmul_pair *pair, bool plain, struct blob *answer)
{
    struct whole w = whole_of(pair, answer);

    if (plain)
        matmul_product_plain(pair->a, pair->b, pair->m, pair->n, pair->k, w.sums, w.squares);
    else if (!matmul_product(matmul_isa_best(), pair->a, pair->k, pair->b, pair->n, pair->m, pair->n, pair->k, w.sums,
                             w.squares))
        return false;
    ((struct head *)answer->data)->hash = hash_of(w.sums, pair->m * pair->n);
    return true;
}

enum { STREAM_SAMPLES = 1, STREAM_X };

static int by_column(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;

    return a->j != b->j ? (a->j > b->j) - (a->j < b->j) : (a->i > b->i) - (a->i < b->i);
}

/* The places: corners, edges, then anywhere. In the order of their columns, so that neighbours use the same ones. */
static void draw_samples(const struct matmul_pair *pair, const struct random_key *secret, struct sample *samples)
{
    struct random_stream stream = random_stream(secret, STREAM_SAMPLES);
    uint32_t m = (uint32_t)pair->m, n = (uint32_t)pair->n;

    for (int s = 0; s < MATMUL_SAMPLES; s++) {
        struct sample *sample = &samples[s];
        int edge = s < 4 + 4 * MATMUL_EDGE_SAMPLES ? s % 4 : 4;

        *sample = (struct sample){ .i = random_below(&stream, m), .j = random_below(&stream, n) };
        if (s < 4) {
            sample->i = s & 1 ? m - 1 : 0;
            sample->j = s & 2 ? n - 1 : 0;
        } else if (edge < 2) {
            sample->i = edge == 0 ? 0 : m - 1;
        } else if (edge < 4) {
            sample->j = edge == 2 ? 0 : n - 1;
        }
    }
    qsort(samples, MATMUL_SAMPLES, sizeof *samples, by_column);
}

struct sampling {
    const struct matmul_pair *pair;
    struct sample *samples;
};

/*
 * Their values. Steps of k are taken 16 at a time, for all samples of a piece: a cache line of a row of A, which is
 * asked for some samples ahead, and a strip of B that stays in the cache, as the samples of a piece lie in few columns.
 */
static void compute_samples(void *context, size_t first_sample, size_t end_sample)
{
    enum { STEPS = 16, AHEAD = 16 };
    const struct matmul_pair *pair = ((const struct sampling *)context)->pair;
    struct sample *samples = ((const struct sampling *)context)->samples;

    for (size_t first = 0; first < pair->k; first += STEPS) {
        size_t last = first + STEPS < pair->k ? first + STEPS : pair->k;

        for (size_t s = first_sample; s < end_sample; s++) {
            const float *row = pair->a + samples[s].i * pair->k, *column = pair->b + samples[s].j;
            double sum = samples[s].sum, squares = samples[s].squares;

            if (s + AHEAD < end_sample)
                __builtin_prefetch(pair->a + samples[s + AHEAD].i * pair->k + first);
            for (size_t k = first; k < last; k++) {
                double term = (double)row[k] * (double)column[k * pair->n];

                sum += term;
                squares += term * term;
            }
            samples[s].sum = sum;
            samples[s].squares = squares;
        }
    }
}

/* Uniform in (-1, 1): the middles of 2^32 equal intervals; 0 for special columns. */
static void draw_x(const struct matmul_pair *pair, const struct lines *lines, const struct random_key *secret,
                   double *x)
{
    struct random_stream stream = random_stream(secret, STREAM_X);

    for (size_t j = 0; j < MATMUL_VECTORS * pair->n; j++) {
        x[j] = ((double)random_u32(&stream) + 0.5) * 0x1p-31 - 1;
        if (lines->in_column[j % pair->n] == SPECIAL)
            x[j] = 0;
    }
}

struct combining {
    const struct matmul_pair *pair;
    const struct probes *p;
    double *combined, *beta;
};

/* combined[k][MATMUL_VECTORS][groups] = B x, a group at a time; beta[k][groups] without the special columns. */
static void combine_columns(void *context, size_t first, size_t end)
{
    const struct combining *combining = context;
    const struct matmul_pair *pair = combining->pair;
    const struct probes *p = combining->p;

    for (size_t k = first; k < end; k++)
        for (size_t g = 0; g < p->groups; g++) {
            size_t last = (g + 1) * MATMUL_GROUP < pair->n ? (g + 1) * MATMUL_GROUP : pair->n;
            double sums[MATMUL_VECTORS] = { 0 }, squares = 0;

            for (size_t j = g * MATMUL_GROUP; j < last; j++) {
                double b = p->x[j] == 0 ? 0 : (double)pair->b[k * pair->n + j];

                for (int v = 0; v < MATMUL_VECTORS; v++)
                    sums[v] += b * p->x[(size_t)v * pair->n + j];
                squares += b * b;
            }
            for (int v = 0; v < MATMUL_VECTORS; v++)
                combining->combined[(k * MATMUL_VECTORS + (size_t)v) * p->groups + g] = sums[v];
            combining->beta[k * p->groups + g] = squares;
        }
}

/* expected = A combined, spread = A, squared element by element, times beta. */
static bool multiply_groups(const struct matmul_pair *pair, bool plain, const struct probes *p, const double *combined,
                            const double *beta)
{
    const size_t m = pair->m, k = pair->k, wide = MATMUL_VECTORS * p->groups;

    if (plain) {
        matmul_product_f64_plain(false, pair->a, combined, m, wide, k, p->expected);
        matmul_product_f64_plain(true, pair->a, beta, m, p->groups, k, p->spread);
    } else {
        enum matmul_isa isa = matmul_isa_best();

        if (!matmul_product_f64(isa, false, pair->a, k, combined, wide, m, wide, k, p->expected) ||
            !matmul_product_f64(isa, true, pair->a, k, beta, p->groups, m, p->groups, k, p->spread))
            return false;
    }
    return true;
}

static bool answer_probes(const struct matmul_pair *pair, bool plain, const struct random_key *secret,
                          struct blob *answer)
{
    struct probes p = probes_of(pair, answer);
    struct lines lines = lines_of(pair, answer);
    double *combined = malloc(pair->k * MATMUL_VECTORS * p.groups * sizeof *combined);
    double *beta = malloc(pair->k * p.groups * sizeof *beta);
    bool ok = combined && beta;

    if (ok) {
        draw_samples(pair, secret, p.samples);
        parallel_pieces(MATMUL_SAMPLES, PIECE_SAMPLES, compute_samples,
                        &(struct sampling){ .pair = pair, .samples = p.samples });
        draw_x(pair, &lines, secret, p.x);
        parallel_pieces(pair->k, PIECE_ROWS, combine_columns,
                        &(struct combining){ .pair = pair, .p = &p, .combined = combined, .beta = beta });
        ok = multiply_groups(pair, plain, &p, combined, beta);
    }
    free(combined);
    free(beta);
    return ok;
}

bool matmul_answer(const struct matmul_pair *pair, bool large, bool plain, const struct random_key *secret,
                   struct blob *answer, struct error *error)
{
    double total;

    if (!blob_alloc(answer, large ? probes_size(pair) : whole_size(pair), error))
        return false;
    count_lines(pair, lines_of(pair, answer));
    if (!total_of(pair, &total) ||
        !(large ? answer_probes(pair, plain, secret, answer) : answer_whole(pair, plain, answer)))
        return error_toolkit(error, "out of memory for the reference answer");
    ((struct head *)answer->data)->total = total;
    ((struct head *)answer->data)->large = large;
    return true;
}

size_t matmul_answer_footprint(const struct matmul_pair *pair)
{
    const size_t groups = (pair->n + MATMUL_GROUP - 1) / MATMUL_GROUP;

    return matmul_is_large(pair) ? probes_size(pair) + pair->k * (MATMUL_VECTORS + 1) * groups * sizeof(double)
                                 : whole_size(pair);
}

/* ------------------------------------------------------------------ judging */

/* A number as text; printf() would write the sign of a NaN. */
static const char *words_for(double x, int digits, char text[32])
{
    if (isnan(x))
        return "NaN";
    if (isinf(x))
        return x > 0 ? "infinity" : "-infinity";
    snprintf(text, 32, "%.*g", digits, x);
    return text;
}

/* The products that may be other than 0 of the element (i, j), where it is finite. */
static size_t terms_of(const struct lines *lines, size_t i, size_t j)
{
    return lines->in_row[i] < lines->in_column[j] ? lines->in_row[i] : lines->in_column[j];
}

/* By rule (2), an element whose float64 sum is finite. */
static enum check_result judge_closely(const struct matmul_pair *pair, size_t i, size_t j, double error)
{
    double *products = malloc(pair->k * sizeof *products);
    enum check_result result = CHECK_FAILED;

    if (products)
        result = matmul_rounding_explains(error, pair->a + i * pair->k, pair->b + j, pair->n, pair->k, products)
                     ? CHECK_RIGHT
                     : CHECK_WRONG;
    free(products);
    return result;
}

/* Judges the element (i, j) by the rules of precision.h; if it is wrong, *finding says so. */
static enum check_result judge_element(const struct matmul_pair *pair, const struct lines *lines, size_t i, size_t j,
                                       float element, double sum, double squares, struct finding *finding)
{
    const size_t terms = terms_of(lines, i, j);
    enum check_result result = CHECK_WRONG;
    char is[32], due[32], within[48] = "";

    if (matmul_element_is_right(element, terms, sum, squares))
        return CHECK_RIGHT;
    if (isfinite(sum) && isfinite(element))
        result = judge_closely(pair, i, j, (double)element - sum);
    if (result != CHECK_WRONG)
        return result;
    if (isfinite(sum))
        snprintf(within, sizeof within, ", within %.3g", matmul_tolerance(terms, sum, squares));
    return found_wrong(finding, isfinite(sum) && !isfinite(element) ? REASON_NAN : REASON_VALUE,
                       "wrote C[%zu][%zu] = %s where %s is right%s", i, j, words_for((double)element, 9, is),
                       words_for(sum, 12, due), within);
}

/* All elements of row i and group g by the rule. */
static enum check_result judge_group(const struct matmul_pair *pair, const struct lines *lines, size_t i, size_t g,
                                     const float *c, struct finding *finding)
{
    const size_t first = g * MATMUL_GROUP, width = pair->n - first < MATMUL_GROUP ? pair->n - first : MATMUL_GROUP;
    double sums[MATMUL_GROUP], squares[MATMUL_GROUP];
    enum check_result result = CHECK_RIGHT;

    if (!matmul_product(matmul_isa_best(), pair->a + i * pair->k, pair->k, pair->b + first, pair->n, 1, width, pair->k,
                        sums, squares))
        return CHECK_FAILED;
    for (size_t j = 0; j < width && result == CHECK_RIGHT; j++)
        result = judge_element(pair, lines, i, first + j, c[i * pair->n + first + j], sums[j], squares[j], finding);
    return result;
}

/* All elements of the special columns by the rule. */
static enum check_result judge_special_columns(const struct matmul_pair *pair, const struct lines *lines,
                                               const float *c, struct finding *finding)
{
    size_t columns[MATMUL_SPECIAL_MAX], count = 0;
    float *b = malloc(pair->k * MATMUL_SPECIAL_MAX * sizeof *b);
    double *sums = malloc(2 * pair->m * MATMUL_SPECIAL_MAX * sizeof *sums);
    enum check_result result = CHECK_RIGHT;

    for (size_t j = 0; j < pair->n && count < MATMUL_SPECIAL_MAX; j++)
        if (lines->in_column[j] == SPECIAL)
            columns[count++] = j;
    if (b && sums)
        for (size_t e = 0; e < pair->k * count; e++)
            b[e] = pair->b[e / count * pair->n + columns[e % count]];
    if (!b || !sums ||
        (count > 0 && !matmul_product(matmul_isa_best(), pair->a, pair->k, b, count, pair->m, count, pair->k, sums,
                                      sums + pair->m * count)))
        result = CHECK_FAILED;
    for (size_t e = 0; e < pair->m * count && result == CHECK_RIGHT; e++)
        result = judge_element(pair, lines, e / count, columns[e % count], c[e / count * pair->n + columns[e % count]],
                               sums[e], sums[pair->m * count + e], finding);
    free(b);
    free(sums);
    return result;
}

/* Whether both random combinations of row i and group g, special columns apart, are near what they should be. */
static bool combinations_agree(const struct matmul_pair *pair, const struct probes *p, size_t i, size_t g,
                               const float *c)
{
    const size_t first = g * MATMUL_GROUP, last = first + MATMUL_GROUP < pair->n ? first + MATMUL_GROUP : pair->n;
    const double *expected = p->expected + i * MATMUL_VECTORS * p->groups + g;
    const double *x0 = p->x, *x1 = p->x + pair->n;
    double sum0 = 0, sum1 = 0, squares = 0, bound;

    for (size_t j = first; j < last; j++) {
        double element = x0[j] == 0 ? 0 : (double)c[i * pair->n + j];

        sum0 += element * x0[j];
        sum1 += element * x1[j];
        squares += element * element;
    }
    if (!isfinite(squares))
        return false;
    bound = matmul_roundings(pair->k) * sqrt(2 * (p->spread[i * p->groups + g] + squares / 4));
    bound = MATMUL_DEVIATIONS * (bound + sqrt((double)MATMUL_GROUP) * (double)pair->k * 0x1p-149);
    return fabs(sum0 - expected[0]) <= bound && fabs(sum1 - expected[p->groups]) <= bound;
}

/* An output that is judged, PIECE_ROWS rows at a time, and what is wrong in the first ones where anything is. */
struct judging {
    const struct matmul_pair *pair;
    const struct blob *answer;
    const float *c;
    atomic_size_t wrong; /* the first row of those */
    pthread_mutex_t lock; /* of what follows */
    enum check_result result;
    struct finding *finding;
};

static enum check_result judge_whole_row(const struct judging *judging, size_t i, struct finding *finding)
{
    const struct matmul_pair *pair = judging->pair;
    const struct whole w = whole_of(pair, judging->answer);
    const struct lines lines = lines_of(pair, judging->answer);
    enum check_result result = CHECK_RIGHT;

    for (size_t j = 0, e = i * pair->n; j < pair->n && result == CHECK_RIGHT; j++, e++)
        result = judge_element(pair, &lines, i, j, judging->c[e], w.sums[e], w.squares[e], finding);
    return result;
}

static enum check_result judge_probed_row(const struct judging *judging, size_t i, struct finding *finding)
{
    const struct probes p = probes_of(judging->pair, judging->answer);
    const struct lines lines = lines_of(judging->pair, judging->answer);
    enum check_result result = CHECK_RIGHT;

    for (size_t g = 0; g < p.groups && result == CHECK_RIGHT; g++)
        if (lines.in_row[i] == SPECIAL || !combinations_agree(judging->pair, &p, i, g, judging->c))
            result = judge_group(judging->pair, &lines, i, g, judging->c, finding);
    return result;
}

static bool is_large(const struct blob *answer) { return ((const struct head *)answer->data)->large; }

static void judge_rows(void *context, size_t first, size_t end)
{
    struct judging *judging = context;
    const bool large = is_large(judging->answer);
    enum check_result result = CHECK_RIGHT;
    struct finding finding = { 0 };

    for (size_t i = first; i < end && result == CHECK_RIGHT && first < atomic_load(&judging->wrong); i++)
        result = large ? judge_probed_row(judging, i, &finding) : judge_whole_row(judging, i, &finding);
    if (result == CHECK_RIGHT)
        return;
    pthread_mutex_lock(&judging->lock);
    if (first < atomic_load(&judging->wrong)) {
        atomic_store(&judging->wrong, first);
        judging->result = result;
        *judging->finding = finding;
    }
    pthread_mutex_unlock(&judging->lock);
}

static enum check_result judge_samples(const struct matmul_pair *pair, const struct blob *answer, const float *c,
                                       struct finding *finding)
{
    const struct probes p = probes_of(pair, answer);
    const struct lines lines = lines_of(pair, answer);
    enum check_result result = CHECK_RIGHT;

    for (int s = 0; s < MATMUL_SAMPLES && result == CHECK_RIGHT; s++) {
        const struct sample *sample = &p.samples[s];

        result = judge_element(pair, &lines, sample->i, sample->j, c[sample->i * pair->n + sample->j], sample->sum,
                               sample->squares, finding);
    }
    return result;
}

enum check_result matmul_judge(const struct matmul_pair *pair, const struct blob *answer, const float *c,
                               struct finding *finding)
{
    struct judging judging = { .pair = pair, .answer = answer, .c = c, .wrong = pair->m, .result = CHECK_RIGHT,
                               .lock = PTHREAD_MUTEX_INITIALIZER, .finding = finding };

    if (is_large(answer)) {
        const struct lines lines = lines_of(pair, answer);

        judging.result = judge_samples(pair, answer, c, finding);
        if (judging.result == CHECK_RIGHT)
            judging.result = judge_special_columns(pair, &lines, c, finding);
        if (judging.result != CHECK_RIGHT)
            return judging.result;
    }
    parallel_pieces(pair->m, PIECE_ROWS, judge_rows, &judging);
    return judging.result;
}
