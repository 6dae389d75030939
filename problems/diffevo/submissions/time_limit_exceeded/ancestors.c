/*
 * Too slow: keeps no population. An individual is made anew from its four ancestors of the generation before whenever
 * it is needed, and so are they: the work grows as 4 to the power of the generation.
 *
 * fails in: secret/prescribed/01-sphere
 */
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

static uint32_t best_of(const float *value, uint32_t population)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < population; i++)
        if (value[i] < value[best])
            best = i;
    return best;
}

/* Individual i of that generation, and its value. */
static float individual(const struct diffevo_problem *p, const float *data, uint32_t i, uint32_t generation, float *x)
{
    float own[128], x1[128], x2[128], x3[128], value, trial_value;
    struct de_choice c;

    if (generation == 0) {
        for (uint32_t j = 0; j < p->dimension; j++)
            x[j] = de_initial(de_initial_words(p, i, j / 4).w[j % 4], p->low, p->high);
        return evaluate(p, data, x);
    }
    c = de_choose(de_choice_words(p, generation, i), i, p->population, p->dimension);
    value = individual(p, data, i, generation - 1, own);
    individual(p, data, c.r1, generation - 1, x1);
    individual(p, data, c.r2, generation - 1, x2);
    individual(p, data, c.r3, generation - 1, x3);
    for (uint32_t j = 0; j < p->dimension; j++) {
        uint32_t bits = de_crossover_bits(de_crossover_words(p, generation, i, j / 8), j);

        x[j] = bits < p->crossover || j == c.j ? de_mutant(x1[j], x2[j], x3[j], p->weight, p->low, p->high) : own[j];
    }
    trial_value = evaluate(p, data, x);
    if (trial_value <= value)
        return trial_value;
    memcpy(x, own, p->dimension * sizeof *x);
    return value;
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
        static float x[1280 * 128], value[1280];
        uint32_t generation = 0;

        for (;; generation++) {
            for (uint32_t i = 0; i < p->population; i++)
                value[i] = individual(p, data, i, generation, x + i * p->dimension);
            if (generation == p->generations || value[best_of(value, p->population)] <= p->target)
                break;
        }
        results[p - problems] = finish(p, generation, x, value, best_x + p->x);
    }
}
