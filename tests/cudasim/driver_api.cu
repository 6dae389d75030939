// flags: -lcuda
/*
 * driver_api.cu - the driver API: devices, contexts, modules of PTX by hand and linked by hand, launches with arguments
 * and with a buffer, memory, memsets, streams, events, graphs, occupancy, addresses by name, and the runtime beside it.
 */
#include <cuda.h>

#include "check.h"

static void check_driver(CUresult want, CUresult got, const char *call, int line)
{
    const char *name = "?", *expected = "?";

    if (got == want)
        return;
    cuGetErrorName(got, &name);
    cuGetErrorName(want, &expected);
    printf("driver_api.cu:%d: %s: want %s, got %s\n", line, call, expected, name);
    exit(1);
}

#define DRIVER(call) check_driver(CUDA_SUCCESS, (call), #call, __LINE__)
#define DRIVER_ERROR(error, call) check_driver((error), (call), #call, __LINE__)

static const char scale_ptx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 launches = 10;
.visible .const .align 4 .f32 offset = 0f3F000000;
.extern .func (.param .b32 result) twice (.param .b32 x);
.visible .entry scale(.param .u64 data, .param .u32 count, .param .f32 factor)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .f32 %f<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    ld.param.f32 %f1, [factor];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p ret;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.const.f32 %f3, [offset];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd4], %f4;
    setp.ne.u32 %p, %r5, 0;
    @%p ret;
    atom.global.add.u32 %r6, [launches], 1;
    ret;
}
.visible .entry call_twice(.param .u64 data)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [data];
    ld.u32 %r1, [%rd1];
    {
    .param .b32 x;
    .param .b32 result;
    st.param.b32 [x], %r1;
    call (result), twice, (x);
    ld.param.b32 %r2, [result];
    }
    st.u32 [%rd1], %r2;
    ret;
}
)";

static const char twice_ptx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 result) twice (.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [x];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [result], %r2;
    ret;
}
)";

enum { COUNT = 1000 };

static void test_start()
{
    CUcontext none;
    CUdevice device;
    int count, version, major, minor, value;
    size_t bytes;
    char name[64];

    DRIVER_ERROR(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    DRIVER(cuInit(0));
    DRIVER(cuDriverGetVersion(&version));
    EXPECT(version >= 12000);
    DRIVER(cuDeviceGetCount(&count));
    EXPECT(count >= 1);
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER_ERROR(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1000));
    DRIVER(cuDeviceGetName(name, sizeof name, device));
    EXPECT(strlen(name) > 3);
    DRIVER(cuDeviceTotalMem(&bytes, device));
    EXPECT(bytes >= (size_t)64 << 20);
    DRIVER(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    DRIVER(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    EXPECT(major >= 9 && minor >= 0);
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    EXPECT(value == 32);
    DRIVER(cuCtxGetCurrent(&none));
    EXPECT(none == nullptr);
    DRIVER_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuMemGetInfo(&bytes, &bytes));
}

static void test_contexts()
{
    CUcontext first, second, current;
    CUdevice device;

    DRIVER(cuCtxCreate(&first, nullptr, 0, 0));
    DRIVER(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_SPIN, 0));
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == second);
    DRIVER(cuCtxPopCurrent(&current));
    EXPECT(current == second);
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == first);
    DRIVER(cuCtxSetCurrent(second));
    DRIVER(cuCtxGetDevice(&device));
    EXPECT(device == 0);
    DRIVER(cuCtxDestroy(second));
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == nullptr);
    DRIVER(cuCtxDestroy(first));
}

/* What is wrong with a text goes to the log of errors that the program gives room for. */
static void test_load_logs()
{
    const char *text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".entry no()\n{\n    mov.u32 %a, 1;\n    ret;\n}\n";
    char log[200] = "";
    CUmodule module;
    cudaLibrary_t library;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    cudaJitOption same[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void *values[] = {log, (void *)sizeof log};

    DRIVER_ERROR(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, text, 2, options, values));
    EXPECT(strstr(log, "line 6; error") && strstr(log, "%a") && (size_t)values[1] == strlen(log));
    EXPECT(strstr(log, "\nptxas fatal   : Ptx assembly aborted due to errors"));
    log[0] = '\0';
    values[1] = (void *)sizeof log;
    EXPECT_ERROR(cudaErrorInvalidPtx, cudaLibraryLoadData(&library, text, same, values, 2, nullptr, nullptr, 0));
    EXPECT(strstr(log, "line 6; error"));
}

