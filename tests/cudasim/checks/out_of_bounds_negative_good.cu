// expect: nothing
/*
 * out_of_bounds_negative_good.cu - the first thread stays inside.
 */
#include "check_case.h"

__global__ void shift(int *out, int n)
{
    int i = threadIdx.x;

    out[(i + n - 1) % n] = n;
}

int main(void)
{
    enum { N = 64 };
    int *before, *out;

    CUDA_CHECK(cudaMalloc(&before, N * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, N * sizeof(int)));
    shift<<<1, N>>>(out, N);
    int status = finish(cudaSuccess);

    cudaFree(out);
    cudaFree(before);
    return status;
}
