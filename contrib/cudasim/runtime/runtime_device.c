/*
 * runtime_device.c - the one virtual device: the calls that choose, limit and reset it, and small calls without effect.
 */
#include "runtime.h"
#include "graph_memory.h"

#include <stdio.h>
#include <string.h>

#define PCI_BUS_ID "0000:00:00.0"

enum {
    PENDING_LAUNCHES = 2048, /* cudaLimitDevRuntimePendingLaunchCount, as on an H100 */
    FETCH_MOST = 128,        /* bytes: the largest that an H200 takes */
    PRINTF_OF_EACH = 64 << 10, /* bytes for each multiprocessor, which is what an H200 has */
    PRINTF_LEAST = 512 << 10, /* bytes that an H200 makes of less */
    HEAP_LEAST = 4 << 20,
    FETCH_GRANULARITY = 64,  /* bytes: cudaLimitMaxL2FetchGranularity, as on an H100 */
};

/* Ends a call that has one number to tell, whatever the device's state. */
static cudaError_t tell(enum call_need need, int *place, int value)
{
    struct call call;

    if (call_begin(&call, need)) {
        if (place)
            *place = value;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ which device */

cudaError_t cudaGetDeviceCount(int *count)
{
    return tell(CALL_DRIVER, count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
    return tell(CALL_DRIVER, device, 0);
}

/* Since CUDA 12 it makes the primary context as well, which calls of the driver then find. */
cudaError_t cudaSetDevice(int device)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else
            call_use_primary(&call);
    }
    return call_end(&call);
}

static bool flags_known(unsigned flags)
{
    unsigned schedule = flags & cudaDeviceScheduleMask;

    return !(flags & ~(unsigned)cudaDeviceMask) &&
           (schedule == cudaDeviceScheduleAuto || schedule == cudaDeviceScheduleSpin ||
            schedule == cudaDeviceScheduleYield || schedule == cudaDeviceScheduleBlockingSync);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if ((flags & cudaInitDeviceFlagsAreValid) && !flags_known(device_flags))
            call.error = cudaErrorInvalidValue;
        else if (flags & cudaInitDeviceFlagsAreValid)
            call.runtime->device_flags = device_flags;
    }
    return call_end(&call);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (count < 0 || count > 1 || (count && !devices))
            call.error = cudaErrorInvalidValue;
        else if (count && devices[0] != 0)
            call.error = cudaErrorInvalidDevice;
    }
    return call_end(&call);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
    return tell(CALL_DRIVER, properties ? device : NULL, 0);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return tell(CALL_ANY, version, CUDART_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return tell(CALL_ANY, version, CUDART_VERSION);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!id || length < (int)sizeof PCI_BUS_ID)
            call.error = cudaErrorInvalidValue;
        else
            memcpy(id, PCI_BUS_ID, sizeof PCI_BUS_ID);
    }
    return call_end(&call);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    unsigned domain, bus, number, function;
    cudaError_t error = tell(CALL_DRIVER, id && strcmp(id, PCI_BUS_ID) == 0 ? device : NULL, 0);
    struct call call;

    if (error != cudaErrorInvalidValue || !device || !id ||
        sscanf(id, "%x:%x:%x.%x", &domain, &bus, &number, &function) != 4)
        return error;
    call_begin(&call, CALL_ANY); /* a place where no device is */
    call.error = cudaErrorInvalidDevice;
    return call_end(&call);
}

