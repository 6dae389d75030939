/*
 * driver_memory.c - the calls that allocate and free memory, and that describe an address.
 */
#include "driver.h"

#include <string.h>

/* ------------------------------------------------------------------ given and taken */

CUresult cuMemGetInfo(size_t *unused, size_t *total)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaMemGetInfo(unused, total)) : call.result;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (bytes == 0) /* which the runtime takes */
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaMalloc((void **)address, bytes));
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if ((element != 4 && element != 8 && element != 16) || width == 0 || height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaMallocPitch((void **)address, pitch, width, height));
}

CUresult cuMemFree(CUdeviceptr address)
{
    struct driver_call call;

    /* An H200 looks at the address first: of one that is gone it says INVALID_VALUE, also without a current context. */
    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaFree((void *)(uintptr_t)address)) : call.result;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!bytes) /* only the runtime's call takes it */
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaMallocManaged((void **)address, bytes, flags));
}

CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaMallocHost(pointer, bytes)) : call.result;
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaHostAlloc(pointer, bytes, flags)) : call.result;
}

CUresult cuMemFreeHost(void *pointer)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaFreeHost(pointer)) : call.result;
}

CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaHostRegister(pointer, bytes, flags));
}

CUresult cuMemHostUnregister(void *pointer)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaHostUnregister(pointer)) : call.result;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *pointer, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaHostGetDevicePointer((void **)address, pointer, flags));
}

CUresult cuMemHostGetFlags(unsigned *flags, void *pointer)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaHostGetFlags(flags, pointer)) : call.result;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
    struct driver_call call;
    const struct cudaMemLocation where = { .type = (enum cudaMemLocationType)location.type, .id = location.id };

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemAdvise((const void *)(uintptr_t)address, bytes, (enum cudaMemoryAdvise)advice,
                                           where));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t count,
                                 CUdeviceptr address, size_t bytes)
{
    struct driver_call call;

    _Static_assert(sizeof *attributes == sizeof(enum cudaMemRangeAttribute), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemRangeGetAttributes(data, sizes, (enum cudaMemRangeAttribute *)attributes, count,
                                                       (const void *)(uintptr_t)address, bytes));
}

CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                                size_t bytes)
{
    return cuMemRangeGetAttributes(&data, &size, &attribute, 1, address, bytes);
}

/* ------------------------------------------------------------------ pools */

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    struct driver_call call;

    _Static_assert(sizeof *properties == sizeof(struct cudaMemPoolProps), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)properties));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaMemPoolDestroy(pool)) : call.result;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaMemPoolTrimTo(pool, bytes)) : call.result;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count)
{
    struct driver_call call;

    _Static_assert(sizeof *list == sizeof(struct cudaMemAccessDesc), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)list, count));
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
    struct driver_call call;

    _Static_assert(sizeof *location == sizeof(struct cudaMemLocation), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool,
                                                  (struct cudaMemLocation *)location));
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemGetDefaultMemPool(pool, (struct cudaMemLocation *)location,
                                                      (enum cudaMemAllocationType)type));
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemGetMemPool(pool, (struct cudaMemLocation *)location,
                                               (enum cudaMemAllocationType)type));
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemSetMemPool((struct cudaMemLocation *)location, (enum cudaMemAllocationType)type,
                                               pool));
}

/* ------------------------------------------------------------------ what is known of an address */

/* The allocation that `address` is in: its first byte and its size. */
static CUresult range_of(CUdeviceptr address, CUdeviceptr *base, size_t *bytes)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        const struct region *region = allocation_find(inner.runtime, (void *)(uintptr_t)address);

        if (!region)
            inner.error = cudaErrorSymbolNotFound; /* the driver's CUDA_ERROR_NOT_FOUND */
        if (region && base)
            *base = region->base;
        if (region && bytes)
            *bytes = region->size;
        if (region)
            driver_mapping(inner.runtime, address, base, bytes);
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    return range_of(address, base, bytes);
}

