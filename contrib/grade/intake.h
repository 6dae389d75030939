/*
 * intake.h - finds new submissions below CONTEST/submissions/TEAM/PROBLEM/ and takes a copy of each.
 *
 * Called by the grader's loop. Names are bytes from outside: they are bound as values or printed with what is no text
 * replaced, and no command gets one. What is judged is the copy, CONTEST/grading/sources/NUMBER/, whose names are
 * harmless: "device_user.c" or ".cu" for a file, "archive" for an archive, a folder's files by their own names.
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
    size_t taken;        /* submissions taken, all scans together */
    size_t waiting;      /* submissions that the last scan left where they are, for their team's queue is full */
    struct notes notes;  /* lines that were printed: each is said once */
};

/*
 * One look at all files. Notes on what is no submission go to standard error. False for failures of disk or database.
 */
bool intake_scan(struct intake *intake, struct store *store, struct error *error);
void intake_release(struct intake *intake);

#endif
