// expect: nothing
/*
 * member_mask_omits_good.cu - each half of a warp votes under its own mask.
 */
#include "check_case.h"

__global__ void vote(const int *in, unsigned *out)
{
    unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;

    out[threadIdx.x] = __ballot_sync(half, in[threadIdx.x] > 0);
}

int main(void)
{
    int *in;
    unsigned *out;

    CUDA_CHECK(cudaMalloc(&in, 128));
    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaMemset(in, 1, 128));
    vote<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
