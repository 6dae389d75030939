/*
 * league: open
 *
 * Wrong: forgets the bounds. The search leaves them, and where the optimum without bounds lies outside it comes back
 * with a vector that is better than what was asked for, and not allowed.
 *
 * fails in: secret/open/01-sphere
 */
#include <stdlib.h>
#include <string.h>

#include "diffevo.h"

enum { GENERATIONS = 3000 };

static float *floats(size_t count)
{
    float *memory = malloc(count * sizeof *memory);

    if (!memory)
        exit(1);
    return memory;
}

static float evaluate(const struct diffevo_problem *p, const float *data, const float *x)
{
    float value = 0;

    for (uint32_t s = 0; s < p->shifts; s++) {
        const float *shift = data + p->shift + s * p->dimension;
        struct de_sum sum = de_sum_start();

        for (uint32_t j = 0; j < p->dimension; j++)
            sum = de_sum_add((int)p->function, sum, j, x[j] - shift[j], de_griewank_factor(j));
        value += de_sum_end((int)p->function, sum, p->dimension);
    }
    return value;
}

static void search(const struct diffevo_problem *p, const float *data, float *x, float *value, float *best_x)
{
    uint32_t d = p->dimension, best = 0;
    float trial[128], trial_value;

    for (uint32_t i = 0; i < p->population; i++) {
        for (uint32_t j = 0; j < d; j++)
            x[i * d + j] = de_initial(de_initial_words(p, i, j / 4).w[j % 4], p->low, p->high);
        value[i] = evaluate(p, data, x + i * d);
    }
    for (uint32_t generation = 1; generation <= GENERATIONS; generation++) {
        for (uint32_t i = 0; i < p->population; i++) {
            struct de_choice c = de_choose(de_choice_words(p, generation, i), i, p->population, d);

            for (uint32_t j = 0; j < d; j++) {
                uint32_t bits = de_crossover_bits(de_crossover_words(p, generation, i, j / 8), j);

                trial[j] = bits < p->crossover || j == c.j /* and nothing moves it to the bounds */
                               ? de_fma(p->weight, x[c.r2 * d + j] - x[c.r3 * d + j], x[c.r1 * d + j])
                               : x[i * d + j];
            }
            trial_value = evaluate(p, data, trial);
            if (trial_value <= value[i]) {
                value[i] = trial_value;
                memcpy(x + i * d, trial, d * sizeof *x);
            }
        }
    }
    for (uint32_t i = 1; i < p->population; i++)
        best = value[i] < value[best] ? i : best;
    memcpy(best_x, x + best * d, d * sizeof *x);
}

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    (void)mode;
    (void)results;
    for (const struct diffevo_problem *p = problems; p < problems + count; p++) {
        float *x = floats((size_t)p->population * p->dimension), *value = floats(p->population);

        search(p, data, x, value, best_x + p->x);
        free(x);
        free(value);
    }
}
