/*
 * spool.h - handing judgements to other machines and taking their results back, through files in a shared folder.
 *
 *   results.db ── orders/ROUND-TASK ─▶ grader work, on some machine ── results/JUDGEMENT.db ─▶ results.db
 *
 * SQLite's locks and its write-ahead log are for processes of one machine; several writers over NFS destroy a
 * database. So one process alone opens the contest's: `grader cluster`, started by contrib/slurm/grade_slurm.sh, which
 * holds the contest's lock. A machine that grades gets an order, a list of judgements, grades it on a database of its
 * own, and leaves each judgement as one file, a database of the same schema with that judgement alone, which gets its
 * name when it is whole.
 *
 * Below CONTEST/grading/slurm/:
 *   orders/R-T            "grade-order 1 TOKEN", then a line "JUDGEMENT SUBMISSION PROBLEM ATTEMPTS" each
 *   orders/R-T.started    a machine has begun with it
 *   orders/R-T.returned   it could not go on, and is not to be charged
 *   results/J.db          the result of judgement J; results/J.db.bad, one that could not be read
 *
 * An order whose task is not in the cluster's queue any more is withdrawn, and what it left undone is handed out
 * again. A judgement may so be graded twice, by a machine that was thought to be gone; the first result that is read
 * is the verdict, and others are thrown away.
 */
#ifndef GRADE_SPOOL_H
#define GRADE_SPOOL_H

#include "contest.h"
#include "contrib/grade/store/store.h"
#include "grader.h"

/*
 * `grader work` ends with this where a step failed for the machine's sake: probe it, and start the same command again.
 */
enum { WORK_FAILED = 4 };

struct spool {
    const struct contest *contest;
    const char *folder;  /* the contest's */
    struct store *store; /* the contest's; its lock is held by the caller */
    /*
     * The program that knows the cluster. "SCRIPT queue" prints "nodes N", then a line "ROUND TASK" for each task in
     * the queue, waiting or running; "SCRIPT submit ROUND TASKS" puts a round of orders 1 to TASKS into it; "SCRIPT
     * end" is called when everything is done. GRADE_TOKEN is the contest's token in its environment. Exit code 0, or
     * nothing is known and nothing changed. Each call has 60 s.
     */
    const char *script;
    size_t chunk;        /* judgements of an order at most, and fewer where machines would have nothing to do */
    size_t tasks;        /* orders that may be there at a time */
    bool watch;          /* goes on looking for files */
    bool silent;         /* the script failed the last time, and has said why */
};

/*
 * Hands out and gathers until every judgement is done, or until SIGINT, SIGTERM or SIGHUP. What is in the cluster's
 * queue then goes on, and its results are there for the next one.
 */
bool spool_run(struct spool *spool, bool *stopped, struct error *error);

/*
 * Reads an order into the database of a machine's own, without what has a result in the folder `results` already, and
 * the token for work folders. An order that was withdrawn is an empty one.
 */
bool spool_read_order(struct store *store, const char *order, const char *results, char *token, size_t size,
                      struct error *error);

/* Writes a judgement that is done from the database of a machine's own to results/JUDGEMENT.db, by way of `scratch`. */
bool spool_put(const char *own, const char *scratch, const char *results, int64_t judgement, struct error *error);

#endif
