// expect: member-mask kernel=sum
/*
 * member_mask_exited_bad.cu - half of a warp exits, and the rest names all lanes in its shuffles.
 */
#include "check_case.h"

__global__ void sum(const int *in, int *out, int n)
{
    if (threadIdx.x >= n)
        return;
    int value = in[threadIdx.x];
    for (int step = 8; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step); /* HERE */
    if (threadIdx.x == 0)
        *out = value;
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 128));
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 1, 128));
    sum<<<1, 32>>>(in, out, 16);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
