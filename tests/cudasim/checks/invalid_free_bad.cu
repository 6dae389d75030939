// expect: invalid-free kernel=cudaFreeHost
/*
 * invalid_free_bad.cu - memory of the device is given to cudaFreeHost().
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out, *page_locked;

    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaMallocHost(&page_locked, 128));
    fill<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFreeHost(out);
    cudaFreeHost(page_locked);
    cudaFree(out);
    return status;
}
