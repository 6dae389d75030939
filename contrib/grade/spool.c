/*
 * spool.c - orders out, results in. See spool.h.
 */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contrib/grade/store/judgement.h"
#include "contrib/grade/store/queue.h"
#include "verify/base/clock.h"

enum { COLUMNS = 1024 };

/* A path below the spool of a contest. */
static const char *in_spool(const char *folder, char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static const char *in_spool(const char *folder, char path[PATH_MAX], const char *format, ...)
{
    size_t used = (size_t)snprintf(path, PATH_MAX, "%.3000s/grading/slurm/", folder);
    va_list values;

    va_start(values, format);
    vsnprintf(path + used, PATH_MAX - used, format, values);
    va_end(values);
    return path;
}

/* ------------------------------------------------------------------ one judgement from database to database */

/* The columns of a table but those in `without` (", id, valid,"), with commas between. */
static bool columns_of(struct store *store, const char *table, const char *without, char columns[COLUMNS],
                       struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error,
                                            "SELECT group_concat('\"' || name || '\"', ', ') FROM pragma_table_info(?)"
                                            " WHERE instr(?, ' ' || name || ',') = 0",
                                            "ss", table, without);
    const enum store_row row = store_step(store, statement, error);

    if (row == STORE_ROW)
        snprintf(columns, COLUMNS, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return row == STORE_ROW;
}

/* sprintf() of column names, which are the schema's, into a statement, and running it for a judgement. */
static bool run_for(struct store *store, int64_t judgement, struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool run_for(struct store *store, int64_t judgement, struct error *error, const char *format, ...)
{
    char sql[4 * COLUMNS];
    va_list values;

    va_start(values, format);
    vsnprintf(sql, sizeof sql, format, values);
    va_end(values);
    return store_run(store, error, sql, "i", judgement);
}

/*
 * From the attached database `other` to `main`, which has the same judgement, not done. *taken tells whether that was
 * so; a judgement that has its verdict keeps it.
 */
static bool copy_judgement(struct store *store, int64_t judgement, bool *taken, struct error *error)
{
    char judged[COLUMNS], machine[COLUMNS], run[COLUMNS];
    int64_t offset;

    *taken = false;
    if (!columns_of(store, "judgements", " id, submission, valid, rejudging, machine, created, object, object_sha256,",
                    judged, error) ||
        !columns_of(store, "machines", " id,", machine, error) || !columns_of(store, "runs", " id,", run, error) ||
        !run_for(store, judgement, error,
                 "INSERT OR IGNORE INTO main.machines (%s) SELECT %s FROM other.machines WHERE id IN"
                 " (SELECT machine FROM other.judgements WHERE id = ?1)",
                 machine, machine) ||
        !run_for(store, judgement, error,
                 "UPDATE main.judgements SET (%s) = (SELECT %s FROM other.judgements WHERE id = ?1), object = NULL,"
                 " object_sha256 = NULL, machine = (SELECT m.id FROM other.judgements j JOIN other.machines o ON o.id ="
                 " j.machine JOIN main.machines m ON m.host = o.host AND m.kind = o.kind AND m.name = o.name AND"
                 " m.uuid = o.uuid AND m.driver = o.driver WHERE j.id = ?1) WHERE id = ?1 AND state <> " SQL(NAME_DONE),
                 judged, judged))
        return false;
    *taken = sqlite3_changes(store->db) > 0;
    if (!*taken)
        return true;
    return run_for(store, judgement, error,
                   "DELETE FROM main.samples WHERE run IN (SELECT id FROM main.runs WHERE judgement = ?1)") &&
           run_for(store, judgement, error, "DELETE FROM main.runs WHERE judgement = ?1") &&
           run_for(store, judgement, error, "DELETE FROM main.steps WHERE judgement = ?1") &&
           store_number(store, error, &offset, "SELECT coalesce(max(id), 0) FROM main.runs", "") &&
           run_for(store, judgement, error, "INSERT INTO main.steps SELECT * FROM other.steps WHERE judgement = ?1") &&
           run_for(store, judgement, error,
                   "INSERT INTO main.runs (id, %s) SELECT id + %jd, %s FROM other.runs WHERE judgement = ?1", run,
                   (intmax_t)offset, run) &&
           run_for(store, judgement, error,
                   "INSERT INTO main.samples (run, number, seconds)"
                   " SELECT run + %jd, number, seconds FROM other.samples"
                   " WHERE run IN (SELECT id FROM other.runs WHERE judgement = ?1)",
                   (intmax_t)offset);
}

static bool copy_file(const char *from, const char *to, struct error *error)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    struct stat info;
    off_t left = 0;
    bool ok = in >= 0 && out >= 0 && fstat(in, &info) == 0;

    for (left = ok ? info.st_size : 0; ok && left > 0;) {
        ssize_t sent = sendfile(out, in, NULL, (size_t)left);

        ok = sent > 0;
        left -= sent;
    }
    ok = ok && fsync(out) == 0;
    ok = (ok || error_system(error, "cannot copy '%s' to '%s'", from, to));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}

bool spool_put(const char *own, const char *scratch, const char *results, int64_t judgement, struct error *error)
{
    char path[PATH_MAX], part[PATH_MAX], whole[PATH_MAX];
    struct store store;
    bool ok, taken = false;

    snprintf(path, sizeof path, "%s/%jd.db", scratch, (intmax_t)judgement);
    unlink(path);
    if (!store_open(&store, path, STORE_WRITE, error))
        return false;
    ok = store_run(&store, error, "ATTACH ? AS other", "s", own) && store_begin(&store, error);
    if (ok) {
        ok = store_run(&store, error, "INSERT INTO main.contest SELECT * FROM other.contest", "") &&
             run_for(&store, judgement, error,
                     "INSERT INTO main.submissions SELECT * FROM other.submissions WHERE id = (SELECT submission FROM"
                     " other.judgements WHERE id = ?)") &&
             run_for(&store, judgement, error,
                     "INSERT INTO main.judgements (id, submission, created) SELECT id, submission, created FROM"
                     " other.judgements WHERE id = ?") &&
             copy_judgement(&store, judgement, &taken, error);
        ok = store_end(&store, ok, error);
    }
    ok = ok && store_run(&store, error, "DETACH other", "") &&
         store_run(&store, error, "PRAGMA journal_mode = DELETE", "");
    store_close(&store);
    snprintf(part, sizeof part, "%s/%jd.part-%jd-%.0f", results, (intmax_t)judgement, (intmax_t)getpid(),
             1e6 * clock_wall());
    snprintf(whole, sizeof whole, "%s/%jd.db", results, (intmax_t)judgement);
    if (ok && copy_file(path, part, error))
        ok = rename(part, whole) == 0 || error_system(error, "cannot rename '%s'", part);
    else
        ok = false;
    unlink(path);
    return ok;
}

/* ------------------------------------------------------------------ a machine's own database */

/* Each is a team of its own, and as old as its line is far up: the queue here has the order of the file. */
bool spool_read_order(struct store *store, const char *order, const char *results, char *token, size_t size,
                      struct error *error)
{
    FILE *file = fopen(order, "re");
    char line[512], problem[160], read[64], path[PATH_MAX];
    intmax_t judgement, submission, attempts;
    const char *name = strrchr(order, '/');
    bool ok = true;

    token[0] = '\0';
    if (!file)
        return errno == ENOENT || error_system(error, "cannot open the order '%s'", order);
    if (!fgets(line, sizeof line, file) || sscanf(line, "grade-order 1 %63s", read) != 1) {
        fclose(file);
        return error_toolkit(error, "'%s' is not an order of this version", order);
    }
    snprintf(token, size, "%s.%.40s", read, name ? name + 1 : order);
    ok = store_begin(store, error);
    if (ok) {
        ok = store_run(store, error, "INSERT OR IGNORE INTO contest (id, token, created) VALUES (1, ?, ?)", "sd", token,
                       clock_wall());
        while (ok && fgets(line, sizeof line, file)) {
            if (sscanf(line, "%jd %jd %159s %jd", &judgement, &submission, problem, &attempts) != 4) {
                ok = error_toolkit(error, "'%s' has a line that does not belong to an order", order);
                break;
            }
            snprintf(path, sizeof path, "%s/%jd.db", results, judgement);
            if (access(path, F_OK) == 0)
                continue;
            ok = store_run(store, error,
                           "INSERT OR IGNORE INTO submissions"
                           " (id, team, problem, path, sha256, stamp, submitted, found)"
                           " VALUES (?1, ?1, ?2, ?1, '', '', 0, 0)",
                           "is", (int64_t)submission, problem) &&
                 store_run(store, error,
                           "INSERT OR IGNORE INTO judgements (id, submission, valid, attempts, created) VALUES"
                           " (?, ?, 0, ?, (SELECT count(*) FROM judgements))",
                           "iii", (int64_t)judgement, (int64_t)submission, (int64_t)attempts);
        }
        ok = store_end(store, ok, error);
    }
    fclose(file);
    return ok;
}

/* ------------------------------------------------------------------ the contest's database */

/* A round and a task of "12-3" or "12-3.started". */
static bool order_name(const char *name, int *round, int *task, const char **rest)
{
    int used = 0;

    if (sscanf(name, "%d-%d%n", round, task, &used) != 2 || used == 0)
        return false;
    *rest = name + used;
    return *rest[0] == '\0' || *rest[0] == '.';
}

/* Whether the attached database is sound, of this schema, and has a verdict for that judgement of this contest. */
static bool is_whole(struct store *store, int64_t judgement, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error, "PRAGMA other.quick_check(1)", "");
    int64_t version, there = 0;
    bool ok = store_step(store, statement, error) == STORE_ROW &&
              strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;

    sqlite3_finalize(statement);
    return ok && store_number(store, error, &version, "PRAGMA other.user_version", "") && version == store_schema() &&
           store_number(store, error, &there,
                        "SELECT 1 FROM main.contest c JOIN other.contest o ON substr(o.token, 1, length(c.token)) ="
                        " c.token JOIN other.judgements j WHERE j.id = ? AND j.state = " SQL(NAME_DONE),
                        "i", judgement) &&
           there;
}

