/*
 * main_overhead.c - what the harness itself costs: bench_overhead RUNNER EMPTY.so [CALLS]
 *
 * Times calls of a device_user() that does nothing, with an input of 2 MB, as the host times them: from the release
 * of the input to the output copied. Beside it the same function called in this process. Prints both with their
 * spread, and where the difference goes by the runner's own stamps.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/editdistance/input.h"
#include "verify/base/clock.h"
#include "verify/box/processor.h"
#include "verify/wire/reap.h"
#include "verify/judge/session.h"
#include "verify/base/stats.h"

enum { WARM_UP = 50, DEFAULT_CALLS = 2001 };

static void print_row(const char *name, double *samples, size_t count)
{
    struct stats s = stats_of(samples, count);

    printf("%-34s %9.2f %9.2f %9.2f %9.2f %9.2f\n", name, s.min * 1e6, s.q1 * 1e6, s.median * 1e6, s.q3 * 1e6,
           samples[(size_t)((double)(count - 1) * 0.99)] * 1e6);
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_overhead: %s: %s\n", what, why ? why : "failed");
    return EXIT_TOOLKIT;
}

/* Seconds a call in this process; each sample is the mean of 1000, as one is below the clock's grain. */
static bool time_in_process(const char *path, struct blob *input, double *samples, size_t count)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, "device_user") : NULL;
    char *str1 = (char *)input->data + STRINGS_OFFSET;
    unsigned int (*called)(char *, int, char *, int);

    if (!symbol)
        return false;
    memcpy(&called, &symbol, sizeof called);
    for (size_t i = 0; i < count; i++) {
        int64_t start = clock_ns();

        for (int k = 0; k < 1000; k++)
            called(str1, EDITDISTANCE_LENGTH_MAX, str1 + EDITDISTANCE_LENGTH_MAX, EDITDISTANCE_LENGTH_MAX);
        samples[i] = clock_seconds(start, clock_ns()) / 1000;
    }
    return true;
}

int main(int argc, char **argv)
{
    size_t calls = argc == 4 ? strtoul(argv[3], NULL, 10) : DEFAULT_CALLS;
    struct session *session = calloc(1, sizeof *session);
    struct blob input = { 0 }, output = { 0 };
    double *samples[6] = { 0 }; /* in process, total, release, map, call, done */
    const char *why;
    bool no_proc;
    struct error error;
    struct facts facts;
    double difference;
    struct processors processors;

    if (argc < 3 || argc > 4 || calls == 0 || calls > 1000000) {
        fputs("usage: bench_overhead RUNNER EMPTY.so [CALLS]\n", stderr);
        return EXIT_USAGE;
    }
    for (int i = 0; i < 6; i++)
        samples[i] = calloc(calls, sizeof *samples[i]);
    if (!session || !samples[5] || !blob_alloc(&input, STRINGS_OFFSET + 2 * (size_t)EDITDISTANCE_LENGTH_MAX, &error))
        return fail("memory", "exhausted");
    memset(input.data, 'x', input.size);
    *(struct editdistance_input *)input.data =
        (struct editdistance_input){ EDITDISTANCE_LENGTH_MAX, EDITDISTANCE_LENGTH_MAX };
    if (!time_in_process(argv[2], &input, samples[0], calls))
        return fail(argv[2], dlerror());

    reap_adopt();
    processors_claim(&processors);
    struct session_config config = {
        .box = { .level = box_probe("", &no_proc, &why),
                 .filter = FILTER_PLAIN,
                 .runner = argv[1],
                 .submission = argv[2],
                 .gpu_minor = -1 },
        .start_limit = 10,
        .call_limit = 10,
        .end_limit = 10,
        .output_limit = 1 << 20,
        .processor = processors.runner,
        .spin = processors.others > 0,
    };
    facts = session_open(session, &config, sizeof(uint32_t));
    for (size_t i = 0; i < WARM_UP + calls && facts.outcome == OUTCOME_DONE; i++) {
        struct session_times times;
        size_t k = i < WARM_UP ? 0 : i - WARM_UP;

        facts = session_call(session, &input, &output, &times);
        samples[1][k] = times.total;
        samples[2][k] = times.release;
        samples[3][k] = times.map;
        samples[4][k] = times.call;
        samples[5][k] = times.done;
    }
    if (!session_close(session) || facts.outcome != OUTCOME_DONE)
        return fail("the runner", facts.detail);

    printf("an empty device_user(), input %zu bytes, %zu calls, box: %s; microseconds\n", input.size, calls,
           box_level_name(config.box.level));
    printf("%-34s %9s %9s %9s %9s %9s\n", "", "min", "q1", "median", "q3", "99 %");
    print_row("called in process", samples[0], calls);
    print_row("called by the host, release to done", samples[1], calls);
    print_row("  release to the runner's receipt", samples[2], calls);
    print_row("  mapping the input", samples[3], calls);
    print_row("  device_user()", samples[4], calls);
    print_row("  return to the host's receipt", samples[5], calls);
    difference = (samples[1][calls / 2] - samples[0][calls / 2]) * 1e6;
    printf("overhead: %.1f microseconds median (goal: at most 100)\n", difference);
    blob_release(&input);
    blob_release(&output);
    for (int i = 0; i < 6; i++)
        free(samples[i]);
    free(session);
    return difference <= 100 ? EXIT_ACCEPTED : EXIT_REJECTED;
}
