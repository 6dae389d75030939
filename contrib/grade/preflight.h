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
 * file; with `faults` all of these are printed, and it is true.
 */
bool preflight(const struct contest *contest, const char *folder, const char *root, const char *build,
               struct faults *faults, struct error *error);

/*
 * Prints a line for each entry below submissions/ and teams/ that nothing is graded of: teams that are not listed,
 * folders of no problem, files where a folder is to be.
 */
void preflight_strays(const struct contest *contest, const char *folder);

/*
 * Whether this machine has the box that the contest asks for. False with a line that says what is missing, and what to
 * do. A cluster's front end needs none: each of its machines asks for itself (contrib/slurm/probe.sh).
 */
bool preflight_box(const struct contest *contest, const char *root, const char *build, struct error *error);

#endif
