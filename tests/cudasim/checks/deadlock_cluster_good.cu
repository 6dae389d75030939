/*
 * deadlock_cluster_good.cu - the block of a cluster that waits for a flag is helped by the other one.
 */
#include "check_case.h"

__global__ void __cluster_dims__(2) wait_for_peer(volatile int *flag, int *out)
{
    if (blockIdx.x == 1)
        while (*flag == 0)
            ;
    else
        *flag = 1;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    *out = 1;
}

int main(void)
{
    int *flag, *out;

    CUDA_CHECK(cudaMalloc(&flag, sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaMemset(flag, 0, sizeof(int)));
    wait_for_peer<<<2, 32>>>(flag, out);
    int status = finish(cudaSuccess);

    cudaFree(flag);
    cudaFree(out);
    return status;
}
