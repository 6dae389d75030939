/*
 * main_compare.c - which of two submissions is faster: compare [options] A1.json B1.json A2.json B2.json ...
 *
 * Reads the host's JSON of R rounds, of both submissions in each, with the same inputs for both (compare.sh makes
 * them). The first call of a session is not counted. A round's ratio is the median time of A over that of B, and where
 * there are several cases the geometric mean of their ratios. Noise that both of a round see alike cancels in it. Of
 * the R ratios the median and its distribution-free interval are taken (stats.h), which assumes nothing of how times
 * are distributed.
 *
 * It answers FASTER or SLOWER only where the whole interval is outside of [1 / (1 + margin), 1 + margin]; else SAME. So
 * with no margin two equal submissions are called different in at most 5 of 100 comparisons, and with one in fewer.
 *
 * Exit codes: 0 a comparison was made, 1 a submission failed, 2 usage, 3 the files are no results to compare.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/error.h"
#include "verify/base/canonical.h"
#include "verify/base/number.h"
#include "verify/base/stats.h"

static const char usage[] =
    "usage: compare [--margin PERCENT] [--json FILE] A1.json B1.json A2.json B2.json ...\n"
    "Finds the faster of two submissions from the host's results of at least 6 rounds, one result of each per round.\n";

enum { ROUNDS_LEAST = 6, CALLS_SKIPPED = 1 };

static const char *const words[] = { "FASTER than", "SLOWER than", "the SAME as" };
enum difference { FASTER, SLOWER, SAME };

struct comparison {
    double margin;            /* part of 1 */
    const char *json;         /* where the result goes, or NULL */
    char *const *paths;       /* [2 * rounds], A and B in turn */
    size_t rounds;
    json_t **results;         /* [2 * rounds], as the host wrote them */
    double *ratios;           /* [rounds], in order */
    double median;            /* of them */
    struct interval interval; /* of the median */
    enum difference difference;
};

__attribute__((format(printf, 1, 2))) static _Noreturn void die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("compare: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_TOOLKIT);
}

static _Noreturn void refuse(const char *what)
{
    fprintf(stderr, "compare: %s\n%s", what, usage);
    exit(EXIT_USAGE);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        die("out of memory");
    return memory;
}

/* ------------------------------------------------------------------ reading */

static const char *string_in(const json_t *object, const char *key)
{
    const char *string = json_string_value(json_object_get(object, key));

    return string ? string : "";
}

static json_t *read_result(const char *path)
{
    struct error error;
    json_t *result = canonical_read_file(path, &error);

    if (!result)
        die("%s", error.text);
    if (json_integer_value(json_object_get(result, "format")) != 1 ||
        !json_is_array(json_object_get(result, "cases")) || !string_in(result, "verdict")[0])
        die("%s is not a result of main_host", path);
    return result;
}

/* A submission that was not accepted is not compared: its verdict is printed. */
static void check_accepted(const json_t *result, char name)
{
    if (strcmp(string_in(result, "verdict"), "AC") == 0)
        return;
    printf("%c FAILED. %s: %s\n", name, string_in(result, "verdict"), string_in(result, "message"));
    exit(EXIT_REJECTED);
}

/* Both of a round were given the same cases and the same seed. */
static void check_alike(const struct comparison *comparison, size_t round)
{
    const json_t *a = comparison->results[2 * round], *b = comparison->results[2 * round + 1];
    const json_t *a_cases = json_object_get(a, "cases"), *b_cases = json_object_get(b, "cases");
    bool alike = strcmp(string_in(a, "problem"), string_in(b, "problem")) == 0 &&
                 strcmp(string_in(a, "seed"), string_in(b, "seed")) == 0 && json_array_size(a_cases) > 0 &&
                 json_array_size(a_cases) == json_array_size(b_cases);

    for (size_t i = 0; alike && i < json_array_size(a_cases); i++)
        alike = strcmp(string_in(json_array_get(a_cases, i), "name"),
                       string_in(json_array_get(b_cases, i), "name")) == 0;
    if (!alike)
        die("%s and %s are not of the same problem, cases and seed", comparison->paths[2 * round],
            comparison->paths[2 * round + 1]);
}

