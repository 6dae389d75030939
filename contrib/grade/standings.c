/*
 * standings.c - from the verdicts and times that count to who stands where, by score.h.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "devices.h"
#include "score.h"

enum { ATTEMPTS = 4096 };

/* One team on one problem. */
struct cell {
    struct solved solved;  /* pass-fail, and the counts of every scoring */
    struct timing timing;  /* of the fastest accepted submission; median 0: none */
    double speedup, score; /* relative; relative and groups */
};

struct team {
    char *id, *name;
    struct cell cells[CONTEST_PROBLEMS];
    size_t solved, rank;
    double penalty, last, score; /* score: points, or the sum of places for `fastest` */
};

struct standings {
    const struct contest *contest;
    struct store *store;
    double freeze;      /* submissions from then on are shown without verdict; 0: none */
    struct team *teams; /* [count] */
    size_t count;
};

/* ------------------------------------------------------------------ gathering */

/* The team's name as teams/ID.yaml has it, or its folder's. */
static bool team_name(const char *folder, const char *id, char **name, struct error *error)
{
    static const char *const known[] = { "name", "members.*", "affiliation", "country", NULL };
    struct settings settings;
    char path[PATH_MAX];
    const char *text;

    snprintf(path, sizeof path, "%.2000s/teams/%s.yaml", folder, id);
    if (access(path, F_OK) != 0) {
        *name = strdup(id);
        return *name || error_toolkit(error, "out of memory");
    }
    if (!settings_load(&settings, path, known, error))
        return false;
    text = settings_string(&settings, "name");
    *name = strdup(text ? text : id);
    settings_release(&settings);
    return *name || error_toolkit(error, "out of memory");
}

static bool load_teams(struct standings *standings, const char *folder, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(standings->store, error, "SELECT DISTINCT team FROM submissions ORDER BY team", "");
    int row = -1;

    while (statement && (row = store_step(standings->store, statement, error)) == 1) {
        struct team *grown = realloc(standings->teams, (standings->count + 1) * sizeof *grown);

        if (!grown)
            break;
        standings->teams = grown;
        grown = &grown[standings->count++];
        *grown = (struct team){ .id = strdup((const char *)sqlite3_column_text(statement, 0)) };
        if (!grown->id || !team_name(folder, grown->id, &grown->name, error)) {
            row = -1;
            break;
        }
    }
    sqlite3_finalize(statement);
    return row == 0 || error->text[0] != '\0' ? row == 0 : error_toolkit(error, "out of memory");
}

/* The sums of a judgement's medians and of their intervals' ends over its ranked cases; median 0 for none. */
static bool read_timing(struct standings *standings, int64_t judgement, struct timing *timing, struct error *error)
{
    sqlite3_stmt *statement = devices_choose(standings->contest, standings->store, error)
                                  ? store_prepare(standings->store, error,
                                                  "SELECT sum(median), sum(low), sum(high) FROM runs WHERE"
                                                  " judgement = ?1 AND step = 'ranked' AND " DEVICES_RANKED,
                                                  "i", judgement)
                                  : NULL;
    int row = statement ? store_step(standings->store, statement, error) : -1;

    if (row == 1)
        *timing = (struct timing){ sqlite3_column_double(statement, 0), sqlite3_column_double(statement, 1),
                                   sqlite3_column_double(statement, 2), 0 };
    sqlite3_finalize(statement);
    return row >= 0;
}

