/*
 * problem.c - the problem attention: softmax(Q K^T / sqrt(d)) V of bfloat16, head by head.
 *
 * Linked into the host. The layout of an input is in input.h, the kinds of cases in generate.h, the rule that elements
 * are judged by in precision.h, which of them are judged in answer.h.
 */
#include "problems/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "answer.h"
#include "generate.h"
#include "heads.h"

/* What scores of an own file's numbers may reach at most: above, float32 is too coarse for the rule. */
static const double score_max = 8192;
/* And the numbers of V. */
static const float value_max = 0x1p100f;

/* ------------------------------------------------------------------ limits */

static bool parse_sizes(const char *const *words, struct attention_input *header, struct error *error)
{
    uint64_t heads, length, dim;

    if (!parse_number(words[0], "HEADS", 1, ATTENTION_HEADS_MAX, &heads, error) ||
        !parse_number(words[1], "LENGTH", ATTENTION_LENGTH_MIN, ATTENTION_LENGTH_MAX, &length, error) ||
        !parse_number(words[2], "DIM", 64, 128, &dim, error))
        return false;
    if (dim != 64 && dim != 128)
        return error_usage(error, "DIM is %" PRIu64 ": use 64 or 128", dim);
    if (heads * length * dim > ATTENTION_ELEMENTS_MAX)
        return error_usage(error, "HEADS * LENGTH * DIM is %" PRIu64 ": at most %d are allowed", heads * length * dim,
                           ATTENTION_ELEMENTS_MAX);
    *header = (struct attention_input){ .heads = (uint32_t)heads, .length = (uint32_t)length, .dim = (uint32_t)dim };
    return true;
}

static bool input_alloc(struct blob *input, const struct attention_input *header, struct error *error)
{
    const size_t size = ATTENTION_HEADER + 3 * attention_pitch(header->heads, header->length, header->dim);

    if (!blob_alloc(input, size, error))
        return false;
    *(struct attention_input *)input->data = *header;
    return true;
}

/* ------------------------------------------------------------------ generator */

/* KIND HEADS LENGTH DIM [causal=0|1] [seed=S]. */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { "causal", NULL };
    struct attention_input header;
    struct attention_heads heads;
    enum attention_kind kind;
    uint64_t causal;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 4)
        return error_usage(error, "a case needs KIND HEADS LENGTH DIM, not %zu words", arguments->word_count);
    kind = attention_kind_find(arguments->words[0]);
    if (kind == ATTENTION_KIND_COUNT)
        return error_usage(error, "unknown kind of case '%s': use " ATTENTION_KINDS, arguments->words[0]);
    if (!parse_sizes(arguments->words + 1, &header, error) ||
        !arguments_number(arguments, "causal", 0, 0, 1, &causal, error))
        return false;
    header.causal = (uint32_t)causal;
    if (!input_alloc(input, &header, error))
        return false;
    heads = attention_heads_of(input);
    attention_fill(kind, &heads, key);
    return true;
}

/* ------------------------------------------------------------------ files */

/* Reads an array of `count` numbers, all finite; *most gets the largest absolute value. */
static bool load_array(const char *path, size_t count, uint16_t *array, float *most, struct error *error)
{
    struct blob file = { 0 };
    bool ok = blob_read_file(&file, path, ATTENTION_ELEMENTS_MAX * sizeof *array, error);

    if (ok && file.size != count * sizeof *array)
        ok = error_usage(error, "file '%s' has %zu bytes: %zu numbers of bfloat16 are %zu", path, file.size, count,
                         count * sizeof *array);
    if (ok)
        memcpy(array, file.data, file.size);
    *most = 0;
    for (size_t e = 0; ok && e < count; e++) {
        const float x = fabsf(attention_number(array[e]));

        if (!isfinite(x))
            ok = error_usage(error, "file '%s': number %zu is an infinity or NaN", path, e);
        *most = fmaxf(*most, x);
    }
    blob_release(&file);
    return ok;
}

