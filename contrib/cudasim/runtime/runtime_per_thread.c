/*
 * runtime_per_thread.c - the functions that programs built with --default-stream per-thread call. They are the same
 * functions, but no stream means the calling thread's own stream.
 *
 * The header declares these only under a macro that renames the plain ones. So this file compares the types itself.
 */
#include "runtime.h"

/* The variant of `name` must have its type; `call` is what it does. */
#define PER_THREAD(name, suffix, parameters, call) \
    cudaError_t name##suffix parameters; \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name##suffix), __typeof__(name)), #name); \
    cudaError_t name##suffix parameters \
    { \
        return call; \
    }

#define PTSZ(name, parameters, arguments) PER_THREAD(name, _ptsz, parameters, name arguments)
#define PTDS(name, parameters, call) PER_THREAD(name, _ptds, parameters, call)

static cudaStream_t own(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

/* ------------------------------------------------------------------ launches */

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                               cudaStream_t stream);

static cudaError_t launch_own(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    cudaLaunchConfig_t copy;

    if (!config)
        return cudaLaunchKernelExC(config, function, arguments);
    copy = *config;
    copy.stream = own(config->stream);
    return cudaLaunchKernelExC(&copy, function, arguments);
}

PTSZ(__cudaLaunchKernel, (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t s),
     (kernel, grid, block, arguments, shared, own(s)))
PTSZ(cudaLaunchKernel, (const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t s),
     (f, grid, block, arguments, shared, own(s)))
PTSZ(cudaLaunchCooperativeKernel, (const void *f, dim3 grid, dim3 block, void **arguments, size_t shared,
                                   cudaStream_t s), (f, grid, block, arguments, shared, own(s)))
PER_THREAD(cudaLaunchKernelExC, _ptsz, (const cudaLaunchConfig_t *config, const void *f, void **arguments),
           launch_own(config, f, arguments))
PTSZ(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *data), (own(s), f, data))
PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t f, void *data, unsigned flags),
     (own(s), f, data, flags))
PTSZ(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t s), (exec, own(s)))
PTSZ(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t s), (exec, own(s)))
PTSZ(cudaGraphInstantiateWithParams, (cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *p),
     (exec, graph, p))

/* ------------------------------------------------------------------ copies */

/* The calls without "Async" wait, unless they are captured. */
static cudaError_t finish(cudaError_t error)
{
    enum cudaStreamCaptureStatus status;

    if (error != cudaSuccess || cudaStreamIsCapturing(cudaStreamPerThread, &status) != cudaSuccess ||
        status != cudaStreamCaptureStatusNone)
        return error;
    return cudaStreamSynchronize(cudaStreamPerThread);
}

PTDS(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     finish(cudaMemcpyAsync(to, from, bytes, kind, cudaStreamPerThread)))
PTDS(cudaMemcpy2D, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                    enum cudaMemcpyKind kind),
     finish(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread)))
PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), cudaMemcpy3DAsync(p, cudaStreamPerThread))
PTDS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), cudaMemcpy3DPeerAsync(p, cudaStreamPerThread))
PTDS(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
     finish(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, cudaStreamPerThread)))
PTDS(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
     finish(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, cudaStreamPerThread)))
PTSZ(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s),
     (to, from, bytes, kind, own(s)))
PTSZ(cudaMemcpy2DAsync, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind, cudaStream_t s),
     (to, to_pitch, from, from_pitch, width, height, kind, own(s)))
PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, own(s)))
PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, own(s)))
PTSZ(cudaMemcpyToSymbolAsync, (const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t s),
     (symbol, from, bytes, offset, kind, own(s)))
PTSZ(cudaMemcpyFromSymbolAsync, (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                                 cudaStream_t s),
     (to, symbol, bytes, offset, kind, own(s)))
PTSZ(cudaMemcpy3DBatchAsync, (size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags, cudaStream_t s),
     (count, list, flags, own(s)))
PTSZ(cudaMemcpyBatchAsync, (void *const *to, const void *const *from, const size_t *sizes, size_t count,
                            struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                            cudaStream_t s),
     (to, from, sizes, count, attributes, indices, attribute_count, own(s)))
PTDS(cudaMemset, (void *to, int value, size_t bytes), cudaMemsetAsync(to, value, bytes, cudaStreamPerThread))
PTDS(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
     cudaMemset2DAsync(to, pitch, value, width, height, cudaStreamPerThread))
