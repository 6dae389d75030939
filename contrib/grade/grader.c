/*
 * grader.c - the slots, and the loop that fills them; a step is step.c's.
 */
#include "grader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contrib/grade/store/queue.h"
#include "explain.h"
#include "keeper.h"
#include "step.h"
#include "verify/base/clock.h"
#include "verify/base/digest.h"
#include "verify/base/tree.h"

enum { ROOM = 16 << 20 }; /* bytes: a disk with less is full */

/* How long a GPU keeps the context of a slot's warden while there is nothing to build and to run. */
static const double warden_idle_seconds = 5;

/*
 * A file's name for the grader's line. ": " ends the names there, so a colon is shown as its number: no name looks like
 * another file and its verdict. A long one is cut, so that the verdict is seen.
 */
static void show_name(char *line, size_t size, const char *name)
{
    static const char colon[] = "<U+003A>", cut[] = "...";
    size_t used = 0;

    for (; *name && used + sizeof colon + sizeof cut < size; name++)
        used += (size_t)snprintf(line + used, size - used, "%.*s", *name == ':' ? (int)sizeof colon : 1,
                                 *name == ':' ? colon : name);
    while (*name && used > 0 && ((unsigned char)line[used - 1] & 0x80)) /* not within a character */
        used--;
    snprintf(line + used, size - used, "%s", *name ? cut : "");
}

void grader_say(const struct contest *contest, struct store *store, struct progress *progress, int64_t judgement)
{
    struct error error;
    sqlite3_stmt *statement =
        store_prepare(store, &error,
                      "SELECT s.team, s.problem, s.path, j.verdict, j.reason, (SELECT max(median) FROM runs WHERE"
                      " judgement = j.id AND step = " SQL(NAME_RANKED) "), s.id, s.submitted FROM judgements j"
                      " JOIN submissions s ON s.id = j.submission WHERE j.id = ? AND j.state = " SQL(NAME_DONE),
                      "i", judgement);

    if (store_step(store, statement, &error) == STORE_ROW) {
        const char *message = (const char *)sqlite3_column_text(statement, 4);
        const double submitted = sqlite3_column_double(statement, 7);
        const char *outside = contest->start > 0 && submitted < contest->start ? " (before the start)"
                              : contest->end > 0 && submitted >= contest->end  ? " (after the end)"
                                                                               : "";
        char time[48] = "", name[160];

        show_name(name, sizeof name, (const char *)sqlite3_column_text(statement, 2));
        if (sqlite3_column_type(statement, 5) != SQLITE_NULL)
            snprintf(time, sizeof time, " %.6f s", sqlite3_column_double(statement, 5));
        progress_line(progress, "#%jd %s %s %s: %s%s%s%s%.200s", (intmax_t)sqlite3_column_int64(statement, 6),
                      sqlite3_column_text(statement, 0), sqlite3_column_text(statement, 1),
                      name, sqlite3_column_text(statement, 3), time, outside,
                      message[0] ? " " : "", message);
    }
    sqlite3_finalize(statement);
}

/* ------------------------------------------------------------------ the slots */

/* Goes on with a run slot's submission, if there is a step left. */
static bool continue_run(struct grader *grader, struct job *job, struct error *error)
{
    unsigned long long seed;

    if (job->state < JUDGEMENT_SAMPLES || job->state == JUDGEMENT_DONE)
        return true;
    if (job->state == JUDGEMENT_RANKED) {
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
            return error_system(error, "cannot draw a random number");
        snprintf(job->seed, sizeof job->seed, "%llu", seed);
        job->baseline = grader->contest->scoring == SCORING_RELATIVE;
    }
    job->work[0] = '\0';
    return step_start_run(grader, job, error);
}

/*
 * Whether the disks have room. On a full one every step fails, and none of the submissions is to blame: the grader
 * ends, with the judgements as they were.
 */
