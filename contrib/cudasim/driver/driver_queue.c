/*
 * driver_queue.c - the calls that put work other than copies into streams: launches, host functions, events, captures,
 * graphs, memory of pools. driver_per_thread.c compiles this file a second time, for programs in which no stream means
 * the calling thread's own stream. The headers then give every call its other name.
 */
#include "driver.h"

#include "contrib/cudasim/runtime/by_host.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define OWN CU_STREAM_PER_THREAD
#else
#define OWN CU_STREAM_LEGACY
#endif

static CUstream own(CUstream stream)
{
    return stream ? stream : OWN;
}

/* ------------------------------------------------------------------ launches */

static CUresult launch(const char *name, CUfunction function, const struct configuration *configuration,
                       void **arguments, void **extra, const CUlaunchAttribute *attributes, unsigned attribute_count,
                       bool cooperative)
{
    struct work work = { .kind = WORK_KERNEL, .call = name };
    const struct CUstream_st *stream;
    struct driver_call call;
    struct call inner;

    _Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (arguments && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        inner.error = launch_prepare(inner.runtime, function, configuration, arguments, extra,
                                     (const cudaLaunchAttribute *)attributes, attribute_count, cooperative,
                                     &work.kernel);
        stream = stream_of(&inner, configuration->stream);
        if (inner.error == cudaSuccess && stream && !stream->capture)
            inner.error = launch_outside_graphs(inner.runtime, &work.kernel);
        if (inner.error == cudaSuccess && stream && !stream->capture)
            lazy_load(inner.runtime, work.kernel.entry);
        if (inner.error == cudaSuccess)
            inner.error = launch_submit(&inner, &work, (const cudaLaunchAttribute *)attributes, attribute_count,
                                        configuration->stream);
        work_release(&work);
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments,
                        void **extra)
{
    const struct configuration configuration = { { grid_x, grid_y, grid_z }, { block_x, block_y, block_z }, shared,
                                                 own(stream) };

    return launch("cuLaunchKernel", function, &configuration, arguments, extra, NULL, 0, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void **arguments)
{
    const struct configuration configuration = { { grid_x, grid_y, grid_z }, { block_x, block_y, block_z }, shared,
                                                 own(stream) };

    return launch("cuLaunchCooperativeKernel", function, &configuration, arguments, NULL, NULL, 0, true);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)
{
    struct configuration configuration;

    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    configuration = (struct configuration){ { config->gridDimX, config->gridDimY, config->gridDimZ },
                                            { config->blockDimX, config->blockDimY, config->blockDimZ },
                                            config->sharedMemBytes, own(config->hStream) };
    return launch("cuLaunchKernelEx", function, &configuration, arguments, extra, config->attrs, config->numAttrs,
                  false);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaLaunchHostFunc(stream, function, data));
}

/* The driver has its own enumeration of error codes. A callback always gets success. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data, unsigned flags)
{
    struct driver_call call;
    cudaStreamCallback_t callback;

    _Static_assert(sizeof function == sizeof callback, "pointers to functions");
    __builtin_memcpy(&callback, &function, sizeof callback);
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamAddCallback(stream, callback, data, flags));
}

/* ------------------------------------------------------------------ streams and events */

CUresult cuStreamSynchronize(CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaStreamSynchronize(stream)) : call.result;
}

CUresult cuStreamQuery(CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaStreamQuery(stream)) : call.result;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaStreamGetId(stream, id)) : call.result;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    (void)stream;
    return cuCtxGetDevice(device);
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (context && handle_is(call.runtime, stream, HANDLE_STREAM) && stream->owner) {
        *context = stream->owner;
        return CUDA_SUCCESS;
    }
    return cuCtxGetCurrent(context); /* the default streams are of each context, the others of the primary one */
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
    CUgreenCtx found = NULL;
    CUresult result = context && green ? cuStreamGetGreenCtx(stream, &found) : CUDA_ERROR_INVALID_VALUE;

    if (result != CUDA_SUCCESS)
        return result;
    *green = found;
    if (!found)
        return cuStreamGetCtx(stream, context);
    *context = NULL; /* one of the two is given */
    return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamAttachMemAsync(stream, (void *)(uintptr_t)address, bytes, flags));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventRecord(event, stream)) : call.result;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaEventRecordWithFlags(event, stream, flags));
}

/* ------------------------------------------------------------------ captures and graphs */

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaStreamEndCapture(stream, graph)) : call.result;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status));
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamBeginCaptureToGraph(stream, graph, dependencies,
                                                           (const cudaGraphEdgeData *)edges, count,
                                                           (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamGetCaptureInfo(stream, (enum cudaStreamCaptureStatus *)status,
                                                      (unsigned long long *)id, graph, dependencies,
                                                      (const cudaGraphEdgeData **)edges, count));
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                           size_t count, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamUpdateCaptureDependencies(stream, dependencies,
                                                                 (const cudaGraphEdgeData *)edges, count, flags));
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamGetAttribute(stream, (cudaLaunchAttributeID)attribute,
                                                    (cudaLaunchAttributeValue *)value));
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamSetAttribute(stream, (cudaLaunchAttributeID)attribute,
                                                    (const cudaLaunchAttributeValue *)value));
}