static void test_module()
{
    CUmodule module;
    CUfunction scale, missing;
    CUdeviceptr data, launches;
    size_t bytes = 0;
    int count = COUNT, value, blocks, grid, block;
    float factor = 3, host[COUNT];
    void *arguments[] = { &data, &count, &factor };
    struct { CUdeviceptr data; int count; float factor; } buffer;
    size_t size = sizeof buffer;
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      CU_LAUNCH_PARAM_END };
    char log[256] = "?";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof log };
    CUlinkState link;
    void *image;

    DRIVER(cuLinkCreate(0, nullptr, nullptr, &link));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)scale_ptx, sizeof scale_ptx, "scale", 0, nullptr, nullptr));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)twice_ptx, sizeof twice_ptx, "twice", 0, nullptr, nullptr));
    DRIVER(cuLinkComplete(link, &image, &size));
    DRIVER(cuModuleLoadDataEx(&module, image, 2, options, values));
    DRIVER(cuLinkDestroy(link));
    EXPECT(log[0] == '\0');
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    DRIVER_ERROR(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&missing, module, "nothing"));
    DRIVER(cuModuleGetGlobal(&launches, &bytes, module, "launches"));
    EXPECT(bytes == 4);
    DRIVER(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    EXPECT(value == 1024);
    DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    EXPECT(blocks == 8);
    DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, nullptr, 0, 0));
    EXPECT(block == 1024 && grid >= 2);

    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    DRIVER(cuMemAlloc(&data, sizeof host));
    DRIVER(cuMemcpyHtoD(data, host, sizeof host));
    DRIVER(cuLaunchKernel(scale, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    buffer = { data, count, 2 };
    size = sizeof buffer;
    DRIVER(cuLaunchKernel(scale, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE,
                 cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuMemcpyDtoH(host, data, sizeof host));
    for (int i = 0; i < COUNT; i++)
        EXPECT(host[i] == (3.0f * (float)i + 0.5f) * 2 + 0.5f);
    DRIVER(cuMemcpyDtoH(&value, launches, 4));
    EXPECT(value == 12);

    DRIVER(cuModuleGetFunction(&scale, module, "call_twice"));
    value = 21;
    DRIVER(cuMemcpyHtoD(data, &value, 4));
    DRIVER(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    DRIVER(cuMemcpyDtoH(&value, data, 4));
    EXPECT(value == 42);
    DRIVER(cuMemFree(data));
    DRIVER(cuModuleUnload(module));
    DRIVER_ERROR(CUDA_ERROR_INVALID_PTX,
                 cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_90\nnonsense", 2, options, values));
    test_load_logs();
}

static void test_memory()
{
    CUdeviceptr a, b, base;
    size_t pitch, bytes;
    unsigned type;
    unsigned short host[64 * 8];
    CUDA_MEMCPY2D copy = {};
    CUstream stream;
    CUevent start, end;
    float milliseconds = -1;

    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuEventCreate(&start, CU_EVENT_DEFAULT));
    DRIVER(cuEventCreate(&end, CU_EVENT_DEFAULT));
    DRIVER(cuMemAllocPitch(&a, &pitch, 64 * sizeof *host, 8, 4));
    DRIVER(cuMemAlloc(&b, sizeof host));
    DRIVER(cuEventRecord(start, stream));
    DRIVER(cuMemsetD2D16Async(a, pitch, 0xABCD, 64, 8, stream));
    DRIVER(cuMemsetD32Async(b, 0x01020304, sizeof host / 4, stream));
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = a;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = b;
    copy.dstPitch = 64 * sizeof *host;
    copy.dstY = 2;
    copy.WidthInBytes = 32 * sizeof *host;
    copy.Height = 4;
    DRIVER(cuMemcpy2DAsync(&copy, stream));
    DRIVER(cuEventRecord(end, stream));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0);
    DRIVER(cuMemcpyDtoH(host, b, sizeof host));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 64; x++)
            EXPECT(host[64 * y + x] == (y >= 2 && y < 6 && x < 32 ? 0xABCD : x % 2 ? 0x0102 : 0x0304));
    DRIVER(cuMemGetAddressRange(&base, &bytes, b + 100));
    EXPECT(base == b && bytes == sizeof host);
    DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, b));
    EXPECT(type == CU_MEMORYTYPE_DEVICE);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&a, 0));
    DRIVER(cuMemFree(a));
    DRIVER(cuMemFree(b));
    DRIVER(cuEventDestroy(start));
    DRIVER(cuEventDestroy(end));
    DRIVER(cuStreamDestroy(stream));
}