/* Takes one result; one that cannot be read is put aside. *taken: the judgement got its verdict from it. */
static bool take_result(struct store *store, const char *path, int64_t judgement, bool *taken, struct error *error)
{
    char aside[PATH_MAX + 8];
    struct error why = { 0 };
    bool attached = store_run(store, &why, "ATTACH ? AS other", "s", path), ok = true,
         whole = attached && is_whole(store, judgement, &why);

    *taken = false;
    if (whole && (ok = store_begin(store, error))) {
        ok = copy_judgement(store, judgement, taken, error);
        ok = store_end(store, ok, error);
    }
    if (attached)
        store_run(store, &(struct error){ 0 }, "DETACH other", "");
    if (whole)
        return ok;
    snprintf(aside, sizeof aside, "%s.bad", path);
    fprintf(stderr, "grader: the result '%s' is not whole%s%s: it is left as '%s', and graded again\n", path,
            why.text[0] ? ": " : "", why.text, aside);
    return rename(path, aside) == 0 || error_system(error, "cannot rename '%s'", path);
}

static bool gather(const struct contest *contest, const char *folder, struct store *store, struct progress *progress,
                   struct error *error)
{
    char path[PATH_MAX];
    DIR *entries = opendir(in_spool(folder, path, "results"));
    struct dirent *entry;
    bool ok = entries != NULL || error_system(error, "cannot read '%s'", path);

