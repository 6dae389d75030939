/*
 * order.h - what the checks of streams share: order.c compares pieces of work, order_nodes.c the nodes of one graph.
 */
#ifndef CUDASIM_ORDER_H
#define CUDASIM_ORDER_H

#include "runtime.h"

struct order_words {
    char text[200];
};

/* "0x7f…, 4 bytes into an allocation of 4000 bytes" */
struct order_words order_place(struct runtime *runtime, uint64_t address);
/* The kernel's name, or the call that asked for the work. */
const char *order_name(const struct work *work);
/* "read", "wrote", "freed", "allocated": what the work did by accesses of `kinds`. */
const char *order_verb(const struct work *work, unsigned kinds);
/* Whether no message about these two was printed before. */
bool order_is_new(struct runtime *runtime, const char *a, const char *b);
void order_report(struct runtime *runtime, enum sim_fault_kind kind, const char *name, uint64_t address,
                  const char *text);

/* What a piece of work touched, by address. */
struct order_touched {
    const struct work *work;
    const struct traffic_span *spans; /* [count] */
    size_t count;
};

/* The span that holds the address, or NULL. */
const struct traffic_span *order_find(const struct order_touched *touched, uint64_t address);
/* Whether accesses of the two works to one byte are a race, if nothing orders them. */
bool order_collide(const struct work *a, unsigned kinds, const struct work *b, unsigned others);
/* Finds the first byte at which the two collide, and the access of each to it. */
bool order_first_collision(const struct order_touched *a, const struct order_touched *b, uint64_t *address,
                           unsigned *kinds, unsigned *others);
/* The bytes of a copy, a fill or a change of memory, to be freed; false: it touches none, or there is no memory. */
bool order_take_spans(const struct work *work, struct traffic_span **spans, size_t *count);

/* ------------------------------------------------------------------ order_nodes.c */

/* An instantiated graph that runs, for the check of its nodes. */
struct graph_run {
    struct graph_run *outer;    /* it is a step of that one, or NULL */
    const struct CUgraphExec_st *exec;
    size_t at;                  /* the step that runs */
    struct traffic_span **spans; /* [exec->count][counts] by address: what each step touched; NULL: no check */
    size_t *counts;             /* [exec->count] */
    struct traffic_span *earlier; /* [earlier_count] what the outer step touched before */
    size_t earlier_count;
};

/* Notes which steps come before which, once they are all there. */
void nodes_instantiated(struct CUgraphExec_st *exec);
/* Around the run of a graph, and of each of its steps. `work`: the step's. */
void nodes_begin(struct runtime *runtime, const struct CUgraphExec_st *exec, struct graph_run *run);
void nodes_step(struct runtime *runtime, struct graph_run *run, size_t step);
void nodes_step_over(struct runtime *runtime, struct graph_run *run, const struct work *work);
void nodes_end(struct runtime *runtime, struct graph_run *run);

/* Enters into the map the bytes of nodes that nothing orders with the node that runs. */
void nodes_note_others(struct runtime *runtime);
/* Writes a sentence about a node that touched the byte, and that nothing orders with the node that runs. */
bool nodes_tell(struct runtime *runtime, uint64_t address, unsigned kinds, char *text, size_t size);

/* ------------------------------------------------------------------ order.c, for order_nodes.c */

/* Enters into the map, which is empty, what other work touched that nothing orders with the task that runs. */
void order_note_others(struct runtime *runtime);

#endif
