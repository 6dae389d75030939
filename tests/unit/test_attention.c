/*
 * test_attention.c - every version of attention's reference gives the plain one's bytes; honest methods stay well below
 * what the rule allows, and what is wrong in few rows of a large output is seen.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/attention/answer.h"
#include "problems/attention/heads.h"
#include "problems/attention/rows.h"
#include "problems/outputs.h"
#include "problems/problem.h"
#include "tests/unit/unit.h"

#define countof(array) (sizeof(array) / sizeof((array)[0]))

static bool make_input(const char *line, struct blob *input)
{
    const struct random_key key = { .seed = 23, .case_seed = 5, .repetition = 0 };
    struct arguments arguments;
    struct error error;

    if (arguments_parse(&arguments, line, &error) &&
        problem_find("attention")->generate(&arguments, &key, input, &error))
        return true;
    CHECK(false, "%s: %s", line, error.text);
    return false;
}

/* ------------------------------------------------------------------ versions of the reference */

static void check_versions(const char *line)
{
    struct blob input = { 0 };
    struct attention_truth *plain, *fast;
    struct attention_row rows[37];
    struct attention_heads h;
    size_t size;

    if (!make_input(line, &input))
        return;
    h = attention_heads_of(&input);
    size = countof(rows) * h.dim * sizeof *plain;
    plain = malloc(size);
    fast = malloc(size);
    for (size_t r = 0; r < countof(rows); r++) /* a head has rows one after the other, and groups end within heads */
        rows[r] = (struct attention_row){ .head = (uint32_t)(r * h.heads / countof(rows)),
                                          .i = (uint32_t)(r * 7919 % h.length) };
    CHECK(plain && fast && attention_rows_plain(&h, rows, countof(rows), plain), "no memory");
    for (int isa = 0; isa < ATTENTION_ISAS; isa++)
        if (attention_isa_supported((enum attention_isa)isa)) {
            memset(fast, 0xff, size);
            CHECK(attention_rows((enum attention_isa)isa, &h, rows, countof(rows), fast), "no memory");
            CHECK(memcmp(plain, fast, size) == 0, "%s: version %d differs from the plain rows", line, isa);
        }
    free(plain);
    free(fast);
    blob_release(&input);
}

/* ------------------------------------------------------------------ precision */

/* The largest error of an output divided by the error that the rule allows. */
static double worst_of(const struct attention_heads *h, const uint16_t *o)
{
    const size_t count = h->heads * h->length;
    struct attention_row *rows = malloc(count * sizeof *rows);
    struct attention_truth *truths = malloc(count * h->dim * sizeof *truths);
    double worst = 0;

    for (size_t r = 0; rows && r < count; r++)
        rows[r] = (struct attention_row){ .head = (uint32_t)(r / h->length), .i = (uint32_t)(r % h->length) };
    CHECK(rows && truths && attention_rows(attention_isa_best(), h, rows, count, truths), "no memory");
    for (size_t e = 0; truths && e < count * h->dim; e++)
        worst = fmax(worst, fabs((double)attention_number(o[e]) - truths[e].sum) /
                                attention_tolerance(&truths[e], false));
    free(rows);
    free(truths);
    return worst;
}

static double check_honest(const char *line)
{
    const struct outputs *outputs = outputs_find("attention");
    const struct random_key key = { .seed = 1 };
    struct random_stream stream = random_stream(&key, 1);
    struct blob input = { 0 }, output = { 0 };
    double worst = 0;
    struct error error;

    if (!make_input(line, &input) || !blob_alloc(&output, problem_find("attention")->output_size(&input), &error))
        return NAN;
    for (size_t way = 0; outputs->honest(&input, NULL, &output, way, &stream) == CHECK_RIGHT; way++) {
        const struct attention_heads h = attention_heads_of(&input);
        const double ratio = worst_of(&h, (const uint16_t *)output.data);

        CHECK(ratio < 0.75, "%s: method %zu errs by %.3f of the tolerance", line, way, ratio);
        worst = fmax(worst, ratio);
    }
    blob_release(&input);
    blob_release(&output);
    return worst;
}

/* ------------------------------------------------------------------ large outputs */

/* Of a right output every 25th row is spoiled a little: 8192 rows do not all miss that. */
static void check_large(void)
{
    const struct problem *problem = problem_find("attention");
    const struct random_key secret = { .seed = 99 };
    const struct attention_heads *h;
    struct attention_heads heads;
    struct blob input = { 0 }, answer = { 0 }, output = { 0 };
    struct finding finding = { 0 };
    struct error error;
    uint16_t *o, kept;

    if (!make_input("normal 20 600 64 causal=1", &input) ||
        !blob_alloc(&output, problem->output_size(&input), &error) ||
        !problem->reference(&input, &secret, &answer, &error)) {
        CHECK(false, "no large case");
        return;
    }
    heads = attention_heads_of(&input);
    h = &heads;
    o = (uint16_t *)output.data;
    CHECK(attention_is_large(h) && attention_row_count(h) < h->heads * h->length, "the case is not large");
    CHECK(outputs_find("attention")->solve(&input, &answer, &output, &error), "no memory");
    CHECK(problem->check(&input, &answer, &output, &finding) == CHECK_RIGHT, "a right output: %s", finding.detail);
    kept = o[777];
    o[777] = 0x7fff;
    CHECK(problem->check(&input, &answer, &output, &finding) == CHECK_WRONG && finding.reason == REASON_NAN,
          "a NaN passes");
    o[777] = kept;
    for (size_t row = 0; row < h->heads * h->length; row += 25)
        o[row * h->dim] = attention_bits(attention_number(o[row * h->dim]) + 0.5f);
    CHECK(problem->check(&input, &answer, &output, &finding) == CHECK_WRONG && finding.reason == REASON_VALUE,
          "one row in 25 is wrong, and passes");
    blob_release(&input);
    blob_release(&answer);
    blob_release(&output);
}

int main(void)
{
    static const char *const kinds[] = { "normal", "peaked", "flat", "positive", "wide", "drift", "sink", "low" };
    double worst = 0;

    for (size_t kind = 0; kind < countof(kinds); kind++)
        for (int shape = 0; shape < 2; shape++) {
            char line[64];

            snprintf(line, sizeof line, "%s 2 %d %d causal=%d", kinds[kind], 150 + 101 * shape, 64 + 64 * shape, shape);
            check_versions(line);
            worst = fmax(worst, check_honest(line));
        }
    worst = fmax(worst, check_honest("positive 1 1500 64"));
    check_large();
    printf("the worst of the honest methods errs by %.3f of the tolerance\n", worst);
    return unit_end();
}
