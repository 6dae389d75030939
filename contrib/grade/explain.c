/*
 * explain.c - the choice of the sample, the run, and what is kept of its report.
 */
#include "explain.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step.h"
#include "verify/base/clock.h"

enum {
    REPORT_KEPT = 256 << 10, /* bytes of a report as JSON; a longer one is left out */
    TEXT_KEPT = 64 << 10,    /* characters of one as text */
    LOG_READ = 512 << 10,
    NOT_RUN = -1,            /* in place of an exit code */
};

/* A submission of the contest's, where contest.yaml has explanations; or one of a program that asked for it. */
static bool is_wanted(const struct grader *grader, const struct job *job)
{
    struct error ignored; /* then there is none */
    int64_t wanted = 0;

    return store_number(grader->store, &ignored, &wanted,
                        "SELECT CASE WHEN wanted IS NULL THEN ? ELSE extra <> '' END FROM submissions WHERE id = ?",
                        "ii", (int64_t)grader->contest->explain, job->submission) && wanted != 0;
}

/* The first case that is not accepted, or else the first. A case outside of sample/ is none that everybody may know. */
static const json_t *choose(const json_t *result)
{
    const json_t *cases = json_object_get(result, "cases"), *chosen = NULL, *one;
    size_t i;

    json_array_foreach(cases, i, one) {
        const char *name = json_string_value(json_object_get(one, "name")),
                   *verdict = json_string_value(json_object_get(one, "verdict"));

        if (!name || !verdict || strncmp(name, "sample/", 7) != 0)
            continue;
        if (strcmp(verdict, "AC") != 0)
            return one;
        if (!chosen)
            chosen = one;
    }
    return chosen;
}

bool explain_is_due(const struct grader *grader, struct job *job)
{
    char path[PATH_MAX];
    json_t *result = json_load_file(step_path(job, "result.json", path, sizeof path), JSON_REJECT_DUPLICATES, NULL);
    const char *kind = json_string_value(json_object_get(json_object_get(result, "device"), "kind"));
    const json_t *chosen = kind && strcmp(kind, "sim") == 0 ? choose(result) : NULL;
    bool late;

    job->explained[0] = '\0';
    job->explain_started = clock_wall();
    if (chosen && is_wanted(grader, job))
        snprintf(job->explained, sizeof job->explained, "%s", json_string_value(json_object_get(chosen, "name")));
    late = chosen && strcmp(json_string_value(json_object_get(chosen, "verdict")), "TLE") == 0;
    if (late) /* its process was ended, and would be again */
        job->explain_code = NOT_RUN;
    json_decref(result);
    return job->explained[0] && !late;
}

bool explain_start(const struct grader *grader, struct job *job, struct error *error)
{
    const double samples_started = job->started;
    char host[PATH_MAX], json[PATH_MAX];
    const char *arguments[20];
    size_t n = 0;
    bool ok;

    snprintf(host, sizeof host, "%s/main_host", grader->build);
    arguments[n++] = host;
    arguments[n++] = job->problem->problem;
    arguments[n++] = "--submission", arguments[n++] = job->object;
    arguments[n++] = "--json", arguments[n++] = step_path(job, "explain.json", json, sizeof json);
    if (job->problem->league)
        arguments[n++] = "--league", arguments[n++] = job->problem->league;
    arguments[n++] = "--require-box", arguments[n++] = grader->contest->require_box;
    if (job->language[0])
        arguments[n++] = "--language", arguments[n++] = job->language;
    arguments[n++] = "--case", arguments[n++] = job->explained;
    arguments[n++] = "--explain";
    arguments[n] = NULL;
    ok = step_start_command(grader, job, arguments, "explain.log", error);
    job->explain_started = job->started;
    job->started = samples_started;
    return ok;
}

/* ------------------------------------------------------------------ what it said */

/* The lines that the host shows of the report: each behind its mark. NULL where there are none. */
static char *text_of(const char *log)
{
    static const char head[] = "what the kernels did in case ", mark[] = "  | ";
    const char *at = strstr(log, head);
    char *text = at ? malloc(strlen(at) + 1) : NULL, *end = text;

    while (text && (at = strchr(at, '\n')) && strncmp(++at, mark, sizeof mark - 1) == 0) {
        const char *line = at + sizeof mark - 1;
        const size_t length = strcspn(line, "\n");

        if ((size_t)(end - text) + length + 1 > TEXT_KEPT)
            break;
        memcpy(end, line, length);
        end += length;
        *end++ = '\n';
    }
    if (text)
        *end = '\0';
    if (text && end > text)
        return text;
    free(text);
    return NULL;
}

/* Why there is no report, as the host says it. */
static void why_of(const char *log, const struct job *job, int code, char *why, size_t size)
{
    static const char sign[] = "the simulator's report of case ";
    const char *line = strstr(log, sign);

    if (code == NOT_RUN)
        snprintf(why, size, "case %s did not end in time, so there is no report of it", job->explained);
    else if (line)
        snprintf(why, size, "%.*s", (int)strcspn(line, "\n"), line);
    else if (code > EXIT_REJECTED)
        snprintf(why, size, "the machine or the toolkit failed while it ran case %s on the simulator", job->explained);
    else
        snprintf(why, size, "case %s ended without a report of the simulator", job->explained);
}

/* The report of the one case, as JSON. NULL, with why in words, where there is none, or it is too long. */
static json_t *report_of(const struct job *job, const char *log, char *why, size_t size)
{
    char path[PATH_MAX];
    json_t *result = json_load_file(step_path(job, "explain.json", path, sizeof path), JSON_REJECT_DUPLICATES, NULL);
    json_t *report = json_incref(json_object_get(json_array_get(json_object_get(result, "cases"), 0), "explain"));

    json_decref(result);
    why[0] = '\0';
    if (!json_is_object(report))
        why_of(log, job, job->explain_code, why, size);
    else if (json_dumpb(report, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(17)) > REPORT_KEPT)
        snprintf(why, size, "the report of case %s is longer than %d KiB: only its text is kept", job->explained,
                 REPORT_KEPT >> 10);
    if (!why[0])
        return report;
    json_decref(report);
    return NULL;
}

bool explain_write(struct store *store, const struct job *job, struct error *error)
{
    char path[PATH_MAX], why[512], *log = step_read_text(step_path(job, "explain.log", path, sizeof path), LOG_READ);
    char *text = log ? text_of(log) : NULL, *record;
    json_t *report = report_of(job, log ? log : "", why, sizeof why);
    json_t *object = json_pack("{s:s, s:s?, s:s?, s:o?}", "case", job->explained, "why", why[0] ? why : NULL, "text",
                               text, "report", report);
    bool ok;

    record = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    ok = (record || error_toolkit(error, "out of memory")) &&
         store_run(store, error,
                   "INSERT OR REPLACE INTO steps (judgement, step, started, ended, exit_code, record, log, public)"
                   " VALUES (?, " SQL(NAME_EXPLAIN) ", ?, ?, ?, ?, '', ?)",
                   "iddiss", job->judgement, job->explain_started, clock_wall(), (int64_t)job->explain_code, record,
                   record);
    free(record);
    free(text);
    free(log);
    json_decref(object);
    return ok;
}
