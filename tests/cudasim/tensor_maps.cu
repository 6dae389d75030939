/*
 * tensor_maps.cu - copies by tensor maps: boxes in every swizzle, over the edges of the tensor, with strides between
 * elements; stores, reductions, im2col, one load for two blocks of a cluster, and maps
 * whose fields a kernel replaces.
 */
#include "check.h"

#include <cuda.h>

static decltype(&cuTensorMapEncodeTiled) encode_tiled;
static decltype(&cuTensorMapEncodeIm2col) encode_im2col;

static void *driver_function(const char *name)
{
    cudaDriverEntryPointQueryResult found;
    void *function = nullptr;

    CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSuccess && function);
    return function;
}

/* ---- device side ---- */

__device__ static unsigned shared_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ static void barrier_open(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_of(barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(barrier)), "r"(bytes)
                 : "memory");
}

__device__ static void barrier_wait(unsigned long long *barrier)
{
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                     shared_of(barrier))
                 : "memory");
}

static const int BOX_X = 16, BOX_Y = 8; /* words, rows */

/* The box at (x, y), in its shared memory layout. */
__global__ void load_box(const __grid_constant__ CUtensorMap map, int x, int y, int words, unsigned *out)
{
    __shared__ __align__(1024) unsigned box[4096];
    __shared__ unsigned long long barrier;

    if (threadIdx.x == 0) {
        barrier_open(&barrier, words * 4);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2, %3}], [%4];" ::"r"(shared_of(box)),
                     "l"(&map), "r"(x), "r"(y), "r"(shared_of(&barrier))
                     : "memory");
    }
    __syncthreads();
    barrier_wait(&barrier);
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        out[i] = box[i];
}

__global__ void load_columns(const __grid_constant__ CUtensorMap map, int c, int w, int h, int n, int words,
                             unsigned *out)
{
    __shared__ __align__(1024) unsigned box[4096];
    __shared__ unsigned long long barrier;

    if (threadIdx.x == 0) {
        unsigned short one = 1, two = 2;

        barrier_open(&barrier, words * 4);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_of(box)),
                     "l"(&map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(shared_of(&barrier)), "h"(one), "h"(two)
                     : "memory");
    }
    __syncthreads();
    barrier_wait(&barrier);
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        out[i] = box[i];
}

/* Writes, then adds, the numbers from 1 on at (x, y). */
__global__ void store_box(const __grid_constant__ CUtensorMap map, int x, int y)
{
    __shared__ __align__(1024) unsigned box[BOX_X * BOX_Y];

    for (int i = threadIdx.x; i < BOX_X * BOX_Y; i += blockDim.x)
        box[i] = i + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
                     "r"(y), "r"(shared_of(box))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                         &map),
                     "r"(x), "r"(y), "r"(shared_of(box))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* The first block of the cluster loads for both. */
__global__ void __cluster_dims__(2, 1, 1) load_for_both(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    __shared__ __align__(1024) unsigned box[BOX_X * BOX_Y];
    __shared__ unsigned long long barrier;

    if (threadIdx.x == 0)
        barrier_open(&barrier, sizeof box);
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        unsigned short both = 3;

        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %2}], [%3], %4;" ::"r"(shared_of(box)),
                     "l"(&map), "r"(4), "r"(shared_of(&barrier)), "h"(both)
                     : "memory");
    }
    __syncthreads();
    barrier_wait(&barrier);
    for (int i = threadIdx.x; i < BOX_X * BOX_Y; i += blockDim.x)
        out[blockIdx.x * BOX_X * BOX_Y + i] = box[i];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

/*
 * Makes a map of another tensor from `map`: in shared memory it gets the address, sizes, stride and box of words, and
 * goes to `changed` in global memory. The block then loads by that.
 */