    while (ok && (entry = readdir(entries))) {
        char *end;
        int64_t judgement = strtoll(entry->d_name, &end, 10);
        bool taken = false, done = false;

        if (judgement <= 0 || strcmp(end, ".db") != 0)
            continue;
        ok = judgement_is_done(store, judgement, &done, error);
        if (ok && !done)
            ok = take_result(store, in_spool(folder, path, "results/%s", entry->d_name), judgement, &taken, error);
        if (taken)
            grader_say(contest, store, progress, judgement);
    }
    if (entries)
        closedir(entries);
    return ok;
}

/* A lost order counts as an attempt of the judgement that it had begun: three in a row are no accident. */
static bool charge(const struct contest *contest, struct store *store, struct progress *progress, int64_t judgement,
                   const char *order, struct error *error)
{
    char message[160];
    int64_t attempts;

    if (!store_number(store, error, &attempts, "SELECT attempts + 1 FROM judgements WHERE id = ?", "i", judgement) ||
        !store_run(store, error, "UPDATE judgements SET attempts = ? WHERE id = ?", "ii", attempts, judgement))
        return false;
    if (attempts < (int64_t)contest->attempts)
        return true;
    snprintf(message, sizeof message, "%d tasks of the cluster ended without a result, the last one %.40s",
             (int)attempts, order);
    if (!judgement_end(store, judgement, "JE", message, REASON_OF_JE, error))
        return false;
    grader_say(contest, store, progress, judgement);
    return true;
}

/*
 * The orders that are there. Marks the judgements of those whose task is in the queue as handed out; the others are
 * withdrawn, and what they left undone is free again. Counts those that stay, and tells the next round's number.
 */
struct orders {
    size_t live, started;
    int round;
};

