/*
 * step.c - one step of a judgement: the command started, and what it found written; see step.h.
 */
#include "step.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper.h"
#include "verify/base/clock.h"
#include "verify/base/digest.h"
#include "verify/base/stats.h"
#include "verify/base/text.h"
#include "verify/base/tree.h"

enum { BUILD_SECONDS = 900, RUN_SECONDS = 6 * 3600, LOG_KEPT = 16384, ARGUMENTS = 40 };

const char *step_path(const struct job *job, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", job->work, name);
    return path;
}

char *step_read_text(const char *path, size_t most)
{
    char *text = calloc(most + 1, 1), *shown;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;

    while (text && fd >= 0 && length < most && (got = read(fd, text + length, most - length)) > 0)
        length += (size_t)got;
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; text && i < length; i++)
        if (text[i] == '\0')
            text[i] = '\1'; /* shown as a number, as any other that is no text */
    shown = text ? text_shown(text, true) : NULL;
    free(text);
    return shown;
}

/* The text's first line, cut where a character ends. */
static void first_line(char *line, size_t size, const char *text)
{
    char *copy = strndup(text, strcspn(text, "\n"));

    text_show(line, size, copy ? copy : "");
    free(copy);
}

void step_first_line(const char *path, char *line, size_t size)
{
    char *text = step_read_text(path, size - 1);

    first_line(line, size, text ? text : "");
    free(text);
}

/* What the host says of every run on this machine: its box, and what stands in for a GPU. */
static bool is_note(const char *line)
{
    static const char *const notes[] = { "main_host: box: ", "main_host: no usable NVIDIA GPU " };

    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (strncmp(line, notes[i], strlen(notes[i])) == 0)
            return true;
    return false;
}

/*
 * What of a log says what went wrong: the first line with one of `words`, or the last that is neither make's nor a
 * note.
 */
static void telling_line(const char *log, const char *const *words, char *line, size_t size)
{
    const char *found = NULL, *last = NULL;

    for (size_t i = 0; words[i] && !found; i++)
        for (const char *at = strstr(log, words[i]); at && !found; at = strstr(at + strcspn(at, "\n"), words[i])) {
            const char *start = at;

            while (start > log && start[-1] != '\n')
                start--;
            found = is_note(start) ? NULL : start;
        }
    for (const char *start = log; *start && !found; start += strcspn(start, "\n"), start += *start == '\n')
        if (*start != '\n' && strncmp(start, "make: ", 6) != 0 && !is_note(start))
            last = start;
    if (!found)
        found = last ? last : log;
    first_line(line, size, found);
}

/* ------------------------------------------------------------------ starting a step */

/* A folder for a step that nobody had before: what an ended grader's commands may still write is elsewhere. */
static bool make_work(const struct grader *grader, struct job *job, const char *what, struct error *error)
{
    char folder[PATH_MAX];
    unsigned long long chance;

    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        return error_system(error, "cannot draw a random number");
    snprintf(folder, sizeof folder, "%.1500s/grading/%s", grader->build, grader->token);
    snprintf(job->work, sizeof job->work, "%.2000s/%jd-%s-%016llx", folder, (intmax_t)job->judgement, what, chance);
    return mkdir(job->work, 0755) == 0 || error_system(error, "cannot make '%s'", job->work);
}

static bool start(const struct grader *grader, struct job *job, const char *const *arguments, const char *log_name,
                  double seconds, int leave, int channel, struct error *error)
{
    char log[PATH_MAX];
    struct command command = {
        .arguments = arguments, .folder = grader->root, .seconds = seconds,
        .log = step_path(job, log_name, log, sizeof log), .leave = leave, .channel = channel
    };

    job->started = clock_wall();
    job->keeper = keeper_start(&command, error);
    if (job->keeper > 0)
        return true;
    job->keeper = 0;
    return false;
}

bool step_start_command(const struct grader *grader, struct job *job, const char *const *arguments, const char *log,
                        struct error *error)
{
    return start(grader, job, arguments, log, RUN_SECONDS, 0, 0, error);
}

