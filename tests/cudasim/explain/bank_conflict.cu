/*
 * bank_conflict.cu - for the explain report: a transposition through a tile of 32 x 32 words without padding; the reads
 * of a column all fall into one bank of shared memory, 32 ways. The padded kernel beside it has no conflict.
 */
#include "../check.h"

enum { TILE = 32, SIDE = 128 };

template <int PAD> __device__ void transpose(float (*tile)[TILE + PAD], const float *in, float *out)
{
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE;

    for (int row = threadIdx.y; row < TILE; row += blockDim.y)
        tile[row][threadIdx.x] = in[(y + row) * SIDE + x + threadIdx.x];
    __syncthreads();
    for (int row = threadIdx.y; row < TILE; row += blockDim.y)
        out[(x + row) * SIDE + y + threadIdx.x] = tile[threadIdx.x][row];
}

__global__ void conflicting(const float *in, float *out)
{
    __shared__ float tile[TILE][TILE];

    transpose<0>(tile, in, out);
}

__global__ void padded(const float *in, float *out)
{
    __shared__ float tile[TILE][TILE + 1];

    transpose<1>(tile, in, out);
}

int main(void)
{
    std::vector<float> in(SIDE * SIDE), want(SIDE * SIDE);

    for (int i = 0; i < SIDE * SIDE; i++)
        want[i % SIDE * SIDE + i / SIDE] = in[i] = i;
    float *device_in = device_copy(in);
    float *out = device_zeros<float>(in.size());

    conflicting<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, 8)>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("conflicting", want, out);
    CUDA_CHECK(cudaMemset(out, 0, in.size() * sizeof(float)));
    padded<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, 8)>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("padded", want, out);
    device_free(device_in);
    device_free(out);
    return passed();
}
