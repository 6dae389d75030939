/*
 * problem.c - the problem softmax: of every row of a matrix of float32 or bfloat16.
 *
 * Linked into the host. The layout of an input is in input.h, the kinds of rows in generate.h, the rule that results
 * are judged by in precision.h, what of an answer is prepared in answer.h.
 */
#include "problems/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "answer.h"
#include "generate.h"
#include "matrix.h"
#include "precision.h"

/* ------------------------------------------------------------------ inputs */

static bool input_alloc(struct blob *input, uint64_t rows, uint64_t columns, uint32_t type, struct error *error)
{
    const uint64_t elements = rows * columns; /* at most 2^33 */

    if (elements > SOFTMAX_ELEMENTS_MAX)
        return error_usage(error, "the matrix has %" PRIu64 " elements: at most %d are allowed", elements,
                           SOFTMAX_ELEMENTS_MAX);
    if (!blob_alloc(input, SOFTMAX_ELEMENTS_OFFSET + (size_t)elements * softmax_size(type), error))
        return false;
    *(struct softmax_input *)input->data =
        (struct softmax_input){ .rows = (uint32_t)rows, .columns = (uint32_t)columns, .type = type };
    return true;
}

/* ROWS COLUMNS TYPE, three words. */
static bool parse_shape(const char *const *words, uint64_t *rows, uint64_t *columns, uint32_t *type,
                        struct error *error)
{
    if (!parse_number(words[0], "ROWS", 1, SOFTMAX_ROWS_MAX, rows, error) ||
        !parse_number(words[1], "COLUMNS", SOFTMAX_COLUMNS_MIN, SOFTMAX_COLUMNS_MAX, columns, error))
        return false;
    if (strcmp(words[2], "float32") != 0 && strcmp(words[2], "bfloat16") != 0)
        return error_usage(error, "unknown type '%.40s': use float32 or bfloat16", words[2]);
    *type = strcmp(words[2], "float32") == 0 ? SOFTMAX_FLOAT32 : SOFTMAX_BFLOAT16;
    return true;
}

/* KIND ROWS COLUMNS TYPE [seed=S]. */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { NULL };
    struct softmax_matrix matrix;
    uint64_t rows, columns;
    enum softmax_kind kind;
    uint32_t type;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 4)
        return error_usage(error, "a case needs KIND ROWS COLUMNS TYPE, not %zu words", arguments->word_count);
    kind = softmax_kind_find(arguments->words[0]);
    if (kind == SOFTMAX_KIND_COUNT)
        return error_usage(error, "unknown kind of case '%.40s': use " SOFTMAX_KINDS, arguments->words[0]);
    if (!parse_shape(&arguments->words[1], &rows, &columns, &type, error) ||
        !input_alloc(input, rows, columns, type, error))
        return false;
    matrix = softmax_matrix_of(input);
    softmax_fill(kind, &matrix, key);
    return true;
}

/* FILE ROWS COLUMNS TYPE: the file is the matrix row by row, little-endian, and nothing else. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct softmax_matrix matrix;
    struct blob file = { 0 };
    uint64_t rows, columns;
    uint32_t type;
    bool ok;

    (void)answer;
    if (argc != 4)
        return error_usage(error, "FILE ROWS COLUMNS TYPE is needed, not %d arguments", argc);
    if (!parse_shape((const char *const *)argv + 1, &rows, &columns, &type, error) ||
        !input_alloc(input, rows, columns, type, error))
        return false;
    matrix = softmax_matrix_of(input);
    ok = blob_read_file(&file, argv[0], (size_t)SOFTMAX_ELEMENTS_MAX * 4, error);
    if (ok && file.size != input->size - SOFTMAX_ELEMENTS_OFFSET)
        ok = error_usage(error, "file '%.280s' has %zu bytes: %zu x %zu elements of %s are %zu", argv[0], file.size,
                         matrix.rows, matrix.columns, argv[3], input->size - SOFTMAX_ELEMENTS_OFFSET);
    if (ok)
        memcpy(matrix.elements, file.data, file.size);
    for (size_t e = 0; ok && e < matrix.rows * matrix.columns; e++) {
        const double x = (double)softmax_get(matrix.elements, type, e);

        if (!(x <= SOFTMAX_VALUE_MAX && (x >= -SOFTMAX_VALUE_MAX || isinf(x))))
            ok = error_usage(error, "file '%.280s': element %zu is neither within -%d to %d nor minus infinity",
                             argv[0], e, SOFTMAX_VALUE_MAX, SOFTMAX_VALUE_MAX);
    }
    blob_release(&file);
    return ok;
}

/* ------------------------------------------------------------------ answers */

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);

    (void)secret; /* every element is looked at */
    return softmax_answer(&matrix, false, answer, error);
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);

    (void)secret;
    return softmax_answer(&matrix, true, answer, error);
}

/* Some 40 operations an element. */
static double plain_cost(const struct blob *input)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);

    return 40.0 * (double)matrix.rows * (double)matrix.columns;
}

static size_t output_size(const struct blob *input) { return input->size - SOFTMAX_ELEMENTS_OFFSET; }

static size_t footprint(const struct blob *input)
{
    if (!input)
        return SOFTMAX_ELEMENTS_OFFSET + (size_t)SOFTMAX_ELEMENTS_MAX * 4 +
               SOFTMAX_ROWS_MAX * sizeof(struct softmax_row);
    return input->size + softmax_matrix_of(input).rows * sizeof(struct softmax_row);
}

/* Every element is read and every result is written; each takes an exponential function, of an operation at least. */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);

    (void)answer;
    work->operations = (double)matrix.rows * (double)matrix.columns;
    work->bytes = 2 * work->operations * (double)softmax_size(matrix.type);
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);

    return softmax_judge(&matrix, answer, output->data, finding);
}

/* ------------------------------------------------------------------ words */

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);
    char word[64];

    softmax_answer_word(answer, word, sizeof word);
    fprintf(file, "answer = %s\n%zu rows of %zu elements of %s\n", word, matrix.rows, matrix.columns,
            matrix.type == SOFTMAX_BFLOAT16 ? "bfloat16" : "float32");
    fprintf(file, "tolerance = %.4g of a result%s\n", softmax_roundings(matrix.columns, 0) * 0x1p-24,
            matrix.type == SOFTMAX_BFLOAT16 ? ", before it is rounded" : "");
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    (void)input;
    softmax_answer_word(answer, text, size);
}

/* How many rows hold a number first, and the sum of all numbers: about as many as rows. */
static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    const struct softmax_matrix matrix = softmax_matrix_of(input);
    size_t finite = 0;
    double total = 0;

    for (size_t e = 0; e < matrix.rows * matrix.columns; e++) {
        const double result = (double)softmax_get(output->data, matrix.type, e);

        finite += e % matrix.columns == 0 && isfinite(result);
        total += isfinite(result) ? result : 0;
    }
    snprintf(text, size, "%zu of %zu rows, sum %.9g", finite, matrix.rows, total);
}

const struct problem problem_softmax = {
    .name = "softmax",
    .alias = NULL,
    .input_usage = "FILE ROWS COLUMNS TYPE",
    .generate = generate,
    .load = load,
    .reference = reference,
    .reference_plain = reference_plain,
    .plain_cost = plain_cost,
    .output_size = output_size,
    .footprint = footprint,
    .work = work,
    .check = check,
    .describe = describe,
    .show_answer = show_answer,
    .show_output = show_output,
};
