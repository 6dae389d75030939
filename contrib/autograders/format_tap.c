/*
 * format_tap.c - TAP, the Test Anything Protocol, version 13 or 14: a test point a case, with a YAML block of its times
 * and, where it failed, of why. It says "Bail out!" where the toolkit failed.
 *
 * The two differ here in one thing, how a description holds a #. Before version 3.48 Perl's prove refuses version 14.
 */
#include "contrib/autograders/format.h"

#include <jansson.h>
#include <stdlib.h>

/*
 * A description: # would begin a directive. Version 14 has \ as an escape; version 13 has none, and a number sign of
 * full width, U+FF03, takes its place.
 */
static void description(FILE *file, const char *text, int version)
{
    for (; *text; text++) {
        if (*text == '#' && version == 13) {
            fputs("\xef\xbc\x83", file);
            continue;
        }
        if (version == 14 && (*text == '#' || *text == '\\'))
            fputc('\\', file);
        fputc(*text, file);
    }
}

/* A line of the YAML block: a JSON string is a double-quoted YAML scalar. */
static bool yaml(FILE *file, const char *key, const char *text)
{
    json_t *value = json_string(text);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

    if (dumped && text[0])
        fprintf(file, "  %s: %s\n", key, dumped);
    json_decref(value);
    free(dumped);
    return dumped != NULL;
}

static bool point(FILE *file, size_t number, const struct graded *graded, const struct graded_case *c,
                  const struct format_options *options)
{
    bool ok;

    fprintf(file, "%s %zu - ", c->verdict == VERDICT_AC ? "ok" : "not ok", number);
    if (options->title[0]) {
        description(file, options->title, options->tap_version);
        fputs(": ", file);
    }
    description(file, graded->problem, options->tap_version);
    fputc(' ', file);
    description(file, c->name, options->tap_version);
    fputs("\n  ---\n", file);
    ok = yaml(file, "verdict", verdict_id(c->verdict)) && yaml(file, "words", verdict_words(c->verdict)) &&
         yaml(file, "message", c->message) && yaml(file, "league", graded->league) &&
         yaml(file, "device", graded->device);
    if (c->timed)
        fprintf(file, "  duration_ms: %.6f\n", c->seconds * 1e3);
    if (graded->simulated)
        fputs("  simulated: true\n", file);
    fputs("  ...\n", file);
    return ok;
}

bool format_tap(FILE *file, const struct graded *results, size_t count, const struct format_options *options,
                struct error *error)
{
    size_t planned = 0, number = 0;

    for (size_t i = 0; i < count; i++)
        planned += results[i].case_count ? results[i].case_count : 1;
    fprintf(file, "TAP version %d\n1..%zu\n", options->tap_version, planned);
    for (size_t i = 0; i < count; i++) {
        const struct graded *graded = &results[i];
        const struct graded_case judging = { .name = "judging", .verdict = graded->verdict,
                                             .message = graded->message };

        if (graded->left_out)
            fprintf(file, "# %zu cases need a GPU and were skipped\n", graded->left_out);
        for (size_t k = 0; k < (graded->case_count ? graded->case_count : 1); k++)
            if (!point(file, ++number, graded, graded->case_count ? &graded->cases[k] : &judging, options))
                return error_toolkit(error, "out of memory");
        if (graded->verdict == VERDICT_JE) {
            fputs("Bail out! the toolkit or the machine failed\n", file);
            break;
        }
    }
    return !ferror(file) || error_system(error, "cannot write the TAP");
}