PTDS(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
     cudaMemset3DAsync(to, value, extent, cudaStreamPerThread))
PTSZ(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t s), (to, value, bytes, own(s)))
PTSZ(cudaMemset2DAsync, (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t s),
     (to, pitch, value, width, height, own(s)))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t s),
     (to, value, extent, own(s)))

/* ------------------------------------------------------------------ arrays */

PTDS(cudaMemcpy2DToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind),
     cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, cudaStreamPerThread))
PTDS(cudaMemcpy2DFromArray, (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                             size_t height, enum cudaMemcpyKind kind),
     cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, cudaStreamPerThread))
PTDS(cudaMemcpy2DArrayToArray, (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind),
     cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind))
PTSZ(cudaMemcpy2DToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind, cudaStream_t s),
     (to, x, y, from, pitch, width, height, kind, own(s)))
PTSZ(cudaMemcpy2DFromArrayAsync, (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind, cudaStream_t s),
     (to, pitch, from, x, y, width, height, kind, own(s)))

/* ------------------------------------------------------------------ memory */

PTSZ(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t s), (pointer, size, own(s)))
PTSZ(cudaMallocFromPoolAsync, (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t s),
     (pointer, size, pool, own(s)))
PTSZ(cudaFreeAsync, (void *pointer, cudaStream_t s), (pointer, own(s)))
PTSZ(cudaMemPrefetchBatchAsync, (void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *places,
                                 size_t *firsts, size_t place_count, unsigned long long flags, cudaStream_t s),
     (pointers, sizes, count, places, firsts, place_count, flags, own(s)))
PTSZ(cudaMemDiscardBatchAsync, (void **pointers, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t s),
     (pointers, sizes, count, flags, own(s)))
PTSZ(cudaMemDiscardAndPrefetchBatchAsync, (void **pointers, size_t *sizes, size_t count,
                                           struct cudaMemLocation *places, size_t *firsts, size_t place_count,
                                           unsigned long long flags, cudaStream_t s),
     (pointers, sizes, count, places, firsts, place_count, flags, own(s)))
PTSZ(cudaMemPrefetchAsync, (const void *pointer, size_t count, struct cudaMemLocation location, unsigned flags,
                            cudaStream_t s), (pointer, count, location, flags, own(s)))
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *pointer, size_t length, unsigned flags),
     (own(s), pointer, length, flags))

/* ------------------------------------------------------------------ streams and events */

PTSZ(cudaStreamSynchronize, (cudaStream_t s), (own(s)))
PTSZ(cudaStreamQuery, (cudaStream_t s), (own(s)))
PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t event, unsigned flags), (own(s), event, flags))
PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags), (own(s), flags))
PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *priority), (own(s), priority))
PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *id), (own(s), id))
PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *device), (own(s), device))
PTSZ(cudaStreamGetAttribute, (cudaStream_t s, cudaStreamAttrID attribute, cudaStreamAttrValue *value),
     (own(s), attribute, value))
PTSZ(cudaStreamSetAttribute, (cudaStream_t s, cudaStreamAttrID attribute, const cudaStreamAttrValue *value),
     (own(s), attribute, value))
PTSZ(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (own(to), own(from)))
PTSZ(cudaEventRecord, (cudaEvent_t event, cudaStream_t s), (event, own(s)))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t s, unsigned flags), (event, own(s), flags))

/* ------------------------------------------------------------------ capture */

PTSZ(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode mode), (own(s), mode))
PTSZ(cudaStreamBeginCaptureToGraph, (cudaStream_t s, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode),
     (own(s), graph, dependencies, edges, count, mode))
PTSZ(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *graph), (own(s), graph))
PTSZ(cudaStreamIsCapturing, (cudaStream_t s, enum cudaStreamCaptureStatus *status), (own(s), status))
PTSZ(cudaStreamGetCaptureInfo, (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                const cudaGraphEdgeData **edges, size_t *count),
     (own(s), status, id, graph, dependencies, edges, count))
PTSZ(cudaStreamUpdateCaptureDependencies, (cudaStream_t s, cudaGraphNode_t *dependencies,
                                           const cudaGraphEdgeData *edges, size_t count, unsigned flags),
     (own(s), dependencies, edges, count, flags))
