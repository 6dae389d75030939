// expect: uninitialised kernel=square
/*
 * uninitialised_matrix_bad.cu - the second half of a tile is not filled. A header of the toolkit has the load.
 */
#include "check_case.h"
#include <mma.h>

__global__ void square(half *in, float *out)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half tile[256];
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, row_major> b;
    fragment<accumulator, 16, 16, 16, float> sum;

    for (int k = threadIdx.x; k < 128; k += 32)
        tile[k] = in[k];
    __syncwarp();
    load_matrix_sync(a, tile, 16); /* HERE */
    load_matrix_sync(b, in, 16);
    fill_fragment(sum, 0.0f);
    mma_sync(sum, a, b, sum);
    store_matrix_sync(out, sum, 16, mem_row_major);
}

int main(void)
{
    half *in;
    float *out;

    CUDA_CHECK(cudaMalloc(&in, 256 * sizeof(half)));
    CUDA_CHECK(cudaMalloc(&out, 256 * sizeof(float)));
    CUDA_CHECK(cudaMemset(in, 0, 256 * sizeof(half)));
    square<<<1, 32>>>(in, out);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
