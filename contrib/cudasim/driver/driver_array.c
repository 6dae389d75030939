/*
 * driver_array.c - arrays, mipmapped arrays, texture and surface objects. It turns the driver's descriptions into the
 * runtime's, and back. do_array.c and runtime_texture.c do the work.
 */
#include "driver.h"
#include "contrib/cudasim/runtime/array.h"

/* ------------------------------------------------------------------ formats */

/* The plain formats. Those of normalised integers have the runtime's order. */
static const struct format {
    CUarray_format driver;
    enum cudaChannelFormatKind kind;
    int bits; /* of a channel */
} formats[] = {
    { CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8 },
    { CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16 },
    { CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32 },
    { CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8 },
    { CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16 },
    { CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32 },
    { CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16 },
    { CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32 },
};

enum {
    FORMATS = sizeof formats / sizeof *formats,
    /* Six unsigned kinds, then six signed ones: 8 bits, then 16 bits, each with 1, 2 and 4 channels. */
    NORMALISED_BASE = cudaChannelFormatKindUnsignedNormalized8X1,
};

/* False: such a format is not for arrays here. */
static bool to_channels(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *desc)
{
    int bits = 0;

    *desc = (struct cudaChannelFormatDesc){ .f = cudaChannelFormatKindNone };
    for (int n = 0; n < FORMATS; n++) {
        if (formats[n].driver == format) {
            desc->f = formats[n].kind;
            bits = formats[n].bits;
        }
    }
    if (format >= CU_AD_FORMAT_UNORM_INT8X1 && format <= CU_AD_FORMAT_SNORM_INT16X4) {
        int n = (int)format - CU_AD_FORMAT_UNORM_INT8X1;

        desc->f = (enum cudaChannelFormatKind)(NORMALISED_BASE + n);
        bits = n % 6 < 3 ? 8 : 16;
        if (channels != 1u << n % 3)
            return false;
    }
    desc->x = channels >= 1 ? bits : 0;
    desc->y = channels >= 2 ? bits : 0;
    desc->z = channels >= 3 ? bits : 0;
    desc->w = channels >= 4 ? bits : 0;
    return bits && (channels == 1 || channels == 2 || channels == 4);
}

static void from_channels(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels)
{
    *channels = 1 + (desc->y > 0) + (desc->z > 0) + (desc->w > 0);
    *format = (CUarray_format)(CU_AD_FORMAT_UNORM_INT8X1 + ((int)desc->f - NORMALISED_BASE));
    for (int n = 0; n < FORMATS; n++)
        if (formats[n].kind == desc->f && formats[n].bits == desc->x)
            *format = formats[n].driver;
}

/* ------------------------------------------------------------------ arrays */

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *want)
{
    struct driver_call call;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;

    _Static_assert(CUDA_ARRAY3D_LAYERED == cudaArrayLayered && CUDA_ARRAY3D_SURFACE_LDST == cudaArraySurfaceLoadStore &&
                       CUDA_ARRAY3D_CUBEMAP == cudaArrayCubemap &&
                       CUDA_ARRAY3D_TEXTURE_GATHER == cudaArrayTextureGather, "the flags are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!array || !want || !to_channels(want->Format, want->NumChannels, &desc))
        return CUDA_ERROR_INVALID_VALUE;
    extent = (struct cudaExtent){ want->Width, want->Height, want->Depth };
    return driver_end(&call, cudaMalloc3DArray((cudaArray_t *)array, &desc, extent, want->Flags));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *want)
{
    CUDA_ARRAY3D_DESCRIPTOR box;

    if (!want)
        return CUDA_ERROR_INVALID_VALUE;
    box = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = want->Width, .Height = want->Height, .Format = want->Format,
                                     .NumChannels = want->NumChannels };
    return cuArray3DCreate(array, &box);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
    struct driver_call call;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    error = cudaArrayGetInfo(&desc, &extent, &flags, (cudaArray_t)array);
    if (error == cudaSuccess) {
        *descriptor = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = extent.width, .Height = extent.height,
                                                 .Depth = extent.depth, .Flags = flags };
        from_channels(&desc, &descriptor->Format, &descriptor->NumChannels);
    }
    return driver_end(&call, error);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR box;
    CUresult result = descriptor ? cuArray3DGetDescriptor(&box, array) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        *descriptor = (CUDA_ARRAY_DESCRIPTOR){ .Width = box.Width, .Height = box.Height, .Format = box.Format,
                                               .NumChannels = box.NumChannels };
    return result;
}

