/*
 * report.c - words and JSON.
 */
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disclosure.h"
#include "verify/base/stats.h"
#include "verify/base/text.h"
#include "verify/cases/frozen.h"
#include "toolkit.h"

/* ------------------------------------------------------------------ people */

enum { MESSAGE_SIZE = sizeof ((struct result *)NULL)->message };

/* Of the times of its calls; *interval that of the median, all zero without memory. */
static struct stats stats_of_case(const struct case_result *result, struct interval *interval)
{
    double *samples = calloc(result->timed + 1, sizeof *samples);
    struct stats stats = { 0 };

    *interval = (struct interval){ 0 };
    if (!samples)
        return stats;
    for (size_t i = 0; i < result->timed; i++)
        samples[i] = result->times[i].total;
    stats = stats_of(samples, result->timed);
    *interval = stats_interval(samples, result->timed, STATS_COVERAGE);
    free(samples);
    return stats;
}

void report_surroundings(FILE *notes, const struct result *result, const char *no_gpu)
{
    const char *lacks = result->box_lacks;

    if (strcmp(result->box, box_level_name(BOX_NONE)) == 0)
        fprintf(notes, "main_host: box: none (--box none): run only code that you trust\n");
    else
        fprintf(notes, "main_host: box: %s%s%s%s%s\n", result->box, lacks ? " (no " : "",
                !lacks ? "" : strcmp(result->box, box_level_name(BOX_LANDLOCK)) == 0 ? "namespaces: " : "cgroup: ",
                lacks ? lacks : "", lacks ? ")" : "");
    if (no_gpu && result->simulated)
        fprintf(notes, "main_host: no usable NVIDIA GPU (%s): the CUDA submission runs on the simulator; times are "
                       "simulated and not ranked\n", no_gpu);
    else if (no_gpu)
        fprintf(notes, "main_host: no usable NVIDIA GPU (%s): the OpenCL submission runs on the CPU, by PoCL; its "
                       "times are not ranked\n", no_gpu);
}

/* Advice. Shares of the time that calls took, by what was counted in the windows that they lie in. */
static void report_counters(FILE *file, const struct gpm_use *counted)
{
    static const enum gpm_share shown[] = { GPM_FP32, GPM_FP64, GPM_FP16, GPM_TENSOR, GPM_INTEGER, GPM_MEMORY };
    const double scale = counted->calls > 0 ? counted->seconds / counted->calls : 0;

    fputs("GPU counters:", file);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        const double share = counted->percent[shown[i]] * scale;

        if (share >= 0)
            fprintf(file, "%s %s %.1f %%", i > 0 ? "," : "", gpm_names[shown[i]], share < 100 ? share : 100);
    }
    fprintf(file, " of the peak in %.3f seconds of calls\n", counted->calls);
}

static void report_times(FILE *file, const struct case_result *result, size_t repeat, bool simulated)
{
    struct interval interval;
    struct stats stats = stats_of_case(result, &interval);
    const char *label = simulated ? " (simulated)" : "";

    if (result->timed == 0)
        fprintf(file, "GPU eclock : none\n");
    else if (repeat == 1)
        fprintf(file, "GPU eclock : %.8f seconds%s\n", stats.median, label);
    else
        fprintf(file, "GPU eclock : %.8f seconds%s (median of %zu; min %.8f, max %.8f", stats.median, label,
                result->timed, stats.min, stats.max);
    if (repeat > 1 && interval.coverage >= STATS_COVERAGE)
        fprintf(file, "; %.1f %% interval %.8f to %.8f", 100 * interval.coverage, interval.low, interval.high);
    if (repeat > 1 && result->timed > 0)
        fputs(")\n", file);
    if (result->overhead.median > 0)
        fprintf(file, "of which     %.8f seconds are overhead: an empty submission's median\n",
                result->overhead.median);
    if (result->throughput.series > 0)
        fprintf(file, "throughput : %.8f seconds a call with %zu in flight together (median of %zu series; min %.8f, "
                      "max %.8f)\n", result->throughput.seconds.median, result->throughput.calls,
                result->throughput.series, result->throughput.seconds.min, result->throughput.seconds.max);
    if (result->counted.seconds > 0)
        report_counters(file, &result->counted);
}

void report_hidden_case(FILE *file, const struct case_result *result, size_t repeat, bool simulated)
{
    if (result->verdict == VERDICT_AC)
        report_times(file, result, repeat, simulated);
}

