// expect: out-of-bounds kernel=smooth
/*
 * local_neighbour_bad.cu - a thread writes past the end of one of its arrays, into the next one.
 */
#include "check_case.h"

__global__ void smooth(const int *in, int *out, int n, int index)
{
    int near[8], far[8];

    for (int k = 0; k < 8; k++) {
        near[k] = in[k];
        far[k] = in[k + 8];
    }
    near[n + 1] = 5; /* HERE */
    out[threadIdx.x] = near[index] + far[index];
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 16 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 16 * sizeof(int)));
    smooth<<<1, 32>>>(in, out, 8, 3);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
