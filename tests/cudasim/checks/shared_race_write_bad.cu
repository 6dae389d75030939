// expect: shared-race kernel=flag
/*
 * shared_race_write_bad.cu - threads of two warps store different values to the same word of shared memory.
 */
#include "check_case.h"

__global__ void flag(int *out)
{
    __shared__ volatile int word;

    if (threadIdx.x % 32 == 0)
        word = threadIdx.x; /* HERE */
    __syncthreads();
    out[threadIdx.x] = word;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    flag<<<1, 64>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
