/*
 * driver_first.c - earlier variants of functions whose parameters changed: what cuGetProcAddress() gives for an older
 * version of CUDA, and dlsym() for a name without a suffix. Each does the same as the newest one.
 *
 * The header declares the newest variants alone, and makes a macro of the name without a suffix. So only the
 * assembler's name links these. Variants of CUDA 3, whose addresses have 32 bits, stay in driver_stub.c.
 */
#include "driver.h"

#define FIRST(name, parameters, ...) \
    CUresult first_##name parameters __asm__(#name); \
    CUresult first_##name parameters \
    { \
        return __VA_ARGS__; \
    }

/* Where a program is built for one default stream a thread, no stream means that one. */
#define OWN(s) ((s) ? (s) : CU_STREAM_PER_THREAD)

/* ------------------------------------------------------------------ the same parameters: contexts, events, links */

FIRST(cuCtxDestroy, (CUcontext context), cuCtxDestroy_v2(context))
FIRST(cuCtxPopCurrent, (CUcontext * context), cuCtxPopCurrent_v2(context))
FIRST(cuCtxPushCurrent, (CUcontext context), cuCtxPushCurrent_v2(context))
FIRST(cuDevicePrimaryCtxRelease, (CUdevice device), cuDevicePrimaryCtxRelease_v2(device))
FIRST(cuDevicePrimaryCtxReset, (CUdevice device), cuDevicePrimaryCtxReset_v2(device))
FIRST(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), cuDevicePrimaryCtxSetFlags_v2(device, flags))
FIRST(cuDeviceGetUuid, (CUuuid * id, CUdevice device), cuDeviceGetUuid_v2(id, device))
FIRST(cuEventDestroy, (CUevent event), cuEventDestroy_v2(event))
FIRST(cuStreamDestroy, (CUstream stream), cuStreamDestroy_v2(stream))
FIRST(cuIpcOpenMemHandle, (CUdeviceptr * address, CUipcMemHandle handle, unsigned flags),
      cuIpcOpenMemHandle_v2(address, handle, flags))
FIRST(cuMemHostRegister, (void *address, size_t bytes, unsigned flags), cuMemHostRegister_v2(address, bytes, flags))
FIRST(cuLinkCreate, (unsigned count, CUjit_option *options, void **values, CUlinkState *state),
      cuLinkCreate_v2(count, options, values, state))
FIRST(cuLinkAddData, (CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                      unsigned count, CUjit_option *options, void **values),
      cuLinkAddData_v2(state, type, data, bytes, name, count, options, values))
FIRST(cuLinkAddFile, (CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                      CUjit_option *options, void **values),
      cuLinkAddFile_v2(state, type, path, count, options, values))

/* ------------------------------------------------------------------ streams */

/* The name is pasted, because the header makes a macro of all of it. */
#define WORD(name, bits) \
    FIRST(name##bits, (CUstream s, CUdeviceptr address, cuuint##bits##_t value, unsigned flags), \
          name##bits##_v2(s, address, value, flags)) \
    FIRST(name##bits##_ptsz, (CUstream s, CUdeviceptr address, cuuint##bits##_t value, unsigned flags), \
          name##bits##_v2(OWN(s), address, value, flags))

WORD(cuStreamWaitValue, 32)
WORD(cuStreamWaitValue, 64)
WORD(cuStreamWriteValue, 32)
WORD(cuStreamWriteValue, 64)

FIRST(cuStreamBatchMemOp, (CUstream s, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags),
      cuStreamBatchMemOp_v2(s, count, list, flags))
FIRST(cuStreamBatchMemOp_ptsz, (CUstream s, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags),
      cuStreamBatchMemOp_v2(OWN(s), count, list, flags))

FIRST(cuStreamGetCaptureInfo, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
      cuStreamGetCaptureInfo_v3(s, status, id, NULL, NULL, NULL, NULL))
FIRST(cuStreamGetCaptureInfo_ptsz, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
      cuStreamGetCaptureInfo_v3(OWN(s), status, id, NULL, NULL, NULL, NULL))
FIRST(cuStreamGetCaptureInfo_v2, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                  const CUgraphNode **nodes, size_t *count),
      cuStreamGetCaptureInfo_v3(s, status, id, graph, nodes, NULL, count))
FIRST(cuStreamGetCaptureInfo_v2_ptsz, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                       const CUgraphNode **nodes, size_t *count),
      cuStreamGetCaptureInfo_v3(OWN(s), status, id, graph, nodes, NULL, count))
