/*
 * outputs.c - right vectors and wrong ones, for the tests of check(). It is not linked into the host.
 */
#include "problems/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "evolve.h"
#include "exact.h"
#include "parts.h"
#include "plain.h"

enum { ATTEMPTS = 20 };

/* Whether a vector is within the bounds, and the function at most the target there: what check() asks for. */
static bool reaches_target(const struct diffevo_problem *p, const float *data, const float *x)
{
    for (uint32_t j = 0; j < p->dimension; j++)
        if (!(x[j] >= p->low && x[j] <= p->high))
            return false;
    return diffevo_exact_value(p, data, x) <= p->target;
}

/* Reaches an open problem's target by the prescribed algorithm, after every failure with another seed. */
static bool solve_from(const struct blob *input, uint32_t k, uint32_t seed, float *x, struct error *error)
{
    struct diffevo_problem p = problems_of(input)[k];
    struct diffevo_result result;

    p.seed[0] += seed;
    p.target *= 0.9999f; /* floats have errors */
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!diffevo_evolve(diffevo_isa_best(), &p, data_of(input), &result, x))
            return error_toolkit(error, "out of memory for a solution");
        if (reaches_target(&problems_of(input)[k], data_of(input), x))
            return true;
        p.seed[0]++;
    }
    return error_toolkit(error, "problem %u does not reach its target: %g is left after %u generations", k, result.best,
                         result.generations);
}

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    if (!is_open(input)) {
        memcpy(output->data, answer->data, output->size);
        return true;
    }
    for (uint32_t k = 0; k < header_of(input)->count; k++)
        if (!solve_from(input, k, 0, x_of(input, output) + problems_of(input)[k].x, error))
            return false;
    return true;
}

static bool spoil_open(const struct blob *input, struct blob *output, size_t way)
{
    const struct diffevo_problem *p = problems_of(input), *last = &p[header_of(input)->count - 1];
    float *x = x_of(input, output) + p->x, *last_x = x_of(input, output) + last->x;

    switch (way) {
    case 0: x[0] = nextafterf(p->high, INFINITY); return true;
    case 1: x[0] = nextafterf(p->low, -INFINITY); return true;
    case 2: last_x[last->dimension - 1] = NAN; return true;
    case 3: x[0] = INFINITY; return true;
    case 4: /* far from the optimum */
        for (uint32_t j = 0; j < last->dimension; j++)
            last_x[j] = data_of(input)[last->shift + j] > 0 ? last->low : last->high;
        return true;
    case 5: memset(x, 0xff, p->dimension * sizeof *x); return true;
    }
    return false;
}

static bool spoil_prescribed(const struct blob *input, struct blob *output, size_t way)
{
    const struct diffevo_problem *p = problems_of(input);
    uint32_t last = header_of(input)->count - 1;
    struct diffevo_result *results = results_of(output);
    unsigned char *x = (unsigned char *)(x_of(input, output) + p->x);
    unsigned char *last_x = (unsigned char *)(x_of(input, output) + p[last].x + p[last].dimension - 1);

    switch (way) { /* floats are little-endian: byte 0 has the lowest bits of the fraction */
    case 0: *(unsigned char *)&results[0].best ^= 1; return true;
    case 1: x[0] ^= 1; return true;
    case 2: results[0].checksum ^= 1; return true;
    case 3: *(unsigned char *)&results[last].best ^= 1; return true;
    case 4: last_x[0] ^= 1; return true;
    case 5: last_x[3] ^= 0x80; return true;
    case 6: results[last].checksum ^= 1ull << 63; return true;
    case 7: results[last].index ^= 1; return true;
    case 8: results[last].generations++; return true;
    case 9: results[0].evaluations--; return true;
    case 10: results[0].best = NAN; return true;
    }
    return false;
}

static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    (void)answer;
    return is_open(input) ? spoil_open(input, output, way) : spoil_prescribed(input, output, way);
}

/* Open: whatever reaches all targets. Prescribed: nothing else. */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct diffevo_problem *p = problems_of(input);

    (void)answer;
    (void)right;
    for (uint32_t k = 0; is_open(input) && k < header_of(input)->count; k++)
        if (!reaches_target(&p[k], data_of(input), x_of(input, output) + p[k].x))
            return false;
    return is_open(input);
}

/* Prescribed: every version of the reference, and the plain one. Open: three searches from other seeds. */
static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct diffevo_problem *p = problems_of(input);
    struct error ignored;

    (void)answer;
    if (way >= (is_open(input) ? 3 : 1 + DIFFEVO_ISAS))
        return CHECK_NONE;
    for (uint32_t k = 0; k < header_of(input)->count; k++) {
        const enum diffevo_isa isa = way > 0 && diffevo_isa_present((enum diffevo_isa)(way - 1))
                                         ? (enum diffevo_isa)(way - 1)
                                         : DIFFEVO_PORTABLE;
        float *x = x_of(input, output) + p[k].x;
        bool ok;

        if (is_open(input))
            ok = solve_from(input, k, random_u32(stream), x, &ignored);
        else if (way == 0)
            ok = diffevo_plain(&p[k], data_of(input), &results_of(output)[k], x);
        else
            ok = diffevo_evolve(isa, &p[k], data_of(input), &results_of(output)[k], x);
        if (!ok)
            return CHECK_FAILED;
    }
    return CHECK_RIGHT;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    const bool open = random_below(stream, 3) == 0;
    const uint32_t function = random_below(stream, DIFFEVO_FUNCTIONS + 1), g = random_below(stream, 80);

    snprintf(text, size, "%s %u d=%u g=%u rotated=%u%s seed=%u",
             function < DIFFEVO_FUNCTIONS ? diffevo_function_names[function] : "mixed", 1 + random_below(stream, 3),
             2 + random_below(stream, 9), open ? 40 + g : g, random_below(stream, 2), open ? " mode=open" : "",
             random_u32(stream));
}

const struct outputs outputs_diffevo = { .solve = solve, .spoil = spoil, .also_right = also_right,
                                         .any_line = any_line, .honest = honest };
