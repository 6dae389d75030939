/*
 * guard.c - results and sources, compared.
 */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/grade/store/judgement.h"
#include "grader.h"
#include "verify/base/clock.h"
#include "verify/base/number.h"

#define WHAT_TO_DO "put back a copy of results.db, or move the folder grading/ away to start again"

/* Calls `take` for the number of each entry of grading/sources that is one. */
static bool each_source(const char *folder, bool (*take)(void *context, int64_t number, struct error *error),
                        void *context, struct error *error)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *entries;
    int64_t number;
    bool ok = true;

    snprintf(path, sizeof path, "%.3000s/grading/sources", folder);
    entries = opendir(path);
    if (!entries)
        return errno == ENOENT || error_system(error, "cannot list '%s'", path);
    while (ok && (entry = readdir(entries)))
        if (number_integer(entry->d_name, 1, INT64_MAX, &number))
            ok = take(context, number, error);
    closedir(entries);
    return ok;
}

static bool count_one(void *context, int64_t number, struct error *error)
{
    (void)number, (void)error;
    ++*(size_t *)context;
    return true;
}

/* Whether there is a contest in the database at `path`. store_open() reports an unreadable file. */
static bool has_contest(const char *path)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = NULL;
    bool there = true;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) == SQLITE_OK) {
        const int status = sqlite3_prepare_v2(db, "SELECT 1 FROM contest", -1, &statement, NULL);

        there = status == SQLITE_OK ? sqlite3_step(statement) != SQLITE_DONE : status != SQLITE_ERROR;
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return there;
}

bool guard_before(const char *folder, struct error *error)
{
    char path[PATH_MAX];
    struct stat status;
    size_t sources = 0;
    const char *why;

    if (!each_source(folder, count_one, &sources, error) || sources == 0)
        return sources == 0 && error->text[0] == '\0';
    store_path(folder, path);
    why = stat(path, &status) != 0 ? (errno == ENOENT ? "is missing" : NULL)
          : status.st_size == 0    ? "is empty"
          : !has_contest(path)     ? "contains no contest"
                                   : NULL;
    return !why || error_usage(error, "'%s' %s, and grading/sources has %zu submissions: " WHAT_TO_DO, path, why,
                               sources);
}

struct comparison {
    struct store *store;
    const char *folder;
    int64_t newest;       /* the highest number that the database gave */
    int64_t unknown;      /* the lowest number of a source that it does not know; or 0 */
    bool lost;            /* the next number's lies there: its transaction was lost with the power after its rename */
};

static bool compare_one(void *context, int64_t number, struct error *error)
{
    struct comparison *comparison = context;
    int64_t known;

    if (!store_number(comparison->store, error, &known, "SELECT 1 FROM submissions WHERE id = ?", "i", number))
        return false;
    if (!known && number == comparison->newest + 1)
        comparison->lost = true;
    else if (!known && (comparison->unknown == 0 || number < comparison->unknown))
        comparison->unknown = number;
    return true;
}

/* It is taken again, under whatever number; what lies there is kept beside. */
static bool put_aside(const struct comparison *comparison, struct error *error)
{
    char path[PATH_MAX], aside[PATH_MAX + 32];

    snprintf(path, sizeof path, "%.3000s/grading/sources/%jd", comparison->folder, (intmax_t)comparison->newest + 1);
    snprintf(aside, sizeof aside, "%s.lost-%.0f", path, clock_wall());
    return rename(path, aside) == 0 || error_system(error, "cannot rename '%s'", path);
}

/* Every submission without a verdict has its source. One that is judged again has a verdict, which it may keep (JE). */
static bool sources_are_there(const struct comparison *comparison, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(comparison->store, error,
                      "SELECT submission FROM judgements WHERE rejudging IS NULL AND state <> " SQL(NAME_DONE)
                      " ORDER BY submission", "");
    enum store_row row = STORE_FAILED;
    char path[PATH_MAX];
    bool ok = statement != NULL;

    while (ok && (row = store_step(comparison->store, statement, error)) == STORE_ROW) {
        snprintf(path, sizeof path, "%.3000s/grading/sources/%jd", comparison->folder,
                 (intmax_t)sqlite3_column_int64(statement, 0));
        ok = access(path, F_OK) == 0 ||
             error_usage(error, "'%s' is missing, and its submission is not judged yet: put back a copy of"
                                " grading/sources", path);
    }
    sqlite3_finalize(statement);
    return ok && row == STORE_END;
}

/* grading/token has the contest's random name, as the database has it. */
static bool token_fits(const char *folder, struct store *store, struct error *error)
{
    char path[PATH_MAX], part[PATH_MAX + 8], token[64], line[64] = "";
    FILE *file;
    bool ok;

    if (!grader_token(store, token, sizeof token, error))
        return false;
    snprintf(path, sizeof path, "%.3000s/grading/token", folder);
    file = fopen(path, "re");
    if (file) {
        ok = fgets(line, sizeof line, file) != NULL;
        fclose(file);
        line[strcspn(line, "\n")] = '\0';
        return (ok && strcmp(line, token) == 0) ||
               error_usage(error, "'%s' is of another contest than grading/sources (grading/token differs): "
                                  WHAT_TO_DO, store->path);
    }
    snprintf(part, sizeof part, "%s.part", path);
    file = fopen(part, "we");
    ok = file && fprintf(file, "%s\n", token) > 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file)
        ok = fclose(file) == 0 && ok;
    return (ok && rename(part, path) == 0) || error_system(error, "cannot write '%s'", path);
}

static bool is_sound(struct store *store, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error, "PRAGMA quick_check(1)", "");
    bool ok = store_step(store, statement, error) == STORE_ROW;
    const char *words = ok ? (const char *)sqlite3_column_text(statement, 0) : "";

    if (ok && strcmp(words, "ok") != 0)
        ok = error_toolkit(error, "%s: it is damaged (%.200s): keep the file, and put a backup of the folder in its"
                                  " place", store->path, words);
    sqlite3_finalize(statement);
    return ok;
}

bool guard_opened(const char *folder, struct store *store, struct error *error)
{
    struct comparison comparison = { .store = store, .folder = folder };

    bool ok;

    /* Nobody else takes a submission meanwhile. */
    if (!is_sound(store, error) || !store_begin(store, error))
        return false;
    ok = store_number(store, error, &comparison.newest,
                      "SELECT max(coalesce((SELECT max(id) FROM submissions), 0),"
                      " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'submissions'), 0))", "") &&
         each_source(folder, compare_one, &comparison, error);
    if (ok && comparison.unknown > 0)
        ok = error_usage(error, "'%s' does not know grading/sources/%jd: it is an older copy, or of another contest: "
                                WHAT_TO_DO, store->path, (intmax_t)comparison.unknown);
    ok = ok && (!comparison.lost || put_aside(&comparison, error));
    return store_end(store, ok, error) && sources_are_there(&comparison, error) && token_fits(folder, store, error);
}
