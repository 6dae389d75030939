// expect: nothing
/*
 * shared_race_write_good.cu - one thread stores.
 */
#include "check_case.h"

__global__ void flag(int *out)
{
    __shared__ volatile int word;

    if (threadIdx.x == 0)
        word = 5;
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
