/*
 * devices.c - the machines whose times do not rank, as a temporary table.
 */
#include "devices.h"

#include <stdio.h>

#include "contrib/grade/store/judgement.h"
#include "intake.h"
#include "verify/base/text.h"

/* Judgements that count and have times, by the model that these were taken on. A chosen model, ?1, comes first. */
#define MODELS                                                                                                         \
    "SELECT m.kind, m.name, count(*) AS times, m.name IS ?1 AS chosen, min(m.id) AS first FROM judgements j JOIN"     \
    " machines m ON m.id = j.machine WHERE j.valid = 1 AND j.verdict = 'AC' AND EXISTS (SELECT 1 FROM runs r WHERE"   \
    " r.judgement = j.id AND r.step = " SQL(NAME_RANKED) ") GROUP BY m.kind, m.name"

bool devices_choose(const struct contest *contest, struct store *store, struct error *error)
{
    int64_t there;

    if (!store_number(store, error, &there, "SELECT 1 FROM temp.sqlite_master WHERE name = 'other_devices'", ""))
        return false;
    if (there)
        return true;
    return store_run(store, error, "CREATE TEMP TABLE other_devices (machine INTEGER PRIMARY KEY)", "") &&
           store_run(store, error, "CREATE TEMP TABLE models (kind, name, times, chosen, first)", "") &&
           store_run(store, error, "INSERT INTO temp.models " MODELS, "s", contest->device) &&
           /* A GPU that is named in contest.yaml, and that nothing was judged on yet, is the one all the same. */
           store_run(store, error,
                     "INSERT INTO temp.models SELECT 'gpu', ?1, 0, 1, 0 WHERE ?1 IS NOT NULL AND NOT EXISTS"
                     " (SELECT 1 FROM temp.models WHERE name = ?1)",
                     "s", contest->device) &&
           store_run(store, error,
                     "INSERT INTO temp.other_devices SELECT m.id FROM machines m"
                     " WHERE EXISTS (SELECT 1 FROM temp.models o WHERE o.kind = m.kind AND o.name <> m.name"
                     " AND NOT EXISTS (SELECT 1 FROM temp.models b WHERE b.kind = o.kind"
                     " AND (b.chosen, b.times, -b.first) > (o.chosen, o.times, -o.first)))",
                     "");
}

bool devices_tell(const struct contest *contest, struct store *store, struct error *error)
{
    sqlite3_stmt *statement;
    enum store_row row;

    if (!devices_choose(contest, store, error))
        return false;
    statement = store_prepare(store, error,
                              "SELECT o.name, o.times FROM temp.models o WHERE o.times > 0 AND EXISTS (SELECT 1 FROM"
                              " machines m JOIN temp.other_devices d ON d.machine = m.id WHERE m.kind = o.kind AND"
                              " m.name = o.name) ORDER BY o.name",
                              "");
    while ((row = store_step(store, statement, error)) == STORE_ROW) {
        char name[256];

        text_show(name, sizeof name, (const char *)sqlite3_column_text(statement, 0));
        fprintf(stderr,
                "grader: %d accepted submissions were timed on '%s', which is not the model that ranks:"
                " rejudge them with --machine, or choose with scoring.device\n",
                sqlite3_column_int(statement, 1), name);
    }
    sqlite3_finalize(statement);
    return row == STORE_END;
}
