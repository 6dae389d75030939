/*
 * builtin.h - the functions that kernels call and no module holds.
 */
#ifndef CUDASIM_BUILTIN_H
#define CUDASIM_BUILTIN_H

#include <stdatomic.h>
#include <stdint.h>

struct call_site;
struct ins;
struct sim;
struct warp;
struct worker;

/* Of malloc() in kernels; in it from sim_create() to sim_destroy(), at first all zeros. */
struct heap {
    _Atomic uint64_t used; /* bytes of all live blocks */
};

/* sim.c's: the device's own. */
struct heap *sim_heap(struct sim *sim);

/* The body of calls to vprintf, malloc, free and __assertfail. */
const struct ins *builtin_call(struct warp *w, const struct ins *ins, const struct call_site *site);

/* Number for call_site.builtin, -1 if it is none. */
int builtin_find(const char *name);

/* Writes what the worker's threads printed on standard output. The text is gone then, its room is kept. */
void builtin_flush(struct worker *worker);

#endif