__global__ void load_by_changed(const __grid_constant__ CUtensorMap map, CUtensorMap *changed, const unsigned *tensor,
                                int width, int height, int x, int y, unsigned *out)
{
    __shared__ __align__(1024) unsigned box[BOX_X * BOX_Y];
    __shared__ __align__(128) CUtensorMap work;
    __shared__ unsigned long long barrier;

    if (threadIdx.x < sizeof map / 4)
        ((unsigned *)&work)[threadIdx.x] = ((const unsigned *)&map)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned at = shared_of(&work);

#define REPLACE(field, type, operands, value)                                                                          \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " operands ";" ::"r"(at), value    \
                 : "memory")
        REPLACE("global_address", "b64", "%1", "l"(tensor));
        REPLACE("rank", "b32", "%1", "r"(1));
        REPLACE("box_dim", "b32", "0, %1", "r"(BOX_X));
        REPLACE("box_dim", "b32", "1, %1", "r"(BOX_Y));
        REPLACE("global_dim", "b32", "0, %1", "r"(width));
        REPLACE("global_dim", "b32", "1, %1", "r"(height));
        REPLACE("global_stride", "b64", "0, %1", "l"((unsigned long long)width * 4));
        REPLACE("element_stride", "b32", "1, %1", "r"(1));
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 2;" ::"r"(at) : "memory");
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32)
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], "
                     "[%1], 128;" ::"l"(changed),
                     "r"(shared_of(&work))
                     : "memory");
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(changed) : "memory");
        barrier_open(&barrier, sizeof box);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2, %3}], [%4];" ::"r"(shared_of(box)),
                     "l"(changed), "r"(x), "r"(y), "r"(shared_of(&barrier))
                     : "memory");
    }
    __syncthreads();
    barrier_wait(&barrier);
    for (int i = threadIdx.x; i < BOX_X * BOX_Y; i += blockDim.x)
        out[i] = box[i];
}

/* ---- host side ---- */

static const int WIDTH = 40, HEIGHT = 21;

static std::vector<unsigned> numbers(size_t count)
{
    std::vector<unsigned> values;

    for (size_t i = 0; i < count; i++)
        values.push_back((unsigned)(i * 2654435761u) | 1);
    return values;
}

