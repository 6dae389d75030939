/*
 * main_bench.c - how fast the reference is: bench [REPETITIONS]
 *
 * Billions of cells a second (GCUPS) of every version of the reference on one core, beside the plain one and edlib
 * (Šošić and Šikić, Bioinformatics 33, 2017; Debian's libedlib-dev) on the same strings. The versions take turns, so
 * that a machine that slows down slows all of them; the table gives the median and the best of each.
 */
#include <edlib.h>
#include <stdlib.h>
#include <string.h>

#include "levenshtein.h"
#include "problems/bench_arguments.h"
#include "verify/base/clock.h"
#include "verify/base/error.h"
#include "verify/base/random.h"
#include "verify/base/stats.h"

#include <stdio.h>

enum { EDLIB = LEVENSHTEIN_ISAS, PLAIN, VERSIONS, MAX_REPETITIONS = 101 };

struct size {
    size_t m, n;
    const char *alphabet;
    bool slow_too; /* small enough for the plain version and edlib */
};

static const char *version_name(int version)
{
    if (version == EDLIB)
        return "edlib";
    return version == PLAIN ? "plain" : levenshtein_isa_name((enum levenshtein_isa)version);
}

/* The distance by one version; false where it cannot run here. */
static bool run(int version, const unsigned char *a, size_t m, const unsigned char *b, size_t n, uint32_t *distance)
{
    if (version == PLAIN)
        return levenshtein_plain(a, m, b, n, distance);
    if (version == EDLIB) {
        EdlibAlignResult result =
            edlibAlign((const char *)a, (int)m, (const char *)b, (int)n, edlibDefaultAlignConfig());

        *distance = (uint32_t)result.editDistance;
        edlibFreeAlignResult(result);
        return result.status == EDLIB_STATUS_OK;
    }
    return levenshtein_bitparallel((enum levenshtein_isa)version, a, m, b, n, distance);
}

static int bench(const struct size *size, int repetitions)
{
    static double samples[VERSIONS][MAX_REPETITIONS];
    size_t counts[VERSIONS] = { 0 };
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 2009 }, 0);
    unsigned char *a = malloc(size->m), *b = malloc(size->n);
    double cells = (double)size->m * (double)size->n;
    uint32_t expected = 0, distance;
    char alphabet[256];
    size_t letters = random_alphabet(size->alphabet, alphabet);
    int status = EXIT_TOOLKIT;

    if (!a || !b)
        goto out;
    random_string(&stream, alphabet, letters, (char *)a, size->m);
    random_string(&stream, alphabet, letters, (char *)b, size->n);
    for (int r = 0; r < repetitions; r++)
        for (int v = 0; v < VERSIONS; v++) {
            int64_t start = clock_ns();

            if ((v == PLAIN && r >= 3) || (v >= EDLIB && !size->slow_too) ||
                !run(v, a, size->m, b, size->n, &distance))
                continue;
            samples[v][counts[v]++] = clock_seconds(start, clock_ns());
            if (expected == 0)
                expected = distance;
            if (distance != expected) {
                fprintf(stderr, "bench: %s answers %u, not %u\n", version_name(v), distance, expected);
                goto out;
            }
        }
    for (int v = 0; v < VERSIONS; v++) {
        struct stats s = stats_of(samples[v], counts[v]);

        if (counts[v] > 0)
            printf("%7zu x %-7zu %-9s %-9s %10.2f %9.2f %9.2f %6zu\n", size->m, size->n, size->alphabet,
                   version_name(v), s.median * 1e3, cells / s.median * 1e-9, cells / s.min * 1e-9, counts[v]);
    }
    status = EXIT_ACCEPTED;
out:
    free(a);
    free(b);
    return status;
}

int main(int argc, char **argv)
{
    static const struct size sizes[] = {
        { 20480, 20480, "bytes", true },     { 20480, 20480, "printable", true }, { 20480, 20480, "dna", true },
        { 131072, 131072, "bytes", false },  { 131072, 131072, "dna", false },    { 1048448, 16384, "bytes", false },
    };
    int repetitions = argc > 1 ? (int)bench_number(argv[1], "REPETITIONS", 1, MAX_REPETITIONS) : 11;
    int status = EXIT_ACCEPTED;

    if (argc > 2)
        bench_usage("bench [REPETITIONS]");
    printf("reference of edit distance on one core; GCUPS: 10^9 cells a second\n");
    printf("%7s   %-7s %-9s %-9s %10s %9s %9s %6s\n", "m", "n", "alphabet", "version", "median ms", "GCUPS",
           "best", "runs");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == EXIT_ACCEPTED; i++)
        status = bench(&sizes[i], repetitions);
    return status;
}
