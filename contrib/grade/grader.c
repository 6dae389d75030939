/*
 * grader.c - slots, steps, and what is written of them.
 */
#include "grader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper.h"
#include "verify/digest.h"
#include "verify/stats.h"

enum { ROOM = 16 << 20 }; /* bytes: a disk with less is full */
enum { BUILD_SECONDS = 900, RUN_SECONDS = 6 * 3600, LOG_KEPT = 16384, ARGUMENTS = 40 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A path below a job's folder. */
static const char *in_work(const struct job *job, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", job->work, name);
    return path;
}

/* The first `most` bytes of a file as clean text, lines kept; the caller frees it. Empty where it cannot be read. */
static char *read_text(const char *path, size_t most)
{
    char *text = calloc(most + 1, 1);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;

    while (text && fd >= 0 && length < most && (got = read(fd, text + length, most - length)) > 0)
        length += (size_t)got;
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; text && i < length; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || (unsigned char)text[i] > 126)
            text[i] = '?';
    return text;
}

static void first_line(const char *path, char *line, size_t size)
{
    char *text = read_text(path, size - 1);

    snprintf(line, size, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
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

/* The line of a log that says what went wrong: the first with one of `words`, or the last that is neither make's nor a note. */
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
    snprintf(line, size, "%.*s", (int)strcspn(found, "\n"), found);
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

static bool start(const struct grader *grader, struct job *job, const char *const *arguments, double seconds,
                  struct error *error)
{
    char log[PATH_MAX];
    struct command command = {
        .arguments = arguments, .folder = grader->root, .seconds = seconds, .log = in_work(job, "log", log, sizeof log)
    };

    job->started = now();
    job->keeper = keeper_start(&command, error);
    if (job->keeper > 0)
        return true;
    job->keeper = 0;
    return false;
}

static bool start_build(const struct grader *grader, struct job *job, const char *source, struct error *error)
{
    char script[PATH_MAX];
    const char *arguments[] = { script, source, job->problem->problem, job->work, NULL };

    if (!make_work(grader, job, "build", error))
        return false;
    snprintf(script, sizeof script, "%s/run_scripts/grade_build.sh", grader->root);
    return start(grader, job, arguments, BUILD_SECONDS, error);
}

/* What the job's object was built from, as the build wrote it beside it. */
static bool source_of(const struct job *job, char *source, size_t size)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.*ssource_path", (int)(strrchr(job->object, '/') + 1 - job->object), job->object);
    first_line(path, source, size);
    return source[0] == '/';
}

static bool start_run(const struct grader *grader, struct job *job, struct error *error)
{
    const struct contest *contest = grader->contest;
    const struct contest_problem *problem = job->problem;
    const bool ranked = strcmp(job->state, "ranked") == 0;
    const char *arguments[ARGUMENTS],
        *object = job->baseline ? grader->baselines[problem - contest->problems] : job->object;
    char host[PATH_MAX], json[PATH_MAX], source[PATH_MAX], seal[PATH_MAX], key[PATH_MAX], repeat[16];
    size_t n = 0;

    if ((!ranked || job->baseline || !job->work[0]) && !make_work(grader, job, job->state, error))
        return false;
    snprintf(host, sizeof host, "%s/main_host", grader->build);
    snprintf(repeat, sizeof repeat, "%.0f", problem->repeat);
    arguments[n++] = host;
    arguments[n++] = problem->problem;
    arguments[n++] = "--submission", arguments[n++] = object;
    arguments[n++] = "--json",
    arguments[n++] = in_work(job, job->baseline ? "baseline.json" : "result.json", json, sizeof json);
    if (problem->league)
        arguments[n++] = "--league", arguments[n++] = problem->league;
    if (contest->require_box)
        arguments[n++] = "--require-box", arguments[n++] = contest->require_box;
    if (job->gpu[0] && strcmp(job->language, "C") != 0)
        arguments[n++] = "--gpu", arguments[n++] = job->gpu;
    if (!job->baseline && source_of(job, source, sizeof source))
        arguments[n++] = "--source", arguments[n++] = source;
    if (contest->key && !job->baseline) {
        snprintf(key, sizeof key, "%s/%s", grader->folder, contest->key);
        arguments[n++] = "--key", arguments[n++] = key;
    }
    if (strcmp(job->state, "samples") == 0) {
        arguments[n++] = "--group", arguments[n++] = problem->samples;
    } else {
        if (contest->seal) {
            snprintf(seal, sizeof seal, "%s/%s", grader->folder, contest->seal);
            arguments[n++] = "--seal", arguments[n++] = seal;
        } else if (ranked) {
            arguments[n++] = "--seed", arguments[n++] = job->seed;
        }
        arguments[n++] = ranked && problem->ranked_case ? "--case" : "--group";
        arguments[n++] = ranked ? problem->ranked : problem->secret;
    }
    if (ranked)
        arguments[n++] = "--ranked", arguments[n++] = "--repeat", arguments[n++] = repeat;
    if (contest->scoring == SCORING_GROUPS && !ranked)
        arguments[n++] = "--keep-going";
    arguments[n] = NULL;
    return start(grader, job, arguments, RUN_SECONDS, error);
}

/* ------------------------------------------------------------------ writing what a step found */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* The machine and device of a result, known or new. */
static bool machine_of(struct store *store, const char *host, const json_t *result, int64_t *id, struct error *error)
{
    const json_t *device = json_object_get(result, "device");
    const char *kind = text_of(device, "kind"), *name = text_of(device, "name"), *uuid = text_of(device, "uuid"),
               *driver = text_of(device, "driver");

    return store_run(store, error,
                     "INSERT INTO machines (host, kind, name, uuid, driver, first_used) VALUES (?, ?, ?, ?, ?, ?)"
                     " ON CONFLICT DO NOTHING",
                     "sssssd", host, kind, name, uuid, driver, now()) &&
           store_number(store, error, id,
                        "SELECT id FROM machines WHERE host = ? AND kind = ? AND name = ? AND uuid = ?"
                        " AND driver = ?",
                        "sssss", host, kind, name, uuid, driver);
}

static bool write_case(struct store *store, int64_t judgement, const char *step, size_t number, const json_t *value,
                       struct error *error)
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
                   "INSERT INTO runs (judgement, step, number, name, verdict, message, median, low, high)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   count > 0 ? "isisssddd" : "isisss", judgement, step, (int64_t)number, text_of(value, "name"),
                   text_of(value, "verdict"), text_of(value, "message"), stats.median,
                   interval.coverage > 0 ? interval.low : stats.min, interval.coverage > 0 ? interval.high : stats.max);
    run = sqlite3_last_insert_rowid(store->db);
    json_array_foreach(samples, i, sample) ok =
        ok && store_run(store, error, "INSERT INTO samples (run, number, seconds) VALUES (?, ?, ?)", "iid", run,
                        (int64_t)i, json_number_value(sample));
    free(sorted);
    return ok;
}

