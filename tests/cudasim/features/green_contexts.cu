// flags: -lcuda
/*
 * green_contexts.cu - contexts with some of the multiprocessors, events of all their streams, and memory that is shared
 * by a file descriptor. The driver is called before the runtime.
 */
#include <cuda.h>
#include <unistd.h>

#include "../check.h"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

static __global__ void count(int *n) { atomicAdd(n, 1); }

static __global__ void increment(int *values, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i]++;
}

static void test_green(CUdevice device)
{
    CUdevResource all, part, rest, mine;
    CUdevResourceDesc desc;
    CUgreenCtx green, got;
    CUcontext context;
    CUstream stream;
    unsigned groups = 1;
    int *n, seen;

    DRIVER(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    DRIVER(cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, 5));
    EXPECT(groups == 1 && part.sm.smCount == 8 && rest.sm.smCount == all.sm.smCount - 8);
    EXPECT(cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, all.sm.smCount + 1) ==
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    DRIVER(cuDevResourceGenerateDesc(&desc, &part, 1));
    EXPECT(cuGreenCtxCreate(&green, desc, device, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGreenCtxCreate(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    DRIVER(cuCtxFromGreenCtx(&context, green));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuCtxGetDevResource(context, &mine, CU_DEV_RESOURCE_TYPE_SM));
    EXPECT(mine.sm.smCount == 8);
    DRIVER(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    DRIVER(cuStreamGetGreenCtx(stream, &got));
    EXPECT(got == green);
    CUDA_CHECK(cudaMalloc(&n, sizeof *n));
    CUDA_CHECK(cudaMemsetAsync(n, 0, sizeof *n, stream));
    count<<<4, 32, 0, stream>>>(n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(&seen, n, sizeof seen, cudaMemcpyDeviceToHost, stream));
    DRIVER(cuStreamSynchronize(stream));
    EXPECT(seen == 128);
    CUDA_CHECK(cudaFree(n));
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuGreenCtxDestroy(green));
}

static __global__ void add_to(const int *from, int *to) { *to = *from + 1; }

/* Work of the primary context waits for the green one's, and the other way round. */
static void test_events(CUdevice device)
{
    CUdevResource all, part;
    CUdevResourceDesc desc;
    CUgreenCtx green;
    CUcontext context, primary;
    CUstream first, second, outside;
    CUevent event, before, after;
    CUgraph graph;
    unsigned groups = 1;
    int *n, seen[3] = {};
    float milliseconds = -1;

    DRIVER(cuCtxGetCurrent(&primary));
    DRIVER(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    DRIVER(cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 8));
    DRIVER(cuDevResourceGenerateDesc(&desc, &part, 1));
    DRIVER(cuGreenCtxCreate(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    DRIVER(cuCtxFromGreenCtx(&context, green));
    DRIVER(cuGreenCtxStreamCreate(&first, green, CU_STREAM_NON_BLOCKING, 0));
    DRIVER(cuGreenCtxStreamCreate(&second, green, CU_STREAM_NON_BLOCKING, 0));
    DRIVER(cuStreamCreate(&outside, CU_STREAM_NON_BLOCKING));
    DRIVER(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    DRIVER(cuEventCreate(&before, CU_EVENT_DEFAULT));
    DRIVER(cuEventCreate(&after, CU_EVENT_DEFAULT));
    CUDA_CHECK(cudaMalloc(&n, 3 * sizeof *n));
    CUDA_CHECK(cudaMemset(n, 0, 3 * sizeof *n));
    CUDA_CHECK(cudaDeviceSynchronize());
    DRIVER(cuCtxRecordEvent(primary, before));
    count<<<4, 32, 0, first>>>(n);
    DRIVER(cuGreenCtxRecordEvent(green, event));
    DRIVER(cuStreamWaitEvent(outside, event, 0));
    add_to<<<1, 1, 0, outside>>>(n, n + 1);
    DRIVER(cuEventRecord(event, outside));
    DRIVER(cuGreenCtxWaitEvent(green, event));
    add_to<<<1, 1, 0, second>>>(n + 1, n + 2);
    DRIVER(cuCtxRecordEvent(context, event));
    DRIVER(cuEventSynchronize(event));
    CUDA_CHECK(cudaMemcpyAsync(seen, n, sizeof seen, cudaMemcpyDeviceToHost, outside));
    DRIVER(cuStreamSynchronize(outside));
    EXPECT(seen[0] == 128 && seen[1] == 129 && seen[2] == 130);
    CUDA_CHECK(cudaMemsetAsync(n, 0, 3 * sizeof *n, second));
    DRIVER(cuCtxRecordEvent(primary, after)); /* covers the green streams as well */
    DRIVER(cuCtxWaitEvent(primary, after));
    add_to<<<1, 1, 0, outside>>>(n, n + 1);
    DRIVER(cuEventSynchronize(after));
    DRIVER(cuEventElapsedTime(&milliseconds, before, after));
    EXPECT(milliseconds >= 0);
    CUDA_CHECK(cudaMemcpyAsync(seen, n, sizeof seen, cudaMemcpyDeviceToHost, outside));
    DRIVER(cuStreamSynchronize(outside));
    EXPECT(seen[1] == 1);
    EXPECT(cuGreenCtxRecordEvent((CUgreenCtx)&seen, event) == CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuGreenCtxRecordEvent(green, (CUevent)&seen) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(cuGreenCtxRecordEvent(green, event) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT(cuStreamEndCapture(first, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUDA_CHECK(cudaFree(n));
    DRIVER(cuEventDestroy(event));
    DRIVER(cuEventDestroy(before));
    DRIVER(cuEventDestroy(after));
    DRIVER(cuStreamDestroy(first));
    DRIVER(cuStreamDestroy(second));
    DRIVER(cuStreamDestroy(outside));
    DRIVER(cuGreenCtxDestroy(green));
}

static void test_shared_memory()
{
    CUmemAllocationProp what = {};
    CUmemGenericAllocationHandle made, imported;
    CUmemAccessDesc access = {};
    CUdeviceptr address, base;
    size_t unit, size;
    int file = -1, seen;

    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    DRIVER(cuMemGetAllocationGranularity(&unit, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DRIVER(cuMemCreate(&made, unit, &what, 0));
    EXPECT(cuMemExportToShareableHandle(&file, made, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) ==
           CUDA_ERROR_INVALID_VALUE); /* it was not asked for */
    DRIVER(cuMemRelease(made));
    what.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    DRIVER(cuMemCreate(&made, unit, &what, 0));
    DRIVER(cuMemExportToShareableHandle(&file, made, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DRIVER(cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)file,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    DRIVER(cuMemAddressReserve(&address, 2 * unit, 0, 0, 0));
    DRIVER(cuMemMap(address, unit, 0, made, 0));
    DRIVER(cuMemMap(address + unit, unit, 0, imported, 0));
    access.location = what.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(cuMemSetAccess(address, 2 * unit, &access, 1));
    DRIVER(cuMemGetAddressRange(&base, &size, address + unit + 8)); /* one mapping, although both are neighbours */
    EXPECT(base == address + unit && size == unit);
    DRIVER(cuMemsetD32(address, 5, unit / 4));
    increment<<<1, 32>>>((int *)(address + unit), 32);
    CHECK_KERNEL();
    DRIVER(cuMemcpyDtoH(&seen, address + 31 * sizeof seen, sizeof seen));
    EXPECT(seen == 6);
    DRIVER(cuMemUnmap(address, 2 * unit));
    DRIVER(cuMemRelease(made));
    DRIVER(cuMemRelease(imported));
    DRIVER(cuMemAddressFree(address, 2 * unit));
}

int main()
{
    CUdevice device;
    CUcontext primary;

    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
    DRIVER(cuCtxSetCurrent(primary));
    test_green(device);
    DRIVER(cuCtxSetCurrent(primary));
    test_events(device);
    test_shared_memory();
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return passed();
}
