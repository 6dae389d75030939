// expect: nothing
/*
 * stack_limit_static_good.cu - calls that go deep, through a pointer too, need more than cudaLimitStackSize. nvcc knows
 * how much, so the driver makes room.
 */
#include "check_case.h"

struct row {
    int values[64];
};

__device__ __noinline__ row add(row a, row b)
{
    for (int n = 0; n < 64; n++)
        a.values[n] += b.values[n];
    return a;
}

__device__ __noinline__ row twice(row a)
{
    return add(a, a);
}

__device__ __noinline__ row four_times(row a)
{
    row half = twice(a);

    return twice(half);
}

typedef row (*function)(row);

__device__ function table[2] = {twice, four_times};

__global__ void start(volatile int *counts)
{
    volatile int own[400];
    row a;

    for (int n = 0; n < 64; n++)
        own[n] = a.values[n] = n;
    a = table[counts[0]](a);
    counts[1] = a.values[63] + own[counts[0]];
}

int main(void)
{
    int *counts, host[2] = {1, 0};

    CUDA_CHECK(cudaMalloc(&counts, sizeof host));
    CUDA_CHECK(cudaMemcpy(counts, host, sizeof host, cudaMemcpyHostToDevice));
    start<<<1, 1>>>(counts);
    int status = finish(cudaSuccess);
    CUDA_CHECK(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(counts));
    return status || host[1] != 63 * 4 + 1;
}
