// flags: -lcuda
/*
 * graph_words.cu - nodes of graphs that write words and wait for words: made by hand, as nodes of any kind, and by a
 * capture. A graph waits for a word that a kernel of another stream writes.
 */
#include <cuda.h>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)

/* A kernel that is loaded at its first launch waits for all work, and here that waits for a word of a later call. */
static const int loaded = setenv("CUDA_MODULE_LOADING", "EAGER", 1);

static __global__ void put(unsigned *at, unsigned value) { *at = value; }
static __global__ void take(const unsigned *flag, unsigned *out) { *out = *flag + 1; }

static CUstreamBatchMemOpParams operation(CUstreamBatchMemOpType type, const unsigned *at, cuuint64_t value,
                                          unsigned flags)
{
    CUstreamBatchMemOpParams one = {};

    one.operation = type;
    one.writeValue.address = (CUdeviceptr)at;
    one.writeValue.value64 = value;
    one.writeValue.flags = flags;
    return one;
}

/* Writes d[0] = 5 and d[2..3], then a kernel: d[1] = d[0] + 1. */
static void test_writes(CUstream stream, unsigned *d)
{
    CUstreamBatchMemOpParams list[3] = { operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, d, 5, 0),
                                         operation(CU_STREAM_MEM_OP_BARRIER, nullptr, 0, 0),
                                         operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, d + 2, 1ull << 33, 0) };
    CUDA_BATCH_MEM_OP_NODE_PARAMS words = {}, got = {};
    CUcontext context;
    CUgraph graph;
    CUgraphNode node, kernel;
    CUgraphNodeType type;
    CUgraphExec exec;
    cudaKernelNodeParams launch = {};
    unsigned *out = d + 1;
    void *arguments[] = { &d, &out };

    CU(cuCtxGetCurrent(&context));
    CU(cuGraphCreate(&graph, 0));
    words.ctx = context, words.count = 3, words.paramArray = list;
    list[0].operation = (CUstreamBatchMemOpType)99;
    EXPECT(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &words) == CUDA_ERROR_INVALID_VALUE);
    list[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    CU(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &words));
    CU(cuGraphNodeGetType(node, &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    CU(cuGraphBatchMemOpNodeGetParams(node, &got));
    EXPECT(got.count == 3 && got.paramArray[0].writeValue.value == 5 &&
           got.paramArray[1].operation == CU_STREAM_MEM_OP_BARRIER &&
           got.paramArray[2].writeValue.value64 == 1ull << 33);
    launch.func = (void *)take, launch.gridDim = launch.blockDim = dim3(1), launch.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&kernel, graph, &node, 1, &launch));
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    EXPECT(host_copy(d, 4) == (std::vector<unsigned>{ 5, 6, 0, 2 }));
    list[0].writeValue.value = 20;
    CU(cuGraphExecBatchMemOpNodeSetParams(exec, node, &words));
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    EXPECT(host_copy(d, 2) == (std::vector<unsigned>{ 20, 21 }));
    list[0].writeValue.value = 30;
    CU(cuGraphBatchMemOpNodeSetParams(node, &words));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    EXPECT(host_copy(d, 2) == (std::vector<unsigned>{ 30, 31 }));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
}

/* The graph waits for d[0] == 40, which a kernel of `other` writes, and copies d[0] + 1 to d[1]. */
static void test_wait(CUstream stream, CUstream other, unsigned *d)
{
    CUstreamBatchMemOpParams wait = operation(CU_STREAM_MEM_OP_WAIT_VALUE_32, d, 40, CU_STREAM_WAIT_VALUE_EQ);
    CUgraphNodeParams any = {};
    cudaKernelNodeParams launch = {};
    CUgraph graph;
    CUgraphNode node, kernel;
    CUgraphExec exec;
    unsigned *out = d + 1;
    void *arguments[] = { &d, &out };

    CU(cuGraphCreate(&graph, 0));
    any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    CU(cuCtxGetCurrent(&any.memOp.ctx));
    any.memOp.count = 1, any.memOp.paramArray = &wait;
    CU(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &any));
    launch.func = (void *)take, launch.gridDim = launch.blockDim = dim3(1), launch.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&kernel, graph, &node, 1, &launch));
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphLaunch(exec, stream));
    put<<<1, 1, 0, other>>>(d, 40);
    CU(cuStreamSynchronize(stream));
    CU(cuStreamSynchronize(other));
    EXPECT(host_copy(d, 2) == (std::vector<unsigned>{ 40, 41 }));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
}

static void test_capture(CUstream stream, unsigned *d)
{
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;

    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuStreamWriteValue32(stream, (CUdeviceptr)d, 50, 0));
    CU(cuStreamWaitValue32(stream, (CUdeviceptr)d, 50, CU_STREAM_WAIT_VALUE_GEQ));
    take<<<1, 1, 0, stream>>>(d, d + 1);
    CU(cuStreamEndCapture(stream, &graph));
    CU(cuGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 3);
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    EXPECT(host_copy(d, 2) == (std::vector<unsigned>{ 50, 51 }));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
}

/* What an H100 answers: graphs with memory have no clone, and priorities are no flag of the result. */
static void test_answers()
{
    cudaMemAllocNodeParams memory = {};
    cudaGraph_t graph, clone;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    unsigned long long flags = 1;

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    CUDA_CHECK(cudaGraphExecGetFlags(exec, &flags));
    EXPECT(flags == 0);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 64;
    CUDA_CHECK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &memory));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

int main(void)
{
    unsigned *d = device_zeros<unsigned>(4);
    CUstream stream, other;

    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    test_writes(stream, d);
    test_wait(stream, other, d);
    test_capture(stream, d);
    test_answers();
    CU(cuStreamDestroy(stream));
    CU(cuStreamDestroy(other));
    CUDA_CHECK(cudaFree(d));
    return passed();
}
