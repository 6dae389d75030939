/*
 * main_search.c - finds the parameters of COIN that make short tours: search [TSPLIB-FOLDER [RUNS]]
 *
 * Sweeps the selected percentage c, the learning step k and the cap over a grid, on generated instances and on four
 * of TSPLIB's, with the reference, P = 500 and 200 generations, RUNS seeds each. A setting's score is its mean length
 * over the shortest length that any setting found for the instance, averaged over the instances: 1 is the best there
 * can be. Prints every setting in the order of the scores, then 10 runs of the best ones with P = 500 and P = 1000.
 *
 * Built by `make build/benches/cointsp_search`. Its output is docs/results/cointsp-search.txt. The default in coin.h
 * is, of the finalists that are nowhere worse than the COIN thesis in bench.sh, the one with the lowest score at
 * P = 1000.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coin.h"
#include "instances.h"
#include "problems/bench_arguments.h"
#include "tsplib.h"
#include "verify/base/blob.h"

enum { INSTANCES = 7, GENERATIONS = 200, POPULATION = 500, RUNS_MAX = 100, FINAL_RUNS = 10, FINALISTS = 12 };

static const uint32_t percents[] = { 5, 10, 15, 20, 25, 30, 40, 50 };
static const uint32_t ks[] = { 20, 35, 60, 100, 150, 200, 300, 450, 700, 1000 }; /* thousandths */
static const uint32_t caps[] = { 300, 500, 700, 850, 1000 };                     /* thousandths */

enum {
    PERCENTS = sizeof percents / sizeof *percents,
    KS = sizeof ks / sizeof *ks,
    CAPS = sizeof caps / sizeof *caps,
    SETTINGS = PERCENTS * KS * CAPS,
};

struct instance {
    char name[32];
    uint32_t n;
    int32_t *distance; /* [n][n] */
    int64_t shortest;  /* of all settings and runs */
};

struct setting {
    uint32_t percent, k, cap;
    int64_t best[INSTANCES];
    double mean[INSTANCES];
    double score;
};

static struct cointsp_generation generations[GENERATIONS];
static int32_t tour[COINTSP_CITIES_MAX];

static void stop(const char *why)
{
    fprintf(stderr, "search: %s\n", why);
    exit(EXIT_TOOLKIT);
}

static void load(struct instance *instance, const char *folder, const char *name)
{
    struct cointsp_tsplib read = { 0 };
    struct blob file = { 0 };
    struct error error;
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.tsp", folder, name);
    if (!blob_read_file(&file, path, 1 << 26, &error) ||
        !cointsp_tsplib_parse(path, (const char *)file.data, file.size, &read, &error))
        stop(error.text);
    snprintf(instance->name, sizeof instance->name, "%s", name);
    instance->n = read.n;
    instance->distance = read.distance;
    blob_release(&file);
}

static void make(struct instance *instance, enum cointsp_kind kind, uint32_t n)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 2009 }, (uint32_t)kind);

    snprintf(instance->name, sizeof instance->name, "%s%u", cointsp_kind_name(kind), n);
    instance->n = n;
    instance->distance = malloc((size_t)n * n * sizeof *instance->distance);
    if (!instance->distance)
        stop("out of memory");
    cointsp_make(kind, n, &stream, instance->distance);
}

/* The best and the mean length of some runs. */
static int64_t run(const struct instance *instance, const struct setting *setting, uint32_t population, uint32_t runs,
                   double *mean)
{
    struct cointsp_case c = { .n = instance->n, .population = population, .generations = GENERATIONS };
    int64_t best = INT64_MAX;

    *mean = 0;
    cointsp_parameters(&c, setting->percent, setting->k, setting->cap);
    for (uint32_t r = 0; r < runs; r++) {
        c.key[0] = r + 1;
        if (!cointsp_coin(&c, instance->distance, generations, tour))
            stop("out of memory");
        *mean += (double)generations[GENERATIONS - 1].length / runs;
        if (generations[GENERATIONS - 1].length < best)
            best = generations[GENERATIONS - 1].length;
    }
    return best;
}