static bool write_step(struct store *store, const struct job *job, const char *step, int code, const json_t *result,
                       const char *log, struct error *error)
{
    char *record = result ? json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    const json_t *value;
    size_t i;
    bool ok = store_run(store, error,
                        "INSERT OR REPLACE INTO steps (judgement, step, started, ended, exit_code, record, log)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?)",
                        "isddiss", job->judgement, step, job->started, now(), (int64_t)code, record, log ? log : "");

    free(record);
    ok = ok &&
         store_run(store, error,
                   "DELETE FROM samples WHERE run IN (SELECT id FROM runs WHERE judgement = ? AND step = ?)", "is",
                   job->judgement, step) &&
         store_run(store, error, "DELETE FROM runs WHERE judgement = ? AND step = ?", "is", job->judgement, step);
    json_array_foreach(json_object_get(result, "cases"), i, value) ok =
        ok && write_case(store, job->judgement, step, i, value, error);
    return ok;
}

static bool set_done(struct store *store, const struct job *job, const char *verdict, const char *message,
                     struct error *error)
{
    return store_run(store, error,
                     "UPDATE judgements SET state = 'done', verdict = ?, message = ?, ended = ? WHERE id = ?", "ssdi",
                     verdict, message, now(), job->judgement);
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
        return set_done(store, job, "JE", message, error);
    progress_line(&grader->progress, "#%jd attempt %d failed, again: %s", (intmax_t)job->submission, (int)attempts,
                  message);
    return store_run(store, error, "UPDATE judgements SET state = 'new', attempts = ?, message = ? WHERE id = ?", "isi",
                     attempts, message, job->judgement);
}