/* Q.bin K.bin V.bin HEADS LENGTH DIM CAUSAL: the files are the arrays, bfloat16, little-endian, and nothing else. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct attention_input header;
    struct attention_heads h;
    float most[3];
    uint64_t causal;
    size_t count;

    (void)answer;
    if (argc != 7)
        return error_usage(error, "Q.bin K.bin V.bin HEADS LENGTH DIM CAUSAL is needed, not %d arguments", argc);
    if (!parse_sizes((const char *const *)argv + 3, &header, error) ||
        !parse_number(argv[6], "CAUSAL", 0, 1, &causal, error))
        return false;
    header.causal = (uint32_t)causal;
    header.loaded = 1;
    if (!input_alloc(input, &header, error))
        return false;
    h = attention_heads_of(input);
    count = h.heads * h.length * h.dim;
    if (!load_array(argv[0], count, h.q, &most[0], error) || !load_array(argv[1], count, h.k, &most[1], error) ||
        !load_array(argv[2], count, h.v, &most[2], error))
        return false;
    if (!((double)most[0] * (double)most[1] * sqrt((double)h.dim) <= score_max))
        return error_usage(error, "the numbers in '%s' and '%s' are too large: the largest of each, times the root of "
                                  "DIM, make more than %g",
                           argv[0], argv[1], score_max);
    if (!(most[2] <= value_max))
        return error_usage(error, "a number in '%s' is above 2^100", argv[2]);
    return true;
}

/* ------------------------------------------------------------------ answers */

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    const struct attention_heads h = attention_heads_of(input);

    return attention_answer(&h, false, secret, answer, error);
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    const struct attention_heads h = attention_heads_of(input);

    return attention_answer(&h, true, secret, answer, error);
}

static double plain_cost(const struct blob *input)
{
    const struct attention_heads h = attention_heads_of(input);

    return 2.0 * (double)attention_row_count(&h) * (double)h.length * (double)h.dim;
}

static size_t output_size(const struct blob *input)
{
    const struct attention_heads h = attention_heads_of(input);

    return h.heads * h.length * h.dim * sizeof *h.q;
}

/* The input, the answer, and the weights of four rows for each of the threads that compute them. */
static size_t footprint(const struct blob *input)
{
    enum { THREADS = 64, WEIGHTS = 4 * ATTENTION_LENGTH_MAX * sizeof(double) };
    struct attention_heads h;

    if (!input) /* the most rows with the most columns, and a range for each column of each head */
        return (size_t)ATTENTION_ELEMENTS_MAX * 8 + ((size_t)1 << 28);
    h = attention_heads_of(input);
    return input->size + attention_answer_size(&h) + THREADS * (size_t)WEIGHTS;
}

/* Q, K, V are read and O is written; each pair of query and key takes 2 d products and as many additions. */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    const struct attention_heads h = attention_heads_of(input);
    const double n = (double)h.length, pairs = (double)h.heads * (h.causal ? n * (n + 1) / 2 : n * n);

    (void)answer;
    work->bytes = 4.0 * (double)h.heads * n * (double)h.dim * sizeof *h.q;
    work->operations = 4 * pairs * (double)h.dim;
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    const struct attention_heads h = attention_heads_of(input);

    return attention_judge(&h, answer, (const uint16_t *)output->data, finding);
}

/* ------------------------------------------------------------------ words */

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    const struct attention_heads h = attention_heads_of(input);
    char word[64];

    attention_answer_word(answer, word, sizeof word);
    fprintf(file, "answer = %s\nheads = %zu\nlength = %zu\ndim = %zu\n%s\n", word, h.heads, h.length, h.dim,
            h.causal ? "causal" : "not causal");
    if (attention_is_large(&h))
        fprintf(file, "%zu of %zu rows are judged element by element\n", attention_row_count(&h), h.heads * h.length);
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    (void)input;
    attention_answer_word(answer, text, size);
}

/* The sum of the same elements that the answer's word sums up. */
static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    const struct attention_heads h = attention_heads_of(input);
    const uint16_t *o = (const uint16_t *)output->data;
    const size_t rows = h.heads * h.length;
    double total = 0;

    for (size_t row = 0; row < rows; row++) {
        const size_t i = row % h.length, head = row / h.length;

        if (attention_is_large(&h) && ((i != 0 && i != h.length - 1) || (head != 0 && head != h.heads - 1)))
            continue;
        for (size_t c = 0; c < h.dim; c++)
            total += (double)attention_number(o[row * h.dim + c]) *
                     (attention_is_large(&h) && h.heads == 1 ? 2 : 1); /* the first head is the last one, too */
    }
    if (isnan(total))
        snprintf(text, size, "nan");
    else
        snprintf(text, size, "%.9g", total);
}

const struct problem problem_attention = {
    .name = "attention",
    .alias = NULL,
    .input_usage = "Q.bin K.bin V.bin HEADS LENGTH DIM CAUSAL",
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
