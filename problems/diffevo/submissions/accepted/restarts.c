/*
 * league: open
 *
 * Any algorithm will do there, so this one takes what the prescribed one leaves: random numbers of its own, winners
 * that take their place at once, mutants that start from the best or from a random individual in turn, F drawn anew for
 * each, and a CR that changes from start to start. A start that has not improved for a while is given up.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

enum { DIMENSIONS = 128, INDIVIDUALS = 1280, STARTS = 200, PATIENCE = 100 };

struct search {
    const struct diffevo_problem *p;
    const float *data;
    float x[INDIVIDUALS][DIMENSIONS];
    double value[INDIVIDUALS];
    uint32_t best;   /* the individual with the least value */
    uint64_t random; /* the state of the generator, not 0 */
};

/* xorshift64* (Vigna, ACM TOMS 42, 2016): a number in [0, 1). */
static double uniform(struct search *s)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return (double)(s->random * 0x2545f4914f6cdd1dull >> 11) * 0x1p-53;
}

static uint32_t below(struct search *s, uint32_t bound) { return (uint32_t)(uniform(s) * bound); }

static double function_of(uint32_t function, const double *z, uint32_t d)
{
    double sum = 0, other = function == DIFFEVO_GRIEWANK ? 1 : 0;

    for (uint32_t j = 0; j < d; j++) {
        double w = z[j] + 420.9687462275036, inside = fmin(fmax(w, -500), 500);

        switch (function) {
        case DIFFEVO_ROSENBROCK:
            if (j + 1 < d) {
                double t = z[j + 1] + 1 - (z[j] + 1) * (z[j] + 1);

                sum += 100 * t * t + z[j] * z[j];
            }
            break;
        case DIFFEVO_RASTRIGIN: sum += z[j] * z[j] + 10 - 10 * cos(2 * M_PI * z[j]); break;
        case DIFFEVO_ACKLEY: other += cos(2 * M_PI * z[j]); /* fall through */
        case DIFFEVO_SPHERE: sum += z[j] * z[j]; break;
        case DIFFEVO_GRIEWANK: sum += z[j] * z[j], other *= cos(z[j] / sqrt(j + 1.0)); break;
        default: sum += 418.9828872724338 - inside * sin(sqrt(fabs(inside))) + (w - inside) * (w - inside) / 100;
        }
    }
    if (function == DIFFEVO_ACKLEY)
        return -20 * exp(-0.2 * sqrt(sum / d)) - exp(other / d) + 20 + M_E;
    return function == DIFFEVO_GRIEWANK ? sum / 4000 - other + 1 : sum;
}

static double evaluate(const struct search *s, const float *x)
{
    uint32_t d = s->p->dimension;
    double sum = 0, z[DIMENSIONS];

    for (uint32_t copy = 0; copy < s->p->shifts; copy++) {
        const float *shift = s->data + s->p->shift + copy * d;

        for (uint32_t row = 0; row < d; row++) {
            const float *entries = s->data + s->p->rotation + (size_t)row * d;

            z[row] = s->p->rotation == DIFFEVO_NO_ROTATION ? (double)x[row] - shift[row] : 0;
            if (s->p->rotation != DIFFEVO_NO_ROTATION)
                for (uint32_t j = 0; j < d; j++)
                    z[row] += (double)entries[j] * ((double)x[j] - shift[j]);
        }
        sum += function_of(s->p->function, z, d);
    }
    return sum;
}

static void take(struct search *s, uint32_t i, const float *x, double value)
{
    memcpy(s->x[i], x, s->p->dimension * sizeof *x);
    s->value[i] = value;
    if (value < s->value[s->best])
        s->best = i;
}

static void make_trial(struct search *s, uint32_t i, double crossover, float *trial)
{
    const struct diffevo_problem *p = s->p;
    uint32_t r1 = below(s, p->population), r2 = below(s, p->population), always = below(s, p->dimension);
    uint32_t base = uniform(s) < 0.3 ? s->best : below(s, p->population);
    float weight = (float)(0.4 + 0.5 * uniform(s));

    for (uint32_t j = 0; j < p->dimension; j++) {
        float mutant = s->x[base][j] + weight * (s->x[r1][j] - s->x[r2][j]);

        if (mutant < p->low || mutant > p->high) /* between the base and the bound */
            mutant = 0.5f * (s->x[base][j] + (mutant < p->low ? p->low : p->high));
        trial[j] = uniform(s) < crossover || j == always ? mutant : s->x[i][j];
    }
}

/* Whether the target was reached. */
static int start(struct search *s, double crossover)
{
    const struct diffevo_problem *p = s->p;
    float trial[DIMENSIONS];
    double last = INFINITY;

    s->best = 0;
    s->value[0] = INFINITY;
    for (uint32_t i = 0; i < p->population; i++) {
        for (uint32_t j = 0; j < p->dimension; j++)
            trial[j] = p->low + (float)uniform(s) * (p->high - p->low);
        take(s, i, trial, evaluate(s, trial));
    }
    for (uint32_t generation = 0; s->value[s->best] > p->target; generation++) {
        if (generation % PATIENCE == 0) {
            if (!(s->value[s->best] < last))
                return 0;
            last = s->value[s->best];
        }
        for (uint32_t i = 0; i < p->population; i++) {
            double value;

            make_trial(s, i, crossover, trial);
            value = evaluate(s, trial);
            if (value <= s->value[i])
                take(s, i, trial, value);
        }
    }
    return 1;
}

void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    static const double crossovers[] = { 0.9, 0.1, 0.5 };
    struct search *s = malloc(sizeof *s);

    (void)results;
    if (!s || mode != DIFFEVO_OPEN) {
        fputs("device_user: out of memory, or not the open mode\n", stderr);
        exit(1);
    }
    for (int k = 0; k < count; k++) {
        s->p = &problems[k];
        s->data = data;
        s->random = ((uint64_t)problems[k].seed[0] << 32 | problems[k].seed[1]) | 1;
        for (int n = 0; n < STARTS && !start(s, crossovers[n % 3]); n++)
            ;
        memcpy(best_x + problems[k].x, s->x[s->best], problems[k].dimension * sizeof(float));
    }
    free(s);
}
