/*
 * driver_device.c - questions about the device, and what belongs to it: cuDevice*.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

CUresult cuDeviceGetCount(int *count)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaGetDeviceCount(count)) : call.result;
}

CUresult cuDeviceGet(CUdevice *device, int number)
{
    struct driver_call call;
    int count = 0;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && !device)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && (number < 0 || number >= count))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        *device = number;
    return driver_end(&call, error);
}

/* The attributes that the driver has and the runtime does not. */
static bool own_attribute(CUdevice_attribute attribute, int *value)
{
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        *value = 1;
        return true;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
        *value = 0;
        return true;
    default:
        return false;
    }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (value && device == 0 && own_attribute(attribute, value))
        return CUDA_SUCCESS;
    return driver_end(&call, cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

static CUresult properties_of(struct cudaDeviceProp *properties, CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaGetDeviceProperties(properties, device));
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult result = name && length > 0 ? properties_of(&properties, device) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)length, "%s", properties.name);
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult result = uuid ? properties_of(&properties, device) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        memcpy(uuid, &properties.uuid, sizeof *uuid);
    return result;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult result = bytes ? properties_of(&properties, device) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        *bytes = properties.totalGlobalMem;
    return result;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult result = major && minor ? properties_of(&properties, device) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS) {
        *major = properties.major;
        *minor = properties.minor;
    }
    return result;
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceGetPCIBusId(id, length, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaDeviceGetByPCIBusId(device, id)) : call.result;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceGetDefaultMemPool(pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaDeviceGetMemPool(pool, device)) : call.result;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaDeviceSetMemPool(device, pool)) : call.result;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice target)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, source, target));
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
                                           CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceGetHostAtomicCapabilities(
                                 capabilities, (const enum cudaAtomicOperation *)operations, count, device));
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
                                          CUdevice source, CUdevice target)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceGetP2PAtomicCapabilities(
                                 capabilities, (const enum cudaAtomicOperation *)operations, count, source, target));
}

/* Contexts cannot be confined to some of the multiprocessors: that needs the multi-process service. */
CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!supported || (unsigned)type >= CU_EXEC_AFFINITY_TYPE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (device)
        return CUDA_ERROR_INVALID_DEVICE;
    *supported = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!affinity || (unsigned)type >= CU_EXEC_AFFINITY_TYPE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    affinity->type = type; /* all of them: nothing divides the device */
    return cuDeviceGetAttribute((int *)&affinity->param.smCount.val, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
}

/* On Linux no device has one. */
CUresult cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device)
{
    struct driver_call call;

    (void)luid, (void)mask;
    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback function, void *data,
                                           CUasyncCallbackHandle *handle)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceRegisterAsyncNotification(device, (cudaAsyncCallback)function, data,
                                                                 (cudaAsyncCallbackHandle_t *)handle));
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle handle)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceUnregisterAsyncNotification(device, (cudaAsyncCallbackHandle_t)handle));
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaDeviceGraphMemTrim(device)) : call.result;
}
