// expect: shared-race kernel=exchange
/*
 * shared_race_cluster_bad.cu - two blocks of a cluster exchange a word behind a barrier of the cluster at which all
 * threads arrive by `.relaxed`, which orders no memory.
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
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0)
        out[rank] = *cluster.map_shared_rank(&box, rank ^ 1); /* HERE */
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
