// expect: nothing
/*
 * use_after_free_reused_good.cu - only the new pointer is used.
 */
#include "check_case.h"

__global__ void increment(int *values, const int *other)
{
    values[threadIdx.x] += other[0];
}

int main(void)
{
    int *old, *fresh;

    CUDA_CHECK(cudaMalloc(&old, 32 * sizeof(int)));
    CUDA_CHECK(cudaFree(old));
    CUDA_CHECK(cudaMalloc(&fresh, 33 * sizeof(int)));
    CUDA_CHECK(cudaMemset(fresh, 0, 33 * sizeof(int)));
    increment<<<1, 32>>>(fresh, fresh + 32);
    int status = finish(cudaSuccess);

    cudaFree(fresh);
    return status;
}
