/*
 * driver_node.c - the calls that make, describe and change nodes of graphs. It turns the driver's parameters into the
 * runtime's, and back. runtime_node.c does the work.
 */
#include "driver.h"

#include <string.h>

/* ------------------------------------------------------------------ parameters */

static struct cudaKernelNodeParams to_kernel(const CUDA_KERNEL_NODE_PARAMS *from)
{
    return (struct cudaKernelNodeParams){
        .func = from->func ? (void *)from->func : (void *)from->kern,
        .gridDim = { from->gridDimX, from->gridDimY, from->gridDimZ },
        .blockDim = { from->blockDimX, from->blockDimY, from->blockDimZ },
        .sharedMemBytes = from->sharedMemBytes,
        .kernelParams = from->kernelParams,
        .extra = from->extra,
    };
}

static struct cudaMemsetParams to_set(const CUDA_MEMSET_NODE_PARAMS *from)
{
    return (struct cudaMemsetParams){ .dst = (void *)(uintptr_t)from->dst, .pitch = from->pitch, .value = from->value,
                                      .elementSize = from->elementSize, .width = from->width,
                                      .height = from->height };
}

static struct cudaHostNodeParams to_host(const CUDA_HOST_NODE_PARAMS *from)
{
    return (struct cudaHostNodeParams){ .fn = from->fn, .userData = from->userData };
}

static cudaError_t to_any_kernel(const CUDA_KERNEL_NODE_PARAMS_v3 *from, struct cudaKernelNodeParamsV2 *to)
{
    *to = (struct cudaKernelNodeParamsV2){
        .func = from->func ? (void *)from->func : (void *)from->kern,
        .gridDim = { from->gridDimX, from->gridDimY, from->gridDimZ },
        .blockDim = { from->blockDimX, from->blockDimY, from->blockDimZ },
        .sharedMemBytes = from->sharedMemBytes,
        .kernelParams = from->kernelParams,
        .extra = from->extra,
    };
    return cudaSuccess;
}

