/*
 * Wrong: a trial that wins enters the population at once. So later individuals of the same generation are made from it.
 * Many textbooks do this, but it is another algorithm.
 */
#include <stdlib.h>
#include <string.h>

#include "diffevo.h"

static float *floats(size_t count)
{
    float *memory = malloc(count * sizeof *memory);

    if (!memory)
        exit(1);
    return memory;
}

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

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    (void)mode;
    for (const struct diffevo_problem *p = problems; p < problems + count; p++) {
        float *x = floats((size_t)p->population * p->dimension), *value = floats(p->population), trial[128];
        uint32_t generation = 0;

        make_initial(p, data, x, value);
        while (generation < p->generations && !(value[best_of(value, p->population)] <= p->target)) {
            generation++;
            for (uint32_t i = 0; i < p->population; i++) {
                float trial_value;

                make_trial(p, x, i, generation, trial);
                trial_value = evaluate(p, data, trial);
                if (trial_value <= value[i]) { /* should wait until the generation is complete */
                    value[i] = trial_value;
                    memcpy(x + i * p->dimension, trial, p->dimension * sizeof *x);
                }
            }
        }
        results[p - problems] = finish(p, generation, x, value, best_x + p->x);
        free(x);
        free(value);
    }
}