static int by_score(const void *left, const void *right)
{
    double a = ((const struct setting *)left)->score, b = ((const struct setting *)right)->score;

    return (a > b) - (a < b);
}

static void print_head(const char *first, const struct instance *instances)
{
    printf("%s", first);
    for (int i = 0; i < INSTANCES; i++)
        printf("  %15s", instances[i].name);
    printf("\n");
}

static void sweep(struct instance *instances, struct setting *settings, uint32_t runs)
{
    for (int s = 0; s < SETTINGS; s++) {
        struct setting *setting = &settings[s];

        setting->percent = percents[s / (KS * CAPS)];
        setting->k = ks[s / CAPS % KS];
        setting->cap = caps[s % CAPS];
        for (int i = 0; i < INSTANCES; i++) {
            setting->best[i] = run(&instances[i], setting, POPULATION, runs, &setting->mean[i]);
            if (setting->best[i] < instances[i].shortest)
                instances[i].shortest = setting->best[i];
        }
    }
    for (int s = 0; s < SETTINGS; s++)
        for (int i = 0; i < INSTANCES; i++)
            settings[s].score += settings[s].mean[i] / (double)instances[i].shortest / INSTANCES;
    qsort(settings, SETTINGS, sizeof *settings, by_score);
}

/* The best settings again, with more seeds and with twice the population too. */
static void print_finals(const struct instance *instances, const struct setting *settings)
{
    printf("\nbest/mean length of %d runs of the best %d settings, %d generations\n", FINAL_RUNS, FINALISTS,
           GENERATIONS);
    print_head("     P   c %     k   cap  score", instances);
    for (uint32_t population = POPULATION; population <= 2 * POPULATION; population += POPULATION)
        for (const struct setting *setting = settings; setting < settings + FINALISTS; setting++) {
            int64_t best[INSTANCES];
            double mean[INSTANCES], score = 0;

            for (int i = 0; i < INSTANCES; i++) {
                best[i] = run(&instances[i], setting, population, FINAL_RUNS, &mean[i]);
                score += mean[i] / (double)instances[i].shortest / INSTANCES;
            }
            printf("%6u %5u %5.3f %5.3f %6.4f", population, setting->percent, setting->k / 1e3,
                   setting->cap / 1e3, score);
            for (int i = 0; i < INSTANCES; i++)
                printf("  %7jd/%7.0f", (intmax_t)best[i], mean[i]);
            printf("\n");
        }
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "../shared/tsplib";
    uint32_t runs = argc > 2 ? (uint32_t)bench_number(argv[2], "RUNS", 1, RUNS_MAX) : 2;
    struct instance instances[INSTANCES] = { 0 };
    static struct setting settings[SETTINGS];

    if (argc > 3)
        bench_usage("search [TSPLIB-FOLDER [RUNS]]");
    load(&instances[0], folder, "gr24");
    load(&instances[1], folder, "gr48");
    load(&instances[2], folder, "pr76");
    load(&instances[3], folder, "kroA100");
    make(&instances[4], COINTSP_UNIFORM, 64);
    make(&instances[5], COINTSP_CLUSTERED, 64);
    make(&instances[6], COINTSP_GRID, 64);
    for (int i = 0; i < INSTANCES; i++)
        instances[i].shortest = INT64_MAX;
    sweep(instances, settings, runs);
    printf("best/mean length of %u runs, P = %d, %d generations\n", runs, POPULATION, GENERATIONS);
    print_head("  c %     k   cap  score", instances);
    for (int s = 0; s < SETTINGS; s++) {
        const struct setting *setting = &settings[s];

        printf("%5u %5.3f %5.3f %6.4f", setting->percent, setting->k / 1e3, setting->cap / 1e3, setting->score);
        for (int i = 0; i < INSTANCES; i++)
            printf("  %7jd/%7.0f", (intmax_t)setting->best[i], setting->mean[i]);
        printf("\n");
    }
    print_finals(instances, settings);
    for (int i = 0; i < INSTANCES; i++)
        free(instances[i].distance);
    return EXIT_ACCEPTED;
}
