// expect: nothing
/*
 * barrier_warp_exit_good.cu - one warp after the other exits, and a barrier's thread count says how many are left.
 */
#include "check_case.h"

__global__ void leavers(int *out)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x >= 32 * (4 - round))
            return;
        atomicAdd(&sum, 1);
        asm volatile("barrier.sync 2, %0;" ::"r"(32 * (4 - round)) : "memory");
        if (threadIdx.x == 0)
            out[round] = sum;
        asm volatile("barrier.sync 1, %0;" ::"r"(32 * (4 - round)) : "memory");
    }
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 4 * sizeof(int)));
    leavers<<<1, 128>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
