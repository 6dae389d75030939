/*
 * barrier_shared_good.cu - each pair of warps has a barrier of its own.
 */
#include "check_case.h"

__global__ void swap_halves(int *out)
{
    __shared__ int staged[128];
    int t = threadIdx.x, pair = t / 64;

    staged[t] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    out[t] = staged[64 * pair + (t + 32) % 64];
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    swap_halves<<<1, 128>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
