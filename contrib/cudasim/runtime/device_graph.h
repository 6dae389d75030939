/*
 * device_graph.h - the run of a graph with the graphs that its kernels launch: device_graph.c.
 */
#ifndef CUDASIM_DEVICE_GRAPH_H
#define CUDASIM_DEVICE_GRAPH_H

#include "runtime.h"

/* Launches the graph: its conditions get their defaults, its steps run, then what its kernels launched. */
cudaError_t exec_launch(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream);
/* Says in the launch which graph it belongs to. */
void device_graph_current(const struct runtime *runtime, struct sim_launch *launch);
/* After a kernel: runs the graphs that it launched. */
cudaError_t device_graph_requests(struct call *call, cudaStream_t stream);
/* A node that a graph may not have if it is instantiated with these flags, or NULL. */
struct CUgraphNode_st *device_graph_odd_node(const struct CUgraph_st *graph, unsigned long long flags);
/* From now on kernels may launch it, if it was instantiated for that. */
cudaError_t device_graph_upload(struct runtime *runtime, const struct CUgraphExec_st *exec);

#endif
