/*
 * printf_order.cu - blocks that print, of different length: their text comes in the order of the blocks, whatever the
 * number of workers. With an argument, block FAULTY traps: then the text ends with that block's.
 */
#include "check.h"

enum { BLOCKS = 300, FAULTY = 200 };

__global__ void talk(int faulty, unsigned *sums)
{
    unsigned x = blockIdx.x, rounds = blockIdx.x * 7919u % 13 * 40;

    if (threadIdx.x == 0)
        printf("block %u begins\n", blockIdx.x);
    for (unsigned n = 0; n < rounds; n++)
        x = x * 1664525u + 1013904223u;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = x;
    if ((int)blockIdx.x == faulty)
        __trap();
    if (threadIdx.x == blockDim.x - 1)
        printf("block %u ends\n", blockIdx.x);
}

int main(int argc, char **)
{
    unsigned *sums;

    CUDA_CHECK(cudaMalloc(&sums, BLOCKS * 64 * sizeof *sums));
    talk<<<BLOCKS, 64>>>(argc > 1 ? FAULTY : -1, sums);
    if (argc > 1)
        return cudaDeviceSynchronize() == cudaSuccess;
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(sums));
    return passed();
}
