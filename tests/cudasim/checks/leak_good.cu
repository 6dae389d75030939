// expect: nothing
/*
 * leak_good.cu - both allocations are given back.
 */
#include "check_case.h"

__global__ void copy(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 128));
    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaMemset(in, 0, 128));
    copy<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
