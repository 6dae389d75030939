/*
 * Wrong: takes sine, cosine and exponential from the C library. They are nearer to the truth than the prescribed ones,
 * and differ from them in the last bits. Right for the sphere and Rosenbrock's function only.
 *
 * fails in: sample/prescribed/2-mixed, secret/prescribed/07-smallest
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffevo.h"

static struct de_sum sum_add(int function, struct de_sum s, uint32_t j, float z)
{
    const float pi = 3.14159274f;
    float t;

    if (function == DIFFEVO_RASTRIGIN || function == DIFFEVO_ACKLEY)
        t = sinf(pi * z);
    if (function == DIFFEVO_RASTRIGIN) {
        s.a = fmaf(20.0f * t, t, fmaf(z, z, s.a));
    } else if (function == DIFFEVO_ACKLEY) {
        s.a = fmaf(z, z, s.a);
        s.b = fmaf(t, t, s.b);
    } else if (function == DIFFEVO_GRIEWANK) {
        t = cosf(z / sqrtf((float)(j + 1)));
        s.a = fmaf(z, z, s.a);
        s.b = fmaf(s.b, t, 1.0f - t);
    } else if (function == DIFFEVO_SCHWEFEL) {
        float w = fminf(fmaxf(z + 420.968746f, -500.0f), 500.0f), e = z + 420.968746f - w;

        s.a = s.a + fmaf(-w, sinf(sqrtf(fabsf(w))), 418.982887f);
        s.a = fmaf(0.01f * e, e, s.a);
    } else {
        return de_sum_add(function, s, j, z, 0);
    }
    return s;
}

static float sum_end(int function, struct de_sum s, uint32_t dimension)
{
    if (function == DIFFEVO_ACKLEY)
        return -20.0f * expm1f(-0.2f * sqrtf(s.a / (float)dimension)) -
               2.71828175f * expm1f(-2.0f * s.b / (float)dimension);
    return de_sum_end(function, s, dimension);
}

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
        sum = sum_add((int)p->function, sum, j, z);
    }
    return sum_end((int)p->function, sum, p->dimension);
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

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    (void)mode;
    for (const struct diffevo_problem *p = problems; p < problems + count; p++) {
        size_t size = (size_t)p->population * p->dimension;
        float *now = floats(size), *next = floats(size), *value = floats(p->population), *spare;
        uint32_t generation = 0;

        make_initial(p, data, now, value);
        while (generation < p->generations && !(value[best_of(value, p->population)] <= p->target)) {
            make_generation(p, data, ++generation, now, next, value);
            spare = now;
            now = next;
            next = spare;
        }
        results[p - problems] = finish(p, generation, now, value, best_x + p->x);
        free(now);
        free(next);
        free(value);
    }
}