/* The median time of a case's calls, but for the first. */
static double median_of(const json_t *test_case, const char *path)
{
    const json_t *samples = json_object_get(test_case, "samples");
    size_t count = json_array_size(samples);
    double *times, median;

    if (count <= CALLS_SKIPPED)
        die("%s: case %s has %zu calls: the first does not count, and one more is needed", path,
            string_in(test_case, "name"), count);
    times = allocate(count, sizeof *times);
    for (size_t i = CALLS_SKIPPED; i < count; i++)
        times[i - CALLS_SKIPPED] = json_number_value(json_array_get(samples, i));
    median = stats_of(times, count - CALLS_SKIPPED).median;
    free(times);
    if (!(median > 0) || !isfinite(median))
        die("%s: case %s has a time that is not a positive number", path, string_in(test_case, "name"));
    return median;
}

/* ------------------------------------------------------------------ comparing */

static double ratio_of(const struct comparison *comparison, size_t round)
{
    const json_t *a = json_object_get(comparison->results[2 * round], "cases");
    const json_t *b = json_object_get(comparison->results[2 * round + 1], "cases");
    double logarithm = 0;

    for (size_t i = 0; i < json_array_size(a); i++)
        logarithm += log(median_of(json_array_get(a, i), comparison->paths[2 * round]) /
                         median_of(json_array_get(b, i), comparison->paths[2 * round + 1]));
    return exp(logarithm / (double)json_array_size(a));
}

static void compare(struct comparison *comparison)
{
    double *sorted = allocate(comparison->rounds, sizeof *sorted);

    for (size_t round = 0; round < comparison->rounds; round++)
        sorted[round] = comparison->ratios[round] = ratio_of(comparison, round);
    comparison->median = stats_of(sorted, comparison->rounds).median;
    comparison->interval = stats_interval(sorted, comparison->rounds, STATS_COVERAGE);
    comparison->difference = comparison->interval.high < 1 / (1 + comparison->margin) ? FASTER
                             : comparison->interval.low > 1 + comparison->margin      ? SLOWER
                                                                                      : SAME;
    free(sorted);
}

/* ------------------------------------------------------------------ telling */

/* Digits behind the point so that a number and its interval differ visibly: two, or more where it is narrow. */
static int digits_of(const struct comparison *comparison)
{
    double width = comparison->interval.high - comparison->interval.low;

    return width > 0 && width < 0.02 ? (int)fmin(6, ceil(1 - log10(width))) : comparison->interval.low < 0.02 ? 4 : 2;
}

static void tell(const struct comparison *comparison)
{
    const struct interval *interval = &comparison->interval;
    int digits = digits_of(comparison);
    bool review = false, simulated = false;

    printf("A is %s B: %.*f times its time (%.1f %% interval %.*f to %.*f, %zu rounds)\n",
           words[comparison->difference], digits, comparison->median, 100 * interval->coverage, digits, interval->low,
           digits, interval->high, comparison->rounds);
    for (size_t i = 0; i < 2 * comparison->rounds; i++) {
        const json_t *result = comparison->results[i];

        review |= json_is_true(json_object_get(result, "review"));
        simulated |= strcmp(string_in(json_object_get(result, "device"), "kind"), "sim") == 0;
    }
    if (review)
        fprintf(stderr, "compare: some call was faster than possible: to be reviewed, see --json\n");
    if (simulated)
        fprintf(stderr, "compare: times are the simulator's and say nothing about a GPU\n");
}