static bool read_speedup(struct standings *standings, int64_t judgement, double *speedup, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(standings->store, error,
                      "SELECT b.median, r.median FROM runs r JOIN runs b ON"
                      " b.judgement = r.judgement AND b.step = 'baseline' AND b.name = r.name WHERE"
                      " r.judgement = ?1 AND r.step = 'ranked' AND " DEVICES_RANKED,
                      "i", judgement);
    double baseline[512], mine[512];
    size_t count = 0;
    int row = -1;

    while (statement && count < 512 && (row = store_step(standings->store, statement, error)) == 1) {
        baseline[count] = sqlite3_column_double(statement, 0);
        mine[count++] = sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
    *speedup = score_speedup(baseline, mine, count);
    return row >= 0;
}

static bool read_groups(struct standings *standings, const struct contest_problem *problem, int64_t judgement,
                        double *score, struct error *error)
{
    *score = 0;
    for (size_t i = 0; i < problem->group_count; i++) {
        const struct contest_group *group = &problem->groups[i];
        sqlite3_stmt *statement = store_prepare(standings->store, error,
                                                "SELECT verdict = 'AC' FROM runs WHERE judgement = ? AND"
                                                " step = 'secret' AND substr(name, 1, length(?2) + 1) = ?2 || '/'",
                                                "is", judgement, group->name);
        bool passed[512];
        size_t count = 0;
        int row = -1;

        while (statement && count < 512 && (row = store_step(standings->store, statement, error)) == 1)
            passed[count++] = sqlite3_column_int(statement, 0) != 0;
        sqlite3_finalize(statement);
        if (row < 0)
            return false;
        *score += score_group(group->aggregation, group->max_score, passed, count);
    }
    return true;
}

/* What one finished submission adds to its team's cell. One that is to be reviewed has a verdict and no time. */
static bool take_submission(struct standings *standings, struct cell *cell, const struct contest_problem *problem,
                            int64_t judgement, bool accepted, bool review, struct error *error)
{
    const struct contest *contest = standings->contest;
    struct timing timing = { 0 };
    double speedup = 0, score = 0;

    if (contest->scoring == SCORING_GROUPS) {
        if (!read_groups(standings, problem, judgement, &score, error))
            return false;
    } else if (accepted && !review) {
        if (!read_timing(standings, judgement, &timing, error) ||
            (contest->scoring == SCORING_RELATIVE && !read_speedup(standings, judgement, &speedup, error)))
            return false;
        if (contest->scoring == SCORING_RELATIVE)
            score = score_relative(speedup, problem->points, contest->correct, contest->zero_at, contest->full_at);
    }
    if (timing.median > 0 && (cell->timing.median == 0 || timing.median < cell->timing.median))
        cell->timing = timing;
    if (speedup > cell->speedup)
        cell->speedup = speedup;
    if (score > cell->score)
        cell->score = score;
    return true;
}

static bool load_cell(struct standings *standings, struct team *team, size_t index, struct error *error)
{
    const struct contest *contest = standings->contest;
    const struct contest_problem *problem = &contest->problems[index];
    struct cell *cell = &team->cells[index];
    struct attempt *attempts = calloc(ATTEMPTS, sizeof *attempts);
    sqlite3_stmt *statement = store_prepare(
        standings->store, error,
        "SELECT s.submitted, j.verdict, j.review, j.id FROM submissions s JOIN judgements j ON"
        " j.submission = s.id AND j.valid = 1 WHERE s.team = ? AND s.problem = ? ORDER BY s.submitted, s.id",
        "ss", team->id, problem->id);
    size_t count = 0;
    int row = -1;
    bool ok = attempts && statement;

    while (ok && count < ATTEMPTS && (row = store_step(standings->store, statement, error)) == 1) {
        double submitted = sqlite3_column_double(statement, 0);
        const char *verdict = (const char *)sqlite3_column_text(statement, 1);
        bool shown = verdict && (standings->freeze == 0 || submitted < standings->freeze);
        bool accepted = shown && strcmp(verdict, "AC") == 0;

        if ((contest->start > 0 && submitted < contest->start) || (contest->end > 0 && submitted >= contest->end))
            continue;
        attempts[count++] = (struct attempt){ contest->start > 0 ? submitted - contest->start : 0, shown, accepted,
                                              shown && strcmp(verdict, "CE") != 0 && strcmp(verdict, "JE") != 0 };
        if (shown)
            ok = take_submission(standings, cell, problem, sqlite3_column_int64(statement, 3), accepted,
                                 sqlite3_column_int(statement, 2) != 0, error);
    }
    sqlite3_finalize(statement);
    if (ok && row >= 0)
        cell->solved = score_pass_fail(attempts, count, contest->penalty);
    free(attempts);
    return ok && row >= 0;
}

/* ------------------------------------------------------------------ adding up */

/* Places on one problem among the teams that have a time; a team without one has the place after the last. */
static void rank_problem(struct standings *standings, size_t index)
{
    struct timing *timings = calloc(standings->count + 1, sizeof *timings);
    size_t *owner = calloc(standings->count + 1, sizeof *owner), count = 0;

    for (size_t i = 0; timings && owner && i < standings->count; i++)
        if (standings->teams[i].cells[index].timing.median > 0) {
            timings[count] = standings->teams[i].cells[index].timing;
            owner[count++] = i;
        }
    if (timings && owner)
        score_fastest(timings, count);
    for (size_t i = 0; i < count; i++)
        standings->teams[owner[i]].cells[index].timing.rank = timings[i].rank;
    for (size_t i = 0; i < standings->count; i++) {
        struct team *team = &standings->teams[i];

        team->score += team->cells[index].timing.rank > 0 ? (double)team->cells[index].timing.rank : (double)count + 1;
    }
    free(timings);
    free(owner);
}

/* Less than 0 where `a` stands before `b`, 0 where they share a place. */
static int before(enum scoring scoring, const struct team *a, const struct team *b)
{
    double order = scoring == SCORING_PASS_FAIL ? (double)b->solved - (double)a->solved
                   : scoring == SCORING_FASTEST ? a->score - b->score
                                                : b->score - a->score;

    if (order == 0 && scoring == SCORING_PASS_FAIL)
        order = a->penalty != b->penalty ? a->penalty - b->penalty : a->last - b->last;
    return order < 0 ? -1 : order > 0;
}

static void rank_teams(struct standings *standings)
{
    const enum scoring scoring = standings->contest->scoring;

    for (size_t i = 1; i < standings->count; i++)
        for (size_t k = i; k > 0 && before(scoring, &standings->teams[k], &standings->teams[k - 1]) < 0; k--) {
            struct team swap = standings->teams[k];

            standings->teams[k] = standings->teams[k - 1];
            standings->teams[k - 1] = swap;
        }
    for (size_t i = 0; i < standings->count; i++)
        standings->teams[i].rank = i > 0 && before(scoring, &standings->teams[i - 1], &standings->teams[i]) == 0
                                       ? standings->teams[i - 1].rank
                                       : i + 1;
}

static void add_up(struct standings *standings)
{
    const struct contest *contest = standings->contest;

    for (size_t i = 0; i < standings->count; i++) {
        struct team *team = &standings->teams[i];

        for (size_t k = 0; k < contest->problem_count; k++) {
            const struct cell *cell = &team->cells[k];

            team->solved += cell->solved.solved;
            team->penalty += contest->scoring == SCORING_PASS_FAIL ? cell->solved.penalty : 0;
            team->last = cell->solved.solved && cell->solved.seconds > team->last ? cell->solved.seconds : team->last;
            team->score += contest->scoring == SCORING_FASTEST ? 0 : cell->score;
        }
    }
    for (size_t k = 0; k < contest->problem_count && contest->scoring == SCORING_FASTEST; k++)
        rank_problem(standings, k);
    rank_teams(standings);
}

/* ------------------------------------------------------------------ writing */

static json_t *cell_json(const struct contest *contest, size_t index, const struct cell *cell)
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
        const struct team *team = &standings->teams[i];
        json_t *cells = json_array();

        for (size_t k = 0; k < contest->problem_count; k++)
            json_array_append_new(cells, cell_json(contest, k, &team->cells[k]));
        json_array_append_new(teams, json_pack("{s:I, s:s, s:s, s:I, s:f, s:f, s:o}", "rank", (json_int_t)team->rank,
                                               "team", team->id, "name", team->name, "solved", (json_int_t)team->solved,
                                               "penalty", team->penalty, "score", team->score, "problems", cells));
    }
    return json_pack("{s:i, s:s, s:s, s:b, s:o}", "format", 1, "contest", contest->name, "scoring",
                     scoring_names[contest->scoring], "frozen", standings->freeze > 0, "teams", teams);
}

