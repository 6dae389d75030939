// expect: divergent-barrier kernel=mirror
/*
 * barrier_early_exit_bad.cu - threads beyond the end return before a barrier that the others wait at.
 */
#include "check_case.h"

__global__ void mirror(const int *in, int *out, int n)
{
    __shared__ int staged[64];
    int at = threadIdx.x;

    if (at >= n)
        return;
    staged[at] = in[at];
    __syncthreads(); /* HERE */
    out[at] = staged[n - 1 - at];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 256));
    CUDA_CHECK(cudaMalloc(&out, 256));
    CUDA_CHECK(cudaMemset(in, 1, 256));
    mirror<<<1, 64>>>(in, out, 50);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
