/*
 * test_softmax_precision.c - the measurement behind the constants of softmax's precision rule: test_softmax_precision
 * [full]
 *
 * Sums in float32, in many orders, by several exponential functions, over all kinds of rows and many lengths up to the
 * longest, against the float64 answer; then what must not pass. Figures are ratios of the error to what rule (1) of
 * precision.h allows, and rule (2) where (1) is broken. `full` takes more rows, and prints every ratio.
 */
#include "problems/softmax/precision.h"

#include <stdbool.h>
#include <stdlib.h>

#include "problems/softmax/answer.h"
#include "problems/softmax/exponential.h"
#include "problems/softmax/generate.h"
#include "unit.h"

enum { ROWS = 3, LENGTHS = 7 };

static const uint32_t lengths[LENGTHS] = { 16, 61, 256, 1000, 4096, 32768, SOFTMAX_COLUMNS_MAX };

static struct blob input, answer, output;
static struct softmax_matrix matrix;
static bool full;

/* ------------------------------------------------------------------ float32 */

enum order { ASCENDING, DESCENDING, PAIRS, WARP, VECTORS, ORDERS };

static const char *const order_names[ORDERS] = { "ascending", "descending", "pairs", "32 sums", "8 sums" };

/* The exponential functions: libm's, with as many errors as CUDA's __expf() may have, and of base 2. */
enum function { EXPF, EXPF_FAST, EXP2F, FUNCTIONS };

static const char *const function_names[FUNCTIONS] = { "expf", "__expf", "exp2f" };

static float x_at(size_t row, size_t column)
{
    return softmax_get(matrix.elements, matrix.type, row * matrix.columns + column);
}

/* exp(x - m). __expf()'s errors are of the sign that makes most of them: all alike for terms of the same size. */
static float term(enum function function, float x, float largest, bool upwards)
{
    const float d = x - largest;

    if (isinf(x))
        return 0;
    if (function == EXP2F)
        return exp2f(d * 1.44269504f);
    if (function == EXPF_FAST) {
        const float ulps = 2 + floorf(fabsf(1.173f * d));

        return (float)(exp((double)d) * (1 + (upwards ? 1 : -1) * (double)ulps * 0x1p-23));
    }
    return expf(d);
}

static float sum_pairs(const float *terms, size_t count)
{
    return count == 1 ? terms[0] : sum_pairs(terms, count / 2) + sum_pairs(terms + count / 2, count - count / 2);
}

static float sum_in_order(enum order order, const float *terms, size_t count)
{
    const size_t lanes = order == WARP ? 32 : order == VECTORS ? 8 : 1;
    float sum = 0;

    if (order == PAIRS)
        return sum_pairs(terms, count);
    for (size_t l = 0; l < lanes; l++) {
        float part = 0;

        for (size_t j = l; j < count; j += lanes)
            part += terms[order == DESCENDING ? count - 1 - j : j];
        sum += part;
    }
    return sum;
}

/* One row's results, in float32; `sum` is their divisor. */
static float make_row(size_t row, enum function function, enum order order, bool upwards, float *results)
{
    const float largest = (float)((const struct softmax_row *)answer.data)[row].largest;
    float sum;

    for (size_t j = 0; j < matrix.columns; j++)
        results[j] = term(function, x_at(row, j), largest, upwards);
    sum = sum_in_order(order, results, matrix.columns);
    for (size_t j = 0; j < matrix.columns; j++)
        results[j] /= sum;
    return sum;
}

/* The largest ratio of a row's errors to the allowed error; `bias` as in softmax_roundings(). */
static double worst_of(size_t row, const float *results, double bias)
{
    const struct softmax_row *about = &((const struct softmax_row *)answer.data)[row];
    const double roundings = softmax_roundings(matrix.columns, bias);
    double worst = 0;

    for (size_t j = 0; j < matrix.columns; j++) {
        const double d = (double)x_at(row, j) - about->largest, right = exp(d) / about->sum;
        const double error = fabs((double)results[j] - right) - SOFTMAX_FLUSHED;
        const double allowed = isinf(d) ? 0 : softmax_tolerance(roundings, -d, right) - SOFTMAX_FLUSHED;

        if (error > 0 && !(error / allowed <= worst))
            worst = error / allowed <= 1e30 ? error / allowed : 1e30;
    }
    return worst;
}

static void make(const char *kind, uint32_t columns, uint32_t type, uint32_t seed)
{
    const struct random_key key = { .seed = seed };
    struct error error;

    blob_alloc(&input, SOFTMAX_ELEMENTS_OFFSET + (size_t)ROWS * columns * softmax_size(type), &error);
    *(struct softmax_input *)input.data = (struct softmax_input){ .rows = ROWS, .columns = columns, .type = type };
    matrix = softmax_matrix_of(&input);
    softmax_fill(softmax_kind_find(kind), &matrix, &key);
    softmax_answer(&matrix, false, &answer, &error);
    blob_alloc(&output, (size_t)ROWS * columns * softmax_size(type), &error);
}

