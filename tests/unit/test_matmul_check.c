/*
 * test_matmul_check.c - the products of matmul's reference against each other, and the checks of small and of large
 * outputs against right and wrong ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/matmul/answer.h"
#include "problems/matmul/generate.h"
#include "problems/matmul/precision.h"
#include "problems/matmul/product.h"
#include "problems/matmul/outputs.h"
#include "problems/outputs.h"
#include "problems/problem.h"
#include "unit.h"

/* What failed, where: for the messages of CHECK. */
struct trial {
    struct blob input, answer, output;
    struct matmul_pair pair;
    char line[64];
    struct finding finding;
};

static const struct random_key secrets[] = { { .seed = 1 }, { .seed = 2 }, { .seed = 3, .case_seed = 4 } };

static void trial_init(struct trial *trial, enum matmul_kind kind, size_t m, size_t n, size_t k, uint32_t seed)
{
    const struct random_key key = { .seed = 7, .case_seed = seed };
    struct arguments arguments;
    struct error error = { .text = "" };

    memset(trial, 0, sizeof *trial);
    snprintf(trial->line, sizeof trial->line, "%s %zu %zu %zu", matmul_kind_name(kind), m, n, k);
    CHECK(arguments_parse(&arguments, trial->line, &error) &&
              problem_find("matmul")->generate(&arguments, &key, &trial->input, &error),
          "%s: %s", trial->line, error.text);
    trial->pair = matmul_pair_of(&trial->input);
    CHECK(trial->input.size > 0 && trial->pair.m == m && trial->pair.n == n && trial->pair.k == k, "%s", trial->line);
    CHECK(blob_alloc(&trial->output, m * n * sizeof(float), &error) &&
              matmul_solve(&trial->pair, (float *)trial->output.data), "%s: no output", trial->line);
}

static void trial_release(struct trial *trial)
{
    blob_release(&trial->input);
    blob_release(&trial->answer);
    blob_release(&trial->output);
}

static void trial_answer(struct trial *trial, bool large, const struct random_key *secret)
{
    struct error error;

    CHECK(matmul_answer(&trial->pair, large, false, secret, &trial->answer, &error), "out of memory");
}

static enum check_result judge(struct trial *trial)
{
    trial->finding = (struct finding){ 0 };
    return matmul_judge(&trial->pair, &trial->answer, (const float *)trial->output.data, &trial->finding);
}

/* ------------------------------------------------------------------ products */

/* Sides around the tiles of all kernels and the blocks of k. */
static void test_products(void)
{
    static const size_t sides[] = { 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33 }, lengths[] = { 1, 2, 5, 255, 256, 257, 600 };
    enum { SIDES = sizeof sides / sizeof sides[0], LENGTHS = sizeof lengths / sizeof lengths[0], MOST = 33 * 33 };
    static double sums[MOST], squares[MOST], plain_sums[MOST], plain_squares[MOST];

    for (int t = 0; t < SIDES * SIDES * LENGTHS; t++) {
        size_t m = sides[t % SIDES], n = sides[t / SIDES % SIDES], k = lengths[t / SIDES / SIDES];
        size_t size = m * n * sizeof *sums;
        enum matmul_kind kind = (enum matmul_kind)(t % MATMUL_KIND_COUNT);
        double *wide = malloc(k * n * sizeof *wide);
        struct trial trial;

        trial_init(&trial, kind, m, n, k, (uint32_t)t);
        matmul_product_plain(trial.pair.a, trial.pair.b, m, n, k, plain_sums, plain_squares);
        for (int isa = 0; isa < MATMUL_ISAS; isa++) {
            if (!matmul_isa_supported((enum matmul_isa)isa))
                continue;
            CHECK(matmul_product((enum matmul_isa)isa, trial.pair.a, k, trial.pair.b, n, m, n, k, sums, squares) &&
                      memcmp(sums, plain_sums, size) == 0 && memcmp(squares, plain_squares, size) == 0,
                  "%s, %s", trial.line, matmul_isa_name((enum matmul_isa)isa));
        }
        for (size_t e = 0; e < k * n; e++)
            wide[e] = (double)trial.pair.b[e] / 3; /* all 53 bits: products are rounded */
        for (int squared = 0; squared < 2; squared++) {
            matmul_product_f64_plain(squared, trial.pair.a, wide, m, n, k, plain_sums);
            for (int isa = 0; isa < MATMUL_ISAS; isa++)
                CHECK(!matmul_isa_supported((enum matmul_isa)isa) ||
                          (matmul_product_f64((enum matmul_isa)isa, squared, trial.pair.a, k, wide, n, m, n, k,
                                              sums) &&
                           memcmp(sums, plain_sums, size) == 0),
                      "%s, %s, float64, squared %d", trial.line, matmul_isa_name((enum matmul_isa)isa), squared);
        }
        free(wide);
        trial_release(&trial);
    }
}

