// expect: divergent-barrier kernel=halves
/*
 * barrier_number_bad.cu - two kinds of warps meet at two different __syncthreads().
 */
#include "check_case.h"

__global__ void halves(int *out)
{
    __shared__ int values[64];
    int i = threadIdx.x;

    if (i < 32) {
        values[i] = i;
        __syncthreads(); /* HERE */
        out[i] = values[i + 32];
    } else {
        values[i] = 2 * i;
        __syncthreads();
        out[i] = values[i - 32] + 1;
    }
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    halves<<<1, 64>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
