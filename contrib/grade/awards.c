/*
 * awards.c - the standings from their top.
 */
#include "awards.h"

#include <stdlib.h>
#include <string.h>

bool awards_are_due(const struct contest *contest, double now, bool hidden)
{
    return contest->end > 0 && now >= contest->end && !hidden;
}

static bool add(struct awards *awards, enum award_kind kind, const struct contest_group_of_teams *group,
                const struct standings_team *team, struct error *error)
{
    struct award *grown = reallocarray(awards->items, awards->count + 1, sizeof *grown);

    if (!grown)
        return error_toolkit(error, "out of memory");
    awards->items = grown;
    grown[awards->count++] = (struct award){ kind, group, team };
    return true;
}

/* Whether a team has anything to show. */
static bool has_solved(const struct standings *standings, const struct standings_team *team)
{
    const enum scoring scoring = standings->contest->scoring;

    if (scoring == SCORING_RELATIVE || scoring == SCORING_GROUPS)
        return team->score > 0;
    for (size_t i = 0; scoring == SCORING_FASTEST && i < standings->contest->problem_count; i++)
        if (team->cells[i].timing.median > 0)
            return true;
    return scoring == SCORING_PASS_FAIL && team->solved > 0;
}

static bool is_pending(const struct standings *standings)
{
    for (size_t i = 0; i < standings->count; i++)
        for (size_t k = 0; k < standings->contest->problem_count; k++)
            if (standings->teams[i].cells[k].solved.pending > 0)
                return true;
    return false;
}

/* Those of a kind: of the places `above` + 1 to `above` + `number`. */
static bool find_places(struct awards *awards, const struct standings *standings, enum award_kind kind, double above,
                        double number, struct error *error)
{
    bool ok = true;

    for (size_t i = 0; ok && i < standings->count; i++) {
        const struct standings_team *team = &standings->teams[i];

        if ((double)team->rank > above && (double)team->rank <= above + number && has_solved(standings, team))
            ok = add(awards, kind, NULL, team, error);
    }
    return ok;
}

/* The best of a group, and who shares the place. */
static bool find_group(struct awards *awards, const struct standings *standings,
                       const struct contest_group_of_teams *group, struct error *error)
{
    size_t best = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < standings->count; i++) {
        const struct standings_team *team = &standings->teams[i];

        if (!team->group || strcmp(team->group, group->id) != 0 || !has_solved(standings, team) ||
            (best > 0 && team->rank != best))
            continue;
        best = team->rank;
        ok = add(awards, AWARD_GROUP, group, team, error);
    }
    return ok;
}

bool awards_find(struct awards *awards, const struct standings *standings, struct error *error)
{
    const struct contest *contest = standings->contest;
    double above = 0;
    bool ok = true;

    *awards = (struct awards){ 0 };
    if (is_pending(standings))
        return true;
    ok = find_places(awards, standings, AWARD_WINNER, 0, 1, error);
    for (int i = 0; ok && i < CONTEST_MEDALS; i++) {
        ok = find_places(awards, standings, (enum award_kind)(AWARD_GOLD + i), above, contest->medals[i], error);
        above += contest->medals[i];
    }
    for (size_t i = 0; ok && i < contest->team_group_count; i++)
        ok = find_group(awards, standings, &contest->team_groups[i], error);
    return ok;
}

void awards_release(struct awards *awards)
{
    free(awards->items);
    *awards = (struct awards){ 0 };
}

enum award_kind awards_medal(const struct awards *awards, const struct standings_team *team)
{
    for (size_t i = 0; i < awards->count; i++) {
        const enum award_kind kind = awards->items[i].kind;

        if (awards->items[i].team == team && kind >= AWARD_GOLD && kind <= AWARD_BRONZE)
            return kind;
    }
    return AWARD_KINDS;
}
