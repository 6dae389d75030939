/*
 * shared_race_cluster_good.cu - the same with a fence before the relaxed arrival. The last barrier only keeps both
 * blocks alive, which needs no order.
 */
#include <cooperative_groups.h>

#include "check_case.h"

__global__ void __cluster_dims__(2) exchange(int *out)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    __shared__ int box;
    unsigned rank = cluster.block_rank();

    if (threadIdx.x == 0)
        box = (int)rank;
    __threadfence();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0)
        out[rank] = *cluster.map_shared_rank(&box, rank ^ 1);
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 2 * sizeof(int)));
    exchange<<<2, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
