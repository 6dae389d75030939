/*
 * results.c - what the database holds and who stands where, as a table, CSV or JSON.
 */
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "contrib/grade/store/judgement.h"
#include "contrib/grade/store/rows.h"
#include "devices.h"
#include "filter.h"
#include "standings.h"

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
      " step = " SQL(NAME_RANKED) ") AS seconds" FROM_ALL " WHERE j.valid = 1 AND" FILTER_SQL " ORDER BY s.id" },
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
    { "balloons",
      "WITH known AS (SELECT s.team, s.problem, s.id, s.submitted, j.verdict" FROM_ALL " WHERE j.valid = 1 AND"
      " (?6 IS NULL OR s.submitted >= ?6) AND (?7 IS NULL OR s.submitted <= ?7) AND (j.verdict IS NULL OR"
      " j.verdict = 'AC')), solved AS (SELECT *, row_number() OVER (PARTITION BY team, problem ORDER BY submitted, id)"
      " AS place FROM known WHERE verdict = 'AC') SELECT s.problem, s.team, s.id AS submission, " ISO("s.submitted")
      " AS submitted, s.id = (SELECT id FROM known WHERE problem = s.problem ORDER BY submitted, id LIMIT 1) AS first,"
      " " ISO("b.delivered") " AS delivered FROM solved s LEFT JOIN balloons b ON b.team = s.team AND"
      " b.problem = s.problem WHERE s.place = 1 ORDER BY s.submitted, s.id" },
    { "machines",
      "SELECT id, host, kind, name, uuid, driver, " ISO("first_used") " AS first_used FROM machines ORDER BY id" },
    { "rejudgings", "SELECT id, reason, filter, " ISO("created") " AS created, state, " ISO(
                        "ended") " AS ended FROM rejudgings ORDER BY id" },
};

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

/* ------------------------------------------------------------------ the standings */

static json_t *cell_json(const struct contest *contest, size_t index, const struct standings_cell *cell)
{
    json_t *object =
        json_pack("{s:s, s:b, s:I, s:I}", "problem", contest->problems[index].id, "solved", cell->solved.solved,
                  "tries", (json_int_t)cell->solved.tries, "pending", (json_int_t)cell->solved.pending);

    if (contest->scoring == SCORING_PASS_FAIL)
        json_object_set_new(object, "penalty", json_real(cell->solved.penalty));
    if (contest->scoring == SCORING_RELATIVE || contest->scoring == SCORING_GROUPS)
        json_object_set_new(object, "score", json_real(cell->score));
    if (contest->scoring == SCORING_RELATIVE)
        json_object_set_new(object, "speedup", json_real(cell->speedup));
    if (contest->scoring != SCORING_GROUPS && cell->timing.median > 0) {
        json_object_set_new(object, "seconds",
                            json_pack("{s:f, s:f, s:f}", "median", cell->timing.median, "low", cell->timing.low, "high",
                                      cell->timing.high));
        if (contest->scoring == SCORING_FASTEST)
            json_object_set_new(object, "rank", json_integer((json_int_t)cell->timing.rank));
    }
    return object;
}

static json_t *standings_json(const struct standings *standings)
{
    const struct contest *contest = standings->contest;
    json_t *teams = json_array();

    for (size_t i = 0; i < standings->count; i++) {
        const struct standings_team *team = &standings->teams[i];
        json_t *cells = json_array();

        for (size_t k = 0; k < contest->problem_count; k++)
            json_array_append_new(cells, cell_json(contest, k, &team->cells[k]));
        json_array_append_new(teams, json_pack("{s:I, s:s, s:s, s:s?, s:s?, s:I, s:f, s:f, s:o}", "rank",
                                               (json_int_t)team->rank, "team", team->id, "name", team->name,
                                               "affiliation", team->affiliation, "country", team->country, "solved",
                                               (json_int_t)team->solved, "penalty", team->penalty, "score",
                                               team->score, "problems", cells));
    }
    return json_pack("{s:i, s:s, s:s, s:b, s:o}", "format", 1, "contest", contest->name, "scoring",
                     scoring_names[contest->scoring], "frozen", standings->freeze > 0, "teams", teams);
}

