/*
 * board.c - reads the database, a transaction long.
 */
#include "board.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/canonical.h"
#include "verify/cases/keys.h"

/* A copy of a column's text; NULL of a null, or without memory. */
static char *column(sqlite3_stmt *statement, int index)
{
    const char *text = (const char *)sqlite3_column_text(statement, index);

    return text ? strdup(text) : NULL;
}

/* ------------------------------------------------------------------ titles */

/* A problem's name as its problem.yaml has it, one or one a language. Where that cannot be read its id will do. */
static void load_titles(struct board *board, size_t index, const char *root)
{
    static const char *const keys[LANGUAGES] = { "name.en", "name.ja" };
    struct settings settings;
    struct error ignored;
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.2000s/problems/%.200s/problem.yaml", root, board->contest->problems[index].problem);
    if (!settings_load(&settings, path, problem_yaml_keys, &ignored))
        return;
    for (int i = 0; i < LANGUAGES; i++) {
        const char *title = settings_string(&settings, keys[i]);

        title = title ? title : settings_string(&settings, "name");
        title = title ? title : settings_string(&settings, "name.en");
        board->titles[index][i] = title ? strdup(title) : NULL;
    }
    settings_release(&settings);
}

/* ------------------------------------------------------------------ submissions */

static int by_id(const void *a, const void *b)
{
    const struct standings_team *const *one = a, *const *other = b;

    return strcmp((*one)->id, (*other)->id);
}

