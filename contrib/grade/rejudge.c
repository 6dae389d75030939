/*
 * rejudge.c - judging again: chosen, previewed, graded beside the verdicts that count, compared, and only then
 * committed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"

bool filter_take(struct filter *filter, const char *option, const char *value, struct error *error)
{
    char *end;

    if (!value)
        return error_usage(error, "'%s' is unknown or needs a value; see grader --help", option);
    if (strcmp(option, "--team") == 0)
        filter->team = value;
    else if (strcmp(option, "--problem") == 0)
        filter->problem = value;
    else if (strcmp(option, "--verdict") == 0)
        filter->verdict = value;
    else if (strcmp(option, "--machine") == 0)
        filter->machine = value;
    else if (strcmp(option, "--since") == 0)
        return contest_time(value, &filter->since) ||
               error_usage(error, "--since: '%s' is no time such as 2026-05-01T09:00:00Z", value);
    else if (strcmp(option, "--until") == 0)
        return contest_time(value, &filter->until) ||
               error_usage(error, "--until: '%s' is no time such as 2026-05-01T09:00:00Z", value);
    else if (strcmp(option, "--submission") == 0)
        return ((filter->submission = strtoll(value, &end, 10)) > 0 && *end == '\0') ||
               error_usage(error, "--submission: '%s' is no number", value);
    else
        return error_usage(error, "unknown option '%s'; see grader --help", option);
    return true;
}

void filter_bind(const struct filter *filter, sqlite3_stmt *statement)
{
    const char *texts[] = { filter->team, filter->problem, filter->verdict, filter->machine };

    for (int i = 0; i < 4; i++)
        sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_TRANSIENT);
    if (filter->submission > 0)
        sqlite3_bind_int64(statement, 5, filter->submission);
    if (filter->since > 0)
        sqlite3_bind_double(statement, 6, filter->since);
    if (filter->until > 0)
        sqlite3_bind_double(statement, 7, filter->until);
}

/* The judgements that count, are done and are not being judged again already. */
#define CHOSEN                                                                                                         \
    " FROM judgements j JOIN submissions s ON s.id = j.submission LEFT JOIN machines m ON m.id = j.machine"            \
    " WHERE j.valid = 1 AND j.state = 'done' AND NOT EXISTS (SELECT 1 FROM judgements o JOIN rejudgings r ON"          \
    " r.id = o.rejudging WHERE o.submission = s.id AND r.state = 'open') AND" FILTER_SQL

static bool preview(struct store *store, const struct filter *filter, int64_t *count, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error, "SELECT count(*)" CHOSEN, "");
    bool ok = statement != NULL;

    if (ok) {
        filter_bind(filter, statement);
        ok = store_step(store, statement, error) >= 0;
        *count = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
    }
    statement = ok ? store_prepare(
                         store, error,
                         "SELECT s.id AS submission, s.team, s.problem, s.path, j.verdict" CHOSEN " ORDER BY s.id", "")
                   : NULL;
    if (!statement)
        return false;
    filter_bind(filter, statement);
    return rows_write(store, statement, FORMAT_TABLE, error);
}

/* Makes the rejudging and a judgement beside each chosen one. A refused submission has nothing to be judged again. */
static bool start(struct store *store, const struct filter *filter, const char *reason, int64_t *number,
                  struct error *error)
{
    const double now = (double)time(NULL);
    char words[700];
    sqlite3_stmt *statement;
    bool ok;

    snprintf(words, sizeof words,
             "team=%.100s problem=%.100s verdict=%.8s machine=%.200s submission=%jd since=%.0f until=%.0f",
             filter->team ? filter->team : "*", filter->problem ? filter->problem : "*",
             filter->verdict ? filter->verdict : "*", filter->machine ? filter->machine : "*",
             (intmax_t)filter->submission, filter->since, filter->until);
    if (!store_begin(store, error))
        return false;
    ok = store_run(store, error, "INSERT INTO rejudgings (reason, filter, created) VALUES (?, ?, ?)", "ssd", reason,
                   words, now);
    *number = sqlite3_last_insert_rowid(store->db);
    statement = ok ? store_prepare(
                         store, error,
                         "INSERT INTO judgements (submission, valid, rejudging, created) SELECT s.id, 0, ?8, ?9" CHOSEN
                         " ORDER BY s.id",
                         "")
                   : NULL;
    if (statement) {
        filter_bind(filter, statement);
        sqlite3_bind_int64(statement, 8, *number);
        sqlite3_bind_double(statement, 9, now);
    }
    ok = statement && store_step(store, statement, error) >= 0;
    sqlite3_finalize(statement);
    return store_end(store, ok, error);
}

