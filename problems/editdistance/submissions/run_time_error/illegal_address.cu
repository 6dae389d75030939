/* Fails: the kernel writes far outside of device memory. The error is checked, and ends the process with code 1. */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

__global__ void wild(unsigned int *nowhere) { nowhere[threadIdx.x] = 1; }

extern "C" unsigned int device_user(char *, int, char *, int)
{
    wild<<<1, 32>>>((unsigned int *)(size_t)0x1000);

    cudaError_t status = cudaDeviceSynchronize();

    if (status != cudaSuccess) {
        std::fprintf(stderr, "illegal_address.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
    return 0;
}
