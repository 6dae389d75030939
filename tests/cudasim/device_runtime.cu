// flags: -rdc=true -lcudadevrt
/*
 * device_runtime.cu - what kernels may ask the device and its runtime: attributes, limits, the needs of kernels,
 * occupancy; and the copies and fills of rows and boxes.
 */
#include "check.h"

__global__ void __launch_bounds__(256) child(int *data)
{
    __shared__ int tile[512];

    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x ^ 1];
}

struct answers {
    int multiprocessors, threads, device, devices, version, blocks, function_threads, cache;
    size_t heap, shared, local;
    cudaError_t unknown, wrong_device, no_place, not_a_kernel;
};

__global__ void ask(struct answers *answers)
{
    cudaFuncAttributes attributes; /* on the stack: the answer goes to local memory */
    cudaFuncCache cache;
    int value = 0;

    cudaDeviceGetAttribute(&answers->multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0);
    answers->threads = value;
    cudaGetDevice(&answers->device);
    cudaGetDeviceCount(&answers->devices);
    cudaRuntimeGetVersion(&answers->version);
    cudaDeviceGetLimit(&answers->heap, cudaLimitMallocHeapSize);
    cudaDeviceGetCacheConfig(&cache);
    answers->cache = cache;
    if (cudaFuncGetAttributes(&attributes, (const void *)child) == cudaSuccess) {
        answers->function_threads = attributes.maxThreadsPerBlock;
        answers->shared = attributes.sharedSizeBytes;
        answers->local = attributes.localSizeBytes;
    }
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&answers->blocks, (const void *)child, 256, 1024);
    answers->unknown = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0);
    answers->wrong_device = cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 7);
    answers->no_place = cudaDeviceGetAttribute(nullptr, cudaDevAttrMaxThreadsPerBlock, 0);
    answers->not_a_kernel = cudaFuncGetAttributes(&attributes, answers);
}

static void test_questions()
{
    struct answers *answers, got;
    cudaFuncAttributes attributes;
    cudaFuncCache cache;
    int value;
    size_t heap;

    answers = device_zeros<struct answers>(1);
    ask<<<1, 1>>>(answers);
    CHECK_KERNEL();
    got = host_copy(answers, 1)[0];
    CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(got.multiprocessors == value);
    CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    EXPECT(got.threads == value);
    CUDA_CHECK(cudaGetDeviceCount(&value));
    EXPECT(got.device == 0 && got.devices == value && got.version == 6000);
    CUDA_CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    EXPECT(got.heap == heap);
    CUDA_CHECK(cudaDeviceGetCacheConfig(&cache));
    EXPECT(got.cache == cache);
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, child));
    EXPECT(got.function_threads == 256 && got.function_threads == attributes.maxThreadsPerBlock);
    EXPECT(got.shared == 512 * sizeof(int) && got.local == attributes.localSizeBytes);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, child, 256, 1024));
    EXPECT(got.blocks == value && value > 0);
    EXPECT(got.unknown == cudaErrorInvalidValue && got.wrong_device == cudaErrorInvalidDevice);
    EXPECT(got.no_place == cudaErrorInvalidValue && got.not_a_kernel != cudaSuccess);
    CUDA_CHECK(cudaFree(answers));
}

/* Rows of 3 from rows of 8; a box of 2 x 2 x 2 inside of 8 x 4 x 2. `errors`: [2] results of copies that cannot be. */
__global__ void copy(int *to, const int *from, cudaError_t *errors)
{
    cudaMemcpy3DParms box = {};

    cudaMemset2DAsync(to, 16, 0xff, 12, 4);
    cudaMemcpy2DAsync(to, 16, from, 32, 12, 3, cudaMemcpyDeviceToDevice);
    box.srcPtr = {(void *)from, 32, 32, 4};
    box.srcPos = {4, 1, 0};
    box.dstPtr = {to + 16, 16, 16, 2};
    box.extent = {8, 2, 2};
    box.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3DAsync(&box, 0);
    cudaMemset3DAsync({to + 32, 16, 16, 2}, 1, {4, 2, 2}, 0);
    errors[0] = cudaMemcpy2DAsync(to, 8, from, 32, 12, 3, cudaMemcpyDeviceToDevice);
    box.srcArray = (cudaArray_t)from;
    errors[1] = cudaMemcpy3DAsync(&box, 0);
}

static int expected(int i)
{
    int part = i / 16, row = i / 4 % 4, x = i % 4;

    if (part == 0)
        return x == 3 ? 0 : row < 3 ? row * 8 + x + 1 : -1;
    if (part == 1)
        return x < 2 ? row / 2 * 32 + (row % 2 + 1) * 8 + x + 1 + 1 : 0;
    return x < 1 ? 0x01010101 : 0;
}

static void test_copies()
{
    std::vector<int> from(64), got;
    int *to = device_zeros<int>(48), *source;
    cudaError_t *errors = (cudaError_t *)device_zeros<int>(2);

    for (int i = 0; i < 64; i++)
        from[i] = i + 1;
    source = device_copy(from);
    copy<<<1, 1>>>(to, source, errors);
    CHECK_KERNEL();
    got = host_copy(to, 48);
    for (int i = 0; i < 48; i++)
        EXPECT(got[i] == expected(i));
    EXPECT(host_copy(errors, 2)[0] == cudaErrorInvalidPitchValue && host_copy(errors, 2)[1] != cudaSuccess);
    CUDA_CHECK(cudaFree(to));
    CUDA_CHECK(cudaFree(source));
    CUDA_CHECK(cudaFree(errors));
}

int main()
{
    test_questions();
    test_copies();
    return passed();
}
