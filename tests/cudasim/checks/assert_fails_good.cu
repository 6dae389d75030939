// expect: nothing
/*
 * assert_fails_good.cu - an assert that holds.
 */
#include "check_case.h"

#include <cassert>

__global__ void verify(const int *values)
{
    assert(values[threadIdx.x] != 7);
}

int main(void)
{
    int host[32];
    int *values;

    for (int i = 0; i < 32; i++)
        host[i] = i + 100;
    CUDA_CHECK(cudaMalloc(&values, sizeof host));
    CUDA_CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    verify<<<1, 32>>>(values);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
