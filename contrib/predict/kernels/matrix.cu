/*
 * matrix.cu - products, elimination and transposes of n x n matrices, stored by rows.
 */
#include "kernels.h"

static dim3 plane(const struct run *r)
{
    return dim3(blocks_for(r->size, r->x), blocks_for(r->size, r->y));
}

/* ---- C = A B ---- */

/* A block computes a square of C, and brings squares of A and B of the same sides to shared memory in turn. */
template <typename number>
static __device__ void multiply_tiles(const number *a, const number *b, number *c, int n, number *tiles)
{
    const int side = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * side + ty, column = blockIdx.x * side + tx;
    number *tile_a = tiles, *tile_b = tiles + side * side, sum = 0;

    for (int first = 0; first < n; first += side) {
        tile_a[ty * side + tx] = row < n && first + tx < n ? a[row * n + first + tx] : 0;
        tile_b[ty * side + tx] = column < n && first + ty < n ? b[(first + ty) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < side; k++)
            sum += tile_a[ty * side + k] * tile_b[k * side + tx];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

__global__ void matmul_shared(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float tiles_float[]; /* [2][side][side] */

    multiply_tiles(a, b, c, n, tiles_float);
}

__global__ void matmul_double(const double *a, const double *b, double *c, int n)
{
    extern __shared__ double tiles_double[]; /* [2][side][side] */

    multiply_tiles(a, b, c, n, tiles_double);
}

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

/* matmul_shared with a side that the compiler knows. */
__global__ void matmul_blocked(const float *a, const float *b, float *c, int n)
{
    enum { SIDE = 16 };
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float sum = 0;

    for (int first = 0; first < n; first += SIDE) {
        tile_a[ty][tx] = row < n && first + tx < n ? a[row * n + first + tx] : 0.0f;
        tile_b[ty][tx] = column < n && first + ty < n ? b[(first + ty) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SIDE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

void launch_matmul_shared(const struct run *r)
{
    const size_t bytes = 2 * r->x * r->x * sizeof(float);

    matmul_shared<<<plane(r), dim3(r->x, r->y), bytes>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void launch_matmul_double(const struct run *r)
{
    const size_t bytes = 2 * r->x * r->x * sizeof(double);
    const double *a = (const double *)r->inputs[0], *b = (const double *)r->inputs[1];

    matmul_double<<<plane(r), dim3(r->x, r->y), bytes>>>(a, b, (double *)r->out, (int)r->size);
}

void launch_matmul_naive(const struct run *r)
{
    matmul_naive<<<plane(r), dim3(r->x, r->y)>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void launch_matmul_blocked(const struct run *r)
{
    matmul_blocked<<<plane(r), dim3(r->x, r->y)>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

template <typename number>
static void multiply_plainly(const number *a, number *c, long n)
{
    const number *b = a + n * n;

    for (long i = 0; i < n * n; i++) {
        double sum = 0;

        for (long k = 0; k < n; k++)
            sum += (double)a[i / n * n + k] * b[k * n + i % n];
        c[i] = (number)sum;
    }
}

void host_matmul_shared(const struct run *r)
{
    multiply_plainly(r->in, r->out, r->size);
}

void host_matmul_naive(const struct run *r)
{
    multiply_plainly(r->in, r->out, r->size);
}

void host_matmul_blocked(const struct run *r)
{
    multiply_plainly(r->in, r->out, r->size);
}

void host_matmul_double(const struct run *r)
{
    multiply_plainly((const double *)r->in, (double *)r->out, r->size);
}

/* ---- Gaussian elimination of the first column, which is the longest ---- */

__global__ void fan_1(const float *a, float *multiplier, int n, int column)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = column + 1 + i;

    if (i < n - 1 - column)
        multiplier[row * n + column] = a[row * n + column] / a[column * n + column];
}

void launch_fan_1(const struct run *r)
{
    fan_1<<<blocks_for(r->size - 1, r->x), r->x>>>(r->in, r->out, (int)r->size, 0);
}

void host_fan_1(const struct run *r)
{
    for (long row = 1; row < r->size; row++)
        r->out[row * r->size] = r->in[row * r->size] / r->in[0];
}

/* The right-hand side is the business of the threads of the first column. */
__global__ void fan_2(float *a, float *right, const float *multiplier, int n, int column)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = column + 1 + i;

    if (i >= n - 1 - column || j >= n - column)
        return;
    a[row * n + column + j] -= multiplier[row * n + column] * a[column * n + column + j];
    if (j == 0)
        right[row] -= multiplier[row * n + column] * right[column];
}

void launch_fan_2(const struct run *r)
{
    fan_2<<<plane(r), dim3(r->x, r->y)>>>(r->outputs[0], r->outputs[1], r->in, (int)r->size, 0);
}

void host_fan_2(const struct run *r)
{
    const long n = r->size;
    float *right = r->out + n * n;

    for (long row = n - 1; row > 0; row--) {
        for (long j = 0; j < n; j++)
            r->out[row * n + j] -= r->in[row * n] * r->out[j];
        right[row] -= r->in[row * n] * right[0];
    }
}

/* ---- y = A x, and sums ---- */

__global__ void matvec_rows(const float *a, const float *x, float *y, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * x[k];
    y[row] = sum;
}

/* Blocks are of whole warps. */
__global__ void matvec_warps(const float *a, const float *x, float *y, int n)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;

    if (row >= n)
        return;
    for (int k = lane; k < n; k += 32)
        sum += a[row * n + k] * x[k];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (lane == 0)
        y[row] = sum;
}

void launch_matvec_rows(const struct run *r)
{
    const long n = r->size;

    matvec_rows<<<blocks_for(n, r->x), r->x>>>(r->inputs[0], r->inputs[1], r->out, (int)n);
}

void launch_matvec_warps(const struct run *r)
{
    const long n = r->size;

    matvec_warps<<<blocks_for(n, r->x / 32), r->x>>>(r->inputs[0], r->inputs[1], r->out, (int)n);
}

void host_matvec_rows(const struct run *r)
{
    const long n = r->size;

    for (long row = 0; row < n; row++) {
        double sum = 0;

        for (long k = 0; k < n; k++)
            sum += (double)r->in[row * n + k] * r->in[n * n + k];
        r->out[row] = (float)sum;
    }
}

void host_matvec_warps(const struct run *r)
{
    host_matvec_rows(r);
}

__global__ void column_sums(const float *a, float *sums, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (column >= n)
        return;
    for (int row = 0; row < n; row++)
        sum += a[row * n + column];
    sums[column] = sum;
}

void launch_column_sums(const struct run *r)
{
    column_sums<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size);
}

void host_column_sums(const struct run *r)
{
    const long n = r->size;

    for (long column = 0; column < n; column++) {
        double sum = 0;

        for (long row = 0; row < n; row++)
            sum += r->in[row * n + column];
        r->out[column] = (float)sum;
    }
}

/* ---- transposes ---- */

__global__ void transpose_naive(const float *from, float *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < n)
        to[x * n + y] = from[y * n + x];
}

/* Through a square of shared memory whose rows are `pitch` numbers apart: rows are read and rows are written. */
static __device__ void transpose_square(const float *from, float *to, int n, float *square, int pitch)
{
    const int side = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * side + tx, y = blockIdx.y * side + ty;
    const int to_x = blockIdx.y * side + tx, to_y = blockIdx.x * side + ty;

    if (x < n && y < n)
        square[ty * pitch + tx] = from[y * n + x];
    __syncthreads();
    if (to_x < n && to_y < n)
        to[to_y * n + to_x] = square[tx * pitch + ty];
}

__global__ void transpose_tiled(const float *from, float *to, int n)
{
    extern __shared__ float square_padded[]; /* [side][side + 1] */

    transpose_square(from, to, n, square_padded, blockDim.x + 1);
}

__global__ void transpose_unpadded(const float *from, float *to, int n)
{
    extern __shared__ float square[]; /* [side][side]: the threads of a warp read from one bank where a side is 32 */

    transpose_square(from, to, n, square, blockDim.x);
}

void launch_transpose_naive(const struct run *r)
{
    transpose_naive<<<plane(r), dim3(r->x, r->y)>>>(r->in, r->out, (int)r->size);
}

void launch_transpose_tiled(const struct run *r)
{
    const size_t bytes = r->x * (r->x + 1) * sizeof(float);

    transpose_tiled<<<plane(r), dim3(r->x, r->y), bytes>>>(r->in, r->out, (int)r->size);
}

void launch_transpose_unpadded(const struct run *r)
{
    transpose_unpadded<<<plane(r), dim3(r->x, r->y), r->x * r->x * sizeof(float)>>>(r->in, r->out, (int)r->size);
}

void host_transpose_naive(const struct run *r)
{
    const long n = r->size;

    for (long i = 0; i < n * n; i++)
        r->out[i] = r->in[i % n * n + i / n];
}

void host_transpose_tiled(const struct run *r)
{
    host_transpose_naive(r);
}

void host_transpose_unpadded(const struct run *r)
{
    host_transpose_naive(r);
}
