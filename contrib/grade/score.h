/*
 * score.h - verdicts and times to scores: pure functions, no files, no database.
 *
 * standings.c gathers what they take, results.sh and a scoreboard show what comes out.
 */
#ifndef GRADE_SCORE_H
#define GRADE_SCORE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- pass-fail: solved problems, then penalty time ---- */

struct attempt {
    double seconds;  /* since the contest's start */
    bool judged;     /* a verdict is there and may be shown */
    bool accepted;
    bool counts;     /* a rejected one costs penalty: not for CE, which says nothing of the answer */
};

struct solved {
    bool solved;
    size_t tries;    /* judged attempts up to the accepted one, that one too; all of them where none was */
    size_t pending;  /* attempts without a verdict */
    double penalty;  /* minutes; 0 unless solved */
    double seconds;  /* of the accepted one */
};

/*
 * attempts[count] of one team on one problem, in order of time. The penalty is the accepted attempt's time in whole
 * minutes (rounded down, as in ICPC contests) and `each` minutes for every attempt before it that counts.
 */
struct solved score_pass_fail(const struct attempt *attempts, size_t count, double each);

/* ---- fastest: the least median, and ties where intervals overlap ---- */

struct timing {
    double median, low, high; /* seconds; low <= median <= high */
    size_t rank;              /* out: from 1; those that tie have one, and as many are skipped after it */
};

/*
 * Ranks timings[count], and leaves their order. Overlapping intervals are no equivalence (A may overlap B and B overlap
 * C where A and C do not), so a tie is with the fastest of its group: in order of medians one has the rank of the
 * group's first if it overlaps that one's interval, or else is the first of the next group.
 */
void score_fastest(struct timing *timings, size_t count);

/* ---- relative: speed in terms of the baseline's ---- */

/*
 * The speedup over several cases: the geometric mean of baseline[i] / seconds[i], both medians. 0 where count is 0 or a
 * time is no number above 0.
 */
double score_speedup(const double *baseline, const double *seconds, size_t count);

/*
 * Points for a right answer: `correct` percent of them for any speed, the others in proportion to the speedup from
 * `zero_at`, which gives none of them, to `full_at` and above, which gives all.
 */
double score_relative(double speedup, double points, double correct, double zero_at, double full_at);

/* ---- test groups, as in the Kattis Problem Package Format 2025-09 ---- */

/* How a score comes of those of cases or groups. */
enum aggregation { AGGREGATION_SUM, AGGREGATION_MIN, AGGREGATION_PASS_FAIL, AGGREGATIONS };

/* Their names as files have them, with NULL at the end. */
extern const char *const aggregation_names[AGGREGATIONS + 1];

/*
 * The score of a group of `count` cases, passed[i] of each:
 *   sum        every case is worth max_score / count
 *   min        the least of the cases' scores, each 0 or max_score
 *   pass-fail  max_score if all passed
 * A group without cases is worth 0: nothing was shown.
 */
double score_group(enum aggregation aggregation, double max_score, const bool *passed, size_t count);

/*
 * The score of all groups together: the sum or the least of scores[count], or, with pass-fail, max_score if
 * `all_passed`. 0 without groups.
 */
double score_groups(enum aggregation aggregation, double max_score, const double *scores, size_t count,
                    bool all_passed);

#endif
