// expect: divergent-barrier kernel=half
/*
 * barrier_divergent_bad.cu - the threads of one warp wait at two different __syncthreads.
 */
#include "check_case.h"

__global__ void half(int *out)
{
    __shared__ volatile int values[64];
    int i = threadIdx.x;

    values[i] = i;
    if (i % 2 == 0) {
        __syncthreads(); /* HERE */
        out[i] = values[63 - i];
    } else {
        out[i] = 0;
        __syncthreads();
        out[i] += values[i];
    }
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    half<<<1, 64>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
