// expect: unchecked-error
/*
 * unchecked_call_bad.cu - a call fails, and the program goes on without its result.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *out = nullptr, *too_much = nullptr;

    cudaMalloc(&too_much, (size_t)1 << 50);
    CUDA_CHECK(cudaMalloc(&out, 128));
    fill<<<1, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    cudaFree(out);
    printf("done\n");
    return too_much != nullptr;
}
