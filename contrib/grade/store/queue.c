/*
 * queue.c - the order as one statement.
 *
 * Of main.submissions: a reader's view of that name leaves out what programs ask for (store_public.c), which waits as
 * well.
 */
#include "queue.h"

#include <stdio.h>

#include "judgement.h"

/* What was begun of a team goes before what was not, the furthest first: it holds the team's first turns. */
static const char begun_states[] =
    "CASE j.state WHEN " SQL(NAME_RANKED) " THEN 0 WHEN " SQL(NAME_SECRET) " THEN 1 WHEN " SQL(NAME_SAMPLES) " THEN 2"
    " WHEN " SQL(NAME_BUILDING) " THEN 3 ELSE 4 END";
static const char begun_handed[] = "j.id NOT IN temp.handed";

static const char *const wanted[] = {
    [QUEUE_BUILD] = "state = " SQL(NAME_NEW),
    [QUEUE_RUN] = "state IN (" SQL(NAME_SAMPLES) ", " SQL(NAME_SECRET) ", " SQL(NAME_RANKED) ")",
    [QUEUE_HAND_OUT] = "id NOT IN temp.handed",
};

sqlite3_stmt *queue_open(struct store *store, enum queue_kind kind, double now, struct error *error)
{
    char sql[2048];

    snprintf(sql, sizeof sql,
             "WITH recent AS (SELECT s.team AS team, j.rejudging IS NOT NULL AS again, count(*) AS begun FROM"
             " judgements j JOIN main.submissions s ON s.id = j.submission WHERE j.begun > ? AND j.state ="
             " " SQL(NAME_DONE) " GROUP BY 1, 2),"
             " waiting AS (SELECT j.id AS id, s.id AS submission, s.problem AS problem, j.state AS state,"
             " j.object AS object, j.object_sha256 AS digest, CASE WHEN j.state = " SQL(NAME_NEW) " AND s.path LIKE"
             " '%%.c' THEN 'C' ELSE j.language END AS language, j.attempts AS attempts, s.team AS team,"
             " j.created AS created, j.rejudging IS NOT NULL AS again, s.wanted IS NOT NULL AS program,"
             " row_number() OVER (PARTITION BY s.team, j.rejudging IS NOT NULL ORDER BY %s, j.attempts,"
             " coalesce(j.begun, 9e99), j.created, j.id) AS place"
             " FROM judgements j JOIN main.submissions s ON s.id = j.submission WHERE j.state <> " SQL(NAME_DONE) ")"
             " SELECT id, submission, problem, state, object, digest, language, attempts, w.team FROM waiting w"
             " LEFT JOIN recent r ON r.team = w.team AND r.again = w.again WHERE %s"
             " ORDER BY w.program, w.again, place + coalesce(r.begun, 0), created, id",
             kind == QUEUE_HAND_OUT ? begun_handed : begun_states, wanted[kind]);
    return store_prepare(store, error, sql, "d", now - QUEUE_SECONDS);
}
