/*
 * test_diffevo_evolve.c - every version of diffevo's reference gives the plain one's bytes, over random problems of
 * every kind; and single precision is near the double precision that judges the open mode.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/diffevo/cases.h"
#include "problems/diffevo/evolve.h"
#include "problems/diffevo/exact.h"
#include "problems/diffevo/plain.h"
#include "problems/problem.h"
#include "tests/unit/unit.h"

extern const struct problem problem_diffevo;

static bool make_input(const char *line, uint64_t seed, uint32_t repetition, struct blob *input)
{
    struct random_key key = { .seed = seed, .case_seed = 5, .repetition = repetition };
    struct arguments arguments;
    struct error error;

    if (arguments_parse(&arguments, line, &error) && diffevo_generate(&arguments, &key, input, &error))
        return true;
    CHECK(false, "%s: %s", line, error.text);
    return false;
}

static void check_problem(const struct diffevo_problem *p, const float *data)
{
    struct diffevo_result plain, fast;
    float plain_x[DIFFEVO_DIMENSION_MAX], fast_x[DIFFEVO_DIMENSION_MAX];
    size_t size = p->dimension * sizeof(float);
    double exact;

    CHECK(diffevo_plain(p, data, &plain, plain_x), "no memory");
    for (enum diffevo_isa isa = DIFFEVO_PORTABLE; isa < DIFFEVO_ISAS; isa++) {
        if (!diffevo_isa_present(isa))
            continue;
        CHECK(diffevo_evolve(isa, p, data, &fast, fast_x), "no memory");
        CHECK(memcmp(&plain, &fast, sizeof plain) == 0 && memcmp(plain_x, fast_x, size) == 0,
              "version %d: %s, D = %u, NP = %u: best %.9g, not %.9g", (int)isa, diffevo_function_names[p->function],
              p->dimension, p->population, fast.best, plain.best);
    }
    for (uint32_t j = 0; j < p->dimension; j++)
        CHECK(plain_x[j] >= p->low && plain_x[j] <= p->high, "x[%u] = %g is out of bounds", j, plain_x[j]);
    exact = diffevo_exact_value(p, data, plain_x);
    CHECK(fabs(plain.best - exact) <= 1e-4 * (1 + fabs(exact)), "%s, D = %u: %.9g in single precision, %.9g in double",
          diffevo_function_names[p->function], p->dimension, plain.best, exact);
}

static void check_line(const char *line, uint64_t seed)
{
    struct blob input = { 0 };
    const struct diffevo_input *header;

    if (!make_input(line, seed, 0, &input))
        return;
    header = (const struct diffevo_input *)input.data;
    for (uint32_t k = 0; k < header->count; k++)
        check_problem((const struct diffevo_problem *)(input.data + PROBLEMS_OFFSET) + k,
                      (const float *)(input.data + input_data_offset(header->count)));
    blob_release(&input);
}

/* The host allocates an output once per case: its size must not depend on seed or repetition. */
static void check_output_sizes(void)
{
    struct blob input = { 0 };
    size_t size;

    if (!make_input("mixed 50 d=20 rotated=1 mode=open g=2", 0, 0, &input))
        return;
    size = problem_diffevo.output_size(&input);
    for (uint32_t k = 1; k < 10 && make_input("mixed 50 d=20 rotated=1 mode=open g=2", k / 3, k, &input); k++)
        CHECK(problem_diffevo.output_size(&input) == size, "%zu bytes, then %zu", size,
              problem_diffevo.output_size(&input));
    blob_release(&input);
}

/* At the optimum all functions are 0, as far as their precision goes. */
static void check_optimum(void)
{
    float data[DIFFEVO_DIMENSION_MAX], best_x[DIFFEVO_DIMENSION_MAX];

    for (uint32_t j = 0; j < DIFFEVO_DIMENSION_MAX; j++)
        data[j] = best_x[j] = (float)j - 60.0f;
    for (uint32_t function = 0; function < DIFFEVO_FUNCTIONS; function++) {
        struct diffevo_problem p = { .function = function, .dimension = 30, .shifts = 1,
                                     .rotation = DIFFEVO_NO_ROTATION };
        double value = diffevo_exact_value(&p, data, best_x);

        CHECK(fabs(value) < 1e-10, "%s: %g at its optimum", diffevo_function_names[function], value);
    }
}

int main(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        check_line("mixed 300 d=12 g=6 rotated=1", seed);
        check_line("mixed 40 d=40 g=4 rotated=1", seed);
        check_line("mixed 20 d=10 g=10 rotated=1 mode=open", seed);
    }
    check_line("sphere 2 d=128 np=1280 g=2", 1);
    check_line("griewank 2 d=127 np=641 g=2 rotated=1", 1);
    check_line("schwefel 2 d=30 np=151 g=300 target=5e3", 1);
    check_output_sizes();
    check_optimum();
    return unit_end();
}
