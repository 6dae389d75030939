/*
 * problem.c - the problem skeleton: the largest of some numbers. See problems/problem.h for the contract.
 */
#include "problems/problem.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"

static uint32_t count_of(const struct blob *input) { return ((const struct skeleton_input *)input->data)->count; }
static int32_t *values_of(const struct blob *input) { return (int32_t *)(input->data + VALUES_OFFSET); }

static int32_t number_of(const struct blob *blob)
{
    int32_t number;

    memcpy(&number, blob->data, sizeof number);
    return number;
}

static bool input_alloc(struct blob *input, uint64_t count, struct error *error)
{
    if (!blob_alloc(input, VALUES_OFFSET + (size_t)count * sizeof(int32_t), error))
        return false;
    ((struct skeleton_input *)input->data)->count = (uint32_t)count;
    return true;
}

/* KIND COUNT [seed=S], KIND random or negative. */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { NULL };
    struct random_stream stream = random_stream(key, 1);
    bool negative;
    uint64_t count;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 2)
        return error_usage(error, "a case needs KIND COUNT, not %zu words", arguments->word_count);
    negative = strcmp(arguments->words[0], "negative") == 0;
    if (!negative && strcmp(arguments->words[0], "random") != 0)
        return error_usage(error, "unknown kind of case '%s': use random or negative", arguments->words[0]);
    if (!parse_number(arguments->words[1], "COUNT", 1, COUNT_MAX, &count, error) || !input_alloc(input, count, error))
        return false;
    for (uint64_t i = 0; i < count; i++)
        values_of(input)[i] = (int32_t)(random_u32(&stream) | (negative ? 0x80000000u : 0));
    return true;
}

/* FILE: text, whole numbers separated by white space. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct blob text = { 0 };
    uint64_t count = 0;
    bool ok = false;

    (void)answer;
    if (argc != 1)
        return error_usage(error, "FILE is needed, not %d arguments", argc);
    /* The file's zero bytes up to the next BLOB_ALIGNMENT end the text. */
    if (!blob_read_file(&text, argv[0], (size_t)12 * COUNT_MAX, error))
        return false;
    if (text.size % BLOB_ALIGNMENT == 0) {
        error_usage(error, "file '%s' is empty or of an awkward size: add a newline", argv[0]);
        goto out;
    }
    if (!input_alloc(input, text.size / 2 + 1, error))
        goto out;
    for (char *place = (char *)text.data, *end;; place = end) {
        long value = strtol(place, &end, 10);

        if (end == place) {
            if (place[strspn(place, " \t\r\n")] == '\0' && count > 0 && count <= COUNT_MAX)
                break;
            error_usage(error, "file '%s' must have 1 to %d whole numbers and nothing else", argv[0], COUNT_MAX);
            goto out;
        }
        if (value != (int32_t)value) {
            error_usage(error, "file '%s': the number %ld does not fit in 32 bits", argv[0], value);
            goto out;
        }
        values_of(input)[count++] = (int32_t)value;
    }
    ((struct skeleton_input *)input->data)->count = (uint32_t)count;
    input->size = VALUES_OFFSET + (size_t)count * sizeof(int32_t);
    ok = true;
out:
    blob_release(&text);
    return ok;
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    int32_t largest = INT32_MIN;

    (void)secret;
    for (uint32_t i = 0; i < count_of(input); i++)
        if (values_of(input)[i] > largest)
            largest = values_of(input)[i];
    if (!blob_alloc(answer, sizeof largest, error))
        return false;
    memcpy(answer->data, &largest, sizeof largest);
    return true;
}

static int ascending(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

    return (a > b) - (a < b);
}

/* Another way to the same: sort, take the last. */
static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    size_t size = count_of(input) * sizeof(int32_t);
    int32_t *sorted = malloc(size);

    (void)secret;
    if (!sorted || !blob_alloc(answer, sizeof *sorted, error)) {
        free(sorted);
        return error_toolkit(error, "out of memory for the reference answer");
    }
    memcpy(sorted, values_of(input), size);
    qsort(sorted, count_of(input), sizeof *sorted, ascending);
    memcpy(answer->data, &sorted[count_of(input) - 1], sizeof *sorted);
    free(sorted);
    return true;
}

static double plain_cost(const struct blob *input) { return 100.0 * count_of(input); }

static size_t output_size(const struct blob *input)
{
    (void)input;
    return sizeof(int32_t);
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    (void)input;
    if (number_of(answer) == number_of(output))
        return CHECK_RIGHT;
    return found_wrong(finding, REASON_VALUE, "answered %d where %d is right", number_of(output), number_of(answer));
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    fprintf(file, "answer = %d\ncount = %u\n", number_of(answer), count_of(input));
}

static void show(const struct blob *input, const struct blob *number, char *text, size_t size)
{
    (void)input;
    snprintf(text, size, "%d", number_of(number));
}

const struct problem problem_skeleton = {
    .name = "skeleton",
    .alias = NULL,
    .input_usage = "FILE",
    .generate = generate,
    .load = load,
    .reference = reference,
    .reference_plain = reference_plain,
    .plain_cost = plain_cost,
    .output_size = output_size,
    .check = check,
    .describe = describe,
    .show_answer = show,
    .show_output = show,
};
