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

static json_int_t minutes(const json_t *seconds) { return (json_int_t)floor(json_number_value(seconds) / 60); }

/* `fastest`: how many teams with a time a place leaves behind, itself among them; 0 without a time. */
static double points_of_place(const json_t *teams, size_t problem, const json_t *cell)
{
    const json_t *team, *rank = json_object_get(cell, "rank");
    size_t i, timed = 0;

    if (!rank)
        return 0;
    json_array_foreach(teams, i, team) timed +=
        json_object_get(json_array_get(json_object_get(team, "problems"), problem), "rank") != NULL;
    return (double)timed + 1 - json_number_value(rank);
}

static json_t *cell_of(const struct view *view, const json_t *teams, size_t problem, const json_t *cell, double *points)
{
    const bool score = board_has_scores(view->contest), solved = json_is_true(json_object_get(cell, "solved"));
    const json_t *at = json_object_get(cell, "at");
    char id[CLICS_ID];
    json_t *object;

    clics_id("p", view->contest->problems[problem].id, id);
    object = json_pack("{s:s, s:O, s:O}", "problem_id", id, "num_judged", json_object_get(cell, "tries"), "num_pending",
                       json_object_get(cell, "pending"));
    *points = view->contest->scoring == SCORING_FASTEST ? points_of_place(teams, problem, cell)
                                                        : json_number_value(json_object_get(cell, "score"));
    if (score)
        json_object_set_new(object, "score", json_real(*points));
    else
        json_object_set_new(object, "solved", json_boolean(solved));
    if (json_is_number(at) && (score ? *points > 0 : solved))
        json_object_set_new(object, "time", json_integer(minutes(at)));
    return object;
}

static json_t *row_of(const struct view *view, const json_t *teams, const json_t *team)
{
    const json_t *cells = json_object_get(team, "problems"), *cell;
    json_t *problems = json_array(), *score = json_object(), *time = json_null();
    double total = 0, points;
    char id[CLICS_ID];
    size_t i;

    json_array_foreach(cells, i, cell)
    {
        json_t *object = cell_of(view, teams, i, cell, &points), *at = json_object_get(object, "time");

        total += points;
        if (at && (!json_is_integer(time) || json_integer_value(at) > json_integer_value(time)))
            time = at;
        json_array_append_new(problems, object);
    }
    if (board_has_scores(view->contest)) {
        json_object_set_new(score, "score", json_real(total));
    } else {
        json_object_set(score, "num_solved", json_object_get(team, "solved"));
        json_object_set_new(score, "total_time", json_integer(llround(json_number_value(json_object_get(team, "penalty")))));
    }
    json_object_set(score, "time", time);
    clics_id("t", json_string_value(json_object_get(team, "team")), id);
    return json_pack("{s:O, s:s, s:o, s:o}", "rank", json_object_get(team, "rank"), "team_id", id, "score", score,
                     "problems", problems);
}

/* ------------------------------------------------------------------ order */

struct place {
    json_int_t rank;
    const char *name, *id; /* the team's; the folder's decides between equal names, so that the order is one */
    const json_t *team;
    UCollator *collator;
};

static int by_place(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    UErrorCode status = U_ZERO_ERROR;
    UCollationResult order;
    UCharIterator left, right;

    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    uiter_setUTF8(&left, one->name, -1);
    uiter_setUTF8(&right, other->name, -1);
    order = ucol_strcollIter(one->collator, &left, &right, &status);
    if (U_FAILURE(status) || order == UCOL_EQUAL)
        return strcmp(one->id, other->id);
    return order == UCOL_LESS ? -1 : 1;
}

json_t *board_read(const struct view *view, bool frozen, json_t *state, double last, struct error *error)
{
    json_t *standings = standings_object(view->contest, view->store, view->folder, frozen, error), *rows = json_array();
    const json_t *teams = json_object_get(standings, "teams"), *team;
    const size_t count = json_array_size(teams);
    struct place *places = calloc(count + 1, sizeof *places);
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = standings ? ucol_open("en_US", &status) : NULL;
    char time[CLICS_TIME], contest_time[CLICS_TIME];
    json_t *object = NULL;
    size_t i;

    if (!standings)
        goto out;
    if (U_FAILURE(status) || !places || !rows) {
        error_toolkit(error, "cannot sort the teams: %s", U_FAILURE(status) ? u_errorName(status) : "out of memory");
        goto out;
    }
    json_array_foreach(teams, i, team) places[i] =
        (struct place){ json_integer_value(json_object_get(team, "rank")), json_string_value(json_object_get(team, "name")),
                        json_string_value(json_object_get(team, "team")), team, collator };
    qsort(places, count, sizeof *places, by_place);
    for (i = 0; i < count; i++)
        json_array_append_new(rows, row_of(view, teams, places[i].team));
    clics_time(last, time);
    clics_reltime(last - view->contest->start, contest_time);
    object = json_pack("{s:s, s:s, s:O, s:O}", "time", time, "contest_time", contest_time, "state", state, "rows", rows);
    if (!object)
        error_toolkit(error, "out of memory");
out:
    if (collator)
        ucol_close(collator);
    free(places);
    json_decref(rows);
    json_decref(standings);
    return object;
}
