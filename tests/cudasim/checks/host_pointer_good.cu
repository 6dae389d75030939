// expect: nothing
/*
 * host_pointer_good.cu - the memory of the CPU is allocated so that the device may use it.
 */
#include "check_case.h"

__global__ void increment(int *values)
{
    values[threadIdx.x] += 1;
}

int main(void)
{
    int *values;

    CUDA_CHECK(cudaMallocManaged(&values, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++)
        values[i] = i;
    increment<<<1, 32>>>(values);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
