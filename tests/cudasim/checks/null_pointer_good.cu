// expect: nothing
/*
 * null_pointer_good.cu - the pointer is tested first.
 */
#include "check_case.h"

__global__ void optional_store(int *out, int *extra)
{
    out[threadIdx.x] = threadIdx.x;
    if (extra)
        extra[threadIdx.x] = 1;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    optional_store<<<1, 32>>>(out, nullptr);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
