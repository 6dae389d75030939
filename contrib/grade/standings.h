/*
 * standings.h - who stands where, and by what: the verdicts and times that count, added up by score.h.
 *
 * results.c prints them, contrib/scoreboard draws them. Nothing else decides what counts, or what the freeze hides.
 */
#ifndef GRADE_STANDINGS_H
#define GRADE_STANDINGS_H

#include "contest.h"
#include "contrib/grade/store/store.h"
#include "score.h"

/* One team on one problem. */
struct standings_cell {
    struct solved solved;  /* pass-fail, and the counts of every scoring */
    struct timing timing;  /* of the fastest accepted submission; median 0: none */
    double speedup, score; /* relative; relative and groups */
    int64_t submission;    /* the one that made the cell: solved it, has its time or score; else the last; 0: none */
};

struct standings_team {
    char *id, *name;
    char *affiliation, *country; /* as its file has them, or NULL */
    char *group;                 /* the id of its group of teams, or NULL */
    struct standings_cell cells[CONTEST_PROBLEMS];
    size_t solved, rank;
    double penalty, last, score; /* minutes, and the last accepted one's; points, or the sum of places for `fastest` */
};

struct standings {
    const struct contest *contest;
    struct store *store;
    double freeze;                /* submissions from then on are shown without verdict; 0: none */
    struct standings_team *teams; /* [count], best first */
    size_t count;
};

/* What one finished judgement is worth alone, as the contest scores; 0 for what it has not. */
struct standings_worth {
    struct timing timing;  /* sums over the ranked cases, seconds */
    double speedup, score; /* relative; relative and groups: points */
};

/*
 * Who solved a problem first of what was submitted within the contest and before `end`, 0 for no end: in `team`, and
 * the submission. Nobody, submission 0, while one that was submitted before has no verdict yet.
 */
struct standings_first {
    char *team;         /* its folder's name, or NULL; the caller frees it */
    int64_t submission;
};

bool standings_first(const struct contest *contest, struct store *store, const char *problem, double end,
                     struct standings_first *first, struct error *error);

/* After devices_choose(). One that is to be reviewed has a verdict, and neither time nor points of it. */
bool standings_worth(const struct contest *contest, struct store *store, const struct contest_problem *problem,
                     int64_t judgement, bool accepted, bool review, struct standings_worth *worth, struct error *error);

/*
 * Reads the database of the contest in `folder`, and the names in its teams/. `public_view` hides what came after the
 * freeze, until the thaw. To be released also where it fails.
 */
bool standings_load(struct standings *standings, const struct contest *contest, struct store *store, const char *folder,
                    bool public_view, struct error *error);
void standings_release(struct standings *standings);

#endif