/* ------------------------------------------------------------------ flags, limits, caches */

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (flags_known(flags))
            call.runtime->device_flags = flags;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (flags)
            *flags = call.runtime->device_flags | cudaDeviceMapHost;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t limit_get(const struct runtime *runtime, enum cudaLimit limit, size_t *value)
{
    const struct sim_limits *limits = sim_limits(runtime->sim);

    switch (limit) {
    case cudaLimitStackSize:
        *value = limits->stack_bytes;
        return cudaSuccess;
    case cudaLimitPrintfFifoSize:
        *value = limits->printf_bytes ? limits->printf_bytes : (size_t)PRINTF_OF_EACH * limits->multiprocessors;
        return cudaSuccess;
    case cudaLimitMallocHeapSize:
        *value = limits->heap_bytes;
        return cudaSuccess;
    case cudaLimitDevRuntimePendingLaunchCount:
        *value = runtime->launches_pending ? runtime->launches_pending : PENDING_LAUNCHES;
        return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity:
        *value = runtime->fetch_granularity ? runtime->fetch_granularity : FETCH_GRANULARITY;
        return cudaSuccess;
    case cudaLimitPersistingL2CacheSize:
        *value = 0;
        return cudaSuccess;
    case cudaLimitDevRuntimeSyncDepth:
        return cudaErrorUnsupportedLimit;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t set_limit(struct runtime *runtime, enum cudaLimit limit, size_t value)
{
    struct sim_limits *limits = sim_limits_writable(runtime->sim);

    switch (limit) {
    case cudaLimitStackSize:
        if (value > limits->stack_max_bytes)
            return cudaErrorInvalidValue;
        limits->stack_bytes = (value + 15) / 16 * 16;
        return cudaSuccess;
    case cudaLimitPrintfFifoSize:
        limits->printf_bytes = value < PRINTF_LEAST ? PRINTF_LEAST : value;
        return cudaSuccess;
    case cudaLimitMallocHeapSize:
        if (value > limits->memory_bytes)
            return cudaErrorMemoryAllocation;
        if (sim_heap_begun(runtime->sim)) /* kernels have pointers into it */
            return cudaErrorInvalidValue;
        limits->heap_bytes = value < HEAP_LEAST ? HEAP_LEAST : value;
        return cudaSuccess;
    case cudaLimitDevRuntimePendingLaunchCount:
        runtime->launches_pending = value;
        return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity: /* a hint */
        if (value > FETCH_MOST)
            return cudaErrorInvalidValue;
        runtime->fetch_granularity = value;
        return cudaSuccess;
    case cudaLimitPersistingL2CacheSize: /* cudaDevAttrMaxPersistingL2CacheSize is 0 */
        return value ? cudaErrorInvalidValue : cudaSuccess;
    case cudaLimitDevRuntimeSyncDepth:
        return cudaErrorUnsupportedLimit;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = value ? limit_get(call.runtime, limit, value) : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE) && (call.error = queue_wait_all(&call)) == cudaSuccess)
        call.error = set_limit(call.runtime, limit, value);
    return call_end(&call);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (config)
            *config = call.runtime->cache;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if ((unsigned)config <= (unsigned)cudaFuncCachePreferEqual)
            call.runtime->cache = config;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* Shared memory has had one bank width since Maxwell. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (config)
            *config = cudaSharedMemBankSizeFourByte;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE) && (unsigned)config > (unsigned)cudaSharedMemBankSizeEightByte)
        call.error = cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (least)
            *least = 0;
        if (greatest)
            *greatest = PRIORITY_GREATEST;
    }
    return call_end(&call);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    struct call call;

    call_begin(&call, CALL_DEVICE);
    return call_end(&call);
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    struct call call;

    (void)target, (void)scope;
    call_begin(&call, CALL_DEVICE);
    return call_end(&call);
}

/* ------------------------------------------------------------------ reset */

