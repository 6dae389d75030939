/*
 * generate.c - fills the matrix of a case; generate.h describes the kinds. Every value is computed exactly, or rounded
 * once to float32 and once to its type.
 */
#include "generate.h"

#include <math.h>
#include <string.h>

#include "verify/base/parallel.h"

/* A row draws its elements from one stream and what it decides from another: these and as many on for each row. */
enum { STREAM_ELEMENTS = 1, STREAM_CHOICES, STREAMS_OF_A_ROW };

/* Elements that a thread fills at a time, some milliseconds, and those that words are drawn for at once. */
enum { PIECE = 1 << 18, CHUNK = 512 };

static const char *const names[SOFTMAX_KIND_COUNT] = {
    [SOFTMAX_NORMAL] = "normal", [SOFTMAX_UNIFORM] = "uniform", [SOFTMAX_WIDE] = "wide",
    [SOFTMAX_SHIFTED] = "shifted", [SOFTMAX_DEEP] = "deep", [SOFTMAX_PEAK] = "peak",
    [SOFTMAX_MASKED] = "masked", [SOFTMAX_MIXED] = "mixed",
};

const char *softmax_kind_name(enum softmax_kind kind) { return names[kind]; }

enum softmax_kind softmax_kind_find(const char *name)
{
    int kind = 0;

    while (kind < SOFTMAX_KIND_COUNT && strcmp(names[kind], name) != 0)
        kind++;
    return (enum softmax_kind)kind;
}

/* One row while it is filled. */
struct filling {
    const struct softmax_matrix *matrix;
    unsigned char *elements; /* the row's */
    size_t columns;
    struct random_stream choices;
    double shift; /* what is added to normal elements */
};

static void put(const struct filling *row, size_t column, double value)
{
    softmax_put(row->elements, row->matrix->type, column, (float)value);
}

/* Uniform in [low, high): 24 bits. */
static double between(uint32_t word, double low, double high) { return low + (high - low) * (word >> 8) * 0x1p-24; }

/* The sum of four numbers uniform in [0, 1), less 2, times 5.2: a standard deviation of 3. */
static double bell(const uint32_t words[2])
{
    const uint32_t sum = (words[0] >> 16) + (words[0] & 0xffff) + (words[1] >> 16) + (words[1] & 0xffff);

    return ((double)sum * 0x1p-16 - 2) * 5.2;
}

static double element(enum softmax_kind kind, double shift, const uint32_t words[2])
{
    switch (kind) {
    case SOFTMAX_UNIFORM: return between(words[0], -1, 1);
    case SOFTMAX_WIDE: return between(words[0], -SOFTMAX_VALUE_MAX, SOFTMAX_VALUE_MAX);
    case SOFTMAX_DEEP: return between(words[0], -100, 0);
    default: return bell(words) + shift;
    }
}

/* ------------------------------------------------------------------ masks */

static void mask(const struct filling *row, size_t first, size_t end)
{
    for (size_t j = first; j < end; j++)
        put(row, j, (double)-INFINITY);
}

static void mask_strips(struct filling *row)
{
    const uint32_t width = 16u << random_below(&row->choices, 7);
    const uint32_t parity = random_below(&row->choices, 2);

    for (size_t first = 0, strip = 0; first < row->columns; first += width, strip++)
        if (strip % 2 == parity && row->columns > width)
            mask(row, first, first + width < row->columns ? first + width : row->columns);
}

/* All ways leave an element, but for the one row of 16 that is masked whole. */
static void make_mask(struct filling *row)
{
    const uint32_t at = random_below(&row->choices, (uint32_t)row->columns), way = random_below(&row->choices, 16);

    if (way == 0) {
        mask(row, 0, row->columns);
    } else if (way < 4) {
        mask(row, 0, at);
    } else if (way < 8) {
        mask(row, at + 1, row->columns);
    } else if (way < 10) {
        mask(row, 0, at);
        mask(row, at + 1, row->columns);
    } else if (way < 13) {
        mask_strips(row);
    } else {
        for (size_t j = 0; j < row->columns; j++)
            if (random_below(&row->choices, 2) && j != at)
                mask(row, j, j + 1);
    }
}

/* ------------------------------------------------------------------ rows */

static void fill_row(enum softmax_kind kind, struct filling *row, struct random_stream *stream)
{
    uint32_t words[2 * CHUNK];

    if (kind == SOFTMAX_SHIFTED || kind == SOFTMAX_MASKED)
        row->shift = between(random_u32(&row->choices), -9900, 9900);
    for (size_t first = 0; first < row->columns; first += CHUNK) {
        const size_t count = row->columns - first < CHUNK ? row->columns - first : CHUNK;

        random_words(stream, words, 2 * count);
        for (size_t e = 0; e < count; e++)
            put(row, first + e, element(kind, row->shift, words + 2 * e));
    }
    if (kind == SOFTMAX_DEEP)
        put(row, random_below(&row->choices, (uint32_t)row->columns), 0);
    if (kind == SOFTMAX_PEAK) {
        const uint32_t at = random_below(&row->choices, (uint32_t)row->columns), word = random_u32(&row->choices);

        put(row, at, random_below(&row->choices, 2) ? between(word, 20, 100) : between(word, 20, 9000));
    }
    if (kind == SOFTMAX_MASKED)
        make_mask(row);
}

struct filling_all {
    enum softmax_kind kind;
    const struct softmax_matrix *matrix;
    const struct random_key *key;
};

static void fill_rows(void *context, size_t first, size_t end)
{
    const struct filling_all *all = context;
    const struct softmax_matrix *matrix = all->matrix;

    for (size_t i = first; i < end; i++) {
        const uint32_t streams = (uint32_t)i * STREAMS_OF_A_ROW;
        struct random_stream stream = random_stream(all->key, streams + STREAM_ELEMENTS);
        struct filling row = { .matrix = matrix,
                               .elements = matrix->elements + i * matrix->columns * softmax_size(matrix->type),
                               .columns = matrix->columns,
                               .choices = random_stream(all->key, streams + STREAM_CHOICES) };
        enum softmax_kind kind = all->kind;

        if (kind == SOFTMAX_MIXED)
            kind = (enum softmax_kind)random_below(&row.choices, SOFTMAX_MIXED);
        fill_row(kind, &row, &stream);
    }
}

void softmax_fill(enum softmax_kind kind, const struct softmax_matrix *matrix, const struct random_key *key)
{
    struct filling_all all = { .kind = kind, .matrix = matrix, .key = key };
    const size_t piece = PIECE / matrix->columns;

    parallel_pieces(matrix->rows, piece > 0 ? piece : 1, fill_rows, &all);
}
