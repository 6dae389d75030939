/*
 * guard.h - whether grading/results.db and grading/sources/ belong together, before anything is written.
 *
 * A database that was lost, cut off or replaced would count from 1 again, and its submissions would be put where those
 * of the lost one lie. Sources are never written over (intake.c); this says beforehand what is wrong and what to do.
 */
#ifndef GRADE_GUARD_H
#define GRADE_GUARD_H

#include "contrib/grade/store/store.h"

/*
 * Before store_open(): refuses a database that is not there, has no bytes or no contest in it, where sources are. False
 * with an error, which an organiser can act on.
 */
bool guard_before(const char *folder, struct error *error);

/*
 * After it: the database is sound, is that of these sources (grading/token, written where it is not there) and knows
 * all of them, but for one that was being taken when the power failed and is put aside; and none is missing that is
 * still to be judged.
 */
bool guard_opened(const char *folder, struct store *store, struct error *error);

#endif
