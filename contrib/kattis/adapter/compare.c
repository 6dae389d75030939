/*
 * compare.c - texts as words and what is between them.
 */
#include "compare.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_BYTES = 400 }; /* no number that is meant as one is longer */

/* A run of characters of a text. */
struct part {
    const char *text;
    size_t size;
};

/* Where one is in a text. */
struct reader {
    const char *at, *end;
};

/* The characters up to the next one that is space, or is none. */
static struct part next(struct reader *reader, bool space)
{
    struct part part = { reader->at, 0 };

    while (reader->at < reader->end && (isspace((unsigned char)*reader->at) != 0) == space)
        reader->at++;
    part.size = (size_t)(reader->at - part.text);
    return part;
}

static bool number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value);
}

bool adapted_rules_read(struct adapted_rules *rules, size_t count, const char *const *arguments, const char **unknown)
{
    *rules = (struct adapted_rules){ .absolute = -1, .relative = -1 };
    for (size_t i = 0; i < count; i++) {
        const char *name = arguments[i];
        const bool both = strcmp(name, "float_tolerance") == 0;
        double value;

        *unknown = name;
        if (strcmp(name, "case_sensitive") == 0) {
            rules->case_sensitive = true;
        } else if (strcmp(name, "space_change_sensitive") == 0) {
            rules->space_sensitive = true;
        } else if (both || strcmp(name, "float_absolute_tolerance") == 0 ||
                   strcmp(name, "float_relative_tolerance") == 0) {
            if (++i >= count || !number(arguments[i], &value) || value < 0)
                return false;
            if (both || name[6] == 'a')
                rules->absolute = value;
            if (both || name[6] == 'r')
                rules->relative = value;
            rules->floats = true;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_number(struct part part, double *value)
{
    char text[NUMBER_BYTES];

    if (part.size == 0 || part.size >= sizeof text)
        return false;
    memcpy(text, part.text, part.size);
    text[part.size] = '\0';
    return number(text, value);
}

static bool same(const struct adapted_rules *rules, struct part answer, struct part output)
{
    double right, given;

    if (answer.size == output.size && (rules->case_sensitive ? memcmp(answer.text, output.text, answer.size)
                                                             : strncasecmp(answer.text, output.text, answer.size)) == 0)
        return true;
    if (!rules->floats || !is_number(answer, &right) || !is_number(output, &given))
        return false;
    return fabs(given - right) <= rules->absolute || fabs(given - right) <= rules->relative * fabs(right);
}

bool adapted_compare(const struct adapted_rules *rules, const char *answer, size_t answer_size, const char *output,
                     size_t output_size, char *words, size_t size)
{
    struct reader right = { answer, answer + answer_size }, given = { output, output + output_size };

    for (size_t place = 1;; place++) {
        const struct part space = next(&right, true), other_space = next(&given, true);
        const struct part word = next(&right, false), other = next(&given, false);

        if (rules->space_sensitive &&
            (space.size != other_space.size || memcmp(space.text, other_space.text, space.size) != 0)) {
            snprintf(words, size, "wrote other space than the answer has before word %zu", place);
            return false;
        }
        if (word.size == 0 && other.size == 0)
            return true;
        if (!same(rules, word, other)) {
            snprintf(words, size, "wrote '%.*s' as word %zu where '%.*s' is right",
                     (int)(other.size < 60 ? other.size : 60), other.text, place,
                     (int)(word.size < 60 ? word.size : 60), word.text);
            return false;
        }
    }
}

/* The sum is FNV-1a. */
void adapted_word(const char *from, size_t bytes, char *text, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    size_t length = bytes;
    bool plain;

    while (length > 0 && isspace((unsigned char)from[length - 1]))
        length--;
    plain = length > 0 && length < 40;
    for (size_t i = 0; i < length && plain; i++)
        plain = from[i] > ' ' && from[i] <= '~';
    for (size_t i = 0; !plain && i < bytes; i++)
        sum = (sum ^ (unsigned char)from[i]) * UINT64_C(0x100000001b3);
    if (plain)
        snprintf(text, size, "%.*s", (int)length, from);
    else
        snprintf(text, size, "bytes=%zu,sum=%016llx", bytes, (unsigned long long)sum);
}
