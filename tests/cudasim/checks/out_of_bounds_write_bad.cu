// expect: out-of-bounds kernel=fill
/*
 * out_of_bounds_write_bad.cu - no guard: the threads of the last warp write behind the end of a global array.
 */
#include "check_case.h"

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = n - i; /* HERE */
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
