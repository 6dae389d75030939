// expect: unused-memory
/*
 * unused_bad.cu - one of two allocations is never written to. This check is off unless it is asked for.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out, *spare;

    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaMalloc(&spare, 4096));
    fill<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    cudaFree(spare);
    return status;
}
