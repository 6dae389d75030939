/*
 * awards.h - who has won what, by the standings: the contest, a medal, a group of teams.
 *
 * The places decide alone. Teams that share a place share what it wins, so there may be more medals of a kind than
 * contest.yaml says, and then fewer of the next. A team that has solved nothing wins nothing.
 */
#ifndef GRADE_AWARDS_H
#define GRADE_AWARDS_H

#include "standings.h"

enum award_kind { AWARD_WINNER, AWARD_GOLD, AWARD_SILVER, AWARD_BRONZE, AWARD_GROUP, AWARD_KINDS };

struct award {
    enum award_kind kind;
    const struct contest_group_of_teams *group; /* of AWARD_GROUP; else NULL */
    const struct standings_team *team;          /* of the standings, which must outlive it */
};

struct awards {
    struct award *items; /* [count]: by kind, by group as in contest.yaml, and then in the order of the standings */
    size_t count;
};

/* Whether they may be shown: the contest is over at `now`, and nothing is hidden from who asks. */
bool awards_are_due(const struct contest *contest, double now, bool hidden);

/* None while a submission has no verdict. To be released also where it fails. */
bool awards_find(struct awards *awards, const struct standings *standings, struct error *error);
void awards_release(struct awards *awards);

/* The medal of that team, or AWARD_KINDS for none. */
enum award_kind awards_medal(const struct awards *awards, const struct standings_team *team);

#endif