static bool changes(struct store *store, int64_t number, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error,
                                            "SELECT s.id AS submission, s.team, s.problem, s.path, o.verdict AS old, "
                                            "coalesce(j.verdict, j.state) AS new, CASE WHEN"
                                            " j.verdict IS NULL THEN 'not yet' WHEN j.verdict = o.verdict THEN '' ELSE "
                                            "'changes' END AS what FROM judgements j JOIN"
                                            " submissions s ON s.id = j.submission JOIN judgements o ON o.submission = "
                                            "s.id AND o.valid = 1 WHERE j.rejudging = ?"
                                            " ORDER BY s.id",
                                            "i", number);

    return statement && rows_write(store, statement, FORMAT_TABLE, error);
}

/* The new verdicts count from now on, all at once; the old ones are kept. */
static bool commit(struct store *store, int64_t number, struct error *error)
{
    int64_t left;
    bool ok;

    if (!store_begin(store, error))
        return false;
    ok = store_number(store, error, &left, "SELECT count(*) FROM judgements WHERE rejudging = ? AND state <> 'done'",
                      "i", number);
    if (ok && left > 0)
        ok = error_usage(error, "%d of rejudging %d are not graded yet: run grade.sh first", (int)left, (int)number);
    ok = ok &&
         store_run(store, error,
                   "UPDATE judgements SET valid = 0 WHERE valid = 1 AND submission IN (SELECT submission FROM"
                   " judgements WHERE rejudging = ?)",
                   "i", number) &&
         store_run(store, error, "UPDATE judgements SET valid = 1 WHERE rejudging = ?", "i", number) &&
         store_run(store, error, "UPDATE rejudgings SET state = 'committed', ended = ? WHERE id = ?", "di",
                   (double)time(NULL), number);
    return store_end(store, ok, error);
}

static bool cancel(struct store *store, int64_t number, struct error *error)
{
    bool ok;

    if (!store_begin(store, error))
        return false;
    ok = store_run(store, error,
                   "UPDATE judgements SET state = 'done', verdict = 'NO', message = 'cancelled', ended = ? WHERE"
                   " rejudging = ? AND state <> 'done'",
                   "di", (double)time(NULL), number) &&
         store_run(store, error, "UPDATE rejudgings SET state = 'cancelled', ended = ? WHERE id = ?", "di",
                   (double)time(NULL), number);
    return store_end(store, ok, error);
}

static int by_number(struct store *store, const char *command, const char *text, struct error *error)
{
    char *end = NULL;
    int64_t number = text ? strtoll(text, &end, 10) : 0, known;
    const bool review = strcmp(command, "clear-review") == 0;

    if (number <= 0 || *end != '\0')
        return error_usage(error, "%s needs the number of a %s", command, review ? "submission" : "rejudging"),
               EXIT_USAGE;
    if (!store_number(store, error, &known,
                      review                            ? "SELECT 1 FROM submissions WHERE id = ?"
                      : strcmp(command, "changes") == 0 ? "SELECT 1 FROM rejudgings WHERE id = ?"
                                                        : "SELECT 1 FROM rejudgings WHERE id = ? AND state = 'open'",
                      "i", number))
        return error->code;
    if (!known)
        return error_usage(error, "there is no %s %jd", review ? "submission" : "open rejudging", (intmax_t)number),
               EXIT_USAGE;
    if (review ? store_run(store, error, "UPDATE judgements SET review = 0 WHERE submission = ? AND valid = 1", "i",
                           number)
        : strcmp(command, "changes") == 0 ? changes(store, number, error)
        : strcmp(command, "commit") == 0  ? commit(store, number, error)
                                          : cancel(store, number, error))
        return 0;
    return error->code;
}

int command_rejudge(struct store *store, const char *command, int argc, char **argv, struct error *error)
{
    struct filter filter = { 0 };
    const char *reason = NULL;
    bool begin = false;
    int64_t count = 0, number;

    if (strcmp(command, "rejudge") != 0)
        return argc == 1 ? by_number(store, command, argv[0], error) : by_number(store, command, NULL, error);
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--start") == 0)
            begin = true;
        else if (strcmp(argv[i], "--reason") == 0 && i + 1 < argc)
            reason = argv[++i];
        else if (!filter_take(&filter, argv[i], i + 1 < argc ? argv[i + 1] : NULL, error))
            return error->code;
        else
            i++;
    }
    if (begin && !reason)
        return error_usage(error, "--start needs a --reason: it is kept with the results"), EXIT_USAGE;
    if (!preview(store, &filter, &count, error))
        return error->code;
    if (!begin || count == 0) {
        printf("%d would be judged again%s\n", (int)count, count > 0 ? "; add --start --reason TEXT to do it" : "");
        return 0;
    }
    if (!start(store, &filter, reason, &number, error))
        return error->code;
    printf("rejudging %jd: %d are judged again when grade.sh runs; then: changes %jd, commit %jd or cancel %jd\n",
           (intmax_t)number, (int)count, (intmax_t)number, (intmax_t)number, (intmax_t)number);
    return 0;
}
