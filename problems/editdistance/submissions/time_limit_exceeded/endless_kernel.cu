/* Too slow: waits in a kernel for a flag that nobody sets. The kernel never ends, nor does the copy behind it. */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

__global__ void wait_for(volatile unsigned int *flag, unsigned int *answer)
{
    while (*flag == 0)
        ;
    *answer = 1;
}

extern "C" unsigned int device_user(char *, int, char *, int)
{
    unsigned int *memory, answer = 0;

    if (cudaMalloc(&memory, 2 * sizeof *memory) != cudaSuccess ||
        cudaMemset(memory, 0, 2 * sizeof *memory) != cudaSuccess)
        std::exit(1);
    wait_for<<<1, 1>>>(memory, memory + 1);
    if (cudaMemcpy(&answer, memory + 1, sizeof answer, cudaMemcpyDeviceToHost) != cudaSuccess)
        std::exit(1);
    return answer;
}
