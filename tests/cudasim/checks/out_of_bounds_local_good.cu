// expect: nothing
/*
 * out_of_bounds_local_good.cu - all values are within the range.
 */
#include "check_case.h"

__global__ void histogram(const int *in, int *out, int n)
{
    int counts[16];

    for (int k = 0; k < 16; k++)
        counts[k] = 0;
    for (int k = 0; k < n; k++)
        counts[in[k] & 15] = counts[in[k] & 15] + 1;
    int sum = 0;

    for (int k = 0; k < 16; k++)
        sum = sum * 3 + counts[k];
    out[threadIdx.x] = sum;
}

int main(void)
{
    enum { N = 10 };
    int host[N] = {1, 2, 3, 4, 100000000, 5, 6, 7, 8, 9};
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    histogram<<<1, 32>>>(in, out, N);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
