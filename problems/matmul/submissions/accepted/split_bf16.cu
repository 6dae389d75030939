/*
 * split_bf16.cu - float32 by tensor cores that multiply bfloat16. league: accurate
 *
 * A float32 has 24 significant bits, a bfloat16 has 8 and the same exponents: x = x0 + x1 + x2, each term the rest
 * rounded to bfloat16, is exact while nothing underflows. Of the nine products of such sums the six largest are kept,
 * a0b0, a0b1, a1b0, a1b1, a0b2, a2b0; those left out are below 2^-24 of |a||b| (Henry, Tang and Heinecke, "Leveraging
 * the bfloat16 artificial intelligence datatype for higher-precision computations", ARITH 2019).
 *
 * - Underflow: each row of A and each column of B is first scaled by a power of two, so that its largest element lies
 *   in [1, 2). The result is scaled back in double precision, and rounded once.
 * - Sums: tensor cores do not round sums to nearest but cut them off, and with long sums of one sign that adds up. So
 *   only 16 products are summed by them at a time, and the large and the small products apart; the sums over k are
 *   ordinary additions.
 * - Infinities and NaN do not survive the split (infinity - infinity): rows of A and columns of B that hold one take
 *   part with zeros instead, and their elements of C are then computed one by one in float32.
 */
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <mma.h>

#include "device_user.h"

using namespace nvcuda;

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "split_bf16.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int TILE = 16, TERMS = 3, SPECIAL = 1 << 20;

/*
 * exponents[count]: of the largest element of each line of a matrix, 0 for a line of zeros, SPECIAL for one with an
 * infinity or NaN. Element e of line l is x[l * line_step + e * step]. A block for each line.
 */
__global__ void find_exponents(const float *x, int length, size_t line_step, size_t step, int *exponents)
{
    __shared__ int most[128];
    const float *line = x + blockIdx.x * line_step;
    int own = INT_MIN;

    for (int e = threadIdx.x; e < length; e += blockDim.x) {
        const float value = line[e * step];

        if (!isfinite(value))
            own = SPECIAL;
        else if (value != 0)
            own = max(own, ilogbf(value));
    }
    most[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            most[threadIdx.x] = max(most[threadIdx.x], most[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        exponents[blockIdx.x] = most[0] == INT_MIN ? 0 : most[0];
}

/* The three terms of x, scaled; zeros for a special line. */
__device__ void split(float x, int exponent, __nv_bfloat16 terms[TERMS])
{
    float rest = exponent == SPECIAL ? 0.0f : ldexpf(x, -exponent);

    for (int t = 0; t < TERMS; t++) {
        terms[t] = __float2bfloat16_rn(rest);
        rest -= __bfloat162float(terms[t]);
    }
}

/* c[m][n] = a[m][k] b[k][n], a warp for each tile of 16 x 16 elements of c. */
__global__ void multiply(const float *a, const float *b, const int *exponents_a, const int *exponents_b, float *c,
                         int m, int n, int k)
{
    __shared__ __align__(32) __nv_bfloat16 tile_a[TERMS][TILE * TILE], tile_b[TERMS][TILE * TILE];
    __shared__ __align__(32) float tile_c[TILE * TILE];
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __nv_bfloat16, wmma::row_major> left[TERMS];
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __nv_bfloat16, wmma::row_major> right[TERMS];
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sums, large, small;
    const int i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE, lane = threadIdx.x;

    wmma::fill_fragment(sums, 0.0f);
    for (int first = 0; first < k; first += TILE) {
        for (int e = lane; e < TILE * TILE; e += 32) {
            const int row = e / TILE, column = e % TILE;
            const bool in_a = i0 + row < m && first + column < k, in_b = first + row < k && j0 + column < n;
            __nv_bfloat16 terms[TERMS];

            split(in_a ? a[(size_t)(i0 + row) * k + first + column] : 0.0f, in_a ? exponents_a[i0 + row] : 0, terms);
            for (int t = 0; t < TERMS; t++)
                tile_a[t][e] = terms[t];
            split(in_b ? b[(size_t)(first + row) * n + j0 + column] : 0.0f, in_b ? exponents_b[j0 + column] : 0, terms);
            for (int t = 0; t < TERMS; t++)
                tile_b[t][e] = terms[t];
        }
        __syncwarp();
        for (int t = 0; t < TERMS; t++) {
            wmma::load_matrix_sync(left[t], tile_a[t], TILE);
            wmma::load_matrix_sync(right[t], tile_b[t], TILE);
        }
        wmma::fill_fragment(large, 0.0f);
        wmma::fill_fragment(small, 0.0f);
        wmma::mma_sync(small, left[2], right[0], small);
        wmma::mma_sync(small, left[0], right[2], small);
        wmma::mma_sync(small, left[1], right[1], small);
        wmma::mma_sync(small, left[1], right[0], small);
        wmma::mma_sync(small, left[0], right[1], small);
        wmma::mma_sync(large, left[0], right[0], large);
        for (int e = 0; e < sums.num_elements; e++)
            sums.x[e] += large.x[e] + small.x[e];
        __syncwarp();
    }
    wmma::store_matrix_sync(tile_c, sums, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < TILE * TILE; e += 32) {
        const int i = i0 + e / TILE, j = j0 + e % TILE;

        if (i >= m || j >= n)
            continue;
        if (exponents_a[i] != SPECIAL && exponents_b[j] != SPECIAL) {
            c[(size_t)i * n + j] = (float)ldexp((double)tile_c[e], exponents_a[i] + exponents_b[j]);
        } else {
            float sum = 0;

            for (int step = 0; step < k; step++)
                sum += a[(size_t)i * k + step] * b[(size_t)step * n + j];
            c[(size_t)i * n + j] = sum;
        }
    }
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t size_a = (size_t)M * K * sizeof(float), size_b = (size_t)K * N * sizeof(float);
    const size_t size_c = (size_t)M * N * sizeof(float);
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    float *a, *b, *c;
    int *exponents_a, *exponents_b;

    CHECK(cudaMalloc(&a, size_a));
    CHECK(cudaMalloc(&b, size_b));
    CHECK(cudaMalloc(&c, size_c));
    CHECK(cudaMalloc(&exponents_a, M * sizeof *exponents_a));
    CHECK(cudaMalloc(&exponents_b, N * sizeof *exponents_b));
    CHECK(cudaMemcpy(a, A, size_a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, B, size_b, cudaMemcpyHostToDevice));
    find_exponents<<<M, 128>>>(a, K, K, 1, exponents_a);
    CHECK(cudaGetLastError());
    find_exponents<<<N, 128>>>(b, K, 1, N, exponents_b);
    CHECK(cudaGetLastError());
    multiply<<<grid, 32>>>(a, b, exponents_a, exponents_b, c, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, c, size_c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(exponents_a));
    CHECK(cudaFree(exponents_b));
}
