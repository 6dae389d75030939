/*
 * driver_graph.c - graphs as a whole: made, copied, instantiated, changed, listed; user objects; conditional handles.
 * driver_node.c has the calls about one node. runtime_graph.c does the work.
 */
#include "driver.h"

/* ------------------------------------------------------------------ the graph as a whole */

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphCreate(graph, flags)) : call.result;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphDestroy(graph)) : call.result;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphClone(clone, graph)) : call.result;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphNodeFindInClone(node, original, clone));
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphDebugDotPrint(graph, path, flags));
}

/* ------------------------------------------------------------------ instantiated */

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphInstantiate(exec, graph, flags));
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphExecDestroy(exec)) : call.result;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphExecGetFlags(exec, (unsigned long long *)flags));
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result)
{
    cudaGraphExecUpdateResultInfo info = { .result = cudaGraphExecUpdateError };
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = cudaGraphExecUpdate(exec, graph, &info);
    if (result)
        *result = (CUgraphExecUpdateResultInfo){ .result = (CUgraphExecUpdateResult)info.result,
                                                 .errorNode = info.errorNode, .errorFromNode = info.errorFromNode };
    return driver_end(&call, error);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphNodeSetEnabled(exec, node, enabled));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphNodeGetEnabled(exec, node, enabled));
}

/* ------------------------------------------------------------------ nodes and edges */

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphGetNodes(graph, nodes, count));
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphGetRootNodes(graph, nodes, count));
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count)
{
    struct driver_call call;

    _Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphGetEdges(graph, from, to, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphNodeGetDependencies(node, nodes, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphNodeGetDependentNodes(node, nodes, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *edges, size_t count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddDependencies(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphRemoveDependencies(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

/* ------------------------------------------------------------------ user objects */

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy, unsigned references, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaUserObjectCreate(object, data, destroy, references, flags));
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaUserObjectRetain(object, count)) : call.result;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaUserObjectRelease(object, count)) : call.result;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphRetainUserObject(graph, object, count, flags));
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphReleaseUserObject(graph, object, count));
}

/* ------------------------------------------------------------------ conditions */

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned value, unsigned flags)
{
    cudaGraphConditionalHandle made = 0;
    struct driver_call call;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_context(call.runtime, context)) /* NULL is none either: an H200 says so */
        return CUDA_ERROR_INVALID_CONTEXT;
    result = driver_end(&call, cudaGraphConditionalHandleCreate(&made, graph, value, flags));
    *handle = made;
    return result;
}
