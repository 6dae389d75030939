/*
 * schema.c - every version of the database's schema, as the steps from the one before. A version that was released is
 * never edited: a change is one more. docs/FORMATS.md describes the newest.
 */
#include "store.h"

#include <stdio.h>

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
};

enum { NEWEST = sizeof versions / sizeof versions[0] };

int schema_newest(void) { return NEWEST; }

bool schema_migrate(struct store *store, int version, struct error *error)
{
    int64_t now;
    char *why = NULL, pragma[64];

    for (;;) {
        bool ok;

        /* Looked at again within each transaction: another process may migrate at the same time. */
        if (!store_begin(store, error))
            return false;
        ok = store_number(store, error, &now, "PRAGMA user_version", "");
        if (!ok || now >= version)
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
