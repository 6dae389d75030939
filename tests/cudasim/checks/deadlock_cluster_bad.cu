// expect: deadlock kernel=wait_for_peer
/*
 * deadlock_cluster_bad.cu - one block of a cluster waits for a flag that is never set, the other one for the cluster.
 */
#include "check_case.h"

__global__ void __cluster_dims__(2) wait_for_peer(volatile int *flag, int *out)
{
    if (blockIdx.x == 1)
        while (*flag == 0) /* HERE */
            ;
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
