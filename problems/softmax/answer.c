/*
 * answer.c - prepares answers and judges outputs by them: see answer.h.
 */
#include "answer.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "exponential.h"
#include "precision.h"
#include "verify/base/parallel.h"

/*
 * Elements are taken STRIP at a time, in arrays that stay in the first cache, so that the compiler makes vectors of
 * each step; and rows so many at a time that they have some PIECE elements. LANES sums are added side by side.
 */
enum { STRIP = 256, PIECE = 1 << 18, LANES = 8 };

static size_t rows_of_piece(const struct softmax_matrix *matrix)
{
    const size_t rows = PIECE / matrix->columns;

    return rows > 0 ? rows : 1;
}

/* Elements first.. of a row as float64; returns how many, STRIP but at the row's end. */
static size_t read_strip(const unsigned char *elements, const struct softmax_matrix *matrix, size_t row, size_t first,
                         double values[STRIP])
{
    const size_t count = matrix->columns - first < STRIP ? matrix->columns - first : STRIP;
    const unsigned char *from = elements + (row * matrix->columns + first) * softmax_size(matrix->type);

    if (matrix->type == SOFTMAX_BFLOAT16)
        for (size_t j = 0; j < count; j++)
            values[j] = (double)softmax_get(from, SOFTMAX_BFLOAT16, j);
    else
        for (size_t j = 0; j < count; j++)
            values[j] = (double)softmax_get(from, SOFTMAX_FLOAT32, j);
    return count;
}

/* ------------------------------------------------------------------ preparing */

struct answering {
    const struct softmax_matrix *matrix;
    struct softmax_row *rows;
};

static double largest_of(const struct softmax_matrix *matrix, size_t row)
{
    double most[LANES], values[STRIP];

    for (size_t l = 0; l < LANES; l++)
        most[l] = (double)-INFINITY;
    for (size_t first = 0; first < matrix->columns; first += STRIP) {
        for (size_t j = read_strip(matrix->elements, matrix, row, first, values); j < STRIP; j++)
            values[j] = (double)-INFINITY;
        for (size_t j = 0; j < STRIP; j += LANES)
            for (size_t l = 0; l < LANES; l++)
                most[l] = values[j + l] > most[l] ? values[j + l] : most[l];
    }
    for (size_t l = 1; l < LANES; l++)
        most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

static double sum_of(const struct softmax_matrix *matrix, size_t row, double largest)
{
    double sums[LANES] = { 0 }, values[STRIP], total = 0;

    if (isinf(largest))
        return 0;
    for (size_t first = 0; first < matrix->columns; first += STRIP) {
        for (size_t j = read_strip(matrix->elements, matrix, row, first, values); j < STRIP; j++)
            values[j] = (double)-INFINITY;
        for (size_t j = 0; j < STRIP; j++)
            values[j] = softmax_exp(values[j] - largest);
        for (size_t j = 0; j < STRIP; j += LANES)
            for (size_t l = 0; l < LANES; l++)
                sums[l] += values[j + l];
    }
    for (size_t l = 0; l < LANES; l++)
        total += sums[l];
    return total;
}

static void answer_rows(void *context, size_t first, size_t end)
{
    const struct answering *answering = context;

    for (size_t row = first; row < end; row++) {
        const double largest = largest_of(answering->matrix, row);

        answering->rows[row] = (struct softmax_row){ .largest = largest,
                                                     .sum = sum_of(answering->matrix, row, largest) };
    }
}

/* The same, an element at a time. */
static void answer_plainly(const struct softmax_matrix *matrix, struct softmax_row *rows)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        struct softmax_row *r = &rows[row];

        r->largest = (double)-INFINITY;
        r->sum = 0;
        for (size_t j = 0; j < matrix->columns; j++) {
            const double x = (double)softmax_get(matrix->elements, matrix->type, row * matrix->columns + j);

            r->largest = fmax(r->largest, x);
        }
        for (size_t lane = 0; lane < LANES && isfinite(r->largest); lane++) {
            double sum = 0;

            for (size_t j = lane; j < matrix->columns; j += LANES)
                sum += softmax_exp((double)softmax_get(matrix->elements, matrix->type, row * matrix->columns + j) -
                                   r->largest);
            r->sum += sum;
        }
    }
}

