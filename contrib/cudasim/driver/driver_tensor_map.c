/*
 * driver_tensor_map.c - cuTensorMapEncode*(): a tensor's description as 128 bytes, after the checks that CUDA makes.
 */
#include "driver.h"

#include <string.h>

#include "contrib/cudasim/base/tensor_map.h"

enum {
    BOX_MOST = 256,             /* elements of one dimension of a box, and channels of a pixel */
    PIXELS_MOST = 1024,         /* of a column */
    ELEMENT_STRIDE_MOST = 8,
    STRIDE_UNIT = 16,           /* bytes; 32 with the interleaved layout of 32 bytes */
    MAP_ALIGN = 64,             /* bytes */
};

#define SIZE_MOST ((uint64_t)1 << 32)    /* elements of one dimension */
#define STRIDE_LIMIT ((uint64_t)1 << 40) /* bytes */

/* What all kinds of maps share. */
struct shape {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *sizes, *strides;
    const cuuint32_t *element_strides;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

static bool is_float(CUtensorMapDataType type)
{
    return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

static bool modes_fit(const struct shape *shape, cuuint32_t lowest_rank)
{
    bool interleaved = shape->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;

    if ((unsigned)shape->type >= TENSOR_MAP_TYPES || (unsigned)shape->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        (unsigned)shape->swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
        (unsigned)shape->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        (unsigned)shape->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return false;
    if (shape->rank < lowest_rank || shape->rank > TENSOR_MAP_RANK || (interleaved && shape->rank < 3))
        return false;
    if (shape->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA && !is_float(shape->type))
        return false;
    return shape->interleave != CU_TENSOR_MAP_INTERLEAVE_32B || shape->swizzle == CU_TENSOR_MAP_SWIZZLE_32B;
}

/* Whether `inner` bytes, the box's innermost row, fit the swizzle. */
static bool row_fits(const struct shape *shape, uint64_t inner)
{
    static const unsigned spans[] = { 0, 32, 64, 128 };

    return inner % STRIDE_UNIT == 0 && (shape->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
                                        shape->swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || inner <= spans[shape->swizzle]);
}

/* Checks what all kinds share, and writes it. */
static bool encode(const struct shape *shape, cuuint32_t lowest_rank, struct tensor_map *map)
{
    unsigned unit = shape->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 2 * STRIDE_UNIT : STRIDE_UNIT;

    if (!shape->sizes || !shape->element_strides || !shape->address || (shape->rank > 1 && !shape->strides) ||
        !modes_fit(shape, lowest_rank) || (uintptr_t)shape->address % unit)
        return false;
    *map = (struct tensor_map){ .address = (uintptr_t)shape->address, .rank = (uint8_t)shape->rank,
                                .type = (uint8_t)shape->type, .interleave = (uint8_t)shape->interleave,
                                .swizzle = (uint8_t)shape->swizzle, .fill = (uint8_t)shape->fill,
                                .promotion = (uint8_t)shape->promotion, .magic = TENSOR_MAP_MAGIC };
    for (cuuint32_t i = 0; i < shape->rank; i++) {
        uint64_t stride = i > 0 ? shape->strides[i - 1] : unit;
        cuuint32_t step = shape->element_strides[i];

        if (shape->sizes[i] < 1 || shape->sizes[i] > SIZE_MOST || stride % unit || stride >= STRIDE_LIMIT ||
            step < 1 || step > ELEMENT_STRIDE_MOST)
            return false;
        map->sizes[i] = (uint32_t)(shape->sizes[i] - 1);
        map->element_strides[i] = (uint8_t)step;
        if (i > 0)
            map->strides[i - 1] = stride;
    }
    return true;
}

static bool is_map(const CUtensorMap *map)
{
    return map && (uintptr_t)map % MAP_ALIGN == 0;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *target, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    const struct shape shape = { type, rank, address, sizes, strides, element_strides, interleave, swizzle, promotion,
                                 fill };
    struct tensor_map map;

    if (!is_map(target) || !box || !encode(&shape, 1, &map) ||
        !row_fits(&shape, (uint64_t)box[0] * tensor_map_element((enum tensor_map_type)type)))
        return CUDA_ERROR_INVALID_VALUE;
    map.mode = TENSOR_MAP_TILED;
    for (cuuint32_t i = 0; i < rank; i++) {
        if (box[i] < 1 || box[i] > BOX_MOST)
            return CUDA_ERROR_INVALID_VALUE;
        map.box[i] = (uint16_t)box[i];
    }
    memcpy(target, &map, sizeof map);
    return CUDA_SUCCESS;
}

/* The corners are given outermost first: D, H, W. Their range depends on how many there are. */
static bool encode_corners(struct tensor_map *map, const int *lower, const int *upper)
{
    static const int limits[] = { 32768, 128, 16 };
    int count = map->rank - 2, limit = limits[count - 1];
    int first = map->interleave == TENSOR_MAP_INTERLEAVE_NONE; /* W's dimension: behind the channels, or the first */

    for (int i = 0; i < count; i++) {
        int low = lower[count - 1 - i], high = upper[count - 1 - i];
        int64_t pixels = (int64_t)map->sizes[i + first] + 1 + high - low;

        if (low < -limit || low >= limit || high < -limit || high >= limit || pixels < 1)
            return false;
        map->lower[i] = (int16_t)low;
        map->upper[i] = (int16_t)high;
    }
    return true;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *target, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower,
                                 const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill)
{
    const struct shape shape = { type, rank, address, sizes, strides, element_strides, interleave, swizzle, promotion,
                                 fill };
    struct tensor_map map;

    if (!is_map(target) || !lower || !upper || channels < 1 || channels > BOX_MOST || pixels < 1 ||
        pixels > PIXELS_MOST || !encode(&shape, 3, &map) || !encode_corners(&map, lower, upper) ||
        !row_fits(&shape, (uint64_t)channels * tensor_map_element((enum tensor_map_type)type)))
        return CUDA_ERROR_INVALID_VALUE;
    map.mode = TENSOR_MAP_IM2COL;
    map.channels = (uint16_t)channels;
    map.pixels = (uint16_t)pixels;
    memcpy(target, &map, sizeof map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *target, void *address)
{
    struct tensor_map map;

    if (!is_map(target) || !address)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&map, target, sizeof map);
    if (map.magic != TENSOR_MAP_MAGIC ||
        (uintptr_t)address % (map.interleave == TENSOR_MAP_INTERLEAVE_32 ? 2 * STRIDE_UNIT : STRIDE_UNIT))
        return CUDA_ERROR_INVALID_VALUE;
    map.address = (uintptr_t)address;
    memcpy(target, &map, sizeof map);
    return CUDA_SUCCESS;
}
