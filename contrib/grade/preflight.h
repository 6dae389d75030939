/*
 * preflight.h - whether all that contest.yaml names is there, before anything is graded.
 *
 * Called by `grader check` and `grader run`. A problem, a group of cases, a league, a seal or a baseline that is not
 * there would show with the first submission only, and be held against it.
 */
#ifndef GRADE_PREFLIGHT_H
#define GRADE_PREFLIGHT_H

#include "contest.h"

/*
 * `root`, `build`: the toolkit's folder, and where main_host is. False with a line that names the key's line in the
 * file.
 */
bool preflight(const struct contest *contest, const char *folder, const char *root, const char *build,
               struct error *error);

#endif
