// expect: invalid-free kernel=cudaFree
/*
 * double_free_bad.cu - memory of the device is freed twice.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 128));
    fill<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    cudaFree(out);
    return status;
}
