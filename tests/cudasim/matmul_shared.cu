/*
 * matmul_shared.cu - C = A B by tiles in shared memory: one element per thread, then 4 x 4 per thread, and with
 * double buffering. Values are small integers, so that every result is exact.
 */
#include "check.h"

enum { TILE = 16 };

/* A: m x k, B: k x n, C: m x n, all row by row */
template <typename T> __global__ void matmul_tile(const T *a, const T *b, T *c, int m, int n, int k)
{
    __shared__ T tile_a[TILE][TILE];
    __shared__ T tile_b[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;

    for (int start = 0; start < k; start += TILE) {
        int at_a = start + threadIdx.x;
        int at_b = start + threadIdx.y;

        tile_a[threadIdx.y][threadIdx.x] = row < m && at_a < k ? a[row * k + at_a] : T(0);
        tile_b[threadIdx.y][threadIdx.x] = at_b < k && column < n ? b[at_b * n + column] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

/* A block of 16 x 16 threads makes 64 x 64 elements; the next tiles are loaded while these are multiplied. */
template <typename T> __global__ void matmul_registers(const T *a, const T *b, T *c, int m, int n, int k)
{
    enum { SIDE = 64, DEPTH = 8 };
    __shared__ T tile_a[2][DEPTH][SIDE];
    __shared__ T tile_b[2][DEPTH][SIDE];
    int thread = threadIdx.y * 16 + threadIdx.x;
    int now = 0;
    T sums[4][4] = {};

    auto load = [&](int buffer, int start) {
        for (int i = thread; i < DEPTH * SIDE; i += 256) {
            int row = blockIdx.y * SIDE + i / DEPTH;
            int column = blockIdx.x * SIDE + i % SIDE;

            tile_a[buffer][i % DEPTH][i / DEPTH] =
                row < m && start + i % DEPTH < k ? a[row * k + start + i % DEPTH] : T(0);
            tile_b[buffer][i / SIDE][i % SIDE] =
                start + i / SIDE < k && column < n ? b[(start + i / SIDE) * n + column] : T(0);
        }
    };

    load(0, 0);
    for (int start = 0; start < k; start += DEPTH) {
        __syncthreads();
        if (start + DEPTH < k)
            load(1 - now, start + DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            T from_a[4], from_b[4];

            for (int j = 0; j < 4; j++) {
                from_a[j] = tile_a[now][i][threadIdx.y * 4 + j];
                from_b[j] = tile_b[now][i][threadIdx.x + 16 * j];
            }
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++)
                    sums[y][x] += from_a[y] * from_b[x];
        }
        now = 1 - now;
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            int row = blockIdx.y * SIDE + threadIdx.y * 4 + y;
            int column = blockIdx.x * SIDE + threadIdx.x + 16 * x;

            if (row < m && column < n)
                c[row * n + column] = sums[y][x];
        }
}

template <typename T> static void test(const char *what, int m, int n, int k)
{
    struct rng rng = {(uint64_t)(m * n + k)};
    std::vector<T> a(m * k), b(k * n), want(m * n);

    for (T &value : a)
        value = (T)((int)rng_below(&rng, 21) - 10);
    for (T &value : b)
        value = (T)((int)rng_below(&rng, 21) - 10);
    for (int y = 0; y < m; y++)
        for (int i = 0; i < k; i++)
            for (int x = 0; x < n; x++)
                want[y * n + x] += a[y * k + i] * b[i * n + x];
    T *device_a = device_copy(a);
    T *device_b = device_copy(b);
    T *device_c = device_zeros<T>(m * n);

    matmul_tile<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(device_a, device_b, device_c, m, n, k);
    CHECK_KERNEL();
    expect_device(what, want, device_c);
    CUDA_CHECK(cudaMemset(device_c, 0, m * n * sizeof(T)));
    matmul_registers<<<dim3((n + 63) / 64, (m + 63) / 64), dim3(16, 16)>>>(device_a, device_b, device_c, m, n, k);
    CHECK_KERNEL();
    expect_device(what, want, device_c);
    device_free(device_a);
    device_free(device_b);
    device_free(device_c);
}

int main(void)
{
    test<float>("float", 64, 64, 64);
    test<float>("float", 1, 1, 1);
    test<float>("float", 67, 45, 33);
    test<int>("int", 50, 70, 17);
    test<double>("double", 31, 65, 40);
    return passed();
}
