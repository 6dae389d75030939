/*
 * sobel.cu - edges of an image by Sobel's filter through a tile with a border, a separable blur with constant weights,
 * and a median of 3 x 3 by exchanges; sizes that are no multiples of the tile.
 */
#include <algorithm>

#include "check.h"

enum { SIDE = 16, BORDER = 2 };

__constant__ int blur_weights[5] = {1, 4, 6, 4, 1};

__device__ int clamped(const unsigned char *image, int x, int y, int width, int height)
{
    return image[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    __shared__ int tile[SIDE + 2][SIDE + 2];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;

    tile[ty][tx] = clamped(in, x, y, width, height);
    if (threadIdx.x == 0) {
        tile[ty][0] = clamped(in, x - 1, y, width, height);
        tile[ty][SIDE + 1] = clamped(in, x + SIDE, y, width, height);
    }
    if (threadIdx.y == 0) {
        tile[0][tx] = clamped(in, x, y - 1, width, height);
        tile[SIDE + 1][tx] = clamped(in, x, y + SIDE, width, height);
    }
    if (threadIdx.x < 2 && threadIdx.y < 2) {
        int dx = threadIdx.x * (SIDE + 1), dy = threadIdx.y * (SIDE + 1);

        tile[dy][dx] = clamped(in, x - (int)threadIdx.x - 1 + dx, y - (int)threadIdx.y - 1 + dy, width, height);
    }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    int gx = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] -
             2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];
    int gy = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] -
             2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];

    out[y * width + x] = min((int)sqrtf(gx * gx + gy * gy), 255);
}

/* Along x, written transposed; twice makes both directions. */
__global__ void blur(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    int sum = 8;

#pragma unroll
    for (int k = -BORDER; k <= BORDER; k++)
        sum += blur_weights[k + BORDER] * clamped(in, x + k, y, width, height);
    out[x * height + y] = sum >> 4;
}

__device__ void exchange(int &a, int &b)
{
    int low = min(a, b);

    b = max(a, b);
    a = low;
}

__global__ void median(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int v[9];

    if (x >= width || y >= height)
        return;
#pragma unroll
    for (int k = 0; k < 9; k++)
        v[k] = clamped(in, x + k % 3 - 1, y + k / 3 - 1, width, height);
#pragma unroll
    for (int end = 8; end > 3; end--)
#pragma unroll
        for (int k = 0; k < end; k++)
            exchange(v[k], v[k + 1]);
    out[y * width + x] = v[4];
}

static int pixel(const std::vector<unsigned char> &image, int x, int y, int width, int height)
{
    return image[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)];
}

static void test(int width, int height)
{
    struct rng rng = {(uint64_t)width};
    std::vector<unsigned char> in(width * height), edges(width * height), medians(width * height);
    std::vector<unsigned char> half(width * height), blurred(width * height);
    dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE), block(SIDE, SIDE);
    dim3 turned(grid.y, grid.x);

    for (int i = 0; i < width * height; i++)
        in[i] = (i % width * 3 + i / width * 2) % 256 / 2 + rng_below(&rng, 40);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            auto at = [&](int dx, int dy) { return pixel(in, x + dx, y + dy, width, height); };
            int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
            int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
            int around[9];

            for (int k = 0; k < 9; k++)
                around[k] = at(k % 3 - 1, k / 3 - 1);
            std::sort(around, around + 9);
            medians[y * width + x] = around[4];
            edges[y * width + x] = std::min((int)std::sqrt((float)(gx * gx + gy * gy)), 255);
            half[x * height + y] = (at(-2, 0) + 4 * at(-1, 0) + 6 * at(0, 0) + 4 * at(1, 0) + at(2, 0) + 8) >> 4;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            auto at = [&](int dy) { return pixel(half, y + dy, x, height, width); };

            blurred[y * width + x] = (at(-2) + 4 * at(-1) + 6 * at(0) + 4 * at(1) + at(2) + 8) >> 4;
        }
    unsigned char *device_in = device_copy(in);
    unsigned char *device_half = device_zeros<unsigned char>(in.size());
    unsigned char *out = device_zeros<unsigned char>(in.size());

    sobel<<<grid, block>>>(device_in, out, width, height);
    CHECK_KERNEL();
    expect_device("sobel", edges, out);
    median<<<grid, block>>>(device_in, out, width, height);
    CHECK_KERNEL();
    expect_device("median", medians, out);
    blur<<<grid, block>>>(device_in, device_half, width, height);
    CHECK_KERNEL();
    blur<<<turned, block>>>(device_half, out, height, width);
    CHECK_KERNEL();
    expect_device("blur", blurred, out);
    device_free(device_in);
    device_free(device_half);
    device_free(out);
}

int main(void)
{
    test(64, 48);
    test(101, 67);
    test(1, 40);
    test(5, 3);
    return passed();
}
