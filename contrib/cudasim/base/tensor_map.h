/*
 * tensor_map.h - the virtual device's tensor map: the 128 bytes that cuTensorMapEncode*() writes and that instructions
 * of the tensor memory accelerator read. The bytes of a real one are not documented; this layout is our own.
 *
 * The values of the enumerations are CUDA's (CUtensorMapDataType and its like) and PTX's (tensormap.replace).
 */
#ifndef CUDASIM_TENSOR_MAP_H
#define CUDASIM_TENSOR_MAP_H

#include <stdint.h>

enum { TENSOR_MAP_RANK = 5, TENSOR_MAP_MAGIC = 0x70616D54 };

enum tensor_map_mode { TENSOR_MAP_TILED, TENSOR_MAP_IM2COL };

enum tensor_map_type {
    TENSOR_MAP_U8, TENSOR_MAP_U16, TENSOR_MAP_U32, TENSOR_MAP_S32, TENSOR_MAP_U64, TENSOR_MAP_S64, TENSOR_MAP_F16,
    TENSOR_MAP_F32, TENSOR_MAP_F64, TENSOR_MAP_BF16, TENSOR_MAP_F32_FTZ, TENSOR_MAP_TF32, TENSOR_MAP_TF32_FTZ,
    TENSOR_MAP_TYPES
};

enum tensor_map_interleave { TENSOR_MAP_INTERLEAVE_NONE, TENSOR_MAP_INTERLEAVE_16, TENSOR_MAP_INTERLEAVE_32 };
enum tensor_map_swizzle {
    TENSOR_MAP_SWIZZLE_NONE, TENSOR_MAP_SWIZZLE_32, TENSOR_MAP_SWIZZLE_64, TENSOR_MAP_SWIZZLE_128
};
enum tensor_map_fill { TENSOR_MAP_FILL_ZERO, TENSOR_MAP_FILL_NAN };

/* Dimension 0 is the innermost one. With an interleaved layout, dimension rank - 2 counts slices of channels. */
struct tensor_map {
    uint64_t address;                        /* of element 0 */
    uint64_t strides[TENSOR_MAP_RANK - 1];   /* bytes from one index to the next of dimensions 1 to rank - 1 */
    uint32_t sizes[TENSOR_MAP_RANK];         /* elements of each dimension, less 1 */
    uint16_t box[TENSOR_MAP_RANK];           /* TENSOR_MAP_TILED: elements, 1 to 256 */
    int16_t lower[TENSOR_MAP_RANK - 2];      /* TENSOR_MAP_IM2COL: corners of the box of pixels; W first, then H, D */
    int16_t upper[TENSOR_MAP_RANK - 2];
    uint16_t channels, pixels;               /* TENSOR_MAP_IM2COL: elements of a pixel, pixels of a column */
    uint8_t element_strides[TENSOR_MAP_RANK]; /* 1 to 8 */
    uint8_t mode;                            /* enum tensor_map_mode */
    uint8_t rank;                            /* 1 to 5 */
    uint8_t type;                            /* enum tensor_map_type */
    uint8_t interleave, swizzle, fill;       /* the enumerations above */
    uint8_t promotion;                       /* of fetches into L2; without effect */
    uint32_t magic;                          /* TENSOR_MAP_MAGIC in each encoded map, and in nothing else */
    uint8_t unused[24];
};

_Static_assert(sizeof(struct tensor_map) == 128, "a CUtensorMap has 128 bytes");

/* Bytes of one element. */
static inline unsigned tensor_map_element(enum tensor_map_type type)
{
    static const uint8_t bytes[TENSOR_MAP_TYPES] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };

    return type < TENSOR_MAP_TYPES ? bytes[type] : 0;
}

/* Bytes that one index of dimension 0 stands for: an element, or with an interleaved layout a slice of channels. */
static inline unsigned tensor_map_unit(const struct tensor_map *map)
{
    return map->interleave == TENSOR_MAP_INTERLEAVE_NONE ? tensor_map_element((enum tensor_map_type)map->type)
           : map->interleave == TENSOR_MAP_INTERLEAVE_16 ? 16
                                                         : 32;
}

#endif