void report_case(FILE *file, const struct case_result *result, size_t repeat, bool simulated)
{
    fprintf(file, "Initializing CUDA: %.3f seconds\n", result->start_seconds);
    report_times(file, result, repeat, simulated);
    if (repeat > 1 && result->calls > repeat)
        fprintf(file, "call %zu, the last:\n", result->calls);
    else if (repeat > 1 && result->calls > 0)
        fprintf(file, "call %zu of %zu:\n", result->calls, repeat);
    fprintf(file, "[CPU] : %s\n", result->answer);
    fprintf(file, "[GPU] : %s\n", result->output[0] ? result->output : "no answer");
}

void report_foreign(FILE *file, const char *mark, const char *text, size_t size, size_t limit)
{
    size_t shown = 0, length;
    bool at_start = true;
    char piece[TEXT_PIECE];
    uint32_t before = 0;

    for (; shown < size; shown += length) {
        const char *from = text + shown;

        text_character(from, size - shown, &length);
        if (length > limit - shown)
            break;
        if (at_start)
            fputs(mark, file);
        at_start = *from == '\n';
        if (at_start || *from == '\t') {
            before = 0;
            fputc(*from, file);
        } else {
            text_piece(piece, from, size - shown, &before, &length);
            fputs(piece, file);
        }
    }
    if (!at_start)
        fputc('\n', file);
    if (size > shown)
        fprintf(file, "%s... (%zu bytes more)\n", mark, size - shown);
}

/* Behind what all foreign text is shown. */
static const char mark[] = "  | ";

enum { PRINTED_SHOWN = 4096, EXPLAIN_SHOWN = 1 << 18 };

/* The simulator's lines in what was not shown: what went wrong may stand behind much that was printed before. */
static void report_faults(FILE *file, const char *text, size_t size)
{
    static const char sign[] = "cudasim: ";
    size_t room = PRINTED_SHOWN;
    const char *end = text + size, *line = memchr(text, '\n', size);

    for (; line && ++line < end; line = memchr(line, '\n', (size_t)(end - line))) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((next ? next : end) - line);

        if (length < sizeof sign || memcmp(line, sign, sizeof sign - 1) != 0 || length > room)
            continue;
        room -= length;
        report_foreign(file, mark, line, length, length);
    }
}

bool report_compile_error(FILE *notes, struct result *result, const char *log, struct error *error)
{
    struct blob words = { 0 };
    const char *line;
    size_t length;

    if (!blob_read_file(&words, log, (size_t)1 << 30, error))
        return false;
    report_foreign(notes, "", (const char *)words.data, words.size, 8192);
    /* The log ends with a zero byte: blob_alloc() rounds up. An empty log has none, nor words. */
    line = words.size > 0 && words.size % BLOB_ALIGNMENT != 0 ? text_compile_error((const char *)words.data, &length)
                                                              : NULL;
    result->verdict = VERDICT_CE;
    snprintf(result->message, sizeof result->message, "the submission does not compile%s%.*s", line ? ": " : "",
             line ? (int)length : 0, line ? line : "");
    blob_release(&words);
    return true;
}

void report_printed(FILE *file, const struct case_result *result, bool simulated)
{
    if (result->printed == 0)
        return;
    fprintf(file, "device_user()%s printed %zu bytes in case %s; they do not count:\n",
            simulated ? " and the simulator" : "", result->printed, result->name);
    report_foreign(file, mark, result->printed_text, result->printed_kept, PRINTED_SHOWN);
    if (simulated && result->printed_kept > PRINTED_SHOWN)
        report_faults(file, result->printed_text + PRINTED_SHOWN, result->printed_kept - PRINTED_SHOWN);
}

/* The simulator's JSON as a value; NULL, with why in words, if it is none. */
static json_t *explain_value(const struct session_report *report, const char **why)
{
    json_error_t error;
    json_t *value = NULL;

    *why = "is missing: the process did not end normally";
    if (report->size == 0)
        return NULL;
    *why = "is longer than 1 MiB";
    if (report->size > SESSION_REPORT_MOST)
        return NULL;
    *why = "is not JSON as the simulator writes it";
    value = json_loadb(report->text, report->size, JSON_REJECT_DUPLICATES, &error);
    if (json_is_integer(json_object_get(value, "format")) && json_is_true(json_object_get(value, "simulated")))
        return value;
    json_decref(value);
    return NULL;
}

