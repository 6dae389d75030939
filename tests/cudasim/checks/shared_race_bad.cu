// expect: shared-race kernel=rotate
/*
 * shared_race_bad.cu - two warps exchange through shared memory without a barrier between the writes and the reads.
 */
#include "check_case.h"

__global__ void rotate(int *values)
{
    __shared__ int staged[64];
    int i = threadIdx.x;

    staged[i] = 0;
    __syncthreads();
    /* On one line, so that the report names it whichever of the two accesses comes second. */
    staged[i] = values[i], values[i] = staged[(i + 32) % 64]; /* HERE */
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