static bool has_room(const struct grader *grader, const struct job *job, struct error *error)
{
    const char *folders[] = { grader->folder, job->work };
    struct statvfs disk;

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (statvfs(folders[i], &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < ROOM)
            return error_toolkit(error, "the disk of '%s' is full (less than %d MiB left): make room and start again;"
                                        " no verdict is lost", folders[i], ROOM >> 20);
    return true;
}

/* A build's job has the state of before: what counts is the database. */
static bool is_done(const struct grader *grader, const struct job *job)
{
    struct error error;
    bool done;

    return judgement_is_done(grader->store, job->judgement, &done, &error) && done;
}

static bool finish(struct grader *grader, struct job *job, int code, struct error *error)
{
    const bool built = job->state == JUDGEMENT_BUILDING;
    char work[sizeof job->work], path[PATH_MAX];
    bool ok, over;

    job->keeper = 0;
    job->idle = clock_wall();
    if (code > EXIT_REJECTED) /* the host may have been ended in the middle of a question */
        warden_give_up(&job->warden);
    if (job->baseline && step_baseline_ran(job, &code))
        return step_start_run(grader, job, error);
    if (job->explained[0]) {
        job->explain_code = code;
        code = job->samples_code;
    } else if (job->state == JUDGEMENT_SAMPLES && code <= EXIT_REJECTED && explain_is_due(grader, job)) {
        job->samples_code = code;
        return explain_start(grader, job, error);
    }
    if (job->fault[0] && !grader->handed) /* the organiser's: no judgement is charged for it */
        return error_usage(error, "%s: choose another 'baseline' in contest.yaml and start again", job->fault);
    memcpy(work, job->work, sizeof work);
    if (code > EXIT_REJECTED && (!built || code > EXIT_USAGE)) {
        tree_remove(step_path(job, "out", path, sizeof path)); /* a submission may have filled it itself */
        if (!has_room(grader, job, error))
            return false;
    }
    if (!store_begin(grader->store, error))
        return false;
    over = is_done(grader, job); /* its rejudging was cancelled meanwhile: it keeps the verdict that it got by that */
    ok = over    ? true
         : built ? step_finish_build(grader, job, code, error)
                 : step_finish_run(grader, job, code, error);
    if (ok && !over && !built && job->explained[0])
        ok = explain_write(grader->store, job, error);
    ok = store_end(grader->store, ok, error);
    if (!ok)
        return false;
    if (over) {
        tree_remove(work);
        if (!built)
            step_remove_object(job);
        return true;
    }
    if (!built || code != EXIT_ACCEPTED) /* a built object is in its work folder until the judgement is done */
        tree_remove(work);
    if (!built && (job->state == JUDGEMENT_DONE || code > EXIT_REJECTED)) /* after a failure it is built anew */
        step_remove_object(job);
    grader_say(grader->contest, grader->store, &grader->progress, job->judgement);
    if (grader->done && is_done(grader, job) && !grader->done(grader->context, job->judgement, error))
        return false;
    if (built || code > EXIT_REJECTED)
        return true;
    return job->state == JUDGEMENT_DONE || continue_run(grader, job, error);
}

/* A built object that is not what was built, after power was lost or build/ was removed, is built again. */
static bool object_is_there(const char *object, const char *digest)
{
    char hex[DIGEST_HEX];
    struct error error;

    return object && digest && digest_file(object, hex, &error) && strcmp(hex, digest) == 0;
}

/* What a slot is about to do: a row of the queue. False for a state that this program does not know. */
static bool take_job(const struct grader *grader, struct job *job, sqlite3_stmt *row, struct error *error)
{
    const char *object = (const char *)sqlite3_column_text(row, QUEUE_OBJECT);
    const char *language = (const char *)sqlite3_column_text(row, QUEUE_LANGUAGE);

    job->judgement = sqlite3_column_int64(row, QUEUE_JUDGEMENT);
    job->submission = sqlite3_column_int64(row, QUEUE_SUBMISSION);
    job->problem = contest_problem(grader->contest, (const char *)sqlite3_column_text(row, QUEUE_PROBLEM));
    job->baseline = false;
    snprintf(job->object, sizeof job->object, "%s", object ? object : "");
    snprintf(job->language, sizeof job->language, "%s", language ? language : "");
    return judgement_state_parse((const char *)sqlite3_column_text(row, QUEUE_STATE), &job->state) ||
           error_toolkit(error, "judgement %jd has an unknown state", (intmax_t)job->judgement);
}

static bool begin_build(struct grader *grader, struct job *job, struct error *error)
{
    char source[PATH_MAX];

    job->state = JUDGEMENT_BUILDING;
    snprintf(source, sizeof source, "%s/grading/sources/%jd", grader->folder, (intmax_t)job->submission);
    return store_run(grader->store, error,
                     "UPDATE judgements SET state = " SQL(NAME_BUILDING) ", begun = coalesce(begun, ?) WHERE id = ?"
                     " AND state = " SQL(NAME_NEW), "di", clock_wall(), job->judgement) &&
           step_start_build(grader, job, source, error);
}

/* Claims a judgement that is to be built, or run, for a slot and starts its step. */
static bool claim(struct grader *grader, struct job *job, bool build, struct error *error)
{
    sqlite3_stmt *statement = queue_open(grader->store, build ? QUEUE_BUILD : QUEUE_RUN, clock_wall(), error);
    bool ok = statement != NULL, there = false;
    enum store_row row = STORE_END;

    while (ok && (row = store_step(grader->store, statement, error)) == STORE_ROW) {
        const struct contest_problem *problem =
            contest_problem(grader->contest, (const char *)sqlite3_column_text(statement, QUEUE_PROBLEM));
        int64_t id = sqlite3_column_int64(statement, QUEUE_JUDGEMENT);
        bool taken = problem == NULL;

        for (size_t i = 0; i < grader->run_count; i++)
            taken = taken || (grader->runs[i].keeper > 0 && grader->runs[i].judgement == id);
        if (!taken)
            break;
    }
    ok = ok && row != STORE_FAILED;
    if (ok && row == STORE_ROW) {
        there = object_is_there((const char *)sqlite3_column_text(statement, QUEUE_OBJECT),
                                (const char *)sqlite3_column_text(statement, QUEUE_DIGEST));
        ok = take_job(grader, job, statement, error);
    }
    sqlite3_finalize(statement);
    if (!ok || row != STORE_ROW)
        return ok;
    if (build)
        return begin_build(grader, job, error);
    if (there)
        return continue_run(grader, job, error);
    return store_run(grader->store, error,
                     "UPDATE judgements SET state = " SQL(NAME_NEW) " WHERE id = ? AND state <> " SQL(NAME_DONE), "i",
                     job->judgement);
}

/*
 * Builds every problem's baseline where speeds relative to it are wanted; of what was handed out, where it is needed.
 */
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
                                            " j.state <> " SQL(NAME_DONE) " AND s.problem = ?",
                                            "s", job.problem->id))
            return false;
        if (!wanted)
            continue;
        if (job.problem->baseline)
            snprintf(source, sizeof source, "%s/%s", grader->root, job.problem->baseline);
        else
            snprintf(source, sizeof source, "%s/problems/%s/submissions/accepted/baseline.%s", grader->root,
                     job.problem->problem, gpu ? "cu" : "c");
        if (!step_start_build(grader, &job, source, error))
            return false;
        while (waitpid(job.keeper, &status, 0) < 0 && errno == EINTR)
            ;
        step_first_line(step_path(&job, "object", path, sizeof path), grader->baselines[i],
                        sizeof grader->baselines[i]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || grader->baselines[i][0] != '/')
            return error_toolkit(error, "the baseline '%s' does not build: see %s/log", source, job.work);
    }
    return true;
}