void report_explain(FILE *file, FILE *notes, struct case_result *result)
{
    struct session_report *text = &result->reports[SESSION_REPORT_TEXT], *json = &result->reports[SESSION_REPORT_JSON];
    size_t kept = text->size < SESSION_REPORT_MOST ? text->size : SESSION_REPORT_MOST;
    const char *why;
    json_t *value;

    if (kept > 0) {
        fprintf(file, "what the kernels did in case %s, as counted by the simulator:\n", result->name);
        report_foreign(file, mark, text->text, kept, EXPLAIN_SHOWN);
        fflush(file);
    }
    value = explain_value(json, &why);
    if (!value) {
        fprintf(notes, "the simulator's report of case %s %s\n", result->name, why);
        json->size = 0;
    }
    json_decref(value);
}

/* A message without what steers a terminal: words of the submission may stand in it. */
static const char *harmless(char line[static MESSAGE_SIZE], const char *message)
{
    text_show(line, MESSAGE_SIZE, message);
    return line;
}

void report_verdict(FILE *file, enum verdict verdict, const char *message)
{
    char line[MESSAGE_SIZE];

    if (verdict == VERDICT_AC)
        fputs("SUCCESSFUL.\n", file);
    else
        fprintf(file, "FAILED. %s (%s): %s\n", verdict_id(verdict), verdict_words(verdict), harmless(line, message));
}

/* Why a case got its verdict, for everybody. */
static const char *words_of_case(const struct case_result *result, char line[static MESSAGE_SIZE])
{
    disclosure_words(result->verdict, result->reason, result->name, result->failed_call, line, MESSAGE_SIZE);
    return line;
}

/* The same of the whole: what failed before any case has seen no input, and the machine's faults are its own. */
static const char *words_of_all(const struct result *result, char line[static MESSAGE_SIZE])
{
    if (result->verdict == VERDICT_JE)
        return reason_words(REASON_LOST);
    return result->failed ? words_of_case(result->failed, line) : result->message;
}

void report_end(FILE *file, const struct result *result)
{
    char line[MESSAGE_SIZE];

    report_verdict(file, result->verdict, result->hides ? words_of_all(result, line) : result->message);
}

/* ------------------------------------------------------------------ programs */

/* A string that may hold any bytes, as JSON text: what is not UTF-8 is shown by its numbers. */
static json_t *text(const char *string)
{
    json_t *value;
    char *copy;

    if (!string)
        return json_null();
    value = json_string(string);
    if (value)
        return value;
    copy = text_shown(string, true);
    if (!copy)
        return NULL;
    value = json_string(copy);
    free(copy);
    return value;
}

static json_t *message_json(const char *message)
{
    char line[MESSAGE_SIZE];

    return text(harmless(line, message));
}

static json_t *times_json(const struct session_times *times)
{
    char words[128];
    json_t *object = json_pack("{s:f, s:f, s:f, s:f, s:f}", "total", times->total, "release", times->release, "map",
                               times->map, "call", times->call, "done", times->done);

    if (times->megahertz > 0) {
        gpu_reason_words(times->reasons, words, sizeof words);
        json_object_set_new(object, "sm_megahertz", json_real(times->megahertz));
        json_object_set_new(object, "slowed_by", json_string(words));
    }
    return object;
}

static json_t *stats_json(const struct stats *stats)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "min", stats->min, "q1", stats->q1, "median", stats->median, "q3",
                     stats->q3, "max", stats->max);
}

/* What calls in flight together took, or null. */
static json_t *throughput_json(const struct case_result *result)
{
    if (result->throughput.series == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:o}", "calls", (json_int_t)result->throughput.calls, "series",
                     (json_int_t)result->throughput.series, "seconds", stats_json(&result->throughput.seconds));
}

/* What --ranked adds to a case. */
static void add_ranking(json_t *object, const struct case_result *result, const struct stats *stats)
{
    json_object_set_new(object, "overhead", stats_json(&result->overhead));
    json_object_set_new(object, "net_seconds", json_real(stats->median - result->overhead.median));
    json_object_set_new(object, "disturbed", json_integer((json_int_t)result->disturbed));
    json_object_set_new(object, "steady", json_boolean(!result->unsteady));
    json_object_set_new(object, "used_gpu", json_boolean(result->used_gpu));
}

