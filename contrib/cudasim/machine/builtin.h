/*
 * builtin.h - what builtin.c, the functions that kernels call and no module holds, shares with sim.c and launch.c.
 */
#ifndef CUDASIM_BUILTIN_H
#define CUDASIM_BUILTIN_H

#include <stdatomic.h>
#include <stdint.h>

struct sim;
struct worker;

/* Of malloc() in kernels; in it from sim_create() to sim_destroy(), at first all zeros. */
struct heap {
    _Atomic uint64_t used; /* bytes of all live blocks */
};

/* sim.c's: the device's own. */
struct heap *sim_heap(struct sim *sim);

/* Writes what the worker's threads printed on standard output. The text is gone then, its room is kept. */
void builtin_flush(struct worker *worker);

#endif
