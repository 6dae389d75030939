// expect: deadlock kernel=wait_for_flag
/*
 * deadlock_bad.cu - a thread waits for a flag that is never set. On a real device this hangs.
 */
#include "check_case.h"

__global__ void wait_for_flag(volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        while (*flag == 0) /* HERE */
            ;
        *out = 1;
    } else {
        __threadfence();
        *out = 2;
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
