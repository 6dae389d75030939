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

/* What an access is in machine code; generic addresses count as global ones. */
enum access_of { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE, ACCESS_SHARED_LOAD };

/* One instruction of the simulator. Those without `known` are its own additions and cost nothing. */
struct cost_step {
    bool known;
    uint8_t pipe, wait, order;     /* enum pipe, enum wait, enum order_of */
    uint8_t access;                /* enum access_of */
    bool counts;                   /* adds to a register that it also reads, and nothing else */
    uint8_t near;                  /* of a load that was not from global memory: enum wait; WAIT_LOAD: it cannot be */
    double slots, busy, latency;
    double merged;                 /* of a load of shared memory: the share of passes that ptxas saves */
    double constants;              /* of a load of constant memory at an address that all lanes have: its 8 bytes */
    bool fixed;                    /* of a load of constant memory at an address of the code */
    uint32_t reads, writes;        /* into costs->registers, lists that 0 ends; 0: none */
};

/* A step of a schedule. */
struct placed {
    uint32_t step;
    uint32_t reads;                /* as of the step; in rounds, for values of earlier steps, SOURCE + position */
    uint16_t position;             /* in the order of the program */
    bool last;                     /* of the last round: later runs read what it writes */
    bool gone;                     /* ptxas leaves it out: nothing waits for it. The others' slots have its own */
    uint8_t round;
};
#define SOURCE 0x80000000u

/* The order in which ptxas would put the steps of a straight run, or of several rounds of a loop. */
struct schedule {
    uint32_t from, to;             /* the run; `to` 0: an empty place of the table */
    uint32_t rounds;
    size_t first, count;           /* in costs->order */
};

/* An innermost loop. */
struct code_loop {
    size_t first, last;            /* its first and last instruction: steps; while loops are matched, statements */
    unsigned rounds;               /* that ptxas made one of */
    bool straight;                 /* no jump leads in, out or on, but the last back */
    bool done;                     /* was matched, as far as it can be */
};

struct costs {
    struct cost_step *steps;       /* [count] */
    uint32_t count;
    uint32_t *registers;           /* [used] lists of registers */
    size_t used, capacity;
    uint32_t register_count;       /* of all functions, from 1 */
    struct schedule *schedules;    /* [schedule_size] by a hash of the run; a power of two */
    size_t schedule_size, schedule_count;
    struct placed *order;          /* [order_used] */
    size_t order_used, order_capacity;
    struct code_loop *loops;       /* [loop_count] of the kernel */
    size_t loop_count;
    bool failed;                   /* there was no memory */
};

enum { MOST_POSITIONS = 512 /* of a schedule's steps */ };

/* Appends to costs->registers; sets `failed` without memory. */
void costs_push(struct costs *costs, uint32_t value);

/* Finds the kernel's loops, and by its machine code into how many rounds each was unrolled. False without memory. */
bool costs_find_loops(struct costs *costs, const struct program *program, const struct function *kernel,
                      const struct cubin_loop *loops, size_t loop_count);

/* Into how many rounds the loop that this run is a round of was unrolled; 1: it is none, or as it was. */
unsigned costs_unrolled(const struct costs *costs, uint32_t from, uint32_t to);

/* The order of `rounds` rounds of a run; NULL without memory. Runs come again and again: each is ordered once. */
const struct schedule *costs_schedule(struct costs *costs, uint32_t from, uint32_t to, unsigned rounds);

#endif
