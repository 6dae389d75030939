/*
 * score.c - the arithmetic of contests.
 */
#include "score.h"

#include <math.h>
#include <stdint.h>

const char *const aggregation_names[] = { "sum", "min", "pass-fail", NULL };

struct solved score_pass_fail(const struct attempt *attempts, size_t count, double each)
{
    struct solved result = { 0 };
    size_t rejected = 0;

    for (size_t i = 0; i < count; i++) {
        const struct attempt *attempt = &attempts[i];

        if (!attempt->judged) {
            result.pending++;
            continue;
        }
        if (attempt->accepted) {
            result.tries++;
            result.solved = true;
            result.seconds = attempt->seconds;
            result.penalty = floor(fmax(attempt->seconds, 0) / 60) + each * (double)rejected;
            return result;
        }
        result.tries += attempt->counts;
        rejected += attempt->counts;
    }
    return result;
}

/* The next timing that has no rank: the least median, the first of equal ones. */
static size_t next_unranked(const struct timing *timings, size_t count)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        if (timings[i].rank == 0 && (best == SIZE_MAX || timings[i].median < timings[best].median))
            best = i;
    return best;
}

void score_fastest(struct timing *timings, size_t count)
{
    const struct timing *leader = NULL;

    for (size_t i = 0; i < count; i++)
        timings[i].rank = 0;
    for (size_t place = 1; place <= count; place++) {
        struct timing *timing = &timings[next_unranked(timings, count)];

        if (leader && timing->low <= leader->high) {
            timing->rank = leader->rank;
        } else {
            timing->rank = place;
            leader = timing;
        }
    }
}

double score_speedup(const double *baseline, const double *seconds, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        if (!(baseline[i] > 0) || !(seconds[i] > 0) || !isfinite(baseline[i]) || !isfinite(seconds[i]))
            return 0;
        sum += log(baseline[i] / seconds[i]);
    }
    return count > 0 ? exp(sum / (double)count) : 0;
}

double score_relative(double speedup, double points, double correct, double zero_at, double full_at)
{
    double part = (speedup - zero_at) / (full_at - zero_at);

    if (!(part > 0))
        part = 0;
    if (part > 1)
        part = 1;
    return points * (correct + (100 - correct) * part) / 100;
}

double score_group(enum aggregation aggregation, double max_score, const bool *passed, size_t count)
{
    size_t right = 0;

    for (size_t i = 0; i < count; i++)
        right += passed[i];
    if (count == 0)
        return 0;
    if (aggregation == AGGREGATION_SUM)
        return max_score * (double)right / (double)count;
    return right == count ? max_score : 0;
}

double score_groups(enum aggregation aggregation, double max_score, const double *scores, size_t count, bool all_passed)
{
    double sum = 0, least = INFINITY;

    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        sum += scores[i];
        least = scores[i] < least ? scores[i] : least;
    }
    if (aggregation == AGGREGATION_PASS_FAIL)
        return all_passed ? max_score : 0;
    return aggregation == AGGREGATION_SUM ? sum : least;
}
