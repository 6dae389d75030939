// expect: use-after-free kernel=increment
/*
 * use_after_free_reused_bad.cu - the freed block was handed out again: the old pointer is still wrong.
 */
#include "check_case.h"

__global__ void increment(int *values, const int *other)
{
    values[threadIdx.x] += other[0]; /* HERE */
}

int main(void)
{
    int *old, *fresh;

    CUDA_CHECK(cudaMalloc(&old, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(old, 0, 32 * sizeof(int)));
    CUDA_CHECK(cudaFree(old));
    CUDA_CHECK(cudaMalloc(&fresh, 16 * sizeof(int)));
    CUDA_CHECK(cudaMemset(fresh, 0, 16 * sizeof(int)));
    increment<<<1, 32>>>(old, fresh);
    int status = finish(cudaSuccess);

    cudaFree(fresh);
    return status;
}
