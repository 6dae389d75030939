/*
 * problem.c - the problem matmul: the product of two matrices of float32.
 *
 * Linked into the host. The layout of an input is in input.h, the kinds of matrices in generate.h, the rule that
 * elements are judged by in precision.h, how large outputs are checked in answer.h.
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
#include "verify/base/parallel.h"

/* ------------------------------------------------------------------ limits */

static bool input_alloc(struct blob *input, uint64_t m, uint64_t n, uint64_t k, uint64_t salt, struct error *error)
{
    uint64_t elements = m * k + k * n + m * n; /* of sides up to 2^14: no overflow */

    if (elements > MATMUL_ELEMENTS_MAX)
        return error_usage(error, "A, B and C have %" PRIu64 " elements together: at most %" PRIu64 " are allowed",
                           elements, (uint64_t)MATMUL_ELEMENTS_MAX);
    if (!blob_alloc(input, (size_t)(matmul_b_offset((uint32_t)m, (uint32_t)k) + k * n * sizeof(float)), error))
        return false;
    *(struct matmul_input *)input->data =
        (struct matmul_input){ .m = (uint32_t)m, .n = (uint32_t)n, .k = (uint32_t)k, .salt = salt };
    return true;
}

static bool parse_side(const char *text, const char *what, uint64_t *side, struct error *error)
{
    return parse_number(text, what, 1, MATMUL_SIDE_MAX, side, error);
}

/* ------------------------------------------------------------------ generator */

enum { STREAM_SALT = 100 };

/* KIND M N K [seed=S]. */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { NULL };
    struct random_stream salt = random_stream(key, STREAM_SALT);
    uint64_t m, n, k, high = random_u32(&salt);
    struct matmul_pair pair;
    enum matmul_kind kind;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 4)
        return error_usage(error, "a case needs KIND M N K, not %zu words", arguments->word_count);
    kind = matmul_kind_find(arguments->words[0]);
    if (kind == MATMUL_KIND_COUNT)
        return error_usage(error, "unknown kind of case '%s': use " MATMUL_KINDS, arguments->words[0]);
    if (!parse_side(arguments->words[1], "M", &m, error) || !parse_side(arguments->words[2], "N", &n, error) ||
        !parse_side(arguments->words[3], "K", &k, error) ||
        !input_alloc(input, m, n, k, high << 32 | random_u32(&salt), error))
        return false;
    pair = matmul_pair_of(input);
    if (kind == MATMUL_SPECIAL && matmul_is_large(&pair))
        return error_usage(error, "cases of the kind special have at most 2^30 products and 2^24 elements of C");
    matmul_fill(kind, &pair, key);
    return true;
}

/* ------------------------------------------------------------------ files */

static bool load_matrix(const char *path, size_t rows, size_t columns, float *matrix, struct error *error)
{
    const size_t size = rows * columns * sizeof *matrix;
    struct blob file = { 0 };
    bool ok = blob_read_file(&file, path, MATMUL_ELEMENTS_MAX * sizeof *matrix, error);

    if (ok && file.size != size)
        ok = error_usage(error, "file '%s' has %zu bytes: %zu x %zu numbers of float32 are %zu", path, file.size, rows,
                         columns, size);
    if (ok)
        memcpy(matrix, file.data, size);
    blob_release(&file);
    return ok;
}

/* The largest finite absolute value, and how many rows (by_row) or columns have one that is not finite. */
static float largest(const float *matrix, size_t rows, size_t columns, bool by_row, size_t *special)
{
    bool seen[MATMUL_SIDE_MAX] = { false };
    float most = 0;

    *special = 0;
    for (size_t e = 0; e < rows * columns; e++) {
        const size_t line = by_row ? e / columns : e % columns;

        if (isfinite(matrix[e])) {
            most = fmaxf(most, fabsf(matrix[e]));
        } else {
            *special += !seen[line];
            seen[line] = true;
        }
    }
    return most;
}

/* What generated inputs keep by construction: no sum of finite products overflows, large cases are nearly finite. */
static bool check_values(const struct matmul_pair *pair, char *const *argv, struct error *error)
{
    size_t rows, columns;
    double most = (double)largest(pair->a, pair->m, pair->k, true, &rows) *
                  (double)largest(pair->b, pair->k, pair->n, false, &columns) * (double)pair->k;

    if (most >= 0x1p127)
        return error_usage(error, "the numbers in '%s' and '%s' are too large: K times the largest of each is not "
                                  "below 2^127",
                           argv[0], argv[3]);
    if ((rows > MATMUL_SPECIAL_MAX || columns > MATMUL_SPECIAL_MAX) && matmul_is_large(pair))
        return error_usage(error, "more than %d rows of '%s' or columns of '%s' hold an infinity or NaN, for which "
                                  "these matrices are too large",
                           MATMUL_SPECIAL_MAX, argv[0], argv[3]);
    return true;
}