bool grader_add_gpu(struct grader *grader, const char *gpu, struct error *error)
{
    if (!gpu[0] || strlen(gpu) >= sizeof grader->runs[0].gpu)
        return error_usage(error, "--gpu: '%.100s' is not the number or UUID of a GPU", gpu);
    if (grader->run_count == GRADER_GPUS)
        return error_usage(error, "--gpu %s: more than %d GPUs", gpu, GRADER_GPUS);
    for (size_t i = 0; i < grader->run_count; i++)
        if (strcmp(grader->runs[i].gpu, gpu) == 0)
            return error_usage(error, "--gpu %s is given twice: a GPU runs one submission at a time", gpu);
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
        ok = store_number(grader->store, error, &used, "SELECT 1 FROM judgements WHERE state <> " SQL(NAME_DONE)
                          " AND object = ?", "s", object);
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
                   clock_wall()))
        return false;
    statement = store_prepare(store, error, "SELECT token FROM contest", "");
    if (store_step(store, statement, error) != STORE_ROW)
        return sqlite3_finalize(statement), false;
    snprintf(token, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return true;
}

static bool prepare(struct grader *grader, struct error *error)
{
    char path[PATH_MAX], number[32];
    int64_t done, all;

    if (!grader_token(grader->store, grader->token, sizeof grader->token, error))
        return false;
    snprintf(path, sizeof path, "%.2000s/grading/%s", grader->build, grader->token);
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return error_system(error, "cannot make '%s'", path);
    if (!judgement_count(grader->store, &done, &all, error))
        return false;
    snprintf(number, sizeof number, "%.0f", grader->contest->files);
    setenv("GRADE_FILES", number, 1);
    snprintf(number, sizeof number, "%g", grader->contest->megabytes);
    setenv("GRADE_MEGABYTES", number, 1);
    progress_begin(&grader->progress, (size_t)done, clock_wall());
    /* Nobody else grades this contest (main_grade.c holds its lock): what is being built is left of one that ended. */
    return store_run(grader->store, error, "UPDATE judgements SET state = " SQL(NAME_NEW) " WHERE state = "
                     SQL(NAME_BUILDING), "") &&
           remove_leftovers(grader, path, error) && build_baselines(grader, error);
}