FIRST(cuStreamUpdateCaptureDependencies, (CUstream s, CUgraphNode *nodes, size_t count, unsigned flags),
      cuStreamUpdateCaptureDependencies_v2(s, nodes, NULL, count, flags))
FIRST(cuStreamUpdateCaptureDependencies_ptsz, (CUstream s, CUgraphNode *nodes, size_t count, unsigned flags),
      cuStreamUpdateCaptureDependencies_v2(OWN(s), nodes, NULL, count, flags))

/* ------------------------------------------------------------------ memory */

/* A device's number as a place. */
static CUmemLocation place(CUdevice device)
{
    if (device == CU_DEVICE_CPU)
        return (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_HOST };
    return (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device };
}

FIRST(cuMemAdvise, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device),
      cuMemAdvise_v2(address, bytes, advice, place(device)))
FIRST(cuMemPrefetchAsync, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream s),
      cuMemPrefetchAsync_v2(address, bytes, place(device), 0, s))
FIRST(cuMemPrefetchAsync_ptsz, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream s),
      cuMemPrefetchAsync_v2(address, bytes, place(device), 0, OWN(s)))

/* Which copy of the list failed is not known: SIZE_MAX says so. */
static CUresult without_index(CUresult result, size_t *failed)
{
    if (failed && result != CUDA_SUCCESS)
        *failed = SIZE_MAX;
    return result;
}

FIRST(cuMemcpyBatchAsync, (CUdeviceptr * to, CUdeviceptr *from, size_t *sizes, size_t count, CUmemcpyAttributes *how,
                           size_t *firsts, size_t kinds, size_t *failed, CUstream s),
      without_index(cuMemcpyBatchAsync_v2(to, from, sizes, count, how, firsts, kinds, s), failed))
FIRST(cuMemcpyBatchAsync_ptsz, (CUdeviceptr * to, CUdeviceptr *from, size_t *sizes, size_t count,
                                CUmemcpyAttributes *how, size_t *firsts, size_t kinds, size_t *failed, CUstream s),
      without_index(cuMemcpyBatchAsync_v2(to, from, sizes, count, how, firsts, kinds, OWN(s)), failed))
FIRST(cuMemcpy3DBatchAsync, (size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *failed, unsigned long long flags,
                             CUstream s),
      without_index(cuMemcpy3DBatchAsync_v2(count, list, flags, s), failed))
FIRST(cuMemcpy3DBatchAsync_ptsz, (size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *failed,
                                  unsigned long long flags, CUstream s),
      without_index(cuMemcpy3DBatchAsync_v2(count, list, flags, OWN(s)), failed))

/* ------------------------------------------------------------------ graphs: edges without data */

FIRST(cuGraphAddDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count),
      cuGraphAddDependencies_v2(graph, from, to, NULL, count))
FIRST(cuGraphRemoveDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count),
      cuGraphRemoveDependencies_v2(graph, from, to, NULL, count))
FIRST(cuGraphGetEdges, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count),
      cuGraphGetEdges_v2(graph, from, to, NULL, count))
FIRST(cuGraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *nodes, size_t *count),
      cuGraphNodeGetDependencies_v2(node, nodes, NULL, count))
FIRST(cuGraphNodeGetDependentNodes, (CUgraphNode node, CUgraphNode *nodes, size_t *count),
      cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count))
FIRST(cuGraphAddNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *nodes, size_t count,
                       CUgraphNodeParams *parameters),
      cuGraphAddNode_v2(node, graph, nodes, NULL, count, parameters))

