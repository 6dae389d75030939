/*
 * driver_node_get.c - the calls that describe nodes of graphs. It turns the runtime's parameters into the driver's.
 * runtime_node_get.c does the work.
 */
#include "driver.h"

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    enum cudaGraphNodeType kind = cudaGraphNodeTypeEmpty;
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = type ? cudaGraphNodeGetType(node, &kind) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *type = (CUgraphNodeType)kind; /* the numbers are one */
    return driver_end(&call, error);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct cudaKernelNodeParams kernel;
    struct driver_call call;
    cudaFunction_t function = NULL; /* the runtime names a kernel of the program by its stub */
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? cudaGraphKernelNodeGetParams(node, &kernel) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cudaGetFuncBySymbol(&function, kernel.func);
    if (error == cudaSuccess)
        *parameters = (CUDA_KERNEL_NODE_PARAMS){
            .func = (CUfunction)function,
            .gridDimX = kernel.gridDim.x, .gridDimY = kernel.gridDim.y, .gridDimZ = kernel.gridDim.z,
            .blockDimX = kernel.blockDim.x, .blockDimY = kernel.blockDim.y, .blockDimZ = kernel.blockDim.z,
            .sharedMemBytes = kernel.sharedMemBytes,
            .kernelParams = kernel.kernelParams,
            .ctx = driver_current(call.thread),
        };
    return driver_end(&call, error);
}

static CUmemorytype memory_at(const void *pointer)
{
    struct cudaPointerAttributes about = { .type = cudaMemoryTypeUnregistered };

    if (cudaPointerGetAttributes(&about, pointer) != cudaSuccess)
        return CU_MEMORYTYPE_HOST;
    return about.type == cudaMemoryTypeDevice    ? CU_MEMORYTYPE_DEVICE
           : about.type == cudaMemoryTypeManaged ? CU_MEMORYTYPE_UNIFIED
                                                 : CU_MEMORYTYPE_HOST;
}

/* An array as a side is described by the memory of its texels. */
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *parameters)
{
    struct cudaMemcpy3DParms box;
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? cudaGraphMemcpyNodeGetParams(node, &box) : cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *parameters = (CUDA_MEMCPY3D){ .srcMemoryType = memory_at(box.srcPtr.ptr), .srcPitch = box.srcPtr.pitch,
                                       .srcHeight = box.srcPtr.ysize, .dstMemoryType = memory_at(box.dstPtr.ptr),
                                       .dstPitch = box.dstPtr.pitch, .dstHeight = box.dstPtr.ysize,
                                       .WidthInBytes = box.extent.width, .Height = box.extent.height,
                                       .Depth = box.extent.depth };
        if (parameters->srcMemoryType == CU_MEMORYTYPE_HOST)
            parameters->srcHost = box.srcPtr.ptr;
        else
            parameters->srcDevice = (uintptr_t)box.srcPtr.ptr;
        if (parameters->dstMemoryType == CU_MEMORYTYPE_HOST)
            parameters->dstHost = box.dstPtr.ptr;
        else
            parameters->dstDevice = (uintptr_t)box.dstPtr.ptr;
    }
    return driver_end(&call, error);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *parameters)
{
    struct cudaMemsetParams set;
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? cudaGraphMemsetNodeGetParams(node, &set) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *parameters = (CUDA_MEMSET_NODE_PARAMS){ .dst = (uintptr_t)set.dst, .pitch = set.pitch, .value = set.value,
                                                 .elementSize = set.elementSize, .width = set.width,
                                                 .height = set.height };
    return driver_end(&call, error);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *parameters)
{
    struct cudaHostNodeParams host;
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? cudaGraphHostNodeGetParams(node, &host) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *parameters = (CUDA_HOST_NODE_PARAMS){ .fn = host.fn, .userData = host.userData };
    return driver_end(&call, error);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphChildGraphNodeGetGraph(node, graph));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphEventRecordNodeGetEvent(node, event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphEventWaitNodeGetEvent(node, event));
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    struct cudaMemAllocNodeParams memory;
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? cudaGraphMemAllocNodeGetParams(node, &memory) : cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *parameters = (CUDA_MEM_ALLOC_NODE_PARAMS){ .bytesize = memory.bytesize, .dptr = (uintptr_t)memory.dptr };
        parameters->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    }
    return driver_end(&call, error);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphMemFreeNodeGetParams(node, address));
}

/* ------------------------------------------------------------------ attributes of kernel nodes */

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode target, CUgraphNode source)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphKernelNodeCopyAttributes(target, source));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)attribute,
                                                             (cudaLaunchAttributeValue *)value));
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)attribute,
                                                             (const cudaLaunchAttributeValue *)value));
}