static size_t busy(const struct job *jobs, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += jobs[i].keeper > 0;
    return sum;
}

/* While a submission is built that may use a GPU, the slot that will run it gets its warden, which takes some time. */
static void start_wardens(struct grader *grader)
{
    size_t wanted = 0;

    for (size_t i = 0; i < grader->build_count; i++)
        wanted += grader->builds[i].keeper > 0 && strcmp(grader->builds[i].language, "C") != 0;
    for (size_t i = 0; i < grader->run_count && wanted > 0; i++)
        if (grader->runs[i].keeper == 0) {
            step_warden(grader, &grader->runs[i]);
            wanted--;
        }
}

static bool fill(struct grader *grader, struct error *error)
{
    const size_t built = busy(grader->builds, grader->build_count);
    bool ok = true;

    for (size_t i = 0; ok && i < grader->run_count; i++)
        if (grader->runs[i].keeper == 0)
            ok = claim(grader, &grader->runs[i], false, error);
    for (size_t i = 0; ok && i < grader->build_count; i++)
        if (grader->builds[i].keeper == 0)
            ok = claim(grader, &grader->builds[i], true, error);
    if (busy(grader->builds, grader->build_count) > built)
        start_wardens(grader);
    return ok;
}

/* Wardens that nobody has asked for a while, and nobody is about to. */
static void end_wardens(struct grader *grader)
{
    if (busy(grader->builds, grader->build_count) > 0)
        return;
    for (size_t i = 0; i < grader->run_count; i++)
        if (grader->runs[i].keeper == 0 && clock_wall() - grader->runs[i].idle > warden_idle_seconds)
            warden_give_up(&grader->runs[i].warden);
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
        for (size_t i = 0; i < grader->run_count; i++) {
            job = grader->runs[i].keeper == pid ? &grader->runs[i] : job;
            if (grader->runs[i].warden.pid == pid) /* a host found fault with it */
                warden_give_up(&grader->runs[i].warden);
        }
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
    if (!judgement_count(grader->store, &done, &all, error))
        return false;
    progress_show(&grader->progress, (size_t)done, (size_t)all, busy(grader->builds, grader->build_count),
                  busy(grader->runs, grader->run_count), clock_wall());
    return true;
}