static CUtensorMap map_2d(void *address, int box_x, int box_y, int step, CUtensorMapSwizzle swizzle)
{
    cuuint64_t sizes[2] = {WIDTH, HEIGHT}, strides[1] = {WIDTH * 4};
    cuuint32_t box[2] = {(cuuint32_t)box_x, (cuuint32_t)box_y}; /* without interleaving the first step is ignored: */
    cuuint32_t steps[2] = {(cuuint32_t)step, (cuuint32_t)step};
    CUtensorMap map;

    EXPECT(encode_tiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, address, sizes, strides, box, steps,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static unsigned word_at(const std::vector<unsigned> &image, int x, int y)
{
    return x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT ? 0 : image[y * WIDTH + x];
}

/* The word of the box's row `y`, column `x`, in shared memory: `span` bytes to a row. */
static int swizzled(int x, int y, int span)
{
    int at = y * span + x * 4;

    return (at ^ (at >> 7 & (span / 16 - 1)) << 4) / 4;
}

static void check_load(const std::vector<unsigned> &image, unsigned *device, int x, int y, int step,
                       CUtensorMapSwizzle swizzle)
{
    int span = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 128
               : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64
               : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 32
                                                      : 64;
    int columns = span / 4, rows = (BOX_Y + step - 1) / step, words = columns * rows;
    CUtensorMap map = map_2d(device, columns, BOX_Y, step, swizzle);
    unsigned *out = device_zeros<unsigned>(words);
    std::vector<unsigned> want(words);

    load_box<<<1, 32>>>(map, x, y, words, out);
    CHECK_KERNEL();
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            want[swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? r * columns + c : swizzled(c, r, span)] =
                word_at(image, x + c, y + r * step);
    expect_device("a box", want, out);
    device_free(out);
}

static void check_store()
{
    unsigned *device = device_zeros<unsigned>(WIDTH * HEIGHT);
    std::vector<unsigned> want(WIDTH * HEIGHT);
    CUtensorMap map = map_2d(device, BOX_X, BOX_Y, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
    const int x = WIDTH - 4, y = HEIGHT - 5;

    store_box<<<1, 64>>>(map, x, y);
    CHECK_KERNEL();
    for (int r = 0; r < BOX_Y; r++)
        for (int c = 0; c < BOX_X; c++)
            if (y + r < HEIGHT && x + c < WIDTH)
                want[(y + r) * WIDTH + x + c] = 2 * (r * BOX_X + c + 1);
    expect_device("stored and added", want, device);
    device_free(device);
}

static void check_both(const std::vector<unsigned> &image, unsigned *device)
{
    CUtensorMap map = map_2d(device, BOX_X, BOX_Y, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
    unsigned *out = device_zeros<unsigned>(2 * BOX_X * BOX_Y);
    std::vector<unsigned> want;

    load_for_both<<<2, 32>>>(map, out);
    CHECK_KERNEL();
    for (int i = 0; i < 2 * BOX_X * BOX_Y; i++)
        want.push_back(word_at(image, 4 + i % BOX_X, 4 + i / BOX_X % BOX_Y));
    expect_device("one load for two blocks", want, out);
    device_free(out);
}

/* A filter of 3 x 3 with a border of one pixel: columns of PIXELS pixels at offset (1, 2) of the filter. */
static void check_columns()
{
    const int C = 8, W = 7, H = 5, N = 3, PIXELS = 50;
    std::vector<unsigned> image = numbers(C * W * H * N), want;
    unsigned *device = device_copy(image), *out = device_zeros<unsigned>(PIXELS * C);
    cuuint64_t sizes[4] = {C, W, H, N}, strides[3] = {C * 4, C * W * 4, C * W * H * 4};
    int lower[2] = {-1, -1}, upper[2] = {-1, -1}, w = 2, h = -1, n = 0;
    cuuint32_t steps[4] = {1, 1, 1, 1};
    CUtensorMap map;

    EXPECT(encode_im2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, device, sizes, strides, lower, upper, C, PIXELS,
                         steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    load_columns<<<1, 32>>>(map, 0, w, h, n, PIXELS * C, out);
    CHECK_KERNEL();
    for (int p = 0; p < PIXELS; p++) {
        int x = w + 1, y = h + 2;
        bool inside = x >= 0 && x < W && y >= 0 && y < H && n < N;

        for (int c = 0; c < C; c++)
            want.push_back(inside ? image[((n * H + y) * W + x) * C + c] : 0);
        if (++w > W - 1 + upper[1]) {
            w = lower[1];
            if (++h > H - 1 + upper[0]) {
                h = lower[0];
                n++;
            }
        }
    }
    expect_device("im2col", want, out);
    device_free(device);
    device_free(out);
}

/* The map is first one of halves, of another shape and swizzle. */
static void check_changed()
{
    const int width = 24, height = 30, x = 12, y = 25;
    std::vector<unsigned> image = numbers(width * height), want;
    unsigned *device = device_copy(image), *out = device_zeros<unsigned>(BOX_X * BOX_Y), *other;
    CUtensorMap *changed, map;
    cuuint64_t sizes[2] = {64, 8}, strides[1] = {128};
    cuuint32_t box[2] = {32, 4}, steps[2] = {1, 2};

    CUDA_CHECK(cudaMalloc(&other, 1024));
    CUDA_CHECK(cudaMalloc(&changed, sizeof *changed));
    EXPECT(encode_tiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, other, sizes, strides, box, steps,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) == CUDA_SUCCESS);
    load_by_changed<<<1, 64>>>(map, changed, device, width, height, x, y, out);
    CHECK_KERNEL();
    for (int r = 0; r < BOX_Y; r++)
        for (int c = 0; c < BOX_X; c++)
            want.push_back(x + c < width && y + r < height ? image[(y + r) * width + x + c] : 0);
    expect_device("a changed map", want, out);
    CUDA_CHECK(cudaFree(other));
    CUDA_CHECK(cudaFree(changed));
    device_free(device);
    device_free(out);
}

int main()
{
    std::vector<unsigned> image = numbers(WIDTH * HEIGHT);
    unsigned *device = device_copy(image);

    encode_tiled = (decltype(encode_tiled))driver_function("cuTensorMapEncodeTiled");
    encode_im2col = (decltype(encode_im2col))driver_function("cuTensorMapEncodeIm2col");
    for (CUtensorMapSwizzle swizzle : {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                       CU_TENSOR_MAP_SWIZZLE_128B}) {
        check_load(image, device, 0, 0, 1, swizzle);
        check_load(image, device, -4, 17, 1, swizzle);
        check_load(image, device, WIDTH - 4, -2, 1, swizzle);
        check_load(image, device, 4, 1, 2, swizzle);
    }
    check_store();
    check_both(image, device);
    check_columns();
    check_changed();
    device_free(device);
    return passed();
}
