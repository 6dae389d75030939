// expect: nothing
/*
 * use_after_free_good.cu - the memory is given back after the kernel.
 */
#include "check_case.h"

__global__ void increment(int *values)
{
    values[threadIdx.x] += 1;
}

int main(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    increment<<<1, 32>>>(values);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
