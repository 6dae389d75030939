/*
 * feature_step.h - the instructions of a program as steps with costs, for feature_cost.c, which makes them, and
 * feature_walk.c, which puts them in order and walks along them.
 */
#ifndef CUDASIM_FEATURE_STEP_H
#define CUDASIM_FEATURE_STEP_H

#include "feature_cost.h"

/* What an access may not pass. A set of bits. A store and a load of one space stay in order. */
enum order_of {
    ORDER_LOAD_GLOBAL = 1, ORDER_LOAD_SHARED = 2, ORDER_STORE_GLOBAL = 4, ORDER_STORE_SHARED = 8,
    ORDER_ALL = 16         /* barriers, fences, jumps: nothing passes them */
};

/* One instruction of the simulator. Those without `known` are its own additions and cost nothing. */
struct cost_step {
    bool known;
    uint8_t pipe, wait, order;     /* enum pipe, enum wait, enum order_of */
    bool loads_shared;             /* from shared memory, and says so */
    uint8_t near;                  /* of a load that was not from global memory: enum wait; WAIT_LOAD: it cannot be */
    double slots, busy, latency;
    double constants;              /* of a load of constant memory at an address that all lanes have: its 8 bytes */
    bool fixed;                    /* of a load of constant memory at an address of the code */
    uint32_t reads, writes;        /* into costs->registers, lists that 0 ends; 0: none */
};

/* The order in which ptxas would put the steps of a straight run. */
struct schedule {
    uint32_t from, to;             /* the run; `to` 0: an empty place of the table */
    size_t first, count;           /* in costs->order */
};

struct costs {
    struct cost_step *steps;       /* [count] */
    uint32_t count;
    uint32_t *registers;           /* [used] lists of registers */
    size_t used, capacity;
    uint32_t register_count;       /* of all functions, from 1 */
    struct schedule *schedules;    /* [schedule_size] by a hash of the run; a power of two */
    size_t schedule_size, schedule_count;
    uint32_t *order;               /* [order_used] steps */
    size_t order_used, order_capacity;
    bool failed;                   /* there was no memory */
};

/* Appends to costs->registers; sets `failed` without memory. */
void costs_push(struct costs *costs, uint32_t value);

/* The order of a run; NULL without memory. Runs come again and again: each is ordered once. */
const struct schedule *costs_schedule(struct costs *costs, uint32_t from, uint32_t to);

#endif
