/*
 * arguments.c - cutting a case line, and whole numbers.
 */
#include "arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arguments_parse(struct arguments *arguments, const char *line, struct error *error)
{
    char *rest, *piece;

    memset(arguments, 0, sizeof *arguments);
    if (strlen(line) >= sizeof arguments->text)
        return error_usage(error, "the case's line is longer than %d characters", ARGUMENTS_TEXT - 1);
    snprintf(arguments->text, sizeof arguments->text, "%s", line);
    for (piece = strtok_r(arguments->text, " \n", &rest); piece; piece = strtok_r(NULL, " \n", &rest)) {
        char *equals = strchr(piece, '=');

        if (arguments->word_count == ARGUMENTS_MAX || arguments->option_count == ARGUMENTS_MAX)
            return error_usage(error, "the case's line has too many parts");
        if (!equals && arguments->option_count > 0)
            return error_usage(error, "the case has the word '%s' after an option: options come last", piece);
        if (equals) {
            *equals = '\0';
            arguments->keys[arguments->option_count] = piece;
            arguments->values[arguments->option_count++] = equals + 1;
        } else {
            arguments->words[arguments->word_count++] = piece;
        }
    }
    return arguments->word_count > 0 || error_usage(error, "the case's line is empty");
}

const char *arguments_option(const struct arguments *arguments, const char *key, const char *fallback)
{
    for (size_t i = 0; i < arguments->option_count; i++)
        if (strcmp(arguments->keys[i], key) == 0)
            return arguments->values[i];
    return fallback;
}

bool arguments_number(const struct arguments *arguments, const char *key, uint64_t fallback, uint64_t low,
                      uint64_t high, uint64_t *number, struct error *error)
{
    const char *text = arguments_option(arguments, key, NULL);

    *number = fallback;
    return !text || parse_number(text, key, low, high, number, error);
}

bool arguments_check(const struct arguments *arguments, const char *const *known, struct error *error)
{
    for (size_t i = 0; i < arguments->option_count; i++) {
        bool found = strcmp(arguments->keys[i], "seed") == 0;

        for (const char *const *k = known; *k && !found; k++)
            found = strcmp(arguments->keys[i], *k) == 0;
        if (!found)
            return error_usage(error, "the case has an unknown option '%s'", arguments->keys[i]);
    }
    return true;
}

bool parse_number(const char *text, const char *what, uint64_t low, uint64_t high, uint64_t *number,
                  struct error *error)
{
    char *end = NULL;

    errno = 0;
    if (*text >= '0' && *text <= '9')
        *number = strtoull(text, &end, 10);
    if (!end || *end != '\0' || errno != 0 || *number < low || *number > high)
        return error_usage(error, "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, what, text, low,
                           high);
    return true;
}
