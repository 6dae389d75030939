/*
 * baseline.cu - the blocked product: correct, and easy to beat.
 *
 * A block of 16 x 16 threads computes a tile of 16 x 16 elements of C, a thread each. It walks along a row of tiles of
 * A and down a column of tiles of B. In each step every thread brings one element of each tile into shared memory; a
 * barrier; every thread adds 16 products; a barrier, before the tiles are overwritten. So every element is read from
 * global memory once for 16 elements of C and not for each.
 *
 * Sides need not be multiples of 16: what lies outside of A and B is zero, what lies outside of C is not written.
 * Behind the end of k both factors are zero, so that no zero meets an infinity, which would make NaN.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "baseline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int TILE = 16;

/* c[m][n] = a[m][k] b[k][n]. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    float sum = 0;

    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = i < m && first + x < k ? a[(size_t)i * k + first + x] : 0.0f;
        tile_b[y][x] = j < n && first + y < k ? b[(size_t)(first + y) * n + j] : 0.0f;
        __syncthreads();
        for (int step = 0; step < TILE; step++)
            sum += tile_a[y][step] * tile_b[step][x];
        __syncthreads();
    }
    if (i < m && j < n)
        c[(size_t)i * n + j] = sum;
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t size_a = (size_t)M * K * sizeof(float), size_b = (size_t)K * N * sizeof(float);
    const size_t size_c = (size_t)M * N * sizeof(float);
    float *a, *b, *c;

    CHECK(cudaMalloc(&a, size_a));
    CHECK(cudaMalloc(&b, size_b));
    CHECK(cudaMalloc(&c, size_c));
    CHECK(cudaMemcpy(a, A, size_a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, B, size_b, cudaMemcpyHostToDevice));

    const dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    multiply<<<grid, block>>>(a, b, c, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, c, size_c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