bool step_start_build(const struct grader *grader, struct job *job, const char *source, struct error *error)
{
    char script[PATH_MAX];
    const char *arguments[] = { script, source, job->problem->problem, job->work, NULL };

    if (!make_work(grader, job, NAME_BUILD, error))
        return false;
    snprintf(script, sizeof script, "%s/contrib/grade/grade_build.sh", grader->root);
    return start(grader, job, arguments, "log", BUILD_SECONDS, (int)grader->run_count, 0, error);
}

/* What the job's object was built from, as the build wrote it beside it. */
static bool source_of(const struct job *job, char *source, size_t size)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.*ssource_path", (int)(strrchr(job->object, '/') + 1 - job->object), job->object);
    step_first_line(path, source, size);
    return source[0] == '/';
}

int step_warden(const struct grader *grader, struct job *job)
{
    char program[PATH_MAX];
    struct error error;

    if (strncmp(job->gpu, "GPU-", 4) != 0) /* one that has a number alone is not CUDA's of that number for sure */
        return 0;
    if (!warden_lives(&job->warden))
        warden_give_up(&job->warden);
    snprintf(program, sizeof program, "%s/gpu_warden", grader->build);
    return job->warden.pid > 0 || warden_start_lent(&job->warden, program, job->gpu, &error) ? job->warden.channel : 0;
}

/* Whether a program asked what the GPU's counters say; where that is not known, it did not. */
static bool wants_counters(const struct grader *grader, const struct job *job)
{
    struct error ignored;
    int64_t wanted = 0;

    return store_number(grader->store, &ignored, &wanted,
                        "SELECT instr(extra, " SQL(NAME_COUNTERS) ") FROM submissions WHERE id = ?", "i",
                        job->submission) && wanted != 0;
}

/* Whether a program asked for no more than the verdict. */
static bool wants_no_times(const struct grader *grader, const struct job *job)
{
    struct error ignored; /* then it is timed for nothing */
    int64_t found = 0;

    return store_number(grader->store, &ignored, &found, "SELECT wanted = 'verdict' FROM submissions WHERE id = ?", "i",
                        job->submission) && found != 0;
}

/*
 * Whether the GPU's counters are read in another step than this one: of the samples they are never read, and of the
 * secret cases not where the ranked ones, which come after them, make the score. They take 0.4 s per case.
 */
static bool leaves_counters(const struct grader *grader, const struct job *job)
{
    const enum scoring scoring = grader->contest->scoring;
    const bool times_score = scoring == SCORING_FASTEST || scoring == SCORING_RELATIVE;

    return job->state == JUDGEMENT_SAMPLES ||
           (job->state == JUDGEMENT_SECRET && times_score && !wants_no_times(grader, job));
}