/* ------------------------------------------------------------------ checks */

static const struct {
    size_t m, n, k;
} shapes[] = { { 64, 64, 64 },    { 1, 1, 1 },     { 1, 700, 33 },   { 300, 1, 33 },
               { 37, 257, 100 }, { 129, 513, 1 }, { 50, 512, 400 } };

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* A right output passes with every secret; plain products give both answers. */
static void test_right(bool large)
{
    for (int t = 0; t < SHAPES * MATMUL_KIND_COUNT; t++) {
        enum matmul_kind kind = (enum matmul_kind)(t / SHAPES);
        struct blob plain = { 0 };
        struct trial trial;
        struct error error;

        if (large && kind == MATMUL_SPECIAL && (shapes[t % SHAPES].m > 200 || shapes[t % SHAPES].n > 200))
            continue; /* large cases have few special lines */
        trial_init(&trial, kind, shapes[t % SHAPES].m, shapes[t % SHAPES].n, shapes[t % SHAPES].k, (uint32_t)t);
        for (int s = 0; s < 3; s++) {
            trial_answer(&trial, large, &secrets[s]);
            CHECK(judge(&trial) == CHECK_RIGHT, "%s, large %d: %s", trial.line, large, trial.finding.detail);
            CHECK(matmul_answer(&trial.pair, large, true, &secrets[s], &plain, &error) &&
                      plain.size == trial.answer.size && memcmp(plain.data, trial.answer.data, plain.size) == 0,
                  "%s, large %d: answers differ", trial.line, large);
        }
        blob_release(&plain);
        trial_release(&trial);
    }
}

/* Every way to spoil an output is seen, and at least the seven of single elements are there. */
static void test_spoiled(bool large)
{
    for (int t = 0; t < SHAPES * MATMUL_KIND_COUNT; t++) {
        enum matmul_kind kind = (enum matmul_kind)(t / SHAPES);
        struct trial trial;
        struct blob right = { 0 };
        struct error error;
        size_t way = 0;

        if (large && kind == MATMUL_SPECIAL && (shapes[t % SHAPES].m > 200 || shapes[t % SHAPES].n > 200))
            continue;
        trial_init(&trial, kind, shapes[t % SHAPES].m, shapes[t % SHAPES].n, shapes[t % SHAPES].k, (uint32_t)t);
        trial_answer(&trial, large, &secrets[t % 3]);
        CHECK(blob_alloc(&right, trial.output.size, &error), "out of memory");
        memcpy(right.data, trial.output.data, right.size);
        for (; matmul_spoil(&trial.pair, large, (float *)trial.output.data, way); way++) {
            CHECK(judge(&trial) == CHECK_WRONG && strstr(trial.finding.detail, "is right"),
                  "%s, large %d: way %zu passes", trial.line, large, way);
            memcpy(trial.output.data, right.data, right.size);
        }
        CHECK(way >= 7 && way <= 12 && memcmp(trial.output.data, right.data, right.size) == 0, "%s: %zu ways",
              trial.line, way);
        CHECK(kind != MATMUL_UNIFORM || trial.pair.m * trial.pair.n < 1000 || way >= 11, "%s, large %d: %zu ways",
              trial.line, large, way);
        blob_release(&right);
        trial_release(&trial);
    }
}

