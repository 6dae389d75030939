/*
 * main_inputs.c - what inputs and answers cost the host: bench_inputs PROBLEM GROUP|CASE [CALLS|judging]
 *
 * `judging`: makes those of all calls of a ranked case at once, on the processors and by the functions of a judging.
 * Prints for each case the seconds by the clock that the first call waits for, and the seconds of all processors.
 *
 * Else: makes the inputs of CALLS calls (1) of each case, and the answers to them, one after the other, and prints for
 * each case the bytes of an input and the seconds a call: by the wall clock, and of all processors together. A digest
 * of the last input and answer shows whether two versions make the same.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "problems/prepare.h"
#include "problems/problem.h"
#include "verify/base/clock.h"
#include "verify/base/digest.h"
#include "verify/base/parallel.h"
#include "verify/base/root.h"
#include "verify/box/processor.h"
#include "verify/cases/package.h"
#include "verify/judge/ranking.h"
#include "verify/result/seeds.h"

struct cost {
    double wall, processors; /* seconds */
};

static double processor_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static struct cost now(void) { return (struct cost){ (double)clock_ns() * 1e-9, processor_seconds() }; }

static void add_since(struct cost *cost, struct cost start)
{
    struct cost end = now();

    cost->wall += end.wall - start.wall;
    cost->processors += end.processors - start.processors;
}

/* One case; adds what it costs to *sum. */
static bool time_case(const struct problem *problem, const struct package_case *test_case, size_t calls,
                      struct cost *sum, struct error *error)
{
    const struct seeds seeds = { .seed = 1 };
    const struct random_key secret = { .seed = 2 };
    struct cost inputs = { 0 }, answers = { 0 };
    struct blob input = { 0 }, answer = { 0 };
    char digests[2][DIGEST_HEX];
    struct arguments arguments;
    size_t size = 0;
    bool ok;

    ok = arguments_parse(&arguments, test_case->line, error);
    for (size_t i = 0; ok && i < calls; i++) {
        struct random_key key = seeds_of_call(&seeds, test_case->name, 0, (uint32_t)i);
        struct cost start = now();

        ok = problem->generate(&arguments, &key, &input, error);
        add_since(&inputs, start);
        start = now();
        ok = ok && problem->reference(&input, &secret, &answer, error);
        add_since(&answers, start);
        size = input.size;
        digest_bytes(input.data, input.size, digests[0]);
        digest_bytes(answer.data, answer.size, digests[1]);
        blob_release(&input);
        blob_release(&answer);
    }
    if (!ok)
        return false;
    printf("%-36s %8.2f %9.4f %9.4f %9.4f %9.4f  %.8s %.8s\n", test_case->name, (double)size / 1e6,
           inputs.wall / (double)calls, inputs.processors / (double)calls, answers.wall / (double)calls,
           answers.processors / (double)calls, digests[0], digests[1]);
    sum->wall += inputs.wall + answers.wall;
    sum->processors += inputs.processors + answers.processors;
    return true;
}

static void make_way(const void *processors) { processors_make_way(processors); }

/* One case as a judging prepares it; adds what it costs to *sum. */
static bool prepare_case(const struct problem *problem, const struct package_case *test_case,
                         const struct processors *processors, struct cost *sum, struct error *error)
{
    const struct seeds seeds = { .seed = 1 };
    const struct random_key secret = { .seed = 2 };
    const char *const name = test_case->name;
    const size_t calls = RANKING_REPEAT + 1; /* the first does not count */
    struct cost cost = { 0 }, start;
    struct blob input = { 0 }, answer = { 0 };
    struct arguments arguments;
    struct prepare prepare = { .problem = problem, .seeds = &seeds, .secret = &secret, .cases = &arguments,
                               .names = &name, .case_count = 1, .processors = processors, .sure = true };
    bool ok = arguments_parse(&arguments, test_case->line, error);

    start = now();
    for (size_t i = 0; ok && i < calls; i++)
        ok = prepare_call(&prepare, 0, i, calls - i, &input, &answer, error);
    add_since(&cost, start);
    blob_release(&input);
    blob_release(&answer);
    prepare_release(&prepare);
    printf("%-36s %9.2f %9.2f\n", name, cost.wall, cost.processors);
    sum->wall += cost.wall;
    sum->processors += cost.processors;
    return ok;
}

int main(int argc, char **argv)
{
    const bool judging = argc == 4 && strcmp(argv[3], "judging") == 0;
    const size_t calls = argc == 4 && !judging ? strtoul(argv[3], NULL, 10) : 1;
    struct processors processors = { .runner = PROCESSOR_ANY };
    char root[PATH_MAX], build[PATH_MAX];
    const struct problem *problem;
    struct package package = { 0 };
    struct error error = { 0 };
    struct cost sum = { 0 };

    if (argc < 3 || argc > 4 || calls == 0) {
        fputs("usage: bench_inputs PROBLEM GROUP|CASE [CALLS|judging]\n", stderr);
        return EXIT_USAGE;
    }
    problem = problem_find(argv[1]);
    if (!problem || !root_find(build, root, sizeof root, &error) ||
        !package_load(&package, root, argv[1], &error)) {
        fprintf(stderr, "bench_inputs: %s\n", problem ? error.text : "there is no such problem");
        return EXIT_USAGE;
    }
    if (judging) {
        processors_claim(&processors);
        parallel_begin(processors.others > 0 ? (size_t)processors.others : 1, make_way, &processors);
        printf("%-36s %9s %9s  on %d processors beside the runner's\n", "seconds a case", "clock", "cpu",
               processors.others);
    } else
        printf("%-36s %8s %9s %9s %9s %9s  %s\n", "seconds a call", "MB", "input", "cpu", "answer", "cpu",
               "digests");
    for (size_t i = 0; i < package.case_count; i++) {
        const struct package_case *test_case = &package.cases[i];

        if (!package_case_in_group(test_case, argv[2]) && strcmp(test_case->name, argv[2]) != 0)
            continue;
        if (judging ? !prepare_case(problem, test_case, &processors, &sum, &error)
                    : !time_case(problem, test_case, calls, &sum, &error)) {
            fprintf(stderr, "bench_inputs: %s: %s\n", test_case->name, error.text);
            return EXIT_TOOLKIT;
        }
        fflush(stdout);
    }
    printf("%-36s %9.2f s by the wall clock, %.2f s of processors\n", judging ? "all cases" : "all calls", sum.wall,
           sum.processors);
    package_release(&package);
    return 0;
}