static const char *const kinds[] = { "normal", "uniform", "wide", "shifted", "deep", "peak", "masked" };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* All honest ways for the rows of one matrix: none may exceed the allowed error, and check() must agree. */
static void honest_rows(const char *kind, double *worst_by_1, double *worst_by_2)
{
    float *results = malloc(matrix.columns * sizeof *results);

    for (int way = 0; results && way < 2 * FUNCTIONS * ORDERS; way++) {
        const enum function function = (enum function)(way / 2 % FUNCTIONS);
        const enum order order = (enum order)(way / 2 / FUNCTIONS);
        struct finding finding = { 0 };

        for (size_t i = 0; i < ROWS; i++) {
            const struct softmax_row *about = &((const struct softmax_row *)answer.data)[i];
            double ratio, second;

            make_row(i, function, order, way % 2, results);
            for (size_t j = 0; j < matrix.columns; j++)
                softmax_put(output.data, matrix.type, i * matrix.columns + j, results[j]);
            if (isinf(about->largest))
                continue;
            ratio = worst_of(i, results, 0);
            *worst_by_1 = ratio > *worst_by_1 && ratio <= 1 ? ratio : *worst_by_1;
            if (ratio > 1) {
                second = worst_of(i, results, softmax_bias(&matrix, i, about));
                *worst_by_2 = second > *worst_by_2 ? second : *worst_by_2;
            }
            if (full)
                printf("%s %zu type %u %s %s: %.3f of (1)\n", kind, matrix.columns, matrix.type,
                       function_names[function], order_names[order], ratio);
        }
        CHECK(softmax_judge(&matrix, &answer, output.data, &finding) == CHECK_RIGHT,
              "%s, %zu columns, type %u, %s, %s: %s", kind, matrix.columns, matrix.type, function_names[function],
              order_names[order], finding.detail);
    }
    free(results);
}

static void honest(void)
{
    double by_1 = 0, by_2 = 0;

    for (int l = 0; l < LENGTHS; l++)
        for (int kind = 0; kind < KINDS; kind++)
            for (uint32_t type = 0; type < 2; type++)
                for (uint32_t seed = 0; seed < (full ? 8 : 1); seed++) {
                    make(kinds[kind], lengths[l], type, 1000 + seed);
                    honest_rows(kinds[kind], &by_1, &by_2);
                }
    printf("largest ratio within (1): %.2f; where (1) is broken, of (2): %.2f\n", by_1, by_2);
    CHECK(by_1 > 0.1, "the rule is far looser than float32 needs: %g", by_1);
    CHECK(by_2 < 0.9, "rule (2) is nearly broken by a right program: %g", by_2);
}

/* Rows that no generator makes: equal terms, added one after another. */
static void honest_alike(void)
{
    float *results = malloc(SOFTMAX_COLUMNS_MAX * sizeof *results);
    double broken = 0;

    for (int step = 1; results && step <= 24; step++) {
        struct error error;
        struct finding finding = { 0 };

        make("uniform", SOFTMAX_COLUMNS_MAX, SOFTMAX_FLOAT32, 1);
        for (size_t e = 0; e < (size_t)ROWS * matrix.columns; e++) /* one value, a few, and many within a hair */
            softmax_put(matrix.elements, SOFTMAX_FLOAT32, e,
                        e < matrix.columns       ? -0.043f * (float)step
                        : e < 2 * matrix.columns ? -0.043f * (float)(e % (size_t)(2 * step))
                                                 : -0.043f * (float)step + (float)(e * 7919 % 65521) * 0x1p-26f);
        for (size_t i = 0; i < ROWS; i++)
            softmax_put(matrix.elements, SOFTMAX_FLOAT32, (i + 1) * matrix.columns - 1, 0);
        softmax_answer(&matrix, false, &answer, &error);
        for (size_t i = 0; i < ROWS; i++) {
            make_row(i, EXPF, ASCENDING, false, results);
            memcpy(output.data + i * matrix.columns * 4, results, matrix.columns * 4);
            broken += worst_of(i, results, 0) > 1;
        }
        CHECK(softmax_judge(&matrix, &answer, output.data, &finding) == CHECK_RIGHT, "step %d: %s", step,
              finding.detail);
    }
    CHECK(broken > 0, "no row of alike terms breaks (1), so (2) was not tried");
    free(results);
}

/* ------------------------------------------------------------------ what must not pass */