bool step_start_run(const struct grader *grader, struct job *job, struct error *error)
{
    const struct contest *contest = grader->contest;
    const struct contest_problem *problem = job->problem;
    const bool ranked = job->state == JUDGEMENT_RANKED;
    const char *arguments[ARGUMENTS],
        *object = job->baseline ? grader->baselines[problem - contest->problems] : job->object;
    char host[PATH_MAX], json[PATH_MAX], public_json[PATH_MAX], source[PATH_MAX], seal[PATH_MAX], key[PATH_MAX],
        repeat[16], warden[16], judgement[24], limit[32], memory[32];
    int channel = 0;
    size_t n = 0;

    job->fault[0] = '\0';
    job->explained[0] = '\0';
    if ((!ranked || job->baseline || !job->work[0]) && !make_work(grader, job, judgement_state_name(job->state), error))
        return false;
    snprintf(host, sizeof host, "%s/main_host", grader->build);
    snprintf(repeat, sizeof repeat, "%.0f", problem->repeat);
    arguments[n++] = host;
    arguments[n++] = problem->problem;
    arguments[n++] = "--submission", arguments[n++] = object;
    arguments[n++] = "--json",
    arguments[n++] = step_path(job, job->baseline ? "baseline.json" : "result.json", json, sizeof json);
    arguments[n++] = "--public-json",
    arguments[n++] = step_path(job, job->baseline ? "baseline-public.json" : "public.json", public_json,
                               sizeof public_json);
    if (problem->league)
        arguments[n++] = "--league", arguments[n++] = problem->league;
    if (problem->time_limit > 0) {
        snprintf(limit, sizeof limit, "%.17g", problem->time_limit);
        arguments[n++] = "--time-limit", arguments[n++] = limit;
    }
    if (problem->memory > 0) {
        snprintf(memory, sizeof memory, "%.0f", problem->memory);
        arguments[n++] = "--memory-limit", arguments[n++] = memory;
    }
    arguments[n++] = "--require-box", arguments[n++] = contest->require_box;
    if (job->gpu[0] && strcmp(job->language, "C") != 0) {
        arguments[n++] = "--gpu", arguments[n++] = job->gpu;
        channel = step_warden(grader, job);
    }
    if (channel > 0) {
        snprintf(warden, sizeof warden, "%d", KEEPER_CHANNEL);
        arguments[n++] = "--warden", arguments[n++] = warden;
    }
    if (!job->baseline && job->language[0])
        arguments[n++] = "--language", arguments[n++] = job->language;
    if (!job->baseline && source_of(job, source, sizeof source))
        arguments[n++] = "--source", arguments[n++] = source;
    if (contest->key && !job->baseline) {
        snprintf(key, sizeof key, "%s/%s", grader->folder, contest->key);
        arguments[n++] = "--key", arguments[n++] = key;
    }
    if (job->state == JUDGEMENT_SAMPLES) {
        arguments[n++] = "--group", arguments[n++] = problem->samples;
    } else {
        if (contest->seal) {
            snprintf(seal, sizeof seal, "%s/%s", grader->folder, contest->seal);
            snprintf(judgement, sizeof judgement, "%jd", (intmax_t)job->judgement);
            arguments[n++] = "--seal", arguments[n++] = seal;
            arguments[n++] = "--judgement", arguments[n++] = judgement;
            arguments[n++] = "--show-secret"; /* result.json is the organiser's, public.json everybody's */
        } else if (ranked) {
            arguments[n++] = "--seed", arguments[n++] = job->seed;
        }
        arguments[n++] = ranked && problem->ranked_case ? "--case" : "--group";
        arguments[n++] = ranked ? problem->ranked : problem->secret;
    }
    if (ranked)
        arguments[n++] = "--ranked", arguments[n++] = "--repeat", arguments[n++] = repeat;
    /* The times of other steps are the score, or the ones that a team looks at. */
    if (job->state == JUDGEMENT_SECRET && problem->ranked && strcmp(job->language, "C") != 0)
        arguments[n++] = "--hasten";
    if (job->gpu[0] && strcmp(job->language, "C") != 0 && leaves_counters(grader, job))
        arguments[n++] = "--no-counters";
    if (ranked && channel > 0 && wants_counters(grader, job))
        arguments[n++] = "--counters";
    if (contest->scoring == SCORING_GROUPS && !ranked)
        arguments[n++] = "--keep-going";
    arguments[n] = NULL;
    return start(grader, job, arguments, "log", RUN_SECONDS, 0, channel, error);
}

/* ------------------------------------------------------------------ writing what a step found */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* The machine and device of a result, known or new; without a result, as of a build, the machine alone. */
static bool machine_of(struct store *store, const char *host, const json_t *result, int64_t *id, struct error *error)
{
    const json_t *device = json_object_get(result, "device");
    const char *kind = text_of(device, "kind"), *name = text_of(device, "name"), *uuid = text_of(device, "uuid"),
               *driver = text_of(device, "driver");

    return store_run(store, error,
                     "INSERT INTO machines (host, kind, name, uuid, driver, first_used) VALUES (?, ?, ?, ?, ?, ?)"
                     " ON CONFLICT DO NOTHING",
                     "sssssd", host, kind, name, uuid, driver, clock_wall()) &&
           store_number(store, error, id,
                        "SELECT id FROM machines WHERE host = ? AND kind = ? AND name = ? AND uuid = ?"
                        " AND driver = ?",
                        "sssss", host, kind, name, uuid, driver);
}

