// expect: uninitialised kernel=accumulate
/*
 * uninitialised_bad.cu - device memory is read that was not written since cudaMalloc.
 */
#include "check_case.h"

__global__ void accumulate(const int *in, int *sums)
{
    int i = threadIdx.x;

    sums[i] = sums[i] + in[i]; /* HERE */
}

int main(void)
{
    int *in, *sums;

    CUDA_CHECK(cudaMalloc(&in, 32 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&sums, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 32 * sizeof(int)));
    accumulate<<<1, 32>>>(in, sums);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(sums);
    return status;
}
