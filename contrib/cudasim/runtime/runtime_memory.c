/*
 * runtime_memory.c - memory is given and taken back: device, managed, page-locked; and what a pointer points to.
 */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 512, /* bytes: of device allocations, and of rows of pitched ones, as on an H100 */
    HOST_ALLOC_FLAGS = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined,
    REGISTER_FLAGS = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                     cudaHostRegisterReadOnly,
};

/* ------------------------------------------------------------------ giving and taking */

static cudaError_t allocate(struct runtime *runtime, size_t size, enum region_kind kind, unsigned flags, void **pointer)
{
    struct region *region;

    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (size == 0)
        return cudaSuccess;
    region = memory_allocate(sim_memory(runtime->sim), size, ALIGNMENT, kind);
    if (!region)
        return cudaErrorMemoryAllocation;
    region->flags = flags;
    *pointer = (void *)(uintptr_t)region->base;
    return cudaSuccess;
}

/* The live region that holds the pointer, or NULL. */
static const struct region *live_region(struct runtime *runtime, const void *pointer)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), (uintptr_t)pointer, NULL);

    return region && !region->freed ? region : NULL;
}

static bool starts(const struct region *region, const void *pointer)
{
    return region && region->base == (uintptr_t)pointer;
}

cudaError_t allocation_release(struct runtime *runtime, void *pointer)
{
    const struct region *region = live_region(runtime, pointer);
    struct CUmemPoolHandle_st *pool;

    if (!pointer)
        return cudaSuccess;
    if (!starts(region, pointer) ||
        (region->kind != REGION_DEVICE && region->kind != REGION_POOL && region->kind != REGION_MANAGED))
        return cudaErrorInvalidValue;
    pool = map_get(&runtime->pooled, pointer);
    if (pool == &runtime->graph_pool) /* it comes back when the graph is launched again */
        return cudaSuccess;
    if (pool) {
        pool->used -= region->size;
        map_remove(&runtime->pooled, pointer);
    }
    memory_release(sim_memory(runtime->sim), region->base);
    return cudaSuccess;
}

cudaError_t pool_allocate(struct runtime *runtime, struct CUmemPoolHandle_st *pool, size_t size, void **pointer)
{
    cudaError_t error = allocate(runtime, size, REGION_POOL, 0, pointer);

    if (error != cudaSuccess || !*pointer)
        return error;
    if (!map_put(&runtime->pooled, *pointer, pool)) {
        memory_release(sim_memory(runtime->sim), (uintptr_t)*pointer);
        *pointer = NULL;
        return cudaErrorMemoryAllocation;
    }
    pool->used += size;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE))
        call.error = allocate(call.runtime, size, REGION_DEVICE, 0, pointer);
    return call_end(&call);
}

cudaError_t cudaFree(void *pointer)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE))
        call.error = allocation_release(call.runtime, pointer);
    return call_end(&call);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
            call.error = cudaErrorInvalidValue;
        else
            call.error = allocate(call.runtime, size, REGION_MANAGED, 0, pointer);
    }
    return call_end(&call);
}

static cudaError_t allocate_rows(struct runtime *runtime, struct cudaPitchedPtr *pointer, size_t width, size_t height,
                                 size_t depth)
{
    size_t pitch, bytes;

    *pointer = (struct cudaPitchedPtr){ .xsize = width, .ysize = height };
    if (__builtin_add_overflow(width, (size_t)ALIGNMENT - 1, &pitch))
        return cudaErrorInvalidValue;
    pitch -= pitch % ALIGNMENT;
    pointer->pitch = pitch;
    if (__builtin_mul_overflow(pitch, height, &bytes) || __builtin_mul_overflow(bytes, depth, &bytes))
        return cudaErrorInvalidValue;
    return allocate(runtime, bytes, REGION_DEVICE, 0, &pointer->ptr);
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
            call.error = allocate(call.runtime, size, REGION_HOST, flags | cudaHostAllocMapped, pointer);
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
        const struct region *region = live_region(call.runtime, pointer);

        if (starts(region, pointer) && region->kind == REGION_HOST)
            memory_release(sim_memory(call.runtime->sim), region->base);
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

static cudaError_t register_host(struct runtime *runtime, void *pointer, size_t size, unsigned flags)
{
    struct memory *memory = sim_memory(runtime->sim);
    const struct region *region = live_region(runtime, pointer);
    struct region *adopted;

    if (!pointer || !size || (flags & ~(unsigned)REGISTER_FLAGS) || (uintptr_t)pointer + size < (uintptr_t)pointer)
        return cudaErrorInvalidValue;
    if (region && region->kind != REGION_REGISTERED && region->kind != REGION_HOST)
        return cudaErrorInvalidValue;
    adopted = memory_adopt(memory, pointer, size, REGION_REGISTERED);
    if (!adopted)
        return cudaErrorHostMemoryAlreadyRegistered;
    adopted->flags = flags | cudaHostRegisterMapped;
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
        const struct region *region = live_region(call.runtime, pointer);

        if (starts(region, pointer) && region->kind == REGION_REGISTERED)
            memory_release(sim_memory(call.runtime->sim), region->base);
        else
            call.error = region || !pointer ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered;
    }
    return call_end(&call);
}

