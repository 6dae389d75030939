/*
 * test_grade_score.c - how verdicts and times become scores, worked out by hand.
 */
#include "contrib/grade/score.h"

#include <math.h>
#include <stdio.h>

static int checks, failures;

static void check(bool ok, const char *what, double got)
{
    checks++;
    if (ok)
        return;
    failures++;
    printf("FAILED: %s: got %.12g\n", what, got);
}

static void near(double got, double wanted, const char *what)
{
    check(fabs(got - wanted) < 1e-9 * fmax(1, fabs(wanted)), what, got);
}

static void test_pass_fail(void)
{
    /* wrong at 10:59, does not compile at 20:00, wrong at 30:00, pending, accepted at 45:59, wrong afterwards */
    const struct attempt attempts[] = { { 659, true, false, true },  { 1200, true, false, false },
                                        { 1800, true, false, true }, { 2000, false, false, true },
                                        { 2759, true, true, true },  { 3000, true, false, true } };
    struct solved all = score_pass_fail(attempts, 6, 20), before = score_pass_fail(attempts, 4, 20),
                  none = score_pass_fail(attempts, 0, 20), first = score_pass_fail(attempts + 4, 1, 20);

    check(all.solved, "accepted at last", all.solved);
    near(all.penalty, 45 + 2 * 20, "45 whole minutes and two rejected");
    near((double)all.tries, 3, "a compile error is no try, nor is what comes after");
    near((double)all.pending, 1, "one is pending");
    near(all.seconds, 2759, "when");
    check(!before.solved, "not yet", before.solved);
    near(before.penalty, 0, "unsolved costs nothing");
    near((double)before.tries, 2, "two rejected");
    check(!none.solved && none.tries == 0, "no attempt", (double)none.tries);
    near(first.penalty, 45, "at once");
    near(score_pass_fail(attempts, 6, 0).penalty, 45, "no penalty per attempt");
    near(score_pass_fail(&(struct attempt){ -5, true, true, true }, 1, 20).penalty, 0, "before the start");
}

static void test_fastest(void)
{
    /* A clear winner; then a chain: B-C overlap, C-D overlap, B-D do not; equal ones; out of order. */
    struct timing t[] = { { 3.2, 3.05, 3.4, 9 }, { 1.0, 0.9, 1.1, 9 }, { 2.0, 1.9, 2.5, 9 },
                          { 2.7, 2.4, 3.0, 9 }, { 2.8, 2.6, 3.1, 9 } };
    struct timing same[] = { { 1, 1, 1, 0 }, { 1, 1, 1, 0 }, { 2, 2, 2, 0 } };
    struct timing touch[] = { { 1, 0.5, 1.5, 0 }, { 2, 1.5, 2.5, 0 }, { 3, 2.5000001, 4, 0 } };
    const size_t wanted[] = { 4, 1, 2, 2, 4 };

    score_fastest(t, 5);
    for (size_t i = 0; i < 5; i++)
        check(t[i].rank == wanted[i], "a chain of overlaps ties with the group's first only", (double)t[i].rank);
    score_fastest(same, 3);
    check(same[0].rank == 1 && same[1].rank == 1 && same[2].rank == 3, "equal times tie, the next place is skipped",
          (double)same[2].rank);
    score_fastest(touch, 3);
    check(touch[1].rank == 1 && touch[2].rank == 3, "intervals that touch overlap", (double)touch[2].rank);
    score_fastest(NULL, 0);
}

static void test_relative(void)
{
    const double base[] = { 8, 2 }, mine[] = { 2, 2 }, none[] = { 1, 0 }, odd[] = { 1, NAN };

    near(score_speedup(base, mine, 2), 2, "the geometric mean of 4 and 1");
    near(score_speedup(base, mine, 1), 4, "one case");
    near(score_speedup(mine, base, 2), 0.5, "slower");
    near(score_speedup(base, none, 2), 0, "no time");
    near(score_speedup(base, odd, 2), 0, "not a number");
    near(score_speedup(base, mine, 0), 0, "no case");
    near(score_relative(1, 100, 50, 1, 4), 50, "as fast as the baseline: what is for right answers");
    near(score_relative(2.5, 100, 50, 1, 4), 75, "half of the way");
    near(score_relative(4, 100, 50, 1, 4), 100, "all of it from full_at on");
    near(score_relative(400, 100, 50, 1, 4), 100, "and no more");
    near(score_relative(0.1, 100, 50, 1, 4), 50, "slower than the baseline");
    near(score_relative(NAN, 100, 50, 1, 4), 50, "not a number");
    near(score_relative(3, 30, 0, 1, 5), 15, "other points, nothing for right answers alone");
}

static void test_groups(void)
{
    const bool passed[] = { true, true, false, true }, all[] = { true, true, true };
    const double scores[] = { 20, 10, 40 };

    near(score_group(AGGREGATION_SUM, 40, passed, 4), 30, "sum: three of four");
    near(score_group(AGGREGATION_MIN, 40, passed, 4), 0, "min: the least is 0");
    near(score_group(AGGREGATION_PASS_FAIL, 40, passed, 4), 0, "pass-fail: one failed");
    near(score_group(AGGREGATION_SUM, 40, all, 3), 40, "sum: all");
    near(score_group(AGGREGATION_MIN, 40, all, 3), 40, "min: all");
    near(score_group(AGGREGATION_PASS_FAIL, 40, all, 3), 40, "pass-fail: all");
    near(score_group(AGGREGATION_SUM, 40, NULL, 0), 0, "sum: no case");
    near(score_group(AGGREGATION_MIN, 40, NULL, 0), 0, "min: no case");
    near(score_groups(AGGREGATION_SUM, 100, scores, 3, false), 70, "groups: their sum");
    near(score_groups(AGGREGATION_MIN, 100, scores, 3, false), 10, "groups: the least");
    near(score_groups(AGGREGATION_PASS_FAIL, 100, scores, 3, false), 0, "groups: one failed");
    near(score_groups(AGGREGATION_PASS_FAIL, 100, scores, 3, true), 100, "groups: all passed");
    near(score_groups(AGGREGATION_PASS_FAIL, 100, scores, 0, true), 0, "groups: none");
    near(score_groups(AGGREGATION_MIN, 100, scores, 0, true), 0, "groups: the least of none");
}

int main(void)
{
    test_pass_fail();
    test_fastest();
    test_relative();
    test_groups();
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0;
}