/* A number for people: two decimals at most, and none that are 0. */
static void number_text(char *text, size_t size, double number)
{
    char *end;

    snprintf(text, size, "%.2f", number);
    for (end = text + strlen(text); end[-1] == '0'; end--)
        end[-1] = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

/*
 * A team on one problem: "TRIES/MINUTE" with pass-fail, MINUTE - where it is not solved; "SECONDS (PLACE)" with
 * fastest; else points. "?N" for N submissions without a verdict. "" where nothing was handed in.
 */
static void cell_text(const struct contest *contest, const struct standings_cell *cell, char *text, size_t size)
{
    char number[48] = "";

    if (contest->scoring == SCORING_PASS_FAIL && cell->solved.solved)
        snprintf(number, sizeof number, "%zu/%.0f", cell->solved.tries, floor(cell->solved.seconds / 60));
    else if (contest->scoring == SCORING_PASS_FAIL && cell->solved.tries > 0)
        snprintf(number, sizeof number, "%zu/-", cell->solved.tries);
    else if (contest->scoring == SCORING_FASTEST && cell->timing.median > 0)
        snprintf(number, sizeof number, "%.6f (%zu)", cell->timing.median, cell->timing.rank);
    else if (contest->scoring != SCORING_PASS_FAIL && contest->scoring != SCORING_FASTEST && cell->solved.tries > 0)
        number_text(number, sizeof number, cell->score);
    else if (cell->solved.tries > 0)
        snprintf(number, sizeof number, "-");
    if (cell->solved.pending > 0)
        snprintf(text, size, "%s%s?%zu", number, number[0] ? " " : "", cell->solved.pending);
    else
        snprintf(text, size, "%s", number);
}

/* Columns of the standings: which are shown, as what. */
struct columns {
    bool all;         /* for programs: penalty and score, affiliation and country, whether they mean anything or not */
    bool affiliation; /* some team has one */
    bool country;
};

static struct columns columns_of(const struct standings *standings, enum rows_format format)
{
    struct columns columns = { .all = format == ROWS_CSV };

    columns.affiliation = columns.country = columns.all;
    for (size_t i = 0; i < standings->count; i++) {
        columns.affiliation = columns.affiliation || standings->teams[i].affiliation;
        columns.country = columns.country || standings->teams[i].country;
    }
    return columns;
}

/* Text for a query: what is printed to `file`, with names of columns quoted. Problems' ids have no quotes. */
static void print_names(FILE *file, const struct contest *contest, const struct columns *columns)
{
    const bool pass_fail = contest->scoring == SCORING_PASS_FAIL;

    fputs("SELECT place AS rank, team, name, solved", file);
    if (columns->all || pass_fail)
        fputs(", penalty", file);
    if (columns->all || !pass_fail)
        fputs(", score", file);
    for (size_t k = 0; k < contest->problem_count; k++)
        fprintf(file, ", nullif(problem_%zu, '') AS \"%s\"", k, contest->problems[k].id);
    fputs(columns->affiliation ? ", affiliation" : "", file);
    fputs(columns->country ? ", country" : "", file);
    fputs(" FROM standings ORDER BY standings.rowid", file);
}

static void print_table(FILE *file, const struct contest *contest, bool insert)
{
    fputs(insert ? "INSERT INTO standings VALUES (?, ?, ?, ?, ?, ?, ?, ?"
                 : "CREATE TEMP TABLE standings (place, team, name, affiliation, country, solved, penalty, "
                   "score", file);
    for (size_t k = 0; k < contest->problem_count; k++)
        insert ? fputs(", ?", file) : fprintf(file, ", problem_%zu", k);
    fputs(")", file);
}

static bool add_line(const struct standings *standings, const struct standings_team *team, const char *sql, bool exact,
                     struct error *error)
{
    sqlite3_stmt *statement = store_prepare(standings->store, error, sql, "issssi", (int64_t)team->rank, team->id,
                                            team->name, team->affiliation, team->country, (int64_t)team->solved);
    enum store_row row;
    char text[64];

    if (!statement)
        return false;
    for (int i = 0; i < 2; i++) {
        const double number = i == 0 ? team->penalty : team->score;

        number_text(text, sizeof text, number);
        if (exact)
            sqlite3_bind_double(statement, 7 + i, number);
        else
            sqlite3_bind_text(statement, 7 + i, text, -1, SQLITE_TRANSIENT);
    }
    for (size_t k = 0; k < standings->contest->problem_count; k++) {
        cell_text(standings->contest, &team->cells[k], text, sizeof text);
        sqlite3_bind_text(statement, 9 + (int)k, text, -1, SQLITE_TRANSIENT);
    }
    row = store_step(standings->store, statement, error);
    sqlite3_finalize(statement);
    return row == STORE_END;
}

/* The text that a printer makes, to be freed. */
static char *sql_text(const struct standings *standings, const struct columns *columns, bool insert)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return NULL;
    if (columns)
        print_names(file, standings->contest, columns);
    else
        print_table(file, standings->contest, insert);
    return fclose(file) == 0 ? text : NULL;
}

