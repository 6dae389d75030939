// expect: nothing
/*
 * write_const_good.cu - the store goes to an ordinary variable.
 */
#include "check_case.h"

__device__ int table[32];

__global__ void change(int *out, int *alias)
{
    alias[threadIdx.x] = 5;
    out[threadIdx.x] = alias[threadIdx.x];
}

int main(void)
{
    int *out, *alias;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaGetSymbolAddress((void **)&alias, table));
    change<<<1, 32>>>(out, alias);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
