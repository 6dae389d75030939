/*
 * standings.c - from the verdicts and times that count to who stands where, by score.h.
 */
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "standings.h"
#include "contrib/grade/store/judgement.h"
#include "devices.h"
#include "score.h"

enum { ATTEMPTS = 4096 };

/* ------------------------------------------------------------------ gathering */

/* A copy of a setting, or NULL where there is none. */
static bool copy_setting(const struct settings *settings, const char *key, char **copy, struct error *error)
{
    const char *text = settings_string(settings, key);

    *copy = text && text[0] ? strdup(text) : NULL;
    return *copy || !text || !text[0] || error_toolkit(error, "out of memory");
}

/* What teams/ID.yaml says of a team; without one its name is its folder's. */
static bool describe_team(const char *folder, struct standings_team *team, struct error *error)
{
    struct settings settings = { 0 };
    char path[PATH_MAX];
    const char *name;
    bool ok;

    snprintf(path, sizeof path, "%.2000s/teams/%s.yaml", folder, team->id);
    if (access(path, F_OK) == 0 && !settings_load(&settings, path, team_keys, error))
        return false;
    name = settings_string(&settings, "name");
    team->name = strdup(name ? name : team->id);
    ok = (team->name || error_toolkit(error, "out of memory")) &&
         copy_setting(&settings, "affiliation", &team->affiliation, error) &&
         copy_setting(&settings, "country", &team->country, error) &&
         copy_setting(&settings, "group", &team->group, error);
    settings_release(&settings);
    return ok;
}

static bool add_team(struct standings *standings, const char *folder, const char *id, struct error *error)
{
    struct standings_team *grown = realloc(standings->teams, (standings->count + 1) * sizeof *grown);

    if (!grown)
        return error_toolkit(error, "out of memory");
    standings->teams = grown;
    grown = &grown[standings->count++];
    *grown = (struct standings_team){ .id = strdup(id) };
    return grown->id ? describe_team(folder, grown, error) : error_toolkit(error, "out of memory");
}

static int is_listed(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct standings_team *)a)->id, ((const struct standings_team *)b)->id);
}

