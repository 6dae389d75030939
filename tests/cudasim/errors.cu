/*
 * errors.cu - wrong uses of the runtime, each of which must be refused with its own error and leave the device usable;
 * the names of errors; what cudaGetLastError keeps. Errors which end the context are in errors_sticky.cu.
 */
#include "check.h"

__device__ int symbol[4];
static int no_symbol[4];

__global__ void nothing(void)
{
}

__global__ void store(int *out, int value)
{
    *out = value;
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
    out[0] = blockDim.x;
}

__global__ void large_static(int *out)
{
    __shared__ int values[12288]; /* 48 KiB, the most that needs no opt-in */

    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = values[blockDim.x - 1];
}

static void no_kernel(void)
{
}

/* The launch is refused with this error, and nothing else breaks. */
static void expect_launch_error(const char *what, cudaError_t want)
{
    cudaError_t got = cudaGetLastError();

    if (got != want) {
        printf("%s: want %s, got %s\n", what, cudaGetErrorName(want), cudaGetErrorName(got));
        exit(1);
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* Shapes that no device takes: cudaErrorInvalidConfiguration before CUDA 13. */
static void test_launches(void)
{
    int *out = device_zeros<int>(1);
    void *arguments[] = {&out};
    int too_many = 100000;

    nothing<<<1, 1025>>>();
    expect_launch_error("1025 threads", cudaErrorInvalidValue);
    nothing<<<1, dim3(32, 33)>>>();
    expect_launch_error("32 x 33 threads", cudaErrorInvalidValue);
    nothing<<<1, dim3(1, 1, 65)>>>();
    expect_launch_error("65 deep", cudaErrorInvalidValue);
    nothing<<<1, 0>>>();
    expect_launch_error("no thread", cudaErrorInvalidValue);
    nothing<<<0, 1>>>();
    expect_launch_error("no block", cudaErrorInvalidValue);
    nothing<<<dim3(1, 65536), 1>>>();
    expect_launch_error("65536 blocks in y", cudaErrorInvalidValue);
    nothing<<<dim3(1, 1, 65536), 1>>>();
    expect_launch_error("65536 blocks in z", cudaErrorInvalidValue);
    nothing<<<1, 1, 49153>>>();
    expect_launch_error("49153 bytes of shared memory", cudaErrorInvalidValue);
    nothing<<<1, 1, 10000000>>>();
    expect_launch_error("10 MB of shared memory", cudaErrorInvalidValue);
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 10000000));
    CUDA_CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    nothing<<<1, 1, 100000>>>();
    CHECK_KERNEL();
    nothing<<<1, 1, 100001>>>();
    expect_launch_error("more than was asked for", cudaErrorInvalidValue);
    large_static<<<1, 32>>>(out);
    CHECK_KERNEL();
    large_static<<<1, 32, 4096>>>(out);
    expect_launch_error("static and dynamic together", cudaErrorInvalidValue);
    bounded<<<1, 64>>>(out);
    CHECK_KERNEL();
    bounded<<<1, 65>>>(out);
    EXPECT(cudaGetLastError() != cudaSuccess); /* which error it is is not documented */
    EXPECT_ERROR(cudaErrorInvalidResourceHandle,
                 cudaLaunchKernel((void *)no_kernel, dim3(1), dim3(1), arguments, 0, 0));
    EXPECT_ERROR(cudaErrorCooperativeLaunchTooLarge,
                 cudaLaunchCooperativeKernel((void *)bounded, dim3(too_many), dim3(64), arguments, 0, 0));
    cudaFuncAttributes attributes;

    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&attributes, (void *)no_kernel));
    store<<<1, 1>>>(out, 5);
    CHECK_KERNEL();
    expect_device("usable", std::vector<int>{5}, out);
    device_free(out);
}

static void test_memory(void)
{
    int *device = device_zeros<int>(100);
    int *gone = device_new<int>(100);
    int host[100] = {};
    void *pointer = nullptr;
    size_t size;
    int device_count;

    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&pointer, (size_t)1 << 46));
    EXPECT(pointer == nullptr);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 16));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device, host, 16, (cudaMemcpyKind)77));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 16));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(device, 0, (size_t)1 << 40));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(host));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree((void *)0x1234));
    CUDA_CHECK(cudaFree(gone));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(gone));
    cudaError_t wide = cudaMemcpy2D(device, 4, host, 16, 16, 2, cudaMemcpyHostToDevice); /* wider than the pitch */

    EXPECT(wide == cudaErrorInvalidPitchValue || wide == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == wide);
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(no_symbol, host, 16));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&pointer, no_symbol));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, no_symbol));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(symbol, host, sizeof symbol + 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, symbol, 8, 12));
    CUDA_CHECK(cudaMemcpyToSymbol(symbol, host, sizeof symbol));
    EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
    CUDA_CHECK(cudaGetDeviceCount(&device_count));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(device_count));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
    cudaDeviceProp properties;

    EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, device_count));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetAttribute(&device_count, (cudaDeviceAttr)99999, 0));
    device_free(device);
}

static void test_last_error(void)
{
    int *device = device_new<int>(1);

    EXPECT(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CUDA_CHECK(cudaMemset(device, 0, 4)); /* success does not clear it */
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaFree((void *)0x1234) == cudaErrorInvalidValue); /* a later error replaces it */
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    nothing<<<1, 2000>>>();
    CUDA_CHECK(cudaDeviceSynchronize()); /* a launch that was refused is no fault of the device */
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA_CHECK(cudaGetLastError());
    device_free(device);
}

static void test_texts(void)
{
    static const struct {
        cudaError_t error;
        const char *name, *text;
    } texts[] = {
        {cudaSuccess, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
        {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
        {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
        {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
        {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
        {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
        {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
        {(cudaError_t)987654, "unrecognized error code", "unrecognized error code"},
    };

    for (auto &one : texts) {
        if (strcmp(cudaGetErrorName(one.error), one.name) || strcmp(cudaGetErrorString(one.error), one.text)) {
            printf("error %d: want %s: %s, got %s: %s\n", (int)one.error, one.name, one.text,
                   cudaGetErrorName(one.error), cudaGetErrorString(one.error));
            exit(1);
        }
    }
}

int main(void)
{
    test_launches();
    test_memory();
    test_last_error();
    test_texts();
    return passed();
}
