/*
 * device_user.h - what a participant writes for the problem cointsp.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call asks for. */
enum {
    COINTSP_PRESCRIBED = 0, /* the algorithm of the statement, every bit of it */
    COINTSP_OPEN = 1,       /* any tour that is short enough */
};

/* Limits. */
enum {
    COINTSP_CITIES_MIN = 3,
    COINTSP_CITIES_MAX = 1024,
    COINTSP_POPULATION_MIN = 2,
    COINTSP_POPULATION_MAX = 8192,
    COINTSP_GENERATIONS_MAX = 10000,
    COINTSP_DISTANCE_MAX = (1 << 21) - 1, /* so the length of a tour is below 2^31 */
    COINTSP_ONE = 1 << 30,                /* the 1 of the generator's fixed-point numbers */
};

/* One instance. Members that the mode does not use are 0. */
struct cointsp_case {
    uint32_t mode;        /* COINTSP_PRESCRIBED or COINTSP_OPEN */
    uint32_t n;           /* cities */
    uint32_t population;  /* P: tours a generation */
    uint32_t generations; /* G: 1 to COINTSP_GENERATIONS_MAX */
    uint32_t selected;    /* j: tours in the good group, and in the bad one; 1 to P / 2 */
    uint32_t gain;        /* by how much one count moves a cell of the generator, in 1 / COINTSP_ONE; below 2^30 */
    uint32_t cap;         /* the largest value of a cell, in 1 / COINTSP_ONE; at most COINTSP_ONE */
    uint32_t key[2];      /* of the random numbers; in COINTSP_OPEN yours to use or not */
    int32_t target;       /* COINTSP_OPEN: the tour may be this long */
};

/* The report on a generation, after its update. */
struct cointsp_generation {
    uint64_t generator; /* checksum of the generator H */
    uint64_t tour;      /* checksum of the best tour so far */
    int64_t length;     /* of that tour */
};

/*
 * COIN on one instance of the travelling salesman problem (COINTSP_PRESCRIBED), or a closed tour of length at most
 * c->target by any method (COINTSP_OPEN).
 *
 *   c            the instance's numbers
 *   distance     [n][n], symmetric, zero diagonal, 0 to COINTSP_DISTANCE_MAX; 128-byte aligned
 *   generations  [G], to be written; 8-byte aligned. Not to be touched in COINTSP_OPEN
 *   tour         [n], to be written: the best tour as its walk went, cities 0 to n - 1; 8-byte aligned
 *
 * All arrays are in CPU memory. The function is called on the CPU, one call at a time, on one CPU core. It may be
 * called again with other instances, up to thousands of times if a case is a batch. Inputs may be overwritten. To give
 * up, end the process (exit, abort): that is a run-time error.
 */
void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour);

#ifdef __cplusplus
}
#endif

#endif
