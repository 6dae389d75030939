/*
 * Too slow: the threads that count pairs wait for a lock that its owner never gives back, as a forgotten unlock makes
 * them.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

__global__ void count(int *lock, int *pairs)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    pairs[0]++;
}

extern "C" void device_user(const cointsp_case *, const int32_t *, cointsp_generation *, int32_t *tour)
{
    int *memory;

    if (cudaMalloc(&memory, 2 * sizeof *memory) != cudaSuccess ||
        cudaMemset(memory, 0, 2 * sizeof *memory) != cudaSuccess)
        std::exit(1);
    count<<<2, 1>>>(memory, memory + 1);
    if (cudaMemcpy(tour, memory + 1, sizeof *tour, cudaMemcpyDeviceToHost) != cudaSuccess)
        std::exit(1);
}