static float to_bfloat16(float value)
{
    const uint32_t bits = (uint32_t)softmax_to_bfloat16(value) << 16;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static float pairs_in_bfloat16(const float *terms, size_t count)
{
    return count == 1 ? terms[0]
                      : to_bfloat16(pairs_in_bfloat16(terms, count / 2) +
                                    pairs_in_bfloat16(terms + count / 2, count - count / 2));
}

enum wrong {
    SUM_IN_BFLOAT16, PAIRS_IN_BFLOAT16, TERMS_IN_BFLOAT16, TERMS_IN_HALF, LOG_OF_SUM, NO_MAXIMUM, TRUNCATED, WRONGS
};

static const char *const wrong_names[WRONGS] = { "a sum in bfloat16", "pairs in bfloat16", "terms in bfloat16",
                                                 "terms of 11 bits", "the logarithm of the sum", "no maximum",
                                                 "truncation" };

static void make_wrong(enum wrong wrong, size_t row, float *terms)
{
    const float m = wrong == NO_MAXIMUM ? 0 : (float)((const struct softmax_row *)answer.data)[row].largest;
    float sum = 0;

    for (size_t j = 0; j < matrix.columns; j++) {
        terms[j] = expf(x_at(row, j) - m);
        if (wrong == TERMS_IN_BFLOAT16 || wrong == PAIRS_IN_BFLOAT16)
            terms[j] = to_bfloat16(terms[j]);
        if (wrong == TERMS_IN_HALF)
            terms[j] = (float)((double)terms[j] * (1 + 0x1p-12)) - (float)((double)terms[j] * (j % 2 ? 0x1p-11 : 0));
        sum = wrong == SUM_IN_BFLOAT16 ? to_bfloat16(sum + terms[j]) : sum + terms[j];
    }
    if (wrong == PAIRS_IN_BFLOAT16)
        sum = pairs_in_bfloat16(terms, matrix.columns);
    for (size_t j = 0; j < matrix.columns; j++) {
        const float exact = wrong == PAIRS_IN_BFLOAT16 ? expf(x_at(row, j) - m) : terms[j];
        float result = wrong == LOG_OF_SUM ? expf(x_at(row, j) - (m + logf(sum))) : exact / sum;

        if (wrong == TRUNCATED) {
            uint32_t bits;

            memcpy(&bits, &result, sizeof bits);
            bits &= 0xffff0000;
            memcpy(&result, &bits, sizeof result);
        }
        softmax_put(output.data, matrix.type, row * matrix.columns + j, result);
    }
}

/* Each in a matrix of shifted rows of every length, but for sums whose errors are a matter of luck in short rows. */
static void wrong(void)
{
    float *terms = malloc(SOFTMAX_COLUMNS_MAX * sizeof *terms);

    for (int w = 0; terms && w < WRONGS; w++)
        for (int l = 0; l < LENGTHS; l++)
            for (uint32_t type = 0; type < 2; type++) {
                struct finding finding = { 0 };

                if (w == LOG_OF_SUM && type == SOFTMAX_BFLOAT16)
                    continue; /* large numbers of bfloat16 differ by nothing or by much */
                if ((w == LOG_OF_SUM || w == TERMS_IN_HALF) && lengths[l] > 4096)
                    continue; /* so much may be lost in float32 sums of as many terms */
                if ((w == TERMS_IN_HALF || w == TRUNCATED) && type != (w == TRUNCATED))
                    continue;
                if (type == SOFTMAX_BFLOAT16 && (w == TERMS_IN_BFLOAT16 || w == PAIRS_IN_BFLOAT16) && lengths[l] > 4096)
                    continue; /* errors of single results that another rounding hides, or that cancel in long sums */
                make(w == LOG_OF_SUM || w == NO_MAXIMUM ? "shifted" : "normal", lengths[l], type, 77);
                for (size_t i = 0; i < ROWS; i++)
                    make_wrong((enum wrong)w, i, terms);
                CHECK(softmax_judge(&matrix, &answer, output.data, &finding) == CHECK_WRONG,
                      "%s in %u columns of type %u is not seen", wrong_names[w], lengths[l], type);
            }
    free(terms);
}

/* ------------------------------------------------------------------ parts */

/* The exponential function beside libm's. */
static void exponentials(void)
{
    double worst = 0;

    for (int i = 0; i <= 2000000; i++) {
        const double x = -700.0 * i / 2000000, right = exp(x);

        worst = fmax(worst, fabs(softmax_exp(x) - right) / right);
    }
    CHECK(worst < 0x1p-50, "%g", worst);
    CHECK(softmax_exp(0) == 1, "exp(0)");
    CHECK(softmax_exp(-701) == 0 && softmax_exp((double)-INFINITY) == 0, "exp() of what vanishes");
}

/* Rounding to bfloat16, of float32 and of float64, beside one another. */
static void roundings(void)
{
    for (uint32_t bits = 0x00800000; bits < 0x7f000000; bits += 0x3fff) {
        float x;

        memcpy(&x, &bits, sizeof x);
        CHECK((double)to_bfloat16(x) == softmax_round((double)x), "%a", (double)x);
    }
    CHECK(to_bfloat16(0x1.01p0f) == 1 && to_bfloat16(0x1.03p0f) == 0x1.04p0f, "ties are to even");
    CHECK(isnan(to_bfloat16(NAN)), "a NaN stays one");
}

int main(int argc, char **argv)
{
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    exponentials();
    roundings();
    honest();
    honest_alike();
    wrong();
    blob_release(&input);
    blob_release(&answer);
    blob_release(&output);
    return unit_end();
}