bool softmax_answer(const struct softmax_matrix *matrix, bool plain, struct blob *answer, struct error *error)
{
    struct answering answering = { .matrix = matrix };

    if (!blob_alloc(answer, matrix->rows * sizeof *answering.rows, error))
        return false;
    answering.rows = (struct softmax_row *)answer->data;
    if (plain)
        answer_plainly(matrix, answering.rows);
    else
        parallel_pieces(matrix->rows, rows_of_piece(matrix), answer_rows, &answering);
    return true;
}

/* As FNV-1a (Fowler, Noll and Vo) with 64 bits, but a double at a time, and its high half folded in. */
void softmax_answer_word(const struct blob *answer, char *text, size_t size)
{
    const struct softmax_row *rows = (const struct softmax_row *)answer->data;
    const size_t count = answer->size / sizeof *rows;
    uint64_t hash = 0xcbf29ce484222325;
    size_t finite = 0;

    for (size_t i = 0; i < count; i++) {
        const double values[] = { rows[i].largest, rows[i].sum };

        finite += isfinite(rows[i].largest);
        for (int v = 0; v < 2; v++) {
            uint64_t bits;

            memcpy(&bits, &values[v], sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
            hash ^= hash >> 32;
        }
    }
    snprintf(text, size, "%zu of %zu rows#%016" PRIx64, finite, count, hash);
}

/* ------------------------------------------------------------------ alike terms */

enum { BINADES = 18 };

double softmax_bias(const struct softmax_matrix *matrix, size_t row, const struct softmax_row *about)
{
    double lost[BINADES] = { 0 }, values[STRIP], most = 0, power = 1;

    while (power * 2 <= about->sum) /* S is 1 at least, as one of its terms is */
        power *= 2;
    for (size_t first = 0; first < matrix->columns; first += STRIP) {
        const size_t count = read_strip(matrix->elements, matrix, row, first, values);

        for (size_t j = 0; j < count; j++)
            values[j] = softmax_exp(values[j] - about->largest);
        for (int b = 0; b < BINADES; b++) {
            const double shifter = ldexp(power, 52 - 23 - b) * 1.5; /* adding it rounds to a multiple of h */

            for (size_t j = 0; j < count; j++)
                lost[b] += values[j] + shifter - shifter - values[j];
        }
    }
    for (int b = 0; b < BINADES; b++)
        most = fmax(most, fabs(lost[b]));
    return most / (about->sum * 0x1p-24);
}

/* ------------------------------------------------------------------ judging */

struct judging {
    const struct softmax_matrix *matrix;
    const struct softmax_row *rows;
    const unsigned char *output;
    pthread_mutex_t lock; /* of what follows */
    size_t wrong;         /* the first wrong element that was found, or SIZE_MAX */
};

/* Where a result may lie: low..high. */
struct bounds {
    double low, high;
};

/* Of an element with d = x - m of a row with a finite m. */
static inline struct bounds bounds_of(uint32_t type, double roundings, double d, double sum)
{
    const double right = softmax_exp(d) / sum, distance = d < -700 ? 700 : -d;
    const double tolerance = softmax_tolerance(roundings, distance, right), none = d < -1e300 ? 0 : 1;
    struct bounds b = { .low = right - tolerance, .high = right + tolerance };

    if (type == SOFTMAX_BFLOAT16) {
        b.low = softmax_round(b.low);
        b.high = softmax_round(b.high);
    }
    b.low *= none;
    b.high *= none;
    return b;
}

/* How many of a strip are wrong. */
static size_t wrong_in_strip(uint32_t type, double roundings, const struct softmax_row *about, const double *values,
                             const double *results, size_t count)
{
    size_t wrong = 0;

    if (type == SOFTMAX_BFLOAT16)
        for (size_t j = 0; j < count; j++) {
            const struct bounds b = bounds_of(SOFTMAX_BFLOAT16, roundings, values[j] - about->largest, about->sum);

            wrong += !(results[j] >= b.low && results[j] <= b.high); /* a NaN is wrong */
        }
    else
        for (size_t j = 0; j < count; j++) {
            const struct bounds b = bounds_of(SOFTMAX_FLOAT32, roundings, values[j] - about->largest, about->sum);

            wrong += !(results[j] >= b.low && results[j] <= b.high);
        }
    return wrong;
}

/* The first wrong element of a row, or its length. */
static size_t first_wrong(const struct judging *judging, size_t row, double roundings)
{
    const struct softmax_matrix *matrix = judging->matrix;
    const struct softmax_row *about = &judging->rows[row];
    double values[STRIP], results[STRIP];

    for (size_t first = 0; first < matrix->columns; first += STRIP) {
        const size_t count = read_strip(matrix->elements, matrix, row, first, values);

        read_strip(judging->output, matrix, row, first, results);
        if (isinf(about->largest)) {
            for (size_t j = 0; j < count; j++)
                if (!isnan(results[j]))
                    return first + j;
        } else if (wrong_in_strip(matrix->type, roundings, about, values, results, count) > 0) {
            for (size_t j = 0; j < count; j++)
                if (wrong_in_strip(matrix->type, roundings, about, &values[j], &results[j], 1) > 0)
                    return first + j;
        }
    }
    return matrix->columns;
}

static void judge_rows(void *context, size_t first, size_t end)
{
    struct judging *judging = context;
    const struct softmax_matrix *matrix = judging->matrix;
    const double roundings = softmax_roundings(matrix->columns, 0);

    for (size_t row = first; row < end; row++) {
        size_t wrong = first_wrong(judging, row, roundings);

        if (wrong < matrix->columns && isfinite(judging->rows[row].largest))
            wrong = first_wrong(judging, row,
                                softmax_roundings(matrix->columns, softmax_bias(matrix, row, &judging->rows[row])));
        if (wrong == matrix->columns)
            continue;
        pthread_mutex_lock(&judging->lock);
        if (row * matrix->columns + wrong < judging->wrong)
            judging->wrong = row * matrix->columns + wrong;
        pthread_mutex_unlock(&judging->lock);
        return; /* later ones of this piece are not the first */
    }
}


enum check_result softmax_judge(const struct softmax_matrix *matrix, const struct blob *answer,
                                const unsigned char *output, struct finding *finding)
{
    struct judging judging = { .matrix = matrix,
                               .rows = (const struct softmax_row *)answer->data,
                               .output = output,
                               .lock = PTHREAD_MUTEX_INITIALIZER,
                               .wrong = SIZE_MAX };
    const struct softmax_row *about;
    double result, right, x;
    size_t row, column;

    parallel_pieces(matrix->rows, rows_of_piece(matrix), judge_rows, &judging);
    if (judging.wrong == SIZE_MAX)
        return CHECK_RIGHT;
    row = judging.wrong / matrix->columns;
    column = judging.wrong % matrix->columns;
    about = &judging.rows[row];
    x = (double)softmax_get(matrix->elements, matrix->type, judging.wrong);
    result = (double)softmax_get(output, matrix->type, judging.wrong);
    if (isinf(about->largest))
        return found_wrong(finding, REASON_VALUE, "wrote output[%zu][%zu] = %.9g in a row of minus infinity alone, "
                                                  "where NaN is right", row, column, result);
    right = softmax_exp(x - about->largest) / about->sum;
    if (!isfinite(result))
        return found_wrong(finding, REASON_NAN, "wrote output[%zu][%zu] = %s where %.9g is right", row, column,
                           isnan(result) ? "NaN" : result > 0 ? "infinity" : "minus infinity", right);
    return found_wrong(finding, REASON_VALUE,
                       "wrote output[%zu][%zu] = %.9g where %.9g is right, more than the rounding of %s explains", row,
                       column, result, right, matrix->type == SOFTMAX_BFLOAT16 ? "float32 and bfloat16" : "float32");
}
