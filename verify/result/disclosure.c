/*
 * disclosure.c - the table of a result's fields, and a copy of a result by it.
 */
#include "disclosure.h"

#include <stdio.h>
#include <string.h>

enum field { FIELD_SECRET, FIELD_ACCEPTED, FIELD_PUBLIC };

/*
 * Every field, by its path. FIELD_ACCEPTED: public where the case, or above the cases the whole, is accepted. A secret
 * object or array is so with all that is in it. tests/136-secrets.bats compares this list with real results.
 */
static const struct {
    const char *path;
    enum field field;
} fields[] = {
    { "format", FIELD_PUBLIC },
    { "withheld", FIELD_PUBLIC },
    { "toolkit.version", FIELD_PUBLIC },
    { "toolkit.frozen", FIELD_PUBLIC },
    { "toolkit.compiler", FIELD_PUBLIC },
    { "problem", FIELD_PUBLIC },
    { "submission.file", FIELD_PUBLIC },
    { "submission.source", FIELD_PUBLIC },
    { "submission.sha256", FIELD_PUBLIC },
    { "submission.source_sha256", FIELD_PUBLIC },
    { "submission.language", FIELD_PUBLIC },
    { "submission.cuda_library", FIELD_PUBLIC },
    { "verdict", FIELD_PUBLIC },
    { "reason", FIELD_PUBLIC },
    { "message", FIELD_SECRET },
    { "league", FIELD_PUBLIC },
    { "date", FIELD_PUBLIC },
    { "seed", FIELD_PUBLIC },
    { "seal.name", FIELD_PUBLIC },
    { "seal.commitment", FIELD_PUBLIC },
    { "seal.judgement", FIELD_PUBLIC },
    { "asked.group", FIELD_PUBLIC },
    { "asked.case", FIELD_PUBLIC },
    { "asked.generate", FIELD_PUBLIC },
    { "asked.files", FIELD_PUBLIC },
    { "asked.keep_going", FIELD_PUBLIC },
    { "asked.time_limit", FIELD_PUBLIC },
    { "asked.memory_limit", FIELD_PUBLIC },
    { "asked.device_memory_limit", FIELD_PUBLIC },
    { "check_seed", FIELD_PUBLIC },
    { "repeat", FIELD_PUBLIC },
    { "ranked", FIELD_PUBLIC },
    { "hastened", FIELD_PUBLIC },
    { "left_out", FIELD_PUBLIC },
    { "review", FIELD_PUBLIC },
    { "box", FIELD_PUBLIC },
    { "box_layers[]", FIELD_PUBLIC },
    { "box_lacks", FIELD_PUBLIC },
    { "device.kind", FIELD_PUBLIC },
    { "device.name", FIELD_PUBLIC },
    { "device.uuid", FIELD_PUBLIC },
    { "device.driver", FIELD_PUBLIC },
    { "device.simulator[]", FIELD_PUBLIC },
    { "device.before.sm_megahertz", FIELD_PUBLIC },
    { "device.before.memory_megahertz", FIELD_PUBLIC },
    { "device.before.celsius", FIELD_PUBLIC },
    { "device.before.slowed_by", FIELD_PUBLIC },
    { "device.before.memory_used", FIELD_PUBLIC },
    { "device.before.processes", FIELD_PUBLIC },
    { "device.before.pids[]", FIELD_PUBLIC },
    { "device.after.sm_megahertz", FIELD_ACCEPTED },
    { "device.after.memory_megahertz", FIELD_ACCEPTED },
    { "device.after.celsius", FIELD_ACCEPTED },
    { "device.after.slowed_by", FIELD_ACCEPTED },
    { "device.after.memory_used", FIELD_ACCEPTED },
    { "device.after.processes", FIELD_ACCEPTED },
    { "device.after.pids[]", FIELD_ACCEPTED },
    { "cases[].name", FIELD_PUBLIC },
    { "cases[].verdict", FIELD_PUBLIC },
    { "cases[].reason", FIELD_PUBLIC },
    { "cases[].message", FIELD_SECRET },
    { "cases[].answer", FIELD_SECRET },
    { "cases[].output", FIELD_SECRET },
    { "cases[].start_seconds", FIELD_SECRET },
    { "cases[].end_seconds", FIELD_SECRET },
    { "cases[].time_limit", FIELD_PUBLIC },
    { "cases[].calls", FIELD_PUBLIC },
    { "cases[].printed_bytes", FIELD_SECRET },
    { "cases[].memory_limit", FIELD_PUBLIC },
    { "cases[].memory_peak", FIELD_SECRET },
    { "cases[].device_memory_limit", FIELD_PUBLIC },
    { "cases[].device_memory_peak", FIELD_SECRET },
    { "cases[].seconds.min", FIELD_ACCEPTED },
    { "cases[].seconds.q1", FIELD_ACCEPTED },
    { "cases[].seconds.median", FIELD_ACCEPTED },
    { "cases[].seconds.q3", FIELD_ACCEPTED },
    { "cases[].seconds.max", FIELD_ACCEPTED },
    { "cases[].interval.low", FIELD_ACCEPTED },
    { "cases[].interval.high", FIELD_ACCEPTED },
    { "cases[].interval.coverage", FIELD_ACCEPTED },
    { "cases[].overhead.min", FIELD_ACCEPTED },
    { "cases[].overhead.q1", FIELD_ACCEPTED },
    { "cases[].overhead.median", FIELD_ACCEPTED },
    { "cases[].overhead.q3", FIELD_ACCEPTED },
    { "cases[].overhead.max", FIELD_ACCEPTED },
    { "cases[].net_seconds", FIELD_ACCEPTED },
    { "cases[].throughput.calls", FIELD_ACCEPTED },
    { "cases[].throughput.series", FIELD_ACCEPTED },
    { "cases[].throughput.seconds.min", FIELD_ACCEPTED },
    { "cases[].throughput.seconds.q1", FIELD_ACCEPTED },
    { "cases[].throughput.seconds.median", FIELD_ACCEPTED },
    { "cases[].throughput.seconds.q3", FIELD_ACCEPTED },
    { "cases[].throughput.seconds.max", FIELD_ACCEPTED },
    { "cases[].disturbed", FIELD_ACCEPTED },
    { "cases[].steady", FIELD_ACCEPTED },
    { "cases[].used_gpu", FIELD_ACCEPTED },
    { "cases[].floor_seconds", FIELD_SECRET }, /* made of the answer */
    { "cases[].faster_than_possible", FIELD_PUBLIC },
    { "cases[].samples[]", FIELD_ACCEPTED },
    { "cases[].inputs[]", FIELD_PUBLIC },
    { "cases[].explain", FIELD_SECRET },
    { "cases[].parts[].total", FIELD_ACCEPTED },
    { "cases[].parts[].release", FIELD_SECRET }, /* the submission's process says so: this, and the next three */
    { "cases[].parts[].map", FIELD_SECRET },
    { "cases[].parts[].call", FIELD_SECRET },
    { "cases[].parts[].done", FIELD_SECRET },
    { "cases[].parts[].sm_megahertz", FIELD_ACCEPTED },
    { "cases[].parts[].slowed_by", FIELD_ACCEPTED },
    { "cases[].gpu_counters.seconds", FIELD_ACCEPTED },
    { "cases[].gpu_counters.call_seconds", FIELD_ACCEPTED },
    { "cases[].gpu_counters.busy", FIELD_ACCEPTED },
    { "cases[].gpu_counters.sm", FIELD_ACCEPTED },
    { "cases[].gpu_counters.occupancy", FIELD_ACCEPTED },
    { "cases[].gpu_counters.integer", FIELD_ACCEPTED },
    { "cases[].gpu_counters.tensor", FIELD_ACCEPTED },
    { "cases[].gpu_counters.fp64", FIELD_ACCEPTED },
    { "cases[].gpu_counters.fp32", FIELD_ACCEPTED },
    { "cases[].gpu_counters.fp16", FIELD_ACCEPTED },
    { "cases[].gpu_counters.memory", FIELD_ACCEPTED },
    { "cases[].gpu_counters.tensor_seconds", FIELD_ACCEPTED },
};

