/*
 * problem.c - the problem scan: inclusive prefix sums of uint32, uint64 and float32, plain or segmented.
 *
 * Linked into the host. The layout of an input is in input.h, the kinds of cases in cases.h, the exact sums in sums.h,
 * the rule that float32 is judged by in precision.h, right and wrong outputs for the tests in outputs.c.
 */
#include "problems/problem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cases.h"
#include "input.h"
#include "judge.h"
#include "list.h"
#include "sums.h"

static const char *const type_names[] = { "uint32", "uint64", "float32" };
enum { TYPES = 3 };

/* ------------------------------------------------------------------ inputs */

static bool input_alloc(struct blob *input, size_t count, uint32_t type, bool segmented, struct error *error)
{
    if (!blob_alloc(input, scan_input_size(count, type, segmented), error))
        return false;
    *(struct scan_input *)input->data = (struct scan_input){ .count = count, .type = type, .segmented = segmented };
    return true;
}

static bool parse_type(const char *word, uint32_t *type, struct error *error)
{
    for (*type = 0; *type < TYPES; ++*type)
        if (strcmp(word, type_names[*type]) == 0)
            return true;
    return error_usage(error, "unknown type '%s': use uint32, uint64 or float32", word);
}

/* KIND TYPE N [mean=L] [seed=S] */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { "mean", NULL };
    struct scan_case c = { .kind = NULL };

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 3)
        return error_usage(error, "a case needs KIND TYPE N, not %zu words", arguments->word_count);
    c.kind = arguments->words[0];
    if (!parse_type(arguments->words[1], &c.type, error) ||
        !parse_number(arguments->words[2], "N", 1, SCAN_COUNT_MAX, &c.count, error) ||
        !arguments_number(arguments, "mean", 0, 1, SCAN_COUNT_MAX, &c.mean, error) ||
        !input_alloc(input, c.count, c.type, c.mean > 0, error))
        return false;
    if (!scan_make(&c, key, input->data + SCAN_HEADER, input->data + scan_starts_offset(c.count, c.type)))
        return error_usage(error, "unknown kind of case '%s': use " SCAN_KINDS, c.kind);
    return true;
}

/* What the exact sums need: see input.h. */
static bool check_floats(const float *values, size_t count, const char *path, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const float size = fabsf(values[i]);

        if (size != 0 && !(size >= ldexpf(1, SCAN_EXPONENT_MIN) && size < ldexpf(1, SCAN_EXPONENT_END)))
            return error_usage(error, "number %zu of '%.240s' is %g: 0, or from 2^%d up to 2^%d is needed", i, path,
                               (double)values[i], SCAN_EXPONENT_MIN, SCAN_EXPONENT_END);
    }
    return true;
}

/* The values and starts of an input from the bytes of two files; `starts` is empty for none. */
static bool take_files(const struct blob *values, const struct blob *starts, uint32_t type, char *const *argv,
                       struct blob *input, struct error *error)
{
    const size_t width = scan_width(type), count = values->size / width;

    if (values->size == 0 || values->size % width != 0)
        return error_usage(error, "file '%.240s' has %zu bytes: a multiple of %zu, and more than 0, is needed", argv[1],
                           values->size, width);
    if (starts->size > 0 && starts->size != count)
        return error_usage(error, "file '%.240s' has %zu bytes: %zu are needed, one for each number", argv[2],
                           starts->size, count);
    for (size_t i = 0; i < starts->size; i++)
        if (starts->data[i] > 1)
            return error_usage(error, "byte %zu of '%.240s' is %d: 0 or 1 is needed", i, argv[2], starts->data[i]);
    if (!input_alloc(input, count, type, starts->size > 0, error))
        return false;
    memcpy(input->data + SCAN_HEADER, values->data, values->size);
    if (starts->size > 0)
        memcpy(input->data + scan_starts_offset(count, type), starts->data, starts->size);
    return type != SCAN_FLOAT32 || check_floats((const float *)(input->data + SCAN_HEADER), count, argv[1], error);
}

