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

    must(cudaMalloc(&old, 32 * sizeof(int)));
    must(cudaFree(old));
    must(cudaMalloc(&fresh, 33 * sizeof(int)));
    must(cudaMemset(fresh, 0, 33 * sizeof(int)));
    increment<<<1, 32>>>(fresh, fresh + 32);
    int status = finish(cudaSuccess);

    cudaFree(fresh);
    return status;
}
