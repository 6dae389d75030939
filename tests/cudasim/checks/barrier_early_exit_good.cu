// expect: nothing
/*
 * barrier_early_exit_good.cu - threads beyond the end go past the work, and reach the barrier.
 */
#include "check_case.h"

__global__ void mirror(const int *in, int *out, int n)
{
    __shared__ int staged[64];
    int at = threadIdx.x;

    if (at < n)
        staged[at] = in[at];
    __syncthreads();
    if (at < n)
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
