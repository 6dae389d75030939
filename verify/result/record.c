/*
 * record.c - the record's part of a result.
 */
#include "record.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

bool record_begin(struct record *record, struct error *error)
{
    time_t now = time(NULL);
    struct tm utc;

    if (!gmtime_r(&now, &utc) || strftime(record->date, sizeof record->date, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        return error_toolkit(error, "cannot read the date");
    if (record->options->key && !signing_key_load(&record->key, record->options->key, error))
        return false;
    record->signs = record->options->key != NULL;
    return true;
}

bool record_seeds(struct record *record, const char *problem, const char *league, struct seeds *seeds,
                  struct error *error)
{
    const struct options *options = record->options;

    *seeds = (struct seeds){ .sealed = options->seal != NULL, .seed = options->seal ? 0 : options->seed };
    if (!seeds->sealed)
        return true;
    if (!seal_load(&record->seal, options->seal, error))
        return false;
    seal_judgement(&record->seal, problem, league, options->judgement, seeds->key);
    seal_forget(&record->seal);
    return true;
}

bool record_may_do_without_box(const struct record *record, const char *why, struct error *error)
{
    const struct options *options = record->options;

    if (!options->key && (!options->seal || record->seal.revealed))
        return true;
    if (options->box == BOX_CHOICE_NONE)
        return error_usage(error, "--box none: without a box the submission can read '%s': omit --box none or %s",
                           options->key ? options->key : options->seal, options->key ? "--key" : "--seal");
    return error_toolkit(error, "no box works here (%s), and without a box the submission can read '%s': judge on "
                                "another machine, or omit %s", why, options->key ? options->key : options->seal,
                         options->key ? "--key" : "--seal");
}

bool record_submission(struct record *record, const char *object, const char *source, struct error *error)
{
    struct error unread;

    if (object && !digest_file(object, record->submission, error))
        return false;
    if (!source || digest_source(source, record->source, &unread))
        return true;
    record->source[0] = '\0'; /* --source is a remark where nothing is signed */
    return !record->signs || error_usage(error, "--source: %s", unread.text);
}

json_t *record_inputs_json(char (*inputs)[DIGEST_HEX], size_t count)
{
    json_t *list = inputs ? json_array() : json_null();

    for (size_t i = 0; inputs && i < count; i++)
        json_array_append_new(list, json_string(inputs[i]));
    return list;
}

/* A digest, null for none. */
static json_t *digest_json(const char *hex)
{
    return hex[0] ? json_string(hex) : json_null();
}

/* Text of the command line, null for none or for what is not UTF-8. */
static json_t *word_json(const char *word)
{
    json_t *value = word ? json_string(word) : NULL;

    return value ? value : json_null();
}

/* A limit of the command line, in MiB as there; null for the problem's own. */
static json_t *limit_json(size_t bytes) { return bytes > 0 ? json_integer((json_int_t)(bytes >> 20)) : json_null(); }

/* Which cases were to be judged, so that it can be done again. */
static json_t *asked_json(const struct options *options)
{
    const bool by_group = !options->test_case && !options->generate && options->input_count == 0;

    return json_pack("{s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o}", "group",
                     word_json(by_group ? options->group : NULL), "case", word_json(options->test_case), "generate",
                     word_json(options->generate), "files",
                     options->input_count > 0, "keep_going", options->keep_going, "time_limit",
                     options->time_limit > 0 ? json_real(options->time_limit) : json_null(), "memory_limit",
                     limit_json(options->memory_limit), "device_memory_limit",
                     limit_json(options->device_memory_limit));
}

bool record_finish(const struct record *record, json_t *result, struct error *error)
{
    const struct seal *seal = &record->seal;
    json_t *submission = json_object_get(result, "submission");
    bool ok = json_object_set_new(result, "date", json_string(record->date)) == 0 &&
              json_object_set_new(result, "asked", asked_json(record->options)) == 0 &&
              json_object_set_new(submission, "sha256", digest_json(record->submission)) == 0 &&
              json_object_set_new(submission, "source_sha256", digest_json(record->source)) == 0 &&
              json_object_set_new(result, "seal", record->options->seal && seal->name[0]
                                                      ? json_pack("{s:s, s:s, s:I}", "name", seal->name, "commitment",
                                                                  seal->commitment, "judgement",
                                                                  (json_int_t)record->options->judgement)
                                                      : json_null()) == 0;

    if (ok && record->options->seal)
        ok = json_object_set_new(result, "seed", json_null()) == 0;
    return ok || error_toolkit(error, "out of memory for the result");
}

bool record_sign_form(const struct record *record, json_t *form, struct error *error)
{
    return !record->signs || record_sign(form, &record->key, error);
}
