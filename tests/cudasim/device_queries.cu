/*
 * device_queries.cu - what the runtime says of the device and of kernels: properties and attributes which must agree,
 * the limits of compute capability 9.0, occupancy, attributes of functions, limits that can be set.
 */
#include "check.h"

__global__ void plain(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

__global__ void __launch_bounds__(128) bounded(int *out)
{
    __shared__ int values[1024];

    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[127 - threadIdx.x];
}

__global__ void with_dynamic(int *out)
{
    extern __shared__ int values[];

    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[0];
}

__global__ void with_local(int *out, int index)
{
    volatile int values[100];

    for (int i = 0; i < 100; i++)
        values[i] = i * index;
    out[threadIdx.x] = values[index];
}

/* Dynamic shared memory by the size of the block. */
struct four_bytes_each {
    __host__ __device__ size_t operator()(int threads) const { return threads * sizeof(int); }
};

static int attribute(cudaDeviceAttr which)
{
    int value = -1;

    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void test_properties(void)
{
    cudaDeviceProp p;
    int count = 0, device = -1, driver = 0, runtime = 0;
    char bus[32] = "";

    CUDA_CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    CUDA_CHECK(cudaSetDevice(0));
    CUDA_CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    EXPECT(runtime / 1000 == 13 && driver >= 13000);
    CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
    EXPECT(p.major == 9 && p.minor == 0);
    EXPECT(p.name[0] != 0 && strlen(p.name) < sizeof p.name);
    EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsPerMultiProcessor == 2048);
    EXPECT(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
    EXPECT(p.maxGridSize[0] == INT32_MAX && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
    EXPECT(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 232448);
    EXPECT(p.sharedMemPerMultiprocessor == 233472 && p.reservedSharedMemPerBlock == 1024);
    EXPECT(p.regsPerBlock == 65536 && p.regsPerMultiprocessor == 65536);
    EXPECT(p.maxBlocksPerMultiProcessor == 32);
    EXPECT(p.totalConstMem == 65536);
    EXPECT(p.totalGlobalMem > 0 && p.multiProcessorCount > 0 && p.l2CacheSize > 0);
    EXPECT(p.unifiedAddressing == 1 && p.managedMemory == 1 && p.canMapHostMemory == 1);
    EXPECT(p.concurrentKernels == 1 && p.cooperativeLaunch == 1);

    EXPECT(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
    EXPECT(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
    EXPECT(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
    EXPECT(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
    EXPECT(attribute(cudaDevAttrMaxBlockDimZ) == p.maxThreadsDim[2]);
    EXPECT(attribute(cudaDevAttrMaxGridDimX) == p.maxGridSize[0]);
    EXPECT(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == (int)p.sharedMemPerBlock);
    EXPECT(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == (int)p.sharedMemPerBlockOptin);
    EXPECT(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) == (int)p.sharedMemPerMultiprocessor);
    EXPECT(attribute(cudaDevAttrMaxRegistersPerBlock) == p.regsPerBlock);
    EXPECT(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) == p.maxThreadsPerMultiProcessor);
    EXPECT(attribute(cudaDevAttrMaxBlocksPerMultiprocessor) == p.maxBlocksPerMultiProcessor);
    EXPECT(attribute(cudaDevAttrWarpSize) == 32);
    EXPECT(attribute(cudaDevAttrTotalConstantMemory) == 65536);
    EXPECT(attribute(cudaDevAttrL2CacheSize) == p.l2CacheSize);
    EXPECT(attribute(cudaDevAttrUnifiedAddressing) == 1);
    EXPECT(attribute(cudaDevAttrManagedMemory) == 1);
    EXPECT(attribute(cudaDevAttrCooperativeLaunch) == 1);
    EXPECT(attribute(cudaDevAttrMemoryPoolsSupported) == 1);
    EXPECT(attribute(cudaDevAttrClockRate) > 0);
    CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    EXPECT(strchr(bus, ':') != nullptr);
    CUDA_CHECK(cudaDeviceGetByPCIBusId(&device, bus));
    EXPECT(device == 0);
}

static void test_occupancy(void)
{
    int blocks = 0, smaller = 0, grid = 0, block = 0;
    size_t shared = 0;

    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
    EXPECT(blocks == 2);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
    EXPECT(blocks == 8);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
    EXPECT(blocks == 32); /* the most blocks, not the most threads */
    CUDA_CHECK(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_dynamic, 128, 100 * 1024));
    EXPECT(blocks == 2); /* 2 x (100 + 1) of 228 KiB */
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&smaller, with_dynamic, 128, 200 * 1024));
    EXPECT(smaller == 1);
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    EXPECT(block >= 32 && block <= 1024 && block % 32 == 0);
    EXPECT(grid >= attribute(cudaDevAttrMultiProcessorCount));
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
    EXPECT(block <= 128);
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, with_dynamic, four_bytes_each(), 0));
    EXPECT(block >= 32 && block <= 1024);
    CUDA_CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, with_dynamic, 2, 128));
    EXPECT(shared == 114 * 1024);
    CUDA_CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, with_dynamic, 5, 128));
    EXPECT(shared == 364 * 128); /* 228 KiB / 5, as an H200 says */
}

static void test_functions(void)
{
    cudaFuncAttributes a;

    CUDA_CHECK(cudaFuncGetAttributes(&a, plain));
    EXPECT(a.sharedSizeBytes == 0 && a.localSizeBytes == 0 && a.maxThreadsPerBlock == 1024);
    EXPECT(a.numRegs > 0 && a.numRegs <= 255);
    EXPECT(a.ptxVersion == 90 && a.binaryVersion == 90);
    CUDA_CHECK(cudaFuncGetAttributes(&a, bounded));
    EXPECT(a.sharedSizeBytes == 4096 && a.maxThreadsPerBlock == 128);
    CUDA_CHECK(cudaFuncGetAttributes(&a, with_local));
    EXPECT(a.localSizeBytes >= 400);
    CUDA_CHECK(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CUDA_CHECK(cudaFuncGetAttributes(&a, with_dynamic));
    EXPECT(a.maxDynamicSharedSizeBytes == 65536);
    CUDA_CHECK(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CUDA_CHECK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1));
    const char *name = nullptr;

    CUDA_CHECK(cudaFuncGetName(&name, (const void *)bounded));
    EXPECT(strstr(name, "bounded") != nullptr);
}

static void test_limits(void)
{
    size_t before = 0, after = 0;

    CUDA_CHECK(cudaDeviceGetLimit(&before, cudaLimitStackSize));
    EXPECT(before >= 1024);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CUDA_CHECK(cudaDeviceGetLimit(&after, cudaLimitStackSize));
    EXPECT(after >= 4096);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    CUDA_CHECK(cudaDeviceGetLimit(&after, cudaLimitPrintfFifoSize));
    EXPECT(after >= 2 << 20);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CUDA_CHECK(cudaDeviceGetLimit(&after, cudaLimitMallocHeapSize));
    EXPECT(after >= 16 << 20);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    CUDA_CHECK(cudaDeviceGetLimit(&after, cudaLimitDevRuntimePendingLaunchCount));
    EXPECT(after == 4096);
    int *out = device_zeros<int>(32);

    with_local<<<1, 32>>>(out, 7);
    CHECK_KERNEL();
    expect_device("local", std::vector<int>(32, 49), out);
    device_free(out);
}

int main(void)
{
    test_properties();
    test_occupancy();
    test_functions();
    test_limits();
    return passed();
}