/* A case as it was measured: its name, and every sample, the ones that do not count too. */
static json_t *cases_json(const json_t *result)
{
    const json_t *cases = json_object_get(result, "cases");
    json_t *all = json_array();

    for (size_t i = 0; i < json_array_size(cases); i++)
        json_array_append_new(all, json_pack("{s:s, s:O}", "name", string_in(json_array_get(cases, i), "name"),
                                             "samples", json_object_get(json_array_get(cases, i), "samples")));
    return all;
}

static json_t *source_json(const json_t *result)
{
    return json_pack("{s:O?, s:O?}", "submission", json_object_get(result, "submission"), "device",
                     json_object_get(result, "device"));
}

static void write_json(const struct comparison *comparison)
{
    static const char *const names[] = { "FASTER", "SLOWER", "SAME" };
    json_t *rounds = json_array(), *object;

    for (size_t round = 0; round < comparison->rounds; round++) {
        const json_t *a = comparison->results[2 * round], *b = comparison->results[2 * round + 1];

        json_array_append_new(rounds, json_pack("{s:s, s:f, s:o, s:o}", "seed", string_in(a, "seed"), "ratio",
                                                comparison->ratios[round], "a", cases_json(a), "b", cases_json(b)));
    }
    object = json_pack("{s:i, s:s, s:s, s:f, s:{s:f, s:f, s:f, s:f}, s:i, s:o, s:o, s:o}", "format", 1, "problem",
                       string_in(comparison->results[0], "problem"), "a_is", names[comparison->difference], "margin",
                       comparison->margin, "ratio", "median", comparison->median, "low", comparison->interval.low,
                       "high", comparison->interval.high, "coverage", comparison->interval.coverage, "skipped",
                       CALLS_SKIPPED, "a", source_json(comparison->results[0]), "b",
                       source_json(comparison->results[1]), "rounds", rounds);
    if (!object || json_dump_file(object, comparison->json, JSON_INDENT(2)) != 0)
        die("cannot write '%s': %s", comparison->json, strerror(errno));
    json_decref(object);
}

/* ------------------------------------------------------------------ command line */

static double parse_margin(const char *text)
{
    double percent;

    if (!number_decimal(text, 0, 100, &percent))
        refuse("--margin takes a percentage from 0 to 100");
    return percent / 100;
}

static struct comparison parse(int argc, char **argv)
{
    static const struct option options[] = {
        { "margin", required_argument, NULL, 'm' },
        { "json", required_argument, NULL, 'j' },
        { NULL, 0, NULL, 0 },
    };
    struct comparison comparison = { 0 };
    int id;

    opterr = 0;
    while ((id = getopt_long(argc, argv, ":", options, NULL)) != -1)
        switch (id) {
        case 'm': comparison.margin = parse_margin(optarg); break;
        case 'j': comparison.json = optarg; break;
        default: refuse("unknown option, or an option without its value");
        }
    comparison.paths = argv + optind;
    comparison.rounds = (size_t)(argc - optind) / 2;
    if ((argc - optind) % 2 != 0)
        refuse("the files come in pairs");
    return comparison;
}

int main(int argc, char **argv)
{
    struct comparison comparison = parse(argc, argv);

    comparison.results = allocate(2 * comparison.rounds + 1, sizeof *comparison.results);
    comparison.ratios = allocate(comparison.rounds + 1, sizeof *comparison.ratios);
    for (size_t i = 0; i < 2 * comparison.rounds; i++) {
        comparison.results[i] = read_result(comparison.paths[i]);
        check_accepted(comparison.results[i], i % 2 == 0 ? 'A' : 'B');
    }
    if (comparison.rounds < ROUNDS_LEAST)
        refuse("fewer than 6 rounds give no 95 % interval");
    for (size_t round = 0; round < comparison.rounds; round++)
        check_alike(&comparison, round);
    compare(&comparison);
    tell(&comparison);
    if (comparison.json)
        write_json(&comparison);
    for (size_t i = 0; i < 2 * comparison.rounds; i++)
        json_decref(comparison.results[i]);
    free(comparison.results);
    free(comparison.ratios);
    return EXIT_ACCEPTED;
}
