// expect: write-to-read-only kernel=change
/*
 * write_const_bad.cu - a store through a pointer to a __constant__ variable. A real device does not notice.
 */
#include "check_case.h"

__constant__ int table[32];

__global__ void change(int *out, int *alias)
{
    alias[threadIdx.x] = 5; /* HERE */
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
