/*
 * rejudge.c - judging again: chosen, previewed, graded beside the verdicts that count, compared, and only then
 * committed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "contrib/grade/store/judgement.h"
#include "contrib/grade/store/rows.h"
#include "filter.h"
#include "verify/base/number.h"

/*
 * The judgements that count, are done and are not being judged again already. Of a submission that was refused, CE
 * without a step, nothing was kept that could be judged.
 */
#define DONE                                                                                                           \
    " FROM judgements j JOIN submissions s ON s.id = j.submission LEFT JOIN machines m ON m.id = j.machine"            \
    " WHERE j.valid = 1 AND s.wanted IS NULL AND j.state = " SQL(NAME_DONE) " AND (j.verdict <> 'CE' OR EXISTS"     \
    " (SELECT 1 FROM steps WHERE judgement = j.id)) AND"
#define OPEN                                                                                                           \
    " EXISTS (SELECT 1 FROM judgements o JOIN rejudgings r ON r.id = o.rejudging WHERE o.submission = s.id AND"        \
    " r.state = 'open') AND"
#define CHOSEN DONE " NOT" OPEN FILTER_SQL

static bool count_of(struct store *store, const struct filter *filter, const char *sql, int64_t *count,
                     struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error, sql, "");
    bool ok = statement != NULL;

    if (ok) {
        filter_bind(filter, statement);
        ok = store_step(store, statement, error) != STORE_FAILED;
        *count = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
    }
    return ok;
}

static bool preview(struct store *store, const struct filter *filter, int64_t *count, int64_t *open,
                    struct error *error)
{
    sqlite3_stmt *statement;
    const bool ok = count_of(store, filter, "SELECT count(*)" CHOSEN, count, error) &&
                    count_of(store, filter, "SELECT count(*)" DONE OPEN FILTER_SQL, open, error);

    statement = ok ? store_prepare(
                         store, error,
                         "SELECT s.id AS submission, s.team, s.problem, s.path, j.verdict" CHOSEN " ORDER BY s.id", "")
                   : NULL;
    if (!statement)
        return false;
    filter_bind(filter, statement);
    return rows_write(store, statement, ROWS_TABLE, error);
}

/* Makes the rejudging and a judgement beside each chosen one. */
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
    ok = store_step(store, statement, error) != STORE_FAILED;
    sqlite3_finalize(statement);
    return store_end(store, ok, error);
}

/* The old verdict is that of the judgement before, but for cancelled rejudgings: so it is when this one is over. */
static bool changes(struct store *store, int64_t number, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(store, error,
                      "SELECT s.id AS submission, s.team, s.problem, s.path, o.verdict AS old, coalesce(j.verdict,"
                      " j.state) AS new, CASE WHEN j.verdict IS NULL THEN 'not yet' WHEN j.verdict = o.verdict THEN ''"
                      " ELSE 'changes' END AS what FROM judgements j JOIN submissions s ON s.id = j.submission JOIN"
                      " judgements o ON o.id = (SELECT max(b.id) FROM judgements b LEFT JOIN rejudgings r ON"
                      " r.id = b.rejudging WHERE b.submission = s.id AND b.id < j.id AND (b.valid = 1 OR r.id IS NULL"
                      " OR r.state = 'committed')) WHERE j.rejudging = ? ORDER BY s.id",
                      "i", number);

    return statement && rows_write(store, statement, ROWS_TABLE, error);
}

