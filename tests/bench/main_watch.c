/*
 * main_watch.c - what the warden's watch sees of a GPU that nobody else uses: bench_watch WARDEN UUID SECONDS
 *
 * Starts the warden on that GPU and has it watch, again and again for that long, while this process copies memory as
 * the host does when it writes an input to its place. Prints one line: how often, the median, the 99th percentile and
 * the longest of the gaps, in microseconds, and how many were of more than WARDEN_IDLE_SECONDS. Each watch begins on an
 * idle GPU, so any gap is the machine's own; such a one would have been held against a submission, and the exit code is
 * 1 then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/clock.h"
#include "verify/gpu/warden.h"

enum { WATCHES = 1 << 20, MOST = 256 << 20 };

static int fail(const char *what)
{
    fprintf(stderr, "bench_watch: %s\n", what);
    return 3;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const double seconds = argc == 4 ? strtod(argv[3], NULL) : 0;
    double *gaps = malloc(WATCHES * sizeof *gaps);
    char *from = malloc(MOST), *to = malloc(MOST);
    struct warden warden;
    struct error error;
    size_t count = 0, long_ones = 0;
    int64_t start;

    if (!(seconds > 0) || seconds > 3600) {
        fputs("usage: bench_watch WARDEN UUID SECONDS\n", stderr);
        return 2;
    }
    if (!gaps || !from || !to)
        return fail("out of memory");
    memset(from, 1, MOST);
    memset(to, 2, MOST);
    if (!warden_start(&warden, argv[1], argv[2], &error))
        return fail(error.text);
    if (!warden_wait_ready(&warden))
        return fail(warden.why);
    for (start = clock_ns(); clock_seconds(start, clock_ns()) < seconds && count < WATCHES; count++) {
        if (!warden_idle(&warden, 2.0) || !warden_watch_alone(&warden))
            return fail(warden.why);
        memcpy(to, from, MOST >> count % 8);
        if (!warden_unwatch(&warden, &gaps[count]))
            return fail(warden.why);
    }
    warden_stop(&warden);
    qsort(gaps, count, sizeof *gaps, ascending);
    while (long_ones < count && gaps[count - 1 - long_ones] > WARDEN_IDLE_SECONDS)
        long_ones++;
    printf("%zu watches, gaps of %.1f us (median), %.1f (99 %%), %.1f (most), %zu of them too long\n", count,
           1e6 * gaps[count / 2], 1e6 * gaps[count * 99 / 100], 1e6 * gaps[count - 1], long_ones);
    return long_ones > 0;
}