CUresult cuStreamCopyAttributes(CUstream target, CUstream source)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaStreamCopyAttributes(target, source));
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters)
{
    cudaGraphInstantiateParams how;
    struct driver_call call;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    how = (cudaGraphInstantiateParams){ .flags = parameters->flags, .uploadStream = parameters->hUploadStream };
    error = cudaGraphInstantiateWithParams(exec, graph, &how);
    parameters->hErrNode_out = how.errNode_out;
    parameters->result_out = (CUgraphInstantiateResult)how.result_out;
    return driver_end(&call, error);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphLaunch(exec, stream)) : call.result;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaGraphUpload(exec, stream)) : call.result;
}

/* ------------------------------------------------------------------ memory in the order of a stream */

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMallocAsync((void **)address, bytes, stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMallocFromPoolAsync((void **)address, bytes, pool, stream));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaFreeAsync((void *)(uintptr_t)address, stream));
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream)
{
    struct driver_call call;
    const struct cudaMemLocation where = { .type = (enum cudaMemLocationType)location.type, .id = location.id };

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPrefetchAsync((const void *)(uintptr_t)address, bytes, where, flags, stream));
}

/* ------------------------------------------------------------------ lists of copies and of ranges */

CUresult cuMemcpyBatchAsync(CUdeviceptr *targets, CUdeviceptr *sources, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *firsts, size_t attribute_count, CUstream stream)
{
    struct driver_call call;

    _Static_assert(sizeof *attributes == sizeof(struct cudaMemcpyAttributes), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemcpyBatchAsync((void *const *)targets, (const void *const *)sources, sizes, count,
                                                  (struct cudaMemcpyAttributes *)attributes, firsts, attribute_count,
                                                  stream));
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags, CUstream stream)
{
    struct driver_call call;

    _Static_assert(sizeof *list == sizeof(struct cudaMemcpy3DBatchOp), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemcpy3DBatchAsync(count, (struct cudaMemcpy3DBatchOp *)list, flags, stream));
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *places,
                                 size_t *firsts, size_t place_count, unsigned long long flags, CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPrefetchBatchAsync((void **)addresses, sizes, count,
                                                       (struct cudaMemLocation *)places, firsts, place_count, flags,
                                                       stream));
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemDiscardBatchAsync((void **)addresses, sizes, count, flags, stream));
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *places,
                                           size_t *firsts, size_t place_count, unsigned long long flags,
                                           CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemDiscardAndPrefetchBatchAsync((void **)addresses, sizes, count,
                                                                 (struct cudaMemLocation *)places, firsts,
                                                                 place_count, flags, stream));
}

/* ------------------------------------------------------------------ words that a stream writes or waits for */

static CUresult submit_word(const char *name, CUstream stream, const struct word_work *word)
{
    struct work work = { .kind = WORK_WORD, .call = name, .word = *word };
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE))
        inner.error = work_submit(&inner, &work, own(stream));
    return driver_end(&call, call_end(&inner));
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
    return submit_word("cuStreamWaitValue32", stream, &(struct word_work){ address, value, 4, flags & 3, true,
                                                                        CU_STREAM_MEM_OP_WAIT_VALUE_32, flags });
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags)
{
    return submit_word("cuStreamWaitValue64", stream, &(struct word_work){ address, value, 8, flags & 3, true,
                                                                        CU_STREAM_MEM_OP_WAIT_VALUE_64, flags });
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
    /* The flags are about a fence, which each write has here. */
    return submit_word("cuStreamWriteValue32", stream, &(struct word_work){ address, value, 4, 0, false,
                                                                         CU_STREAM_MEM_OP_WRITE_VALUE_32, flags });
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags)
{
    return submit_word("cuStreamWriteValue64", stream, &(struct word_work){ address, value, 8, 0, false,
                                                                         CU_STREAM_MEM_OP_WRITE_VALUE_64, flags });
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags)
{
    CUresult result = (count && !list) || flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        const CUstreamBatchMemOpParams *one = &list[i];

        switch ((int)one->operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            result = cuStreamWaitValue32(stream, one->waitValue.address, one->waitValue.value, one->waitValue.flags);
            break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            result = cuStreamWaitValue64(stream, one->waitValue.address, one->waitValue.value64, one->waitValue.flags);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            result = cuStreamWriteValue32(stream, one->writeValue.address, one->writeValue.value, 0);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            result = cuStreamWriteValue64(stream, one->writeValue.address, one->writeValue.value64, 0);
            break;
        case CU_STREAM_MEM_OP_BARRIER: /* a stream's work is in order here */
        case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
            break;
        default:
            result = CUDA_ERROR_INVALID_VALUE;
        }
    }
    return result;
}