static const struct region *host_region(struct runtime *runtime, const void *pointer)
{
    const struct region *region = live_region(runtime, pointer);

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
        const struct region *region = host_region(call.runtime, host);

        if (flags && region)
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

    *attributes = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered,
                                                  .device = cudaInvalidDeviceId,
                                                  .hostPointer = same };
    if (!region)
        return;
    attributes->device = 0;
    attributes->devicePointer = same;
    if (region->kind == REGION_MANAGED || (region->kind == REGION_GLOBAL && module_is_managed(runtime, region->base))) {
        attributes->type = cudaMemoryTypeManaged;
    } else if (region->kind == REGION_HOST || region->kind == REGION_REGISTERED) {
        attributes->type = cudaMemoryTypeHost;
    } else {
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = NULL;
    }
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct call call;

    if (call_begin(&call, CALL_ANY) && runtime_needs_device(call.runtime, &call.error)) {
        if (attributes)
            describe(call.runtime, live_region(call.runtime, pointer), pointer, attributes);
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* Managed memory is in one place only, so hints about where it should be have nothing to do. */
static cudaError_t hint(struct runtime *runtime, const void *pointer, size_t count)
{
    const struct region *region = live_region(runtime, pointer);
    bool managed = region && (region->kind == REGION_MANAGED ||
                              (region->kind == REGION_GLOBAL && module_is_managed(runtime, region->base)));

    return managed && count > 0 && count <= region->base + region->size - (uintptr_t)pointer ? cudaSuccess
                                                                                            : cudaErrorInvalidValue;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    struct call call;

    (void)advice, (void)location;
    if (call_begin(&call, CALL_DEVICE))
        call.error = hint(call.runtime, pointer, count);
    return call_end(&call);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream)
{
    struct call call;

    (void)location;
    if (call_begin(&call, CALL_DEVICE)) {
        call.error = flags ? cudaErrorInvalidValue : hint(call.runtime, pointer, count);
        if (call.error == cudaSuccess)
            call.error = work_submit(&call, &(struct work){ .kind = WORK_EMPTY, .call = __func__ }, stream);
    }
    return call_end(&call);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned flags)
{
    struct call call;

    (void)length, (void)flags;
    if (call_begin(&call, CALL_DEVICE)) {
        if (!stream_of(&call, stream))
            call.error = cudaErrorInvalidResourceHandle;
        else if (!live_region(call.runtime, pointer))
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ the end */

struct region_list {
    struct region *regions; /* [count], copies */
    size_t count, capacity;
};

static bool is_programs(enum region_kind kind)
{
    return kind == REGION_DEVICE || kind == REGION_POOL || kind == REGION_MANAGED || kind == REGION_HOST ||
           kind == REGION_REGISTERED;
}

static void collect(const struct region *region, void *context)
{
    struct region_list *list = context;

    if (!is_programs(region->kind))
        return;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        struct region *regions = realloc(list->regions, capacity * sizeof *regions);

        if (!regions)
            return;
        list->regions = regions;
        list->capacity = capacity;
    }
    list->regions[list->count++] = *region;
}

void allocation_release_all(struct runtime *runtime)
{
    struct region_list list = { 0 };

    memory_visit(sim_memory(runtime->sim), collect, &list);
    for (size_t i = 0; i < list.count; i++)
        memory_release(sim_memory(runtime->sim), list.regions[i].base);
    free(list.regions);
    map_release(&runtime->pooled);
    runtime->pool.used = runtime->graph_pool.used = 0;
}

static int by_serial(const void *left, const void *right)
{
    uint64_t a = ((const struct region *)left)->serial, b = ((const struct region *)right)->serial;

    return (a > b) - (a < b);
}

/* Device memory alone: page-locked memory ends with its process, and programs rarely take the trouble. */
static bool is_leak(struct runtime *runtime, const struct region *region)
{
    return (region->kind == REGION_DEVICE || region->kind == REGION_MANAGED || region->kind == REGION_POOL) &&
           map_get(&runtime->pooled, (void *)(uintptr_t)region->base) != &runtime->graph_pool;
}

void allocation_check_leaks(struct runtime *runtime)
{
    struct region_list list = { 0 };

    memory_visit(sim_memory(runtime->sim), collect, &list);
    if (list.count)
        qsort(list.regions, list.count, sizeof *list.regions, by_serial);
    for (size_t i = 0; i < list.count; i++) {
        const struct region *region = &list.regions[i];
        struct sim_fault fault = { .kind = FAULT_LEAK, .address = region->base, .count = 1 };

        if (!is_leak(runtime, region))
            continue;
        snprintf(fault.text, sizeof fault.text,
                 "%" PRIu64 " bytes at 0x%" PRIx64 " (allocation number %" PRIu64 ") were never freed", region->size,
                 region->base, region->serial);
        sim_report_fault(runtime->sim, &fault);
    }
    free(list.regions);
}