/* Every element at the very edge of its tolerance is accepted, with signs at random; an element twice as far is not. */
static void test_edge_of_tolerance(void)
{
    const size_t m = 64, n = 512, k = 100;
    double *sums = malloc(m * n * sizeof *sums), *squares = malloc(m * n * sizeof *squares);
    struct random_stream signs = random_stream(&(struct random_key){ .seed = 11 }, 1);
    struct trial trial;
    float *c;

    trial_init(&trial, MATMUL_CANCEL, m, n, k, 5); /* C is small, so that rounding it to float32 is not what decides */
    c = (float *)trial.output.data;
    matmul_product_plain(trial.pair.a, trial.pair.b, m, n, k, sums, squares);
    for (size_t e = 0; e < m * n; e++)
        c[e] = (float)(sums[e] + (random_u32(&signs) & 1 ? 0.99 : -0.99) * matmul_tolerance(k, sums[e], squares[e]));
    for (int large = 0; large < 2; large++)
        for (int s = 0; s < 3; s++) {
            trial_answer(&trial, large, &secrets[s]);
            CHECK(judge(&trial) == CHECK_RIGHT, "large %d: %s", large, trial.finding.detail);
        }
    c[n - 1] = (float)(sums[n - 1] + 2 * matmul_tolerance(k, sums[n - 1], squares[n - 1]));
    for (int large = 0; large < 2; large++) {
        trial_answer(&trial, large, &secrets[0]);
        CHECK(judge(&trial) == CHECK_WRONG && strncmp(trial.finding.detail, "wrote C[0][511] = ", 18) == 0,
              "large %d: %s", large, trial.finding.detail);
    }
    free(sums);
    free(squares);
    trial_release(&trial);
}

/*
 * One element in the inside, off by some multiple of its tolerance, and not sampled: the combinations alone must see
 * it. They do from a few
 * hundred tolerances on, but for a probability of (t / e)^2, with t = 64 tolerances: 6 % at 2^8, 0.02 % at 2^12.
 */
static void test_combinations(void)
{
    const size_t m = 400, n = 600, k = 50, trials = 2000;
    size_t seen[21] = { 0 };
    struct trial trial;
    struct random_stream places = random_stream(&(struct random_key){ .seed = 12 }, 1);
    float *c;

    trial_init(&trial, MATMUL_UNIFORM, m, n, k, 6);
    c = (float *)trial.output.data;
    trial_answer(&trial, true, &secrets[0]);
    for (size_t t = 0; t < trials; t++) {
        size_t i = 1 + random_below(&places, (uint32_t)m - 2), j = 1 + random_below(&places, (uint32_t)n - 2);
        float right = c[i * n + j], squares = 0;

        for (size_t l = 0; l < k; l++)
            squares += powf(trial.pair.a[i * k + l] * trial.pair.b[l * n + j], 2);
        for (int power = 4; power <= 20; power += 4) {
            c[i * n + j] = right + (float)(ldexp(1, power) * matmul_tolerance(k, (double)right, (double)squares));
            seen[power] += judge(&trial) == CHECK_WRONG;
            CHECK(power < 16 || trial.finding.detail[0], "C[%zu][%zu], off by 2^%d tolerances, passes", i, j, power);
        }
        c[i * n + j] = right;
    }
    printf("one wrong element in %zu x %zu, seen of %zu: 2^4 tolerances off %zu, 2^8 %zu, 2^12 %zu, 2^16 %zu, 2^20 "
           "%zu\n",
           m, n, trials, seen[4], seen[8], seen[12], seen[16], seen[20]);
    CHECK(seen[4] < trials / 5, "%zu", seen[4]); /* by samples alone: 16384 of 240000 */
    CHECK(seen[8] > trials * 9 / 10, "%zu: (64 / 256)^2 of them may pass", seen[8]);
    CHECK(seen[12] >= trials - 5 && seen[16] == trials && seen[20] == trials, "%zu", seen[12]);
    trial_release(&trial);
}

/* ------------------------------------------------------------------ the problem's own functions */

