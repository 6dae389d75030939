/*
 * driver_copy.c - copies and memsets. driver_per_thread.c compiles this file a second time, for programs in which no
 * stream means the calling thread's own stream. The headers then give every call its other name.
 */
#include "driver.h"

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* ------------------------------------------------------------------ rows of bytes */

static CUresult copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaMemcpy(to, from, bytes, kind)) : call.result;
}

static CUresult copy_async(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, CUstream stream)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemcpyAsync(to, from, bytes, kind, stream));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_async(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext target, CUdeviceptr from, CUcontext source, size_t bytes)
{
    (void)target, (void)source;
    return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext target, CUdeviceptr from, CUcontext source, size_t bytes,
                           CUstream stream)
{
    (void)target, (void)source;
    return copy_async(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return copy_async(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_async(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_async(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
}

/* ------------------------------------------------------------------ planes and boxes */

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
        side->ptr = pointer(device);
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

static cudaError_t to_runtime(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *parameters)
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

static CUresult copy_box(const CUDA_MEMCPY3D *copy, bool async, CUstream stream)
{
    struct driver_call call;
    struct cudaMemcpy3DParms parameters;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = to_runtime(copy, &parameters);
    if (error == cudaSuccess)
        error = async ? cudaMemcpy3DAsync(&parameters, stream) : cudaMemcpy3D(&parameters);
    return driver_end(&call, error);
}

/* Rows that lie close together where no pitch is given. */
static size_t pitch_of(size_t pitch, size_t width, size_t height)
{
    return pitch == 0 && height > 0 ? width : pitch;
}

static CUresult copy_plane_2d(const CUDA_MEMCPY2D *plane, bool async, CUstream stream)
{
    CUDA_MEMCPY3D copy;

    if (!plane)
        return CUDA_ERROR_INVALID_VALUE;
    copy = (CUDA_MEMCPY3D){ .srcXInBytes = plane->srcXInBytes, .srcY = plane->srcY,
                            .srcMemoryType = plane->srcMemoryType, .srcHost = plane->srcHost,
                            .srcDevice = plane->srcDevice, .srcArray = plane->srcArray,
                            .srcPitch = pitch_of(plane->srcPitch, plane->srcXInBytes + plane->WidthInBytes, 1),
                            .srcHeight = plane->srcY + plane->Height,
                            .dstXInBytes = plane->dstXInBytes, .dstY = plane->dstY,
                            .dstMemoryType = plane->dstMemoryType, .dstHost = plane->dstHost,
                            .dstDevice = plane->dstDevice, .dstArray = plane->dstArray,
                            .dstPitch = pitch_of(plane->dstPitch, plane->dstXInBytes + plane->WidthInBytes, 1),
                            .dstHeight = plane->dstY + plane->Height,
                            .WidthInBytes = plane->WidthInBytes, .Height = plane->Height, .Depth = 1 };
    return copy_box(&copy, async, stream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *plane)
{
    return copy_plane_2d(plane, false, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *plane)
{
    return copy_plane_2d(plane, false, NULL);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *plane, CUstream stream)
{
    return copy_plane_2d(plane, true, stream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *box)
{
    return box ? copy_box(box, false, NULL) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *box, CUstream stream)
{
    return box ? copy_box(box, true, stream) : CUDA_ERROR_INVALID_VALUE;
}

/* ------------------------------------------------------------------ memsets */

/* Elements of 1, 2 or 4 bytes; the runtime has calls for bytes only. */
static CUresult set(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                    CUstream stream)
{
    struct work work = { .kind = WORK_SET, .call = "cuMemset",
                         .set = { .target = { to, pitch, pitch * height }, .value = value, .element = element,
                                  .width = width, .height = height, .depth = 1 } };
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (to % element || (height > 1 && pitch % element))
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE))
        inner.error = work_submit(&inner, &work, stream);
    return driver_end(&call, call_end(&inner));
}

/* With one row, the pitch has no meaning. */
static CUresult set_row(CUdeviceptr to, unsigned value, unsigned element, size_t count, CUstream stream)
{
    return set(to, count * element, value, element, count, 1, stream);
}

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define OWN CU_STREAM_PER_THREAD
#else
#define OWN CU_STREAM_LEGACY
#endif

static CUstream own(CUstream stream)
{
    return stream ? stream : OWN;
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    return set_row(to, value, 1, count, OWN);
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count)
{
    return set_row(to, value, 2, count, OWN);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count)
{
    return set_row(to, value, 4, count, OWN);
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return set(to, pitch, value, 1, width, height, OWN);
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return set(to, pitch, value, 2, width, height, OWN);
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height)
{
    return set(to, pitch, value, 4, width, height, OWN);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    return set_row(to, value, 1, count, own(stream));
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    return set_row(to, value, 2, count, own(stream));
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    return set_row(to, value, 4, count, own(stream));
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream)
{
    return set(to, pitch, value, 1, width, height, own(stream));
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream)
{
    return set(to, pitch, value, 2, width, height, own(stream));
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream)
{
    return set(to, pitch, value, 4, width, height, own(stream));
}
