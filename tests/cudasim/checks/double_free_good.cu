// expect: nothing
/*
 * double_free_good.cu - memory of the device is freed once, and a null pointer after it.
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
    out = nullptr;
    cudaFree(out);
    return status;
}
