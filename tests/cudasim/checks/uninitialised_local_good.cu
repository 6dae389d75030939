// expect: nothing
/*
 * uninitialised_local_good.cu - every element of the array is written first.
 */
#include "check_case.h"

__global__ void largest(const int *in, int *out, int n, int index)
{
    volatile int values[16];

    for (int k = 0; k < n; k++)
        values[k] = in[k];
    out[threadIdx.x] = values[index];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 16 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 16 * sizeof(int)));
    largest<<<1, 32>>>(in, out, 16, 12);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
