/*
 * test_scan_problem.c - the problem scan: exact sums by two methods, the checker, and how far honest and careless
 * sums of float32 are off.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/outputs.h"
#include "problems/problem.h"
#include "problems/scan/list.h"
#include "problems/scan/precision.h"
#include "problems/scan/sums.h"
#include "unit.h"

static const char *const kinds[] = { "random", "positive", "negative", "wide", "cancel", "sparse", "step" };
static const char *const types[] = { "uint32", "uint64", "float32" };
enum { KINDS = sizeof kinds / sizeof kinds[0], TYPES = 3 };

static const struct random_key secret = { .seed = 99 };

static const struct problem *problem(void) { return problem_find("scan"); }

static bool make(const char *line, uint32_t case_seed, struct blob *input)
{
    const struct random_key key = { .seed = 5, .case_seed = case_seed };
    struct arguments arguments;
    struct error error;

    return arguments_parse(&arguments, line, &error) && problem()->generate(&arguments, &key, input, &error);
}

/* ------------------------------------------------------------------ exact sums and the checker */

static void try_line(const char *line)
{
    struct blob input = { 0 }, fast = { 0 }, plain = { 0 }, output = { 0 };
    struct finding finding = { 0 };
    struct error error;

    CHECK(make(line, 3, &input), "in '%s'", line);
    CHECK(problem()->reference(&input, &secret, &fast, &error), "in '%s'", line);
    CHECK(problem()->reference_plain(&input, &secret, &plain, &error), "in '%s'", line);
    CHECK(fast.size == plain.size && memcmp(fast.data, plain.data, fast.size) == 0, "in '%s'", line);
    CHECK(blob_alloc(&output, problem()->output_size(&input), &error), "in '%s'", line);
    CHECK(outputs_find("scan")->solve(&input, &fast, &output, &error), "in '%s'", line);
    CHECK(problem()->check(&input, &fast, &output, &finding) == CHECK_RIGHT, "in '%s'", line);
    /* The last significant bit: the lowest of integers; of float32 one far above the allowed error. */
    output.data[output.size - 1 - (strstr(line, "float32") ? 0 : scan_width(scan_header_of(&input)->type) - 1)] ^= 0x40;
    CHECK(problem()->check(&input, &fast, &output, &finding) == CHECK_WRONG, "in '%s'", line);
    CHECK(finding.reason == REASON_VALUE || finding.reason == REASON_NAN, "in '%s'", line);
    blob_release(&input);
    blob_release(&fast);
    blob_release(&plain);
    blob_release(&output);
}

static void test_sizes(void)
{
    static const size_t large[] = { SCAN_CHUNK - 1, SCAN_CHUNK, SCAN_CHUNK + 1, 3 * SCAN_CHUNK + 17 };
    static const unsigned means[] = { 0, 1, 2, 50, 100000 };
    char line[128];

    for (int k = 0; k < KINDS; k++)
        for (int t = 0; t < TYPES; t++)
            for (size_t m = 0; m < sizeof means / sizeof means[0]; m++)
                for (size_t i = 0; i < 44; i++) {
                    const size_t n = i < 40 ? i + 1 + (i > 34 ? i * i * i / 20 : 0) : large[i - 40];

                    if (i >= 40 && k % 3 != t)
                        continue;
                    if (means[m] > 0)
                        snprintf(line, sizeof line, "%s %s %zu mean=%u", kinds[k], types[t], n, means[m]);
                    else
                        snprintf(line, sizeof line, "%s %s %zu", kinds[k], types[t], n);
                    try_line(line);
                }
}

/* ------------------------------------------------------------------ float32 */

/* The largest error of the sums, in units of the allowed error. */
static double worst(const struct scan_list *list, const float *sums)
{
    double sum = 0, largest = 0, most = 0;
    size_t m = 0;

    for (size_t i = 0; i < list->count; i++) {
        double off;

        if (scan_begins(list, i))
            sum = 0, largest = 0, m = 0;
        sum += (double)((const float *)list->values)[i];
        largest = fmax(largest, fabs(sum));
        off = fabs((double)sums[i] - sum) / (scan_roundings((double)++m) * largest);
        if (largest > 0 && !(off <= most))
            most = off;
    }
    return most;
}

/* Tiles of float32, added up number by number, and one by one from tile to tile. */
static void by_tiles(const struct scan_list *list, size_t tile, float *sums)
{
    const float *values = list->values;
    float carry = 0, sum = 0;
    bool begun = false; /* in this tile */

    for (size_t i = 0; i < list->count; i++) {
        if (i % tile == 0) {
            carry = begun ? sum : carry + sum;
            sum = 0;
            begun = false;
        }
        if (scan_begins(list, i))
            sum = 0, begun = true;
        sum += values[i];
        sums[i] = begun ? sum : carry + sum;
    }
}

static void test_rounding(void)
{
    static const char *const lines[] = {
        "positive float32 4000000", "random float32 4000000", "wide float32 2000000", "step float32 2000000",
        "cancel float32 2000000", "positive float32 2000000 mean=3000", "random float32 2000000 mean=50",
        "step float32 1000000 mean=700",
    };
    double honest = 0, careless[2] = { 0 };

    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
        for (uint32_t seed = 1; seed <= 3; seed++) {
            struct blob input = { 0 };
            struct scan_list list;
            float *sums;

            CHECK(make(lines[l], seed, &input), "in '%s'", lines[l]);
            list = scan_list_of(&input);
            sums = malloc(list.count * sizeof *sums);
            CHECK(sums, "in '%s'", lines[l]);
            for (size_t tile = 256; tile <= 1024; tile *= 2) {
                by_tiles(&list, tile, sums);
                honest = fmax(honest, worst(&list, sums));
            }
            by_tiles(&list, list.count, sums); /* one after the other */
            if (l == 0)
                careless[0] = fmax(careless[0], worst(&list, sums));
            if (l == 3)
                careless[1] = careless[1] > 0 ? fmin(careless[1], worst(&list, sums)) : worst(&list, sums);
            free(sums);
            blob_release(&input);
        }
    /* Room to spare for the honest; of one sum in float32 over all, what precision.h says. */
    CHECK(honest > 0 && honest < 0.7, "it is %g", honest);
    CHECK(careless[0] > 1, "it is %g", careless[0]);
    CHECK(careless[1] > 50, "it is %g", careless[1]);
}

int main(void)
{
    test_sizes();
    test_rounding();
    return unit_end();
}
