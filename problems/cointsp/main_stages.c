/*
 * main_stages.c - where the time of the baseline in C goes: cointsp_stages_cpu FILE.tsp [P [G]]
 *
 * The submission's own functions, stage by stage, on one core: beside bench_stages.cu, which does the same with the
 * baseline in CUDA. A tour is evaluated as soon as it is walked there; here all tours are walked first, so that a
 * stage has one clock. Called by bench.sh.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The submission brings its own stages. */
#include "submissions/accepted/baseline.c"

#include "coin.h"
#include "problems/bench_arguments.h"
#include "tsplib.h"
#include "verify/base/blob.h"
#include "verify/base/clock.h"

enum { GENERATE, EVALUATE, SORT, UPDATE, STAGES };

/* What a run works on. */
struct coin_run {
    const struct cointsp_case *c;
    const int32_t *distance;
    uint32_t *generator; /* [n][n] */
    int32_t *pairs;      /* [n][n] */
    int32_t *tours;      /* [P][n] */
    struct rank *ranks;  /* [P] */
    double seconds[STAGES];
};

static void add_time(struct coin_run *run, int stage, int64_t *since)
{
    const int64_t now = clock_ns();

    run->seconds[stage] += clock_seconds(*since, now);
    *since = now;
}

/* One generation; the length of its best tour. */
static int64_t generation(struct coin_run *run, uint32_t g)
{
    const struct cointsp_case *c = run->c;
    const size_t n = c->n, population = c->population;
    int64_t since = clock_ns();

    for (uint32_t p = 0; p < population; p++)
        walk(c, run->generator, g, p, run->tours + p * n);
    add_time(run, GENERATE, &since);
    for (uint32_t p = 0; p < population; p++)
        run->ranks[p] = (struct rank){ evaluate(c->n, run->distance, run->tours + p * n), p };
    add_time(run, EVALUATE, &since);
    qsort(run->ranks, population, sizeof *run->ranks, ascending);
    add_time(run, SORT, &since);
    memset(run->pairs, 0, n * n * sizeof *run->pairs);
    for (uint32_t s = 0; s < c->selected; s++) {
        count(run->pairs, c->n, run->tours + run->ranks[s].index * n, 1);
        count(run->pairs, c->n, run->tours + run->ranks[population - 1 - s].index * n, -1);
    }
    for (size_t i = 0; i < n; i++)
        update_row(c, run->generator + i * n, run->pairs + i * n);
    add_time(run, UPDATE, &since);
    return run->ranks[0].length;
}

static int64_t run_all(struct coin_run *run)
{
    const size_t n = run->c->n, population = run->c->population;
    int64_t best = INT64_MAX;

    run->generator = allocate(n * n * sizeof *run->generator);
    run->pairs = allocate(n * n * sizeof *run->pairs);
    run->tours = allocate(population * n * sizeof *run->tours);
    run->ranks = allocate(population * sizeof *run->ranks);
    for (size_t cell = 0; cell < n * n; cell++)
        run->generator[cell] = cell % (n + 1) == 0 ? 0 : COINTSP_ONE / (run->c->n - 1);
    for (uint32_t g = 0; g < run->c->generations; g++) {
        const int64_t length = generation(run, g);

        best = length < best ? length : best;
    }
    free(run->generator);
    free(run->pairs);
    free(run->tours);
    free(run->ranks);
    return best;
}

int main(int argc, char **argv)
{
    struct cointsp_tsplib instance = { 0 };
    struct cointsp_case c = { .population = 1000, .generations = 200, .key = { 1 } };
    struct coin_run run = { .c = &c };
    struct blob file = { 0 };
    struct error error;
    double total = 0;
    int64_t best;

    if (argc < 2 || argc > 4)
        bench_usage("cointsp_stages_cpu FILE.tsp [P [G]]");
    if (argc > 2)
        c.population = (uint32_t)bench_number(argv[2], "P", COINTSP_POPULATION_MIN, COINTSP_POPULATION_MAX);
    if (argc > 3)
        c.generations = (uint32_t)bench_number(argv[3], "G", 1, COINTSP_GENERATIONS_MAX);
    if (!blob_read_file(&file, argv[1], 1 << 26, &error) ||
        !cointsp_tsplib_parse(argv[1], (const char *)file.data, file.size, &instance, &error)) {
        fprintf(stderr, "cointsp_stages_cpu: %s\n", error.text);
        return (int)error.code;
    }
    c.n = instance.n;
    cointsp_parameters(&c, COINTSP_PERCENT_DEFAULT, COINTSP_K_DEFAULT, COINTSP_CAP_DEFAULT);
    run.distance = instance.distance;
    best = run_all(&run);
    for (int stage = 0; stage < STAGES; stage++)
        total += run.seconds[stage];
    printf("%8u %6u %6u %9" PRId64, c.n, c.population, c.generations, best);
    for (int stage = 0; stage < STAGES; stage++)
        printf(" %9.4f %3.0f%%", run.seconds[stage], 100 * run.seconds[stage] / total);
    printf(" %9.4f\n", total);
    blob_release(&file);
    cointsp_tsplib_release(&instance);
    return 0;
}
