// expect: uninitialised kernel=count
/*
 * uninitialised_atomic_bad.cu - counters are raised by atomics, and nothing has set them to zero.
 */
#include "check_case.h"

__global__ void count(const int *values, unsigned *counters)
{
    atomicAdd(&counters[__ldg(&values[threadIdx.x]) % 8], 1u); /* HERE */
}

int main(void)
{
    int *values;
    unsigned *counters;

    CUDA_CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&counters, 8 * sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(values, 1, 32 * sizeof(int)));
    count<<<1, 32>>>(values, counters);
    int status = finish(cudaSuccess);

    cudaFree(values);
    cudaFree(counters);
    return status;
}
