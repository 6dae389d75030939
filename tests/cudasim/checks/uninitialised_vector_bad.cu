// expect: uninitialised kernel=add_rows
/*
 * uninitialised_vector_bad.cu - a row of shared memory is read as two vectors of four, and its last element is one that
 * no thread has written.
 */
#include "check_case.h"

__global__ void add_rows(const float *in, float *out)
{
    __shared__ __align__(16) float row[8];

    if (threadIdx.x < 7)
        row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float4 low = *(const float4 *)row, high = *(const float4 *)(row + 4); /* HERE */
    out[threadIdx.x] = low.x + low.y + low.z + low.w + high.x + high.y + high.z + high.w;
}

int main(void)
{
    float *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 32 * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    CUDA_CHECK(cudaMemset(in, 0, 32 * sizeof(float)));
    add_rows<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
