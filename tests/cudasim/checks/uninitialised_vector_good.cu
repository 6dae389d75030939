// expect: nothing
/*
 * uninitialised_vector_good.cu - points of three numbers lie in shared memory with a fourth that nobody writes. They
 * are read and copied as vectors of four, and nothing computes with the fourth.
 */
#include "check_case.h"

__global__ void add_points(const float *in, float *out, float4 *kept)
{
    __shared__ float4 points[32];
    int i = threadIdx.x;

    points[i].x = in[i];
    points[i].y = in[i] + 1;
    points[i].z = in[i] + 2;
    __syncthreads();
    float4 p = points[31 - i];
    out[i] = p.x + p.y + p.z;
    kept[i] = p;
}

int main(void)
{
    float *in, *out;
    float4 *kept;

    CUDA_CHECK(cudaMalloc(&in, 32 * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&kept, 32 * sizeof(float4)));
    CUDA_CHECK(cudaMemset(in, 0, 32 * sizeof(float)));
    add_points<<<1, 32>>>(in, out, kept);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    cudaFree(kept);
    return status;
}
