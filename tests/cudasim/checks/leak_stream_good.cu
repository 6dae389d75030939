// expect: nothing
/*
 * leak_stream_good.cu - a stream and an event are destroyed.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int *out;

    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaMalloc(&out, 128));
    fill<<<1, 32, 0, stream>>>(out);
    CUDA_CHECK(cudaEventRecord(event, stream));
    CUDA_CHECK(cudaEventSynchronize(event));
    int status = finish(cudaSuccess);

    cudaFree(out);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    return status;
}
