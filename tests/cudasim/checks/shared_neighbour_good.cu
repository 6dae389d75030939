// expect: nothing
/*
 * shared_neighbour_good.cu - an index that is too large wraps to the start of its array.
 */
#include "check_case.h"

__global__ void shift(const int *in, int *out)
{
    __shared__ int first[32];
    __shared__ int second[32];

    first[threadIdx.x] = in[threadIdx.x];
    second[threadIdx.x] = in[threadIdx.x + 32];
    __syncthreads();
    out[threadIdx.x] = first[(threadIdx.x + in[0]) % 32];
    out[threadIdx.x + 32] = second[threadIdx.x ^ 1];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 256));
    CUDA_CHECK(cudaMalloc(&out, 256));
    int from[64];
    for (int i = 0; i < 64; i++)
        from[i] = 1 + i % 2;
    CUDA_CHECK(cudaMemcpy(in, from, sizeof from, cudaMemcpyHostToDevice));
    shift<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