CUresult cuArrayDestroy(CUarray array)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!array)
        return CUDA_ERROR_INVALID_HANDLE;
    return driver_end(&call, cudaFreeArray((cudaArray_t)array));
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array, CUdevice device)
{
    struct cudaArrayMemoryRequirements needs;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaArrayGetMemoryRequirements(requirements ? &needs : NULL, (cudaArray_t)array, device));
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray mipmapped,
                                               CUdevice device)
{
    struct cudaArrayMemoryRequirements needs;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMipmappedArrayGetMemoryRequirements(requirements ? &needs : NULL,
                                                                     (cudaMipmappedArray_t)mipmapped, device));
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array)
{
    struct cudaArraySparseProperties sparse;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaArrayGetSparseProperties(properties ? &sparse : NULL, (cudaArray_t)array));
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray mipmapped)
{
    struct cudaArraySparseProperties sparse;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMipmappedArrayGetSparseProperties(properties ? &sparse : NULL,
                                                                   (cudaMipmappedArray_t)mipmapped));
}

CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned index)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaArrayGetPlane((cudaArray_t *)plane, (cudaArray_t)array, index));
}

/* ------------------------------------------------------------------ mipmapped arrays */

CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmapped, const CUDA_ARRAY3D_DESCRIPTOR *want, unsigned levels)
{
    struct driver_call call;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!mipmapped || !want || !to_channels(want->Format, want->NumChannels, &desc))
        return CUDA_ERROR_INVALID_VALUE;
    extent = (struct cudaExtent){ want->Width, want->Height, want->Depth };
    return driver_end(&call, cudaMallocMipmappedArray((cudaMipmappedArray_t *)mipmapped, &desc, extent, levels,
                                                      want->Flags));
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmapped, unsigned level)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaGetMipmappedArrayLevel((cudaArray_t *)array, (cudaMipmappedArray_t)mipmapped, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmapped)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!mipmapped)
        return CUDA_ERROR_INVALID_HANDLE;
    return driver_end(&call, cudaFreeMipmappedArray((cudaMipmappedArray_t)mipmapped));
}

/* ------------------------------------------------------------------ descriptions of objects */

static bool to_resource(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
    *to = (struct cudaResourceDesc){ .resType = (enum cudaResourceType)from->resType };
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to->res.array.array = (cudaArray_t)from->res.array.hArray;
        return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to->res.mipmap.mipmap = (cudaMipmappedArray_t)from->res.mipmap.hMipmappedArray;
        return true;
    case CU_RESOURCE_TYPE_LINEAR:
        to->res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return to_channels(from->res.linear.format, from->res.linear.numChannels, &to->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        to->res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return to_channels(from->res.pitch2D.format, from->res.pitch2D.numChannels, &to->res.pitch2D.desc);
    default:
        return false;
    }
}

