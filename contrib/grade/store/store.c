/*
 * store.c - SQLite as this program uses it, and the database's schema.
 */
#include "store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What SQLite says, and what to do about what an organiser can mend. */
static bool failed(struct store *store, struct error *error)
{
    const char *words = store->db ? sqlite3_errmsg(store->db) : "out of memory";

    switch (store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM) {
    case SQLITE_FULL:
        return error_toolkit(error, "%s: %s: make room and start again; no verdict is lost", store->path, words);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        return error_toolkit(error, "%s: %s: check the permissions of the file and its folder", store->path, words);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return error_toolkit(error, "%s: %s: keep the file, and put a backup of the folder in its place", store->path,
                             words);
    case SQLITE_IOERR: {
        const int number = sqlite3_system_errno(store->db);

        return error_toolkit(error, "%s: %s%s%s: check its disk and start again", store->path, words,
                             number ? ": " : "", number ? strerror(number) : "");
    }
    case SQLITE_BUSY: return error_toolkit(error, "%s: another program has locked it for too long", store->path);
    default: return error_toolkit(error, "%s: %s", store->path, words);
    }
}

static bool execute(struct store *store, const char *sql, struct error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(store, error);
}

/* ------------------------------------------------------------------ statements */

static sqlite3_stmt *prepare(struct store *store, struct error *error, const char *sql, const char *types,
                             va_list values)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK;

    for (int i = 0; ok && types[i]; i++) {
        int status = SQLITE_MISUSE;

        switch (types[i]) {
        case 'i': status = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t)); break;
        case 'd': status = sqlite3_bind_double(statement, i + 1, va_arg(values, double)); break;
        case 's':
            status = sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
            break;
        default: break;
        }
        ok = status == SQLITE_OK;
    }
    if (ok)
        return statement;
    failed(store, error);
    sqlite3_finalize(statement);
    return NULL;
}

sqlite3_stmt *store_prepare(struct store *store, struct error *error, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list values;

    va_start(values, types);
    statement = prepare(store, error, sql, types, values);
    va_end(values);
    return statement;
}

enum store_row store_step(struct store *store, sqlite3_stmt *statement, struct error *error)
{
    const int status = statement ? sqlite3_step(statement) : SQLITE_MISUSE;

    if (status == SQLITE_ROW)
        return STORE_ROW;
    if (status == SQLITE_DONE)
        return STORE_END;
    if (statement)
        failed(store, error);
    return STORE_FAILED;
}

