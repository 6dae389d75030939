/*
 * outputs.c - right and wrong outputs of the problem adapted, for the tests of check(). Not linked into the host.
 *
 * Whether a changed text is right is the package's own validator's to say, where it has one. So only what no validator
 * sees is spoiled then: an output that is longer than there is room.
 */
#include "problems/outputs.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "verify/base/root.h"

static char *text_of(const struct blob *blob) { return (char *)blob->data + TEXT_OFFSET; }
static uint64_t *size_of(const struct blob *blob) { return (uint64_t *)(void *)blob->data; }

/* Whether imported/ has something of that name: args/STEM, output_validator. */
static bool has(const char *folder, const char *name)
{
    char build[PATH_MAX], root[PATH_MAX], path[PATH_MAX];
    struct error error;

    if (!root_find(build, root, sizeof root, &error))
        return false;
    snprintf(path, sizeof path, "%.3000s/problems/adapted/imported/%s/%.240s", root, folder, name);
    return access(path, F_OK) == 0;
}

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    (void)input;
    if (*size_of(answer) > output->size - TEXT_OFFSET)
        return error_usage(error, "the package's answer is longer than its limit of output");
    memcpy(output->data, answer->data, answer->size);
    return true;
}

/* Whether two texts have the same words, in capitals or not. */
static bool same_words(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t i = 0, k = 0;

    for (;;) {
        while (i < a_size && isspace((unsigned char)a[i]))
            i++;
        while (k < b_size && isspace((unsigned char)b[k]))
            k++;
        if (i == a_size || k == b_size)
            return i == a_size && k == b_size;
        for (; i < a_size && !isspace((unsigned char)a[i]); i++, k++)
            if (k >= b_size || tolower((unsigned char)a[i]) != tolower((unsigned char)b[k]))
                return false;
        if (k < b_size && !isspace((unsigned char)b[k]))
            return false;
    }
}

static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct adapted_input *header = (const void *)input->data;

    (void)answer;
    if (output->size < TEXT_OFFSET || *size_of(output) > output->size - TEXT_OFFSET)
        return false;
    return has("output_validator", "") || has("args", header->stem) ||
           same_words(text_of(right), *size_of(right), text_of(output), *size_of(output));
}

static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    const size_t start = strspn(text_of(output), " \t\r\n");

    (void)input;
    (void)answer;
    if (way == 0)
        *size_of(output) = output->size - TEXT_OFFSET + 1;
    else if (way == 1 && !has("output_validator", "") && start < *size_of(output))
        text_of(output)[start] = '#';
    else
        return false;
    return true;
}

const struct outputs outputs_adapted = { .solve = solve, .spoil = spoil, .also_right = also_right };
