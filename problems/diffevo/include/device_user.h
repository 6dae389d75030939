/*
 * device_user.h - what a participant writes for the problem diffevo. The arithmetic is in diffevo.h.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The objective functions, in struct diffevo_problem's `function`. */
enum {
    DIFFEVO_SPHERE,
    DIFFEVO_ROSENBROCK,
    DIFFEVO_RASTRIGIN,
    DIFFEVO_ACKLEY,
    DIFFEVO_GRIEWANK,
    DIFFEVO_SCHWEFEL,
    DIFFEVO_FUNCTIONS
};

/* What is asked for. */
enum {
    DIFFEVO_PRESCRIBED, /* the population that the prescribed algorithm ends with, bit for bit */
    DIFFEVO_OPEN        /* for every problem a vector at which the function is at most the target, found in any way */
};

/* Limits. */
enum {
    DIFFEVO_COUNT_MAX = 65536, /* optimisations of a call */
    DIFFEVO_DIMENSION_MIN = 2,
    DIFFEVO_DIMENSION_MAX = 128,
    DIFFEVO_POPULATION_MIN = 5,  /* times D */
    DIFFEVO_POPULATION_MAX = 10, /* times D */
    DIFFEVO_GENERATIONS_MAX = 100000,
    DIFFEVO_CROSSOVER_ONE = 65536, /* CR = 1 */
    DIFFEVO_DATA_MAX = 1 << 24,    /* floats */
};
#define DIFFEVO_WEIGHT_MIN 0
#define DIFFEVO_WEIGHT_MAX 2

/* In `rotation`: the function is not rotated. */
#define DIFFEVO_NO_ROTATION 0xffffffffu

/* One optimisation. */
struct diffevo_problem {
    uint32_t function;    /* DIFFEVO_SPHERE ... DIFFEVO_SCHWEFEL */
    uint32_t dimension;   /* D, DIFFEVO_DIMENSION_MIN to DIFFEVO_DIMENSION_MAX */
    uint32_t population;  /* NP, individuals: DIFFEVO_POPULATION_MIN D to DIFFEVO_POPULATION_MAX D */
    uint32_t generations; /* the most that are made, from 0 to DIFFEVO_GENERATIONS_MAX */
    uint32_t crossover;   /* CR times DIFFEVO_CROSSOVER_ONE */
    uint32_t seed[2];     /* the key of its random numbers */
    uint32_t shifts;      /* 1 in the prescribed mode, 2 in the open one: the value is the sum over the shifts */
    uint32_t shift;       /* data[shift ... shift + D) is where the optimum is moved to; a second shift follows it */
    uint32_t rotation;    /* data[rotation ... rotation + D * D) is the rotation, row by row; or DIFFEVO_NO_ROTATION */
    uint32_t x;           /* where its vector goes: best_x[x ... x + D) */
    float weight;         /* F, from DIFFEVO_WEIGHT_MIN to DIFFEVO_WEIGHT_MAX */
    float low, high;      /* the bounds of every coordinate, low < 0 < high */
    float target;         /* prescribed: ends early when a value is at most this; open: what is to be reached */
};

/* The result of one optimisation. */
struct diffevo_result {
    uint64_t checksum;    /* of the last population: de_checksum() of every word, summed up */
    float best;           /* the least value in it */
    uint32_t index;       /* the individual that has it, the first if several have */
    uint32_t generations; /* that were made after the initial population */
    uint32_t evaluations; /* population * (generations + 1) */
};

/*
 * Runs `count` optimisations, 1 to DIFFEVO_COUNT_MAX, all independent of each other.
 *
 *   mode       DIFFEVO_PRESCRIBED or DIFFEVO_OPEN, for all of them
 *   problems   [count]
 *   data       shifts and rotations, up to DIFFEVO_DATA_MAX floats; an address that is a multiple of 128
 *   results    [count] to be written; NULL in the mode DIFFEVO_OPEN, which needs only best_x
 *   best_x     to be written for every problem: D floats at its `x`. Problem after problem, without gaps
 *
 * All arrays are in CPU memory. The function is called on the CPU, one call at a time, on one CPU core. It may be
 * called again with other problems. problems and data may be overwritten. To give up, end the process (exit, abort):
 * that is a run-time error.
 */
void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x);

#ifdef __cplusplus
}
#endif

#endif
