// flags: -lcuda
/*
 * contexts.cu - what ends with a context and what does not, calls that name a context, calls of programs from before
 * CUDA 4, and the settings of core dumps. The driver is called before the runtime.
 */
#include <cuda.h>

#include "../check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)
#define DRIVER_ERROR(error, call) EXPECT((call) == (error))

static __global__ void scale(int *out, int by, float more) { out[threadIdx.x] = (int)(threadIdx.x * by + more); }

static bool is_active(CUdevice device)
{
    unsigned flags;
    int active = -1;

    DRIVER(cuDevicePrimaryCtxGetState(device, &flags, &active));
    EXPECT(active == 0 || active == 1);
    return active == 1;
}

/* Nothing here is freed by hand: the end of the context does it. The simulator would report what is left. */
static void test_owned(CUdevice device)
{
    CUDA_ARRAY_DESCRIPTOR square = { 16, 16, CU_AD_FORMAT_FLOAT, 1 };
    CUDA_ARRAY3D_DESCRIPTOR levels = { 16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0 };
    CUcontext context, primary, popped, of_stream;
    CUmipmappedArray mipmaps;
    CUdeviceptr own, other;
    CUgreenCtx green;
    CUstream stream;
    CUevent event;
    CUarray array;
    CUdevice which = -1;
    void *locked;
    int seen = 0;

    EXPECT(!is_active(device));
    DRIVER(cuCtxCreate(&context, NULL, 0, device));
    EXPECT(!is_active(device));
    DRIVER(cuMemAlloc(&own, 1000));
    DRIVER(cuMemsetD32(own, 5, 250));

    /* A reset of the primary context takes what belongs to that one. */
    DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
    EXPECT(is_active(device));
    DRIVER(cuCtxPushCurrent(primary));
    DRIVER(cuMemAlloc(&other, 100));
    DRIVER(cuCtxPopCurrent(&popped));
    EXPECT(popped == primary);
    DRIVER(cuDevicePrimaryCtxReset(device));
    EXPECT(!is_active(device));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    DRIVER(cuMemcpyDtoH(&seen, own + 996, 4));
    EXPECT(seen == 5);

    DRIVER(cuStreamCreate(&stream, 0));
    DRIVER(cuStreamGetCtx(stream, &of_stream));
    EXPECT(of_stream == context);
    DRIVER(cuStreamGetCtx_v2(stream, &of_stream, &green));
    EXPECT(of_stream == context && !green);
    DRIVER(cuEventCreate(&event, 0));
    DRIVER(cuEventRecord(event, stream));
    DRIVER(cuMemHostAlloc(&locked, 100, 0));
    DRIVER(cuArrayCreate(&array, &square));
    DRIVER(cuMipmappedArrayCreate(&mipmaps, &levels, 3));
    DRIVER(cuCtxGetDevice_v2(&which, context));
    EXPECT(which == device);
    DRIVER(cuCtxSynchronize_v2(context));
    DRIVER_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(context, 0));
    DRIVER(cuCtxDestroy(context));
    EXPECT(cuCtxDestroy(context) != CUDA_SUCCESS);
    DRIVER_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&which, NULL));
}

/* Parameters one by one, a grid by its sides, and a context that is left as often as it was attached. */
static void test_old(CUdevice device)
{
    CUsharedconfig banks = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    CUcontext context, again;
    CUdevprop properties;
    cudaFunction_t handle;
    CUfunction function;
    CUdeviceptr out;
    CUstream stream;
    int seen[32], by = 7;

    DRIVER(cuCtxCreate(&context, NULL, 0, device));
    DRIVER(cuCtxAttach(&again, 0));
    EXPECT(again == context);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuCtxAttach(&again, 1));
    CUDA_CHECK(cudaGetFuncBySymbol(&handle, (const void *)scale));
    function = handle;
    DRIVER(cuMemAlloc(&out, sizeof seen));
    DRIVER(cuFuncSetBlockShape(function, 32, 1, 1));
    DRIVER(cuFuncSetSharedSize(function, 64));
    DRIVER(cuParamSetv(function, 0, &out, sizeof out));
    DRIVER(cuParamSeti(function, 8, (unsigned)by));
    DRIVER(cuParamSetf(function, 12, 2.5f));
    DRIVER(cuParamSetSize(function, 16));
    DRIVER(cuLaunch(function));
    DRIVER(cuMemcpyDtoH(seen, out, sizeof seen));
    for (int i = 0; i < 32; i++)
        EXPECT(seen[i] == i * 7 + 2);
    DRIVER(cuParamSeti(function, 8, 9));
    DRIVER(cuLaunchGrid(function, 1, 1));
    DRIVER(cuMemcpyDtoH(seen, out, sizeof seen));
    EXPECT(seen[31] == 31 * 9 + 2);
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuParamSeti(function, 8, 3));
    DRIVER(cuLaunchGridAsync(function, 1, 1, stream));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyDtoH(seen, out, sizeof seen));
    EXPECT(seen[31] == 31 * 3 + 2);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(function, 0, 1, 1));

    DRIVER(cuCtxGetSharedMemConfig(&banks));
    EXPECT(banks == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    DRIVER(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    DRIVER(cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    DRIVER(cuDeviceGetProperties(&properties, device));
    EXPECT(properties.SIMDWidth == 32 && properties.maxThreadsPerBlock == 1024 && properties.maxThreadsDim[2] == 64);
    DRIVER(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                      CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    DRIVER(cuCtxDetach(context));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuCtxDetach(context)); /* the last one destroys it, and with it all above */
    DRIVER_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
}

static void test_dump(CUdevice device)
{
    char name[1024] = "core.%p", read[1024];
    size_t flag_size = sizeof(bool), text_size = 8, size = sizeof read;
    bool flag = false, yes = true, no = false;
    CUcontext context;

    DRIVER(cuCtxCreate(&context, NULL, 0, device));
    DRIVER(cuCoredumpGetAttribute(CU_COREDUMP_TRIGGER_HOST, &flag, &flag_size));
    EXPECT(flag);
    DRIVER(cuCoredumpSetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &yes, &flag_size));
    DRIVER(cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &flag, &flag_size));
    EXPECT(!flag); /* the context has the process's settings of the time when it was made: so an H200 */
    DRIVER(cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, &no, &flag_size));
    DRIVER(cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &flag, &flag_size));
    EXPECT(!flag);
    DRIVER(cuCoredumpGetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &flag, &flag_size));
    EXPECT(flag);
    DRIVER(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, name, &text_size));
    DRIVER(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, read, &size));
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuCoredumpGetAttribute((CUcoredumpSettings)99, &flag, &flag_size));
    DRIVER(cuCtxDestroy(context));
}

static void notice(CUasyncNotificationInfo *, void *, CUasyncCallbackHandle) {}

static void test_notices(CUdevice device)
{
    CUasyncCallbackHandle handle;

    DRIVER(cuDeviceRegisterAsyncNotification(device, notice, NULL, &handle));
    DRIVER(cuDeviceUnregisterAsyncNotification(device, handle));
    DRIVER_ERROR(CUDA_ERROR_INVALID_DEVICE, cuDeviceRegisterAsyncNotification(7, notice, NULL, &handle));
}

int main()
{
    CUdevice device;

    DRIVER_ERROR(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    test_owned(device);
    test_old(device);
    test_dump(device);
    test_notices(device);
    return passed();
}
