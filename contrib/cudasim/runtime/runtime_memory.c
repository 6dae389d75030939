/*
 * runtime_memory.c - the calls that allocate and free memory (device, managed and page-locked), and that describe a
 * pointer.
 */
#include "runtime.h"
#include "graph_memory.h"

enum {
    HOST_ALLOC_FLAGS = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined,
    REGISTER_FLAGS = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                     cudaHostRegisterReadOnly,
};

/* ------------------------------------------------------------------ giving and taking */

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE))
        call.error = allocation_new(call.runtime, size, REGION_DEVICE, 0, pointer);
    return call_end(&call);
}

cudaError_t cudaFree(void *pointer)
{
    struct call call;

    /* Of memory of a pool, the manual says that nothing waits: work that is pending may still use it. */
    if (call_begin(&call, CALL_UNSAFE) && pointer &&
        (!map_get(&call.runtime->pooled, pointer) || graph_memory_is(call.runtime, pointer)))
        call.error = queue_wait_all(&call);
    if (call.locked && call.error == cudaSuccess && graph_memory_is(call.runtime, pointer) &&
        !graph_memory_free(call.runtime, pointer))
        call.error = cudaErrorInvalidValue;
    else if (call.locked && call.error == cudaSuccess)
        call.error = allocation_release(call.runtime, pointer, __func__);
    return call_end(&call);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
            call.error = cudaErrorInvalidValue;
        else
            call.error = allocation_new(call.runtime, size, REGION_MANAGED, 0, pointer);
    }
    return call_end(&call);
}

static cudaError_t allocate_rows(struct runtime *runtime, struct cudaPitchedPtr *pointer, size_t width, size_t height,
                                 size_t depth)
{
    size_t pitch, bytes;

    *pointer = (struct cudaPitchedPtr){ .xsize = width, .ysize = height };
    if (__builtin_add_overflow(width, (size_t)ALLOCATION_UNIT - 1, &pitch))
        return cudaErrorInvalidValue;
    pitch -= pitch % ALLOCATION_UNIT;
    pointer->pitch = height ? pitch : 0;
    if (__builtin_mul_overflow(pitch, height, &bytes) || __builtin_mul_overflow(bytes, depth, &bytes))
        return cudaErrorInvalidValue;
    return allocation_new(runtime, bytes, REGION_DEVICE, 0, &pointer->ptr);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    struct cudaPitchedPtr rows;
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        call.error = pointer && pitch ? allocate_rows(call.runtime, &rows, width, height, 1) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            *pointer = rows.ptr;
            *pitch = rows.pitch;
        }
    }
    return call_end(&call);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE))
        call.error = pointer ? allocate_rows(call.runtime, pointer, extent.width, extent.height, extent.depth)
                             : cudaErrorInvalidValue;
    return call_end(&call);
}

/* ------------------------------------------------------------------ page-locked memory */

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        if (flags & ~(unsigned)HOST_ALLOC_FLAGS)
            call.error = cudaErrorInvalidValue;
        else
            call.error = allocation_new(call.runtime, size, REGION_HOST, flags | cudaHostAllocMapped, pointer);
    }
    return call_end(&call);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE) && pointer) {
        const struct region *region = allocation_find(call.runtime, pointer);

        call.error = queue_wait_all(&call);
        if (call.error != cudaSuccess)
            ;
        else if (allocation_starts(region, pointer) && region->kind == REGION_HOST)
            memory_release(sim_memory(call.runtime->sim), region->base);
        else
            call.error = free_refused(call.runtime, pointer, __func__);
    }
    return call_end(&call);
}

static cudaError_t register_host(struct runtime *runtime, void *pointer, size_t size, unsigned flags)
{
    struct memory *memory = sim_memory(runtime->sim);
    const struct region *region = allocation_find(runtime, pointer);
    struct region *adopted;

    if (!pointer || !size || (flags & ~(unsigned)REGISTER_FLAGS) || (uintptr_t)pointer + size < (uintptr_t)pointer)
        return cudaErrorInvalidValue;
    if (region && region->kind != REGION_REGISTERED)
        return cudaErrorInvalidValue;
    adopted = memory_adopt(memory, pointer, size, REGION_REGISTERED);
    if (!adopted)
        return cudaErrorHostMemoryAlreadyRegistered;
    adopted->flags = flags | cudaHostRegisterMapped;
    runtime->host_memory = true;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE))
        call.error = register_host(call.runtime, pointer, size, flags);
    return call_end(&call);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        const struct region *region = allocation_find(call.runtime, pointer);

        call.error = queue_wait_all(&call);
        if (call.error != cudaSuccess)
            ;
        else if (allocation_starts(region, pointer) && region->kind == REGION_REGISTERED)
            memory_release(sim_memory(call.runtime->sim), region->base);
        else
            call.error = region || !pointer ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered;
    }
    return call_end(&call);
}

static const struct region *host_region(struct runtime *runtime, const void *pointer)
{
    const struct region *region = allocation_find(runtime, pointer);

    return region && (region->kind == REGION_HOST || region->kind == REGION_REGISTERED) ? region : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (device && !flags && host_region(call.runtime, host))
            *device = host;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct region *region = allocation_find(call.runtime, host);

        if (flags && region && region->kind == REGION_MANAGED)
            *flags = 0; /* what an H200 says of managed memory */
        else if (flags && host_region(call.runtime, host))
            *flags = region->flags;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ questions and hints */

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct memory *memory = sim_memory(call.runtime->sim);

        if (left)
            *left = memory_limit(memory) - memory_used(memory);
        if (total)
            *total = memory_limit(memory);
    }
    return call_end(&call);
}

static void describe(struct runtime *runtime, const struct region *region, const void *pointer,
                     struct cudaPointerAttributes *attributes)
{
    void *same = (void *)(uintptr_t)pointer;
    const struct CUmemPoolHandle_st *pool =
        region ? map_get(&runtime->pooled, (void *)(uintptr_t)region->base) : NULL;

    *attributes = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered,
                                                  .device = cudaInvalidDeviceId,
                                                  .hostPointer = same };
    if (!region)
        return;
    attributes->device = 0;
    attributes->devicePointer = same;
    if (region->kind == REGION_HOST || region->kind == REGION_REGISTERED || (pool && pool->memory == POOL_HOST)) {
        attributes->type = cudaMemoryTypeHost;
    } else if (region->kind == REGION_MANAGED ||
               (region->kind == REGION_GLOBAL && module_is_managed(runtime, region->base))) {
        attributes->type = cudaMemoryTypeManaged;
    } else {
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = NULL;
    }
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER) && runtime_needs_device(call.runtime, &call.error)) {
        if (attributes)
            describe(call.runtime, allocation_find(call.runtime, pointer), pointer, attributes);
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* All streams may use managed memory at any time here, so nothing has to be attached. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUstream_st *record = stream_of(&call, stream);
        const struct region *region = allocation_find(call.runtime, pointer);

        if (!record)
            call.error = cudaErrorInvalidResourceHandle;
        else if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
            call.error = cudaErrorInvalidValue;
        else if (flags == cudaMemAttachSingle && record->legacy) /* it stands for all streams */
            call.error = cudaErrorInvalidValue;
        else if (!region || (region->kind != REGION_MANAGED && !region->managed) ||
                 (uintptr_t)pointer != region->base || (length && length != region->size))
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}