/* TYPE FILE [STARTS]: raw little-endian numbers; and a byte 0 or 1 for each. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct blob values = { 0 }, starts = { 0 };
    uint32_t type;
    bool ok;

    (void)answer;
    if (argc != 2 && argc != 3)
        return error_usage(error, "TYPE FILE [STARTS] is needed, not %d arguments", argc);
    ok = parse_type(argv[0], &type, error) &&
         blob_read_file(&values, argv[1], (size_t)SCAN_COUNT_MAX * scan_width(type), error) &&
         (argc == 2 || blob_read_file(&starts, argv[2], SCAN_COUNT_MAX, error));
    if (ok && argc == 3 && starts.size == 0)
        ok = error_usage(error, "file '%.240s' has 0 bytes: one for each number is needed", argv[2]);
    ok = ok && take_files(&values, &starts, type, argv, input, error);
    blob_release(&values);
    blob_release(&starts);
    return ok;
}

/* ------------------------------------------------------------------ answers */

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    const struct scan_list list = scan_list_of(input);

    (void)secret;
    if (!blob_alloc(answer, scan_answer_size(list.count), error))
        return false;
    return scan_sums(&list, (struct scan_answer *)answer->data) ||
           error_toolkit(error, "out of memory for the reference answer");
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    const struct scan_list list = scan_list_of(input);

    (void)secret;
    if (!blob_alloc(answer, scan_answer_size(list.count), error))
        return false;
    scan_sums_plain(&list, (struct scan_answer *)answer->data);
    return true;
}

/* An addition in binary128 takes some fifty operations. */
static double plain_cost(const struct blob *input)
{
    const struct scan_input *header = scan_header_of(input);

    return (double)header->count * (header->type == SCAN_FLOAT32 ? 200 : 5);
}

static size_t output_size(const struct blob *input)
{
    const struct scan_input *header = scan_header_of(input);

    return header->count * scan_width(header->type);
}

/* An answer, and the chunks that it is made of: at most 256 bytes a chunk together. */
static size_t footprint(const struct blob *input)
{
    const size_t size = input ? input->size : scan_input_size(SCAN_COUNT_MAX, SCAN_UINT64, 1);

    return size + 256 * (scan_chunks(input ? scan_header_of(input)->count : SCAN_COUNT_MAX) + 1);
}

/* Every number comes and every sum goes, and so do the starts; each number is added once. */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    const struct scan_input *header = scan_header_of(input);
    const double count = (double)header->count;

    (void)answer;
    work->bytes = count * (2 * (double)scan_width(header->type) + (header->segmented ? 1 : 0));
    work->operations = count;
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    const struct scan_list list = scan_list_of(input);

    return scan_judge(&list, (const struct scan_answer *)answer->data, output->data, finding);
}

/* ------------------------------------------------------------------ words */

/* Up to 63 characters: of integers the last sum and a hash of all, of float32 the last and the largest one. */
static void show(const struct scan_input *header, uint64_t last, uint64_t hash, double real, double largest, char *text,
                 size_t size)
{
    if (header->type == SCAN_FLOAT32)
        snprintf(text, size, "n=%" PRIu64 ",last=%.9g,largest=%.9g", header->count, real, largest);
    else
        snprintf(text, size, "n=%" PRIu64 ",last=%" PRIu64 ",hash=%016" PRIx64, header->count, last, hash);
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    const struct scan_answer *a = (const struct scan_answer *)answer->data;

    show(scan_header_of(input), a->last, a->hash, a->real, a->largest, text, size);
}

static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    const struct scan_input *header = scan_header_of(input);
    uint64_t last = 0, hash = 0;
    double real = 0, largest = 0;

    for (size_t i = 0; i < header->count; i++) {
        if (header->type == SCAN_FLOAT32) {
            real = (double)((const float *)output->data)[i];
            largest = fabs(real) > largest || isnan(real) ? fabs(real) : largest;
        } else {
            last = header->type == SCAN_UINT32 ? ((const uint32_t *)output->data)[i]
                                               : ((const uint64_t *)output->data)[i];
            hash += scan_hash(last, i);
        }
    }
    show(header, last, hash, real, largest, text, size);
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    const struct scan_input *header = scan_header_of(input);
    char text[64];

    show_answer(input, answer, text, sizeof text);
    fprintf(file, "answer = %s\ncount = %" PRIu64 " numbers of %s%s\n", text, header->count, type_names[header->type],
            header->segmented ? ", segmented" : "");
}

const struct problem problem_scan = {
    .name = "scan",
    .alias = NULL,
    .input_usage = "TYPE FILE [STARTS]",
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
