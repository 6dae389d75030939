/*
 * driver_box.c - turns the driver's description of a copy of planes or boxes into the runtime's. driver_copy.c and
 * driver_node.c call it.
 */
#include "driver.h"

/* One side of a copy. False: its kind of memory is unknown. */
static bool side_of(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array, size_t pitch,
                    size_t height, struct cudaPitchedPtr *side, cudaArray_t *of_array)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        side->ptr = (void *)(uintptr_t)host;
        break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        side->ptr = (void *)(uintptr_t)device;
        break;
    case CU_MEMORYTYPE_ARRAY:
        *of_array = (cudaArray_t)array;
        return array != NULL;
    default:
        return false;
    }
    side->pitch = pitch;
    side->ysize = height;
    return true;
}

/* If an array takes part, the runtime counts in elements, and the driver in bytes. 0: the array is unknown. */
static size_t element_of(cudaArray_t array)
{
    struct cudaChannelFormatDesc format;

    if (cudaArrayGetInfo(&format, NULL, NULL, array) != cudaSuccess)
        return 0;
    return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

cudaError_t driver_box(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *parameters)
{
    size_t element = 1;

    *parameters = (struct cudaMemcpy3DParms){ .srcPos = { copy->srcXInBytes, copy->srcY, copy->srcZ },
                                              .dstPos = { copy->dstXInBytes, copy->dstY, copy->dstZ },
                                              .extent = { copy->WidthInBytes, copy->Height, copy->Depth },
                                              .kind = cudaMemcpyDefault };
    if (copy->srcMemoryType == CU_MEMORYTYPE_HOST || copy->dstMemoryType == CU_MEMORYTYPE_HOST)
        parameters->kind = copy->srcMemoryType == copy->dstMemoryType   ? cudaMemcpyHostToHost
                           : copy->srcMemoryType == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice
                                                                        : cudaMemcpyDeviceToHost;
    if (copy->srcMemoryType == CU_MEMORYTYPE_UNIFIED || copy->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
        parameters->kind = cudaMemcpyDefault;
    if (!side_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray, copy->srcPitch, copy->srcHeight,
                 &parameters->srcPtr, &parameters->srcArray) ||
        !side_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstPitch, copy->dstHeight,
                 &parameters->dstPtr, &parameters->dstArray))
        return cudaErrorInvalidValue;
    if (parameters->srcArray || parameters->dstArray) {
        element = element_of(parameters->srcArray ? parameters->srcArray : parameters->dstArray);
        if (!element || copy->WidthInBytes % element)
            return cudaErrorInvalidValue;
        parameters->extent.width /= element;
        parameters->srcPos.x /= parameters->srcArray ? element : 1;
        parameters->dstPos.x /= parameters->dstArray ? element : 1;
    }
    return cudaSuccess;
}
