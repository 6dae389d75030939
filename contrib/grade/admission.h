/*
 * admission.h - limits of a team: how many submissions may wait, come in an hour, and come in all.
 *
 * Called by intake.c for each new submission. Beyond `limits.queued` a file waits where it lies. Beyond `.per_hour` and
 * `.total` a submission is refused: it stands in the results, with the reason, and costs nothing.
 */
#ifndef GRADE_ADMISSION_H
#define GRADE_ADMISSION_H

#include "contest.h"
#include "contrib/grade/store/store.h"

enum { ADMISSION_WHY = 200, ADMISSION_REFUSALS = 100 };

/* Whether a limit of contest.yaml holds for teams at all. */
bool admission_is_limited(const struct contest *contest);

/*
 * Whether a team's next submission is not taken now: for the queue has no room for it, which ends; or because so many
 * were refused within an hour that no more are listed.
 */
enum admission { ADMISSION_NOW, ADMISSION_QUEUED, ADMISSION_FLOOD };
bool admission_of(const struct contest *contest, struct store *store, const char *team, double now,
                  enum admission *admission, struct error *error);

/*
 * When a submission counts as handed in: its files' time, which whoever writes them can set, but not before the last
 * scan that did not see it (`scanned`, 0 for none), and not after `now`. All in seconds since 1970.
 */
double admission_time(double submitted, double scanned, double now);

/* The limit that refuses a submission handed in at `arrived`, in *limit, with the reason in `why`; or NULL. */
bool admission_refuses(const struct contest *contest, struct store *store, const char *team, double arrived,
                       const char **limit, char why[ADMISSION_WHY], struct error *error);

#endif
