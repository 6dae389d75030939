/*
 * Wrong: carries out the first 1024 problems of a call only, as a grid of one thread for each problem does if its size
 * is a constant.
 *
 * fails in: secret/prescribed/22-most
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diffevo.h"

enum { DIMENSIONS = 128, STARTS = 20, THREADS = 1024 };

struct population {
    float *x;     /* [NP][D] */
    float *value; /* [NP] */
};

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fputs("device_user: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* `function` is p->function: a constant where this is called, so that the compiler makes a version of each. */
static inline __attribute__((always_inline)) float sum_up(int function, const struct diffevo_problem *p,
                                                          const float *data, const float *shift,
                                                          const float *factor, const float *x)
{
    uint32_t dimension = p->dimension;
    struct de_sum sum = de_sum_start();
    float y[DIMENSIONS];

    for (uint32_t j = 0; j < dimension; j++)
        y[j] = de_sub(x[j], shift[j]);
    for (uint32_t j = 0; j < dimension; j++) {
        float z = 0;

        if (p->rotation == DIFFEVO_NO_ROTATION)
            z = y[j];
        else
            for (uint32_t k = 0; k < dimension; k++)
                z = de_rotate(z, data[p->rotation + j * dimension + k], y[k]);
        sum = de_sum_add(function, sum, j, z, factor[j]);
    }
    return de_sum_end(function, sum, dimension);
}

static float evaluate_shifted(const struct diffevo_problem *p, const float *data, const float *shift,
                              const float *factor, const float *x)
{
    switch (p->function) {
    case DIFFEVO_SPHERE: return sum_up(DIFFEVO_SPHERE, p, data, shift, factor, x);
    case DIFFEVO_ROSENBROCK: return sum_up(DIFFEVO_ROSENBROCK, p, data, shift, factor, x);
    case DIFFEVO_RASTRIGIN: return sum_up(DIFFEVO_RASTRIGIN, p, data, shift, factor, x);
    case DIFFEVO_ACKLEY: return sum_up(DIFFEVO_ACKLEY, p, data, shift, factor, x);
    case DIFFEVO_GRIEWANK: return sum_up(DIFFEVO_GRIEWANK, p, data, shift, factor, x);
    default: return sum_up(DIFFEVO_SCHWEFEL, p, data, shift, factor, x);
    }
}

static float evaluate(const struct diffevo_problem *p, const float *data, const float *factor, const float *x)
{
    const float *shift = data + p->shift;
    float value = evaluate_shifted(p, data, shift, factor, x);

    if (p->shifts == 2)
        value = de_add(value, evaluate_shifted(p, data, shift + p->dimension, factor, x));
    return value;
}

/* The trial that stands against individual i in that generation. */
static void make_trial(const struct diffevo_problem *p, const float *x, uint32_t i, uint32_t generation, float *trial)
{
    uint32_t dimension = p->dimension;
    struct de_words words = de_choice_words(p, generation, i);
    struct de_choice c = de_choose(words, i, p->population, dimension);
    const float *x1 = x + c.r1 * dimension, *x2 = x + c.r2 * dimension, *x3 = x + c.r3 * dimension;

    for (uint32_t j = 0; j < dimension; j++) {
        if (j % 8 == 0)
            words = de_crossover_words(p, generation, i, j / 8);
        trial[j] = de_crossover_bits(words, j) < p->crossover || j == c.j
                       ? de_mutant(x1[j], x2[j], x3[j], p->weight, p->low, p->high)
                       : x[i * dimension + j];
    }
}

static uint32_t best_of(const struct population *now, uint32_t population)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < population; i++)
        if (now->value[i] < now->value[best])
            best = i;
    return best;
}

/* Carries one problem out. next and now have room for its population. */
static struct diffevo_result evolve(const struct diffevo_problem *p, const float *data, struct population now,
                                    struct population next, float *best_x)
{
    uint32_t dimension = p->dimension, population = p->population, generation = 0, best;
    float factor[DIMENSIONS];
    struct diffevo_result result = { .checksum = 0 };

    for (uint32_t j = 0; j < dimension; j++)
        factor[j] = de_griewank_factor(j);
    for (uint32_t i = 0; i < population; i++) {
        float *x = now.x + i * dimension;

        for (uint32_t j = 0; j < dimension; j++)
            x[j] = de_initial(de_initial_words(p, i, j / 4).w[j % 4], p->low, p->high);
        now.value[i] = evaluate(p, data, factor, x);
    }
    best = best_of(&now, population);
    while (generation < p->generations && !(now.value[best] <= p->target)) {
        struct population spare = now;

        generation++;
        for (uint32_t i = 0; i < population; i++) {
            float *x = next.x + i * dimension;

            make_trial(p, now.x, i, generation, x);
            next.value[i] = evaluate(p, data, factor, x);
            if (!(next.value[i] <= now.value[i])) {
                memcpy(x, now.x + i * dimension, dimension * sizeof *x);
                next.value[i] = now.value[i];
            }
        }
        now = next;
        next = spare;
        best = best_of(&now, population);
    }
    for (uint32_t i = 0; i < population; i++) {
        for (uint32_t j = 0; j < dimension; j++)
            result.checksum += de_checksum(i, j, dimension, now.x[i * dimension + j]);
        result.checksum += de_checksum(i, dimension, dimension, now.value[i]);
    }
    result.best = now.value[best];
    result.index = best;
    result.generations = generation;
    result.evaluations = population * (generation + 1);
    memcpy(best_x, now.x + best * dimension, dimension * sizeof *best_x);
    return result;
}

/* The judge computes in double precision: aim a little lower than asked for. */
static void reach_target(struct diffevo_problem p, const float *data, struct population now, struct population next,
                         float *best_x)
{
    p.target = 0.9999f * p.target;
    for (int start = 0; start < STARTS; start++) {
        if (evolve(&p, data, now, next, best_x).best <= p.target)
            return;
        p.seed[0]++;
    }
}

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    struct population now, next;
    size_t numbers = 0, individuals = 0; /* of the largest population */

    for (int k = 0; k < count; k++) {
        size_t size = (size_t)problems[k].population * problems[k].dimension;

        numbers = size > numbers ? size : numbers;
        individuals = problems[k].population > individuals ? problems[k].population : individuals;
    }
    now.x = allocate(numbers * sizeof(float));
    next.x = allocate(numbers * sizeof(float));
    now.value = allocate(individuals * sizeof(float));
    next.value = allocate(individuals * sizeof(float));
    for (int k = 0; k < count && k < THREADS; k++) {
        if (mode == DIFFEVO_OPEN)
            reach_target(problems[k], data, now, next, best_x + problems[k].x);
        else
            results[k] = evolve(&problems[k], data, now, next, best_x + problems[k].x);
    }
    free(now.x);
    free(next.x);
    free(now.value);
    free(next.value);
}