/* A.bin M K B.bin N: the files are the matrices row by row, float32, little-endian, and nothing else. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    uint64_t m, n, k;
    struct matmul_pair pair;

    (void)answer;
    if (argc != 5)
        return error_usage(error, "A.bin M K B.bin N is needed, not %d arguments", argc);
    if (!parse_side(argv[1], "M", &m, error) || !parse_side(argv[2], "K", &k, error) ||
        !parse_side(argv[4], "N", &n, error) || !input_alloc(input, m, n, k, 0, error))
        return false;
    pair = matmul_pair_of(input);
    return load_matrix(argv[0], pair.m, pair.k, pair.a, error) && load_matrix(argv[3], pair.k, pair.n, pair.b, error) &&
           check_values(&pair, argv, error);
}

/* ------------------------------------------------------------------ answers */

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    struct matmul_pair pair = matmul_pair_of(input);

    return matmul_answer(&pair, matmul_is_large(&pair), false, secret, answer, error);
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    struct matmul_pair pair = matmul_pair_of(input);

    return matmul_answer(&pair, matmul_is_large(&pair), true, secret, answer, error);
}

static double plain_cost(const struct blob *input)
{
    struct matmul_pair pair = matmul_pair_of(input);

    return (double)pair.m * (double)pair.n * (double)pair.k;
}

static size_t output_size(const struct blob *input)
{
    struct matmul_pair pair = matmul_pair_of(input);

    return pair.m * pair.n * sizeof(float);
}

/*
 * An input has 4 bytes an element of A and B. An answer has 16 bytes an element of C where C is small; a large one has,
 * with what is computed on the way, 24 bytes for each group of a row of B and of C, a tenth of a byte an element.
 */
static size_t footprint(const struct blob *input)
{
    struct matmul_pair pair;

    if (!input)
        return 5 * (size_t)MATMUL_ELEMENTS_MAX + 32 * (size_t)MATMUL_LARGE_ELEMENTS;
    pair = matmul_pair_of(input);
    return input->size + matmul_answer_footprint(&pair);
}

/* Steps of k that a thread counts at a time. */
enum { COUNT_STEPS = 256 };

/* What is not 0: in each column of A, each row of B, [k] each. */
struct counting {
    const struct matmul_pair *pair;
    uint32_t in_column[MATMUL_SIDE_MAX], in_row[MATMUL_SIDE_MAX];
};

static void count_steps(void *context, size_t first, size_t end)
{
    struct counting *counting = context;
    const struct matmul_pair *pair = counting->pair;

    for (size_t i = 0; i < pair->m; i++)
        for (size_t k = first; k < end; k++)
            counting->in_column[k] += pair->a[i * pair->k + k] != 0;
    for (size_t k = first; k < end; k++)
        for (size_t j = 0; j < pair->n; j++)
            counting->in_row[k] += pair->b[k * pair->n + j] != 0;
}

/*
 * All of A, B and C cross, and every product of two elements that are not 0 is made and added: two operations. Fast
 * multiplication as Strassen's needs fewer, but cannot keep the precision rule, a bound for each element: whatever
 * keeps one for all inputs makes all products (Miller 1975; Higham, "Accuracy and Stability", 23.2.2). On inputs that
 * are kinder it may pass; the peak in gpu.yaml leaves room for two levels of it.
 */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    struct matmul_pair pair = matmul_pair_of(input);
    struct counting counting = { .pair = &pair };

    (void)answer;
    work->bytes = (double)(pair.m * pair.k + pair.k * pair.n + pair.m * pair.n) * sizeof(float);
    parallel_pieces(pair.k, COUNT_STEPS, count_steps, &counting);
    for (size_t k = 0; k < pair.k; k++)
        work->operations += 2.0 * counting.in_column[k] * counting.in_row[k];
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    struct matmul_pair pair = matmul_pair_of(input);

    return matmul_judge(&pair, answer, (const float *)output->data, finding);
}

/* ------------------------------------------------------------------ words */

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    struct matmul_pair pair = matmul_pair_of(input);
    char word[64];

    matmul_answer_word(answer, word, sizeof word);
    fprintf(file, "answer = %s\nA: %zu x %zu, B: %zu x %zu, C: %zu x %zu\n", word, pair.m, pair.k, pair.k, pair.n,
            pair.m, pair.n);
    fprintf(file, "tolerance = %.4g (root of the products' squares + |C| / 2)%s\n", matmul_roundings(pair.k),
            matmul_is_large(&pair) ? ", by random samples and combinations" : "");
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    (void)input;
    matmul_answer_word(answer, text, size);
}

/* The sum of all elements: to be compared, roughly, with the first half of the answer's word. */
static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    const float *c = (const float *)output->data;
    double total = 0;

    (void)input;
    for (size_t e = 0; e < output->size / sizeof *c; e++)
        total += (double)c[e];
    if (isnan(total))
        snprintf(text, size, "nan");
    else
        snprintf(text, size, "%.9g", total);
}

const struct problem problem_matmul = {
    .name = "matmul",
    .alias = NULL,
    .input_usage = "A.bin M K B.bin N",
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
