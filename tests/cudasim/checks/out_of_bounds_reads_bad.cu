// expect: out-of-bounds kernel=gather
/*
 * out_of_bounds_reads_bad.cu - two reads beyond an allocation, on two lines: the kernel goes on after the first.
 */
#include "check_case.h"

__global__ void gather(const int *in, int *out, int n)
{
    int at = threadIdx.x;
    int left = in[at + n]; /* HERE */

    out[at] = left + in[at + 2 * n];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 128));
    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaMemset(in, 0, 128));
    gather<<<1, 32>>>(in, out, 32);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