static bool is_live(struct store *store, int round, int task, int64_t *live, struct error *error)
{
    return store_number(store, error, live, "SELECT 1 FROM temp.live WHERE round = ? AND task = ?", "ii",
                        (int64_t)round, (int64_t)task);
}

static bool look_at_order(const struct contest *contest, const char *folder, struct store *store,
                          struct progress *progress, const char *name, bool live, bool charged, struct error *error)
{
    char path[PATH_MAX], line[512];
    FILE *file = fopen(in_spool(folder, path, "orders/%s", name), "re");
    intmax_t judgement;
    bool ok = file != NULL || error_system(error, "cannot open '%s'", path), done;

    while (ok && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%jd", &judgement) != 1)
            continue;
        ok = judgement_is_done(store, judgement, &done, error);
        if (ok && live)
            ok = store_run(store, error, "INSERT OR IGNORE INTO temp.handed VALUES (?)", "i", (int64_t)judgement);
        else if (ok && !done && charged)
            ok = charge(contest, store, progress, judgement, name, error);
    }
    if (file)
        fclose(file);
    return ok;
}

/*
 * Removes the results that were taken. Those of an order whose task is in the queue stay: a machine that begins with
 * it anew sees by them what is done. At the end nothing stays but what was put aside.
 */
static bool sweep(const char *folder, struct store *store, bool all, struct error *error)
{
    char path[PATH_MAX];
    DIR *entries = opendir(in_spool(folder, path, "results"));
    struct dirent *entry;
    bool ok = entries != NULL || error_system(error, "cannot read '%s'", path);

    while (ok && (entry = readdir(entries))) {
        char *end;
        int64_t judgement = strtoll(entry->d_name, &end, 10), taken = all;

        if (judgement <= 0 || strstr(end, ".bad") || (!all && strcmp(end, ".db") != 0))
            continue;
        if (!all)
            ok = store_number(store, error, &taken,
                              "SELECT 1 FROM judgements WHERE id = ? AND state = " SQL(NAME_DONE)
                              " AND id NOT IN temp.handed", "i", judgement);
        if (ok && taken)
            unlink(in_spool(folder, path, "results/%s", entry->d_name));
    }
    if (entries)
        closedir(entries);
    return ok;
}

static bool look_at_orders(const struct contest *contest, const char *folder, struct store *store,
                           struct progress *progress, struct orders *orders, struct error *error)
{
    char path[PATH_MAX];
    DIR *entries = opendir(in_spool(folder, path, "orders"));
    struct dirent *entry;
    bool ok = entries != NULL || error_system(error, "cannot read '%s'", path);

    /* No round has a number that another one had, even where all its orders are gone. */
    *orders = (struct orders){ .round = (int)clock_wall() };
    while (ok && (entry = readdir(entries))) {
        int round, task;
        const char *rest;
        int64_t live;
        bool started;

        if (!order_name(entry->d_name, &round, &task, &rest))
            continue;
        orders->round = round >= orders->round ? round + 1 : orders->round;
        if (rest[0] != '\0')
            continue;
        started = access(in_spool(folder, path, "orders/%s.started", entry->d_name), F_OK) == 0;
        ok = is_live(store, round, task, &live, error) && store_begin(store, error);
        if (!ok)
            break;
        ok = look_at_order(contest, folder, store, progress, entry->d_name, live != 0,
                           started && access(in_spool(folder, path, "orders/%s.returned", entry->d_name), F_OK) != 0,
                           error);
        /* Withdrawn within the transaction: one that is charged and there after a power cut would be charged again. */
        if (ok && !live)
            ok = unlink(in_spool(folder, path, "orders/%s", entry->d_name)) == 0 ||
                 error_system(error, "cannot remove '%s'", path);
        if (ok && !live) {
            unlink(in_spool(folder, path, "orders/%s.started", entry->d_name));
            unlink(in_spool(folder, path, "orders/%s.returned", entry->d_name));
        }
        ok = store_end(store, ok, error);
        orders->live += live != 0;
        orders->started += live && started;
    }
    if (entries)
        closedir(entries);
    return ok;
}

/*
 * Runs the script; what it prints is in *words, to be closed by the caller. False where it fails; why is on standard
 * error then, once: not where it failed the time before.
 */
static bool run_script(struct spool *spool, const char *const *arguments, FILE **words)
{
    FILE *file = tmpfile();
    int status = -1;
    pid_t pid = file ? fork() : -1;
    sigset_t none;

    if (pid == 0) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        alarm(60); /* it is passed on to the script: a controller that does not answer is no reason to stand still */
        if (dup2(fileno(file), 1) == 1 && (!spool->silent || dup2(open("/dev/null", O_WRONLY), 2) == 2))
            execv(spool->script, (char *const *)arguments);
        _exit(126);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *words = NULL;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        rewind(file);
        *words = file;
        return true;
    }
    if (file)
        fclose(file);
    return false;
}

