// expect: nothing
/*
 * invalid_free_good.cu - each memory is given to the call that frees its kind.
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

    cudaFreeHost(page_locked);
    cudaFree(out);
    return status;
}
