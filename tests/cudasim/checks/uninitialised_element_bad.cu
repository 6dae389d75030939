// expect: uninitialised kernel=horner
/*
 * uninitialised_element_bad.cu - one coefficient more is used than was set. nvcc loads it in a vector with three
 * others.
 */
#include "check_case.h"

__global__ void horner(const float *in, float *out, int degree)
{
    float c[12], sum = 0, power = 1;

    for (int k = 0; k < degree; k++)
        c[k] = in[(threadIdx.x + k) & 31];
    for (int k = 0; k <= degree; k++) {
        sum += power * c[k]; /* HERE */
        power *= 0.5f;
    }
    out[threadIdx.x] = sum;
}

int main(void)
{
    float *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 32 * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    CUDA_CHECK(cudaMemset(in, 0, 32 * sizeof(float)));
    horner<<<1, 32>>>(in, out, 7);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
