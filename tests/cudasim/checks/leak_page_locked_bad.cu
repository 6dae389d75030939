// expect: leak
/*
 * leak_page_locked_bad.cu - page-locked memory is never given back.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMallocHost(&out, 128));
    fill<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    return status;
}
