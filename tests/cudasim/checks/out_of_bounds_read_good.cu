// expect: nothing
/*
 * out_of_bounds_read_good.cu - the last thread has no right neighbour and knows it.
 */
#include "check_case.h"

__global__ void sum_neighbours(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + (i + 1 < n ? in[i + 1] : 0);
}

int main(void)
{
    enum { N = 100 };
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, N * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, N * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, N * sizeof(int)));
    sum_neighbours<<<1, 128>>>(in, out, N);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