/* The tasks in the queue, in temp.live, and the number of machines. *known: the cluster answered. */
static bool read_queue(struct spool *spool, size_t *nodes, bool *known, struct error *error)
{
    const char *arguments[] = { spool->script, "queue", NULL };
    FILE *words;
    int round, task;
    bool ok;

    *known = run_script(spool, arguments, &words);
    if (!*known)
        return true;
    ok = store_run(spool->store, error, "DELETE FROM temp.live", "") &&
         store_run(spool->store, error, "DELETE FROM temp.handed", "");
    *known = fscanf(words, "nodes %zu", nodes) == 1;
    *nodes = *nodes < 1 ? 1 : *nodes;
    while (ok && fscanf(words, "%d %d", &round, &task) == 2)
        ok = store_run(spool->store, error, "INSERT OR IGNORE INTO temp.live VALUES (?, ?)", "ii", (int64_t)round,
                       (int64_t)task);
    fclose(words);
    return ok;
}

static bool submit(struct spool *spool, int round, size_t tasks)
{
    char rounds[32], counts[32];
    const char *arguments[] = { spool->script, "submit", rounds, counts, NULL };
    FILE *words;

    snprintf(rounds, sizeof rounds, "%d", round);
    snprintf(counts, sizeof counts, "%zu", tasks);
    if (!run_script(spool, arguments, &words))
        return false;
    fclose(words);
    return true;
}

/* Writes orders of a new round for what is not handed out; *count of them. Each file gets its name when it is whole. */
static bool hand_out(const struct spool *spool, size_t nodes, const struct orders *orders, size_t *count,
                     struct error *error)
{
    struct store *store = spool->store;
    sqlite3_stmt *statement;
    char path[PATH_MAX], part[PATH_MAX];
    size_t each, room, queued = orders->live - orders->started, written = 0;
    FILE *file = NULL;
    char token[64];
    int64_t waiting;
    enum store_row row = STORE_END;
    bool ok = true;

    *count = 0;
    if (!grader_token(store, token, sizeof token, error) || !store_number(store, error, &waiting,
                      "SELECT count(*) FROM judgements WHERE state <> " SQL(NAME_DONE)
                      " AND id NOT IN temp.handed", ""))
        return false;
    each = ((size_t)waiting + nodes - 1) / nodes;
    each = each < 1 ? 1 : each > spool->chunk ? spool->chunk : each;
    /*
     * Short orders are for machines that have nothing to do. Where as many wait as there are machines, submissions
     * wait here instead, and go out in longer orders: each costs a start, and builds beside its own runs alone.
     */
    room = each == spool->chunk ? spool->tasks : queued < nodes ? nodes - queued : 0;
    statement = queue_open(store, QUEUE_HAND_OUT, clock_wall(), error);
    ok = statement != NULL;
    while (ok && (row = store_step(store, statement, error)) == STORE_ROW) {
        const char *problem = (const char *)sqlite3_column_text(statement, QUEUE_PROBLEM);

        if (!contest_problem(spool->contest, problem))
            continue;
        if (!file && (orders->live + *count >= spool->tasks || *count >= room))
            break;
        if (!file) {
            ++*count;
            in_spool(spool->folder, path, "orders/%d-%zu", orders->round, *count);
            snprintf(part, sizeof part, "%.4000s.part", path);
            file = fopen(part, "we");
            ok = file && fprintf(file, "grade-order 1 %s\n", token) > 0;
            written = 0;
        }
        ok = ok && fprintf(file, "%jd %jd %s %jd\n", (intmax_t)sqlite3_column_int64(statement, QUEUE_JUDGEMENT),
                           (intmax_t)sqlite3_column_int64(statement, QUEUE_SUBMISSION), problem,
                           (intmax_t)sqlite3_column_int64(statement, QUEUE_ATTEMPTS)) > 0;
        if (ok && ++written == each) {
            ok = fclose(file) == 0 && rename(part, path) == 0;
            file = NULL;
        }
        if (!ok)
            error_system(error, "cannot write '%s'", path);
    }
    sqlite3_finalize(statement);
    if (ok && file) {
        ok = (fclose(file) == 0 && rename(part, path) == 0) || error_system(error, "cannot write '%s'", path);
        file = NULL;
    }
    if (file)
        fclose(file);
    return ok && row != STORE_FAILED;
}