/* The compiler names files by where they were copied to: that is nobody's business. */
static void cut_out(char *message, char *path, size_t size, const struct grader *grader, const struct job *job)
{
    size_t root = strlen(grader->root) + 1;

    for (int full = 1; full >= 0; full--) {
        snprintf(path, size, "%s/source/", job->work + (full ? 0 : root));
        for (char *at = strstr(message, path); at; at = strstr(message, path))
            memmove(at, at + strlen(path), strlen(at + strlen(path)) + 1);
    }
}

static bool finish_build(struct grader *grader, struct job *job, int code, struct error *error)
{
    static const char *const compilers_words[] = { "error", "Error:", "out of memory", NULL },
                             *const script_words[] = { "grade_build.sh: ", NULL };
    char path[PATH_MAX], message[512] = "", digest[DIGEST_HEX];
    char *log = read_text(in_work(job, "log", path, sizeof path), LOG_KEPT);
    struct store *store = grader->store;
    bool ok;

    first_line(in_work(job, "object", path, sizeof path), job->object, sizeof job->object);
    first_line(in_work(job, "language", path, sizeof path), job->language, sizeof job->language);
    if (code == 0 && (job->object[0] != '/' || !digest_file(job->object, digest, error)))
        code = 3;
    telling_line(log ? log : "", code == 1 ? compilers_words : script_words, message, sizeof message);
    cut_out(message, path, sizeof path, grader, job);
    ok = write_step(store, job, "build", code, NULL, log, error);
    if (ok && code == 0)
        ok = store_run(store, error,
                       "UPDATE judgements SET state = 'samples', object = ?, object_sha256 = ?, language = ? WHERE"
                       " id = ?",
                       "sssi", job->object, digest, job->language, job->judgement);
    else if (ok && (code == 1 || code == 2))
        ok = set_done(store, job, "CE", message, error);
    else if (ok)
        ok = set_failed(grader, job, message[0] ? message : "the build did not end", error);
    free(log);
    return ok;
}

/* The state after one that went well. */
static const char *next_state(const struct grader *grader, const struct job *job, const json_t *result)
{
    const char *kind = text_of(json_object_get(result, "device"), "kind");

    if (strcmp(job->state, "samples") == 0)
        return "secret";
    if (strcmp(job->state, "secret") == 0 && strcmp(text_of(result, "verdict"), "AC") == 0 &&
        (strcmp(kind, "gpu") == 0 || (strcmp(kind, "cpu") == 0 && grader->contest->rank_cpu)))
        return "ranked";
    return "done";
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

static bool finish_run(struct grader *grader, struct job *job, int code, struct error *error)
{
    static const char *const words[] = { "main_host: ", NULL };
    char path[PATH_MAX], message[512] = "";
    char *log = read_text(in_work(job, "log", path, sizeof path), LOG_KEPT);
    json_t *result = json_load_file(in_work(job, "result.json", path, sizeof path), 0, NULL), *baseline;
    struct store *store = grader->store;
    const char *verdict = text_of(result, "verdict"), *next;
    const bool go_on = strcmp(job->state, "samples") == 0 && grader->contest->scoring == SCORING_GROUPS;
    int64_t machine = 0;
    bool ok = true;

    telling_line(log ? log : "", words, message, sizeof message);
    if (code > 1 || !verdict[0] || strcmp(verdict, "JE") == 0) {
        ok = write_step(store, job, job->state, code, result, log, error) &&
             set_failed(grader, job, message[0] ? message : "the host did not end", error);
        goto out;
    }
    if (strcmp(job->state, "ranked") == 0 && grader->contest->scoring == SCORING_RELATIVE) {
        baseline = json_load_file(in_work(job, "baseline.json", path, sizeof path), 0, NULL);
        ok = write_step(store, job, "baseline", 0, baseline, "", error);
        json_decref(baseline);
    }
    ok = ok && write_step(store, job, job->state, code, result, log, error) &&
         machine_of(store, grader->host, result, &machine, error) &&
         store_run(store, error, "UPDATE judgements SET machine = ?, review = max(review, ?) WHERE id = ?", "iii",
                   machine, (int64_t)to_be_reviewed(grader, result), job->judgement);
    if (!ok)
        goto out;
    next = strcmp(verdict, "AC") == 0 || go_on ? next_state(grader, job, result) : "done";
    snprintf(job->state, sizeof job->state, "%s", next);
    ok = strcmp(next, "done") == 0
             ? set_done(store, job, verdict, text_of(result, "message"), error)
             : store_run(store, error, "UPDATE judgements SET state = ? WHERE id = ?", "si", next, job->judgement);
out:
    json_decref(result);
    free(log);
    return ok;
}

/* Whether the baseline ran as it should; else what it did is the step's result, and the machine's fault. */
static bool baseline_ran(struct job *job, int *code)
{
    char from[PATH_MAX];

    job->baseline = false;
    if (*code == 0 && access(in_work(job, "baseline.json", from, sizeof from), R_OK) == 0)
        return true;
    *code = 3;
    return false;
}

/* Nothing is left of a build once its judgement is done. */
static void remove_object(const struct job *job)
{
    char folder[sizeof job->object];

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(job->object, '/') - job->object), job->object);
    tree_remove(folder);
}

