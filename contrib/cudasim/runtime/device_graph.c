/*
 * device_graph.c - which graphs kernels may launch, and the records of those that run. work.c runs them.
 */
#include "device_graph.h"

#include <stdlib.h>

const struct CUgraphExec_st *device_graph_of(struct runtime *runtime, uint64_t graph)
{
    const void *handle = (const void *)(uintptr_t)graph;

    return handle_is(runtime, handle, HANDLE_EXEC) ? handle : NULL;
}

void device_graph_current(const struct runtime *runtime, struct sim_launch *launch)
{
    const struct graph_launch *now = runtime->graph_launch;

    launch->in_graph = now != NULL;
    if (now && now->exec->flags & cudaGraphInstantiateFlagDeviceLaunch)
        launch->graph = (uintptr_t)now->exec;
}

cudaError_t device_graph_add_tail(struct graph_launch *to, uint64_t graph)
{
    uint64_t *grown = realloc(to->tails, (to->tail_count + 1) * sizeof *grown);

    if (!grown)
        return cudaErrorMemoryAllocation;
    to->tails = grown;
    grown[to->tail_count++] = graph;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ which graphs kernels may launch */

/* The first node of a kind that no such graph may have, or NULL. */
static struct CUgraphNode_st *odd_node(const struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        enum work_kind kind = node->work.kind;

        if ((kind == WORK_GRAPH && odd_node(node->work.graph)) ||
            (kind != WORK_KERNEL && kind != WORK_COPY && kind != WORK_SET && kind != WORK_GRAPH && kind != WORK_EMPTY))
            return node;
    }
    return NULL;
}

struct CUgraphNode_st *device_graph_odd_node(const struct CUgraph_st *graph, unsigned long long flags)
{
    return flags & cudaGraphInstantiateFlagDeviceLaunch ? odd_node(graph) : NULL;
}

cudaError_t device_graph_upload(struct runtime *runtime, const struct CUgraphExec_st *exec)
{
    if (!(exec->flags & cudaGraphInstantiateFlagDeviceLaunch))
        return cudaSuccess;
    return sim_graph_permit(runtime->sim, (uintptr_t)exec) ? cudaSuccess : cudaErrorMemoryAllocation;
}
