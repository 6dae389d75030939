// expect: nothing
/*
 * deadlock_barrier_good.cu - all three warps arrive at the same named barrier.
 */
#include "check_case.h"

__global__ void unmatched(int *out)
{
    int i = threadIdx.x;

    if (i < 64)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    else
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    out[i] = i;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 96 * sizeof(int)));
    unmatched<<<1, 96>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