void grader_say(struct store *store, struct progress *progress, int64_t judgement)
{
    struct error error;
    sqlite3_stmt *statement = store_prepare(store, &error,
                                            "SELECT s.team, s.problem, s.path, j.verdict, j.message, (SELECT "
                                            "max(median) FROM runs WHERE judgement = j.id AND"
                                            " step = 'ranked'), s.id FROM judgements j JOIN submissions s ON s.id = "
                                            "j.submission WHERE j.id = ? AND j.state = 'done'",
                                            "i", judgement);

    if (statement && store_step(store, statement, &error) == 1) {
        const char *message = (const char *)sqlite3_column_text(statement, 4);
        char time[48] = "";

        if (sqlite3_column_type(statement, 5) != SQLITE_NULL)
            snprintf(time, sizeof time, " %.6f s", sqlite3_column_double(statement, 5));
        progress_line(progress, "#%jd %s %s %s: %s%s%s%.200s", (intmax_t)sqlite3_column_int64(statement, 6),
                      sqlite3_column_text(statement, 0), sqlite3_column_text(statement, 1),
                      sqlite3_column_text(statement, 2), sqlite3_column_text(statement, 3), time, message[0] ? " " : "",
                      message);
    }
    sqlite3_finalize(statement);
}

/* ------------------------------------------------------------------ the slots */

/* Goes on with a run slot's submission, if there is a step left. */
static bool continue_run(struct grader *grader, struct job *job, struct error *error)
{
    unsigned long long seed;

    if (strcmp(job->state, "samples") != 0 && strcmp(job->state, "secret") != 0 && strcmp(job->state, "ranked") != 0)
        return true;
    if (strcmp(job->state, "ranked") == 0) {
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
            return error_system(error, "cannot draw a random number");
        snprintf(job->seed, sizeof job->seed, "%llu", seed);
        job->baseline = grader->contest->scoring == SCORING_RELATIVE;
    }
    job->work[0] = '\0';
    return start_run(grader, job, error);
}

/*
 * Whether the disks have room. On a full one every step fails, and none of the submissions is to blame: the grader ends, with
 * the judgements as they were.
 */
