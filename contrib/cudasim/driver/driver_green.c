/*
 * driver_green.c - green contexts: contexts that have some of the device's multiprocessors. The division is kept and
 * answered, and has no effect: kernels run one after the other.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { SM_UNIT = 8, SM_UNIT_ALONE = 2 }; /* multiprocessors that are given together on 9.0; and where that is waived */

/* Behind a CUdevResourceDesc. */
struct CUdevResourceDesc_st {
    unsigned multiprocessors;
};

struct CUgreenCtx_st {
    struct CUctx_st *context; /* the same as an ordinary one, with a handle of its own */
    unsigned multiprocessors;
    unsigned long long id;
};

static struct CUgreenCtx_st *green_of(const struct runtime *runtime, CUgreenCtx handle)
{
    return handle_is(runtime, handle, HANDLE_GREEN) ? handle : NULL;
}

/* ------------------------------------------------------------------ resources */

static void set_resource(CUdevResource *resource, unsigned multiprocessors)
{
    memset(resource, 0, sizeof *resource);
    resource->type = multiprocessors ? CU_DEV_RESOURCE_TYPE_SM : CU_DEV_RESOURCE_TYPE_INVALID;
    resource->sm.smCount = multiprocessors;
    resource->sm.minSmPartitionSize = SM_UNIT;
    resource->sm.smCoscheduledAlignment = SM_UNIT;
}

