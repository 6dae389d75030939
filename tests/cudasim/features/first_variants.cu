// flags: -lcuda
/*
 * first_variants.cu - functions of the driver as older versions of CUDA have them, by their names and versions; calls
 * of the driver that the runtime has started.
 */
#include <cuda.h>
#include <cudaTypedefs.h>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)

static __global__ void add(int *sum, int value)
{
    *sum += value;
}

/* The function as this version of CUDA has it. */
template <class T> static T function(const char *name, int version)
{
    cudaDriverEntryPointQueryResult result;
    void *address = nullptr;

    CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &address, (unsigned)version, cudaEnableDefault, &result));
    EXPECT(result == cudaDriverEntryPointSuccess && address);
    return (T)address;
}

/* CUDA's headers do not declare this one. */
typedef CUresult (*instantiate_v11000)(CUgraphExec *exec, CUgraph graph, CUgraphNode *wrong, char *log, size_t bytes);

#define FIRST(name, version) function<PFN_##name##_v##version>(#name, version)

static void test_capture(int *sum)
{
    const CUgraphNode *nodes;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, second = 0;
    size_t count;
    cudaGraph_t graph;
    CUgraph captured;
    cudaStream_t stream;

    CUDA_CHECK(cudaStreamCreate(&stream));
    CU(FIRST(cuStreamGetCaptureInfo, 10010)(stream, &status, &id));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_NONE);
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum, 1);
    CU(FIRST(cuStreamGetCaptureInfo, 10010)(stream, &status, &id));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0);
    CU(FIRST(cuStreamGetCaptureInfo, 11030)(stream, &status, &second, &captured, &nodes, &count));
    EXPECT(second == id && count == 1 && nodes[0]);
    CU(FIRST(cuStreamUpdateCaptureDependencies, 11030)(stream, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    add<<<1, 1, 0, stream>>>(sum, 2);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CU(FIRST(cuGraphGetEdges, 10000)(graph, nullptr, nullptr, &count));
    EXPECT(count == 0);
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

static void test_graph(int *sum)
{
    CUgraph graph, other;
    CUgraphExec exec;
    CUgraphNode nodes[2], wrong = nullptr;
    CUgraphExecUpdateResult why;
    CUfunction kernel;
    char log[64] = "unset";
    size_t count = 1;
    int value = 5;
    void *arguments[] = {&sum, &value};
    CUDA_KERNEL_NODE_PARAMS_v1 how = {}, got = {};

    CUDA_CHECK(cudaGetFuncBySymbol((cudaFunction_t *)&kernel, (const void *)add));
    how.func = kernel, how.kernelParams = arguments;
    how.gridDimX = how.gridDimY = how.gridDimZ = how.blockDimX = how.blockDimY = how.blockDimZ = 1;
    CU(cuGraphCreate(&graph, 0));
    CU(FIRST(cuGraphAddKernelNode, 10000)(&nodes[0], graph, nullptr, 0, &how));
    value = 30;
    CU(FIRST(cuGraphAddKernelNode, 10000)(&nodes[1], graph, nullptr, 0, &how));
    CU(FIRST(cuGraphAddDependencies, 10000)(graph, &nodes[0], &nodes[1], 1));
    CU(FIRST(cuGraphNodeGetDependencies, 10000)(nodes[1], &wrong, &count));
    EXPECT(count == 1 && wrong == nodes[0]);
    CU(FIRST(cuGraphKernelNodeGetParams, 10000)(nodes[1], &got));
    EXPECT(got.func == kernel && *(int *)got.kernelParams[1] == 30);
    CU(function<instantiate_v11000>("cuGraphInstantiate", 11000)(&exec, graph, &wrong, log, sizeof log));
    EXPECT(log[0] == 0);
    CU(cuGraphLaunch(exec, nullptr));
    value = 100;
    CU(FIRST(cuGraphExecKernelNodeSetParams, 10010)(exec, nodes[0], &how));
    CU(cuGraphLaunch(exec, nullptr));
    CU(cuGraphClone(&other, graph));
    CU(FIRST(cuGraphExecUpdate, 10020)(exec, other, &wrong, &why));
    EXPECT(why == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    CU(cuGraphLaunch(exec, nullptr));
    EXPECT(host_copy(sum, 1)[0] == 35 + 130 + 35);
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
    CU(cuGraphDestroy(other));
}

static void test_memory(void)
{
    int *words, device = -9;

    CUDA_CHECK(cudaMallocManaged(&words, 64));
    CU(FIRST(cuMemAdvise, 8000)((CUdeviceptr)words, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    CU(cuMemRangeGetAttribute(&device, sizeof device, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, (CUdeviceptr)words,
                              64));
    EXPECT(device == CU_DEVICE_CPU);
    CU(FIRST(cuMemPrefetchAsync, 8000)((CUdeviceptr)words, 64, 0, nullptr));
    CU(FIRST(cuStreamWriteValue32, 8000)(nullptr, (CUdeviceptr)words, 77, 0));
    CU(FIRST(cuStreamWaitValue32, 8000)(nullptr, (CUdeviceptr)words, 77, CU_STREAM_WAIT_VALUE_EQ));
    CUDA_CHECK(cudaStreamSynchronize(0));
    EXPECT(words[0] == 77);
    CUDA_CHECK(cudaFree(words));
}

int main(void)
{
    unsigned native;
    cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd, (cudaAtomicOperation)99};
    void *none = &native;
    int count = 0, *sum;

    CUDA_CHECK(cudaGetDeviceCount(&count)); /* starts the driver: cuInit() is not needed */
    CU(cuDeviceGetCount(&count));
    EXPECT(count >= 1);
    CU(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
    EXPECT(count == 1);
    CU(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 0));
    EXPECT(count == 1);
    CUDA_CHECK(cudaDeviceGetHostAtomicCapabilities(&native, operations, 1, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetHostAtomicCapabilities(&native, operations + 1, 1, 0));
    EXPECT(cuGetProcAddress("cuStreamGetCaptureInfo", &none, 10000, 0, nullptr) == CUDA_SUCCESS && !none);
    EXPECT(cuGetProcAddress("cuInit", &none, CUDA_VERSION + 1000, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
    sum = device_zeros<int>(1);
    test_capture(sum);
    test_graph(sum);
    test_memory();
    device_free(sum);
    return passed();
}
