/*
 * driver_call.c - the frame of every call of the driver API.
 */
#include "driver.h"

CUresult driver_error(cudaError_t error)
{
    /* Most of the runtime's numbers are the driver's; these the driver does not have. */
    switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidChannelDescriptor:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorMissingConfiguration:
    case cudaErrorApiFailureBase:
        return CUDA_ERROR_UNKNOWN;
    default:
        return (CUresult)error;
    }
}

struct CUctx_st *driver_current(const struct thread_state *thread)
{
    return thread->context_count ? thread->contexts[thread->context_count - 1] : NULL;
}

bool driver_is_context(struct runtime *runtime, CUcontext context)
{
    bool known;

    runtime_lock(runtime);
    known = context == &runtime->primary || handle_is(runtime, context, HANDLE_CONTEXT);
    runtime_unlock(runtime);
    return known;
}

/* Notes a call of a thread that has no context, or one that is gone: the program may overlook it. */
static bool without_context(struct driver_call *call)
{
    struct call note = { .runtime = call->runtime, .thread = call->thread, .error = (cudaError_t)call->result };

    runtime_lock(call->runtime);
    call->runtime->told_of_call = false;
    if (call->runtime->sim)
        unchecked_note(&note);
    runtime_unlock(call->runtime);
    return false;
}

bool driver_begin(struct driver_call *call, enum driver_need need)
{
    *call = (struct driver_call){ .runtime = runtime_get(), .result = CUDA_ERROR_DEINITIALIZED };
    if (!call->runtime)
        return false;
    call->result = CUDA_ERROR_OUT_OF_MEMORY;
    call->thread = runtime_thread(call->runtime);
    if (!call->thread)
        return false;
    call->last = call->thread->last;
    call->contexts = call->thread->context_count;
    call->active = call->runtime->primary.active;
    call->used = call->runtime->primary.used;
    call->result = CUDA_ERROR_NOT_INITIALIZED;
    if (need >= DRIVER_READY && (!call->runtime->driver_ready || call->runtime->forked))
        return false;
    call->result = CUDA_ERROR_INVALID_CONTEXT;
    if (need == DRIVER_CONTEXT && !driver_current(call->thread))
        return without_context(call);
    call->result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (need == DRIVER_CONTEXT && driver_current(call->thread) == &call->runtime->primary && !call->active)
        return without_context(call);
    call->result = CUDA_SUCCESS;
    return true;
}

CUresult driver_end(struct driver_call *call, cudaError_t error)
{
    call->thread->last = call->last;
    call->runtime->primary.active = call->active; /* a call of the driver neither makes nor keeps it */
    call->runtime->primary.used = call->used;
    if (call->contexts == 0) /* the runtime's call made the primary one current */
        call->thread->context_count = 0;
    return driver_error(error);
}

CUresult driver_unsupported(const char *name)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_ANY))
        return call.result;
    if (call_begin(&inner, CALL_ANY))
        inner.error = runtime_unsupported(&inner, name);
    return driver_end(&call, call_end(&inner));
}