__global__ void plus(int *data, int amount)
{
    data[threadIdx.x] += amount;
}

/* The module of a kernel of the program is a module like those that the program loads. But it stays. */
static void test_own_module()
{
    cudaFunction_t function;
    CUfunction found, all[64];
    CUmodule module;
    const char *name;
    unsigned count = 0, same = 0;

    CUDA_CHECK(cudaGetFuncBySymbol(&function, (const void *)plus));
    DRIVER(cuFuncGetName(&name, (CUfunction)function));
    DRIVER(cuFuncGetModule(&module, (CUfunction)function));
    DRIVER(cuModuleGetFunction(&found, module, name));
    EXPECT(found == (CUfunction)function);
    DRIVER_ERROR(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&found, module, "minus"));
    DRIVER(cuModuleGetFunctionCount(&count, module));
    EXPECT(count >= 1 && count <= 64);
    DRIVER(cuModuleEnumerateFunctions(all, count, module));
    for (unsigned i = 0; i < count; i++)
        same += all[i] == (CUfunction)function;
    EXPECT(same == 1);
    DRIVER_ERROR(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
}

/* The runtime's memory, streams and kernels are the driver's. */
static void test_beside_runtime()
{
    typedef CUresult get_range(CUdeviceptr *, size_t *, CUdeviceptr);
    get_range *range = nullptr;
    cudaDriverEntryPointQueryResult found;
    int *data = device_zeros<int>(32), amount = 5, host[32];
    CUdeviceptr base;
    size_t bytes;
    cudaFunction_t function;
    void *arguments[] = { &data, &amount };
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    cudaKernel_t kernel;

    CUDA_CHECK(cudaGetFuncBySymbol(&function, (const void *)plus));
    CUDA_CHECK(cudaGetKernel(&kernel, (const void *)plus));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DRIVER(cuLaunchKernel((CUfunction)function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
    plus<<<1, 16, 0, stream>>>(data, 1);
    DRIVER(cuStreamEndCapture(stream, &graph));
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        DRIVER(cuGraphLaunch(exec, stream));
    DRIVER(cuStreamSynchronize(stream));
    CUDA_CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        EXPECT(host[i] == 15 + (i < 16 ? 3 : 0));
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(graph));
    DRIVER(cuStreamDestroy(stream));
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", (void **)&range, 12000, cudaEnableDefault,
                                                &found));
    EXPECT(found == cudaDriverEntryPointSuccess && range);
    DRIVER(range(&base, &bytes, (CUdeviceptr)(data + 3)));
    EXPECT(base == (CUdeviceptr)data && bytes == 32 * sizeof *data);
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuNothing", (void **)&range, 12000, cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSymbolNotFound && !range);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)(data + 1)));
    EXPECT(cudaGetLastError() == cudaSuccess); /* the driver's errors are not the runtime's */
    CUDA_CHECK(cudaFree(data));
}

int main()
{
    CUcontext primary;

    test_start();
    test_contexts();
    DRIVER(cuDevicePrimaryCtxRetain(&primary, 0));
    DRIVER(cuCtxSetCurrent(primary));
    test_module();
    test_memory();
    test_beside_runtime();
    test_own_module();
    DRIVER(cuDevicePrimaryCtxRelease(0));
    return passed();
}