static void from_resource(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
    *to = (CUDA_RESOURCE_DESC){ .resType = (CUresourcetype)from->resType };
    switch (from->resType) {
    case cudaResourceTypeArray:
        to->res.array.hArray = (CUarray)from->res.array.array;
        break;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = (CUmipmappedArray)from->res.mipmap.mipmap;
        break;
    case cudaResourceTypeLinear:
        to->res.linear.devPtr = (uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        from_channels(&from->res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels);
        break;
    default:
        to->res.pitch2D.devPtr = (uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        from_channels(&from->res.pitch2D.desc, &to->res.pitch2D.format, &to->res.pitch2D.numChannels);
    }
}

static struct cudaTextureDesc to_texture(const CUDA_TEXTURE_DESC *from)
{
    struct cudaTextureDesc to = {
        .filterMode = (enum cudaTextureFilterMode)from->filterMode,
        .readMode = from->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
        .sRGB = (from->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = from->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)from->mipmapFilterMode,
        .mipmapLevelBias = from->mipmapLevelBias,
        .minMipmapLevelClamp = from->minMipmapLevelClamp,
        .maxMipmapLevelClamp = from->maxMipmapLevelClamp,
        .disableTrilinearOptimization = (from->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
        .seamlessCubemap = (from->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };

    for (int n = 0; n < 3; n++)
        to.addressMode[n] = (enum cudaTextureAddressMode)from->addressMode[n];
    for (int n = 0; n < 4; n++)
        to.borderColor[n] = from->borderColor[n];
    return to;
}

static CUDA_TEXTURE_DESC from_texture(const struct cudaTextureDesc *from)
{
    CUDA_TEXTURE_DESC to = {
        .filterMode = (CUfilter_mode)from->filterMode,
        .flags = (from->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
                 (from->sRGB ? CU_TRSF_SRGB : 0u) |
                 (from->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (from->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
                 (from->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u),
        .maxAnisotropy = from->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)from->mipmapFilterMode,
        .mipmapLevelBias = from->mipmapLevelBias,
        .minMipmapLevelClamp = from->minMipmapLevelClamp,
        .maxMipmapLevelClamp = from->maxMipmapLevelClamp,
    };

    for (int n = 0; n < 3; n++)
        to.addressMode[n] = (CUaddress_mode)from->addressMode[n];
    for (int n = 0; n < 4; n++)
        to.borderColor[n] = from->borderColor[n];
    return to;
}

/* ------------------------------------------------------------------ objects */

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct driver_call call;
    struct cudaResourceDesc what;
    struct cudaTextureDesc how;
    struct cudaResourceViewDesc part;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!object || !resource || !texture || resource->flags || !to_resource(resource, &what))
        return CUDA_ERROR_INVALID_VALUE;
    how = to_texture(texture);
    if (view)
        part = (struct cudaResourceViewDesc){ .format = (enum cudaResourceViewFormat)view->format,
                                              .width = view->width, .height = view->height, .depth = view->depth,
                                              .firstMipmapLevel = view->firstMipmapLevel,
                                              .lastMipmapLevel = view->lastMipmapLevel,
                                              .firstLayer = view->firstLayer, .lastLayer = view->lastLayer };
    return driver_end(&call, texture_object_new(object, &what, &how, view ? &part : NULL, true));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaDestroyTextureObject(object)) : call.result;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    struct driver_call call;
    struct cudaResourceDesc what;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = resource ? cudaGetTextureObjectResourceDesc(&what, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        from_resource(&what, resource);
    return driver_end(&call, error);
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    struct driver_call call;
    struct cudaTextureDesc how;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = texture ? cudaGetTextureObjectTextureDesc(&how, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *texture = from_texture(&how);
    return driver_end(&call, error);
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    struct driver_call call;
    struct cudaResourceViewDesc part;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = view ? cudaGetTextureObjectResourceViewDesc(&part, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *view = (CUDA_RESOURCE_VIEW_DESC){ .format = (CUresourceViewFormat)part.format, .width = part.width,
                                           .height = part.height, .depth = part.depth,
                                           .firstMipmapLevel = part.firstMipmapLevel,
                                           .lastMipmapLevel = part.lastMipmapLevel, .firstLayer = part.firstLayer,
                                           .lastLayer = part.lastLayer };
    return driver_end(&call, error);
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    struct driver_call call;
    struct cudaResourceDesc what;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!object || !resource || resource->flags || !to_resource(resource, &what))
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaCreateSurfaceObject(object, &what));
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaDestroySurfaceObject(object)) : call.result;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    struct driver_call call;
    struct cudaResourceDesc what;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = resource ? cudaGetSurfaceObjectResourceDesc(&what, object) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        from_resource(&what, resource);
    return driver_end(&call, error);
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels, CUdevice device)
{
    struct driver_call call;
    struct cudaChannelFormatDesc desc;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!to_channels(format, channels, &desc))
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaDeviceGetTexture1DLinearMaxWidth(width, &desc, device));
}
