// expect: nothing
/*
 * unused_good.cu - both allocations are written to: one in part by a kernel, one by a copy.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out, *copied, value = 1;

    CUDA_CHECK(cudaMalloc(&out, 4096));
    CUDA_CHECK(cudaMalloc(&copied, 4096));
    CUDA_CHECK(cudaMemcpy(copied + 100, &value, sizeof value, cudaMemcpyHostToDevice));
    fill<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    cudaFree(copied);
    return status;
}