/* On a terminal: one line that is written over. */
static void show(struct progress *progress, size_t done, size_t all, const struct orders *orders)
{
    char left[64];

    if (!progress->terminal)
        return;
    progress_left(progress, done, all, clock_wall(), left, sizeof left);
    fprintf(stderr, "\r\033[K%zu of %zu done, %zu tasks running, %zu waiting%s", done, all, orders->started,
            orders->live - orders->started, left);
    fflush(stderr);
    progress->bar = true;
}

/* One turn: new files, results, orders that were lost, new orders. *left: judgements without a verdict. */
static bool turn(struct spool *spool, struct intake *intake, struct progress *progress, bool *known, size_t *left,
                 struct error *error)
{
    struct orders orders;
    int64_t done, all;
    size_t nodes = 1, count = 0;
    bool ok = intake_scan(intake, spool->store, error) && read_queue(spool, &nodes, known, error) &&
              gather(spool->contest, spool->folder, spool->store, progress, error);

    /* An order may be withdrawn only if its task was not in the queue before the results were looked for. */
    if (ok && *known) {
        ok = look_at_orders(spool->contest, spool->folder, spool->store, progress, &orders, error) &&
             sweep(spool->folder, spool->store, false, error) && hand_out(spool, nodes, &orders, &count, error);
        if (ok && count > 0)
            *known = submit(spool, orders.round, count);
    }
    if (!ok || !judgement_count(spool->store, &done, &all, error))
        return false;
    *left = (size_t)(all - done) + intake->waiting;
    if (*known)
        show(progress, (size_t)done, (size_t)all, &orders);
    return true;
}

/*
 * When everything is done: orders, of which a task in the queue may think that they are its, and what machines that
 * died have left of their builds. It does not matter if that fails.
 */
static bool clean_up(struct spool *spool)
{
    const char *arguments[] = { spool->script, "end", NULL };
    char path[PATH_MAX];
    DIR *entries = opendir(in_spool(spool->folder, path, "orders"));
    struct dirent *entry;
    FILE *words;

    while (entries && (entry = readdir(entries)))
        if (entry->d_name[0] != '.')
            unlink(in_spool(spool->folder, path, "orders/%s", entry->d_name));
    if (entries)
        closedir(entries);
    if (run_script(spool, arguments, &words))
        fclose(words);
    return true;
}

struct teller {
    const struct contest *contest;
    struct store *store;
    struct progress progress;
};

static void say_refused(void *context, int64_t judgement)
{
    struct teller *teller = context;

    grader_say(teller->contest, teller->store, &teller->progress, judgement);
}

bool spool_run(struct spool *spool, bool *stopped, struct error *error)
{
    struct teller teller = { .contest = spool->contest, .store = spool->store };
    struct intake intake = {
        .contest = spool->contest, .folder = spool->folder, .settle = spool->watch ? 1.5 : 0,
        .refused = say_refused, .context = &teller
    };
    bool ok, known = true;
    char token[64];
    size_t left = 1;
    sigset_t signals;
    int64_t done, all;

    *stopped = false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    ok = grader_token(spool->store, token, sizeof token, error) &&
         store_run(spool->store, error, "CREATE TEMP TABLE live (round, task, PRIMARY KEY (round, task))", "") &&
         store_run(spool->store, error, "CREATE TEMP TABLE handed (judgement PRIMARY KEY)", "") &&
         judgement_count(spool->store, &done, &all, error);
    if (ok)
        ok = setenv("GRADE_TOKEN", token, 1) == 0 || error_toolkit(error, "out of memory");
    if (ok)
        progress_begin(&teller.progress, (size_t)done, clock_wall());
    while (ok) {
        int signal;

        ok = turn(spool, &intake, &teller.progress, &known, &left, error);
        if (ok && !known && !spool->silent)
            fputs("grader: the cluster failed, see above; trying again\n", stderr);
        spool->silent = !known;
        if (!ok || (left == 0 && !spool->watch))
            break;
        signal = sigtimedwait(&signals, NULL, &(struct timespec){ .tv_sec = known ? 1 : 5 });
        *stopped = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
        if (*stopped)
            break;
    }
    intake_release(&intake);
    progress_end(&teller.progress);
    if (ok && left == 0 && !*stopped)
        ok = sweep(spool->folder, spool->store, true, error) && clean_up(spool);
    return ok;
}
