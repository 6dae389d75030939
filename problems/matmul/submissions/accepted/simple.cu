/*
 * simple.cu - the definition on the GPU: one thread computes one element of C. Every element of A is read N times from
 * global memory, every element of B M times; the caches alone save some of it.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "simple.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* c[m][n] = a[m][k] b[k][n]. Threads of a warp share rows of a, and lie side by side in b and c. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= m || j >= n)
        return;
    for (int step = 0; step < k; step++)
        sum += a[(size_t)i * k + step] * b[(size_t)step * n + j];
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

    const dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);

    multiply<<<grid, block>>>(a, b, c, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, c, size_c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