/* One line a team through rows_write(), so that names are quoted as everywhere. */
static bool write_lines(const struct standings *standings, enum format format, struct error *error)
{
    struct store *store = standings->store;
    bool ok = store_run(store, error, "CREATE TEMP TABLE standings (rank, team, name, solved, penalty, score)", "");
    sqlite3_stmt *statement;

    for (size_t i = 0; ok && i < standings->count; i++) {
        const struct team *team = &standings->teams[i];

        ok = store_run(store, error, "INSERT INTO standings VALUES (?, ?, ?, ?, ?, ?)", "issidd", (int64_t)team->rank,
                       team->id, team->name, (int64_t)team->solved, team->penalty, team->score);
    }
    statement = ok ? store_prepare(store, error, "SELECT * FROM standings ORDER BY rowid", "") : NULL;
    return statement && rows_write(store, statement, format, error);
}

bool standings_write(const struct contest *contest, struct store *store, const char *folder, bool public_view,
                     enum format format, struct error *error)
{
    struct standings standings = { .contest = contest, .store = store, .freeze = public_view ? contest->freeze : 0 };
    bool ok = load_teams(&standings, folder, error);
    json_t *object;

    for (size_t i = 0; ok && i < standings.count; i++)
        for (size_t k = 0; ok && k < contest->problem_count; k++)
            ok = load_cell(&standings, &standings.teams[i], k, error);
    if (ok) {
        add_up(&standings);
        if (format == FORMAT_JSON) {
            object = standings_json(&standings);
            ok = object && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0 &&
                 putchar('\n') != EOF;
            ok = ok || error_toolkit(error, "cannot write the standings");
            json_decref(object);
        } else {
            ok = write_lines(&standings, format, error);
        }
    }
    for (size_t i = 0; i < standings.count; i++) {
        free(standings.teams[i].id);
        free(standings.teams[i].name);
    }
    free(standings.teams);
    return ok;
}
