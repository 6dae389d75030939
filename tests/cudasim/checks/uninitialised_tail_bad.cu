// expect: uninitialised
/*
 * uninitialised_tail_bad.cu - the grid is rounded down, so that nobody writes the last elements. The host reads them.
 */
#include "check_case.h"

__global__ void count(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] = i;
}

int main(void)
{
    enum { N = 1000, THREADS = 128 };
    static int host[N];
    int *values;

    CUDA_CHECK(cudaMalloc(&values, sizeof host));
    count<<<N / THREADS, THREADS>>>(values, N);
    int status = finish(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));

    cudaFree(values);
    return status;
}
