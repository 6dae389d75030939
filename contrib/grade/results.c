/*
 * results.c - what the database holds, as a table, CSV or JSON.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "devices.h"
#include "verify/base/text.h"

#define FROM_ALL " FROM submissions s JOIN judgements j ON j.submission = s.id LEFT JOIN machines m ON m.id = j.machine"
/* Milliseconds rounded down, as by clics_time(): strftime() would round to the nearest, and beyond the end. */
#define MILLISECONDS(column) "cast(" column " * 1000 + 0.0005 AS INTEGER)"
#define ISO(column)                                                                                                    \
    "strftime('%Y-%m-%dT%H:%M:%S', " MILLISECONDS(column) " / 1000, 'unixepoch') ||"                                   \
    " printf('.%03dZ', " MILLISECONDS(column) " % 1000)"
/* A build has no device. */
#define DEVICE_NAME "nullif(m.name, '') AS device_name"

/* What can be asked for. Only the judgements that count, but for `judgements`, which has all. */
static const struct {
    const char *name, *sql;
} tables[] = {
    { "submissions",
      "SELECT s.id AS submission, s.team, s.problem, s.path, s.sha256, " ISO("s.submitted") " AS submitted,"
      " j.id AS judgement, j.state, j.verdict, j.message, j.review, j.language, m.host,"
      " nullif(m.kind, '') AS device, " DEVICE_NAME ", (SELECT sum(median) FROM runs WHERE judgement = j.id AND"
      " step = 'ranked') AS seconds" FROM_ALL " WHERE j.valid = 1 AND" FILTER_SQL " ORDER BY s.id" },
    { "judgements",
      "SELECT j.id AS judgement, s.id AS submission, s.team, s.problem, j.valid, j.rejudging, j.state, j.verdict,"
      " j.message, j.review, j.attempts, m.host, " DEVICE_NAME ", " ISO("j.created") " AS created,"
      " " ISO("j.ended") " AS ended" FROM_ALL " WHERE" FILTER_SQL " ORDER BY j.id" },
    { "runs", "SELECT r.judgement, s.id AS submission, s.team, s.problem, r.step, r.name AS test_case, r.verdict, "
              "r.message, r.median,"
              " r.low, r.high" FROM_ALL " JOIN runs r ON r.judgement = j.id WHERE j.valid = 1 AND" FILTER_SQL
              " ORDER BY r.id" },
    { "samples", "SELECT r.judgement, s.id AS submission, r.step, r.name AS test_case, x.number, x.seconds" FROM_ALL
                 " JOIN runs r ON r.judgement = j.id JOIN samples x ON x.run = r.id WHERE j.valid = 1 AND" FILTER_SQL
                 " ORDER BY r.id, x.number" },
    { "steps", "SELECT p.judgement, s.id AS submission, p.step, " ISO(
                   "p.started") " AS started, p.ended - p.started AS seconds, p.exit_code,"
                                " p.log" FROM_ALL " JOIN steps p ON p.judgement = j.id WHERE" FILTER_SQL
                                " ORDER BY p.judgement, p.started" },
    { "machines",
      "SELECT id, host, kind, name, uuid, driver, " ISO("first_used") " AS first_used FROM machines ORDER BY id" },
    { "rejudgings", "SELECT id, reason, filter, " ISO("created") " AS created, state, " ISO(
                        "ended") " AS ended FROM rejudgings ORDER BY id" },
};

static void write_csv_text(const char *text)
{
    if (!text[strcspn(text, "\",\r\n")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            putchar('"');
        putchar(*c);
    }
    putchar('"');
}

/* A field of the table, which people read at a terminal: in one line, and nothing that a terminal obeys. */
static void write_plain_text(const char *text)
{
    size_t length;

    for (; *text; text += length) {
        uint32_t character = text_character(text, SIZE_MAX, &length);

        if (text_steers(character))
            putchar(character == '\n' || character == '\t' ? ' ' : '?');
        else
            fwrite(text, 1, length, stdout);
    }
}

static json_t *json_of(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return json_null();
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(statement, column));
    default: return json_string((const char *)sqlite3_column_text(statement, column));
    }
}

