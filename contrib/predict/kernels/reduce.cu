/*
 * reduce.cu - sums, prefix sums, rows and sorting steps. Blocks are of powers of two where threads meet in trees.
 */
#include "kernels.h"

#include <float.h>
#include <math.h>

/* The blocks of dot_product at most: eight of 256 threads on each of 132 multiprocessors. */
enum { DOT_BLOCKS = 1056 };

__global__ void dot_product(const float *a, const float *b, float *parts, int n)
{
    extern __shared__ float sums[]; /* [blockDim.x] */
    const int threads = gridDim.x * blockDim.x;
    float sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        sum += a[i] * b[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sums[0];
}

static unsigned dot_blocks(const struct run *r)
{
    const unsigned blocks = blocks_for(r->size, r->x);

    return blocks < DOT_BLOCKS ? blocks : DOT_BLOCKS;
}

void launch_dot_product(const struct run *r)
{
    dot_product<<<dot_blocks(r), r->x, r->x * sizeof(float)>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void host_dot_product(const struct run *r)
{
    const unsigned blocks = dot_blocks(r);

    for (unsigned block = 0; block < blocks; block++) {
        double sum = 0;

        for (long i = 0; i < r->size; i++)
            if (i / r->x % blocks == block)
                sum += (double)r->in[i] * r->in[r->size + i];
        r->out[block] = (float)sum;
    }
}

/* Hillis and Steele's: as many steps as the block's size has bits, and in each every thread adds one number. */
__global__ void block_scan(const float *from, float *to, int n)
{
    extern __shared__ float sums[]; /* [blockDim.x] */
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;

    sums[t] = i < n ? from[i] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        const float other = t >= distance ? sums[t - distance] : 0.0f;

        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    if (i < n)
        to[i] = sums[t];
}

void launch_block_scan(const struct run *r)
{
    block_scan<<<blocks_for(r->size, r->x), r->x, r->x * sizeof(float)>>>(r->in, r->out, (int)r->size);
}

void host_block_scan(const struct run *r)
{
    double sum = 0;

    for (long i = 0; i < r->size; i++) {
        sum = i % r->x ? sum + r->in[i] : r->in[i];
        r->out[i] = (float)sum;
    }
}

enum { SOFTMAX_ROW = 1024 };

__global__ void row_softmax(const float *from, float *to)
{
    extern __shared__ float tree[]; /* [blockDim.x] */
    const size_t first = (size_t)blockIdx.x * SOFTMAX_ROW;
    float most = -FLT_MAX, sum = 0;

    for (int k = threadIdx.x; k < SOFTMAX_ROW; k += blockDim.x)
        most = fmaxf(most, from[first + k]);
    tree[threadIdx.x] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
        __syncthreads();
    }
    most = tree[0];
    __syncthreads();
    for (int k = threadIdx.x; k < SOFTMAX_ROW; k += blockDim.x)
        sum += __expf(from[first + k] - most);
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    sum = 1 / tree[0];
    for (int k = threadIdx.x; k < SOFTMAX_ROW; k += blockDim.x)
        to[first + k] = __expf(from[first + k] - most) * sum;
}

void launch_row_softmax(const struct run *r)
{
    row_softmax<<<(unsigned)r->size, r->x, r->x * sizeof(float)>>>(r->in, r->out);
}

void host_row_softmax(const struct run *r)
{
    for (long row = 0; row < r->size; row++) {
        double sum = 0;

        for (long k = 0; k < SOFTMAX_ROW; k++)
            sum += exp(r->in[row * SOFTMAX_ROW + k]);
        for (long k = 0; k < SOFTMAX_ROW; k++)
            r->out[row * SOFTMAX_ROW + k] = (float)(exp(r->in[row * SOFTMAX_ROW + k]) / sum);
    }
}

/* A thread a pair; runs of `run` numbers ascend and descend in turn. Both numbers are written, moved or not. */
__global__ void bitonic_step(float *numbers, int pairs, int distance, int run)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;

    if (pair >= pairs)
        return;

    const int i = pair / distance * 2 * distance + pair % distance;
    const float a = numbers[i], b = numbers[i + distance];
    const bool ascending = (i & run) == 0;

    numbers[i] = ascending ? fminf(a, b) : fmaxf(a, b);
    numbers[i + distance] = ascending ? fmaxf(a, b) : fminf(a, b);
}

void launch_bitonic_step(const struct run *r)
{
    bitonic_step<<<blocks_for(r->size / 2, r->x), r->x>>>(r->out, (int)(r->size / 2), 64, 128);
}

void host_bitonic_step(const struct run *r)
{
    for (long i = 0; i < r->size; i++) {
        float *a = &r->out[i], *b = a + 64;

        if (i % 128 < 64 && (i / 128 % 2 == 0 ? *a > *b : *a < *b)) {
            const float kept = *a;

            *a = *b;
            *b = kept;
        }
    }
}