static bool has_room(const struct grader *grader, const struct job *job, struct error *error)
{
    const char *folders[] = { grader->folder, job->work };
    struct statvfs disk;

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (statvfs(folders[i], &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < ROOM)
            return error_toolkit(error, "the disk of '%s' is full (less than %d MiB left): make room and start again; no"
                                        " verdict is lost", folders[i], ROOM >> 20);
    return true;
}

/* A build's job has the state of before: what counts is the database. */
static bool is_done(const struct grader *grader, const struct job *job)
{
    struct error error;
    int64_t done;

    return store_number(grader->store, &error, &done, "SELECT 1 FROM judgements WHERE id = ? AND state = 'done'", "i",
                        job->judgement) &&
           done == 1;
}

static bool finish(struct grader *grader, struct job *job, int code, struct error *error)
{
    const bool built = strcmp(job->state, "building") == 0;
    char work[sizeof job->work], path[PATH_MAX];
    bool ok;

    job->keeper = 0;
    if (job->baseline && baseline_ran(job, &code))
        return start_run(grader, job, error);
    memcpy(work, job->work, sizeof work);
    if (code > 1 && (!built || code > 2)) {
        tree_remove(in_work(job, "out", path, sizeof path)); /* a submission may have filled it itself */
        if (!has_room(grader, job, error))
            return false;
    }
    if (!store_begin(grader->store, error))
        return false;
    ok = built ? finish_build(grader, job, code, error) : finish_run(grader, job, code, error);
    ok = store_end(grader->store, ok, error);
    if (!ok)
        return false;
    if (!built || code != 0) /* a built object is in its work folder until the judgement is done */
        tree_remove(work);
    if (!built && (strcmp(job->state, "done") == 0 || code > 1)) /* after a failure it is built anew */
        remove_object(job);
    grader_say(grader->store, &grader->progress, job->judgement);
    if (grader->done && is_done(grader, job) && !grader->done(grader->context, job->judgement, error))
        return false;
    if (built || code > 1)
        return true;
    return strcmp(job->state, "done") == 0 || continue_run(grader, job, error);
}

/* A built object that is not what was built, after power was lost or build/ was removed, is built again. */
static bool object_is_there(const char *object, const char *digest)
{
    char hex[DIGEST_HEX];
    struct error error;

    return object && digest && digest_file(object, hex, &error) && strcmp(hex, digest) == 0;
}

/* Claims a judgement in one of `states` for a slot and starts its step. */
static bool claim(struct grader *grader, struct job *job, bool build, struct error *error)
{
    const char *sql =
        build ? "SELECT j.id, s.id, s.problem, j.state, j.object, j.object_sha256, j.language FROM judgements j JOIN "
                "submissions s"
                " ON s.id = j.submission WHERE j.state = 'new' ORDER BY j.attempts, j.rejudging IS NOT NULL, j.id"
              : "SELECT j.id, s.id, s.problem, j.state, j.object, j.object_sha256, j.language FROM judgements j JOIN "
                "submissions s"
                " ON s.id = j.submission WHERE j.state IN ('samples', 'secret', 'ranked') ORDER BY j.rejudging IS NOT "
                "NULL, j.id";
    sqlite3_stmt *statement = store_prepare(grader->store, error, sql, "");
    char source[PATH_MAX];
    bool ok = statement != NULL;
    int row = 0;

    while (ok && (row = store_step(grader->store, statement, error)) == 1) {
        const struct contest_problem *problem =
            contest_problem(grader->contest, (const char *)sqlite3_column_text(statement, 2));
        int64_t id = sqlite3_column_int64(statement, 0);
        bool taken = problem == NULL;

        for (size_t i = 0; i < grader->run_count; i++)
            taken = taken || (grader->runs[i].keeper > 0 && grader->runs[i].judgement == id);
        if (!taken)
            break;
    }
    ok = ok && row >= 0;
    if (ok && row == 1) {
        const char *object = (const char *)sqlite3_column_text(statement, 4);
        bool there = object_is_there(object, (const char *)sqlite3_column_text(statement, 5));

        job->judgement = sqlite3_column_int64(statement, 0);
        job->submission = sqlite3_column_int64(statement, 1);
        job->problem = contest_problem(grader->contest, (const char *)sqlite3_column_text(statement, 2));
        job->baseline = false;
        snprintf(job->state, sizeof job->state, "%s",
                 build ? "building" : (const char *)sqlite3_column_text(statement, 3));
        snprintf(job->object, sizeof job->object, "%s", object ? object : "");
        snprintf(job->language, sizeof job->language, "%s",
                 sqlite3_column_type(statement, 6) == SQLITE_NULL ? ""
                                                                  : (const char *)sqlite3_column_text(statement, 6));
        sqlite3_finalize(statement);
        if (!build && !there)
            return store_run(grader->store, error, "UPDATE judgements SET state = 'new' WHERE id = ?", "i",
                             job->judgement);
        if (!build)
            return continue_run(grader, job, error);
        snprintf(source, sizeof source, "%s/grading/sources/%jd", grader->folder, (intmax_t)job->submission);
        return store_run(grader->store, error, "UPDATE judgements SET state = 'building' WHERE id = ?", "i",
                         job->judgement) &&
               start_build(grader, job, source, error);
    }
    sqlite3_finalize(statement);
    return ok;
}

/* Builds every problem's baseline, where speeds relative to it are wanted; of what was handed out, where it is needed. */
static bool build_baselines(struct grader *grader, struct error *error)
{
    const bool gpu = grader->runs[0].gpu[0] != '\0';
    int64_t wanted = 1;

    for (size_t i = 0; i < grader->contest->problem_count && grader->contest->scoring == SCORING_RELATIVE; i++) {
        struct job job = { .problem = &grader->contest->problems[i], .judgement = 0 };
        char source[PATH_MAX], path[PATH_MAX];
        int status;

        if (grader->handed && !store_number(grader->store, error, &wanted,
                                            "SELECT 1 FROM judgements j JOIN submissions s ON s.id = j.submission WHERE"
                                            " j.state <> 'done' AND s.problem = ?",
                                            "s", job.problem->id))
            return false;
        if (!wanted)
            continue;
        if (job.problem->baseline)
            snprintf(source, sizeof source, "%s/%s", grader->root, job.problem->baseline);
        else
            snprintf(source, sizeof source, "%s/problems/%s/submissions/accepted/baseline.%s", grader->root,
                     job.problem->problem, gpu ? "cu" : "c");
        if (!start_build(grader, &job, source, error))
            return false;
        while (waitpid(job.keeper, &status, 0) < 0 && errno == EINTR)
            ;
        first_line(in_work(&job, "object", path, sizeof path), grader->baselines[i], sizeof grader->baselines[i]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || grader->baselines[i][0] != '/')
            return error_toolkit(error, "the baseline '%s' does not build: see %s/log", source, job.work);
    }
    return true;
}

bool grader_add_gpu(struct grader *grader, const char *gpu, struct error *error)
{
    if (!gpu[0] || strlen(gpu) >= sizeof grader->runs[0].gpu)
        return error_usage(error, "--gpu: '%.100s' is no number and no UUID of a GPU", gpu);
    if (grader->run_count == GRADER_GPUS)
        return error_usage(error, "--gpu %s: more than %d GPUs", gpu, GRADER_GPUS);
    for (size_t i = 0; i < grader->run_count; i++)
        if (strcmp(grader->runs[i].gpu, gpu) == 0)
            return error_usage(error, "--gpu %s is given twice: a GPU has one submission at a time", gpu);
    snprintf(grader->runs[grader->run_count++].gpu, sizeof grader->runs[0].gpu, "%s", gpu);
    return true;
}

/* ------------------------------------------------------------------ the loop */

/* Removes the work folders that no unfinished judgement has its object in. */
static bool remove_leftovers(struct grader *grader, const char *folder, struct error *error)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    bool ok = true;

    while (ok && entries && (entry = readdir(entries))) {
        char path[PATH_MAX], object[PATH_MAX + 32];
        int64_t used;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%.3000s/%s", folder, entry->d_name);
        snprintf(object, sizeof object, "%s/device_user.so", path);
        ok = store_number(grader->store, error, &used, "SELECT 1 FROM judgements WHERE state <> 'done' AND object = ?",
                          "s", object);
        if (ok && !used)
            tree_remove(path);
    }
    if (entries)
        closedir(entries);
    return ok;
}

