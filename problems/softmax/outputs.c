/*
 * outputs.c - makes right outputs, and wrong ones that look right, for the tests of check(). It is not linked into the
 * host. Results are computed by libm's expl(), and no answer is looked at: so it shares nothing with what it tests but
 * the rule.
 */
#include "problems/outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "generate.h"
#include "precision.h"

/* The truth about one row. */
struct truth {
    long double largest, sum; /* minus infinity and 0 where there is no number */
};

static double at(const struct softmax_matrix *matrix, size_t row, size_t column)
{
    return (double)softmax_get(matrix->elements, matrix->type, row * matrix->columns + column);
}

static struct truth truth_of(const struct softmax_matrix *matrix, size_t row)
{
    struct truth truth = { .largest = -(long double)INFINITY };

    for (size_t j = 0; j < matrix->columns; j++)
        truth.largest = fmaxl(truth.largest, (long double)at(matrix, row, j));
    for (size_t j = 0; j < matrix->columns && isfinite(truth.largest); j++)
        truth.sum += expl((long double)at(matrix, row, j) - truth.largest);
    return truth;
}

/* The result that is due: NaN in a row of minus infinity alone. */
static long double right_at(const struct softmax_matrix *matrix, const struct truth *truth, size_t row, size_t column)
{
    return truth->sum > 0 ? expl((long double)at(matrix, row, column) - truth->largest) / truth->sum
                          : (long double)NAN;
}

/* T_j by rule (1), or by (2) with its bias. */
static double tolerance_at(const struct softmax_matrix *matrix, const struct truth *truth, size_t row, size_t column,
                           double bias)
{
    const double x = at(matrix, row, column);

    return isinf(x) ? 0
                    : softmax_tolerance(softmax_roundings(matrix->columns, bias), (double)truth->largest - x,
                                        (double)right_at(matrix, truth, row, column));
}

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);

    (void)answer;
    (void)error;
    for (size_t i = 0; i < matrix.rows; i++) {
        const struct truth truth = truth_of(&matrix, i);

        for (size_t j = 0; j < matrix.columns; j++)
            softmax_put(output->data, matrix.type, i * matrix.columns + j, (float)right_at(&matrix, &truth, i, j));
    }
    return true;
}

/* ------------------------------------------------------------------ wrong outputs */

/* What is allowed at most, several times over, and in bfloat16 a rounding more. */
static void push(const struct softmax_matrix *matrix, unsigned char *output, size_t row, size_t column, double times)
{
    const struct truth truth = truth_of(matrix, row);
    const double right = (double)right_at(matrix, &truth, row, column);
    const double bias = softmax_bias(matrix, row, &(struct softmax_row){ .largest = (double)truth.largest,
                                                                           .sum = (double)truth.sum });
    double pushed = right + times * (tolerance_at(matrix, &truth, row, column, isnan(right) ? 0 : bias) +
                                     (matrix->type == SOFTMAX_BFLOAT16 ? right * 0x1p-7 : 0));

    if (right == 0)
        pushed = 0.25;
    softmax_put(output, matrix->type, row * matrix->columns + column, isnan(right) ? 0 : (float)pushed);
}

/* Every result of a row times a factor: as a sum that is wrong makes them. */
static void scale(const struct softmax_matrix *matrix, unsigned char *output, size_t row, float factor)
{
    for (size_t j = 0; j < matrix->columns; j++) {
        const size_t e = row * matrix->columns + j;
        const float result = softmax_get(output, matrix->type, e);

        softmax_put(output, matrix->type, e, isnan(result) ? 0 : result * factor);
    }
}

static void replace(const struct softmax_matrix *matrix, unsigned char *output, size_t row, size_t column, float value)
{
    const size_t e = row * matrix->columns + column;

    softmax_put(output, matrix->type, e, isnan(softmax_get(output, matrix->type, e)) ? 0 : value);
}

static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);
    const size_t rows = matrix.rows, columns = matrix.columns;

    (void)answer;
    switch (way) {
    case 0: push(&matrix, output->data, rows - 1, columns - 1, 1.5); return true;
    case 1: push(&matrix, output->data, 0, 0, -1.5); return true;
    case 2: push(&matrix, output->data, rows / 2, columns / 2, 4); return true;
    case 3: push(&matrix, output->data, rows / 3, columns - 1, -4); return true;
    case 4: scale(&matrix, output->data, rows - 1, 1.0625f); return true;
    case 5: scale(&matrix, output->data, 0, 0.96875f); return true;
    case 6: scale(&matrix, output->data, rows / 2, 0); return true;
    case 7: replace(&matrix, output->data, rows - 1, columns - 1, NAN); return true;
    case 8: replace(&matrix, output->data, 0, columns / 3, INFINITY); return true;
    case 9: replace(&matrix, output->data, rows - 1, columns / 5, -0.5f); return true;
    default: return false;
    }
}

