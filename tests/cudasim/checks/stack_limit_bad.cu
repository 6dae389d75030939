// expect: stack-overflow kernel=start
/*
 * stack_limit_bad.cu - a recursion needs more stack than cudaLimitStackSize, which is not raised.
 */
#include "check_case.h"

__device__ __noinline__ int descend(volatile int *counts, int depth)
{
    volatile int frame[32];

    frame[depth % 32] = counts[0];
    if (depth == 20)
        return 0;
    return descend(counts, depth + 1) + frame[depth % 32]; /* HERE */
}

__global__ void start(volatile int *counts)
{
    counts[1] = descend(counts, 0);
}

int main(void)
{
    int *counts;

    CUDA_CHECK(cudaMalloc(&counts, 2 * sizeof(int)));
    CUDA_CHECK(cudaMemset(counts, 0, 2 * sizeof(int)));
    start<<<1, 1>>>(counts);
    int status = finish(cudaSuccess);

    cudaFree(counts);
    return status;
}