/* Parameters of any kind. Kinds that the runtime does not have keep their number, and it refuses them by name. */
static cudaError_t to_any(const CUgraphNodeParams *from, struct cudaGraphNodeParams *to)
{
    *to = (struct cudaGraphNodeParams){ .type = (enum cudaGraphNodeType)from->type };
    switch (from->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return to_any_kernel(&from->kernel, &to->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return driver_box(&from->memcpy.copyParams, &to->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        to->memset = (struct cudaMemsetParamsV2){ .dst = (void *)(uintptr_t)from->memset.dst,
                                                  .pitch = from->memset.pitch, .value = from->memset.value,
                                                  .elementSize = from->memset.elementSize,
                                                  .width = from->memset.width, .height = from->memset.height };
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_HOST:
        to->host.fn = from->host.fn;
        to->host.userData = from->host.userData;
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        to->graph.graph = from->graph.graph;
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        to->eventWait.event = from->eventWait.event;
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        to->eventRecord.event = from->eventRecord.event;
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        _Static_assert(sizeof to->alloc.poolProps == sizeof from->alloc.poolProps, "the driver's is the runtime's");
        memcpy(&to->alloc.poolProps, &from->alloc.poolProps, sizeof to->alloc.poolProps);
        to->alloc.bytesize = from->alloc.bytesize;
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        to->free.dptr = (void *)(uintptr_t)from->free.dptr;
        return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        to->conditional.handle = from->conditional.handle;
        to->conditional.type = (enum cudaGraphConditionalNodeType)from->conditional.type;
        to->conditional.size = from->conditional.size;
        return cudaSuccess;
    default:
        return cudaSuccess;
    }
}

/* The parameters of a node of words, which the runtime does not know; NULL: of another kind. */
static const CUDA_BATCH_MEM_OP_NODE_PARAMS *words_of(const CUgraphNodeParams *from, CUDA_BATCH_MEM_OP_NODE_PARAMS *to)
{
    if (!from || from->type != CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        return NULL;
    *to = (CUDA_BATCH_MEM_OP_NODE_PARAMS){ .ctx = from->memOp.ctx, .count = from->memOp.count,
                                           .paramArray = from->memOp.paramArray, .flags = from->memOp.flags };
    return to;
}

/* ------------------------------------------------------------------ making */

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaKernelNodeParams kernel;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    kernel = to_kernel(parameters);
    return driver_end(&call, cudaGraphAddKernelNode(node, graph, dependencies, count, &kernel));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *parameters, CUcontext context)
{
    struct driver_call call;
    struct cudaMemcpy3DParms box;
    cudaError_t error;

    (void)context; /* all are of one device */
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    error = driver_box(parameters, &box);
    if (error == cudaSuccess)
        error = cudaGraphAddMemcpyNode(node, graph, dependencies, count, &box);
    return driver_end(&call, error);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context)
{
    struct driver_call call;
    struct cudaMemsetParams set;

    (void)context; /* all are of one device */
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    set = to_set(parameters);
    return driver_end(&call, cudaGraphAddMemsetNode(node, graph, dependencies, count, &set));
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
    host = to_host(parameters);
    return driver_end(&call, cudaGraphAddHostNode(node, graph, dependencies, count, &host));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddEmptyNode(node, graph, dependencies, count));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  CUgraph child)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddChildGraphNode(node, graph, dependencies, count, child));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                   CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddEventRecordNode(node, graph, dependencies, count, event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddEventWaitNode(node, graph, dependencies, count, event));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    struct cudaMemAllocNodeParams memory = { .bytesize = parameters ? parameters->bytesize : 0 };
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    error = cudaGraphAddMemAllocNode(node, graph, dependencies, count, &memory);
    parameters->dptr = (uintptr_t)memory.dptr;
    return driver_end(&call, error);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr address)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphAddMemFreeNode(node, graph, dependencies, count, (void *)(uintptr_t)address));
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                        size_t count, CUgraphNodeParams *parameters)
{
    struct driver_call call;
    CUDA_BATCH_MEM_OP_NODE_PARAMS words;
    struct cudaGraphNodeParams any;
    cudaError_t error;

    if (words_of(parameters, &words))
        return driver_add_words(node, graph, dependencies, edges, count, &words);
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? to_any(parameters, &any) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cudaGraphAddNode(node, graph, dependencies, (const cudaGraphEdgeData *)edges, count, &any);
    if (error == cudaSuccess && parameters->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        parameters->alloc.dptr = (uintptr_t)any.alloc.dptr;
    if (error == cudaSuccess && parameters->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        parameters->conditional.phGraph_out = any.conditional.phGraph_out;
    return driver_end(&call, error);
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphDestroyNode(node)) : call.result;
}

/* ------------------------------------------------------------------ changing */

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaKernelNodeParams kernel;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    kernel = to_kernel(parameters);
    return driver_end(&call, cudaGraphKernelNodeSetParams(node, &kernel));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaKernelNodeParams kernel;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    kernel = to_kernel(parameters);
    return driver_end(&call, cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *parameters)
{
    struct driver_call call;
    struct cudaMemcpy3DParms box;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    error = driver_box(parameters, &box);
    if (error == cudaSuccess)
        error = cudaGraphMemcpyNodeSetParams(node, &box);
    return driver_end(&call, error);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *parameters,
                                        CUcontext context)
{
    struct driver_call call;
    struct cudaMemcpy3DParms box;
    cudaError_t error;

    (void)context; /* all are of one device */
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    error = driver_box(parameters, &box);
    if (error == cudaSuccess)
        error = cudaGraphExecMemcpyNodeSetParams(exec, node, &box);
    return driver_end(&call, error);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaMemsetParams set;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    set = to_set(parameters);
    return driver_end(&call, cudaGraphMemsetNodeSetParams(node, &set));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters,
                                        CUcontext context)
{
    struct driver_call call;
    struct cudaMemsetParams set;

    (void)context; /* all are of one device */
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    set = to_set(parameters);
    return driver_end(&call, cudaGraphExecMemsetNodeSetParams(exec, node, &set));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaHostNodeParams host;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    host = to_host(parameters);
    return driver_end(&call, cudaGraphHostNodeSetParams(node, &host));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct cudaHostNodeParams host;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    host = to_host(parameters);
    return driver_end(&call, cudaGraphExecHostNodeSetParams(exec, node, &host));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphEventRecordNodeSetEvent(node, event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphEventWaitNodeSetEvent(node, event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphExecChildGraphNodeSetParams(exec, node, child));
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *parameters)
{
    struct driver_call call;
    CUDA_BATCH_MEM_OP_NODE_PARAMS words;
    struct cudaGraphNodeParams any;
    cudaError_t error;

    if (words_of(parameters, &words))
        return driver_set_words(NULL, node, &words);
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? to_any(parameters, &any) : cudaErrorInvalidValue;
    return driver_end(&call, error == cudaSuccess ? cudaGraphNodeSetParams(node, &any) : error);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *parameters)
{
    struct driver_call call;
    CUDA_BATCH_MEM_OP_NODE_PARAMS words;
    struct cudaGraphNodeParams any;
    cudaError_t error;

    if (words_of(parameters, &words))
        return cuGraphExecBatchMemOpNodeSetParams(exec, node, &words);
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? to_any(parameters, &any) : cudaErrorInvalidValue;
    return driver_end(&call, error == cudaSuccess ? cudaGraphExecNodeSetParams(exec, node, &any) : error);
}
