// expect: nothing
/*
 * null_pointer_before_good.cu - the same, of an element that is there.
 */
#include "check_case.h"

__global__ void copy_previous(int *out, const int *in)
{
    out[threadIdx.x] = in[-1];
}

int main(void)
{
    int *out, *in;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&in, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 32 * sizeof(int)));
    copy_previous<<<1, 32>>>(out, in + 1);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