static void release_entry(struct entry *entry)
{
    char *const owned[] = { entry->team,     entry->path, entry->verdict, entry->message,
                            entry->language, entry->kind, entry->device,  entry->driver };

    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* Gives every entry its team's name. Those of teams that have no place, as teams/ does not list them, are left out. */
static bool name_entries(struct board *board, struct error *error)
{
    const size_t count = board->standings.count;
    size_t kept = 0;
    const struct standings_team **order = calloc(count + 1, sizeof *order);

    if (!order)
        return error_toolkit(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        order[i] = &board->standings.teams[i];
    qsort(order, count, sizeof *order, by_id);
    for (size_t i = 0; i < board->count; i++) {
        const struct standings_team wanted = { .id = board->entries[i].team }, *key = &wanted,
                                    *const *found = bsearch(&key, order, count, sizeof *order, by_id);

        if (!found) {
            release_entry(&board->entries[i]);
            continue;
        }
        board->entries[kept] = board->entries[i];
        board->entries[kept++].name = (*found)->name;
    }
    board->count = kept;
    free(order);
    return true;
}

static bool take_entry(struct board *board, sqlite3_stmt *statement, struct error *error)
{
    const struct contest *contest = board->contest;
    const struct contest_problem *problem = contest_problem(contest, (const char *)sqlite3_column_text(statement, 2));
    const double submitted = sqlite3_column_double(statement, 4);
    struct entry *entry;

    if (!problem) /* the contest no longer has it */
        return true;
    entry = realloc(board->entries, (board->count + 1) * sizeof *entry);
    if (!entry)
        return error_toolkit(error, "out of memory");
    board->entries = entry;
    entry = &entry[board->count++];
    *entry = (struct entry){
        .id = sqlite3_column_int64(statement, 0),
        .team = column(statement, 1),
        .problem = (size_t)(problem - contest->problems),
        .path = column(statement, 3),
        .submitted = submitted,
        .counts = submitted >= contest->start && (contest->end == 0 || submitted < contest->end),
        .hidden = board->freeze > 0 && submitted >= board->freeze,
    };
    if (!entry->team || !entry->path)
        return error_toolkit(error, "out of memory");
    if (entry->hidden || sqlite3_column_type(statement, 6) == SQLITE_NULL)
        return true;
    entry->judgement = sqlite3_column_int64(statement, 5);
    entry->verdict = column(statement, 6);
    entry->message = column(statement, 7);
    entry->review = sqlite3_column_int(statement, 8) != 0;
    entry->language = column(statement, 9);
    entry->kind = column(statement, 10);
    entry->device = column(statement, 11);
    entry->driver = column(statement, 12);
    return entry->verdict || error_toolkit(error, "out of memory");
}

static bool load_entries(struct board *board, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(
        board->store, error,
        "SELECT s.id, s.team, s.problem, s.path, s.submitted, j.id, j.verdict, j.message, j.review, j.language,"
        " nullif(m.kind, ''), nullif(m.name, ''), nullif(m.driver, '') FROM submissions s JOIN judgements j"
        " ON j.submission = s.id AND j.valid = 1 LEFT JOIN machines m ON m.id = j.machine ORDER BY s.id",
        "");
    bool ok = statement != NULL;
    enum store_row row = STORE_FAILED;

    while (ok && (row = store_step(board->store, statement, error)) == STORE_ROW)
        ok = take_entry(board, statement, error);
    sqlite3_finalize(statement);
    return ok && row == STORE_END;
}

/* The standings at the board's moment: they would ask the clock themselves whether the thaw has come. */
static bool load_standings(struct board *board, const char *folder, struct error *error)
{
    struct contest contest = *board->contest;
    bool ok;

    contest.thaw = 0;
    ok = standings_load(&board->standings, &contest, board->store, folder, board->freeze > 0, error);
    board->standings.contest = board->contest;
    return ok;
}

/* The first of what may be seen: the freeze hides those after it. */
static bool load_firsts(struct board *board, struct error *error)
{
    const struct contest *contest = board->contest;
    const double end = board->freeze > 0 ? board->freeze : contest->end;
    bool ok = true;

    for (size_t i = 0; ok && i < contest->problem_count; i++)
        ok = standings_first(contest, board->store, contest->problems[i].id, end, &board->firsts[i], error);
    return ok;
}

static bool load_awards(struct board *board, struct error *error)
{
    return !awards_are_due(board->contest, board->now, board->freeze > 0) ||
           awards_find(&board->awards, &board->standings, error);
}

bool board_load(struct board *board, const struct contest *contest, struct store *store, const char *folder,
                const char *root, bool final, double now, struct error *error)
{
    *board = (struct board){ .contest = contest, .store = store, .now = now };
    board->freeze = final || contest_thawed(contest, now) ? 0 : contest->freeze;
    board->problems = contest->start > 0 && now < contest->start ? 0 : contest->problem_count;
    for (size_t i = 0; i < contest->problem_count; i++)
        load_titles(board, i, root);
    return load_standings(board, folder, error) && load_firsts(board, error) &&
           load_awards(board, error) &&
           (board->problems == 0 || load_entries(board, error)) && name_entries(board, error);
}

void board_release(struct board *board)
{
    for (size_t i = 0; i < CONTEST_PROBLEMS; i++) {
        for (int k = 0; k < LANGUAGES; k++)
            free(board->titles[i][k]);
        free(board->firsts[i].team);
    }
    for (size_t i = 0; i < board->count; i++)
        release_entry(&board->entries[i]);
    free(board->entries);
    awards_release(&board->awards);
    standings_release(&board->standings);
    *board = (struct board){ 0 };
}

bool entry_ranks(const struct entry *entry)
{
    return entry->counts && !entry->hidden && !entry->review && entry->median > 0 && entry->verdict &&
           strcmp(entry->verdict, "AC") == 0;
}

/* ------------------------------------------------------------------ details */

static bool take_run(struct detail *detail, sqlite3_stmt *statement, struct error *error)
{
    struct run *run = realloc(detail->runs, (detail->count + 1) * sizeof *run);

    if (!run)
        return error_toolkit(error, "out of memory");
    detail->runs = run;
    run = &run[detail->count++];
    *run = (struct run){
        .name = column(statement, 2),
        .verdict = column(statement, 3),
        .message = column(statement, 4),
        .median = sqlite3_column_double(statement, 5),
        .low = sqlite3_column_double(statement, 6),
        .high = sqlite3_column_double(statement, 7),
    };
    if (!step_parse((const char *)sqlite3_column_text(statement, 1), &run->step))
        return error_toolkit(error, "run %jd has an unknown step", (intmax_t)sqlite3_column_int64(statement, 0));
    return (run->name && run->verdict && run->message) || error_toolkit(error, "out of memory");
}

static bool take_sample(struct run *run, double seconds, struct error *error)
{
    const size_t count = run->sample_count;

    if ((count & (count - 1)) == 0) { /* full: 0, 1, 2, 4 ... */
        double *grown = realloc(run->samples, (count > 0 ? 2 * count : 1) * sizeof *grown);

        if (!grown)
            return error_toolkit(error, "out of memory");
        run->samples = grown;
    }
    run->samples[run->sample_count++] = seconds;
    return true;
}

/* A row for each sample, or one for a run without. */
static bool load_runs(struct detail *detail, struct store *store, int64_t judgement, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(
        store, error,
        "SELECT r.id, step, name, verdict, message, median, low, high, x.seconds FROM runs r LEFT JOIN samples x ON"
        " x.run = r.id WHERE judgement = ? ORDER BY CASE step WHEN " SQL(NAME_SAMPLES) " THEN 1 WHEN "
        SQL(NAME_SECRET) " THEN 2 WHEN " SQL(NAME_BASELINE) " THEN 3 ELSE 4 END, r.number, r.id, x.number",
        "i", judgement);
    bool ok = statement != NULL;
    int64_t last = 0;
    enum store_row row = STORE_FAILED;

    while (ok && (row = store_step(store, statement, error)) == STORE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);

        if (detail->count == 0 || id != last)
            ok = take_run(detail, statement, error);
        if (ok && sqlite3_column_type(statement, 8) != SQLITE_NULL)
            ok = take_sample(&detail->runs[detail->count - 1], sqlite3_column_double(statement, 8), error);
        last = id;
    }
    sqlite3_finalize(statement);
    return ok && row == STORE_END;
}

/* The record of the last step, whose cases are the last runs. A record that is no JSON any more is as none. */
static bool load_record(struct detail *detail, struct store *store, int64_t judgement, struct error *error)
{
    const enum step step = detail->count > 0 ? detail->runs[detail->count - 1].step : STEP_BUILD;
    sqlite3_stmt *statement = store_prepare(store, error, "SELECT record FROM steps WHERE judgement = ? AND step = ?",
                                            "is", judgement, step_name(step));
    const enum store_row row = store_step(store, statement, error);
    const char *text = row == STORE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    struct error unread; /* a record that is none is shown as none */
    size_t number = 0;

    detail->record = text ? canonical_read(text, strlen(text), &unread) : NULL;
    sqlite3_finalize(statement);
    for (size_t i = 0; i < detail->count; i++)
        if (detail->runs[i].step == step)
            detail->runs[i].record = json_array_get(json_object_get(detail->record, "cases"), number++);
    return row != STORE_FAILED;
}

/* The sums that rank. The floor only where every ranked case has one. */
static void fill_times(struct entry *entry, const struct detail *detail)
{
    const struct run *only = NULL;
    size_t cases = 0, floors = 0;

    for (size_t i = 0; i < detail->count; i++) {
        const struct run *run = &detail->runs[i];
        double least = json_number_value(json_object_get(run->record, "floor_seconds"));

        if (run->step == STEP_BASELINE)
            entry->baseline += run->median;
        if (run->step != STEP_RANKED)
            continue;
        entry->median += run->median, entry->low += run->low, entry->high += run->high;
        entry->floor += least;
        floors += least > 0;
        cases++;
        only = run;
    }
    if (floors < cases)
        entry->floor = 0;
    if (cases != 1)
        return;
    entry->sample_count = only->sample_count < BOARD_SAMPLES ? only->sample_count : BOARD_SAMPLES;
    for (size_t i = 0; i < entry->sample_count; i++)
        entry->samples[i] = only->samples[i];
}

bool detail_load(struct detail *detail, const struct board *board, struct entry *entry, struct error *error)
{
    *detail = (struct detail){ 0 };
    entry->median = entry->low = entry->high = entry->baseline = entry->floor = 0;
    if (entry->judgement == 0)
        return true;
    if (!load_runs(detail, board->store, entry->judgement, error) ||
        !load_record(detail, board->store, entry->judgement, error))
        return false;
    fill_times(entry, detail);
    return true;
}

void detail_release(struct detail *detail)
{
    for (size_t i = 0; i < detail->count; i++) {
        free(detail->runs[i].name);
        free(detail->runs[i].verdict);
        free(detail->runs[i].message);
        free(detail->runs[i].samples);
    }
    free(detail->runs);
    json_decref(detail->record);
    *detail = (struct detail){ 0 };
}
