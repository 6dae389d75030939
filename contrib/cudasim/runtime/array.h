/*
 * array.h - CUDA arrays, plain and mipmapped: do_array.c.
 */
#ifndef CUDASIM_ARRAY_H
#define CUDASIM_ARRAY_H

#include "runtime.h"

struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;   /* as given: 0 for sides that it does not have */
    unsigned flags;             /* cudaArrayLayered … */
    struct texture_level level; /* where its texels lie */
    bool part;                  /* a level of a mipmapped array, in the memory of that array */
};

struct cudaMipmappedArray {
    struct cudaArray *levels[TEXTURE_LEVELS]; /* [count], owned */
    unsigned count;
};

/* The channels of a format, for `t`; `normalised`: its integers are always read as floats. False: there is no such. */
bool format_of(const struct cudaChannelFormatDesc *desc, struct sim_texture *t, bool *normalised);
cudaError_t array_new(struct runtime *runtime, const struct cudaChannelFormatDesc *desc,
                      const struct cudaExtent *extent, unsigned flags, struct cudaArray **array);
cudaError_t mipmapped_new(struct runtime *runtime, const struct cudaChannelFormatDesc *desc,
                          const struct cudaExtent *extent, unsigned count, unsigned flags,
                          struct cudaMipmappedArray **mipmapped);
void array_free(struct runtime *runtime, struct cudaArray *array);
void mipmapped_free(struct runtime *runtime, struct cudaMipmappedArray *mipmapped);
/* A part of an array for a copy. `x` and the extent's width are in bytes. Fails if it reaches beyond the array. */
cudaError_t array_plane(struct runtime *runtime, const struct cudaArray *array, size_t x, const struct cudaPos *from,
                        const struct cudaExtent *extent, struct plane *plane);
size_t array_texel(const struct cudaArray *array); /* bytes */
/* As cudaCreateTextureObject(). By the driver the read mode holds for integers of 8 and 16 bits, whatever the array. */
cudaError_t texture_object_new(cudaTextureObject_t *number, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view,
                               bool by_driver);

#endif
