/*
 * graph_edge.h - what a graph keeps of each dependency beside its two nodes: graph_edge.c. It has no effect on the run,
 * where a kernel ends before the next one starts. The check of streams looks at it: order_nodes.c.
 */
#ifndef CUDASIM_GRAPH_EDGE_H
#define CUDASIM_GRAPH_EDGE_H

#include "runtime.h"

/* The event ends: nodes of graphs have none then. Whether the graph has such a node. graph.c */
void graphs_forget_event(struct runtime *runtime, const struct CUevent_st *event);
bool exec_lacks_event(const struct CUgraphExec_st *exec);

/* Whether such edges from[i] -> to may be: ports and types belong to kernels alone. `edges` may be NULL. */
cudaError_t edges_check(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to,
                        const cudaGraphEdgeData *edge);
/* Sets what the last `count` dependencies of the node carry; NULL: zeros. False: no memory. */
bool edges_set(struct CUgraphNode_st *node, const cudaGraphEdgeData *edges, size_t count);
/* What dependency `i` of the node carries. */
cudaGraphEdgeData edge_of(const struct CUgraphNode_st *node, size_t i);
bool edge_is_plain(const cudaGraphEdgeData *edge);

#endif