/* Just above the threshold, by the contract: what check_problem leaves out. */
static void test_large_case(void)
{
    const struct problem *problem = problem_find("matmul");
    static const struct {
        enum matmul_kind kind;
        size_t m, n, k;
    } cases[] = { { MATMUL_UNIFORM, 1030, 1024, 1024 }, { MATMUL_WIDE, 8192, 2049, 2 } };

    for (int t = 0; t < 2; t++) {
        struct blob answer = { 0 }, again = { 0 }, right = { 0 };
        struct error error;
        struct trial trial;
        struct finding finding = { 0 };
        char word[64], other[64];

        trial_init(&trial, cases[t].kind, cases[t].m, cases[t].n, cases[t].k, 1);
        CHECK(matmul_is_large(&trial.pair), "%s is not large", trial.line);
        CHECK(problem->reference(&trial.input, &secrets[0], &answer, &error) &&
                  problem->reference(&trial.input, &secrets[1], &again, &error), "out of memory");
        CHECK(answer.size == again.size && memcmp(answer.data, again.data, answer.size) != 0,
              "the secret makes no difference");
        problem->show_answer(&trial.input, &answer, word, sizeof word);
        problem->show_answer(&trial.input, &again, other, sizeof other);
        CHECK(strcmp(word, other) == 0, "%s differs from %s: the word depends on the secret", word, other);
        CHECK(blob_alloc(&right, trial.output.size, &error) &&
                  outputs_find("matmul")->solve(&trial.input, &answer, &right, &error), "out of memory");
        CHECK(problem->check(&trial.input, &answer, &right, &finding) == CHECK_RIGHT, "%s",
              finding.detail);
        for (size_t way = 0;; way++) {
            memcpy(trial.output.data, right.data, right.size);
            if (!outputs_find("matmul")->spoil(&trial.input, &answer, &trial.output, way)) {
                CHECK(way >= 9, "%zu ways", way);
                break;
            }
            CHECK(problem->check(&trial.input, &answer, &trial.output, &finding) == CHECK_WRONG,
                  "%s: way %zu", trial.line, way);
        }
        blob_release(&answer);
        blob_release(&again);
        blob_release(&right);
        trial_release(&trial);
    }
}

/* Every kind of case has the property that its name promises. */
static void test_kinds(void)
{
    struct trial trial;
    size_t subnormal = 0, special = 0, nans = 0, infinities = 0;
    double sum, magnitude, most = 0;

    trial_init(&trial, MATMUL_CANCEL, 64, 64, 128, 1);
    for (size_t i = 0; i < 64; i++)
        for (size_t j = 0; j < 64; j++) {
            sum = magnitude = 0;
            for (size_t k = 0; k < 128; k++) {
                double term = (double)trial.pair.a[i * 128 + k] * (double)trial.pair.b[k * 64 + j];

                sum += term;
                magnitude += fabs(term);
            }
            most = fmax(most, fabs(sum) / magnitude);
        }
    CHECK(most < 1e-3, "cancel: |C| is up to %g of |A||B|", most);
    trial_release(&trial);
    trial_init(&trial, MATMUL_TINY, 64, 64, 32, 1);
    for (size_t e = 0; e < 64 * 64; e++)
        subnormal += fpclassify(((float *)trial.output.data)[e]) == FP_SUBNORMAL;
    CHECK(subnormal > 64 * 64 / 4, "tiny: %zu elements are subnormal", subnormal);
    trial_release(&trial);
    trial_init(&trial, MATMUL_SPECIAL, 200, 200, 200, 1);
    for (size_t e = 0; e < 200 * 200; e++) {
        float x = ((float *)trial.output.data)[e];

        nans += isnan(x);
        infinities += isinf(x) != 0;
        special += !isfinite(x);
    }
    CHECK(nans > 200 && infinities > 200 && special < 200 * 100, "special: %zu NaN, %zu infinities", nans, infinities);
    trial_release(&trial);
}

int main(void)
{
    test_products();
    test_right(false);
    test_right(true);
    test_spoiled(false);
    test_spoiled(true);
    test_edge_of_tolerance();
    test_combinations();
    test_large_case();
    test_kinds();
    return unit_end();
}
