// expect: leak
/*
 * leak_graph_bad.cu - a captured graph and its instantiation are never destroyed.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    cudaStream_t stream;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int *out;

    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, stream>>>(out);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, stream));
    int status = finish(cudaSuccess);

    cudaStreamDestroy(stream);
    cudaFree(out);
    return status;
}
