/*
 * Fails: tables for at most 100 individuals of 32 coordinates, and an assertion that this is enough.
 *
 * fails in: sample/prescribed/3-wider, secret/prescribed/01-sphere
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "diffevo.h"

static float evaluate(const struct diffevo_problem *p, const float *data, const float *x)
{
    struct de_sum sum = de_sum_start();

    for (uint32_t j = 0; j < p->dimension; j++) {
        float z = 0;

        if (p->rotation == DIFFEVO_NO_ROTATION)
            z = de_sub(x[j], data[p->shift + j]);
        else
            for (uint32_t k = 0; k < p->dimension; k++)
                z = de_rotate(z, data[p->rotation + j * p->dimension + k], de_sub(x[k], data[p->shift + k]));
        sum = de_sum_add((int)p->function, sum, j, z, de_griewank_factor(j));
    }
    return de_sum_end((int)p->function, sum, p->dimension);
}

static void make_initial(const struct diffevo_problem *p, const float *data, float *x, float *value)
{
    for (uint32_t i = 0; i < p->population; i++) {
        for (uint32_t j = 0; j < p->dimension; j++)
            x[i * p->dimension + j] = de_initial(de_initial_words(p, i, j / 4).w[j % 4], p->low, p->high);
        value[i] = evaluate(p, data, x + i * p->dimension);
    }
}

static void make_trial(const struct diffevo_problem *p, const float *x, uint32_t i, uint32_t generation, float *trial)
{
    uint32_t d = p->dimension;
    struct de_choice c = de_choose(de_choice_words(p, generation, i), i, p->population, d);

    for (uint32_t j = 0; j < d; j++) {
        uint32_t bits = de_crossover_bits(de_crossover_words(p, generation, i, j / 8), j);

        trial[j] = bits < p->crossover || j == c.j
                       ? de_mutant(x[c.r1 * d + j], x[c.r2 * d + j], x[c.r3 * d + j], p->weight, p->low, p->high)
                       : x[i * d + j];
    }
}

/* One generation: now is left alone, next is made of it. */
static void make_generation(const struct diffevo_problem *p, const float *data, uint32_t generation, const float *now,
                            float *next, float *value)
{
    for (uint32_t i = 0; i < p->population; i++) {
        float *trial = next + i * p->dimension, trial_value;

        make_trial(p, now, i, generation, trial);
        trial_value = evaluate(p, data, trial);
        if (trial_value <= value[i])
            value[i] = trial_value;
        else
            memcpy(trial, now + i * p->dimension, p->dimension * sizeof *trial);
    }
}

static uint32_t best_of(const float *value, uint32_t population)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < population; i++)
        if (value[i] < value[best])
            best = i;
    return best;
}

static struct diffevo_result finish(const struct diffevo_problem *p, uint32_t generations, const float *x,
                                    const float *value, float *best_x)
{
    uint32_t d = p->dimension, best = best_of(value, p->population);
    struct diffevo_result result = { 0, value[best], best, generations, p->population * (generations + 1) };

    for (uint32_t i = 0; i < p->population; i++) {
        for (uint32_t j = 0; j < d; j++)
            result.checksum += de_checksum(i, j, d, x[i * d + j]);
        result.checksum += de_checksum(i, d, d, value[i]);
    }
    memcpy(best_x, x + best * d, d * sizeof *x);
    return result;
}

enum { INDIVIDUALS = 100, DIMENSIONS = 32 };

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    (void)mode;
    for (const struct diffevo_problem *p = problems; p < problems + count; p++) {
        static float tables[2][INDIVIDUALS * DIMENSIONS], value[INDIVIDUALS];
        float *now = tables[0], *next = tables[1], *spare;
        uint32_t generation = 0;

        assert(p->population <= INDIVIDUALS && p->dimension <= DIMENSIONS);
        make_initial(p, data, now, value);
        while (generation < p->generations && !(value[best_of(value, p->population)] <= p->target)) {
            make_generation(p, data, ++generation, now, next, value);
            spare = now;
            now = next;
            next = spare;
        }
        results[p - problems] = finish(p, generation, now, value, best_x + p->x);
    }
}
