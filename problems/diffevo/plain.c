/*
 * plain.c - the plain reference. See plain.h.
 *
 * Individuals are structures of their own, random numbers come from the toolkit's Philox, floats are read as the
 * statement writes them. Of the C library only functions are used whose results are exact. Compiled without FMA
 * instructions, so the compiler can contract nothing.
 */
#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "verify/base/random.h"

struct individual {
    float x[DIFFEVO_DIMENSION_MAX];
    float value;
};

static void random_block(const struct diffevo_problem *p, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                         uint32_t block[4])
{
    uint32_t counter[4] = { c0, c1, c2, c3 };

    philox4x32(counter, p->seed, block);
}

static uint32_t bits_of(float a)
{
    uint32_t bits;

    memcpy(&bits, &a, sizeof bits);
    return bits;
}

/* ------------------------------------------------------------------ elementary functions, by the statement's tables */

static float horner(const float *coefficients, int count, float s)
{
    float p = coefficients[0];

    for (int k = 1; k < count; k++)
        p = fmaf(p, s, coefficients[k]);
    return p;
}

static float sin_near_zero(float r)
{
    static const float c[] = { 0.0776559114f, -0.598290384f, 2.55007744f, -5.1677103f, 3.14159274f };

    return horner(c, 5, r * r) * r;
}

static float cos_near_zero(float r)
{
    static const float c[] = { -0.0246271119f, 0.235074371f, -1.33524001f, 4.05871153f, -4.93480206f, 1.0f };

    return horner(c, 6, r * r);
}

/* The whole number nearest to a * b, ties to even. That product of floats is exact in double. */
static float nearest(float a, float b) { return (float)nearbyint((double)a * b); }

static float signed_by(float a, float whole) { return (long)whole % 2 ? -a : a; }

static float sin_pi(float a)
{
    float n = nearest(a, 1.0f);

    return signed_by(sin_near_zero(a - n), n);
}

static float sine(float a)
{
    float n = nearest(a, 0.318309873f);

    return signed_by(sin_near_zero(fmaf(a, 1.28412765e-08f, fmaf(a, 0.318309873f, -n))), n);
}

static float cos_pi_of_product(float a, float b)
{
    float n = nearest(a, b);

    return signed_by(cos_near_zero(fmaf(a, b, -n)), n);
}

static float exp_minus_one(float a)
{
    static const float c[] = { 0.00139261817f, 0.008363178f, 0.0416665561f, 0.166665763f, 0.5f };
    float n, r, power;

    if (a < -80.0f)
        a = -80.0f;
    n = nearest(a, 1.44269502f);
    r = fmaf(n, 1.90465421e-09f, fmaf(n, -0.693147182f, a));
    power = ldexpf(1.0f, (int)n);
    return fmaf(power, fmaf(horner(c, 5, r), r * r, r), power - 1.0f);
}

/* ------------------------------------------------------------------ objective functions of z[D], the optimum at 0 */

static float sphere(const float *z, uint32_t dimension)
{
    float sum = 0;

    for (uint32_t j = 0; j < dimension; j++)
        sum = fmaf(z[j], z[j], sum);
    return sum;
}

static float rosenbrock(const float *z, uint32_t dimension)
{
    float sum = 0;

    for (uint32_t j = 0; j + 1 < dimension; j++) {
        float w = z[j] + 1.0f, t = fmaf(-w, w, z[j + 1] + 1.0f);

        sum = fmaf(100.0f * t, t, sum);
        sum = fmaf(z[j], z[j], sum);
    }
    return sum;
}

static float rastrigin(const float *z, uint32_t dimension)
{
    float sum = 0;

    for (uint32_t j = 0; j < dimension; j++) {
        float t = sin_pi(z[j]);

        sum = fmaf(20.0f * t, t, fmaf(z[j], z[j], sum));
    }
    return sum;
}

static float ackley(const float *z, uint32_t dimension)
{
    float squares = sphere(z, dimension), sines = 0;

    for (uint32_t j = 0; j < dimension; j++)
        sines = fmaf(sin_pi(z[j]), sin_pi(z[j]), sines);
    return fmaf(-20.0f, exp_minus_one(-0.2f * sqrtf(squares / (float)dimension)),
                -2.71828175f * exp_minus_one(-2.0f * (sines / (float)dimension)));
}

static float griewank(const float *z, uint32_t dimension)
{
    float rest = 0;

    for (uint32_t j = 0; j < dimension; j++) {
        float t = cos_pi_of_product(z[j], 0.318309873f / sqrtf((float)(j + 1)));

        rest = fmaf(rest, t, 1.0f - t);
    }
    return fmaf(sphere(z, dimension), 2.5e-4f, rest);
}

static float schwefel(const float *z, uint32_t dimension)
{
    float sum = 0;

    for (uint32_t j = 0; j < dimension; j++) {
        float w = z[j] + 420.968746f, inside = fminf(fmaxf(w, -500.0f), 500.0f), outside = w - inside;

        sum = sum + fmaf(-inside, sine(sqrtf(fabsf(inside))), 418.982887f);
        sum = fmaf(0.01f * outside, outside, sum);
    }
    return sum;
}

