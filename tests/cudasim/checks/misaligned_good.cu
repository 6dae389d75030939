// expect: nothing
/*
 * misaligned_good.cu - the addresses of the float4s are aligned.
 */
#include "check_case.h"

__global__ void copy(const float *in, float *out)
{
    int i = threadIdx.x;

    *(float4 *)(out + 4 * i) = *(const float4 *)(in + 4 * i + 4);
}

int main(void)
{
    enum { N = 32 };
    float *in, *out;

    CUDA_CHECK(cudaMalloc(&in, (4 * N + 4) * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&out, 4 * N * sizeof(float)));
    CUDA_CHECK(cudaMemset(in, 0, (4 * N + 4) * sizeof(float)));
    copy<<<1, N>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
