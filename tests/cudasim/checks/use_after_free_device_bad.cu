// expect: use-after-free kernel=twice
/*
 * use_after_free_device_bad.cu - memory of the device's heap is read after free().
 */
#include "check_case.h"

__global__ void twice(int *out)
{
    int *mine = (int *)malloc(4 * sizeof(int));

    mine[0] = threadIdx.x;
    __threadfence();
    free(mine);
    out[threadIdx.x] = *(volatile int *)mine; /* HERE */
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    twice<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
