// expect: divergent-barrier kernel=leavers
/*
 * barrier_warp_exit_bad.cu - one warp after the other exits before a barrier. A GPU does not wait for those that have
 * left; the programming guide promises nothing.
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
        __syncthreads(); /* HERE */
        if (threadIdx.x == 0)
            out[round] = sum;
        __syncwarp();
        asm volatile("barrier.sync 1, %0;" ::"r"(32 * (4 - round)) : "memory");
    }
}

int main(void)
{
    static const int want[4] = {128, 224, 288, 320};
    int *out, got[4];

    CUDA_CHECK(cudaMalloc(&out, sizeof got));
    leavers<<<1, 128>>>(out);
    int status = finish(cudaSuccess);

    CUDA_CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    cudaFree(out);
    for (int i = 0; i < 4; i++)
        if (got[i] != want[i])
            return 2;
    return status;
}
