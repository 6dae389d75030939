// expect: trap kernel=both
/*
 * grid_sync_bad.cu - a barrier of the whole grid in a launch that is not cooperative.
 */
#include <cooperative_groups.h>

#include "check_case.h"

__global__ void both(int *steps)
{
    auto grid = cooperative_groups::this_grid();

    steps[grid.thread_rank()] = 1;
    grid.sync(); /* HERE */
    steps[grid.thread_rank()] += 1;
}

int main(void)
{
    int *steps;

    CUDA_CHECK(cudaMalloc(&steps, 64 * sizeof(int)));
    both<<<2, 32>>>(steps);
    int status = finish(cudaSuccess);

    cudaFree(steps);
    return status;
}
