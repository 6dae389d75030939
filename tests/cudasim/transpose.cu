/*
 * transpose.cu - matrix transposition: naive, through a tile in shared memory, through a padded tile, and in place.
 */
#include "check.h"

enum { TILE = 32, ROWS = 8 };

/* in: height x width, row by row; out: width x height */
template <typename T> __global__ void transpose_naive(const T *in, T *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

template <typename T, int PAD> __global__ void transpose_tile(const T *in, T *out, int width, int height)
{
    __shared__ T tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;

    for (int row = 0; row < TILE; row += ROWS)
        if (x < width && y + row < height)
            tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < height && y + row < width)
            out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

template <typename T> __global__ void transpose_in_place(T *matrix, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < y && y < n) {
        T swap = matrix[y * n + x];

        matrix[y * n + x] = matrix[x * n + y];
        matrix[x * n + y] = swap;
    }
}

template <typename T> static void test(const char *what, int width, int height)
{
    struct rng rng = {(uint64_t)width * 1000 + height};
    size_t count = (size_t)width * height;
    std::vector<T> in(count), want(count);

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[(size_t)x * height + y] = in[(size_t)y * width + x] = (T)rng_below(&rng, 1u << 20);
    T *device_in = device_copy(in);
    T *device_out = device_zeros<T>(count);
    dim3 tiles((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    dim3 naive((width + 15) / 16, (height + 15) / 16);

    transpose_naive<<<naive, dim3(16, 16)>>>(device_in, device_out, width, height);
    CHECK_KERNEL();
    expect_device(what, want, device_out);
    CUDA_CHECK(cudaMemset(device_out, 0, count * sizeof(T)));
    transpose_tile<T, 0><<<tiles, dim3(TILE, ROWS)>>>(device_in, device_out, width, height);
    CHECK_KERNEL();
    expect_device(what, want, device_out);
    CUDA_CHECK(cudaMemset(device_out, 0, count * sizeof(T)));
    transpose_tile<T, 1><<<tiles, dim3(TILE, ROWS)>>>(device_in, device_out, width, height);
    CHECK_KERNEL();
    expect_device(what, want, device_out);
    if (width == height) {
        transpose_in_place<<<naive, dim3(16, 16)>>>(device_in, width);
        CHECK_KERNEL();
        expect_device(what, want, device_in);
    }
    device_free(device_in);
    device_free(device_out);
}

int main(void)
{
    int sizes[][2] = {{1, 1}, {32, 32}, {33, 65}, {100, 257}, {1, 1000}, {1000, 3}, {96, 96}, {61, 61}};

    for (auto &size : sizes) {
        test<float>("float", size[0], size[1]);
        test<double>("double", size[0], size[1]);
        test<unsigned char>("byte", size[0], size[1]);
        test<short>("short", size[0], size[1]);
    }
    return passed();
}
