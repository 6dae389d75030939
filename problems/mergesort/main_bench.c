/*
 * main_bench.c - how fast CPUs sort: bench [REPETITIONS]
 *
 * Million keys a second of the jury's submissions in C, which are linked in under the names below (problem.mk), on
 * random keys: a merge sort on one core, a merge sort with a thread for every processor, and the C library's qsort().
 * Beside them stand std::sort() on one core, and on all processors the sorts of libstdc++'s parallel mode and of
 * oneTBB (Debian's libtbb-dev; without it, its rows are left out). They take turns, so that a machine that slows down
 * slows all of them.
 * "(check)" is what the host does with an output.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fingerprint.h"
#include "problems/bench_arguments.h"
#include "verify/base/clock.h"
#include "verify/base/error.h"
#include "verify/base/random.h"
#include "verify/base/stats.h"

typedef void sort_function(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                           uint32_t *sorted_payloads, size_t n);
sort_function mergesort_by_baseline, mergesort_by_mergesort_threads, mergesort_by_qsort, mergesort_by_std_sort,
    mergesort_by_parallel_mode, mergesort_by_tbb;
bool mergesort_has_tbb(void);

static const struct {
    const char *name;
    sort_function *sort;
} sorts[] = {
    { "merge sort", mergesort_by_baseline },
    { "merge sort, threads", mergesort_by_mergesort_threads },
    { "qsort", mergesort_by_qsort },
    { "std::sort", mergesort_by_std_sort },
    { "libstdc++ parallel", mergesort_by_parallel_mode },
    { "oneTBB", mergesort_by_tbb }, /* the last one: it may be missing */
};

enum { SORTS = sizeof sorts / sizeof sorts[0], MAX_REPETITIONS = 101, LARGEST = 24 };

static void row(size_t count, const char *name, double *samples, size_t repetitions)
{
    struct stats s = stats_of(samples, repetitions);

    printf("%10zu  %-20s %10.3f %10.2f %10.2f %5zu\n", count, name, s.median * 1e3, (double)count / s.median * 1e-6,
           (double)count / s.min * 1e-6, repetitions);
}

/* False if one of them does not sort. */
static bool bench(size_t count, const int32_t *keys, int32_t *sorted, size_t repetitions)
{
    const size_t present = mergesort_has_tbb() ? SORTS : SORTS - 1;
    static double samples[SORTS][MAX_REPETITIONS], scans[MAX_REPETITIONS];
    struct mergesort_list list = { .keys = sorted, .count = count };
    const uint64_t points[SECRET_POINTS] = { 1234567, 7654321 };
    uint64_t products[SECRET_POINTS];

    for (size_t r = 0; r < repetitions; r++) {
        for (size_t s = 0; s < present; s++) {
            int64_t start = clock_ns();

            sorts[s].sort(keys, NULL, sorted, NULL, count);
            samples[s][r] = clock_seconds(start, clock_ns());
        }
        int64_t start = clock_ns();

        if (mergesort_scan(&list, points, SECRET_POINTS, products) != count)
            return false;
        scans[r] = clock_seconds(start, clock_ns());
    }
    for (size_t s = 0; s < present; s++)
        row(count, sorts[s].name, samples[s], repetitions);
    row(count, "(check)", scans, repetitions);
    return true;
}

int main(int argc, char **argv)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 2009 }, 0);
    int repetitions = argc > 1 ? (int)bench_number(argv[1], "REPETITIONS", 1, MAX_REPETITIONS) : 3;
    int status = EXIT_TOOLKIT;
    int32_t *keys = malloc(sizeof *keys << LARGEST), *sorted = malloc(sizeof *keys << LARGEST);

    if (argc > 2)
        bench_usage("bench [REPETITIONS]");
    if (!keys || !sorted)
        goto out;
    for (size_t i = 0; i < (size_t)1 << LARGEST; i++)
        keys[i] = (int32_t)random_u32(&stream);
    memset(sorted, 0, sizeof *keys << LARGEST); /* its pages are there before the clock starts */
    printf("sorting random keys on the CPU; %ld processors; Mkeys/s: 10^6 keys a second\n",
           sysconf(_SC_NPROCESSORS_ONLN));
    printf("%10s  %-20s %10s %10s %10s %5s\n", "keys", "sort", "median ms", "Mkeys/s", "best", "runs");
    for (int bits = 10; bits <= LARGEST; bits += 2)
        if (!bench((size_t)1 << bits, keys, sorted, (size_t)repetitions)) {
            fprintf(stderr, "bench: 2^%d keys were not sorted\n", bits);
            goto out;
        }
    status = EXIT_ACCEPTED;
out:
    free(keys);
    free(sorted);
    return status;
}