/* What is in the database and will never be graded: its problem is no more in contest.yaml. */
static void tell_left(struct grader *grader, int64_t left)
{
    if (left > 0)
        progress_line(&grader->progress, "%jd submissions are not graded: contest.yaml has their problems no more",
                      (intmax_t)left);
}

static bool count_left(struct grader *grader, int64_t *left, struct error *error)
{
    int64_t done = 0, all = 0;
    const bool ok = judgement_count(grader->store, &done, &all, error);

    *left = all - done;
    return ok;
}

/* Where times make the score, and none will be taken. */
static void tell_timeless(const struct grader *grader)
{
    const enum scoring scoring = grader->contest->scoring;

    if ((scoring == SCORING_FASTEST || scoring == SCORING_RELATIVE) && !grader->contest->rank_cpu &&
        grader->runs[0].gpu[0] == '\0' && !grader->handed)
        fprintf(stderr,
                "grader: scoring is %s, there is no GPU to use, and scoring.rank_cpu is no: nothing gets a time\n",
                scoring_names[scoring]);
}

static void wait_for_keepers(const struct job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        while (jobs[i].keeper > 0 && waitpid(jobs[i].keeper, NULL, 0) < 0 && errno == EINTR)
            ;
}

static void stop_all(struct grader *grader)
{
    for (size_t i = 0; i < grader->build_count; i++)
        if (grader->builds[i].keeper > 0)
            kill(grader->builds[i].keeper, SIGTERM);
    for (size_t i = 0; i < grader->run_count; i++) {
        if (grader->runs[i].keeper > 0)
            kill(grader->runs[i].keeper, SIGTERM);
        warden_give_up(&grader->runs[i].warden);
    }
    /* Not for the wardens, which end without it: on a GPU that hangs that may take for ever. */
    wait_for_keepers(grader->builds, grader->build_count);
    wait_for_keepers(grader->runs, grader->run_count);
}

static void say_refused(void *context, int64_t judgement)
{
    struct grader *grader = context;

    grader_say(grader->contest, grader->store, &grader->progress, judgement);
}

bool grader_run(struct grader *grader, bool *stopped, struct error *error)
{
    double scanned = 0;
    char folder[PATH_MAX];
    sigset_t signals;
    int64_t left = 0;
    bool ok, asked = false;

    *stopped = false;
    grader->intake.refused = say_refused;
    grader->intake.context = grader;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    ok = keeper_begin(error) && prepare(grader, error);
    if (ok)
        tell_timeless(grader);
    while (ok && !asked) {
        int signal;

        if (!grader->handed &&
            (scanned == 0 || ((grader->watch || grader->intake.waiting > 0) && clock_wall() - scanned >= 1))) {
            ok = intake_scan(&grader->intake, grader->store, error);
            scanned = clock_wall();
        }
        ok = ok && collect(grader, error) && fill(grader, error) && show(grader, error);
        if (ok && grader->failed && grader->stop_on_failure)
            break;
        if (ok && !grader->watch && grader->intake.waiting == 0 &&
            busy(grader->builds, grader->build_count) + busy(grader->runs, grader->run_count) == 0) {
            ok = count_left(grader, &left, error);
            if (ok)
                tell_left(grader, left);
            break;
        }
        if (!ok)
            break;
        end_wardens(grader);
        signal = sigtimedwait(&signals, NULL, &(struct timespec){ .tv_nsec = 250000000 });
        asked = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
    }
    stop_all(grader);
    if (ok && asked)
        ok = count_left(grader, &left, error);
    *stopped = ok && asked && left > 0;
    snprintf(folder, sizeof folder, "%.2000s/grading/%s", grader->build, grader->token);
    rmdir(folder); /* it stays where something is built and not judged yet */
    progress_end(&grader->progress);
    return ok;
}
