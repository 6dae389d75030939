/*
 * Wrong, in the league: accurate, where tensor cores are allowed: a single product of factors rounded to TF32 errs by
 * up to 2^-10 of each of n products, and the precision rule allows 2^-22 (sqrt(n) + 2) of the root of their squares.
 */
#include <cstdio>
#include <cstdlib>
#include <mma.h>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "tf32_wmma.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

using namespace nvcuda;

constexpr int M_TILE = 16, N_TILE = 16, K_TILE = 8;

/*
 * c[m][n] = a[m][k] b[k][n], a warp for each 16 x 16 tile of c. Both tiles of a step go through shared memory, with
 * zeros where they hang over an edge, and are rounded to TF32 there.
 */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(32) float tile_a[M_TILE][K_TILE], tile_b[K_TILE][N_TILE], tile_c[M_TILE][N_TILE];
    wmma::fragment<wmma::matrix_a, M_TILE, N_TILE, K_TILE, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, M_TILE, N_TILE, K_TILE, wmma::precision::tf32, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, M_TILE, N_TILE, K_TILE, float> sums;
    const int i0 = blockIdx.y * M_TILE, j0 = blockIdx.x * N_TILE, lane = threadIdx.x;

    wmma::fill_fragment(sums, 0.0f);
    for (int first = 0; first < k; first += K_TILE) {
        for (int e = lane; e < M_TILE * K_TILE; e += 32) {
            const int i = i0 + e / K_TILE, step = first + e % K_TILE;

            tile_a[e / K_TILE][e % K_TILE] =
                wmma::__float_to_tf32(i < m && step < k ? a[(size_t)i * k + step] : 0.0f);
        }
        for (int e = lane; e < K_TILE * N_TILE; e += 32) {
            const int step = first + e / N_TILE, j = j0 + e % N_TILE;

            tile_b[e / N_TILE][e % N_TILE] =
                wmma::__float_to_tf32(step < k && j < n ? b[(size_t)step * n + j] : 0.0f);
        }
        __syncwarp();
        wmma::load_matrix_sync(left, &tile_a[0][0], K_TILE);
        wmma::load_matrix_sync(right, &tile_b[0][0], N_TILE);
        wmma::mma_sync(sums, left, right, sums);
        __syncwarp();
    }
    wmma::store_matrix_sync(&tile_c[0][0], sums, N_TILE, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < M_TILE * N_TILE; e += 32) {
        const int i = i0 + e / N_TILE, j = j0 + e % N_TILE;

        if (i < m && j < n)
            c[(size_t)i * n + j] = tile_c[e / N_TILE][e % N_TILE];
    }
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

    const dim3 grid((N + N_TILE - 1) / N_TILE, (M + M_TILE - 1) / M_TILE);

    multiply<<<grid, 32>>>(a, b, c, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, c, size_c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
