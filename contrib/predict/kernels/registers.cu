/*
 * registers.cu - kernels that keep much in registers: products of matrices by tiles of a thread, chains side by side,
 * and copies with many loads in flight.
 */
#include "kernels.h"

/* ---- C = A B, a thread PER x PER elements of it ---- */

enum { DEPTH = 8 };

/*
 * A block of x by y threads computes PER y rows by PER x columns of C. Brought to shared memory in turn are DEPTH
 * columns of A, [DEPTH][PER y], and DEPTH rows of B, [DEPTH][PER x]. A thread's rows lie y apart and its columns x
 * apart, so that a warp reads neighbours.
 */
template <int PER>
static __device__ void multiply_in_registers(const float *a, const float *b, float *c, int n, float *tiles)
{
    const int width = blockDim.x, height = blockDim.y, threads = width * height;
    const int rows = PER * height, columns = PER * width, t = threadIdx.y * width + threadIdx.x;
    const int first_row = blockIdx.y * rows, first_column = blockIdx.x * columns;
    float *tile_a = tiles, *tile_b = tiles + DEPTH * rows, sum[PER][PER] = {};

    for (int first = 0; first < n; first += DEPTH) {
#pragma unroll 1
        for (int i = t; i < DEPTH * rows; i += threads) {
            const int row = first_row + i / DEPTH, k = first + i % DEPTH;

            tile_a[i % DEPTH * rows + i / DEPTH] = row < n && k < n ? a[row * n + k] : 0.0f;
        }
#pragma unroll 1
        for (int i = t; i < DEPTH * columns; i += threads) {
            const int k = first + i / columns, column = first_column + i % columns;

            tile_b[i] = k < n && column < n ? b[k * n + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll 2
        for (int k = 0; k < DEPTH; k++) {
            float left[PER], right[PER];

#pragma unroll
            for (int i = 0; i < PER; i++) {
                left[i] = tile_a[k * rows + i * height + threadIdx.y];
                right[i] = tile_b[k * columns + i * width + threadIdx.x];
            }
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) {
            const int row = first_row + i * height + threadIdx.y, column = first_column + j * width + threadIdx.x;

            if (row < n && column < n)
                c[row * n + column] = sum[i][j];
        }
}

__global__ void __launch_bounds__(256, 4) matmul_tile_4(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float tiles_4[];

    multiply_in_registers<4>(a, b, c, n, tiles_4);
}

__global__ void __launch_bounds__(256, 2) matmul_tile_8(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float tiles_8[];

    multiply_in_registers<8>(a, b, c, n, tiles_8);
}

void launch_matmul_tile_4(const struct run *r)
{
    const dim3 grid(blocks_for(r->size, 4 * r->x), blocks_for(r->size, 4 * r->y));
    const size_t bytes = DEPTH * 4 * (r->x + r->y) * sizeof(float);

    matmul_tile_4<<<grid, dim3(r->x, r->y), bytes>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void launch_matmul_tile_8(const struct run *r)
{
    const dim3 grid(blocks_for(r->size, 8 * r->x), blocks_for(r->size, 8 * r->y));
    const size_t bytes = DEPTH * 8 * (r->x + r->y) * sizeof(float);

    matmul_tile_8<<<grid, dim3(r->x, r->y), bytes>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void host_matmul_tile_4(const struct run *r)
{
    host_matmul_naive(r);
}

void host_matmul_tile_8(const struct run *r)
{
    host_matmul_naive(r);
}

/* ---- chains of multiply-adds that do not wait for each other ---- */

enum { CHAIN_STEPS = 32 };
#define CHAIN_FACTOR 0.99f

template <int CHAINS>
static __device__ void follow_chains(const float *x, float *y, int n, float summand)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float link[CHAINS], sum = 0;

    if (i >= n)
        return;
    link[0] = x[i];
#pragma unroll
    for (int k = 1; k < CHAINS; k++)
        link[k] = link[k - 1] + summand;
#pragma unroll 4
    for (int step = 0; step < CHAIN_STEPS; step++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            link[k] = link[k] * CHAIN_FACTOR + summand;
#pragma unroll
    for (int k = 0; k < CHAINS; k++)
        sum += link[k];
    y[i] = sum;
}

__global__ void __launch_bounds__(512) chains_32(const float *x, float *y, int n, float summand)
{
    follow_chains<32>(x, y, n, summand);
}

__global__ void __launch_bounds__(512) chains_96(const float *x, float *y, int n, float summand)
{
    follow_chains<96>(x, y, n, summand);
}

void launch_chains_32(const struct run *r)
{
    chains_32<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size, 0.125f);
}

void launch_chains_96(const struct run *r)
{
    chains_96<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size, 0.125f);
}

/* In closed form: all links are multiplied by the same power, and get the same geometric sum. */
static void sum_chains(const struct run *r, int chains)
{
    double power = 1, summands = 0;

    for (int step = 0; step < CHAIN_STEPS; step++) {
        summands += 0.125 * power;
        power *= CHAIN_FACTOR;
    }
    for (long i = 0; i < r->size; i++)
        r->out[i] = (float)(chains * (summands + power * (r->in[i] + 0.125 * (chains - 1) / 2)));
}

void host_chains_32(const struct run *r)
{
    sum_chains(r, 32);
}

void host_chains_96(const struct run *r)
{
    sum_chains(r, 96);
}

/* ---- a copy with sixteen loads of a thread in flight ---- */

enum { FLIGHT = 16 };

__global__ void __launch_bounds__(512) copy_deep(const float4 *from, float4 *to, int n)
{
    const int first = blockIdx.x * blockDim.x * FLIGHT + threadIdx.x;
    float4 kept[FLIGHT];

#pragma unroll
    for (int k = 0; k < FLIGHT; k++) {
        const int i = first + k * blockDim.x;

        kept[k] = i < n ? from[i] : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < FLIGHT; k++) {
        const int i = first + k * blockDim.x;

        if (i < n)
            to[i] = kept[k];
    }
}

void launch_copy_deep(const struct run *r)
{
    copy_deep<<<blocks_for(r->size, r->x * FLIGHT), r->x>>>((const float4 *)r->in, (float4 *)r->out, (int)r->size);
}

void host_copy_deep(const struct run *r)
{
    host_copy_wide(r);
}
