/*
 * store.h - the results of a contest in SQLite.
 *
 * One file, CONTEST/grading/results.db: write-ahead log, every commit on the disk before it counts, foreign keys on,
 * the schema's version in PRAGMA user_version (store.c has every version's steps). Statements take their values as
 * parameters only: names of teams and files are never part of a statement's text.
 */
#ifndef GRADE_STORE_H
#define GRADE_STORE_H

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "verify/base/error.h"

struct store {
    sqlite3 *db;
    char *path;
    int depth; /* of store_begin() within another */
};

/*
 * Who reads with STORE_READ sees what everybody may see: judgements, runs, steps and samples have the public form of
 * messages and records under their usual names, and the organiser's are out of reach of any statement (store_public.c).
 * STORE_READ_SECRET has all, as STORE_WRITE.
 */
enum store_mode { STORE_WRITE, STORE_READ, STORE_READ_SECRET };

/* The path of a contest's database. store_find() is false if there is none yet. */
void store_path(const char *contest, char path[PATH_MAX]);
bool store_find(const char *contest, char path[PATH_MAX], struct error *error);

/*
 * Opens; STORE_WRITE makes the file and brings an older schema to the newest. A newer one than this program's is
 * refused.
 */
bool store_open(struct store *store, const char *path, enum store_mode mode, struct error *error);
void store_close(struct store *store);

/* From now on the connection has the public view. Called by store_open(). */
bool store_make_public(struct store *store, struct error *error);

/*
 * And `submissions` are the contest's: what programs had judged (`wanted` is not null) is in main.submissions alone.
 * Called by store_open() for who reads.
 */
bool store_hide_programs(struct store *store, struct error *error);

/* The schema's newest version. */
int store_schema(void);

/*
 * Prepares one statement and binds its values: a letter of `types` each: i int64_t, d double, s const char * (or NULL
 * for null). NULL with an error where that fails. The caller finalizes it.
 */
sqlite3_stmt *store_prepare(struct store *store, struct error *error, const char *sql, const char *types, ...);

/* The next row of a statement. Without a statement, as after store_prepare() failed, it fails with that error. */
enum store_row { STORE_FAILED, STORE_END, STORE_ROW };
enum store_row store_step(struct store *store, sqlite3_stmt *statement, struct error *error);

/* A statement without rows. store_number() gives the first column of the first row in *number, 0 for no row. */
bool store_run(struct store *store, struct error *error, const char *sql, const char *types, ...);
bool store_number(struct store *store, struct error *error, int64_t *number, const char *sql, const char *types, ...);

/*
 * BEGIN IMMEDIATE; and COMMIT where `ok`, else ROLLBACK. store_end() is false where `ok` is, or the commit failed.
 * Within a transaction they are part of it: who began that one ends it by what the inner store_end() said.
 */
bool store_begin(struct store *store, struct error *error);
bool store_end(struct store *store, bool ok, struct error *error);

#endif
