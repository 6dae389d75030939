// expect: nothing
/*
 * uninitialised_atomic_good.cu - an exchange sets the counters, in global and in shared memory, before atomics add.
 */
#include "check_case.h"

__global__ void count(const int *values, unsigned *counters)
{
    __shared__ unsigned mine[8];

    if (threadIdx.x < 8) {
        atomicExch(&counters[threadIdx.x], 0u);
        atomicExch(&mine[threadIdx.x], 0u);
    }
    __syncthreads();
    atomicAdd(&mine[__ldg(&values[threadIdx.x]) % 8], 1u);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&counters[threadIdx.x], mine[threadIdx.x]);
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