bool grader_token(struct store *store, char *token, size_t size, struct error *error)
{
    char chance[16], drawn[2 * sizeof chance + 1];
    sqlite3_stmt *statement;

    if (getrandom(chance, sizeof chance, 0) != sizeof chance)
        return error_system(error, "cannot draw a random number");
    for (size_t i = 0; i < sizeof chance; i++)
        snprintf(drawn + 2 * i, 3, "%02x", (unsigned char)chance[i]);
    if (!store_run(store, error, "INSERT OR IGNORE INTO contest (id, token, created) VALUES (1, ?, ?)", "sd", drawn,
                   now()))
        return false;
    statement = store_prepare(store, error, "SELECT token FROM contest", "");
    if (!statement || store_step(store, statement, error) != 1)
        return sqlite3_finalize(statement), false;
    snprintf(token, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return true;
}

static bool prepare(struct grader *grader, struct error *error)
{
    char path[PATH_MAX], number[32];
    int64_t done;

    if (!grader_token(grader->store, grader->token, sizeof grader->token, error))
        return false;
    snprintf(path, sizeof path, "%.2000s/grading/%s", grader->build, grader->token);
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return error_system(error, "cannot make '%s'", path);
    if (!store_number(grader->store, error, &done, "SELECT count(*) FROM judgements WHERE state = 'done'", ""))
        return false;
    snprintf(number, sizeof number, "%.0f", grader->contest->files);
    setenv("GRADE_FILES", number, 1);
    snprintf(number, sizeof number, "%g", grader->contest->megabytes);
    setenv("GRADE_MEGABYTES", number, 1);
    progress_begin(&grader->progress, (size_t)done, now());
    /* Nobody else grades this contest (main_grade.c holds its lock): what is being built is left of one that ended. */
    return store_run(grader->store, error, "UPDATE judgements SET state = 'new' WHERE state = 'building'", "") &&
           remove_leftovers(grader, path, error) && build_baselines(grader, error);
}

static size_t busy(const struct job *jobs, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += jobs[i].keeper > 0;
    return sum;
}

static bool fill(struct grader *grader, struct error *error)
{
    bool ok = true;

    for (size_t i = 0; ok && i < grader->run_count; i++)
        if (grader->runs[i].keeper == 0)
            ok = claim(grader, &grader->runs[i], false, error);
    for (size_t i = 0; ok && i < grader->build_count; i++)
        if (grader->builds[i].keeper == 0)
            ok = claim(grader, &grader->builds[i], true, error);
    return ok;
}

/* Writes down every step that has ended. */
static bool collect(struct grader *grader, struct error *error)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct job *job = NULL;

        for (size_t i = 0; i < grader->build_count; i++)
            job = grader->builds[i].keeper == pid ? &grader->builds[i] : job;
        for (size_t i = 0; i < grader->run_count; i++)
            job = grader->runs[i].keeper == pid ? &grader->runs[i] : job;
        if (job && !finish(grader, job, WIFEXITED(status) ? WEXITSTATUS(status) : KEEPER_KILLED, error))
            return false;
    }
    return true;
}