/* Memory is gone, variables are as they were at the start, and a fault is forgotten. What was counted stays. */
cudaError_t cudaDeviceReset(void)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER) && call.runtime->sim) {
        queue_wait_all(&call); /* after a fault nothing is left there */
        queue_forget_all(call.runtime);
        module_unload_all(call.runtime);
        allocation_release_all(call.runtime, NULL);
        graph_memory_forget(call.runtime);
        call.runtime->primary.active = false;
        call.runtime->sticky = cudaSuccess;
        call.runtime->device_flags = 0;
        call.runtime->cache = cudaFuncCachePreferNone;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ peers, of which there are none */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (device != 0 || peer != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!can)
            call.error = cudaErrorInvalidValue;
        else
            *can = 0;
    }
    return call_end(&call);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) /* there is one device, and it is no peer of itself */
        call.error = flags ? cudaErrorInvalidValue : peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported;
    return call_end(&call);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = peer != 0 ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled;
    return call_end(&call);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int target)
{
    struct call call;

    (void)value, (void)attribute, (void)source, (void)target;
    if (call_begin(&call, CALL_DRIVER))
        call.error = cudaErrorInvalidDevice; /* a pair must be two */
    return call_end(&call);
}

/* The device is not integrated: no atomic operation passes the link to the host. */
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const enum cudaAtomicOperation *operations,
                                                unsigned count, int device)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (device)
            call.error = cudaErrorInvalidDevice;
        else if (!capabilities || !operations || !count)
            call.error = cudaErrorInvalidValue;
        for (unsigned i = 0; i < count && call.error == cudaSuccess; i++)
            if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
                call.error = cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            memset(capabilities, 0, count * sizeof *capabilities);
    }
    return call_end(&call);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const enum cudaAtomicOperation *operations,
                                               unsigned count, int source, int target)
{
    struct call call;

    (void)capabilities, (void)operations, (void)count, (void)source, (void)target;
    if (call_begin(&call, CALL_DRIVER))
        call.error = cudaErrorInvalidDevice; /* a pair must be two */
    return call_end(&call);
}

/* ------------------------------------------------------------------ memory of graphs */

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUmemPoolHandle_st *pool = &call.runtime->graph_pool;
        const uint64_t values[] = { [cudaGraphMemAttrUsedMemCurrent] = pool->used,
                                    [cudaGraphMemAttrUsedMemHigh] = pool->used_high,
                                    [cudaGraphMemAttrReservedMemCurrent] = pool->reserved,
                                    [cudaGraphMemAttrReservedMemHigh] = pool->reserved_high };

        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!value || (unsigned)attribute > (unsigned)cudaGraphMemAttrReservedMemHigh)
            call.error = cudaErrorInvalidValue;
        else
            *(uint64_t *)value = values[attribute];
    }
    return call_end(&call);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUmemPoolHandle_st *pool = &call.runtime->graph_pool;

        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!value || *(const uint64_t *)value != 0)
            call.error = cudaErrorInvalidValue;
        else if (attribute == cudaGraphMemAttrUsedMemHigh)
            pool->used_high = pool->used;
        else if (attribute == cudaGraphMemAttrReservedMemHigh)
            pool->reserved_high = pool->reserved;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (device != 0) {
            call.error = cudaErrorInvalidDevice;
        } else {
            if (!call.runtime->pending && !call.runtime->running)
                graph_memory_collect(call.runtime);
            pool_release(&call.runtime->graph_pool, 0);
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ profilers, of which there are none */

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaProfilerStart(void)
{
    struct call call;

    call_begin(&call, CALL_DEVICE);
    return call_end(&call);
}

cudaError_t cudaProfilerStop(void)
{
    return cudaProfilerStart();
}

/* A description of texels; that no texture can be made of it is for others to say. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){ x, y, z, w, kind };
}

/* ------------------------------------------------------------------ notices */

/*
 * A device tells the functions that are registered when it takes memory back for others. This one has all memory for
 * itself, so that never happens.
 */
cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback function, void *data,
                                                cudaAsyncCallbackHandle_t *handle)
{
    struct call call;

    (void)data;
    if (call_begin(&call, CALL_DEVICE)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!function || !handle)
            call.error = cudaErrorInvalidValue;
        else if (!(*handle = handle_create(call.runtime, sizeof function, HANDLE_NOTICE)))
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!handle_is(call.runtime, handle, HANDLE_NOTICE))
            call.error = cudaErrorInvalidValue;
        else
            handle_destroy(call.runtime, handle);
    }
    return call_end(&call);
}