/* `open` is the public form of the case `value`. */
static bool write_case(struct store *store, int64_t judgement, enum step step, size_t number, const json_t *value,
                       const json_t *open, struct error *error)
{
    const json_t *samples = json_object_get(value, "samples"), *sample;
    size_t count = json_array_size(samples), i;
    double *sorted = calloc(count + 1, sizeof *sorted);
    struct stats stats;
    struct interval interval;
    int64_t run;
    bool ok;

    if (!sorted)
        return error_toolkit(error, "out of memory");
    json_array_foreach(samples, i, sample) sorted[i] = json_number_value(sample);
    stats = stats_of(sorted, count);
    interval = stats_interval(sorted, count, STATS_COVERAGE);
    ok = store_run(store, error,
                   "INSERT INTO runs (judgement, step, number, name, verdict, message, reason, timed, median, low,"
                   " high) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   count > 0 ? "isissssiddd" : "isissssi", judgement, step_name(step), (int64_t)number,
                   text_of(value, "name"), text_of(value, "verdict"), text_of(value, "message"),
                   text_of(open, "message"), (int64_t)(json_array_size(json_object_get(open, "samples")) == count),
                   stats.median,
                   interval.coverage > 0 ? interval.low : stats.min, interval.coverage > 0 ? interval.high : stats.max);
    run = sqlite3_last_insert_rowid(store->db);
    json_array_foreach(samples, i, sample) ok =
        ok && store_run(store, error, "INSERT INTO samples (run, number, seconds) VALUES (?, ?, ?)", "iid", run,
                        (int64_t)i, json_number_value(sample));
    free(sorted);
    return ok;
}

