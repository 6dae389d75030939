// expect: use-after-free kernel=increment
/*
 * use_after_free_bad.cu - a kernel works on memory which was given back.
 */
#include "check_case.h"

__global__ void increment(int *values)
{
    values[threadIdx.x] += 1; /* HERE */
}

int main(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    CUDA_CHECK(cudaFree(values));
    increment<<<1, 32>>>(values);
    return finish(cudaSuccess);
}
