/*
 * board.c - standings to rows: sorted by rank, then by the teams' names as people sort them (ICU's en-US collation).
 */
#include "board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/ucol.h>
#include <unicode/uiter.h>

#include "contrib/grade/standings.h"
#include "words.h"

bool board_has_scores(const struct contest *contest) { return contest->scoring != SCORING_PASS_FAIL; }

/* `fastest`: how many teams with a time a place leaves behind, itself among them; 0 without a time. */
static double points_of_place(const struct standings *standings, size_t problem, const struct standings_cell *cell)
{
    size_t timed = 0;

    for (size_t i = 0; i < standings->count; i++)
        timed += standings->teams[i].cells[problem].timing.median > 0;
    return cell->timing.median > 0 ? (double)(timed + 1 - cell->timing.rank) : 0;
}

/* When what makes the cell was submitted, seconds since the start. */
static bool seconds_of(const struct view *view, const struct standings_cell *cell, double *seconds, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(view->store, error, "SELECT submitted FROM submissions WHERE id = ?", "i", cell->submission);
    const enum store_row row = store_step(view->store, statement, error);

    *seconds = row == STORE_ROW ? sqlite3_column_double(statement, 0) - view->contest->start : 0;
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

static json_t *cell_of(const struct view *view, const struct standings *standings, size_t problem,
                       const struct standings_cell *cell, double *points, struct error *error)
{
    const bool score = board_has_scores(view->contest);
    double seconds = cell->solved.seconds;
    char id[CLICS_ID];
    json_t *object;

    clics_id("p", view->contest->problems[problem].id, id);
    object = json_pack("{s:s, s:I, s:I}", "problem_id", id, "num_judged", (json_int_t)cell->solved.tries, "num_pending",
                       (json_int_t)cell->solved.pending);
    *points = view->contest->scoring == SCORING_FASTEST ? points_of_place(standings, problem, cell) : cell->score;
    if (score)
        json_object_set_new(object, "score", clics_number(*points));
    else
        json_object_set_new(object, "solved", json_boolean(cell->solved.solved));
    if (score && *points > 0 && !seconds_of(view, cell, &seconds, error)) {
        json_decref(object);
        return NULL;
    }
    if (score ? *points > 0 : cell->solved.solved)
        json_object_set_new(object, "time", json_integer((json_int_t)floor(seconds / 60)));
    return object;
}

static json_t *row_of(const struct view *view, const struct standings *standings, const struct standings_team *team,
                      struct error *error)
{
    json_t *problems = json_array(), *score = json_object(), *time = NULL;
    double total = 0, points;
    char id[CLICS_ID];

    for (size_t i = 0; i < view->contest->problem_count; i++) {
        json_t *object = cell_of(view, standings, i, &team->cells[i], &points, error),
               *at = json_object_get(object, "time");

        total += points;
        if (at && (!time || json_integer_value(at) > json_integer_value(time)))
            time = at;
        json_array_append_new(problems, object);
    }
    if (board_has_scores(view->contest)) {
        json_object_set_new(score, "score", clics_number(total));
    } else {
        json_object_set_new(score, "num_solved", json_integer((json_int_t)team->solved));
        json_object_set_new(score, "total_time", json_integer(llround(team->penalty)));
    }
    if (time) /* the schema of ICPC refuses null */
        json_object_set(score, "time", time);
    clics_id("t", team->id, id);
    return json_pack("{s:I, s:s, s:o, s:o}", "rank", (json_int_t)team->rank, "team_id", id, "score", score, "problems",
                     problems);
}

/* ------------------------------------------------------------------ order */

struct place {
    const struct standings_team *team;
    UCollator *collator;
};

/* The folder decides between equal names, so that the order is one. */
static int by_place(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    UErrorCode status = U_ZERO_ERROR;
    UCollationResult order;
    UCharIterator left, right;

    if (one->team->rank != other->team->rank)
        return one->team->rank < other->team->rank ? -1 : 1;
    uiter_setUTF8(&left, one->team->name, -1);
    uiter_setUTF8(&right, other->team->name, -1);
    order = ucol_strcollIter(one->collator, &left, &right, &status);
    if (U_FAILURE(status) || order == UCOL_EQUAL)
        return strcmp(one->team->id, other->team->id);
    return order == UCOL_LESS ? -1 : 1;
}

static json_t *rows_of(const struct view *view, const struct standings *standings, struct error *error)
{
    struct place *places = calloc(standings->count + 1, sizeof *places);
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = ucol_open("en_US", &status);
    json_t *rows = json_array();

    if (U_FAILURE(status) || !places || !rows)
        error_toolkit(error, "cannot sort the teams: %s", U_FAILURE(status) ? u_errorName(status) : "out of memory");
    for (size_t i = 0; places && i < standings->count; i++)
        places[i] = (struct place){ &standings->teams[i], collator };
    if (!error->text[0])
        qsort(places, standings->count, sizeof *places, by_place);
    for (size_t i = 0; !error->text[0] && i < standings->count; i++)
        json_array_append_new(rows, row_of(view, standings, places[i].team, error));
    if (collator)
        ucol_close(collator);
    free(places);
    if (!error->text[0])
        return rows;
    json_decref(rows);
    return NULL;
}

json_t *board_read(const struct view *view, bool frozen, json_t *state, double last, struct error *error)
{
    struct contest contest = *view->contest;
    struct standings standings;
    char time[CLICS_TIME], contest_time[CLICS_TIME];
    json_t *rows = NULL, *object = NULL;

    contest.thaw = 0; /* whether it has come is a question of the view's moment, and `frozen` answers it */
    if (standings_load(&standings, &contest, view->store, view->folder, frozen, error))
        rows = rows_of(view, &standings, error);
    standings_release(&standings);
    if (!rows)
        return NULL;
    clics_time(last, time);
    clics_reltime(last - contest.start, contest_time);
    object =
        json_pack("{s:s, s:s, s:O, s:o}", "time", time, "contest_time", contest_time, "state", state, "rows", rows);
    if (!object)
        error_toolkit(error, "out of memory");
    return object;
}
