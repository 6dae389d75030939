/*
 * no_kernels.cu - a file with variables of the device, and without a kernel.
 */
#include "check.h"

__device__ int counters[4];
__constant__ float factors[2] = {0.5f, 2.0f};

int main(void)
{
    int written[4] = {1, 2, 3, 4}, read[4] = {0};
    float factor[2] = {0};

    CUDA_CHECK(cudaMemcpyToSymbol(counters, written, sizeof written));
    CUDA_CHECK(cudaMemcpyFromSymbol(read, counters, sizeof read));
    CUDA_CHECK(cudaMemcpyFromSymbol(factor, factors, sizeof factor));
    EXPECT(read[0] == 1 && read[3] == 4);
    EXPECT(factor[0] == 0.5f && factor[1] == 2.0f);
    return passed();
}
