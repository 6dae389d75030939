/*
 * result.c - reads main_host's JSON for the converters. It refuses to know the formats.
 */
#include "contrib/autograders/result.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "verify/base/canonical.h"
#include "verify/base/text.h"
#include "verify/judge/reason.h"

enum { NAME_BYTES = 256, MESSAGE_BYTES = 2048, CASES_MOST = 100000, FILE_MOST = 64 << 20 };

/* ------------------------------------------------------------------ text */

static void *checked(void *memory)
{
    if (!memory) {
        fputs("convert: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

char *clean_text(const char *text, size_t limit)
{
    const char *from = text ? text : "";
    char *clean = checked(malloc(limit + sizeof "...")), *to = clean, piece[TEXT_PIECE] = " ";
    uint32_t before = 0;
    size_t length, needed;

    for (; *from; from += length, to += needed) {
        length = needed = 1;
        if (*from == '\n' || *from == '\t' || *from == '\r')
            piece[0] = ' ', before = 0;
        else
            needed = text_piece(piece, from, SIZE_MAX, &before, &length);
        if ((size_t)(to - clean) + needed > limit) {
            memcpy(to, "...", 3);
            to += 3;
            break;
        }
        memcpy(to, piece, needed);
    }
    *to = '\0';
    return clean;
}

/* ------------------------------------------------------------------ JSON */

/* A text of the object, cleaned; "" where it is null or not there. */
static char *text_of(const json_t *object, const char *key, size_t limit)
{
    return clean_text(json_string_value(json_object_get(object, key)), limit);
}

static bool verdict_in(const json_t *object, enum verdict *verdict)
{
    const char *id = json_string_value(json_object_get(object, "verdict"));

    for (int i = 0; id && i < VERDICTS; i++)
        if (strcmp(id, verdict_id((enum verdict)i)) == 0) {
            *verdict = (enum verdict)i;
            return true;
        }
    return false;
}

/*
 * Why, as participants may read it of a secret case: words of the one list of reasons, without the case's name that
 * follows them. "" for any other text, and for what the verdict says already.
 */
static const char *reason_of(const json_t *object, enum verdict verdict)
{
    const char *text = json_string_value(json_object_get(object, "reason"));

    for (int r = REASON_NONE + 1; text && r < REASON_KINDS; r++) {
        const char *words = reason_words((enum reason)r), *end = text + strlen(words);

        if (strncmp(text, words, strlen(words)) == 0 && (*end == '\0' || strncmp(end, " in case ", 9) == 0))
            return strcmp(words, verdict_words(verdict)) == 0 ? "" : words;
    }
    return "";
}

static bool read_case(struct graded_case *c, const json_t *object, size_t *secrets, bool messages, bool full)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    const json_t *median = json_object_get(json_object_get(object, "seconds"), "median");
    char number[64];

    if (!name || !verdict_in(object, &c->verdict))
        return false;
    c->secret = strncmp(name, "sample/", 7) != 0;
    snprintf(number, sizeof number, "secret case %zu", c->secret ? ++*secrets : 0);
    c->name = clean_text(c->secret && !full ? number : name, NAME_BYTES);
    c->message = (c->secret && !full) || !messages ? clean_text(reason_of(object, c->verdict), MESSAGE_BYTES)
                                                   : text_of(object, "message", MESSAGE_BYTES);
    c->seconds = json_number_value(median);
    c->timed = json_is_number(median) && isfinite(c->seconds) && c->seconds >= 0;
    if (!c->timed)
        c->seconds = 0;
    return true;
}

static bool read_cases(struct graded *graded, const json_t *cases, bool messages, bool full)
{
    size_t secrets = 0;

    if (!json_is_array(cases) || json_array_size(cases) > CASES_MOST)
        return false;
    graded->cases = checked(calloc(json_array_size(cases) + 1, sizeof *graded->cases));
    for (size_t i = 0; i < json_array_size(cases); i++) {
        graded->case_count++; /* so that what was read of it is released */
        if (!read_case(&graded->cases[i], json_array_get(cases, i), &secrets, messages, full))
            return false;
    }
    return true;
}

/*
 * What the judging as a whole may say: the compiler's words are the submission's own, a failed sample's are public.
 * Where a secret case failed, the reason of the first case that failed.
 */
static char *message_of(const struct graded *graded, const json_t *root, bool sealed, bool full)
{
    bool secret_failed = sealed;
    const char *reason = "";

    for (size_t i = graded->case_count; i-- > 0;)
        if (graded->cases[i].verdict != VERDICT_AC)
            reason = graded->cases[i].message;
    for (size_t i = 0; i < graded->case_count; i++)
        secret_failed |= graded->cases[i].secret && graded->cases[i].verdict != VERDICT_AC;
    if (full || (graded->case_count == 0 && (graded->verdict == VERDICT_CE || graded->verdict == VERDICT_SV)) ||
        (graded->case_count > 0 && !secret_failed && graded->verdict != VERDICT_JE && graded->verdict != VERDICT_NO))
        return text_of(root, "message", MESSAGE_BYTES);
    return clean_text(secret_failed ? reason : "", MESSAGE_BYTES);
}

/* The last part of a path, for the folders before it are the judging machine's. */
static char *file_name(const char *path)
{
    char *name, *copy = checked(strdup(path ? path : "")), *slash;

    while ((slash = strrchr(copy, '/')) && slash[1] == '\0' && slash > copy)
        *slash = '\0';
    name = clean_text(slash ? slash + 1 : copy, NAME_BYTES);
    free(copy);
    return name;
}

static bool read_root(struct graded *graded, const json_t *root, bool full)
{
    const json_t *device = json_object_get(root, "device");
    const char *kind = json_string_value(json_object_get(device, "kind"));
    const json_int_t left_out = json_integer_value(json_object_get(root, "left_out"));
    const json_t *seal = json_object_get(root, "seal");
    const bool sealed = seal && !json_is_null(seal); /* then what the samples were is secret as well */

    if (json_integer_value(json_object_get(root, "format")) != 1 || !verdict_in(root, &graded->verdict) ||
        !read_cases(graded, json_object_get(root, "cases"), !sealed || full, full))
        return false;
    graded->problem = text_of(root, "problem", NAME_BYTES);
    graded->league = text_of(root, "league", NAME_BYTES);
    graded->date = text_of(root, "date", NAME_BYTES);
    graded->source = file_name(json_string_value(json_object_get(json_object_get(root, "submission"), "source")));
    graded->version = text_of(json_object_get(root, "toolkit"), "version", NAME_BYTES);
    graded->device = text_of(device, "name", NAME_BYTES);
    graded->simulated = kind && strcmp(kind, "sim") == 0;
    graded->review = json_is_true(json_object_get(root, "review"));
    graded->keep_going = json_is_true(json_object_get(json_object_get(root, "asked"), "keep_going"));
    graded->left_out = left_out > 0 ? (size_t)left_out : 0;
    graded->message = message_of(graded, root, sealed, full);
    return true;
}

/*
 * A line of the batch client (docs/formats/batches.md): what a contest's server reports about one submission. It has no
 * cases, so the judging counts as one. The server has reported nothing secret.
 */
static bool read_line(struct graded *graded, const json_t *root)
{
    const char *kind = json_string_value(json_object_get(root, "device_kind"));
    const json_t *seconds = json_object_get(root, "seconds");
    struct graded_case *judging;

    if (!verdict_in(root, &graded->verdict))
        return false;
    graded->problem = text_of(root, "problem", NAME_BYTES);
    graded->league = clean_text("", NAME_BYTES);
    graded->date = clean_text("", NAME_BYTES);
    graded->source = file_name(json_string_value(json_object_get(root, "file")));
    graded->version = clean_text("", NAME_BYTES);
    graded->device = text_of(root, "device", NAME_BYTES);
    graded->simulated = kind && strcmp(kind, "sim") == 0;
    graded->keep_going = true;
    graded->message = text_of(root, "message", MESSAGE_BYTES);
    graded->cases = judging = checked(calloc(1, sizeof *graded->cases));
    graded->case_count = 1;
    judging->name = clean_text("judging", NAME_BYTES);
    judging->verdict = graded->verdict;
    judging->message = text_of(root, "message", MESSAGE_BYTES);
    judging->seconds = json_number_value(seconds);
    judging->timed = json_is_number(seconds) && isfinite(judging->seconds) && judging->seconds > 0;
    if (!judging->timed)
        judging->seconds = 0;
    return true;
}

bool graded_read(struct graded *graded, const char *path, bool full, struct error *error)
{
    struct stat status;
    struct error why;
    json_t *root;
    bool ok;

    *graded = (struct graded){ 0 };
    if (stat(path, &status) != 0)
        return error_usage(error, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_MOST)
        return error_usage(error, "'%s' is not a file, or it is larger than 64 MiB", path);
    if (status.st_size == 0)
        return error_usage(error, "'%s' is empty: it is not JSON from main_host", path);
    root = canonical_read_file(path, &why);
    if (!root)
        return error_usage(error, "%s: it is not JSON from main_host", why.text);
    ok = json_is_string(json_object_get(root, "batch")) ? read_line(graded, root) : read_root(graded, root, full);
    ok = ok || error_usage(error, "'%s' is not a result of main_host", path);
    json_decref(root);
    if (!ok)
        graded_release(graded);
    return ok;
}

void graded_release(struct graded *graded)
{
    for (size_t i = 0; i < graded->case_count; i++) {
        free(graded->cases[i].name);
        free(graded->cases[i].message);
    }
    free(graded->cases);
    free(graded->problem);
    free(graded->league);
    free(graded->source);
    free(graded->date);
    free(graded->version);
    free(graded->device);
    free(graded->message);
    *graded = (struct graded){ 0 };
}

/* ------------------------------------------------------------------ sums */

size_t graded_accepted(const struct graded *graded)
{
    size_t count = 0;

    for (size_t i = 0; i < graded->case_count; i++)
        count += graded->cases[i].verdict == VERDICT_AC;
    return count;
}

double graded_seconds(const struct graded *graded)
{
    double sum = 0;

    for (size_t i = 0; i < graded->case_count; i++)
        sum += graded->cases[i].seconds;
    return sum;
}
