// expect: nothing
/*
 * deadlock_good.cu - the flag is set by the other block.
 */
#include "check_case.h"

__global__ void wait_for_flag(volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        while (*flag == 0)
            ;
        *out = 1;
    } else {
        __threadfence();
        *flag = 1;
    }
}

int main(void)
{
    int *flag, *out;

    CUDA_CHECK(cudaMalloc(&flag, sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaMemset(flag, 0, sizeof(int)));
    wait_for_flag<<<2, 1>>>(flag, out);
    int status = finish(cudaSuccess);

    cudaFree(flag);
    cudaFree(out);
    return status;
}
