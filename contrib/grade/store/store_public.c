/*
 * store_public.c - the public view of a contest's results: what every reader gets that does not ask for secrets.
 *
 * Tables that hold secrets are covered by temporary views of the same names, which SQLite finds first. They list the
 * columns that are public: a new one is secret until it stands here. An authorizer refuses to read those tables in any
 * other way, `main.runs` among them.
 */
#include "store.h"

#include <stdio.h>
#include <string.h>

#include "judgement.h"

/*
 * Messages are the reasons that the host gave to everybody, records their public forms. Times are there of runs whose
 * times are public. Of logs only a build's is: a compiler has seen no input. Of clarifications what is for all.
 */
static const char views[] =
    "CREATE TEMP VIEW judgements AS SELECT id, submission, valid, state, verdict, reason AS message, attempts,"
    " object_sha256, language, review, created, begun, ended, machine, rejudging FROM main.judgements;"
    "CREATE TEMP VIEW runs AS SELECT id, judgement, step, number, name, verdict, reason AS message,"
    " CASE WHEN timed THEN median END AS median, CASE WHEN timed THEN low END AS low,"
    " CASE WHEN timed THEN high END AS high FROM main.runs;"
    "CREATE TEMP VIEW samples AS SELECT run, number, seconds FROM main.samples x WHERE"
    " (SELECT timed FROM main.runs WHERE id = x.run);"
    "CREATE TEMP VIEW steps AS SELECT judgement, step, started, ended, exit_code, public AS record,"
    " CASE WHEN step = " SQL(NAME_BUILD) " THEN log ELSE '' END AS log FROM main.steps;"
    "CREATE TEMP VIEW clarifications AS SELECT * FROM main.clarifications WHERE from_team IS NULL AND to_team IS NULL;";

/* Of tokens and sessions nothing is public: there is no view of them. */
static bool holds_secrets(const char *table)
{
    static const char *const names[] = { "judgements", "runs", "samples", "steps", "tokens", "sessions",
                                         "clarifications" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (sqlite3_stricmp(names[i], table) == 0)
            return true;
    return false;
}

/* SQLite names the view that a column is read by; NULL for a statement that reads the table itself. */
static int authorize(void *context, int action, const char *table, const char *column, const char *database,
                     const char *view)
{
    (void)context, (void)column;
    if (action == SQLITE_ATTACH)
        return SQLITE_DENY;
    return action == SQLITE_READ && table && holds_secrets(table) && database && strcmp(database, "temp") != 0 &&
                   !(view && holds_secrets(view))
               ? SQLITE_DENY
               : SQLITE_OK;
}

bool store_hide_programs(struct store *store, struct error *error)
{
    return (sqlite3_exec(store->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_exec(store->db,
                         "CREATE TEMP VIEW submissions AS SELECT * FROM main.submissions WHERE wanted IS NULL", NULL,
                         NULL, NULL) == SQLITE_OK) ||
           error_toolkit(error, "%s: %s", store->path, sqlite3_errmsg(store->db));
}

bool store_make_public(struct store *store, struct error *error)
{
    return (sqlite3_exec(store->db, views, NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_set_authorizer(store->db, authorize, NULL) == SQLITE_OK) ||
           error_toolkit(error, "%s: %s", store->path, sqlite3_errmsg(store->db));
}
