/*
 * runtime_pool.c - memory in the order of a stream: cudaMallocAsync, cudaFreeAsync and the pools behind them.
 *
 * The call allocates memory. The free happens when the stream reaches it. Pools only keep accounts. They hold nothing
 * in reserve, but their attributes say what a pool would hold. A block that the order of streams frees first counts as
 * taken again, as on an H200. There it also keeps its address. Here it gets another one, so that a use of the old
 * pointer is found.
 */
#include "runtime.h"
#include "graph_memory.h"
#include "task_clock.h"

#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ allocation */

/* In a capture, the memory belongs to the graph: it keeps its address as long as the graph lives. */
static cudaError_t capture_allocation(struct call *call, struct CUstream_st *stream, size_t size, void **pointer)
{
    struct work work = { .kind = WORK_ALLOCATE, .call = "cudaMallocAsync" };
    cudaError_t error = graph_memory_new(call->runtime, size, pointer);

    if (error != cudaSuccess)
        return error;
    work.memory.address = (uintptr_t)*pointer;
    work.memory.size = size;
    return capture_add(call, stream, &work);
}

/* Whether the stream's next work comes after the task. */
static bool comes_after(const struct runtime *runtime, const struct CUstream_st *stream, const struct task *task)
{
    unsigned own = stream->legacy ? 0 : stream->queue;
    const struct queue *queue = &runtime->queues[own], *theirs = &runtime->queues[task->queue];

    if (own == 0 && !stream->legacy) /* it had no work yet */
        return !(stream->flags & cudaStreamNonBlocking) && clock_covers(&runtime->queues[0].before, task);
    return clock_covers(&queue->before, task) || (queue == &runtime->queues[0] && theirs->blocking) ||
           (queue->blocking && clock_covers(&runtime->queues[0].before, task));
}

/* A block of that size, whose free is pending before the stream's next work, counts as free from now on. */
static void take_again(struct runtime *runtime, struct CUmemPoolHandle_st *pool, size_t size,
                       const struct CUstream_st *stream)
{
    for (const struct task *task = runtime->tasks; task; task = task->next) {
        void *block = (void *)(uintptr_t)task->work.memory.address;

        if (task->state != TASK_PENDING || task->work.kind != WORK_FREE || task->work.memory.size != size ||
            map_get(&runtime->pooled, block) != pool || !comes_after(runtime, stream, task))
            continue;
        if (!pool->reuse[0] && task->stream_id != stream->id) /* cudaMemPoolReuseFollowEventDependencies */
            continue;
        map_remove(&runtime->pooled, block);
        pool->used -= size;
        return;
    }
}

static cudaError_t allocate(struct call *call, void **pointer, size_t size, struct CUmemPoolHandle_st *pool,
                            cudaStream_t handle)
{
    struct work work = { .kind = WORK_TAKE, .call = "cudaMallocAsync" };
    struct CUstream_st *stream = stream_of(call, handle);
    cudaError_t error;

    if (!pointer)
        return cudaErrorInvalidValue;
    if (!handle_is(call->runtime, pool, HANDLE_POOL))
        return cudaErrorInvalidValue;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture)
        return capture_allocation(call, stream, size, pointer);
    error = stream->legacy ? capture_permits_legacy(call->runtime) : cudaSuccess;
    if (error == cudaSuccess) {
        take_again(call->runtime, pool, size, stream);
        error = pool_allocate(call->runtime, pool, size, pointer);
    }
    if (error == cudaErrorMemoryAllocation) {
        queue_run_all(call); /* what is freed there may do */
        error = pool_allocate(call->runtime, pool, size, pointer);
    }
    if (error != cudaSuccess || !size)
        return error;
    work.memory.address = (uintptr_t)*pointer;
    work.memory.size = size;
    return queue_submit(call, &work, stream, handle, NULL);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = allocate(&call, pointer, size, call.runtime->current_pool, stream);
    return call_end(&call);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = allocate(&call, pointer, size, pool, stream);
    return call_end(&call);
}