/* Who is listed in teams/; where nobody is, who submitted. Who is listed no more keeps no place. */
static bool load_teams(struct standings *standings, const char *folder, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(standings->store, error, "SELECT DISTINCT team FROM submissions ORDER BY team", "");
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    bool ok = statement != NULL;
    enum store_row row = STORE_FAILED;
    int count;

    snprintf(path, sizeof path, "%.2000s/teams", folder);
    count = ok ? scandir(path, &entries, is_listed, alphasort) : 0; /* there may be no such folder */
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[strlen(entries[i]->d_name) - 5] = '\0';
        ok = ok && add_team(standings, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    while (ok && count <= 0 && (row = store_step(standings->store, statement, error)) == STORE_ROW)
        ok = add_team(standings, folder, (const char *)sqlite3_column_text(statement, 0), error);
    sqlite3_finalize(statement);
    ok = ok && (count > 0 || row == STORE_END);
    if (ok && standings->count > 1)
        qsort(standings->teams, standings->count, sizeof *standings->teams, by_id);
    return ok;
}

/* The sums of a judgement's medians and of their intervals' ends over its ranked cases; median 0 for none. */
static bool read_timing(struct standings *standings, int64_t judgement, struct timing *timing, struct error *error)
{
    sqlite3_stmt *statement = store_prepare(standings->store, error,
                                            "SELECT sum(median), sum(low), sum(high) FROM runs WHERE judgement = ?1 AND"
                                            " step = " SQL(NAME_RANKED) " AND " DEVICES_RANKED,
                                            "i", judgement);
    const enum store_row row = store_step(standings->store, statement, error);

    if (row == STORE_ROW)
        *timing = (struct timing){ sqlite3_column_double(statement, 0), sqlite3_column_double(statement, 1),
                                   sqlite3_column_double(statement, 2), 0 };
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

static bool read_speedup(struct standings *standings, int64_t judgement, double *speedup, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(standings->store, error,
                      "SELECT b.median, r.median FROM runs r JOIN runs b ON"
                      " b.judgement = r.judgement AND b.step = " SQL(NAME_BASELINE) " AND b.name = r.name WHERE"
                      " r.judgement = ?1 AND r.step = " SQL(NAME_RANKED) " AND " DEVICES_RANKED,
                      "i", judgement);
    double baseline[512], mine[512];
    size_t count = 0;
    enum store_row row = STORE_FAILED;

    while (statement && count < 512 && (row = store_step(standings->store, statement, error)) == STORE_ROW) {
        baseline[count] = sqlite3_column_double(statement, 0);
        mine[count++] = sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
    *speedup = score_speedup(baseline, mine, count);
    return row != STORE_FAILED;
}

/* How many of a group's cases there were, and how many were right; `group` NULL: of the samples. */
static bool count_passed(struct standings *standings, int64_t judgement, const char *group, size_t *right,
                         size_t *count, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(standings->store, error,
                      "SELECT count(*), total(verdict = 'AC') FROM runs"
                      " WHERE judgement = ?1 AND CASE WHEN ?2 IS NULL THEN step = " SQL(NAME_SAMPLES)
                      " ELSE step = " SQL(NAME_SECRET) " AND substr(name, 1, length(?2) + 1) = ?2 || '/' END",
                      "is", judgement, group);
    const enum store_row row = store_step(standings->store, statement, error);

    *count = row == STORE_ROW ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    *right = row == STORE_ROW ? (size_t)sqlite3_column_double(statement, 1) : 0;
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

/*
 * Groups in order, so that what one requires is known. One whose requirements failed is as if its cases had not passed.
 */
static bool read_groups(struct standings *standings, const struct contest_problem *problem, int64_t judgement,
                        double *score, struct error *error)
{
    double scores[CONTEST_GROUPS];
    unsigned passed = 0;
    size_t right, count;
    bool samples;

    *score = 0;
    if (!count_passed(standings, judgement, NULL, &right, &count, error))
        return false;
    samples = right == count;
    for (size_t i = 0; i < problem->group_count; i++) {
        const struct contest_group *group = &problem->groups[i];
        const bool tried = (samples || !group->require_sample) && (group->require & ~passed) == 0;
        bool *each;

        if (!count_passed(standings, judgement, group->name, &right, &count, error))
            return false;
        each = calloc(count + 1, sizeof *each);
        if (!each)
            return error_toolkit(error, "out of memory");
        for (size_t k = 0; k < right; k++)
            each[k] = tried;
        scores[i] = score_group(group->aggregation, group->max_score, each, count);
        free(each);
        passed |= tried && count > 0 && right == count ? 1u << i : 0;
    }
    if (samples || !problem->require_sample)
        *score = score_groups(problem->aggregation, problem->max_score > 0 ? problem->max_score : problem->points,
                              scores, problem->group_count, passed == (1u << problem->group_count) - 1);
    return true;
}

bool standings_worth(const struct contest *contest, struct store *store, const struct contest_problem *problem,
                     int64_t judgement, bool accepted, bool review, struct standings_worth *worth, struct error *error)
{
    struct standings standings = { .contest = contest, .store = store };

    *worth = (struct standings_worth){ 0 };
    if (contest->scoring == SCORING_GROUPS)
        return read_groups(&standings, problem, judgement, &worth->score, error);
    if (!accepted || review)
        return true;
    if (!read_timing(&standings, judgement, &worth->timing, error) ||
        (contest->scoring == SCORING_RELATIVE && !read_speedup(&standings, judgement, &worth->speedup, error)))
        return false;
    if (contest->scoring == SCORING_RELATIVE)
        worth->score =
            score_relative(worth->speedup, problem->points, contest->correct, contest->zero_at, contest->full_at);
    return true;
}

/* What one finished submission adds to its team's cell, and in *better whether it is the best so far. */
static bool take_submission(struct standings *standings, struct standings_cell *cell,
                            const struct contest_problem *problem, int64_t judgement, bool accepted, bool review,
                            bool *better, struct error *error)
{
    struct standings_worth worth;

    if (!standings_worth(standings->contest, standings->store, problem, judgement, accepted, review, &worth, error))
        return false;
    *better = worth.score > cell->score;
    if (worth.timing.median > 0 && (cell->timing.median == 0 || worth.timing.median < cell->timing.median)) {
        *better = *better || standings->contest->scoring == SCORING_FASTEST;
        cell->timing = worth.timing;
    }
    if (worth.speedup > cell->speedup)
        cell->speedup = worth.speedup;
    if (worth.score > cell->score)
        cell->score = worth.score;
    return true;
}

static bool load_cell(struct standings *standings, struct standings_team *team, size_t index, struct error *error)
{
    const struct contest *contest = standings->contest;
    const struct contest_problem *problem = &contest->problems[index];
    struct standings_cell *cell = &team->cells[index];
    struct attempt *attempts = calloc(ATTEMPTS, sizeof *attempts);
    sqlite3_stmt *statement = store_prepare(
        standings->store, error,
        "SELECT s.submitted, j.verdict, j.review, j.id, s.id FROM submissions s JOIN judgements j ON"
        " j.submission = s.id AND j.valid = 1 WHERE s.team = ? AND s.problem = ? ORDER BY s.submitted, s.id",
        "ss", team->id, problem->id);
    size_t count = 0, pending = 0;
    enum store_row row = STORE_FAILED;
    bool ok = attempts && statement, won = false;

    while (ok && count < ATTEMPTS && (row = store_step(standings->store, statement, error)) == STORE_ROW) {
        double submitted = sqlite3_column_double(statement, 0);
        const char *verdict = (const char *)sqlite3_column_text(statement, 1);
        bool shown = verdict && (standings->freeze == 0 || submitted < standings->freeze);
        bool accepted = shown && strcmp(verdict, "AC") == 0, better = false;
        bool judged = shown && strcmp(verdict, "JE") != 0; /* JE says nothing yet: it is to be judged again */

        if ((contest->start > 0 && submitted < contest->start) || (contest->end > 0 && submitted >= contest->end))
            continue;
        attempts[count++] = (struct attempt){ contest->start > 0 ? submitted - contest->start : 0, judged, accepted,
                                              judged && strcmp(verdict, "CE") != 0 };
        pending += !judged;
        if (shown)
            ok = take_submission(standings, cell, problem, sqlite3_column_int64(statement, 3), accepted,
                                 sqlite3_column_int(statement, 2) != 0, &better, error);
        if (better || !won)
            cell->submission = sqlite3_column_int64(statement, 4);
        won = won || better || accepted;
    }
    sqlite3_finalize(statement);
    if (ok && row != STORE_FAILED)
        cell->solved = score_pass_fail(attempts, count, contest->penalty);
    if (contest->scoring != SCORING_PASS_FAIL) /* a better one may come after the first that is right */
        cell->solved.pending = pending;
    free(attempts);
    return ok && row != STORE_FAILED;
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
        struct standings_team *team = &standings->teams[i];

        team->score += team->cells[index].timing.rank > 0 ? (double)team->cells[index].timing.rank : (double)count + 1;
    }
    free(timings);
    free(owner);
}

/* Less than 0 where `a` stands before `b`, 0 where they share a place. */
static int before(enum scoring scoring, const struct standings_team *a, const struct standings_team *b)
{
    double order = scoring == SCORING_PASS_FAIL ? (double)b->solved - (double)a->solved
                   : scoring == SCORING_FASTEST ? a->score - b->score
                                                : b->score - a->score;

    if (order == 0 && scoring == SCORING_PASS_FAIL)
        order = a->penalty != b->penalty ? a->penalty - b->penalty : a->last - b->last;
    return order < 0 ? -1 : order > 0;
}

/* For qsort_r(): who shares a place stays in the order of the teams' folders, in which they lie in memory. */
static int compare(const void *a, const void *b, void *scoring)
{
    const struct standings_team *const *one = a, *const *other = b;
    int order = before(*(const enum scoring *)scoring, *one, *other);

    return order != 0 ? order : *one < *other ? -1 : *one > *other;
}

/* Pointers are sorted, as a team is some kilobytes. */
static bool sort_teams(struct standings *standings, enum scoring scoring)
{
    const struct standings_team **order = calloc(standings->count + 1, sizeof *order);
    struct standings_team *sorted = calloc(standings->count + 1, sizeof *sorted);

    for (size_t i = 0; order && i < standings->count; i++)
        order[i] = &standings->teams[i];
    if (order && sorted) {
        qsort_r(order, standings->count, sizeof *order, compare, &scoring);
        for (size_t i = 0; i < standings->count; i++)
            sorted[i] = *order[i];
        free(standings->teams);
        standings->teams = sorted;
    } else {
        free(sorted);
        sorted = NULL;
    }
    free(order);
    return sorted != NULL;
}

static bool rank_teams(struct standings *standings, struct error *error)
{
    const enum scoring scoring = standings->contest->scoring;

    if (!sort_teams(standings, scoring))
        return error_toolkit(error, "out of memory");
    for (size_t i = 0; i < standings->count; i++)
        standings->teams[i].rank = i > 0 && before(scoring, &standings->teams[i - 1], &standings->teams[i]) == 0
                                       ? standings->teams[i - 1].rank
                                       : i + 1;
    return true;
}

static bool add_up(struct standings *standings, struct error *error)
{
    const struct contest *contest = standings->contest;

    for (size_t i = 0; i < standings->count; i++) {
        struct standings_team *team = &standings->teams[i];

        for (size_t k = 0; k < contest->problem_count; k++) {
            const struct standings_cell *cell = &team->cells[k];

            team->solved += cell->solved.solved;
            team->penalty += contest->scoring == SCORING_PASS_FAIL ? cell->solved.penalty : 0;
            if (cell->solved.solved)
                team->last = fmax(team->last, floor(cell->solved.seconds / 60));
            team->score += contest->scoring == SCORING_FASTEST ? 0 : cell->score;
        }
    }
    for (size_t k = 0; k < contest->problem_count && contest->scoring == SCORING_FASTEST; k++)
        rank_problem(standings, k);
    return rank_teams(standings, error);
}

bool standings_first(const struct contest *contest, struct store *store, const char *problem, double end,
                     struct standings_first *first, struct error *error)
{
    sqlite3_stmt *row = store_prepare(
        store, error,
        "SELECT s.team, s.id, j.verdict FROM submissions s JOIN judgements j ON j.submission = s.id AND j.valid = 1"
        " WHERE s.problem = ?1 AND s.submitted >= ?2 AND (?3 = 0 OR s.submitted < ?3)"
        " AND (j.verdict IS NULL OR j.verdict = 'AC') ORDER BY s.submitted, s.id LIMIT 1",
        "sdd", problem, contest->start, end);
    const enum store_row got = store_step(store, row, error);
    bool ok = got != STORE_FAILED;

    *first = (struct standings_first){ 0 };
    if (got == STORE_ROW && sqlite3_column_text(row, 2)) {
        first->submission = sqlite3_column_int64(row, 1);
        first->team = strdup((const char *)sqlite3_column_text(row, 0));
        ok = first->team || error_toolkit(error, "out of memory");
    }
    sqlite3_finalize(row);
    return ok;
}

bool standings_load(struct standings *standings, const struct contest *contest, struct store *store, const char *folder,
                    bool public_view, struct error *error)
{
    const bool frozen = public_view && !contest_thawed(contest, (double)time(NULL));
    bool ok;

    *standings = (struct standings){ .contest = contest, .store = store, .freeze = frozen ? contest->freeze : 0 };
    ok = devices_choose(contest, store, error) && load_teams(standings, folder, error);
    for (size_t i = 0; ok && i < standings->count; i++)
        for (size_t k = 0; ok && k < contest->problem_count; k++)
            ok = load_cell(standings, &standings->teams[i], k, error);
    return ok && add_up(standings, error);
}

void standings_release(struct standings *standings)
{
    for (size_t i = 0; i < standings->count; i++) {
        free(standings->teams[i].id);
        free(standings->teams[i].name);
        free(standings->teams[i].affiliation);
        free(standings->teams[i].country);
        free(standings->teams[i].group);
    }
    free(standings->teams);
    *standings = (struct standings){ 0 };
}
