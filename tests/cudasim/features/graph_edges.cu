/*
 * graph_edges.cu - data of a graph's edges: added, listed, kept by clones and captures; priorities of kernel nodes;
 * events that launches record.
 */
#include <cooperative_groups.h>

#include "../check.h"

static __global__ void add(int *n) { atomicAdd(n, 1); }

static __global__ void early(int *n)
{
    for (int i = 0; i < 100; i++)
        atomicAdd(n, 1);
    cudaTriggerProgrammaticLaunchCompletion();
}

static __global__ void late(const int *n, int *copy)
{
    cudaGridDependencySynchronize();
    *copy = *n;
}

static __global__ void __cluster_dims__(16, 1, 1) wide(int *n)
{
    if (cooperative_groups::this_cluster().num_blocks() == 16)
        atomicAdd(n, 1);
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, int *n)
{
    static void *arguments[1];
    static int *kept;
    cudaKernelNodeParams what = {};
    cudaGraphNode_t node;

    kept = n, arguments[0] = &kept;
    what.func = (void *)add, what.gridDim = what.blockDim = dim3(1), what.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &what));
    return node;
}

static void test_added(int *n)
{
    cudaGraphEdgeData early = {}, got[4], odd = {};
    cudaGraph_t graph, clone;
    cudaGraphNode_t from[4], to[4];
    cudaGraphExec_t exec;
    size_t count = 4;

    early.from_port = cudaGraphKernelNodePortProgrammatic, early.type = cudaGraphDependencyTypeProgrammatic;
    odd.from_port = cudaGraphKernelNodePortProgrammatic;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = kernel_node(graph, n), b = kernel_node(graph, n), c = kernel_node(graph, n), empty;
    CUDA_CHECK(cudaGraphAddDependencies(graph, &a, &b, &early, 1));
    CUDA_CHECK(cudaGraphAddDependencies(graph, &b, &c, nullptr, 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &c, &odd, 1));
    CUDA_CHECK(cudaGraphAddEmptyNode(&empty, graph, &c, 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &b, &empty, &early, 1));
    EXPECT_ERROR(cudaErrorLossyQuery, cudaGraphGetEdges(graph, from, to, nullptr, &count));
    CUDA_CHECK(cudaGraphClone(&clone, graph));
    for (cudaGraph_t one : {graph, clone}) {
        int early_edges = 0;

        count = 4;
        CUDA_CHECK(cudaGraphGetEdges(one, from, to, got, &count));
        EXPECT(count == 3);
        for (size_t i = 0; i < count; i++)
            early_edges += got[i].type == cudaGraphDependencyTypeProgrammatic && got[i].from_port == 1;
        EXPECT(early_edges == 1);
    }
    count = 4;
    CUDA_CHECK(cudaGraphNodeGetDependencies(b, from, got, &count));
    EXPECT(count == 1 && from[0] == a && got[0].from_port == early.from_port);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGraphRemoveDependencies(graph, &a, &b, &early, 1));
    count = 4;
    CUDA_CHECK(cudaGraphGetEdges(graph, from, to, nullptr, &count));
    EXPECT(count == 2);

    cudaLaunchAttributeValue value = {};
    value.priority = -2;
    CUDA_CHECK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value));
    CUDA_CHECK(cudaGraphKernelNodeCopyAttributes(b, a));
    value.priority = 0;
    CUDA_CHECK(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &value));
    EXPECT(value.priority == -2);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphDestroy(clone));
}

static void test_captured(int *n)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaLaunchConfig_t how = {};
    cudaLaunchAttribute attribute = {};
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData got[2];
    const cudaGraphNode_t *tail;
    const cudaGraphEdgeData *edges;
    cudaStreamCaptureStatus status;
    size_t count = 2;

    CUDA_CHECK(cudaStreamCreate(&stream));
    how.gridDim = how.blockDim = dim3(1), how.stream = stream, how.attrs = &attribute, how.numAttrs = 1;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaLaunchKernelEx(&how, add, n));
    CUDA_CHECK(cudaLaunchKernelEx(&how, add, n));
    CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &tail, &edges, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && count == 1 && edges && edges[0].type == 0);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    count = 2;
    CUDA_CHECK(cudaGraphGetEdges(graph, from, to, got, &count));
    EXPECT(count == 1 && got[0].type == cudaGraphDependencyTypeProgrammatic);
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

/* An attribute of a launch records an event, for another stream and in a capture. */
static void test_events(int *n)
{
    cudaStream_t first, second;
    cudaEvent_t event, back;
    cudaLaunchConfig_t how = {};
    cudaLaunchAttribute attribute = {};
    cudaGraph_t graph;
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData edges[2];
    size_t count = 2;
    int got;

    CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreate(&back));
    CUDA_CHECK(cudaMemset(n, 0, 2 * sizeof *n));
    CUDA_CHECK(cudaDeviceSynchronize());
    how.gridDim = how.blockDim = dim3(1), how.stream = first, how.attrs = &attribute, how.numAttrs = 1;
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    CUDA_CHECK(cudaLaunchKernelEx(&how, early, n));
    CUDA_CHECK(cudaStreamWaitEvent(second, event));
    late<<<1, 1, 0, second>>>(n, n + 1);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaStreamSynchronize(second));
    CUDA_CHECK(cudaMemcpy(&got, n + 1, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == 100);
    CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaLaunchKernelEx(&how, early, n));
    CUDA_CHECK(cudaStreamWaitEvent(second, event));
    late<<<1, 1, 0, second>>>(n, n + 1);
    CUDA_CHECK(cudaEventRecord(back, second));
    CUDA_CHECK(cudaStreamWaitEvent(first, back));
    CUDA_CHECK(cudaStreamEndCapture(first, &graph));
    CUDA_CHECK(cudaGraphGetEdges(graph, from, to, edges, &count));
    EXPECT(count == 1 && edges[0].from_port == cudaGraphKernelNodePortProgrammatic && edges[0].type == 1);
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaEventDestroy(back));
    CUDA_CHECK(cudaStreamDestroy(first));
    CUDA_CHECK(cudaStreamDestroy(second));
}

int main()
{
    int *n, got;

    CUDA_CHECK(cudaMalloc(&n, 2 * sizeof *n));
    test_events(n);
    CUDA_CHECK(cudaMemset(n, 0, sizeof *n));
    test_added(n);
    test_captured(n);
    EXPECT_ERROR(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    /* A cluster of 16 blocks is for kernels that ask. */
    CUDA_CHECK(cudaFuncSetAttribute(wide, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    wide<<<16, 1>>>(n);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(&got, n, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == 3 + 16);
    CUDA_CHECK(cudaFree(n));
    return passed();
}