/* Runs a statement to its first row, whose first column it puts into *number; 0 without a row. */
static bool run(struct store *store, struct error *error, int64_t *number, const char *sql, const char *types,
                va_list values)
{
    sqlite3_stmt *statement = prepare(store, error, sql, types, values);
    const enum store_row row = store_step(store, statement, error);

    *number = row == STORE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

bool store_run(struct store *store, struct error *error, const char *sql, const char *types, ...)
{
    int64_t ignored;
    va_list values;
    bool ok;

    va_start(values, types);
    ok = run(store, error, &ignored, sql, types, values);
    va_end(values);
    return ok;
}

bool store_number(struct store *store, struct error *error, int64_t *number, const char *sql, const char *types, ...)
{
    va_list values;
    bool ok;

    va_start(values, types);
    ok = run(store, error, number, sql, types, values);
    va_end(values);
    return ok;
}

bool store_begin(struct store *store, struct error *error)
{
    if (!sqlite3_get_autocommit(store->db)) {
        store->depth++;
        return true;
    }
    return execute(store, "BEGIN IMMEDIATE", error);
}

bool store_end(struct store *store, bool ok, struct error *error)
{
    if (store->depth > 0) {
        store->depth--;
        return ok;
    }
    if (ok && execute(store, "COMMIT", error))
        return true;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* ------------------------------------------------------------------ the schema */

/*
 * Every version of it, as the steps from the one before. A version that was released is never edited: a change is one
 * more. docs/formats/contest-results.md describes the newest.
 */
static const char *const versions[] = {
    /* 1: submissions and their verdicts */
    "CREATE TABLE contest (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL, created REAL NOT NULL);"
    "CREATE TABLE submissions ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, team TEXT NOT NULL, problem TEXT NOT NULL, path TEXT NOT NULL,"
    " sha256 TEXT NOT NULL, stamp TEXT NOT NULL, submitted REAL NOT NULL, found REAL NOT NULL,"
    " UNIQUE (team, problem, path, sha256));"
    "CREATE TABLE judgements ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, submission INTEGER NOT NULL REFERENCES submissions (id),"
    " valid INTEGER NOT NULL DEFAULT 1 CHECK (valid IN (0, 1)),"
    " state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'building', 'samples', 'secret', 'ranked', 'done')),"
    " verdict TEXT CHECK (verdict IN ('AC', 'WA', 'TLE', 'RTE', 'MLE', 'OLE', 'CE', 'NO', 'SV', 'JE')),"
    " message TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0, object TEXT, object_sha256 TEXT,"
    " language TEXT, review INTEGER NOT NULL DEFAULT 0, created REAL NOT NULL, ended REAL,"
    " CHECK ((state = 'done') = (verdict IS NOT NULL)));"
    "CREATE UNIQUE INDEX judgement_that_counts ON judgements (submission) WHERE valid = 1;"
    "CREATE TABLE runs ("
    " id INTEGER PRIMARY KEY, judgement INTEGER NOT NULL REFERENCES judgements (id),"
    " step TEXT NOT NULL CHECK (step IN ('samples', 'secret', 'ranked', 'baseline')), number INTEGER NOT NULL,"
    " name TEXT NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, median REAL, low REAL, high REAL,"
    " UNIQUE (judgement, step, number));",
    /* 2: machines, all samples, whole records, rejudgings */
    "CREATE TABLE machines ("
    " id INTEGER PRIMARY KEY, host TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, uuid TEXT NOT NULL,"
    " driver TEXT NOT NULL, first_used REAL NOT NULL, UNIQUE (host, kind, name, uuid, driver));"
    "CREATE TABLE rejudgings ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, reason TEXT NOT NULL, filter TEXT NOT NULL, created REAL NOT NULL,"
    " state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'committed', 'cancelled')), ended REAL);"
    "ALTER TABLE judgements ADD COLUMN machine INTEGER REFERENCES machines (id);"
    "ALTER TABLE judgements ADD COLUMN rejudging INTEGER REFERENCES rejudgings (id);"
    "CREATE TABLE steps ("
    " judgement INTEGER NOT NULL REFERENCES judgements (id), step TEXT NOT NULL, started REAL NOT NULL,"
    " ended REAL NOT NULL, exit_code INTEGER NOT NULL, record TEXT, log TEXT NOT NULL, PRIMARY KEY (judgement, step))"
    " WITHOUT ROWID;"
    "CREATE TABLE samples ("
    " run INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL, seconds REAL NOT NULL,"
    " PRIMARY KEY (run, number)) WITHOUT ROWID;"
    "CREATE INDEX judgements_by_submission ON judgements (submission);"
    "CREATE INDEX judgements_by_state ON judgements (state) WHERE state <> 'done';",
    /* 3: whose turn it is, limits of teams */
    "ALTER TABLE contest ADD COLUMN scanned REAL;"
    "ALTER TABLE submissions ADD COLUMN arrived REAL;"
    "ALTER TABLE submissions ADD COLUMN over_limit TEXT;"
    "ALTER TABLE judgements ADD COLUMN begun REAL;"
    "CREATE INDEX judgements_by_begun ON judgements (begun);"
    "CREATE TABLE waiting (team TEXT PRIMARY KEY, files INTEGER NOT NULL, since REAL NOT NULL);",
    /* 4: what everybody may read, beside what the organiser may; of older results only what is surely no secret */
    "ALTER TABLE judgements ADD COLUMN reason TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE runs ADD COLUMN reason TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE runs ADD COLUMN timed INTEGER NOT NULL DEFAULT 0 CHECK (timed IN (0, 1));"
    "ALTER TABLE steps ADD COLUMN public TEXT;"
    "UPDATE runs SET reason = message, timed = 1 WHERE step = 'samples';"
    "UPDATE runs SET timed = 1 WHERE verdict = 'AC';"
    "UPDATE judgements SET reason = message WHERE verdict <> 'JE' AND NOT EXISTS (SELECT 1 FROM runs WHERE"
    " judgement = judgements.id AND step <> 'samples' AND verdict <> 'AC');",
    /* 5: who may hand in by the server, and what is asked and said in a contest */
    "CREATE TABLE tokens ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL,"
    " role TEXT NOT NULL CHECK (role IN ('program', 'team', 'jury', 'admin')), hash TEXT NOT NULL,"
    " created REAL NOT NULL, revoked REAL);"
    "CREATE UNIQUE INDEX token_of_account ON tokens (account) WHERE revoked IS NULL;"
    "CREATE TABLE sessions ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, token INTEGER NOT NULL REFERENCES tokens (id), hash TEXT NOT NULL,"
    " expires REAL NOT NULL);"
    "CREATE TABLE clarifications ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, from_team TEXT, to_team TEXT,"
    " reply_to INTEGER REFERENCES clarifications (id), problem TEXT, text TEXT NOT NULL, made REAL NOT NULL);"
    "ALTER TABLE submissions ADD COLUMN wanted TEXT CHECK (wanted IN ('verdict', 'times'));"
    "CREATE TABLE batches (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, made REAL NOT NULL);"
    "CREATE TABLE batch_items ("
    " batch INTEGER NOT NULL REFERENCES batches (id), number INTEGER NOT NULL,"
    " submission INTEGER NOT NULL REFERENCES submissions (id), PRIMARY KEY (batch, number)) WITHOUT ROWID;",
    /* 6: what else programs want to know, and balloons */
    "ALTER TABLE submissions ADD COLUMN extra TEXT NOT NULL DEFAULT ''"
    " CHECK (extra IN ('', 'explanation', 'counters', 'explanation,counters'));"
    "CREATE TABLE balloons ("
    " team TEXT NOT NULL, problem TEXT NOT NULL, delivered REAL NOT NULL, account TEXT NOT NULL,"
    " PRIMARY KEY (team, problem)) WITHOUT ROWID;",
};

enum { NEWEST = sizeof versions / sizeof versions[0] };

int store_schema(void) { return NEWEST; }

/* Brings an open database from its version up to the newest. */
static bool migrate(struct store *store, struct error *error)
{
    int64_t now;
    char *why = NULL, pragma[64];

    for (;;) {
        bool ok;

        /* Looked at again within each transaction: another process may migrate at the same time. */
        if (!store_begin(store, error))
            return false;
        ok = store_number(store, error, &now, "PRAGMA user_version", "");
        if (!ok || now >= NEWEST)
            return store_end(store, ok, error);
        ok = sqlite3_exec(store->db, versions[now], NULL, NULL, &why) == SQLITE_OK ||
             error_toolkit(error, "%s: schema version %d: %s", store->path, (int)now + 1, why ? why : "");
        sqlite3_free(why);
        snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", (int)now + 1);
        ok = ok && store_run(store, error, pragma, "");
        if (!store_end(store, ok, error))
            return false;
    }
}

/* ------------------------------------------------------------------ opening */

/*
 * Where nothing can be written, as in a backup on a read-only disk, not even the index of the write-ahead log can be
 * made. A database without such a log is read as one that never changes.
 */
static bool open_unchanging(struct store *store, struct error *error)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
    char uri[3 * PATH_MAX + 32] = "file:", log[PATH_MAX + 8];
    struct stat status;
    size_t used = strlen(uri);

    snprintf(log, sizeof log, "%.*s-wal", PATH_MAX, store->path);
    if (stat(log, &status) == 0 && status.st_size > 0)
        return error_toolkit(error,
                             "%s: it was not closed and is read-only here: copy its folder to a writable place",
                             store->path);
    for (const char *c = store->path; *c && used < sizeof uri - 32; c++)
        used += (size_t)snprintf(uri + used, sizeof uri - used, strchr(plain, *c) ? "%c" : "%%%02x", (unsigned char)*c);
    snprintf(uri + used, sizeof uri - used, "?immutable=1");
    sqlite3_close(store->db);
    store->db = NULL;
    error->text[0] = '\0';
    return sqlite3_open_v2(uri, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK ||
           failed(store, error);
}

static bool read_only_folder(struct store *store)
{
    const int code = sqlite3_errcode(store->db);

    return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

void store_path(const char *contest, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.3000s/grading/results.db", contest);
}

bool store_find(const char *contest, char path[PATH_MAX], struct error *error)
{
    store_path(contest, path);
    return access(path, F_OK) == 0 ||
           error_usage(error, "'%s' was not graded yet, there is no '%s': run run_scripts/grade.sh first", contest,
                       path);
}

bool store_open(struct store *store, const char *path, enum store_mode mode, struct error *error)
{
    int flags = mode != STORE_WRITE ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int64_t version;

    *store = (struct store){ .path = strdup(path) };
    if (!store->path)
        return error_toolkit(error, "out of memory");
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK) {
        failed(store, error);
        error->code = mode != STORE_WRITE ? EXIT_USAGE : EXIT_TOOLKIT;
        store_close(store);
        return false;
    }
    sqlite3_busy_timeout(store->db, 30000);
    if (mode == STORE_WRITE && sqlite3_db_readonly(store->db, "main") == 1) {
        error_toolkit(error, "%s: it is read-only here: no result can be stored", path);
        goto fail;
    }
    if (!execute(store, "PRAGMA foreign_keys = ON", error) ||
        (mode == STORE_WRITE && !execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", error)) ||
        (!store_number(store, error, &version, "PRAGMA user_version", "") &&
         !(mode != STORE_WRITE && read_only_folder(store) && open_unchanging(store, error) &&
           store_number(store, error, &version, "PRAGMA user_version", ""))))
        goto fail;
    if (version > store_schema() || (mode != STORE_WRITE && version < store_schema())) {
        error_usage(error,
                    version > store_schema() ? "%s: its schema has version %d, newer than this program's %d"
                                              : "%s: its schema has version %d, older than this program's %d: "
                                                "run grade.sh to update it",
                    path, (int)version, store_schema());
        goto fail;
    }
    if (mode == STORE_WRITE ? migrate(store, error)
                            : store_hide_programs(store, error) &&
                                  (mode != STORE_READ || store_make_public(store, error)))
        return true;
fail:
    store_close(store);
    return false;
}

void store_close(struct store *store)
{
    sqlite3_close(store->db);
    free(store->path);
    *store = (struct store){ 0 };
}