/* ------------------------------------------------------------------ graphs: kernels without a context */

/* The second kind begins like the first. NULL stays NULL. */
static const CUDA_KERNEL_NODE_PARAMS *wider(const CUDA_KERNEL_NODE_PARAMS_v1 *from, CUDA_KERNEL_NODE_PARAMS *to)
{
    if (!from)
        return NULL;
    *to = (CUDA_KERNEL_NODE_PARAMS){ .func = from->func,
                                     .gridDimX = from->gridDimX, .gridDimY = from->gridDimY,
                                     .gridDimZ = from->gridDimZ,
                                     .blockDimX = from->blockDimX, .blockDimY = from->blockDimY,
                                     .blockDimZ = from->blockDimZ,
                                     .sharedMemBytes = from->sharedMemBytes,
                                     .kernelParams = from->kernelParams, .extra = from->extra };
    return to;
}

static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *to)
{
    CUDA_KERNEL_NODE_PARAMS from;
    CUresult result = cuGraphKernelNodeGetParams_v2(node, to ? &from : NULL);

    if (result == CUDA_SUCCESS)
        *to = (CUDA_KERNEL_NODE_PARAMS_v1){ .func = from.func,
                                            .gridDimX = from.gridDimX, .gridDimY = from.gridDimY,
                                            .gridDimZ = from.gridDimZ,
                                            .blockDimX = from.blockDimX, .blockDimY = from.blockDimY,
                                            .blockDimZ = from.blockDimZ,
                                            .sharedMemBytes = from.sharedMemBytes,
                                            .kernelParams = from.kernelParams, .extra = from.extra };
    return result;
}

FIRST(cuGraphAddKernelNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *nodes, size_t count,
                             const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
      cuGraphAddKernelNode_v2(node, graph, nodes, count, wider(parameters, &(CUDA_KERNEL_NODE_PARAMS){ 0 })))
FIRST(cuGraphKernelNodeSetParams, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
      cuGraphKernelNodeSetParams_v2(node, wider(parameters, &(CUDA_KERNEL_NODE_PARAMS){ 0 })))
FIRST(cuGraphExecKernelNodeSetParams, (CUgraphExec exec, CUgraphNode node,
                                       const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
      cuGraphExecKernelNodeSetParams_v2(exec, node, wider(parameters, &(CUDA_KERNEL_NODE_PARAMS){ 0 })))
FIRST(cuGraphKernelNodeGetParams, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
      get_kernel(node, parameters))

/* ------------------------------------------------------------------ graphs: what went wrong */

/* The log is text for people. Its node says the same. */
static CUresult instantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *wrong, char *log, size_t bytes)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS how = { .flags = 0 };
    CUresult result = cuGraphInstantiateWithParams(exec, graph, &how);

    if (wrong)
        *wrong = how.hErrNode_out;
    if (log && bytes > 0)
        *log = 0;
    return result;
}

static CUresult update(CUgraphExec exec, CUgraph graph, CUgraphNode *wrong, CUgraphExecUpdateResult *why)
{
    CUgraphExecUpdateResultInfo info = { .result = CU_GRAPH_EXEC_UPDATE_ERROR };
    CUresult result = cuGraphExecUpdate_v2(exec, graph, &info);

    if (wrong)
        *wrong = info.errorNode;
    if (why)
        *why = info.result;
    return result;
}

FIRST(cuGraphInstantiate, (CUgraphExec * exec, CUgraph graph, CUgraphNode *wrong, char *log, size_t bytes),
      instantiate(exec, graph, wrong, log, bytes))
FIRST(cuGraphInstantiate_v2, (CUgraphExec * exec, CUgraph graph, CUgraphNode *wrong, char *log, size_t bytes),
      instantiate(exec, graph, wrong, log, bytes))
FIRST(cuGraphExecUpdate, (CUgraphExec exec, CUgraph graph, CUgraphNode *wrong, CUgraphExecUpdateResult *why),
      update(exec, graph, wrong, why))