static bool show(struct grader *grader, struct error *error)
{
    int64_t done, all;

    if (!grader->progress.terminal)
        return true;
    if (!store_number(grader->store, error, &done, "SELECT count(*) FROM judgements WHERE state = 'done'", "") ||
        !store_number(grader->store, error, &all, "SELECT count(*) FROM judgements", ""))
        return false;
    progress_show(&grader->progress, (size_t)done, (size_t)all, busy(grader->builds, grader->build_count),
                  busy(grader->runs, grader->run_count), now());
    return true;
}

/* What is in the database and will never be graded: its problem is no more in contest.yaml. */
static bool tell_left(struct grader *grader, struct error *error)
{
    int64_t left;

    if (!store_number(grader->store, error, &left, "SELECT count(*) FROM judgements WHERE state <> 'done'", ""))
        return false;
    if (left > 0)
        progress_line(&grader->progress, "%jd submissions are not graded: contest.yaml has their problems no more",
                      (intmax_t)left);
    return true;
}

static void stop_all(struct grader *grader)
{
    for (size_t i = 0; i < grader->build_count; i++)
        if (grader->builds[i].keeper > 0)
            kill(grader->builds[i].keeper, SIGTERM);
    for (size_t i = 0; i < grader->run_count; i++)
        if (grader->runs[i].keeper > 0)
            kill(grader->runs[i].keeper, SIGTERM);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}

bool grader_run(struct grader *grader, bool *stopped, struct error *error)
{
    double scanned = 0;
    char folder[PATH_MAX];
    sigset_t signals;
    bool ok;

    *stopped = false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    ok = keeper_begin(error) && prepare(grader, error);
    while (ok && !*stopped) {
        int signal;

        if (!grader->handed && (scanned == 0 || (grader->watch && now() - scanned >= 1))) {
            ok = intake_scan(&grader->intake, grader->store, error);
            scanned = now();
        }
        ok = ok && collect(grader, error) && fill(grader, error) && show(grader, error);
        if (ok && grader->failed && grader->stop_on_failure)
            break;
        if (ok && !grader->watch && busy(grader->builds, grader->build_count) + busy(grader->runs, grader->run_count) == 0) {
            ok = tell_left(grader, error);
            break;
        }
        if (!ok)
            break;
        signal = sigtimedwait(&signals, NULL, &(struct timespec){ .tv_nsec = 250000000 });
        *stopped = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
    }
    stop_all(grader);
    snprintf(folder, sizeof folder, "%.2000s/grading/%s", grader->build, grader->token);
    rmdir(folder); /* it stays where something is built and not judged yet */
    progress_end(&grader->progress);
    return ok;
}
