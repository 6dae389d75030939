/*
 * main_bench.c - how fast products are on one core: bench [REPETITIONS]
 *
 * The plain loops, the blocked product of the baseline in C, and every version of the float64 reference, which makes
 * two products, A B and |A| |B|. Counted are 2 M N K operations for each product. The versions take turns, so that a
 * machine that slows down slows all of them; the table gives the median and the best of each.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "include/device_user.h" /* with the real name, so that the submissions do not include it with another */
#include "product.h"
#include "verify/clock.h"
#include "verify/error.h"
#include "verify/stats.h"

/* The two submissions, as they are. */
#define device_user simple
#include "submissions/accepted/simple.c"
#undef device_user
#define device_user blocked
#include "submissions/accepted/baseline.c"
#undef device_user

enum { SIMPLE = MATMUL_ISAS, BLOCKED, VERSIONS, MAX_REPETITIONS = 101 };

static const char *version_name(int version)
{
    return version == SIMPLE ? "simple" : version == BLOCKED ? "blocked" : matmul_isa_name((enum matmul_isa)version);
}

static bool run(int version, const struct matmul_pair *p, float *c, double *sums, double *magnitudes)
{
    if (version >= SIMPLE) {
        (version == SIMPLE ? simple : blocked)(p->a, p->b, c, (int)p->m, (int)p->n, (int)p->k);
        return true;
    }
    return matmul_isa_supported((enum matmul_isa)version) &&
           matmul_product((enum matmul_isa)version, p->a, p->k, p->b, p->n, p->m, p->n, p->k, sums, magnitudes);
}

static int bench(size_t m, size_t n, size_t k, int repetitions)
{
    static double samples[VERSIONS][MAX_REPETITIONS];
    struct matmul_pair p = { .m = m, .n = n, .k = k };
    double *sums = malloc(m * n * sizeof *sums), *magnitudes = malloc(m * n * sizeof *magnitudes);
    float *c = malloc(m * n * sizeof *c);
    size_t counts[VERSIONS] = { 0 };
    int status = EXIT_TOOLKIT;

    p.a = malloc(m * k * sizeof *p.a);
    p.b = malloc(k * n * sizeof *p.b);
    if (!p.a || !p.b || !sums || !magnitudes || !c)
        goto out;
    matmul_fill(MATMUL_UNIFORM, &p, &(struct random_key){ .seed = 2009 });
    for (int r = 0; r < repetitions; r++)
        for (int v = 0; v < VERSIONS; v++) {
            int64_t start = clock_ns();

            if ((v != SIMPLE || r < 3) && run(v, &p, c, sums, magnitudes))
                samples[v][counts[v]++] = clock_seconds(start, clock_ns());
        }
    for (int v = 0; v < VERSIONS; v++) {
        struct stats s = stats_of(samples[v], counts[v]);
        double operations = 2e-9 * (double)m * (double)n * (double)k * (v < SIMPLE ? 2 : 1);

        if (counts[v] > 0)
            printf("%5zu x %5zu x %-5zu %-9s %10.2f %9.2f %9.2f %6zu\n", m, n, k, version_name(v), s.median * 1e3,
                   operations / s.median, operations / s.min, counts[v]);
    }
    status = EXIT_ACCEPTED;
out:
    free(p.a);
    free(p.b);
    free(sums);
    free(magnitudes);
    free(c);
    return status;
}

int main(int argc, char **argv)
{
    static const size_t sizes[][3] = {
        { 256, 256, 256 }, { 512, 512, 512 }, { 1024, 1024, 1024 }, { 256, 512, 128 }, { 512, 128, 1024 },
    };
    int repetitions = argc == 2 ? atoi(argv[1]) : 5, status = EXIT_ACCEPTED;

    if (argc > 2 || repetitions < 1 || repetitions > MAX_REPETITIONS) {
        fprintf(stderr, "usage: bench [REPETITIONS], 1 to %d\n", MAX_REPETITIONS);
        return EXIT_USAGE;
    }
    printf("products on one core; GFLOP/s: 10^9 operations a second; portable, avx2 and avx512 are the reference\n");
    printf("%5s   %5s   %-5s %-9s %10s %9s %9s %6s\n", "m", "n", "k", "version", "median ms", "GFLOP/s", "best",
           "runs");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == EXIT_ACCEPTED; i++)
        status = bench(sizes[i][0], sizes[i][1], sizes[i][2], repetitions);
    return status;
}
