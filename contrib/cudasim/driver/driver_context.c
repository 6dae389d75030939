/*
 * driver_context.c - initialisation, contexts, and the errors' names: cuInit, cuDevicePrimaryCtx*, cuCtx*.
 */
#include "driver.h"

#include <cudaProfiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ start */

CUresult cuInit(unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_ANY))
        return call.result;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    call.runtime->driver_ready = true;
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ the primary context */

static bool is_device(CUdevice device)
{
    return device == 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    runtime_lock(call.runtime);
    call.runtime->primary.references++;
    call.runtime->primary.active = true;
    *context = &call.runtime->primary;
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    struct driver_call call;
    CUresult result = CUDA_ERROR_INVALID_CONTEXT;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    runtime_lock(call.runtime);
    if (call.runtime->primary.references > 0) {
        if (--call.runtime->primary.references == 0 && !call.runtime->primary.used)
            call.runtime->primary.active = false;
        result = CUDA_SUCCESS;
    } else if (call.runtime->primary.used) {
        result = CUDA_SUCCESS; /* the runtime has a reference of its own */
    }
    runtime_unlock(call.runtime);
    return result;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    struct driver_call call;
    CUresult result;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    result = driver_end(&call, cudaDeviceReset());
    call.runtime->primary.active = call.runtime->primary.used = false;
    return result;
}

static bool flags_are_known(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;

    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && (schedule <= CU_CTX_SCHED_YIELD ||
                                                       schedule == CU_CTX_SCHED_BLOCKING_SYNC);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!flags_are_known(flags))
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    call.runtime->primary.flags = flags;
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    runtime_lock(call.runtime);
    *flags = call.runtime->primary.flags;
    *active = call.runtime->primary.active;
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ contexts */

static CUresult push(struct driver_call *call, CUcontext context)
{
    if (call->thread->context_count == CONTEXT_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    call->thread->contexts[call->thread->context_count++] = context;
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *context, unsigned flags, CUdevice device)
{
    struct driver_call call;
    struct CUctx_st *record;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!context || !flags_are_known(flags))
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    runtime_lock(call.runtime);
    record = handle_create(call.runtime, sizeof *record, HANDLE_CONTEXT);
    if (record) {
        *record = (struct CUctx_st){ .flags = flags, .id = ++call.runtime->next_id };
        driver_dump_settings(call.runtime, record);
    }
    runtime_unlock(call.runtime);
    if (!record)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *context = record;
    return push(&call, record);
}

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device)
{
    (void)parameters; /* how many multiprocessors: of no effect */
    return create(context, flags, device);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count, unsigned flags,
                        CUdevice device);

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count, unsigned flags,
                        CUdevice device)
{
    (void)parameters, (void)count;
    return create(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == &call.runtime->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!driver_is_context(call.runtime, context))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED; /* an H200 says so */
    driver_release_owned(call.runtime, context);
    driver_end(&call, cudaSuccess);
    if (driver_current(call.thread) == context)
        call.thread->context_count--;
    runtime_lock(call.runtime);
    handle_destroy(call.runtime, context);
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_is_context(call.runtime, context) ? push(&call, context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (context)
        *context = driver_current(call.thread);
    call.thread->context_count--;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (context && !driver_is_context(call.runtime, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (call.thread->context_count > 0)
        call.thread->context_count--;
    return context ? push(&call, context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = driver_current(call.thread);
    return CUDA_SUCCESS;
}

/* What the calls that end in _v2 ask of their context; NULL is the current one. */
static CUresult check_context(CUcontext context)
{
    struct driver_call call;

    if (!driver_begin(&call, context ? DRIVER_READY : DRIVER_CONTEXT))
        return call.result;
    return !context || driver_is_context(call.runtime, context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    CUresult result = check_context(context);

    if (result != CUDA_SUCCESS)
        return result;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return cuCtxGetDevice_v2(device, NULL);
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = driver_current(call.thread)->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    driver_current(call.thread)->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    if (context && !driver_is_context(call.runtime, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *id = (context ? context : driver_current(call.thread))->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    if (context ? !driver_is_context(call.runtime, context) : !driver_current(call.thread))
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaDeviceSynchronize()) : call.result;
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
    CUresult result = check_context(context);
    struct driver_call call;

    if (result != CUDA_SUCCESS)
        return result;
    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaDeviceSynchronize()) : call.result;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaCtxResetPersistingL2Cache()) : call.result;
}

/* Nobody but host and kernels writes here. */
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaDeviceFlushGPUDirectRDMAWrites((enum cudaFlushGPUDirectRDMAWritesTarget)target,
                                                                (enum cudaFlushGPUDirectRDMAWritesScope)scope));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    struct driver_call call;

    (void)flags;
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    /* There is one device. The code for its own contexts is an H200's. */
    return driver_is_context(call.runtime, peer) ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return peer ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}

/* The tables of internal functions that NVIDIA's own libraries ask each other for: there are none. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)id;
    if (table)
        *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuProfilerStart(void)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? CUDA_SUCCESS : call.result;
}

CUresult cuProfilerStop(void)
{
    return cuProfilerStart();
}
