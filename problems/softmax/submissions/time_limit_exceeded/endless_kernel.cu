/* Too slow: each block waits for a flag that the one before it should set, and nobody starts. The kernel never ends. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "endless_kernel.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

__device__ unsigned int turn;

__global__ void in_turn(float *output)
{
    volatile unsigned int *const now = &turn;

    while (*now != blockIdx.x + 1)
        ;
    output[blockIdx.x] = 0;
    *now = blockIdx.x + 2;
}

extern "C" void device_user(const void *, void *output, int, int, int, device_stream stream)
{
    in_turn<<<1, 1, 0, stream>>>((float *)output);
    CHECK(cudaGetLastError());
}
