// expect: inactive-lane kernel=sum
/*
 * inactive_lane_bad.cu - half of a warp adds up by shuffles, and starts with lanes of the other half.
 */
#include "check_case.h"

__global__ void sum(const int *in, int *out)
{
    if (threadIdx.x < 16) {
        int value = in[threadIdx.x];

        for (int step = 16; step > 0; step /= 2)
            value += __shfl_down_sync(0xffff, value, step); /* HERE */
        if (threadIdx.x == 0)
            *out = value;
    }
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 128));
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 1, 128));
    sum<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