/* A result in both its forms, or NULL in place of both. */
static bool write_step(struct store *store, const struct job *job, enum step step, int code, const json_t *result,
                       const json_t *open, const char *log, struct error *error)
{
    char *record = result ? json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL,
         *open_record = open ? json_dumps(open, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    const json_t *open_cases = json_object_get(open, "cases");
    const json_t *value;
    size_t i;
    bool ok = store_run(store, error,
                        "INSERT OR REPLACE INTO steps (judgement, step, started, ended, exit_code, record, log,"
                        " public) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        "isddisss", job->judgement, step_name(step), job->started, clock_wall(), (int64_t)code,
                        record, log ? log : "", open_record);

    free(record);
    free(open_record);
    ok = ok &&
         store_run(store, error,
                   "DELETE FROM samples WHERE run IN (SELECT id FROM runs WHERE judgement = ? AND step = ?)", "is",
                   job->judgement, step_name(step)) &&
         store_run(store, error, "DELETE FROM runs WHERE judgement = ? AND step = ?", "is", job->judgement,
                   step_name(step));
    json_array_foreach(json_object_get(result, "cases"), i, value) ok =
        ok && write_case(store, job->judgement, step, i, value, json_array_get(open_cases, i), error);
    return ok;
}

/* The machine failed: the step's judgement begins anew, or gets JE when it did so too often. */
static bool set_failed(struct grader *grader, struct job *job, const char *message, struct error *error)
{
    struct store *store = grader->store;
    int64_t attempts;

    grader->failed = true;
    if (!store_number(store, error, &attempts, "SELECT attempts + 1 FROM judgements WHERE id = ?", "i", job->judgement))
        return false;
    if (attempts >= (int64_t)grader->contest->attempts)
        return judgement_end(store, job->judgement, "JE", message, REASON_OF_JE, error);
    progress_line(&grader->progress, "#%jd attempt %d failed, trying again: %s", (intmax_t)job->submission,
                  (int)attempts, message);
    return store_run(store, error,
                     "UPDATE judgements SET state = " SQL(NAME_NEW) ", attempts = ?, message = ? WHERE id = ?", "isi",
                     attempts, message, job->judgement);
}

static void cut(char *message, const char *part, const char *instead)
{
    const size_t length = strlen(part), kept = strlen(instead);

    for (char *at = strstr(message, part); at; at = strstr(at + kept, part)) {
        memmove(at + kept, at + length, strlen(at + length) + 1);
        memcpy(at, instead, kept);
    }
}

/* The compiler and the script name files by where they were copied to: that is nobody's business. */
static void cut_out(char *message, const struct grader *grader, const struct job *job)
{
    const size_t root = strlen(grader->root) + 1;
    char path[sizeof job->work + 16];

    for (int full = 1; full >= 0; full--) {
        snprintf(path, sizeof path, "%s/out/", job->work + (full ? 0 : root));
        cut(message, path, "");
        snprintf(path, sizeof path, "%s/source/", job->work + (full ? 0 : root));
        cut(message, path, "");
        path[strlen(path) - 1] = '\0';
        cut(message, path, ".");
    }
    snprintf(path, sizeof path, "%s/", grader->root);
    cut(message, path, "");
    cut(message, "grade_build.sh: ", "");
    cut(message, "/usr/bin/ld: ", "ld: ");
}

bool step_finish_build(struct grader *grader, struct job *job, int code, struct error *error)
{
    static const char *const compilers_words[] = { "Error:", "out of memory", NULL },
                             *const script_words[] = { "grade_build.sh: ", NULL };
    char path[PATH_MAX], message[512] = "", digest[DIGEST_HEX];
    char *log = step_read_text(step_path(job, "log", path, sizeof path), LOG_KEPT);
    struct store *store = grader->store;
    const char *line;
    size_t length;
    int64_t machine;
    bool ok;

    step_first_line(step_path(job, "object", path, sizeof path), job->object, sizeof job->object);
    step_first_line(step_path(job, "language", path, sizeof path), job->language, sizeof job->language);
    if (code == EXIT_ACCEPTED && (job->object[0] != '/' || !digest_file(job->object, digest, error)))
        code = EXIT_TOOLKIT;
    if (code == EXIT_REJECTED && log && (line = text_compile_error(log, &length)))
        snprintf(message, sizeof message, "%.*s", (int)length, line);
    else
        telling_line(log ? log : "", code == EXIT_REJECTED ? compilers_words : script_words, message, sizeof message);
    cut_out(message, grader, job);
    if (log)
        cut_out(log, grader, job);
    ok = write_step(store, job, STEP_BUILD, code, NULL, NULL, log, error);
    if (ok && code == EXIT_ACCEPTED)
        ok = store_run(store, error,
                       "UPDATE judgements SET state = " SQL(NAME_SAMPLES) ", object = ?, object_sha256 = ?,"
                       " language = ? WHERE id = ?",
                       "sssi", job->object, digest, job->language, job->judgement);
    else if (ok && (code == EXIT_REJECTED || code == EXIT_USAGE))
        ok = machine_of(store, grader->host, NULL, &machine, error) &&
             store_run(store, error, "UPDATE judgements SET machine = ? WHERE id = ?", "ii", machine, job->judgement) &&
             judgement_end(store, job->judgement, "CE", message, message, error);
    else if (ok)
        ok = set_failed(grader, job, message[0] ? message : "the build did not end", error);
    free(log);
    return ok;
}

/* The state after one that went well. */
static enum judgement_state next_state(const struct grader *grader, const struct job *job, const json_t *result)
{
    const char *kind = text_of(json_object_get(result, "device"), "kind");

    if (job->state == JUDGEMENT_SAMPLES)
        return JUDGEMENT_SECRET;
    if (job->state == JUDGEMENT_SECRET && strcmp(text_of(result, "verdict"), "AC") == 0 &&
        !wants_no_times(grader, job) &&
        (strcmp(kind, "gpu") == 0 || (strcmp(kind, "cpu") == 0 && grader->contest->rank_cpu)))
        return JUDGEMENT_RANKED;
    return JUDGEMENT_DONE;
}

/* Where C on a CPU ranks, only what is faster than possible is suspect: nobody is to use a GPU. */
static bool to_be_reviewed(const struct grader *grader, const json_t *result)
{
    const json_t *value;
    bool too_fast = false;
    size_t i;

    if (!grader->contest->rank_cpu || strcmp(text_of(json_object_get(result, "device"), "kind"), "cpu") != 0)
        return json_is_true(json_object_get(result, "review"));
    json_array_foreach(json_object_get(result, "cases"), i, value) too_fast =
        too_fast || json_is_true(json_object_get(value, "faster_than_possible"));
    return too_fast;
}

/* What the host wrote of a run, as it wrote it; NULL where it is none. */
static json_t *read_result(const struct job *job, const char *name)
{
    char path[PATH_MAX];

    return json_load_file(step_path(job, name, path, sizeof path), JSON_REJECT_DUPLICATES, NULL);
}

static bool write_baseline(struct store *store, const struct job *job, struct error *error)
{
    json_t *result = read_result(job, "baseline.json"), *open = read_result(job, "baseline-public.json");
    const bool ok = write_step(store, job, STEP_BASELINE, 0, result, open, "", error);

    json_decref(result);
    json_decref(open);
    return ok;
}

bool step_finish_run(struct grader *grader, struct job *job, int code, struct error *error)
{
    static const char *const words[] = { "main_host: ", NULL };
    char path[PATH_MAX], message[512] = "";
    char *log = step_read_text(step_path(job, "log", path, sizeof path), LOG_KEPT);
    json_t *result = read_result(job, "result.json"), *open = read_result(job, "public.json");
    struct store *store = grader->store;
    const char *verdict = text_of(result, "verdict");
    const enum step step = job->state == JUDGEMENT_SAMPLES  ? STEP_SAMPLES
                           : job->state == JUDGEMENT_SECRET ? STEP_SECRET
                                                            : STEP_RANKED;
    const bool go_on = job->state == JUDGEMENT_SAMPLES && grader->contest->scoring == SCORING_GROUPS;
    int64_t machine = 0;
    bool ok = true;

    telling_line(log ? log : "", words, message, sizeof message);
    if (job->fault[0])
        snprintf(message, sizeof message, "%s", job->fault);
    if (code > EXIT_REJECTED || !verdict[0] || !open || strcmp(verdict, "JE") == 0) {
        ok = write_step(store, job, step, code, result, open, log, error) &&
             set_failed(grader, job, message[0] ? message : "the host did not end", error);
        goto out;
    }
    if (job->state == JUDGEMENT_RANKED && grader->contest->scoring == SCORING_RELATIVE)
        ok = write_baseline(store, job, error);
    ok = ok && write_step(store, job, step, code, result, open, log, error) &&
         machine_of(store, grader->host, result, &machine, error) &&
         store_run(store, error, "UPDATE judgements SET machine = ?, review = max(review, ?) WHERE id = ?", "iii",
                   machine, (int64_t)to_be_reviewed(grader, result), job->judgement);
    if (!ok)
        goto out;
    job->state = strcmp(verdict, "AC") == 0 || go_on ? next_state(grader, job, result) : JUDGEMENT_DONE;
    ok = job->state == JUDGEMENT_DONE
             ? judgement_end(store, job->judgement, verdict, text_of(result, "message"), text_of(open, "message"),
                             error)
             : store_run(store, error, "UPDATE judgements SET state = ? WHERE id = ?", "si",
                         judgement_state_name(job->state), job->judgement);
out:
    json_decref(result);
    json_decref(open);
    free(log);
    return ok;
}

bool step_baseline_ran(struct job *job, int *code)
{
    json_t *result = read_result(job, "baseline.json");

    job->baseline = false;
    if (*code == EXIT_REJECTED && result)
        snprintf(job->fault, sizeof job->fault, "the baseline of problem %.100s is not accepted: %.10s %.200s",
                 job->problem->id, text_of(result, "verdict"), text_of(result, "reason"));
    if (*code != EXIT_ACCEPTED || !result)
        *code = EXIT_TOOLKIT;
    json_decref(result);
    return *code == EXIT_ACCEPTED;
}

void step_remove_object(const struct job *job)
{
    char folder[sizeof job->object];

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(job->object, '/') - job->object), job->object);
    tree_remove(folder);
}

