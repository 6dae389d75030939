/*
 * wrong_calls.cu - the errors that the runtime's manual states for batches, nodes that free memory, properties that an
 * array lacks, memory that is attached to streams, and the flags of cudaInitDevice().
 */
#include "../check.h"

static __managed__ int managed_word;

static void test_batches()
{
    cudaMemcpyAttributes attributes[2] = {};
    size_t firsts[2] = { 0, 1 }, sizes[2] = { 64, 64 };
    int values[32], back[32];
    cudaStream_t stream;
    int *memory;

    for (int i = 0; i < 32; i++)
        values[i] = i * 3;
    CUDA_CHECK(cudaMalloc(&memory, sizeof values));
    CUDA_CHECK(cudaStreamCreate(&stream));
    void *to[2] = { memory, memory + 16 };
    const void *from[2] = { values, values + 16 };
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CUDA_CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemcpy(back, memory, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(back, values, sizeof back) == 0);

    /* The stream 0 may not be, and each copy needs attributes. */
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, NULL));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, stream));
    firsts[0] = 1;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 1, stream));
    firsts[0] = 0;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(memory));
}

static void test_free_nodes()
{
    cudaMemAllocNodeParams parameters = {};
    cudaGraphNode_t allocate, release, more;
    cudaGraph_t graph;
    void *memory;

    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location.type = cudaMemLocationTypeDevice;
    parameters.bytesize = 512;
    CUDA_CHECK(cudaMalloc(&memory, 64));
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddMemAllocNode(&allocate, graph, NULL, 0, &parameters));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&release, graph, &allocate, 1, memory));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&release, graph, &allocate, 1, parameters.dptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&more, graph, &allocate, 1, parameters.dptr));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaFree(memory));
}

static void test_arrays()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArrayMemoryRequirements needs;
    cudaArraySparseProperties sparse;
    cudaMipmappedArray_t mipmaps;
    cudaArray_t array, plane;

    CUDA_CHECK(cudaMallocArray(&array, &desc, 16, 16));
    CUDA_CHECK(cudaMallocMipmappedArray(&mipmaps, &desc, make_cudaExtent(16, 16, 0), 2));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&needs, array, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&needs, mipmaps, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, array));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, mipmaps));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaArrayGetPlane(&plane, array, 0));
    CUDA_CHECK(cudaFreeArray(array));
    CUDA_CHECK(cudaFreeMipmappedArray(mipmaps));
}

/* A graph that allocates memory keeps its nodes and edges. Two flags of an instantiation exclude each other. */
static void test_fixed_graph()
{
    const unsigned long long both = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t memory, last;
    cudaMemAllocNodeParams block = {};

    block.poolProps.allocType = cudaMemAllocationTypePinned;
    block.poolProps.location.type = cudaMemLocationTypeDevice;
    block.bytesize = 64;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddEmptyNode(&last, graph, nullptr, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, both));
    CUDA_CHECK(cudaGraphAddMemAllocNode(&memory, graph, &last, 1, &block));
    EXPECT(cudaGraphRemoveDependencies(graph, &last, &memory, nullptr, 1) != cudaSuccess);
    EXPECT(cudaGraphDestroyNode(last) != cudaSuccess);
    (void)cudaGetLastError();
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* Managed memory that is attached to streams. */
static void test_attached()
{
    cudaStream_t stream;
    int *shared, *memory = device_zeros<int>(4), none;

    CUDA_CHECK(cudaMallocManaged(&shared, 0)); /* an H200 takes it, whatever the manual says */
    EXPECT(shared == nullptr);
    CUDA_CHECK(cudaMallocManaged(&shared, 256));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamAttachMemAsync(stream, shared));
    CUDA_CHECK(cudaStreamAttachMemAsync(stream, shared, 256, cudaMemAttachHost));
    CUDA_CHECK(cudaStreamAttachMemAsync(stream, &managed_word, 0, cudaMemAttachGlobal));
    CUDA_CHECK(cudaStreamAttachMemAsync(0, shared, 0, cudaMemAttachGlobal));
    /* To all streams singly, in part, in an unknown way, and memory of another kind. */
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, shared, 0, cudaMemAttachSingle));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, shared, 128, cudaMemAttachGlobal));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, shared, 0, 8));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachGlobal));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, &none, 4, cudaMemAttachGlobal));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(shared));
    device_free(memory);
}

int main()
{
    unsigned flags = 0;

    CUDA_CHECK(cudaInitDevice(0, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid));
    CUDA_CHECK(cudaGetDeviceFlags(&flags));
    EXPECT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    CUDA_CHECK(cudaInitDevice(0, cudaDeviceScheduleYield, 0)); /* flags that are not said to be valid */
    CUDA_CHECK(cudaGetDeviceFlags(&flags));
    EXPECT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaInitDevice(99, 0, 0));
    test_batches();
    test_free_nodes();
    test_arrays();
    test_fixed_graph();
    test_attached();
    return passed();
}
