/*
 * intake.h - finds new submissions below CONTEST/submissions/TEAM/PROBLEM/ and takes a copy of each.
 *
 * Called by the grader's loop. Names are bytes from outside: they are bound as values or printed with what is no text
 * replaced, and no command gets one. What is judged is the copy, CONTEST/grading/sources/NUMBER/, whose names are
 * harmless: "device_user.cu", ".c" or ".cc" for a file, "archive" for an archive, a folder's files by their own names.
 */
#ifndef GRADE_INTAKE_H
#define GRADE_INTAKE_H

#include "contest.h"
#include "contrib/grade/store/store.h"
#include "notes.h"

struct intake {
    const struct contest *contest;
    const char *folder;  /* the contest's */
    double settle;       /* seconds that a submission must have lain unchanged: 0 for none */
    void (*refused)(void *context, int64_t judgement); /* told of one that has its verdict at once, CE; or NULL */
    void *context;
    const char *wanted;  /* of what a program hands in: "verdict" or "times"; NULL for the contest's submissions */
    const char *extra;   /* and what else: "explanation", "counters", both with a comma between; or NULL */
    double now;          /* when it is handed in, seconds since 1970; 0 where its files say it */
    const char *incoming; /* folder below grading/ in which copies are made, one for each process; "incoming" if NULL */
    size_t taken;        /* submissions taken, all scans together */
    int64_t last;        /* the submission that what was looked at last is; 0 for none */
    size_t waiting;      /* submissions that the last scan left where they are, for their team's queue is full */
    struct notes notes;  /* lines that were printed: each is printed once */
};

/*
 * One look at all files. Notes on what is no submission go to standard error. False for failures of disk or database.
 */
bool intake_scan(struct intake *intake, struct store *store, struct error *error);

/*
 * Takes `name`, a file or folder in `folder`, as a team's submission for a problem of the contest. It has just been
 * written by the caller, who has made sure of team and problem. On INTAKE_TAKEN intake->last is its number; content
 * that the team has handed in under that name before keeps its number, and is not judged again. False for failures of
 * disk or database.
 */
enum intake_answer {
    INTAKE_TAKEN,
    INTAKE_NO_SOURCE, /* its name is not readable text, or not of a .cu, .c or .cc file, a folder or an archive */
    INTAKE_FULL,      /* the team's queue has no room (limits.queued), or too many were refused within an hour */
    INTAKE_GONE,      /* nothing is in it */
};
bool intake_take(struct intake *intake, struct store *store, const char *team, const char *problem, int folder,
                 const char *name, enum intake_answer *answer, struct error *error);
void intake_release(struct intake *intake);

#endif
