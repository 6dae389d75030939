/*
 * interleaved_maps.cu - loads by tensor maps with an interleaved layout: channels in slices of 16 or 32 bytes. Boxes,
 * pixels, edges, steps and swizzles. The expected places are what an H200 gave (docs/results/interleaved-h200.txt).
 */
#include "check.h"

#include <cuda.h>

enum { WORDS = 4096, IMAGE = 32768, NOWHERE = 0xEEEE, RANK_MOST = 5 };

/* Coordinates, W first, then H, the slice and the image; for pixels their offsets. */
struct place {
    int at[RANK_MOST], offset[2];
};

/* A load: sizes, strides in bytes, the box (or corners, channels and pixels), steps. */
struct load {
    int pixels, rank;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    cuuint64_t sizes[RANK_MOST], strides[RANK_MOST - 1];
    cuuint32_t box[RANK_MOST], steps[RANK_MOST]; /* of pixels: box[0] are channels */
    int lower[2], upper[2];
    struct place from;
};

static __device__ unsigned shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#define TO_SHARED ".shared::cluster.global"
#define BY_BARRIER ".mbarrier::complete_tx::bytes [%0], "

__global__ void bring(const __grid_constant__ CUtensorMap map, int rank, bool pixels, struct place p, int bytes,
                      unsigned short *out)
{
    __shared__ __align__(1024) unsigned short box[WORDS];
    __shared__ unsigned long long barrier;
    unsigned to = shared_at(box), at = shared_at(&barrier);

    for (int i = 0; i < WORDS; i++)
        box[i] = NOWHERE;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    if (pixels)
        asm volatile("cp.async.bulk.tensor.4d" TO_SHARED ".im2col" BY_BARRIER
                     "[%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to), "l"(&map), "r"(at),
                     "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]),
                     "h"((short)p.offset[0]), "h"((short)p.offset[1])
                     : "memory");
    else if (rank == 3)
        asm volatile("cp.async.bulk.tensor.3d" TO_SHARED ".tile" BY_BARRIER "[%1, {%3, %4, %5}], [%2];" ::"r"(to),
                     "l"(&map), "r"(at), "r"(p.at[0]), "r"(p.at[1]),
                     "r"(p.at[2])
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.4d" TO_SHARED ".tile" BY_BARRIER "[%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
                     "l"(&map), "r"(at), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3])
                     : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                     at)
                 : "memory");
    for (int i = 0; i < WORDS; i++)
        out[i] = box[i];
}

/* The 16 bytes at byte `at` of what arrives: those of unit `from` (a byte in memory), or zeros for -1. */
static void put(std::vector<unsigned short> &want, const struct load *l, int at, long from, int half)
{
    static const int masks[] = {0, 1, 3, 7};
    int place = at ^ ((at >> 7 & masks[l->swizzle]) << 4);

    for (int i = 0; i < 8; i++)
        want[place / 2 + i] = (unsigned short)(from < 0 ? 0 : (from + half) / 2 + i);
}

/* One unit at these coordinates, behind the `*bytes` bytes that are there. */
static void unit(std::vector<unsigned short> &want, const struct load *l, const int *at, int *bytes)
{
    int size = l->interleave == CU_TENSOR_MAP_INTERLEAVE_16B ? 16 : 32;
    long from = (long)at[0] * size;
    bool inside = true;

    for (int d = 0; d < l->rank; d++)
        inside &= at[d] >= 0 && at[d] < (long)l->sizes[d];
    for (int d = 1; d < l->rank; d++)
        from += at[d] * (long)l->strides[d - 1];
    for (int half = 0; half < size; half += 16, *bytes += 16)
        put(want, l, *bytes, inside ? from : -1, half);
}

/* A box: every dimension but the slices', of which there is one. */
static int expect_box(std::vector<unsigned short> &want, const struct load *l)
{
    int count[4] = {1, 1, 1, 1}, bytes = 0;

    for (int d = 0; d < l->rank; d++)
        count[d] = d == l->rank - 2 ? 1 : (int)((l->box[d] + l->steps[d] - 1) / l->steps[d]);
    for (int n = 0; n < count[0] * count[1] * count[2] * count[3]; n++) {
        int at[4], rest = n;

        for (int d = 0; d < 4; rest /= count[d++])
            at[d] = d < l->rank ? l->from.at[d] + rest % count[d] * (int)l->steps[d] : 0;
        unit(want, l, at, &bytes);
    }
    return bytes;
}

/* Pixels: W first, then H inside the corners, then the next image. */
static int expect_pixels(std::vector<unsigned short> &want, const struct load *l)
{
    int base[4] = {l->from.at[0], l->from.at[1], l->from.at[2], l->from.at[3]}, bytes = 0;

    for (int n = 0; n < l->pixels; n++) {
        int at[4] = {base[0] + l->from.offset[0], base[1] + l->from.offset[1], base[2], base[3]};

        unit(want, l, at, &bytes);
        if (++base[0] < (int)l->sizes[0] + l->upper[0])
            continue;
        base[0] = l->lower[0];
        if (++base[1] < (int)l->sizes[1] + l->upper[1])
            continue;
        base[1] = l->lower[1];
        base[3]++;
    }
    return bytes;
}