/* Of what cudaPointerGetAttributes() knows; false: another attribute. */
static bool plain_attribute(CUpointer_attribute attribute, const struct cudaPointerAttributes *known, void *value)
{
    bool host = known->type == cudaMemoryTypeHost;

    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = (uintptr_t)known->devicePointer;
        return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)value = known->hostPointer;
        return known->hostPointer;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)value = known->type == cudaMemoryTypeManaged;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = known->device;
        return true;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)value = true;
        return true;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)value = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
        return true;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(unsigned long long *)value = 0;
        return true;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)value = known->type == cudaMemoryTypeManaged;
        return true;
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        *(unsigned *)value = false;
        return true;
    default:
        return false;
    }
}

/* The pool that the block at `base` came from, or NULL. */
static CUmemoryPool pool_of(struct runtime *runtime, CUdeviceptr base)
{
    CUmemoryPool pool;

    runtime_lock(runtime);
    pool = map_get(&runtime->pooled, (void *)(uintptr_t)base);
    runtime_unlock(runtime);
    return pool;
}

/* Whether cudaMalloc() made the allocation at `base`. */
static bool is_plain_device(struct runtime *runtime, CUdeviceptr base)
{
    const struct region *region;

    runtime_lock(runtime);
    region = allocation_find(runtime, (void *)(uintptr_t)base);
    runtime_unlock(runtime);
    return region && region->kind == REGION_DEVICE;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    struct cudaPointerAttributes known;
    struct driver_call call;
    CUdeviceptr base;
    size_t bytes;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    result = value ? driver_end(&call, cudaPointerGetAttributes(&known, (void *)(uintptr_t)address))
                   : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    if (known.type == cudaMemoryTypeUnregistered)
        return CUDA_ERROR_INVALID_VALUE;
    if (plain_attribute(attribute, &known, value))
        return CUDA_SUCCESS;
    result = range_of(address, &base, &bytes);
    if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR && result == CUDA_SUCCESS)
        *(CUdeviceptr *)value = base;
    else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE && result == CUDA_SUCCESS)
        *(size_t *)value = bytes;
    else if ((attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID || attribute == CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID) &&
             result == CUDA_SUCCESS)
        *(unsigned long long *)value = base;
    else if (attribute == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR && result == CUDA_SUCCESS)
        *(CUdeviceptr *)value = base;
    else if (attribute == CU_POINTER_ATTRIBUTE_MAPPING_SIZE && result == CUDA_SUCCESS)
        *(size_t *)value = bytes;
    else if (attribute == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE && result == CUDA_SUCCESS)
        *(unsigned *)value = is_plain_device(call.runtime, base);
    else if (attribute == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE && result == CUDA_SUCCESS)
        *(CUmemoryPool *)value = pool_of(call.runtime, base);
    else if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT)
        result = cuCtxGetCurrent(value);
    else if (result == CUDA_SUCCESS)
        result = CUDA_ERROR_INVALID_VALUE;
    return result;
}

/* The only attribute to set: whether each copy with this memory waits. Here the host sees every copy done in order. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    CUdeviceptr base;
    size_t bytes;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    return range_of(address, &base, &bytes) == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Bytes that an attribute's answer has. */
static size_t attribute_bytes(CUpointer_attribute attribute)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return 8;
    default: return 4;
    }
}

/*
 * Of an address that is no one's each answer is zero, and the device is none: cuda.h calls that success, unlike for the
 * call above.
 */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr address)
{
    if (!count || !attributes || !values)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        CUresult result = cuPointerGetAttribute(values[i], attributes[i], address);

        if (result == CUDA_ERROR_INVALID_VALUE && values[i] && attributes[i] >= CU_POINTER_ATTRIBUTE_CONTEXT &&
            attributes[i] <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
            memset(values[i], 0, attribute_bytes(attributes[i]));
        else if (result != CUDA_SUCCESS)
            return result;
        if (result == CUDA_ERROR_INVALID_VALUE && attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(CUdevice *)values[i] = CU_DEVICE_INVALID;
    }
    return CUDA_SUCCESS;
}
