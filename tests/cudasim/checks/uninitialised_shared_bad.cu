// expect: uninitialised kernel=scan_pairs
/*
 * uninitialised_shared_bad.cu - one element of shared memory is read that no thread has written.
 */
#include "check_case.h"

__global__ void scan_pairs(const int *in, int *out)
{
    __shared__ int values[33];
    int i = threadIdx.x;

    values[i] = in[i];
    __syncthreads();
    out[i] = values[i] + values[i + 1]; /* HERE */
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 32 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 32 * sizeof(int)));
    scan_pairs<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
