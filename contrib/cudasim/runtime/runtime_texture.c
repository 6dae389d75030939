/*
 * runtime_texture.c - texture and surface objects. It turns CUDA's descriptions into the device's records
 * (machine/texture.h), and back.
 */
#include "runtime.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ objects by their numbers */

/* What the program said when it made the object. */
struct object {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    bool has_view, surface;
};

static const void *key_of(unsigned long long number)
{
    return (const void *)(uintptr_t)number;
}

static struct object *object_of(const struct runtime *runtime, unsigned long long number, bool surface)
{
    struct object *object = number ? map_get(&runtime->objects, key_of(number)) : NULL;

    return object && object->surface == surface ? object : NULL;
}

/* Keeps the object under a new number; 0: no room. */
static unsigned long long keep(struct runtime *runtime, const struct object *object, const struct sim_texture *t)
{
    struct object *copy = handle_create(runtime, sizeof *copy, HANDLE_OBJECT);
    uint64_t number = copy ? sim_texture_create(runtime->sim, t) : 0;

    if (number && map_put(&runtime->objects, key_of(number), copy)) {
        *copy = *object;
        return number;
    }
    if (copy)
        handle_destroy(runtime, copy);
    return 0;
}

static cudaError_t destroy(unsigned long long number, bool surface)
{
    struct call call;
    struct object *object;

    if (call_begin(&call, CALL_UNSAFE) && number) {
        object = object_of(call.runtime, number, surface);
        if (!object) {
            call.error = cudaErrorInvalidValue;
        } else {
            sim_texture_destroy(call.runtime->sim, number);
            map_remove(&call.runtime->objects, key_of(number));
            handle_destroy(call.runtime, object);
        }
    }
    return call_end(&call);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return destroy(object, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return destroy(object, true);
}

/* ------------------------------------------------------------------ where the texels lie */

static void set_shape(struct sim_texture *t, const struct cudaArray *array)
{
    t->layered = array->flags & cudaArrayLayered;
    t->shape = array->flags & cudaArrayCubemap           ? TEXTURE_CUBE
               : !array->extent.height                   ? TEXTURE_1D
               : array->extent.depth && !t->layered      ? TEXTURE_3D
                                                         : TEXTURE_2D;
}

static cudaError_t set_levels(struct runtime *runtime, const struct cudaResourceDesc *resource, struct sim_texture *t)
{
    const struct cudaMipmappedArray *mipmapped = resource->res.mipmap.mipmap;
    const struct cudaArray *array = resource->res.array.array;
    uint64_t texel = texture_bytes(t);

    t->level_count = 1;
    switch (resource->resType) {
    case cudaResourceTypeArray:
        set_shape(t, array);
        t->levels[0] = array->level;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        set_shape(t, mipmapped->levels[0]);
        t->level_count = mipmapped->count;
        for (unsigned n = 0; n < mipmapped->count; n++)
            t->levels[n] = mipmapped->levels[n]->level;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        t->shape = TEXTURE_LINEAR;
        t->levels[0] = (struct texture_level){ .base = (uintptr_t)resource->res.linear.devPtr, .height = 1, .depth = 1,
                                               .width = (uint32_t)(resource->res.linear.sizeInBytes / texel) };
        break;
    default:
        t->shape = TEXTURE_2D;
        t->levels[0] = (struct texture_level){ .base = (uintptr_t)resource->res.pitch2D.devPtr,
                                               .pitch = resource->res.pitch2D.pitchInBytes,
                                               .width = (uint32_t)resource->res.pitch2D.width,
                                               .height = (uint32_t)resource->res.pitch2D.height, .depth = 1 };
        if (t->levels[0].pitch % PITCH_ALIGNMENT || !t->levels[0].width || !t->levels[0].height)
            return cudaErrorInvalidValue;
    }
    if (t->levels[0].base % BASE_ALIGNMENT ||
        !allocation_find(runtime, key_of(t->levels[0].base)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t set_resource(struct runtime *runtime, const struct cudaResourceDesc *resource,
                                struct sim_texture *t, bool *normalised)
{
    const struct cudaChannelFormatDesc *desc;

    switch (resource->resType) {
    case cudaResourceTypeArray:
        if (!handle_is(runtime, resource->res.array.array, HANDLE_ARRAY))
            return cudaErrorInvalidResourceHandle;
        desc = &resource->res.array.array->desc;
        break;
    case cudaResourceTypeMipmappedArray:
        if (!handle_is(runtime, resource->res.mipmap.mipmap, HANDLE_MIPMAPPED))
            return cudaErrorInvalidResourceHandle;
        desc = &resource->res.mipmap.mipmap->levels[0]->desc;
        break;
    case cudaResourceTypeLinear:
        desc = &resource->res.linear.desc;
        break;
    case cudaResourceTypePitch2D:
        desc = &resource->res.pitch2D.desc;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    if (!format_of(desc, t, normalised))
        return cudaErrorInvalidChannelDescriptor;
    return set_levels(runtime, resource, t);
}

/* ------------------------------------------------------------------ views */

/* The channels that a view's format names. False: there is none, or it is compressed. */
static bool view_channels(enum cudaResourceViewFormat format, struct cudaChannelFormatDesc *desc)
{
    static const struct {
        int bits;
        enum cudaChannelFormatKind kind;
    } groups[] = { /* each of 1, 2 and 4 channels */
        { 8, cudaChannelFormatKindUnsigned },  { 8, cudaChannelFormatKindSigned },
        { 16, cudaChannelFormatKindUnsigned }, { 16, cudaChannelFormatKindSigned },
        { 32, cudaChannelFormatKindUnsigned }, { 32, cudaChannelFormatKindSigned },
        { 16, cudaChannelFormatKindFloat },    { 32, cudaChannelFormatKindFloat },
    };
    unsigned index = (unsigned)format - cudaResViewFormatUnsignedChar1, channels = 1u << index % 3;
    int bits;

    if (index >= 3 * sizeof groups / sizeof *groups)
        return false;
    bits = groups[index / 3].bits;
    *desc = (struct cudaChannelFormatDesc){ bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                            channels > 2 ? bits : 0, groups[index / 3].kind };
    return true;
}

/* Narrows `t` to the levels and layers of the view. */
static bool narrow(const struct cudaResourceViewDesc *view, struct sim_texture *t)
{
    unsigned faces = t->shape == TEXTURE_CUBE ? 6 : 1, first = view->firstMipmapLevel, last = view->lastMipmapLevel;

    if (first > last || last >= t->level_count)
        return false;
    t->level_count = last - first + 1;
    memmove(t->levels, t->levels + first, t->level_count * sizeof *t->levels);
    if (!t->layered)
        return !view->firstLayer && !view->lastLayer;
    if (view->firstLayer > view->lastLayer || view->lastLayer >= t->levels[0].depth / faces)
        return false;
    for (unsigned n = 0; n < t->level_count; n++) {
        t->levels[n].base += view->firstLayer * faces * t->levels[n].slice;
        t->levels[n].depth = (view->lastLayer - view->firstLayer + 1) * faces;
    }
    return true;
}

/* Applies a view of an array: another format of as many bytes, some of the levels and layers. */
static cudaError_t set_view(struct call *call, const struct cudaResourceDesc *resource,
                            const struct cudaResourceViewDesc *view, struct sim_texture *t, bool *normalised)
{
    const struct cudaArray *array = resource->resType == cudaResourceTypeArray ? resource->res.array.array
                                    : resource->resType == cudaResourceTypeMipmappedArray
                                        ? resource->res.mipmap.mipmap->levels[0]
                                        : NULL;
    unsigned bytes = texture_bytes(t);
    struct cudaChannelFormatDesc desc;

    if (!array || (unsigned)view->format > cudaResViewFormatUnsignedBlockCompressed7)
        return cudaErrorInvalidValue;
    if (view->format >= cudaResViewFormatUnsignedBlockCompressed1)
        return runtime_unsupported(call, "a resource view of a compressed format");
    /* An H200 asks for all sides, also the number of layers; and it refuses cudaResViewFormatNone. */
    if (view->width != array->extent.width || view->height != array->extent.height ||
        view->depth != array->extent.depth)
        return cudaErrorInvalidValue;
    if (!view_channels(view->format, &desc) || !format_of(&desc, t, normalised) || texture_bytes(t) != bytes)
        return cudaErrorInvalidValue;
    return narrow(view, t) ? cudaSuccess : cudaErrorInvalidValue;
}

/* ------------------------------------------------------------------ making */

static enum texture_address address_of(enum cudaTextureAddressMode mode, bool normalised)
{
    switch (mode) {
    case cudaAddressModeWrap: return normalised ? TEXTURE_WRAP : TEXTURE_CLAMP;
    case cudaAddressModeMirror: return normalised ? TEXTURE_MIRROR : TEXTURE_CLAMP;
    case cudaAddressModeBorder: return TEXTURE_BORDER;
    default: return TEXTURE_CLAMP;
    }
}

/*
 * What the runtime makes of a read mode. `own` is the texture without its view. An H200 reads integers of 8 and 16
 * bits, in a view of an array of 32 bits, as floats, whatever the mode.
 */
static cudaError_t set_mode(const struct sim_texture *own, bool has_view, struct cudaTextureDesc *how)
{
    if (own->bits < 32)
        return cudaSuccess;
    if (how->readMode == cudaReadModeNormalizedFloat && (own->kind != TEXTURE_FLOAT || has_view))
        return cudaErrorInvalidNormSetting;
    how->readMode = cudaReadModeNormalizedFloat;
    return cudaSuccess;
}

static cudaError_t set_texture(const struct cudaTextureDesc *desc, struct sim_texture *t, bool normalised)
{
    bool reals = t->kind == TEXTURE_FLOAT || normalised ||
                 (desc->readMode == cudaReadModeNormalizedFloat && t->bits < 32);

    if ((unsigned)desc->filterMode > (unsigned)cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    for (int n = 0; n < 3; n++)
        if ((unsigned)desc->addressMode[n] > (unsigned)cudaAddressModeBorder)
            return cudaErrorInvalidValue;
    if (desc->filterMode == cudaFilterModeLinear && !reals)
        return cudaErrorInvalidFilterSetting;
    t->normalised_read = reals && t->kind != TEXTURE_FLOAT;
    t->srgb = desc->sRGB && t->normalised_read && t->kind == TEXTURE_UNSIGNED && t->bits == 8;
    t->normalised_coordinates = desc->normalizedCoords && t->shape != TEXTURE_LINEAR;
    t->linear_filter = desc->filterMode == cudaFilterModeLinear && t->shape != TEXTURE_LINEAR;
    t->linear_mipmap = desc->mipmapFilterMode == cudaFilterModeLinear;
    t->seamless = desc->seamlessCubemap;
    t->bias = desc->mipmapLevelBias;
    t->least = desc->minMipmapLevelClamp;
    t->most = desc->maxMipmapLevelClamp;
    for (int n = 0; n < 3; n++)
        t->address[n] = address_of(desc->addressMode[n], t->normalised_coordinates);
    for (int n = 0; n < 4; n++)
        t->border[n] = desc->borderColor[n];
    if (t->shape == TEXTURE_LINEAR) { /* what lies outside reads as zeros */
        t->address[0] = TEXTURE_BORDER;
        for (int n = 0; n < 4; n++)
            t->border[n] = 0;
    }
    return cudaSuccess;
}

cudaError_t texture_object_new(cudaTextureObject_t *number, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view,
                               bool by_driver)
{
    struct sim_texture t = { 0 }, own;
    struct object object = { 0 };
    struct cudaTextureDesc how = texture ? *texture : (struct cudaTextureDesc){ 0 };
    struct call call;
    bool normalised;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = number && resource && texture ? set_resource(call.runtime, resource, &t, &normalised)
                     : number && resource          ? cudaErrorInvalidResourceHandle /* as an H200 */
                                                   : cudaErrorInvalidValue;
        own = t;
        if (call.error == cudaSuccess && view)
            call.error = set_view(&call, resource, view, &t, &normalised);
        if (call.error == cudaSuccess && !by_driver)
            call.error = set_mode(&own, view != NULL, &how);
        if (call.error == cudaSuccess)
            call.error = set_texture(&how, &t, normalised);
        if (call.error == cudaSuccess) {
            object = (struct object){ .resource = *resource, .texture = *texture, .has_view = view != NULL };
            if (view)
                object.view = *view;
            *number = keep(call.runtime, &object, &t);
            call.error = *number ? cudaSuccess : cudaErrorMemoryAllocation;
        }
    }
    return call_end(&call);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *number, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    return texture_object_new(number, resource, texture, view, false);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *number, const struct cudaResourceDesc *resource)
{
    struct sim_texture t = { .surface = true };
    struct object object = { .surface = true };
    struct call call;
    bool normalised;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = !number || !resource                         ? cudaErrorInvalidValue
                     : resource->resType != cudaResourceTypeArray ? cudaErrorInvalidChannelDescriptor
                                                                  : set_resource(call.runtime, resource, &t,
                                                                                 &normalised);
        if (call.error == cudaSuccess && !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
            runtime_complain("%s: an array without cudaArraySurfaceLoadStore; the manual asks for that flag, and an "
                             "H200 does not look at it", __func__);
        if (call.error == cudaSuccess) {
            object.resource = *resource;
            *number = keep(call.runtime, &object, &t);
            call.error = *number ? cudaSuccess : cudaErrorMemoryAllocation;
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ asking */

/* What of the object `number` is asked for; one of the pointers is not NULL. */
static cudaError_t ask(unsigned long long number, bool surface, struct cudaResourceDesc *resource,
                       struct cudaTextureDesc *texture, struct cudaResourceViewDesc *view)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct object *object = object_of(call.runtime, number, surface);

        if (!object || (!resource && !texture && !view)) {
            call.error = cudaErrorInvalidValue;
        } else if (resource) {
            *resource = object->resource;
        } else if (texture) {
            *texture = object->texture;
        } else {
            *view = object->view;
        }
    }
    return call_end(&call);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
    return ask(object, false, resource, NULL, NULL);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t object)
{
    return ask(object, false, NULL, texture, NULL);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view, cudaTextureObject_t object)
{
    return ask(object, false, NULL, NULL, view);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
    return ask(object, true, resource, NULL, NULL);
}
