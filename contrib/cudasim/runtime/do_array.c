/*
 * do_array.c - the layout of CUDA arrays in memory: rows without gaps, planes (layers, faces) one behind the other. A
 * real device orders texels differently, but no program can see that.
 */
#include "runtime.h"
#include "array.h"

enum { /* texels */
    PLANE_WIDTH = 131072,
    PLANE_HEIGHT = 65536,
    LAYERED_SIDE = 32768,
    LAYERS = 2048,
    BOX_SIDE = 16384,
};

enum { ARRAY_FLAGS = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather };

bool format_of(const struct cudaChannelFormatDesc *desc, struct sim_texture *t, bool *normalised)
{
    int bits[4] = { desc->x, desc->y, desc->z, desc->w }, kind = desc->f, channels = 0;

    *normalised = kind >= cudaChannelFormatKindUnsignedNormalized8X1 &&
                  kind <= cudaChannelFormatKindSignedNormalized16X4;
    if (*normalised) {
        int n = kind - cudaChannelFormatKindUnsignedNormalized8X1;

        t->kind = n < 6 ? TEXTURE_UNSIGNED : TEXTURE_SIGNED;
        t->bits = n % 6 < 3 ? 8 : 16;
        t->channels = (uint8_t)(1 << n % 3);
        return true;
    }
    while (channels < 4 && bits[channels])
        channels++;
    for (int n = 0; n < 4; n++)
        if (n < channels ? bits[n] != bits[0] : bits[n] != 0)
            return false;
    if ((channels != 1 && channels != 2 && channels != 4) || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) ||
        kind < cudaChannelFormatKindSigned || kind > cudaChannelFormatKindFloat ||
        (kind == cudaChannelFormatKindFloat && bits[0] == 8))
        return false;
    t->kind = kind == cudaChannelFormatKindSigned     ? TEXTURE_SIGNED
              : kind == cudaChannelFormatKindUnsigned ? TEXTURE_UNSIGNED
                                                      : TEXTURE_FLOAT;
    t->bits = (uint8_t)bits[0];
    t->channels = (uint8_t)channels;
    return true;
}

/* Whether a card of compute capability 9.0 has such textures: the programming guide's table of limits. */
static bool fits(const struct cudaExtent *extent, unsigned flags)
{
    size_t width = extent->width, height = extent->height, depth = extent->depth;

    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return width <= LAYERED_SIDE && height <= LAYERED_SIDE && depth <= LAYERS;
    if (depth)
        return (width <= BOX_SIDE && height <= BOX_SIDE && depth <= BOX_SIDE) ||
               (width <= BOX_SIDE / 2 && height <= BOX_SIDE / 2 && depth <= 2 * BOX_SIDE);
    return width <= PLANE_WIDTH && height <= PLANE_HEIGHT;
}

/* The shape for the extent and the flags. Depth counts planes, layers or faces. False: they contradict each other. */
static bool level_of(const struct cudaExtent *extent, unsigned flags, unsigned texel, struct texture_level *level)
{
    size_t height = extent->height ? extent->height : 1, depth = extent->depth ? extent->depth : 1, bytes;

    if (!extent->width || (extent->depth && !extent->height && !(flags & cudaArrayLayered)) ||
        ((flags & cudaArrayLayered) && !extent->depth) ||
        ((flags & cudaArrayCubemap) && (extent->width != extent->height || depth % 6 ||
                                        (depth != 6 && !(flags & cudaArrayLayered)))) ||
        ((flags & cudaArrayTextureGather) && (!extent->height || depth > 1)) || !fits(extent, flags))
        return false;
    *level = (struct texture_level){ .pitch = extent->width * texel, .width = (uint32_t)extent->width,
                                     .height = (uint32_t)height, .depth = (uint32_t)depth };
    return !__builtin_mul_overflow((size_t)level->pitch, height, &bytes) &&
           !__builtin_mul_overflow(bytes, depth, &(size_t){ 0 }) && ((level->slice = bytes), true);
}

/* The record of an array that has its memory already. */
static struct cudaArray *array_record(struct runtime *runtime, const struct cudaChannelFormatDesc *desc,
                                      const struct cudaExtent *extent, unsigned flags,
                                      const struct texture_level *level, bool part)
{
    struct cudaArray *array = handle_create(runtime, sizeof *array, HANDLE_ARRAY);

    if (array) {
        array->desc = *desc;
        array->extent = *extent;
        array->flags = flags;
        array->level = *level;
        array->part = part;
    }
    return array;
}

static cudaError_t allocate(struct runtime *runtime, uint64_t bytes, uint64_t *base)
{
    void *pointer;
    cudaError_t error = allocation_new(runtime, bytes, REGION_DEVICE, 0, &pointer);

    if (error != cudaSuccess)
        return error;
    *base = (uintptr_t)pointer;
    return cudaSuccess;
}