/* A GPU's state, or null. */
static json_t *gpu_json(const struct gpu_state *state)
{
    json_t *pids = json_array();
    char words[128];

    if (!state) {
        json_decref(pids);
        return json_null();
    }
    for (unsigned i = 0; i < state->processes && i < GPU_PROCESSES_KEPT; i++)
        json_array_append_new(pids, json_integer(state->pids[i]));
    gpu_reason_words(state->reasons, words, sizeof words);
    return json_pack("{s:i, s:i, s:i, s:s, s:I, s:i, s:o}", "sm_megahertz", (int)state->sm_megahertz,
                     "memory_megahertz", (int)state->memory_megahertz, "celsius", (int)state->temperature, "slowed_by",
                     words, "memory_used", (json_int_t)state->memory_used, "processes", (int)state->processes, "pids",
                     pids);
}

/* What the GPU's counters say, or null. */
static json_t *counters_json(const struct gpm_use *counted)
{
    json_t *object = json_object();

    if (!(counted->seconds > 0)) {
        json_decref(object);
        return json_null();
    }
    json_object_set_new(object, "seconds", json_real(counted->seconds));
    json_object_set_new(object, "call_seconds", json_real(counted->calls));
    for (int i = 0; i < GPM_SHARES; i++)
        json_object_set_new(object, gpm_names[i],
                            counted->percent[i] >= 0 ? json_real(counted->percent[i]) : json_null());
    json_object_set_new(object, "tensor_seconds", json_real(gpm_tensor_seconds(counted)));
    return object;
}

static json_t *case_json(const struct case_result *result, bool ranked)
{
    struct interval interval;
    struct stats stats = stats_of_case(result, &interval);
    json_t *samples = json_array(), *parts = json_array(), *object, *explain;
    char line[MESSAGE_SIZE];
    const char *why;

    for (size_t i = 0; i < result->timed; i++) {
        json_array_append_new(samples, json_real(result->times[i].total));
        json_array_append_new(parts, times_json(&result->times[i]));
    }
    object = json_pack("{s:o, s:s, s:o, s:o, s:o, s:f, s:f, s:f, s:I, s:I}", "name", text(result->name), "verdict",
                       verdict_id(result->verdict), "message", message_json(result->message), "answer",
                       text(result->answer), "output", text(result->output[0] ? result->output : NULL), "start_seconds",
                       result->start_seconds, "end_seconds", result->end_seconds, "time_limit", result->limit, "calls",
                       (json_int_t)result->calls, "printed_bytes", (json_int_t)result->printed);
    json_object_set_new(object, "reason", message_json(words_of_case(result, line)));
    if (result->timed > 0)
        json_object_set_new(object, "seconds", stats_json(&stats));
    else
        json_object_set_new(object, "seconds", json_null());
    if (ranked && result->timed > 0)
        add_ranking(object, result, &stats);
    json_object_set_new(object, "interval",
                        interval.coverage >= STATS_COVERAGE
                            ? json_pack("{s:f, s:f, s:f}", "low", interval.low, "high", interval.high, "coverage",
                                        interval.coverage)
                            : json_null());
    json_object_set_new(object, "floor_seconds", result->floor > 0 ? json_real(result->floor) : json_null());
    json_object_set_new(object, "faster_than_possible", json_boolean(result->below_floor));
    json_object_set_new(object, "samples", samples);
    json_object_set_new(object, "parts", parts);
    json_object_set_new(object, "memory_limit", json_integer((json_int_t)result->memory_limit));
    json_object_set_new(object, "memory_peak",
                        result->memory_peak > 0 ? json_integer((json_int_t)result->memory_peak) : json_null());
    json_object_set_new(object, "inputs", record_inputs_json(result->inputs, result->calls));
    if (result->device_memory_limit > 0) {
        json_object_set_new(object, "device_memory_limit", json_integer((json_int_t)result->device_memory_limit));
        json_object_set_new(object, "device_memory_peak", json_integer((json_int_t)result->device_memory_peak));
    }
    json_object_set_new(object, "throughput", throughput_json(result));
    json_object_set_new(object, "gpu_counters", counters_json(&result->counted));
    explain = explain_value(&result->reports[SESSION_REPORT_JSON], &why);
    json_object_set_new(object, "explain", explain ? explain : json_null());
    return object;
}

