// expect: illegal-address kernel=optional_store
/*
 * null_pointer_bad.cu - a store through a null pointer.
 */
#include "check_case.h"

__global__ void optional_store(int *out, int *extra)
{
    out[threadIdx.x] = threadIdx.x;
    extra[threadIdx.x] = 1; /* HERE */
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