cudaError_t array_new(struct runtime *runtime, const struct cudaChannelFormatDesc *desc,
                      const struct cudaExtent *extent, unsigned flags, struct cudaArray **array)
{
    struct sim_texture format;
    struct texture_level level;
    bool normalised;
    cudaError_t error;

    if (!format_of(desc, &format, &normalised))
        return cudaErrorInvalidChannelDescriptor;
    if (flags & ~(unsigned)ARRAY_FLAGS || !level_of(extent, flags, texture_bytes(&format), &level))
        return cudaErrorInvalidValue;
    error = allocate(runtime, level.slice * level.depth, &level.base);
    if (error != cudaSuccess)
        return error;
    *array = array_record(runtime, desc, extent, flags, &level, false);
    if (*array)
        return cudaSuccess;
    memory_release(sim_memory(runtime->sim), level.base);
    return cudaErrorMemoryAllocation;
}

void array_free(struct runtime *runtime, struct cudaArray *array)
{
    if (!array->part)
        memory_release(sim_memory(runtime->sim), array->level.base);
    handle_destroy(runtime, array);
}

void mipmapped_free(struct runtime *runtime, struct cudaMipmappedArray *mipmapped)
{
    uint64_t base = mipmapped->levels[0]->level.base;

    for (unsigned n = 0; n < mipmapped->count; n++)
        array_free(runtime, mipmapped->levels[n]);
    memory_release(sim_memory(runtime->sim), base);
    handle_destroy(runtime, mipmapped);
}

/* The extent of the next level: each side half as long; layers and faces stay. */
static struct cudaExtent half_of(struct cudaExtent extent, unsigned flags)
{
    extent.width = extent.width > 1 ? extent.width / 2 : 1;
    extent.height = extent.height > 1 ? extent.height / 2 : extent.height;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)))
        extent.depth = extent.depth > 1 ? extent.depth / 2 : extent.depth;
    return extent;
}

cudaError_t mipmapped_new(struct runtime *runtime, const struct cudaChannelFormatDesc *desc,
                          const struct cudaExtent *extent, unsigned count, unsigned flags,
                          struct cudaMipmappedArray **mipmapped)
{
    struct sim_texture format;
    struct texture_level levels[TEXTURE_LEVELS];
    struct cudaExtent extents[TEXTURE_LEVELS] = { *extent };
    uint64_t bytes = 0, base;
    unsigned most = 1;
    bool normalised;
    struct cudaMipmappedArray *record;
    cudaError_t error;

    if (!format_of(desc, &format, &normalised))
        return cudaErrorInvalidChannelDescriptor;
    for (struct cudaExtent e = *extent; most < TEXTURE_LEVELS && (e.width > 1 || e.height > 1); most++)
        e = half_of(e, flags);
    count = count < 1 ? 1 : count > most ? most : count;
    for (unsigned n = 0; n < count; n++) {
        if (n)
            extents[n] = half_of(extents[n - 1], flags);
        if (flags & ~(unsigned)ARRAY_FLAGS || !level_of(&extents[n], flags, texture_bytes(&format), &levels[n]))
            return cudaErrorInvalidValue;
        levels[n].base = bytes;
        bytes += (levels[n].slice * levels[n].depth + ALLOCATION_UNIT - 1) / ALLOCATION_UNIT * ALLOCATION_UNIT;
    }
    error = allocate(runtime, bytes, &base);
    if (error != cudaSuccess)
        return error;
    record = handle_create(runtime, sizeof *record, HANDLE_MIPMAPPED);
    for (unsigned n = 0; record && n < count; n++) {
        levels[n].base += base;
        record->levels[n] = array_record(runtime, desc, &extents[n], flags, &levels[n], true);
        if (!record->levels[n])
            return cudaErrorMemoryAllocation; /* the process is at its end: the handles go with it */
        record->count = n + 1;
    }
    *mipmapped = record;
    return record ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t array_plane(struct runtime *runtime, const struct cudaArray *array, size_t x, const struct cudaPos *from,
                        const struct cudaExtent *extent, struct plane *plane)
{
    const struct texture_level *level;

    if (!handle_is(runtime, array, HANDLE_ARRAY))
        return cudaErrorInvalidResourceHandle;
    level = &array->level;
    if (!extent->width || !extent->height || !extent->depth) { /* nothing is copied, wherever it is */
        *plane = (struct plane){ level->base, level->pitch, level->slice };
        return cudaSuccess;
    }
    if (x > level->pitch || extent->width > level->pitch - x || from->y > level->height ||
        extent->height > level->height - from->y || from->z > level->depth || extent->depth > level->depth - from->z)
        return cudaErrorInvalidValue;
    *plane = (struct plane){ level->base + from->z * level->slice + from->y * level->pitch + x, level->pitch,
                             level->slice };
    return cudaSuccess;
}

size_t array_texel(const struct cudaArray *array)
{
    return array->level.pitch / array->level.width;
}