static json_t *result_json(const struct result *result)
{
    json_t *cases = json_array(), *simulator = result->variables ? json_array() : json_null(), *object, *device,
           *submission, *layers = json_array();
    char seed[24], check_seed[24]; /* as text: many JSON readers lose the low bits of a 64-bit number */
    char frozen[DIGEST_HEX], line[MESSAGE_SIZE];

    frozen_digest(result->problem, frozen);
    snprintf(seed, sizeof seed, "%ju", (uintmax_t)result->seed);
    for (size_t i = 0; i < result->case_count; i++)
        json_array_append_new(cases, case_json(&result->cases[i], result->ranked));
    for (const char *const *variable = result->variables; variable && *variable; variable++)
        json_array_append_new(simulator, text(*variable));
    device = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", text(result->device_kind), "name",
                       text(result->device_name), "uuid", text(result->gpu_uuid), "driver", text(result->driver),
                       "simulator", simulator, "before", gpu_json(result->gpu_before), "after",
                       gpu_json(result->gpu_after));
    submission = json_pack("{s:o, s:o, s:o, s:o}", "file", text(result->submission), "source",
                           text(result->source), "language", text(result->language), "cuda_library",
                           text(result->cuda_library && result->cuda_library[0] ? result->cuda_library : NULL));
    snprintf(check_seed, sizeof check_seed, "%ju", (uintmax_t)result->check_seed);
    object = json_pack("{s:i, s:{s:s, s:s, s:s}, s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:I, s:b, s:I, s:o, s:o, s:o}",
                       "format", 1, "toolkit", "version", TOOLKIT_VERSION, "frozen", frozen, "compiler",
                       __VERSION__, "problem", text(result->problem), "submission", submission, "verdict",
                       verdict_id(result->verdict), "message", message_json(result->message), "league",
                       text(result->league && result->league[0] ? result->league : NULL), "seed", seed, "check_seed",
                       check_seed, "repeat", (json_int_t)result->repeat, "ranked", result->ranked, "left_out",
                       (json_int_t)result->left_out, "device", device, "box", text(result->box), "cases", cases);
    json_object_set_new(object, "hastened", json_boolean(result->record.options && result->record.options->hasten));
    json_object_set_new(object, "reason", message_json(words_of_all(result, line)));
    json_object_set_new(object, "review", json_boolean(result->review));
    for (const char *const *layer = result->box_layers; layer && *layer; layer++)
        json_array_append_new(layers, json_string(*layer));
    json_object_set_new(object, "box_layers", layers);
    json_object_set_new(object, "box_lacks", text(result->box_lacks));
    return object;
}

/* A device, a pipe or a link is written to; only a plain name is replaced as a whole. */
static bool write_json(const json_t *object, const char *path, struct error *error)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17); /* a signature is over every bit of a number */
    struct stat status;
    char *part = NULL;
    bool ok;

    if (asprintf(&part, "%s.part", path) < 0)
        return error_toolkit(error, "out of memory for the result");
    ok = lstat(path, &status) == 0 ? json_dump_file(object, path, flags) == 0
                                   : json_dump_file(object, part, flags) == 0 && rename(part, path) == 0;
    if (!ok)
        error_system(error, "cannot write '%s'", path);
    free(part);
    return ok;
}

/* One form of the result, signed as it is, to `path`; nowhere where that is NULL. */
static bool write_form(const struct result *result, json_t *whole, bool withheld, const char *path,
                       struct error *error)
{
    json_t *form;
    bool ok;

    if (!path)
        return true;
    form = withheld ? disclosure_public(whole) : json_incref(whole);
    ok = form ? record_sign_form(&result->record, form, error) && write_json(form, path, error)
              : error_toolkit(error, "out of memory for the result");
    json_decref(form);
    return ok;
}

bool report_json(const struct result *result, struct error *error)
{
    const struct options *options = result->record.options;
    json_t *whole = result_json(result);
    const bool ok = whole ? record_finish(&result->record, whole, error) &&
                                write_form(result, whole, true, options->public_json, error) &&
                                write_form(result, whole, result->hides, options->json, error)
                          : error_toolkit(error, "out of memory for the result");

    json_decref(whole);
    return ok;
}

bool report_json_begin(const char *path, struct error *error)
{
    struct stat status;
    char *part = NULL;
    bool there = lstat(path, &status) == 0;
    FILE *file;

    if (there && S_ISDIR(status.st_mode))
        return error_usage(error, "--json: '%s' is a folder", path);
    if (there && !S_ISREG(status.st_mode))
        return access(path, W_OK) == 0 || error_usage(error, "--json: cannot write '%s': %s", path, strerror(errno));
    if (asprintf(&part, "%s.part", path) < 0)
        return error_toolkit(error, "out of memory");
    file = fopen(part, "we");
    if (!file || (there && unlink(path) != 0)) {
        error_usage(error, "--json: cannot write '%s': %s", path, strerror(errno));
        if (file) {
            fclose(file);
            unlink(part);
        }
        free(part);
        return false;
    }
    fclose(file);
    unlink(part);
    free(part);
    return true;
}
