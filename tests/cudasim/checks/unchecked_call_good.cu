// expect: nothing
/*
 * unchecked_call_good.cu - a call fails, and the program checks the error.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out = nullptr, *too_much = nullptr;

    if (cudaMalloc(&too_much, (size_t)1 << 50) == cudaSuccess)
        return 2;
    CUDA_CHECK(cudaMalloc(&out, 128));
    fill<<<1, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    cudaFree(out);
    printf("done\n");
    return too_much != nullptr;
}
