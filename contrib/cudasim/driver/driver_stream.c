/*
 * driver_stream.c - the calls that create and destroy streams, events and graphs. None takes a default stream.
 */
#include "driver.h"

/* ------------------------------------------------------------------ streams and events */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaStreamDestroy(stream)) : call.result;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventDestroy(event)) : call.result;
}

CUresult cuEventQuery(CUevent event)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventQuery(event)) : call.result;
}

CUresult cuEventSynchronize(CUevent event)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventSynchronize(event)) : call.result;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaEventElapsedTime(milliseconds, start, end));
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

/* The name of CUDA 12.7 and before. */
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(milliseconds, start, end);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* ------------------------------------------------------------------ graphs */

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

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphGetNodes(graph, nodes, count));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddEmptyNode(node, graph, dependencies, count));
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaHostNodeParams host;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    host = (struct cudaHostNodeParams){ .fn = parameters->fn, .userData = parameters->userData };
    return driver_end(&call, cudaGraphAddHostNode(node, graph, dependencies, count, &host));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  CUgraph child)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddChildGraphNode(node, graph, dependencies, count, child));
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaKernelNodeParams kernel;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    kernel = (struct cudaKernelNodeParams){
        .func = parameters->func ? (void *)parameters->func : (void *)parameters->kern,
        .gridDim = { parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ },
        .blockDim = { parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ },
        .sharedMemBytes = parameters->sharedMemBytes,
        .kernelParams = parameters->kernelParams,
        .extra = parameters->extra,
    };
    return driver_end(&call, cudaGraphAddKernelNode(node, graph, dependencies, count, &kernel));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context)
{
    struct driver_call call;
    struct cudaMemsetParams set;

    (void)context;
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    set = (struct cudaMemsetParams){ .dst = (void *)(uintptr_t)parameters->dst, .pitch = parameters->pitch,
                                     .value = parameters->value, .elementSize = parameters->elementSize,
                                     .width = parameters->width, .height = parameters->height };
    return driver_end(&call, cudaGraphAddMemsetNode(node, graph, dependencies, count, &set));
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned value, unsigned flags)
{
    cudaGraphConditionalHandle made = 0;
    struct driver_call call;
    CUresult result;

    (void)context;
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_end(&call, cudaGraphConditionalHandleCreate(&made, graph, value, flags));
    *handle = made;
    return result;
}