static bool encode(const struct load *l, void *image, CUtensorMap *map)
{
    void *function;
    cudaDriverEntryPointQueryResult found;
    CUresult result;

    CUDA_CHECK(cudaGetDriverEntryPointByVersion(l->pixels ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled",
                                                &function, 12000, cudaEnableDefault, &found));
    if (l->pixels)
        result = ((decltype(&cuTensorMapEncodeIm2col))function)(
            map, CU_TENSOR_MAP_DATA_TYPE_UINT16, l->rank, image, l->sizes, l->strides, l->lower, l->upper, l->box[0],
            l->pixels, l->steps, l->interleave, l->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    else
        result = ((decltype(&cuTensorMapEncodeTiled))function)(
            map, CU_TENSOR_MAP_DATA_TYPE_UINT16, l->rank, image, l->sizes, l->strides, l->box, l->steps, l->interleave,
            l->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS;
}

static const CUtensorMapInterleave SLICES_16 = CU_TENSOR_MAP_INTERLEAVE_16B, SLICES_32 = CU_TENSOR_MAP_INTERLEAVE_32B;
static const CUtensorMapSwizzle PLAIN = CU_TENSOR_MAP_SWIZZLE_NONE, S32 = CU_TENSOR_MAP_SWIZZLE_32B,
                                S64 = CU_TENSOR_MAP_SWIZZLE_64B, S128 = CU_TENSOR_MAP_SWIZZLE_128B;

static const struct load loads[] = {
    {0, 4, SLICES_16, PLAIN, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 2, 16, 2}, {1, 1, 1, 1}, {}, {}, {{0, 0, 1, 0}}},
    {0, 4, SLICES_16, PLAIN, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 2, 16, 2}, {1, 1, 1, 1}, {}, {}, {{3, 0, 2, 1}}},
    {0, 4, SLICES_16, PLAIN, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 2, 8, 1}, {1, 1, 1, 1}, {}, {}, {{28, 0, 0, 0}}},
    {0, 4, SLICES_16, PLAIN, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 2, 8, 1}, {1, 1, 1, 1}, {}, {}, {{-2, 3, 0, 0}}},
    {0, 4, SLICES_16, PLAIN, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 2, 8, 1}, {1, 1, 1, 1}, {}, {}, {{0, -1, -1, 0}}},
    {0, 4, SLICES_16, PLAIN, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 4, 8, 1}, {2, 3, 1, 1}, {}, {}, {{0, 0, 0, 0}}},
    {0, 3, SLICES_16, PLAIN, {32, 20, 2}, {512, 8192}, {8, 16, 2}, {1, 1, 1}, {}, {}, {{1, 1, 0}}},
    {0, 4, SLICES_16, S32, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 4, 16, 1}, {1, 1, 1, 1}, {}, {}, {{0, 0, 0, 0}}},
    {0, 4, SLICES_16, S64, {32, 4, 20, 2}, {512, 2048, 8192}, {8, 4, 16, 1}, {1, 1, 1, 1}, {}, {}, {{0, 0, 0, 0}}},
    {0, 4, SLICES_16, S128, {32, 4, 20, 2}, {512, 2048, 8192}, {16, 4, 16, 1}, {1, 1, 1, 1}, {}, {}, {{0, 0, 0, 0}}},
    {0, 4, SLICES_32, S32, {32, 4, 40, 2}, {1024, 4096, 16384}, {16, 2, 32, 1}, {1, 1, 1, 1}, {}, {}, {{0, 1, 1, 0}}},
    {6, 4, SLICES_16, PLAIN, {8, 6, 5, 2}, {128, 1024, 4096}, {8}, {1, 1, 1, 1}, {-1, -1}, {-1, -1},
     {{0, 0, 0, 0}, {1, 1}}},
    {12, 4, SLICES_16, PLAIN, {8, 6, 20, 2}, {128, 1024, 4096}, {16}, {1, 1, 1, 1}, {}, {}, {{0, 0, 1, 0}}},
    {60, 4, SLICES_16, PLAIN, {8, 6, 20, 2}, {128, 1024, 4096}, {16}, {1, 1, 1, 1}, {}, {}, {{5, 4, 0, 0}}},
    {6, 4, SLICES_32, S32, {8, 6, 40, 2}, {256, 2048, 8192}, {16}, {1, 1, 1, 1}, {}, {}, {{0, 0, 1, 0}}},
};

/* The box's innermost row is a multiple of 16 bytes here, too. */
static void test_refused(void *image)
{
    struct load l = loads[0];
    CUtensorMap map;

    l.box[0] = 4;
    EXPECT(!encode(&l, image, &map));
}

int main(void)
{
    std::vector<unsigned short> image(IMAGE);
    unsigned short *out = device_zeros<unsigned short>(WORDS), *device;

    for (int i = 0; i < IMAGE; i++)
        image[i] = (unsigned short)i;
    device = device_copy(image);
    for (size_t n = 0; n < sizeof loads / sizeof *loads; n++) {
        const struct load *l = &loads[n];
        std::vector<unsigned short> want(WORDS, NOWHERE);
        int bytes = l->pixels ? expect_pixels(want, l) : expect_box(want, l);
        CUtensorMap map;
        char name[24];

        snprintf(name, sizeof name, "load %zu", n);
        EXPECT(encode(l, device, &map));
        bring<<<1, 1>>>(map, l->rank, l->pixels > 0, l->from, bytes, out);
        CUDA_CHECK_LAUNCH();
        expect_device(name, want, out);
    }
    test_refused(device);
    device_free(device);
    device_free(out);
    return passed();
}
