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

/* Rows that lie close together where no pitch is given. */
static size_t pitch_of(size_t pitch, size_t x, size_t width)
{
    return pitch ? pitch : x + width;
}

static CUresult copy_box(const CUDA_MEMCPY3D *box, bool async, CUstream stream)
{
    struct driver_call call;
    struct cudaMemcpy3DParms parameters;
    CUDA_MEMCPY3D copy = *box;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    copy.srcPitch = pitch_of(copy.srcPitch, copy.srcXInBytes, copy.WidthInBytes);
    copy.dstPitch = pitch_of(copy.dstPitch, copy.dstXInBytes, copy.WidthInBytes);
    error = driver_box(&copy, &parameters);
    if (error == cudaSuccess)
        error = async ? cudaMemcpy3DAsync(&parameters, stream) : cudaMemcpy3D(&parameters);
    return driver_end(&call, error);
}

/* All contexts are of one device. */
static CUDA_MEMCPY3D within_device(const CUDA_MEMCPY3D_PEER *peer)
{
    return (CUDA_MEMCPY3D){ .srcXInBytes = peer->srcXInBytes, .srcY = peer->srcY, .srcZ = peer->srcZ,
                            .srcMemoryType = peer->srcMemoryType, .srcHost = peer->srcHost,
                            .srcDevice = peer->srcDevice, .srcArray = peer->srcArray, .srcPitch = peer->srcPitch,
                            .srcHeight = peer->srcHeight, .dstXInBytes = peer->dstXInBytes, .dstY = peer->dstY,
                            .dstZ = peer->dstZ, .dstMemoryType = peer->dstMemoryType, .dstHost = peer->dstHost,
                            .dstDevice = peer->dstDevice, .dstArray = peer->dstArray, .dstPitch = peer->dstPitch,
                            .dstHeight = peer->dstHeight, .WidthInBytes = peer->WidthInBytes,
                            .Height = peer->Height, .Depth = peer->Depth };
}

static bool row_fits(size_t pitch, size_t x, size_t width)
{
    return !pitch || !width || x + width <= pitch;
}

static CUresult copy_plane_2d(const CUDA_MEMCPY2D *plane, bool async, CUstream stream)
{
    CUDA_MEMCPY3D copy;

    if (!plane || !row_fits(plane->srcPitch, plane->srcXInBytes, plane->WidthInBytes) ||
        !row_fits(plane->dstPitch, plane->dstXInBytes, plane->WidthInBytes))
        return CUDA_ERROR_INVALID_VALUE;
    copy = (CUDA_MEMCPY3D){ .srcXInBytes = plane->srcXInBytes, .srcY = plane->srcY,
                            .srcMemoryType = plane->srcMemoryType, .srcHost = plane->srcHost,
                            .srcDevice = plane->srcDevice, .srcArray = plane->srcArray,
                            .srcPitch = plane->srcPitch,
                            .srcHeight = plane->srcY + plane->Height,
                            .dstXInBytes = plane->dstXInBytes, .dstY = plane->dstY,
                            .dstMemoryType = plane->dstMemoryType, .dstHost = plane->dstHost,
                            .dstDevice = plane->dstDevice, .dstArray = plane->dstArray,
                            .dstPitch = plane->dstPitch,
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

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *box)
{
    CUDA_MEMCPY3D copy;

    if (!box)
        return CUDA_ERROR_INVALID_VALUE;
    copy = within_device(box);
    return copy_box(&copy, false, NULL);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *box, CUstream stream)
{
    CUDA_MEMCPY3D copy;

    if (!box)
        return CUDA_ERROR_INVALID_VALUE;
    copy = within_device(box);
    return copy_box(&copy, true, stream);
}

/* ------------------------------------------------------------------ arrays of one row */

static CUresult to_array(CUarray to, size_t x, const void *from, size_t bytes, enum cudaMemcpyKind kind, bool async,
                         CUstream stream)
{
    cudaArray_t array = (cudaArray_t)to;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!array)
        return CUDA_ERROR_INVALID_VALUE;
    if (async)
        return driver_end(&call, cudaMemcpy2DToArrayAsync(array, x, 0, from, bytes, bytes, 1, kind, stream));
    return driver_end(&call, cudaMemcpy2DToArray(array, x, 0, from, bytes, bytes, 1, kind));
}

static CUresult from_array(void *to, CUarray from, size_t x, size_t bytes, enum cudaMemcpyKind kind, bool async,
                           CUstream stream)
{
    cudaArray_t array = (cudaArray_t)from;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!array)
        return CUDA_ERROR_INVALID_VALUE;
    if (async)
        return driver_end(&call, cudaMemcpy2DFromArrayAsync(to, bytes, array, x, 0, bytes, 1, kind, stream));
    return driver_end(&call, cudaMemcpy2DFromArray(to, bytes, array, x, 0, bytes, 1, kind));
}

CUresult cuMemcpyHtoA(CUarray to, size_t x, const void *from, size_t bytes)
{
    return to_array(to, x, from, bytes, cudaMemcpyHostToDevice, false, NULL);
}

CUresult cuMemcpyHtoAAsync(CUarray to, size_t x, const void *from, size_t bytes, CUstream stream)
{
    return to_array(to, x, from, bytes, cudaMemcpyHostToDevice, true, stream);
}

CUresult cuMemcpyDtoA(CUarray to, size_t x, CUdeviceptr from, size_t bytes)
{
    return to_array(to, x, pointer(from), bytes, cudaMemcpyDeviceToDevice, false, NULL);
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t x, size_t bytes)
{
    return from_array(to, from, x, bytes, cudaMemcpyDeviceToHost, false, NULL);
}

CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t x, size_t bytes, CUstream stream)
{
    return from_array(to, from, x, bytes, cudaMemcpyDeviceToHost, true, stream);
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t x, size_t bytes)
{
    return from_array(pointer(to), from, x, bytes, cudaMemcpyDeviceToDevice, false, NULL);
}

CUresult cuMemcpyAtoA(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t bytes)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemcpy2DArrayToArray((cudaArray_t)to, to_x, 0, (cudaArray_t)from, from_x, 0, bytes, 1,
                                                      cudaMemcpyDeviceToDevice));
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
    if (to % element || (height > 1 && (pitch % element || pitch / element < width)))
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
