/*
 * device_graph.h - graphs that kernels launch: device_graph.c. work.c has the run.
 */
#ifndef CUDASIM_DEVICE_GRAPH_H
#define CUDASIM_DEVICE_GRAPH_H

#include "runtime.h"

/* A graph that runs. */
struct graph_launch {
    struct graph_launch *outer; /* whose kernel launched it, or NULL */
    const struct CUgraphExec_st *exec;
    uint64_t *tails;            /* [tail_count] graphs that run behind it, in the order of their launches */
    size_t tail_count;
};

/* Launches the graph: its conditions get their defaults, its steps run, then what its kernels launched. */
cudaError_t exec_launch(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream);
/* Says in the launch which graph it belongs to. */
void device_graph_current(const struct runtime *runtime, struct sim_launch *launch);
/* The graph that a kernel named, or NULL if it is gone. */
const struct CUgraphExec_st *device_graph_of(struct runtime *runtime, uint64_t graph);
/* Another graph that runs behind this one. */
cudaError_t device_graph_add_tail(struct graph_launch *to, uint64_t graph);
/* Does the changes of nodes that kernels asked for, in every graph that was instantiated. */
void device_graph_change(struct runtime *runtime);
/* A node that a graph may not have if it is instantiated with these flags, or NULL. */
struct CUgraphNode_st *device_graph_odd_node(const struct CUgraph_st *graph, unsigned long long flags);
/* From now on kernels may launch it, if it was instantiated for that. */
cudaError_t device_graph_upload(struct runtime *runtime, const struct CUgraphExec_st *exec);

#endif