static float value_at(const struct diffevo_problem *p, const float *data, const float *shift, const float *x)
{
    static float (*const functions[DIFFEVO_FUNCTIONS])(const float *, uint32_t) = {
        [DIFFEVO_SPHERE] = sphere, [DIFFEVO_ROSENBROCK] = rosenbrock, [DIFFEVO_RASTRIGIN] = rastrigin,
        [DIFFEVO_ACKLEY] = ackley, [DIFFEVO_GRIEWANK] = griewank,     [DIFFEVO_SCHWEFEL] = schwefel,
    };
    float y[DIFFEVO_DIMENSION_MAX], z[DIFFEVO_DIMENSION_MAX];

    for (uint32_t j = 0; j < p->dimension; j++)
        y[j] = x[j] - shift[j];
    if (p->rotation == DIFFEVO_NO_ROTATION)
        return functions[p->function](y, p->dimension);
    for (uint32_t row = 0; row < p->dimension; row++) {
        z[row] = 0;
        for (uint32_t j = 0; j < p->dimension; j++)
            z[row] = fmaf(data[p->rotation + row * p->dimension + j], y[j], z[row]);
    }
    return functions[p->function](z, p->dimension);
}

static float value_of(const struct diffevo_problem *p, const float *data, const float *x)
{
    const float *shift = data + p->shift;

    if (p->shifts == 1)
        return value_at(p, data, shift, x);
    return value_at(p, data, shift, x) + value_at(p, data, shift + p->dimension, x);
}

/* ------------------------------------------------------------------ differential evolution */

static float within(const struct diffevo_problem *p, float a) { return fminf(fmaxf(a, p->low), p->high); }

static void make_initial(const struct diffevo_problem *p, const float *data, struct individual *one, uint32_t i)
{
    for (uint32_t j = 0; j < p->dimension; j++) {
        uint32_t block[4];

        random_block(p, j / 4, i, 0, 0, block);
        one->x[j] = within(p, fmaf((float)(block[j % 4] >> 8) / 16777216.0f, p->high - p->low, p->low));
    }
    one->value = value_of(p, data, one->x);
}

/* The `rank`-th, from 0, of the individuals that are not in taken[count]. */
static uint32_t free_individual(uint32_t rank, const uint32_t *taken, int count)
{
    for (uint32_t i = 0;; i++) {
        int is_taken = 0;

        for (int k = 0; k < count; k++)
            is_taken |= taken[k] == i;
        if (!is_taken && rank-- == 0)
            return i;
    }
}

static void make_next(const struct diffevo_problem *p, const float *data, const struct individual *all, uint32_t i,
                      uint32_t generation, struct individual *next)
{
    uint32_t block[4], taken[4] = { i }, always;

    random_block(p, 0, i, generation, 1, block);
    for (int k = 0; k < 3; k++)
        taken[k + 1] = free_individual((uint32_t)((uint64_t)block[k] * (p->population - 1 - (uint32_t)k) >> 32), taken,
                                       k + 1);
    always = (uint32_t)((uint64_t)block[3] * p->dimension >> 32);
    for (uint32_t j = 0; j < p->dimension; j++) {
        uint32_t bits;

        random_block(p, j / 8, i, generation, 2, block);
        bits = block[j / 2 % 4];
        bits = j % 2 == 0 ? bits % 65536 : bits / 65536;
        next->x[j] = all[i].x[j];
        if (bits < p->crossover || j == always)
            next->x[j] = within(p, fmaf(p->weight, all[taken[2]].x[j] - all[taken[3]].x[j], all[taken[1]].x[j]));
    }
    next->value = value_of(p, data, next->x);
    if (!(next->value <= all[i].value))
        *next = all[i];
}

static const struct individual *best_of(const struct individual *all, uint32_t population)
{
    const struct individual *best = all;

    for (uint32_t i = 1; i < population; i++)
        if (all[i].value < best->value)
            best = &all[i];
    return best;
}

static uint64_t mixed(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ull;
    h ^= h >> 33;
    return h;
}

/* Individuals one after another, each with its value behind its coordinates: words numbered from 1. */
static uint64_t checksum_of(const struct individual *all, uint32_t population, uint32_t dimension)
{
    uint64_t sum = 0, number = 0;

    for (uint32_t i = 0; i < population; i++)
        for (uint32_t j = 0; j <= dimension; j++)
            sum += mixed(++number << 32 | bits_of(j < dimension ? all[i].x[j] : all[i].value));
    return sum;
}

bool diffevo_plain(const struct diffevo_problem *p, const float *data, struct diffevo_result *result, float *best_x)
{
    struct individual *all = calloc(2 * (size_t)p->population, sizeof *all), *memory = all;
    struct individual *next = all + p->population, *spare;
    const struct individual *best;
    uint32_t generation = 0;

    if (!memory)
        return false;
    for (uint32_t i = 0; i < p->population; i++)
        make_initial(p, data, &all[i], i);
    best = best_of(all, p->population);
    while (generation < p->generations && !(best->value <= p->target)) {
        generation++;
        for (uint32_t i = 0; i < p->population; i++)
            make_next(p, data, all, i, generation, &next[i]);
        spare = all;
        all = next;
        next = spare;
        best = best_of(all, p->population);
    }
    *result = (struct diffevo_result){
        .checksum = checksum_of(all, p->population, p->dimension),
        .best = best->value,
        .index = (uint32_t)(best - all),
        .generations = generation,
        .evaluations = p->population * (generation + 1),
    };
    memcpy(best_x, best->x, p->dimension * sizeof *best_x);
    free(memory);
    return true;
}
