/*
 * queue.h - whose turn it is: the order in which judgements are built, run and handed out to a cluster.
 *
 * Round-robin over the teams. A judgement's turn is its place among its team's unfinished ones, what is already begun
 * first and then the oldest, plus the number of the team's that were begun in the last QUEUE_SECONDS and are done. The
 * lowest turn comes first, of equal turns the oldest. So a team's own queued submissions stand behind each other, and
 * the team with the fewest judged recently is next. Rejudgings come after everything fresh, by turns of their own; and
 * what programs hand in comes after all that is the contest's.
 *
 * Nobody starves: each judgement of another team that is begun raises that team's turns, while those of a team that
 * waits only fall. The order depends on the database and the time alone.
 */
#ifndef GRADE_QUEUE_H
#define GRADE_QUEUE_H

#include "store.h"

enum { QUEUE_SECONDS = 1800 };

enum queue_kind {
    QUEUE_BUILD,    /* judgements that are to be built */
    QUEUE_RUN,      /* that are built */
    QUEUE_HAND_OUT, /* of all that are not done, those that are not in temp.handed (spool.c) */
};

/* What the columns of a row are. */
enum queue_column {
    QUEUE_JUDGEMENT, QUEUE_SUBMISSION, QUEUE_PROBLEM, QUEUE_STATE, QUEUE_OBJECT, QUEUE_DIGEST, QUEUE_LANGUAGE,
    QUEUE_ATTEMPTS, QUEUE_TEAM
};

/* A statement whose rows are the queue, in order; NULL with an error. `now`: seconds since 1970. */
sqlite3_stmt *queue_open(struct store *store, enum queue_kind kind, double now, struct error *error);

#endif
