// expect: divergent-barrier kernel=guarded
/*
 * barrier_divergent_branch_bad.cu - a barrier in a branch that some threads of the warp do not take, and they do not
 * leave either.
 */
#include "check_case.h"

__global__ void guarded(int *out, int n)
{
    __shared__ volatile int values[64];
    int i = threadIdx.x;

    values[i] = i;
    if (i < n) {
        __syncthreads(); /* HERE */
        out[i] = values[n - 1 - i];
    }
    __threadfence();
    out[i] += 1;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    CUDA_CHECK(cudaMemset(out, 0, 64 * sizeof(int)));
    guarded<<<1, 64>>>(out, 40);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
