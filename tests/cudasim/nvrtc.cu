// flags: -lcuda -lnvrtc
/*
 * nvrtc.cu - code compiled while the program runs: NVRTC's PTX through the driver's modules and through the runtime's
 * libraries, templates by their lowered names, and a program with a mistake.
 */
#include <cuda.h>
#include <nvrtc.h>

#include "check.h"

static const char source[] = R"(
template <typename T> __global__ void fill(T *data, T value, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] = value * (T)(i + 1);
}
__device__ int total;
__constant__ int weight = 2;
extern "C" __global__ void sum(const float *data, int count)
{
    __shared__ float parts[64];
    float own = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) own += data[i] * weight;
    parts[threadIdx.x] = own;
    for (int step = 32; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    if (threadIdx.x == 0) total = (int)parts[0];
}
)";

#define NVRTC(call) EXPECT((call) == NVRTC_SUCCESS)
#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

static std::vector<char> compile(const char *text, const char *expression, char lowered[128], nvrtcResult want)
{
    const char *options[] = { "--gpu-architecture=compute_90", "--std=c++17", "-lineinfo" };
    nvrtcProgram program;
    const char *name;
    size_t size;

    NVRTC(nvrtcCreateProgram(&program, text, "source.cu", 0, nullptr, nullptr));
    if (expression)
        NVRTC(nvrtcAddNameExpression(program, expression));
    EXPECT(nvrtcCompileProgram(program, 3, options) == want);
    if (want != NVRTC_SUCCESS) {
        NVRTC(nvrtcGetProgramLogSize(program, &size));
        EXPECT(size > 10);
        NVRTC(nvrtcDestroyProgram(&program));
        return {};
    }
    NVRTC(nvrtcGetPTXSize(program, &size));
    std::vector<char> ptx(size);
    NVRTC(nvrtcGetPTX(program, ptx.data()));
    NVRTC(nvrtcGetLoweredName(program, expression, &name));
    snprintf(lowered, 128, "%s", name);
    NVRTC(nvrtcDestroyProgram(&program));
    return ptx;
}

int main()
{
    enum { COUNT = 300 };
    char lowered[128];
    std::vector<char> ptx = compile(source, "fill<float>", lowered, NVRTC_SUCCESS);
    CUcontext context;
    CUmodule module;
    CUfunction fill, sum;
    CUdeviceptr data, total;
    size_t bytes;
    int count = COUNT, result = 0;
    float value = 1;
    void *fill_arguments[] = { &data, &value, &count }, *sum_arguments[] = { &data, &count };

    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxPushCurrent(context));
    DRIVER(cuModuleLoadData(&module, ptx.data()));
    DRIVER(cuModuleGetFunction(&fill, module, lowered));
    DRIVER(cuModuleGetFunction(&sum, module, "sum"));
    DRIVER(cuMemAlloc(&data, COUNT * sizeof(float)));
    DRIVER(cuLaunchKernel(fill, 3, 1, 1, 128, 1, 1, 0, nullptr, fill_arguments, nullptr));
    DRIVER(cuLaunchKernel(sum, 1, 1, 1, 64, 1, 1, 0, nullptr, sum_arguments, nullptr));
    DRIVER(cuModuleGetGlobal(&total, &bytes, module, "total"));
    DRIVER(cuMemcpyDtoH(&result, total, sizeof result));
    EXPECT(result == COUNT * (COUNT + 1));
    DRIVER(cuModuleUnload(module));

    cudaLibrary_t library;
    cudaKernel_t kernel, kernels[4];
    unsigned kernel_count;
    int *address, weight = 3;
    CUDA_CHECK(cudaLibraryLoadData(&library, ptx.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "sum"));
    CUDA_CHECK(cudaLibraryGetKernelCount(&kernel_count, library));
    EXPECT(kernel_count == 2);
    CUDA_CHECK(cudaLibraryEnumerateKernels(kernels, 2, library));
    EXPECT(kernels[0] == kernel || kernels[1] == kernel);
    CUDA_CHECK(cudaLibraryGetGlobal((void **)&address, &bytes, library, "weight"));
    EXPECT(bytes == sizeof weight);
    CUDA_CHECK(cudaMemcpy(address, &weight, sizeof weight, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaLaunchKernel((void *)kernel, 1, 64, sum_arguments, 0, nullptr));
    CUDA_CHECK(cudaLibraryGetGlobal((void **)&address, &bytes, library, "total"));
    CUDA_CHECK(cudaMemcpy(&result, address, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == COUNT * (COUNT + 1) / 2 * 3);
    EXPECT_ERROR(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nothing"));
    CUDA_CHECK(cudaLibraryUnload(library));

    compile("__global__ void wrong() { undeclared = 1; }", nullptr, nullptr, NVRTC_ERROR_COMPILATION);
    DRIVER(cuMemFree(data));
    DRIVER(cuDevicePrimaryCtxRelease(0));
    return passed();
}
