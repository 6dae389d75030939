// expect: nothing
/*
 * shared_race_good.cu - a barrier separates the writes from the reads.
 */
#include "check_case.h"

__global__ void rotate(int *values)
{
    __shared__ int staged[64];
    int i = threadIdx.x;

    staged[i] = 0;
    __syncthreads();
    staged[i] = values[i];
    __syncthreads();
    values[i] = staged[(i + 32) % 64];
}

int main(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    CUDA_CHECK(cudaMemset(values, 0, 64 * sizeof(int)));
    rotate<<<1, 64>>>(values);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
