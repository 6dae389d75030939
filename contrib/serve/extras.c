/*
 * extras.c - what else than a verdict and times there is to tell of a submission: what the simulator says of its
 * kernels in a sample, and the counts of the device that it ran on. What there is not says why.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/grade/store/judgement.h"
#include "server.h"

/* A public record of a step, or NULL. */
static json_t *record_of(struct server *server, int64_t judgement, const char *step, struct error *error)
{
    sqlite3_stmt *row = store_prepare(&server->look, error, "SELECT record FROM steps WHERE judgement = ? AND step = ?",
                                      "is", judgement, step);
    const char *text = store_step(&server->look, row, error) == STORE_ROW ? (const char *)sqlite3_column_text(row, 0)
                                                                          : NULL;
    json_t *record = text ? json_loads(text, 0, NULL) : NULL;

    sqlite3_finalize(row);
    return record;
}

static bool is(const char *text, const char *wanted) { return text && strcmp(text, wanted) == 0; }

static json_t *because(const char *why) { return json_pack("{s:s}", "why", why); }

/* Why a judgement that is over has no report of the simulator. */
static const char *why_unexplained(const struct extras *of)
{
    if (is(of->verdict, "CE"))
        return "it does not compile: nothing ran";
    if (is(of->verdict, "JE"))
        return "the machine or the toolkit failed";
    if (is(of->kind, "gpu"))
        return "it ran on a GPU: the simulator explains submissions only on machines without a GPU";
    if (!is(of->kind, "sim"))
        return "it ran on a CPU: the simulator explains only CUDA kernels";
    return of->explains ? "the simulator ran no sample of it" : "contest.yaml says explain: no";
}

json_t *extras_explanation(struct server *server, const struct extras *of, bool whole, struct error *error)
{
    json_t *record = record_of(server, of->judgement, NAME_EXPLAIN, error);

    if (record && !whole) {
        json_object_del(record, "text");
        json_object_del(record, "report");
    }
    if (!record)
        record = of->verdict ? because(why_unexplained(of)) : json_null();
    return record;
}

json_t *extras_times(const struct extras *of, bool timed, bool ranks_cpu)
{
    if (timed)
        return json_pack("{s:n}", "why");
    if (!of->verdict)
        return json_null();
    if (is(of->verdict, "JE"))
        return because(why_unexplained(of));
    if (!is(of->verdict, "AC"))
        return because("only accepted submissions are timed");
    if (is(of->kind, "sim"))
        return because("it ran on the simulator, whose times say nothing about a GPU");
    if (is(of->kind, "pocl"))
        return because("it ran on a CPU by PoCL, whose times do not rank");
    if (is(of->kind, "cpu") && !ranks_cpu)
        return because("it ran on a CPU, and contest.yaml ranks no CPU times (scoring.rank_cpu)");
    return because("the problem has no case that is timed");
}

/* ------------------------------------------------------------------ counters */

/* The GPU's, of each ranked case that has them. */
static json_t *counters_of_gpu(struct server *server, const struct extras *of, bool whole, struct error *error)
{
    json_t *record = record_of(server, of->judgement, NAME_RANKED, error), *cases = json_array(), *one, *object = NULL;
    size_t i;

    json_array_foreach(json_object_get(record, "cases"), i, one) {
        json_t *counters = json_object_get(one, "gpu_counters");

        if (json_is_object(counters))
            json_array_append_new(cases, json_pack("{s:O, s:O}", "case", json_object_get(one, "name"), "gpu_counters",
                                                   counters));
    }
    if (json_array_size(cases) > 0)
        object = json_pack(whole ? "{s:n, s:s, s:O}" : "{s:n, s:s}", "why", "source", "gpu", "cases", cases);
    else if (!is(of->verdict, "AC"))
        object = because("only accepted submissions are timed, and a GPU's counters are read while they are timed");
    else
        object = because("the judge could read no counters of this GPU");
    json_decref(cases);
    json_decref(record);
    return object;
}

/* The simulator's counts: the kernels of its report, without the notes on single lines. */
static json_t *counters_of_simulator(struct server *server, const struct extras *of, bool whole, struct error *error)
{
    json_t *record = record_of(server, of->judgement, NAME_EXPLAIN, error), *object, *kernel;
    json_t *kernels = json_object_get(json_object_get(record, "report"), "kernels");
    const char *why = json_string_value(json_object_get(record, "why"));
    size_t i;

    json_array_foreach(kernels, i, kernel)
        json_object_del(kernel, "lines");
    if (json_is_array(kernels))
        object = json_pack(whole ? "{s:n, s:s, s:O, s:O}" : "{s:n, s:s, s:O}", "why", "source", "sim", "case",
                           json_object_get(record, "case"), "kernels", kernels);
    else
        object = because(why ? why : why_unexplained(of));
    json_decref(record);
    return object;
}

json_t *extras_counters(struct server *server, const struct extras *of, bool whole, struct error *error)
{
    if (!of->verdict)
        return json_null();
    if (is(of->verdict, "CE") || is(of->verdict, "JE"))
        return because(why_unexplained(of));
    if (is(of->kind, "gpu"))
        return counters_of_gpu(server, of, whole, error);
    if (is(of->kind, "sim"))
        return counters_of_simulator(server, of, whole, error);
    return because("it ran on a CPU, and the judge reads no counters of CPUs");
}
