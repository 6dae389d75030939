/*
 * problem.c - the problem adapted: cases, answers and output validator of a Kattis package (imported/).
 *
 * A case is `file STEM room=BYTES`: its files lie below imported/data. The same case has the same input in every call,
 * for nobody knows how to make another one. What a package's validator accepts is right; where it has none, what the
 * format's default validator accepts (compare.h). Points that a validator gives beside that are not read.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "input.h"
#include "problems/problem.h"
#include "validator.h"
#include "verify/base/root.h"

static const struct adapted_input *header_of(const struct blob *input) { return (const void *)input->data; }
static const char *text_of(const struct blob *blob) { return (const char *)blob->data + TEXT_OFFSET; }
static uint64_t size_of(const struct blob *blob) { return *(const uint64_t *)(const void *)blob->data; }

/* Letters, digits and _ . - in parts between slashes, none of which leads upwards. */
static bool stem_is_plain(const char *stem)
{
    for (const char *c = stem; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.-/", *c))
            return false;
    return stem[0] && stem[0] != '/' && !strstr(stem, "..") &&
           strlen(stem) < sizeof ((struct adapted_input *)0)->stem;
}

/* Reads a file behind a header of TEXT_OFFSET bytes that begins with its size. */
static bool read_text(const char *path, struct blob *blob, struct error *error)
{
    struct blob file = { 0 };
    uint64_t size;

    if (!blob_read_file(&file, path, TEXT_MOST, error))
        return false;
    size = file.size;
    if (!blob_alloc(blob, TEXT_OFFSET + file.size, error)) {
        blob_release(&file);
        return false;
    }
    memcpy(blob->data, &size, sizeof size);
    if (size > 0)
        memcpy(blob->data + TEXT_OFFSET, file.data, size);
    blob_release(&file);
    return true;
}

/* A file of the case, below imported/. */
static bool case_path(const char *folder, const char *stem, const char *suffix, char *path, size_t size,
                      struct error *error)
{
    char build[PATH_MAX], root[PATH_MAX];

    if (!root_find(build, root, sizeof root, error))
        return false;
    snprintf(path, size, "%.3000s/problems/adapted/imported/%s/%.240s%s", root, folder, stem, suffix);
    return true;
}

static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { "room", NULL };
    const char *stem = arguments->word_count == 2 ? arguments->words[1] : "";
    char path[PATH_MAX];
    uint64_t room;

    (void)key;
    if (arguments->word_count != 2 || strcmp(arguments->words[0], "file") != 0 || !stem_is_plain(stem))
        return error_usage(error, "a case is 'file STEM room=BYTES', STEM a case of imported/data without its ending");
    if (!arguments_check(arguments, known, error) ||
        !arguments_number(arguments, "room", 8 << 20, 1, TEXT_MOST, &room, error) ||
        !case_path("data", stem, ".in", path, sizeof path, error) || !read_text(path, input, error))
        return false;
    ((struct adapted_input *)(void *)input->data)->room = room;
    snprintf(((struct adapted_input *)(void *)input->data)->stem, sizeof header_of(input)->stem, "%s", stem);
    return true;
}

static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct arguments arguments;
    char line[ARGUMENTS_TEXT];

    (void)answer;
    if (argc != 1 || !stem_is_plain(argv[0]))
        return error_usage(error, "STEM is needed: a case of imported/data, without its ending, such as sample/1");
    snprintf(line, sizeof line, "file %s", argv[0]);
    return arguments_parse(&arguments, line, error) && generate(&arguments, &(struct random_key){ 0 }, input, error);
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    char path[PATH_MAX];

    (void)secret;
    return case_path("data", header_of(input)->stem, ".ans", path, sizeof path, error) &&
           read_text(path, answer, error);
}

static double plain_cost(const struct blob *input) { return (double)input->size; }

static size_t output_size(const struct blob *input) { return TEXT_OFFSET + header_of(input)->room; }

/* What the package gives to the validator for this case: imported/args/STEM, a line each; or nothing. */
static bool read_arguments(const struct blob *input, struct adapted_arguments *arguments)
{
    struct error error = { 0 };
    char path[PATH_MAX];
    FILE *file;
    size_t size;

    arguments->count = 0;
    if (!case_path("args", header_of(input)->stem, "", path, sizeof path, &error))
        return false;
    file = fopen(path, "re");
    size = file ? fread(arguments->text, 1, sizeof arguments->text - 1, file) : 0;
    if (file)
        fclose(file);
    arguments->text[size] = '\0';
    for (char *at = arguments->text; *at && arguments->count < 64; at++) {
        char *end = strchr(at, '\n');

        arguments->items[arguments->count++] = at;
        if (!end)
            break;
        *end = '\0';
        at = end;
    }
    return true;
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    const uint64_t size = size_of(output);
    struct adapted_arguments arguments;
    struct adapted_rules rules;
    char build[PATH_MAX], root[PATH_MAX], path[PATH_MAX], words[200];
    const char *unknown;
    struct error error = { 0 };

    if (size > output->size - TEXT_OFFSET)
        return found_wrong(finding, REASON_UNWRITTEN, "wrote nothing, or more than %zu bytes",
                           output->size - TEXT_OFFSET);
    if (!root_find(build, root, sizeof root, &error) || !read_arguments(input, &arguments))
        return CHECK_FAILED;
    snprintf(path, sizeof path, "%.3000s/problems/adapted/imported/output_validator", root);
    if (access(path, F_OK) == 0)
        return adapted_validate(root, build, header_of(input)->stem, &arguments, text_of(output), size, finding);
    if (!adapted_rules_read(&rules, arguments.count, arguments.items, &unknown))
        return CHECK_FAILED;
    if (adapted_compare(&rules, text_of(answer), size_of(answer), text_of(output), size, words, sizeof words))
        return CHECK_RIGHT;
    return found_wrong(finding, REASON_VALUE, "%s", words);
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    (void)input;
    adapted_word(text_of(answer), size_of(answer), text, size);
}

static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    const uint64_t bytes = size_of(output);

    (void)input;
    if (bytes > output->size - TEXT_OFFSET)
        snprintf(text, size, "none");
    else
        adapted_word(text_of(output), bytes, text, size);
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    char text[64];

    show_answer(input, answer, text, sizeof text);
    fprintf(file, "answer = %s\nbytes = %llu\n", text, (unsigned long long)header_of(input)->size);
}

const struct problem problem_adapted = {
    .name = "adapted",
    .alias = NULL,
    .input_usage = "STEM",
    .fixed = true,
    .generate = generate,
    .load = load,
    .reference = reference,
    .reference_plain = reference,
    .plain_cost = plain_cost,
    .output_size = output_size,
    .check = check,
    .describe = describe,
    .show_answer = show_answer,
    .show_output = show_output,
};
