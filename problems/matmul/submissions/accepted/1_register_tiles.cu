/*
 * 1_register_tiles.cu - the baseline's tiles, with 8 x 8 elements of C in each thread's registers.
 *
 * The baseline reads two numbers from shared memory for each multiply-add. Here a thread reads 8 + 8 for 64, by four
 * instructions of 16 bytes: a block of 256 threads has a tile of 128 x 128, and steps of 8 k come into shared memory.
 * A's part lies there transposed, so that a thread's rows are neighbours; its pitch is 4 longer than the tile, so that
 * the threads that bring 8 k of 4 rows write to different banks.
 *
 * What is still lost: while a step is brought nobody multiplies. See 2_asynchronous_copies.cu.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_register_tiles.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int TILE = 128, STEP = 8, OWN = 8, THREADS = TILE / OWN * (TILE / OWN);

/* c[m][n] = a[m][k] b[k][n]. What lies outside is zero, for both factors where it is behind the end of k. */
__global__ void __launch_bounds__(THREADS) multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[STEP][TILE + 4], tile_b[STEP][TILE];
    const int tid = threadIdx.x, i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    const int x = tid % 16 * 4, y = tid / 16 * 4; // this thread's rows and columns: 4, and 4 that lie 64 further
    float sums[OWN][OWN] = {}, own_a[OWN], own_b[OWN];

    for (int first = 0; first < k; first += STEP) {
        for (int e = tid; e < TILE * STEP; e += THREADS) {
            const int i = e / STEP, step_a = e % STEP, j = e % TILE, step_b = e / TILE;

            tile_a[step_a][i] = i0 + i < m && first + step_a < k ? a[(size_t)(i0 + i) * k + first + step_a] : 0.0f;
            tile_b[step_b][j] = j0 + j < n && first + step_b < k ? b[(size_t)(first + step_b) * n + j0 + j] : 0.0f;
        }
        __syncthreads();
        for (int step = 0; step < STEP; step++) {
            for (int half = 0; half < 2; half++) {
                *(float4 *)&own_a[half * 4] = *(const float4 *)&tile_a[step][y + half * 64];
                *(float4 *)&own_b[half * 4] = *(const float4 *)&tile_b[step][x + half * 64];
            }
            for (int i = 0; i < OWN; i++)
                for (int j = 0; j < OWN; j++)
                    sums[i][j] = fmaf(own_a[i], own_b[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < OWN; i++)
        for (int j = 0; j < OWN; j++) {
            const int row = i0 + y + i / 4 * 64 + i % 4, column = j0 + x + j / 4 * 64 + j % 4;

            if (row < m && column < n)
                c[(size_t)row * n + column] = sums[i][j];
        }
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t size_a = (size_t)M * K * sizeof(float), size_b = (size_t)K * N * sizeof(float);
    const size_t size_c = (size_t)M * N * sizeof(float);
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    float *a, *b, *c;

    CHECK(cudaMalloc(&a, size_a));
    CHECK(cudaMalloc(&b, size_b));
    CHECK(cudaMalloc(&c, size_c));
    CHECK(cudaMemcpy(a, A, size_a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, B, size_b, cudaMemcpyHostToDevice));
    multiply<<<grid, THREADS>>>(a, b, c, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, c, size_c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
