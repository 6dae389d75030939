// flags: -lcuda
/*
 * answers.cu - variables that are managed and that are not, threads of .reqntid, sizes of logs, attributes of nodes.
 */
#include <cuda.h>

#include "../check.h"

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .u32 word = 11;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 both = 12;\n"
    ".visible .entry go() .reqntid 16, 2 { ret; }\n";

__global__ void nop()
{
}

static void CUDART_CB call(void *)
{
}

/* Only a variable that is managed is found as one; .reqntid is no limit of threads. */
static void test_library()
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaFuncAttributes attributes;
    void *pointer;
    size_t bytes;
    int grid, block;
    CUDA_CHECK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA_CHECK(cudaLibraryGetGlobal(&pointer, &bytes, library, "word"));
    EXPECT(bytes == (size_t)4);
    EXPECT_ERROR(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&pointer, &bytes, library, "word"));
    CUDA_CHECK(cudaLibraryGetManaged(&pointer, &bytes, library, "both"));
    EXPECT(bytes == (size_t)4 && *static_cast<unsigned *>(pointer) == 12);
    CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "go"));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
    EXPECT(attributes.maxThreadsPerBlock == 1024);
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, (const void *)kernel));
    EXPECT(block == 1024);
    CUDA_CHECK(cudaLibraryUnload(library));
}

/* What a log has room for before the call, and holds behind it. */
static void test_logs()
{
    char info[200] = "x", error[200] = "x";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {info, (void *)200, error, (void *)200};
    CUmodule module;
    EXPECT((cuModuleLoadDataEx(&module, ptx, 4, options, values)) == CUDA_SUCCESS);
    EXPECT(values[1] == nullptr && values[3] == nullptr && !*info && !*error);
    EXPECT(cuModuleUnload(module) == CUDA_SUCCESS);
}

/* Attributes of nodes that have no effect are kept; nodes of host functions always run. */
static void test_nodes()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second, host;
    cudaKernelNodeParams kernel = {};
    cudaHostNodeParams function = {call, nullptr};
    cudaLaunchAttributeValue value = {};
    unsigned enabled;
    int word;
    kernel.func = (void *)nop;
    kernel.gridDim = kernel.blockDim = dim3(1);
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    CUDA_CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CUDA_CHECK(cudaGraphAddHostNode(&host, graph, &second, 1, &function));
    value.accessPolicyWindow.base_ptr = &word;
    value.accessPolicyWindow.num_bytes = 4;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyStreaming;
    CUDA_CHECK(cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributeAccessPolicyWindow, &value));
    CUDA_CHECK(cudaGraphKernelNodeCopyAttributes(second, first));
    memset(&value, 0, sizeof value);
    CUDA_CHECK(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributeAccessPolicyWindow, &value));
    EXPECT(value.accessPolicyWindow.base_ptr == &word &&
           value.accessPolicyWindow.hitProp == cudaAccessPropertyStreaming);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphNodeSetEnabled(exec, second, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, host, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, host, &enabled));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &first, &first, nullptr, 1));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaGraphKernelNodeGetAttribute(first, cudaLaunchAttributeSynchronizationPolicy, &value));
    CUDA_CHECK(cudaGraphKernelNodeGetAttribute(first, cudaLaunchAttributeMemSyncDomainMap, &value));
    EXPECT(value.memSyncDomainMap.default_ == 0 && value.memSyncDomainMap.remote == 1);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* Kernels take their stream's priority into a graph, unless the launch has one of its own. */
static void test_priorities()
{
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    cudaLaunchAttributeValue value = {};
    cudaLaunchAttribute own = {};
    cudaLaunchConfig_t config = {};
    cudaStream_t stream;
    size_t count = 2;
    int highest, priorities[2];

    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(nullptr, &highest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest - 100));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    nop<<<1, 1, 0, stream>>>();
    own.id = cudaLaunchAttributePriority, own.val.priority = -1;
    config.gridDim = config.blockDim = 1, config.stream = stream, config.attrs = &own, config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, nop));
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphGetNodes(graph, nodes, &count));
    EXPECT(count == 2);
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaGraphKernelNodeGetAttribute(nodes[i], cudaLaunchAttributePriority, &value));
        priorities[i] = value.priority;
    }
    EXPECT(std::min(priorities[0], priorities[1]) == highest && std::max(priorities[0], priorities[1]) == -1);
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    test_library();
    test_logs();
    test_nodes();
    test_priorities();
    return passed();
}
