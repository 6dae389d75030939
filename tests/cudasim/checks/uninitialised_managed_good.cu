// expect: nothing
/*
 * uninitialised_managed_good.cu - the host has set the sums in managed memory.
 */
#include "check_case.h"

__global__ void add_up(const int *values, int *sums)
{
    atomicAdd(&sums[threadIdx.x % 8], values[threadIdx.x]);
}

int main(void)
{
    int *values, *sums;

    CUDA_CHECK(cudaMallocManaged(&values, 32 * sizeof(int)));
    CUDA_CHECK(cudaMallocManaged(&sums, 8 * sizeof(int)));
    for (int i = 0; i < 32; i++)
        values[i] = i;
    for (int i = 0; i < 8; i++)
        sums[i] = 0;
    add_up<<<1, 32>>>(values, sums);
    int status = finish(cudaSuccess);

    cudaFree(values);
    cudaFree(sums);
    return status;
}
