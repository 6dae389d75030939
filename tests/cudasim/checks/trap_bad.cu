// expect: trap kernel=verify
/*
 * trap_bad.cu - a trap instruction.
 */
#include "check_case.h"

__global__ void verify(const int *values, int want)
{
    if (values[threadIdx.x] != want)
        __trap(); /* HERE */
}

int main(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    verify<<<1, 32>>>(values, 1);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