static cudaError_t free_in_order(struct call *call, struct CUstream_st *stream, void *pointer, cudaStream_t handle)
{
    struct work work = { .kind = WORK_FREE, .call = "cudaFreeAsync", .memory = { .address = (uintptr_t)pointer } };
    const struct region *region = allocation_find(call->runtime, pointer);

    if (!pointer)
        return cudaSuccess;
    if (!allocation_is_freeable(region, pointer))
        return free_refused(call->runtime, pointer, work.call);
    if (graph_memory_is(call->runtime, pointer) && !graph_memory_free(call->runtime, pointer))
        return cudaErrorInvalidValue;
    work.memory.size = region->size;
    return queue_submit(call, &work, stream, handle, NULL);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *stream = stream_of(&call, handle);
        struct work work = { .kind = WORK_RELEASE, .call = __func__, .memory = { .address = (uintptr_t)pointer } };

        if (!stream)
            call.error = cudaErrorInvalidResourceHandle;
        else if (stream->capture)
            call.error = capture_add(&call, stream, &work);
        else if (!stream->legacy || (call.error = capture_permits_legacy(call.runtime)) == cudaSuccess)
            call.error = free_in_order(&call, stream, pointer, handle);
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ pools */

enum { HANDLE_TYPES = cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeWin32 | cudaMemHandleTypeWin32Kmt |
                      cudaMemHandleTypeFabric };

static bool device_is_ours(const struct cudaMemLocation *location)
{
    return location && location->type == cudaMemLocationTypeDevice && location->id == 0;
}

/* Where pools may have their memory: on the device, or with the host. Managed memory needs no place. */
static bool place_is_ours(const struct cudaMemPoolProps *properties)
{
    switch (properties->location.type) {
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent: return true;
    case cudaMemLocationTypeNone: return properties->allocType == cudaMemAllocationTypeManaged;
    default: return device_is_ours(&properties->location);
    }
}

static enum pool_memory memory_of(const struct cudaMemPoolProps *properties)
{
    if (properties->allocType == cudaMemAllocationTypeManaged)
        return POOL_MANAGED;
    return properties->location.type == cudaMemLocationTypeDevice ? POOL_DEVICE : POOL_HOST;
}

static void begin_pool(struct runtime *runtime, struct CUmemPoolHandle_st *pool,
                       const struct cudaMemPoolProps *properties)
{
    memcpy(pool->reuse, (int[3]){ 1, 1, 1 }, sizeof pool->reuse);
    pool->most = properties->maxSize;
    pool->memory = memory_of(properties);
    pool->shared = properties->handleTypes == cudaMemHandleTypePosixFileDescriptor;
    pool->next = runtime->pools;
    runtime->pools = pool;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        if (!pool || !properties || !place_is_ours(properties) ||
            (properties->allocType != cudaMemAllocationTypePinned &&
             properties->allocType != cudaMemAllocationTypeManaged))
            call.error = cudaErrorInvalidValue;
        else if ((unsigned)properties->handleTypes & ~(unsigned)HANDLE_TYPES)
            call.error = cudaErrorInvalidValue;
        else if (properties->maxSize > memory_limit(sim_memory(call.runtime->sim)))
            call.error = cudaErrorMemoryAllocation;
        else if ((unsigned)properties->handleTypes & ~(unsigned)cudaMemHandleTypePosixFileDescriptor)
            call.error = runtime_unsupported(&call, "sharing a memory pool by anything but a file descriptor");
        else if (!(*pool = handle_create(call.runtime, sizeof **pool, HANDLE_POOL)))
            call.error = cudaErrorMemoryAllocation;
        else
            begin_pool(call.runtime, *pool, properties);
    }
    return call_end(&call);
}

/* Blocks outlive their pool; they go to the default pool's account. */
static void destroy(struct runtime *runtime, struct CUmemPoolHandle_st *pool)
{
    struct CUmemPoolHandle_st **link = &runtime->pools;

    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    if (pool->imported)
        close(pool->imported);
    for (size_t i = 0; i < runtime->pooled.capacity; i++)
        if (runtime->pooled.keys[i] && runtime->pooled.values[i] == pool)
            runtime->pooled.values[i] = &runtime->pool;
    runtime->pool.used += pool->used;
    pool_release(pool, 0); /* what is left holds its blocks */
    runtime->pool.reserved += pool->reserved;
    if (runtime->current_pool == pool)
        runtime->current_pool = &runtime->pool;
    /* An H200's driver makes the device's default pool current for the host, too, and not the host's own. */
    if (runtime->current_host_pool == pool)
        runtime->current_host_pool = &runtime->pool;
    handle_destroy(runtime, pool);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, pool, HANDLE_POOL) || pool->builtin)
            call.error = cudaErrorInvalidValue;
        else
            destroy(call.runtime, pool);
    }
    return call_end(&call);
}

