/*
 * graph_edge.c - the data of a graph's edges. A node has it for all of its dependencies, or for none: then it is zero.
 */
#include "graph_edge.h"

#include <stdlib.h>
#include <string.h>

bool edge_is_plain(const cudaGraphEdgeData *edge)
{
    static const cudaGraphEdgeData zeros;

    return memcmp(edge, &zeros, sizeof zeros) == 0;
}

cudaError_t edges_check(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to,
                        const cudaGraphEdgeData *edge)
{
    cudaGraphEdgeData rest = *edge;
    bool programmatic = edge->type == cudaGraphDependencyTypeProgrammatic;

    rest.from_port = rest.type = 0;
    if (!edge_is_plain(&rest) || edge->type > cudaGraphDependencyTypeProgrammatic ||
        edge->from_port > cudaGraphKernelNodePortLaunchCompletion)
        return cudaErrorInvalidValue;
    if (edge->from_port && from->work.kind != WORK_KERNEL)
        return cudaErrorInvalidValue;
    if (edge->from_port == cudaGraphKernelNodePortProgrammatic && !programmatic)
        return cudaErrorInvalidValue;
    if (programmatic && (!edge->from_port || to->work.kind != WORK_KERNEL))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

bool edges_set(struct CUgraphNode_st *node, const cudaGraphEdgeData *edges, size_t count)
{
    size_t before = node->dependency_count - count;
    cudaGraphEdgeData *all;

    if (!edges && !node->edges)
        return true;
    all = realloc(node->edges, (node->dependency_count + 1) * sizeof *all);
    if (!all)
        return false;
    if (!node->edges)
        memset(all, 0, before * sizeof *all);
    node->edges = all;
    if (edges)
        memcpy(all + before, edges, count * sizeof *all);
    else
        memset(all + before, 0, count * sizeof *all);
    return true;
}

cudaGraphEdgeData edge_of(const struct CUgraphNode_st *node, size_t i)
{
    return node->edges ? node->edges[i] : (cudaGraphEdgeData){ 0 };
}
