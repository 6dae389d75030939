/*
 * prizes.c - the endpoint of awards.
 */
#include "prizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/grade/awards.h"
#include "words.h"

struct prizes {
    const struct view *view;
    json_t *out; /* the awards so far */
    struct error *error;
};

static bool add_award(const struct prizes *prizes, const char *id, const char *citation, const char *team)
{
    char team_id[CLICS_ID];

    clics_id("t", team, team_id);
    return json_array_append_new(prizes->out, json_pack("{s:s, s:s, s:[s]}", "id", id, "citation", citation, "team_ids",
                                                        team_id)) == 0 ||
           error_toolkit(prizes->error, "out of memory");
}

/* The team that solved a problem first, once all that was handed in before has its verdict and may be seen. */
static bool read_first_to_solve(const struct prizes *prizes, const char *problem)
{
    const struct contest *contest = prizes->view->contest;
    const bool frozen = prizes->view->public_view && !contest_thawed(contest, prizes->view->now);
    const double end = frozen ? contest->freeze : contest->end;
    struct standings_first first;
    char id[80], citation[160], problem_id[CLICS_ID];
    bool ok;

    clics_id("p", problem, problem_id);
    snprintf(id, sizeof id, "first-to-solve-%.20s", problem_id);
    snprintf(citation, sizeof citation, "First to solve problem %s", problem);
    ok = standings_first(contest, prizes->view->store, problem, end, &first, prizes->error);
    if (ok && first.team)
        ok = add_award(prizes, id, citation, first.team);
    free(first.team);
    return ok;
}

/* Puts a team into the award of that ID, which is made with its first one. */
static bool add_winner(const struct prizes *prizes, const char *id, const char *citation, const char *team)
{
    json_t *award = clics_find(prizes->out, id);
    char team_id[CLICS_ID];

    clics_id("t", team, team_id);
    return award ? json_array_append_new(json_object_get(award, "team_ids"), json_string(team_id)) == 0 ||
                       error_toolkit(prizes->error, "out of memory")
                 : add_award(prizes, id, citation, team);
}

static bool add_won(const struct prizes *prizes, const struct award *award)
{
    static const char *const ids[] = { "winner", "gold-medal", "silver-medal", "bronze-medal" },
                             *const citations[] = { "Contest winner", "Gold medal", "Silver medal", "Bronze medal" };
    char group[CLICS_ID], id[80], citation[240];

    if (award->kind != AWARD_GROUP)
        return add_winner(prizes, ids[award->kind], citations[award->kind], award->team->id);
    clics_id("g", award->group->id, group);
    snprintf(id, sizeof id, "group-winner-%.22s", group);
    snprintf(citation, sizeof citation, "Winner of %s", award->group->name ? award->group->name : award->group->id);
    return add_winner(prizes, id, citation, award->team->id);
}

/* The winner, medals and groups' winners, once the contest is over and nothing is hidden. */
static bool read_won(const struct prizes *prizes)
{
    struct contest contest = *prizes->view->contest;
    const bool hidden = prizes->view->public_view && !contest_thawed(&contest, prizes->view->now);
    struct standings standings;
    struct awards awards = { 0 };
    bool ok;

    if (!awards_are_due(&contest, prizes->view->now, hidden))
        return true;
    contest.thaw = 0; /* as board_read() does: the view's moment decides what is hidden */
    ok = standings_load(&standings, &contest, prizes->view->store, prizes->view->folder, false, prizes->error) &&
         awards_find(&awards, &standings, prizes->error);
    for (size_t i = 0; ok && i < awards.count; i++)
        ok = add_won(prizes, &awards.items[i]);
    awards_release(&awards);
    standings_release(&standings);
    return ok;
}

json_t *prizes_read(const struct view *view, struct error *error)
{
    const struct contest *contest = view->contest;
    const struct prizes prizes = { .view = view, .out = json_array(), .error = error };
    bool ok = prizes.out != NULL;

    for (size_t i = 0; ok && i < contest->problem_count; i++)
        ok = (view->public_view && view->now < contest->start) || read_first_to_solve(&prizes, contest->problems[i].id);
    if (ok && read_won(&prizes))
        return prizes.out;
    json_decref(prizes.out);
    return NULL;
}