bool disclosure_is_secret(const char *test_case, bool sealed)
{
    static const char samples[] = "sample/";

    return sealed || !test_case || strncmp(test_case, samples, sizeof samples - 1) != 0;
}

void disclosure_words(enum verdict verdict, enum reason reason, const char *test_case, size_t call, char *text,
                      size_t size)
{
    char which[32] = "";

    if (call > 0)
        snprintf(which, sizeof which, ", call %zu", call);
    if (verdict == VERDICT_AC)
        snprintf(text, size, "%s", "");
    else
        snprintf(text, size, "%s in case %s%s", reason == REASON_NONE ? verdict_words(verdict) : reason_words(reason),
                 test_case, which);
}

/* ------------------------------------------------------------------ the copy */

enum { PATH_SIZE = 160 };

static bool is_public(const char *path, bool accepted)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].path, path) == 0)
            return fields[i].field == FIELD_PUBLIC || (fields[i].field == FIELD_ACCEPTED && accepted);
    return false;
}

static json_t *copy(const json_t *value, const char *path, bool accepted);

/* The members that are public; null where none is. */
static json_t *copy_object(const json_t *value, const char *path, bool accepted)
{
    json_t *result = json_object(), *member;
    char inner[PATH_SIZE];
    const char *key;
    bool any = false;

    json_object_foreach((json_t *)value, key, member)
    {
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] ? "." : "", key);
        member = copy(member, inner, accepted);
        any = any || !json_is_null(member);
        json_object_set_new(result, key, member);
    }
    if (any)
        return result;
    json_decref(result);
    return json_null();
}