static cudaError_t get_attribute(const struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute, void *value)
{
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = pool->threshold;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
        *(uint64_t *)value = pool->reserved;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        *(uint64_t *)value = pool->reserved_high;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
        *(uint64_t *)value = pool->used;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
        *(uint64_t *)value = pool->used_high;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t set_attribute(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute, const void *value)
{
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        pool->threshold = *(const uint64_t *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*(const uint64_t *)value != 0)
            return cudaErrorInvalidValue;
        if (attribute == cudaMemPoolAttrUsedMemHigh)
            pool->used_high = pool->used;
        else
            pool->reserved_high = pool->reserved;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = value && handle_is(call.runtime, pool, HANDLE_POOL) ? get_attribute(pool, attribute, value)
                                                                         : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = value && handle_is(call.runtime, pool, HANDLE_POOL) ? set_attribute(pool, attribute, value)
                                                                         : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t least)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, pool, HANDLE_POOL))
            pool_release(pool, least);
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, pool, HANDLE_POOL) || (count && !list))
            call.error = cudaErrorInvalidValue;
        for (size_t i = 0; call.error == cudaSuccess && i < count; i++)
            if (!device_is_ours(&list[i].location) || list[i].flags == cudaMemAccessFlagsProtNone)
                call.error = cudaErrorInvalidDevice; /* nobody takes its own memory from the device */
    }
    return call_end(&call);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!flags || !location || !handle_is(call.runtime, pool, HANDLE_POOL) ||
            (location->type == cudaMemLocationTypeDevice && location->id))
            call.error = cudaErrorInvalidValue;
        else
            *flags = device_is_ours(location) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ the device's pools */

static bool make_host_pool(struct runtime *runtime)
{
    struct cudaMemPoolProps properties = { .allocType = cudaMemAllocationTypePinned,
                                           .location.type = cudaMemLocationTypeHost };

    if (!runtime->host_pool && (runtime->host_pool = handle_create(runtime, sizeof *runtime->host_pool, HANDLE_POOL))) {
        begin_pool(runtime, runtime->host_pool, &properties);
        runtime->host_pool->builtin = true;
        runtime->current_host_pool = runtime->host_pool;
    }
    return runtime->host_pool;
}

static cudaError_t give_pool(cudaMemPool_t *pool, const struct cudaMemLocation *location, bool current,
                             cudaError_t wrong_place)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct runtime *runtime = call.runtime;

        if (!pool)
            call.error = cudaErrorInvalidValue;
        else if (device_is_ours(location))
            *pool = current ? runtime->current_pool : &runtime->pool;
        else if (!location || location->type != cudaMemLocationTypeHost)
            call.error = wrong_place;
        else if (!make_host_pool(runtime))
            call.error = cudaErrorMemoryAllocation;
        else
            *pool = current ? runtime->current_host_pool : runtime->host_pool;
    }
    return call_end(&call);
}

static cudaError_t take_pool(const struct cudaMemLocation *location, cudaMemPool_t pool)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, pool, HANDLE_POOL))
            call.error = cudaErrorInvalidValue;
        else if (device_is_ours(location))
            call.runtime->current_pool = pool;
        else if (!location || location->type != cudaMemLocationTypeHost || pool->memory != POOL_HOST)
            call.error = cudaErrorInvalidValue;
        else if (!make_host_pool(call.runtime))
            call.error = cudaErrorMemoryAllocation;
        else
            call.runtime->current_host_pool = pool;
    }
    return call_end(&call);
}

static struct cudaMemLocation of_device(int device)
{
    return (struct cudaMemLocation){ .type = cudaMemLocationTypeDevice, .id = device };
}

/* NULL, which no function here takes, if pools there have another kind of memory. */
static const struct cudaMemLocation *pinned(const struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    return type == cudaMemAllocationTypePinned ? location : NULL;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    struct cudaMemLocation location = of_device(device);

    return give_pool(pool, &location, false, cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    struct cudaMemLocation location = of_device(device);

    return give_pool(pool, &location, true, cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct cudaMemLocation location = of_device(device);

    return take_pool(&location, pool);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    return give_pool(pool, pinned(location, type), false, cudaErrorInvalidValue);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    return give_pool(pool, pinned(location, type), true, cudaErrorInvalidValue);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
    return take_pool(pinned(location, type), pool);
}
