/*
 * test_stats.c - the distribution-free interval of the median: against published tables, and by drawing samples.
 */
#include <math.h>
#include <stdlib.h>

#include "unit.h"
#include "verify/base/random.h"
#include "verify/base/stats.h"

enum { MOST = 1000 };

/* The sorted samples 1 ... n, so that a limit is its own rank. */
static struct interval of_ranks(size_t n)
{
    static double ranks[MOST];

    for (size_t i = 0; i < MOST; i++)
        ranks[i] = (double)(i + 1);
    return stats_interval(ranks, n, STATS_COVERAGE);
}

/*
 * Rank and coverage for 95 %, as the tables of the sign test have them: twice the cumulative binomial(n, 1/2) at
 * rank - 1, printed to four digits.
 */
static void test_table(void)
{
    static const struct {
        size_t n, rank;
        double coverage;
    } table[] = {
        { 2, 1, 0.5 },      { 3, 1, 0.75 },     { 4, 1, 0.875 },    { 5, 1, 0.9375 },   { 6, 1, 0.9688 },
        { 7, 1, 0.9844 },   { 8, 1, 0.9922 },   { 9, 2, 0.9609 },   { 10, 2, 0.9785 },  { 11, 2, 0.9883 },
        { 12, 3, 0.9614 },  { 13, 3, 0.9775 },  { 14, 3, 0.9871 },  { 15, 4, 0.9648 },  { 16, 4, 0.9787 },
        { 17, 5, 0.9510 },  { 18, 5, 0.9691 },  { 19, 5, 0.9808 },  { 20, 6, 0.9586 },  { 25, 8, 0.9567 },
        { 30, 10, 0.9572 },
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct interval x = of_ranks(table[i].n);

        CHECK(x.low == (double)table[i].rank && x.high == (double)(table[i].n + 1 - table[i].rank), "n %zu: %g to %g",
              table[i].n, x.low, x.high);
        CHECK(fabs(x.coverage - table[i].coverage) < 0.00006, "n %zu: %.6f", table[i].n, x.coverage);
    }
    CHECK(of_ranks(0).coverage == 0 && of_ranks(1).coverage == 0, "no interval of 0 or 1 samples");
    CHECK(of_ranks(1).low == 1 && of_ranks(1).high == 1, "one sample");
}

/* Every rank is the largest that covers enough: whole numbers up to n = 60, which hold the binomial exactly. */
static void test_largest_rank(void)
{
    for (size_t n = 6; n <= 60; n++) {
        struct interval x = of_ranks(n);
        double term = 1, below = 0, all = ldexp(1, (int)n), coverage[2] = { 0 };
        size_t rank = (size_t)x.low;

        for (size_t k = 0; k <= rank; k++) { /* term: n over k */
            below += term;
            term = term * (double)(n - k) / (double)(k + 1);
            if (k + 1 >= rank)
                coverage[k + 1 - rank] = 1 - 2 * below / all;
        }
        CHECK(fabs(coverage[0] - x.coverage) < 1e-12 && x.coverage >= STATS_COVERAGE, "n %zu: %.12f", n, x.coverage);
        CHECK(coverage[1] < STATS_COVERAGE, "n %zu: rank %zu would do", n, rank + 1);
    }
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Of 20000 draws of n skewed samples with median 1, the share whose interval holds it is the coverage, to 5 sigma. */
static void test_simulation(void)
{
    enum { DRAWS = 20000 };
    static const size_t sizes[] = { 5, 6, 9, 15, 31 };
    struct random_key key = { .seed = 95 };

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct random_stream stream = random_stream(&key, (uint32_t)sizes[s]);
        struct interval x = { 0 };
        double samples[31];
        size_t held = 0;

        for (size_t draw = 0; draw < DRAWS; draw++) {
            for (size_t i = 0; i < sizes[s]; i++) /* exponential, of median 1 */
                samples[i] = -log2((random_u32(&stream) + 0.5) / 4294967296.0);
            qsort(samples, sizes[s], sizeof samples[0], ascending);
            x = stats_interval(samples, sizes[s], STATS_COVERAGE);
            held += x.low <= 1 && 1 <= x.high;
        }
        CHECK(fabs((double)held / DRAWS - x.coverage) < 5 * sqrt(x.coverage * (1 - x.coverage) / DRAWS),
              "n %zu: %g held, %g said", sizes[s], (double)held / DRAWS, x.coverage);
    }
}

/* Many samples: as the normal approximation has it, n / 2 -+ 0.98 sqrt(n). */
static void test_many(void)
{
    enum { MANY = 100000 };
    double *ranks = calloc(MANY, sizeof *ranks);
    struct interval x;

    for (size_t i = 0; i < MANY; i++)
        ranks[i] = (double)(i + 1);
    x = stats_interval(ranks, MANY, STATS_COVERAGE);
    CHECK(fabs(x.low - (MANY / 2.0 - 0.98 * sqrt(MANY))) < 2 && x.low + x.high == MANY + 1, "%g to %g", x.low, x.high);
    CHECK(x.coverage >= STATS_COVERAGE && x.coverage < STATS_COVERAGE + 0.001, "%g", x.coverage);
    x = stats_interval(ranks, 10, 0.99);
    CHECK(x.low == 1 && x.high == 10 && x.coverage > 0.998, "99 %%: %g to %g", x.low, x.high);
    free(ranks);
}

int main(void)
{
    test_table();
    test_largest_rank();
    test_simulation();
    test_many();
    return unit_end();
}
