// expect: nothing
/*
 * grid_sync_good.cu - a barrier of the whole grid in a cooperative launch.
 */
#include <cooperative_groups.h>

#include "check_case.h"

__global__ void both(int *steps)
{
    auto grid = cooperative_groups::this_grid();

    steps[grid.thread_rank()] = 1;
    grid.sync();
    steps[grid.thread_rank()] += 1;
}

int main(void)
{
    int *steps;

    CUDA_CHECK(cudaMalloc(&steps, 64 * sizeof(int)));
    void *arguments[] = {&steps};

    CUDA_CHECK(cudaLaunchCooperativeKernel(both, 2, 32, arguments, 0, 0));
    int status = finish(cudaSuccess);

    cudaFree(steps);
    return status;
}