/* A row of the table for people, columns apart by tabs, or of the CSV. Doubles with all their digits in the CSV. */
static void write_row(sqlite3_stmt *statement, bool csv)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);

        if (i > 0)
            putchar(csv ? ',' : '\t');
        if (sqlite3_column_type(statement, i) == SQLITE_FLOAT)
            printf(csv ? "%.17g" : "%.6f", sqlite3_column_double(statement, i));
        else if (csv)
            write_csv_text(text ? text : "");
        else
            write_plain_text(text ? text : "-");
    }
    putchar('\n');
}

bool rows_write(struct store *store, sqlite3_stmt *statement, enum format format, struct error *error)
{
    json_t *all = json_array();
    int row, columns = sqlite3_column_count(statement);

    for (int i = 0; i < columns && format != FORMAT_JSON; i++)
        printf("%s%s", i == 0 ? "" : format == FORMAT_CSV ? "," : "\t", sqlite3_column_name(statement, i));
    if (format != FORMAT_JSON)
        putchar('\n');
    while ((row = store_step(store, statement, error)) == 1) {
        json_t *object = format == FORMAT_JSON ? json_object() : NULL;

        for (int i = 0; i < columns && object; i++)
            json_object_set_new(object, sqlite3_column_name(statement, i), json_of(statement, i));
        if (object)
            json_array_append_new(all, object);
        else
            write_row(statement, format == FORMAT_CSV);
    }
    sqlite3_finalize(statement);
    if (row == 0 && format == FORMAT_JSON) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        putchar('\n');
    }
    json_decref(all);
    return row == 0 && (fflush(stdout) == 0 || error_system(error, "cannot write"));
}

/* sqlite3_prepare() takes the first of several statements, and of none nothing. */
static bool is_one_query(struct store *store, const char *sql, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = sql;

    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, &rest) == SQLITE_OK && !statement)
        return error_usage(error, "--sql has no statement");
    sqlite3_finalize(statement);
    return !statement || rest[strspn(rest, " \t\r\n;")] == '\0' ||
           error_usage(error, "--sql takes one statement; what is behind '%.60s' is another", sql);
}

int command_results(const struct contest *contest, const char *folder, int argc, char **argv, struct error *error)
{
    const char *name = "submissions", *sql = NULL, *own = NULL;
    enum format format = FORMAT_TABLE;
    struct filter filter = { 0 };
    struct store store;
    sqlite3_stmt *statement = NULL;
    bool public_view = false, filtered = false, ok;
    char path[PATH_MAX];

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0)
            format = FORMAT_CSV;
        else if (strcmp(argv[i], "--json") == 0)
            format = FORMAT_JSON;
        else if (strcmp(argv[i], "--public") == 0)
            public_view = true;
        else if (strcmp(argv[i], "--sql") == 0 && i + 1 < argc)
            own = argv[++i];
        else if (argv[i][0] != '-')
            name = argv[i];
        else if (!filter_take(&filter, argv[i], i + 1 < argc ? argv[i + 1] : NULL, error))
            return error->code;
        else
            i++, filtered = true;
    }
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i].name, name) == 0)
            sql = tables[i].sql;
    if (!sql && strcmp(name, "standings") != 0)
        return error_usage(error,
                           "there is no table '%s': there are standings, submissions, judgements, runs, samples, "
                           "steps, machines,"
                           " rejudgings",
                           name),
               EXIT_USAGE;
    if (public_view && (own || sql))
        return error_usage(error, "--public is for the standings alone: the other tables hold all"), EXIT_USAGE;
    if (filtered && (own || !sql || !strstr(sql, FILTER_SQL)))
        return error_usage(error, "%s cannot be filtered", own ? "--sql" : name), EXIT_USAGE;
    snprintf(path, sizeof path, "%.3000s/grading/results.db", folder);
    if (!store_open(&store, path, STORE_READ, error))
        return error->code;
    if (own || sql) {
        statement = !filter_fits(&filter, contest, &store, error) ? NULL
                    : own && !is_one_query(&store, own, error)     ? NULL
                                                                   : store_prepare(&store, error, own ? own : sql, "");
        if (statement && !own)
            filter_bind(&filter, statement);
        ok = statement && rows_write(&store, statement, format, error);
        if (!ok && own && error->code == EXIT_TOOLKIT && !ferror(stdout))
            error->code = EXIT_USAGE;
    } else {
        ok = standings_write(contest, &store, folder, public_view, format, error) &&
             devices_tell(contest, &store, error);
    }
    store_close(&store);
    return ok ? 0 : (int)error->code;
}