/* The elements that differ, by both rules, from libm's exponential function. */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);
    const size_t size = softmax_size(matrix.type), bytes = matrix.columns * size;

    (void)answer;
    for (size_t i = 0; i < matrix.rows; i++) {
        struct truth truth;
        double bias;

        if (memcmp(output->data + i * bytes, right->data + i * bytes, bytes) == 0)
            continue;
        truth = truth_of(&matrix, i);
        bias = truth.sum > 0 ? softmax_bias(&matrix, i, &(struct softmax_row){ .largest = (double)truth.largest,
                                                                                 .sum = (double)truth.sum })
                              : 0;
        for (size_t j = 0; j < matrix.columns; j++) {
            const double due = (double)right_at(&matrix, &truth, i, j);
            const double tolerance = tolerance_at(&matrix, &truth, i, j, bias);
            const double result = (double)softmax_get(output->data, matrix.type, i * matrix.columns + j);
            double low = due - tolerance, high = due + tolerance;

            if (matrix.type == SOFTMAX_BFLOAT16)
                low = softmax_round(low), high = softmax_round(high);
            if (isnan(due) ? !isnan(result) : !(result >= low && result <= high))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ other methods */

/* Orders of summation; and of each with the maximum known before, or found on the way. */
enum { ASCENDING, DESCENDING, SHUFFLED, PAIRS, LANES, BLOCKS, ORDERS };

struct method {
    size_t order;
    bool base_2;  /* powers of 2 of a product with log2(e), in a fused operation */
    bool running; /* a running maximum */
};

static const float log2_e = 1.44269504f;

static float term(const struct method *method, float x, float largest)
{
    if (isinf(x))
        return 0;
    return method->base_2 ? exp2f(fmaf(x, log2_e, -(largest * log2_e))) : expf(x - largest);
}

/* The maximum and the sum of some elements. */
struct part {
    float largest, sum;
};

/* What a sum relative to `from` is multiplied by to be relative to `to`. In base 2 of rounded products: 1 if alike. */
static float change(const struct method *method, float from, float to)
{
    if (isinf(from))
        return 0;
    return method->base_2 ? exp2f(from * log2_e - to * log2_e) : expf(from - to);
}

static struct part join(const struct method *method, struct part a, struct part b)
{
    const float largest = fmaxf(a.largest, b.largest);

    if (isinf(largest))
        return a;
    return (struct part){ .largest = largest, .sum = a.sum * change(method, a.largest, largest) +
                                                     b.sum * change(method, b.largest, largest) };
}

/* Of values[first], [first + step] and so on below `end`; `all` is the whole row's maximum. */
static struct part part_of(const struct method *method, const float *values, size_t first, size_t end, size_t step,
                           float all)
{
    struct part part = { .largest = method->running ? -INFINITY : all };

    for (size_t j = first; j < end; j += step) {
        if (method->running)
            part = join(method, part, (struct part){ values[j], term(method, values[j], values[j]) });
        else
            part.sum += term(method, values[j], all);
    }
    return part;
}

static struct part part_of_pairs(const struct method *method, const float *values, size_t first, size_t end, float all)
{
    if (end - first == 1)
        return part_of(method, values, first, end, 1, all);
    return join(method, part_of_pairs(method, values, first, (first + end) / 2, all),
                part_of_pairs(method, values, (first + end) / 2, end, all));
}

static struct part part_in_order(const struct method *method, const float *values, size_t count, float all)
{
    const size_t width = method->order == LANES ? 32 : 64;
    struct part part = { .largest = -INFINITY };

    if (method->order == PAIRS)
        return part_of_pairs(method, values, 0, count, all);
    if (method->order != LANES && method->order != BLOCKS)
        return part_of(method, values, 0, count, 1, all);
    for (size_t l = 0; method->order == LANES && l < width && l < count; l++)
        part = join(method, part, part_of(method, values, l, count, width, all));
    for (size_t first = 0; method->order == BLOCKS && first < count; first += width) {
        const size_t end = first + width < count ? first + width : count;

        part = join(method, part, part_of(method, values, first, end, 1, all));
    }
    return part;
}

/* The row's elements in the order of their addition, into values[columns]; returns the largest. */
static float read_row(const struct softmax_matrix *matrix, size_t row, size_t order, float *values,
                      struct random_stream *stream)
{
    const size_t n = matrix->columns;
    float all = -INFINITY;

    for (size_t j = 0; j < n; j++) {
        values[order == DESCENDING ? n - 1 - j : j] = (float)at(matrix, row, j);
        all = fmaxf(all, (float)at(matrix, row, j));
    }
    for (size_t j = n - 1; j > 0 && order == SHUFFLED; j--) {
        const size_t other = random_below(stream, (uint32_t)j + 1);
        const float kept = values[j];

        values[j] = values[other];
        values[other] = kept;
    }
    return all;
}

/* In float32: six orders, each by two exponential functions, with and without a running maximum; then in float64. */
static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);
    const struct method method = { .order = way / 4, .base_2 = way % 2, .running = way / 2 % 2 };
    float *values;

    if (way > 4 * ORDERS)
        return CHECK_NONE;
    if (way == 4 * ORDERS)
        return solve(input, answer, output, NULL) ? CHECK_RIGHT : CHECK_FAILED;
    values = malloc(matrix.columns * sizeof *values);
    for (size_t i = 0; values && i < matrix.rows; i++) {
        const float all = read_row(&matrix, i, method.order, values, stream);
        const struct part part = part_in_order(&method, values, matrix.columns, all);

        for (size_t j = 0; j < matrix.columns; j++) {
            const float result = isinf(all) ? NAN : term(&method, (float)at(&matrix, i, j), part.largest) / part.sum;

            softmax_put(output->data, matrix.type, i * matrix.columns + j, result);
        }
    }
    way = values != NULL;
    free(values);
    return way ? CHECK_RIGHT : CHECK_FAILED;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    const uint32_t kind = random_below(stream, SOFTMAX_KIND_COUNT), scale = 1 + random_below(stream, 11);
    const uint32_t rows = 1 + random_below(stream, 8), type = random_below(stream, 2);

    snprintf(text, size, "%s %u %u %s seed=%u", softmax_kind_name((enum softmax_kind)kind), rows,
             SOFTMAX_COLUMNS_MIN + random_below(stream, 1u << scale), type ? "bfloat16" : "float32",
             random_u32(stream));
}

const struct outputs outputs_softmax = { .solve = solve, .spoil = spoil, .also_right = also_right,
                                         .any_line = any_line, .honest = honest };