/* One line per team through rows_write(), so that names are quoted as everywhere. */
static bool write_lines(const struct standings *standings, enum rows_format format, struct error *error)
{
    const struct columns columns = columns_of(standings, format);
    char *create = sql_text(standings, NULL, false), *insert = sql_text(standings, NULL, true),
         *select = sql_text(standings, &columns, false);
    bool ok = (create && insert && select) || error_toolkit(error, "out of memory");
    sqlite3_stmt *statement = NULL;

    ok = ok && store_run(standings->store, error, create, "");
    for (size_t i = 0; ok && i < standings->count; i++)
        ok = add_line(standings, &standings->teams[i], insert, format == ROWS_CSV, error);
    statement = ok ? store_prepare(standings->store, error, select, "") : NULL;
    free(create);
    free(insert);
    free(select);
    return statement && rows_write(standings->store, statement, format, error);
}

/* As rows, best first, in the same formats. `public_view` hides what came after the freeze. */
static bool write_standings(const struct contest *contest, struct store *store, const char *folder, bool public_view,
                     enum rows_format format, struct error *error)
{
    struct standings standings;
    bool ok = standings_load(&standings, contest, store, folder, public_view, error);
    json_t *object;

    if (ok && format == ROWS_JSON) {
        object = standings_json(&standings);
        ok = object && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0 &&
             putchar('\n') != EOF;
        ok = ok || error_toolkit(error, "cannot write the standings");
        json_decref(object);
    } else if (ok) {
        ok = write_lines(&standings, format, error);
    }
    standings_release(&standings);
    return ok;
}

/* ------------------------------------------------------------------ the command */

int command_results(const struct contest *contest, const char *folder, int argc, char **argv, struct error *error)
{
    const char *name = "submissions", *sql = NULL, *own = NULL;
    enum rows_format format = ROWS_TABLE;
    struct filter filter = { 0 };
    struct store store;
    sqlite3_stmt *statement = NULL;
    bool public_view = false, secrets = false, filtered = false, ok;
    char path[PATH_MAX];

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0)
            format = ROWS_CSV;
        else if (strcmp(argv[i], "--json") == 0)
            format = ROWS_JSON;
        else if (strcmp(argv[i], "--public") == 0)
            public_view = true;
        else if (strcmp(argv[i], "--show-secret") == 0)
            secrets = true;
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
                           " rejudgings, balloons",
                           name),
               EXIT_USAGE;
    if (public_view && secrets)
        return error_usage(error, "--public and --show-secret exclude each other"), EXIT_USAGE;
    if (public_view && (own || sql))
        return error_usage(error, "--public is for the standings alone: "
                                  "the other tables hold what came after the freeze, too"), EXIT_USAGE;
    if (filtered && (own || !sql || !strstr(sql, FILTER_SQL)))
        return error_usage(error, "%s cannot be filtered", own ? "--sql" : name), EXIT_USAGE;
    if (strcmp(name, "balloons") == 0) { /* which are given for what counts */
        filter.since = contest->start;
        filter.until = contest->end > 0 ? nextafter(contest->end, 0) : 0;
    }
    store_path(folder, path);
    if (!store_open(&store, path, secrets ? STORE_READ_SECRET : STORE_READ, error))
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
        ok = write_standings(contest, &store, folder, public_view, format, error) &&
             devices_tell(contest, &store, error);
    }
    store_close(&store);
    return ok ? 0 : (int)error->code;
}
