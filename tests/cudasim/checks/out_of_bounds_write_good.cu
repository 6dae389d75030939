// expect: nothing
/*
 * out_of_bounds_write_good.cu - the guard is there.
 */
#include "check_case.h"

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = n - i;
}

int main(void)
{
    enum { N = 1000 };
    int *out;

    CUDA_CHECK(cudaMalloc(&out, N * sizeof(int)));
    fill<<<8, 128>>>(out, N);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
