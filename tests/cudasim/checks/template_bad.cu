// expect: member-mask kernel=turn<1>
/*
 * template_bad.cu - three kernels of one template, with the same mistake in its one line: one warning says it.
 */
#include "check_case.h"

template <int step> __global__ void turn(const int *in, int *out)
{
    out[threadIdx.x] = __shfl_xor_sync(0xfffffffe, in[threadIdx.x], step); /* HERE */
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 128));
    CUDA_CHECK(cudaMalloc(&out, 128));
    CUDA_CHECK(cudaMemset(in, 1, 128));
    turn<1><<<1, 32>>>(in, out);
    turn<2><<<1, 32>>>(in, out);
    turn<3><<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
