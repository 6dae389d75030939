/*
 * graphs.cu - CUDA graphs: captured from streams with a fork and a join, built node by node, launched again with other
 * parameters.
 */
#include "check.h"

enum { N = 500 };

__global__ void scale_add(int *values, int n, int scale, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] = values[i] * scale + offset;
}

__global__ void sum_of(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = a[i] + b[i];
}

static void CUDART_CB count_call(void *data)
{
    ++*(int *)data;
}

/* b forks from a; both are scaled, then added. The stream of b is gone before the capture ends. */
static void test_capture(void)
{
    cudaStream_t stream, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    int calls = 0;
    std::vector<int> ones(N, 1), got(N);
    int *a = device_copy(ones);
    int *b = device_copy(ones);
    int *out = device_zeros<int>(N);
    size_t nodes = 0;

    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamCreate(&branch));
    CUDA_CHECK(cudaEventCreate(&fork));
    CUDA_CHECK(cudaEventCreate(&join));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CUDA_CHECK(cudaEventRecord(fork, stream));
    CUDA_CHECK(cudaStreamWaitEvent(branch, fork, 0));
    scale_add<<<4, 128, 0, stream>>>(a, N, 2, 0);
    CUDA_CHECK(cudaGetLastError());
    scale_add<<<4, 128, 0, branch>>>(b, N, 3, 1);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(join, branch));
    CUDA_CHECK(cudaStreamDestroy(branch)); /* what it did is joined by the event */
    CUDA_CHECK(cudaStreamWaitEvent(stream, join, 0));
    sum_of<<<4, 128, 0, stream>>>(a, b, out, N);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaLaunchHostFunc(stream, count_call, &calls));
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    expect_device("nothing ran while it was captured", ones, a);
    CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 5);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    int want_a = 1, want_b = 1;

    for (int round = 0; round < 3; round++) {
        CUDA_CHECK(cudaGraphLaunch(exec, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        want_a = want_a * 2;
        want_b = want_b * 3 + 1;
        expect_equal("captured", std::vector<int>(N, want_a + want_b), got);
        EXPECT(calls == round + 1);
    }
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaEventDestroy(fork));
    CUDA_CHECK(cudaEventDestroy(join));
    CUDA_CHECK(cudaStreamDestroy(stream));
    device_free(a);
    device_free(b);
    device_free(out);
}

static void test_built(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, first, second, copy;
    cudaMemsetParams memset_parameters = {};
    cudaKernelNodeParams kernel = {};
    int *values = device_zeros<int>(N);
    std::vector<int> got(N);
    int n = N, scale = 1, offset = 5;
    void *arguments[] = {&values, &n, &scale, &offset};

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    memset_parameters.dst = values;
    memset_parameters.value = 0x01010101;
    memset_parameters.elementSize = 4;
    memset_parameters.width = N;
    memset_parameters.height = 1;
    CUDA_CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset_parameters));
    kernel.func = (void *)scale_add;
    kernel.gridDim = dim3(4);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&first, graph, &fill, 1, &kernel));
    scale = 2; /* parameters are copied when the node is added */
    offset = 7;
    CUDA_CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, got.data(), values, N * sizeof(int),
                                        cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
    expect_equal("built", std::vector<int>(N, (0x01010101 + 5) * 2 + 7), got);
    offset = 9;
    CUDA_CHECK(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
    expect_equal("changed", std::vector<int>(N, (0x01010101 + 5) * 2 + 9), got);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    device_free(values);
}

int main(void)
{
    test_capture();
    test_built();
    return passed();
}
