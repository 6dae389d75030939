// expect: misaligned kernel=spread
/*
 * misaligned_shared_bad.cu - an int in shared memory at an odd address.
 */
#include "check_case.h"

__global__ void spread(int *out)
{
    __shared__ alignas(16) char bytes[256];
    int i = threadIdx.x;

    for (int k = i; k < 256; k += 32)
        bytes[k] = k;
    __syncthreads();
    out[i] = *(volatile int *)&bytes[4 * i + 1]; /* HERE */
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    spread<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
