/*
 * driver_old.c - calls of programs that were written before CUDA 4: kernels whose parameters are set one by one,
 * contexts that are attached, banks of shared memory, and the properties of that time. Also the launch on several
 * devices, of which there is one. The header calls all of them deprecated, and still declares them.
 */
#include "driver.h"

#include <string.h>

enum { PARAMETER_BYTES = 4096 };

/* What the calls below said of a kernel's next launch. */
struct old_launch {
    unsigned block[3];     /* threads */
    unsigned shared, size; /* bytes of dynamic shared memory, of parameters */
    unsigned char parameters[PARAMETER_BYTES];
};

/* The record of the kernel, made when it is first asked for. NULL: there is no such kernel, or no memory. */
static struct old_launch *old_of(struct runtime *runtime, CUfunction function)
{
    struct entry *entry;

    if (module_entry(runtime, function, &entry) != cudaSuccess)
        return NULL;
    if (!entry->old && (entry->old = handle_create(runtime, sizeof *entry->old, HANDLE_RECORD)) != NULL)
        entry->old->block[0] = entry->old->block[1] = entry->old->block[2] = 1;
    return entry->old;
}

/* Ends a call that sets one thing: `bytes` of a kernel's parameters from `offset` on, or what `change` holds. */
struct change {
    const unsigned *block;  /* [3], or NULL */
    const unsigned *shared; /* or NULL */
    const unsigned *size;   /* or NULL */
    const void *value;      /* [bytes], or NULL */
    int offset;
    unsigned bytes;
};

static CUresult set(CUfunction function, const struct change *change)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct old_launch *old = old_of(inner.runtime, function);

        if (!old) {
            inner.error = cudaErrorInvalidResourceHandle;
        } else if ((change->size && *change->size > PARAMETER_BYTES) || change->offset < 0 ||
                   change->offset > PARAMETER_BYTES || change->bytes > PARAMETER_BYTES - (unsigned)change->offset) {
            inner.error = cudaErrorInvalidValue;
        } else {
            if (change->block)
                memcpy(old->block, change->block, sizeof old->block);
            if (change->shared)
                old->shared = *change->shared;
            if (change->size)
                old->size = *change->size;
            if (change->value)
                memcpy(old->parameters + change->offset, change->value, change->bytes);
        }
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    return set(function, &(struct change){ .block = (unsigned[]){ (unsigned)x, (unsigned)y, (unsigned)z } });
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    return set(function, &(struct change){ .shared = &bytes });
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    return set(function, &(struct change){ .size = &bytes });
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return set(function, &(struct change){ .value = &value, .offset = offset, .bytes = sizeof value });
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return set(function, &(struct change){ .value = &value, .offset = offset, .bytes = sizeof value });
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes)
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    return set(function, &(struct change){ .value = value, .offset = offset, .bytes = bytes });
}

/* ------------------------------------------------------------------ launches */

static CUresult launch(CUfunction function, int width, int height, CUstream stream)
{
    struct old_launch old;
    struct driver_call call;
    struct call inner;
    CUresult result;
    size_t size;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (width <= 0 || height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        const struct old_launch *known = old_of(inner.runtime, function);

        if (known)
            old = *known;
        else
            inner.error = cudaErrorInvalidResourceHandle;
    }
    result = driver_end(&call, call_end(&inner));
    if (result != CUDA_SUCCESS)
        return result;
    size = old.size;
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, old.block[0], old.block[1], old.block[2],
                          old.shared, stream, NULL,
                          (void *[]){ CU_LAUNCH_PARAM_BUFFER_POINTER, old.parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
                                      &size, CU_LAUNCH_PARAM_END });
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    return launch(function, width, height, stream);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return launch(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
    return launch(function, 1, 1, NULL);
}

/* There is one device: the list has one launch, not in a default stream. */
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned count, unsigned flags)
{
    const unsigned known = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                           CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!list || count != 1 || flags & ~known || !list->hStream || list->hStream == CU_STREAM_LEGACY ||
        list->hStream == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_VALUE;
    return cuLaunchCooperativeKernel(list->function, list->gridDimX, list->gridDimY, list->gridDimZ, list->blockDimX,
                                     list->blockDimY, list->blockDimZ, list->sharedMemBytes, list->hStream,
                                     list->kernelParams);
}

/* ------------------------------------------------------------------ contexts, banks, properties */

CUresult cuCtxAttach(CUcontext *context, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!context || flags)
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    *context = driver_current(call.thread);
    (*context)->references++;
    runtime_unlock(call.runtime);
    return CUDA_SUCCESS;
}

/* The last one destroys the context: cuCtxCreate() counts as the first attachment. */
CUresult cuCtxDetach(CUcontext context)
{
    struct driver_call call;
    bool last;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (context != driver_current(call.thread))
        return CUDA_ERROR_INVALID_CONTEXT;
    runtime_lock(call.runtime);
    last = context->references == 0;
    context->references -= !last;
    runtime_unlock(call.runtime);
    return last ? cuCtxDestroy(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE; /* there has been one since Maxwell */
    return CUDA_SUCCESS;
}

static CUresult set_banks(CUsharedconfig config)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return (unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    return set_banks(config);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    struct cudaFuncAttributes attributes;
    struct driver_call call;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    result = driver_end(&call, cudaFuncGetAttributes(&attributes, function));
    return result == CUDA_SUCCESS ? set_banks(config) : result;
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    struct cudaDeviceProp all;
    struct driver_call call;
    cudaError_t error;
    int clock = 0;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!properties)
        return CUDA_ERROR_INVALID_VALUE;
    error = cudaGetDeviceProperties(&all, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
    if (error == cudaSuccess) {
        *properties = (CUdevprop){
            .maxThreadsPerBlock = all.maxThreadsPerBlock, .sharedMemPerBlock = (int)all.sharedMemPerBlock,
            .totalConstantMemory = (int)all.totalConstMem, .SIMDWidth = all.warpSize, .memPitch = (int)all.memPitch,
            .regsPerBlock = all.regsPerBlock, .clockRate = clock, .textureAlign = (int)all.textureAlignment };
        memcpy(properties->maxThreadsDim, all.maxThreadsDim, sizeof properties->maxThreadsDim);
        memcpy(properties->maxGridSize, all.maxGridSize, sizeof properties->maxGridSize);
    }
    return driver_end(&call, error);
}
