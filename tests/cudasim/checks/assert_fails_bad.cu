// expect: assert kernel=verify
/*
 * assert_fails_bad.cu - an assert that does not hold for one thread.
 */
#include "check_case.h"

#include <cassert>

__global__ void verify(const int *values)
{
    assert(values[threadIdx.x] != 7); /* HERE */
}

int main(void)
{
    int host[32];
    int *values;

    for (int i = 0; i < 32; i++)
        host[i] = i + 0;
    CUDA_CHECK(cudaMalloc(&values, sizeof host));
    CUDA_CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    verify<<<1, 32>>>(values);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
