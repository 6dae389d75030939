// expect: nothing
/*
 * out_of_bounds_atomic_good.cu - values above the last bin are counted in the last bin.
 */
#include "check_case.h"

__global__ void count(const int *in, int *bins, int n)
{
    int i = threadIdx.x;

    atomicAdd(&bins[in[i] % n], 1);
}

int main(void)
{
    enum { N = 64 };
    int host[N];
    int *in, *bins;

    for (int i = 0; i < N; i++)
        host[i] = i;
    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMalloc(&bins, 60 * sizeof(int)));
    CUDA_CHECK(cudaMemset(bins, 0, 60 * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    count<<<1, N>>>(in, bins, 60);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(bins);
    return status;
}
