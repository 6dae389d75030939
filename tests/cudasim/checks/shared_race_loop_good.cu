// expect: nothing
/*
 * shared_race_loop_good.cu - a reduction with its barrier.
 */
#include "check_case.h"

__global__ void reduce(const int *in, int *out)
{
    __shared__ volatile int values[128];
    int i = threadIdx.x;

    values[i] = in[i];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (i < half)
            values[i] = values[i] + values[i + half];
        __syncthreads();
    }
    if (i == 0)
        *out = values[0];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 128 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 128 * sizeof(int)));
    reduce<<<1, 128>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