/* The problem of a judgement that contest.yaml has no more, so that it will never be graded; "" for none. */
static bool left_problem(const struct contest *contest, struct store *store, int64_t number, char name[160],
                         struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error,
                                            "SELECT DISTINCT s.problem FROM judgements j JOIN submissions s ON s.id ="
                                            " j.submission WHERE j.rejudging = ? AND j.state <> " SQL(NAME_DONE),
                                            "i", number);
    enum store_row row = STORE_FAILED;

    name[0] = '\0';
    while (statement && !name[0] && (row = store_step(store, statement, error)) == STORE_ROW)
        if (!contest_problem(contest, (const char *)sqlite3_column_text(statement, 0)))
            snprintf(name, 160, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

/*
 * The new verdicts count from now on, all at once; the old ones are kept. One that is JE says nothing of its
 * submission, so there the old one goes on to count, unless it is JE as well.
 */
static bool commit(const struct contest *contest, struct store *store, int64_t number, int64_t *kept,
                   struct error *error)
{
    int64_t left;
    char problem[160];
    bool ok;

    if (!store_begin(store, error))
        return false;
    ok = store_number(store, error, &left,
                      "SELECT count(*) FROM judgements WHERE rejudging = ? AND state <> " SQL(NAME_DONE), "i", number);
    ok = ok && left_problem(contest, store, number, problem, error);
    if (ok && left > 0)
        ok = error_usage(error, "%d of rejudging %d are not graded yet: %s%s%s", (int)left, (int)number,
                         problem[0] ? "contest.yaml has no problem '" : "run grade.sh first", problem,
                         problem[0] ? "' any more: put it back or cancel the rejudging" : "");
    ok = ok &&
         store_run(store, error, "CREATE TEMP TABLE IF NOT EXISTS taken (id INTEGER PRIMARY KEY, submission)", "") &&
         store_run(store, error, "DELETE FROM temp.taken", "") &&
         store_run(store, error,
                   "INSERT INTO temp.taken SELECT j.id, j.submission FROM judgements j JOIN judgements o ON"
                   " o.submission = j.submission AND o.valid = 1 WHERE j.rejudging = ? AND (j.verdict <> 'JE' OR"
                   " o.verdict = 'JE')",
                   "i", number) &&
         store_number(store, error, kept,
                      "SELECT count(*) FROM judgements WHERE rejudging = ? AND id NOT IN (SELECT id FROM temp.taken)",
                      "i", number) &&
         store_run(store, error,
                   "UPDATE judgements SET valid = 0 WHERE valid = 1 AND submission IN (SELECT submission FROM"
                   " temp.taken)",
                   "") &&
         store_run(store, error, "UPDATE judgements SET valid = 1 WHERE id IN (SELECT id FROM temp.taken)", "") &&
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
                   "UPDATE judgements SET state = " SQL(NAME_DONE) ", verdict = 'NO', message = 'cancelled',"
                   " ended = ? WHERE rejudging = ? AND state <> " SQL(NAME_DONE),
                   "di", (double)time(NULL), number) &&
         store_run(store, error, "UPDATE rejudgings SET state = 'cancelled', ended = ? WHERE id = ?", "di",
                   (double)time(NULL), number);
    return store_end(store, ok, error);
}

static int by_number(struct store *store, const struct contest *contest, const char *command, const char *text,
                     struct error *error)
{
    int64_t number = 0, known, kept = 0;
    const bool review = strcmp(command, "clear-review") == 0;

    if (!text || !number_integer(text, 1, INT64_MAX, &number))
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
        : strcmp(command, "commit") == 0  ? commit(contest, store, number, &kept, error)
                                          : cancel(store, number, error)) {
        if (kept > 0)
            printf("%d keep the verdict that they had: the machine failed to judge them again (JE)\n", (int)kept);
        return 0;
    }
    return error->code;
}

int command_rejudge(struct store *store, const struct contest *contest, const char *command, int argc, char **argv,
                    struct error *error)
{
    struct filter filter = { 0 };
    const char *reason = NULL;
    bool begin = false;
    int64_t count = 0, open = 0, number;

    if (strcmp(command, "rejudge") != 0)
        return by_number(store, contest, command, argc == 1 ? argv[0] : NULL, error);
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
        return error_usage(error, "--start needs --reason TEXT: it is stored with the results"), EXIT_USAGE;
    if (!filter_fits(&filter, contest, store, error) || !preview(store, &filter, &count, &open, error))
        return error->code;
    if (open > 0)
        printf("%d more are in a rejudging that is open: commit or cancel that first\n", (int)open);
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