static CUresult get_resource(struct driver_call *call, CUdevResource *resource, CUdevResourceType type,
                             unsigned multiprocessors)
{
    cudaError_t error = cudaSuccess;

    if (!resource || type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call->runtime);
    if (runtime_needs_device(call->runtime, &error))
        set_resource(resource, multiprocessors ? multiprocessors : sim_limits(call->runtime->sim)->multiprocessors);
    runtime_unlock(call->runtime);
    return driver_error(error);
}

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return device == 0 ? get_resource(&call, resource, type, 0) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *resource, CUdevResourceType type)
{
    struct driver_call call;
    const struct CUgreenCtx_st *green;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    green = green_of(call.runtime, handle);
    return green ? get_resource(&call, resource, type, green->multiprocessors) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetDevResource(CUcontext context, CUdevResource *resource, CUdevResourceType type)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!driver_is_context(call.runtime, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return get_resource(&call, resource, type, context->multiprocessors);
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *groups, const CUdevResource *input,
                                     CUdevResource *rest, unsigned flags, unsigned least)
{
    struct driver_call call;
    unsigned unit = flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING ? SM_UNIT_ALONE : SM_UNIT, size, most, left;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!groups || !input || input->type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_VALUE;
    if (least > input->sm.smCount)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    size = least <= unit ? unit : (least + unit - 1) / unit * unit;
    most = input->sm.smCount / size;
    left = input->sm.smCount;
    if (!result || *groups > most)
        *groups = most;
    for (unsigned n = 0; result && n < *groups; n++, left -= size)
        set_resource(&result[n], size);
    if (rest)
        set_resource(rest, result ? left : input->sm.smCount - *groups * size);
    return *groups ? CUDA_SUCCESS : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources, unsigned count)
{
    struct driver_call call;
    unsigned multiprocessors = 0;
    struct CUdevResourceDesc_st *record;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!desc || !resources || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned n = 0; n < count; n++) {
        if (resources[n].type != CU_DEV_RESOURCE_TYPE_SM)
            return CUDA_ERROR_INVALID_RESOURCE_TYPE;
        multiprocessors += resources[n].sm.smCount;
    }
    runtime_lock(call.runtime);
    record = handle_create(call.runtime, sizeof *record, HANDLE_RESOURCES);
    runtime_unlock(call.runtime);
    if (!record)
        return CUDA_ERROR_OUT_OF_MEMORY;
    record->multiprocessors = multiprocessors;
    *desc = record;
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ green contexts */

CUresult cuGreenCtxCreate(CUgreenCtx *handle, CUdevResourceDesc desc, CUdevice device, unsigned flags)
{
    struct driver_call call;
    struct CUgreenCtx_st *green;
    struct CUctx_st *context;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!handle || flags != CU_GREEN_CTX_DEFAULT_STREAM || !handle_is(call.runtime, desc, HANDLE_RESOURCES))
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    runtime_lock(call.runtime);
    green = handle_create(call.runtime, sizeof *green, HANDLE_GREEN);
    context = green ? handle_create(call.runtime, sizeof *context, HANDLE_CONTEXT) : NULL;
    if (context) {
        *context = (struct CUctx_st){ .id = ++call.runtime->next_id, .multiprocessors = desc->multiprocessors };
        *green = (struct CUgreenCtx_st){ context, desc->multiprocessors, context->id };
    } else if (green) {
        handle_destroy(call.runtime, green);
    }
    runtime_unlock(call.runtime);
    *handle = green;
    if (context)
        context->green = green;
    return context ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Its streams live on, because the device owns them here. */
CUresult cuGreenCtxDestroy(CUgreenCtx handle)
{
    struct driver_call call;
    struct CUgreenCtx_st *green;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    green = green_of(call.runtime, handle);
    if (!green)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (driver_current(call.thread) == green->context)
        call.thread->context_count--;
    runtime_lock(call.runtime);
    handle_destroy(call.runtime, green->context);
    handle_destroy(call.runtime, green);
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx handle)
{
    struct driver_call call;
    const struct CUgreenCtx_st *green;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    green = green_of(call.runtime, handle);
    if (!context || !green)
        return context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *context = green->context;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxGetId(CUgreenCtx handle, unsigned long long *id)
{
    struct driver_call call;
    const struct CUgreenCtx_st *green;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    green = green_of(call.runtime, handle);
    if (!id || !green)
        return id ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *id = green->id;
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ their streams */

CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx handle, unsigned flags, int priority)
{
    struct driver_call call;
    struct CUgreenCtx_st *green;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    green = green_of(call.runtime, handle);
    if (!stream || flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    if (!green)
        return CUDA_ERROR_INVALID_CONTEXT;
    error = cudaStreamCreateWithPriority(stream, flags, priority);
    if (error == cudaSuccess)
        (*stream)->green = green;
    return driver_end(&call, error);
}

CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *handle)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = handle_is(call.runtime, stream, HANDLE_STREAM) ? green_of(call.runtime, stream->green) : NULL;
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ events of all streams of a context */

/* Makes captures invalid in which streams of the context take part. */
static cudaError_t permits(struct runtime *runtime, const struct CUgreenCtx_st *green)
{
    cudaError_t error = cudaSuccess;

    for (struct graph_capture *capture = runtime->captures; capture; capture = capture->next) {
        const struct CUstream_st *stream = capture->streams;

        while (stream && green && stream->green != green)
            stream = stream->next;
        if (stream) {
            capture->invalid = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    }
    return error;
}

/* The same for a capture that recorded the event. */
static cudaError_t permits_event(struct runtime *runtime, const struct CUevent_st *event)
{
    struct graph_capture *capture = event->capture_id ? capture_by_id(runtime, event->capture_id) : NULL;

    if (!capture)
        return event->capture_id ? cudaErrorInvalidValue : cudaSuccess;
    capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
}

/* `green`: NULL for the primary context. `waits`: its streams wait for the event, else they record it. */
static CUresult join(struct driver_call *call, const struct CUgreenCtx_st *green, CUevent event, bool waits)
{
    struct call inner;

    if (call_begin(&inner, CALL_DEVICE)) {
        inner.error = handle_is(inner.runtime, event, HANDLE_EVENT) ? permits(inner.runtime, green)
                                                                    : cudaErrorInvalidResourceHandle;
        if (inner.error == cudaSuccess && waits)
            inner.error = permits_event(inner.runtime, event);
        if (inner.error == cudaSuccess)
            inner.error = waits ? queue_follow_all(&inner, green, event) : queue_record_all(&inner, green, event);
    }
    return driver_end(call, call_end(&inner));
}

static CUresult join_green(CUgreenCtx handle, CUevent event, bool waits)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!green_of(call.runtime, handle))
        return CUDA_ERROR_INVALID_CONTEXT;
    return join(&call, handle, event, waits);
}

static CUresult join_context(CUcontext context, CUevent event, bool waits)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!driver_is_context(call.runtime, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return join(&call, context->green, event, waits);
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx handle, CUevent event)
{
    return join_green(handle, event, false);
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx handle, CUevent event)
{
    return join_green(handle, event, true);
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
    return join_context(context, event, false);
}

CUresult cuCtxWaitEvent(CUcontext context, CUevent event)
{
    return join_context(context, event, true);
}