/* Of a value, by its path, what is public; null for nothing, and of an array not even how many there are. */
static json_t *copy(const json_t *value, const char *path, bool accepted)
{
    char inner[PATH_SIZE];
    json_t *result, *member;
    size_t i;

    if (json_is_object(value))
        return copy_object(value, path, accepted);
    if (!json_is_array(value))
        return is_public(path, accepted) ? json_deep_copy(value) : json_null();
    result = json_array();
    snprintf(inner, sizeof inner, "%s[]", path);
    json_array_foreach(value, i, member)
    {
        member = copy(member, inner, accepted);
        if (json_is_null(member))
            json_decref(member);
        else
            json_array_append_new(result, member);
    }
    return result;
}

static bool is_accepted(const json_t *object)
{
    const char *verdict = json_string_value(json_object_get(object, "verdict"));

    return verdict && strcmp(verdict, verdict_id(VERDICT_AC)) == 0;
}

/* Readers of `message` get the reason in its place. */
static void put_reason(json_t *object)
{
    json_object_set(object, "message", json_object_get(object, "reason"));
}

static json_t *copy_case(const json_t *test_case, bool sealed, bool *withheld)
{
    json_t *result;

    if (!disclosure_is_secret(json_string_value(json_object_get(test_case, "name")), sealed))
        return json_deep_copy(test_case);
    *withheld = true;
    result = copy(test_case, "cases[]", is_accepted(test_case));
    put_reason(result);
    return result;
}

json_t *disclosure_public(const json_t *result)
{
    const bool sealed = json_is_object(json_object_get(result, "seal"));
    json_t *cases = json_object_get(result, "cases"), *test_case, *copies = json_array(), *object;
    bool withheld = false;
    size_t i;

    json_array_foreach(cases, i, test_case)
        json_array_append_new(copies, copy_case(test_case, sealed, &withheld));
    object = withheld ? copy(result, "", is_accepted(result)) : json_deep_copy(result);
    if (!object || !copies)
        return json_decref(object), json_decref(copies), NULL;
    if (withheld) {
        put_reason(object);
        json_object_set_new(object, "withheld", json_true());
    }
    json_object_set_new(object, "cases", copies);
    return object;
}
