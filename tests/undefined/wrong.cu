/*
 * wrong.cu - kernels that use a variable before it has a value. Each is reported at a line marked HERE.
 *
 * The compiler may fold such code to nothing. These kernels keep it, because the value is set on some paths. Where a
 * kernel has two marks, the optimised code and that of -G use the value first at different lines.
 */
#include <mma.h>

#include "suite.h"

__global__ void accumulator(const int *in, int *out, int n)
{
    int sum;

    for (int k = 0; k < n; k++)
        sum += in[k];
    out[threadIdx.x] = sum; /* HERE */
}

__global__ void float_accumulator(const float *in, float *out, int n)
{
    float sum;

#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = fmaf(in[k], in[k], sum); /* HERE */
    out[threadIdx.x] = sum; /* HERE */
}

__global__ void maximum(const double *in, double *out, int n)
{
    double largest;

    for (int k = 0; k < n; k++)
        if (in[k] > largest) /* HERE */
            largest = in[k];
    out[threadIdx.x] = largest; /* HERE */
}

__global__ void index_of_match(const int *in, int *out, int n)
{
    int found;

    for (int k = 0; k < n; k++)
        if (in[k] == 1000 + (int)threadIdx.x)
            found = k;
    out[found & 31] = 1; /* HERE */
}

__global__ void count_of_some(const int *in, int *out, int n)
{
    int count;

    for (int k = 0; k < n; k++)
        if (in[k] > 3)
            count++;
    atomicAdd(&out[threadIdx.x], count); /* HERE */
}

__global__ void flags(const int *in, int *out, int n)
{
    unsigned seen;

#pragma unroll 1
    for (int k = 0; k < n; k++)
        seen |= 1u << (in[k] & 31);
    if (seen & 64) /* HERE */
        out[threadIdx.x] = 1;
}

__global__ void tile(const float *in, float *out, int n)
{
    float sum[2][2];

#pragma unroll 1
    for (int k = 0; k < n; k++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                sum[y][x] += in[k + y] * in[k + x];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            out[(2 * y + x) * 32 + threadIdx.x] = sum[y][x]; /* HERE */
}

__global__ void loop_end(const int *in, int *out, int n)
{
    int last;

    for (int k = 0; k < n; k++)
        if (in[k] < 0)
            last = k;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) { /* HERE */
        if (k == (last & 7)) /* HERE */
            break;
        sum += in[k];
    }
    out[threadIdx.x] = sum;
}

__device__ __noinline__ int sum_of(const int *in, int n)
{
    int sum;

    for (int k = 0; k < n; k++)
        sum += in[k];
    return sum; /* HERE */
}

__global__ void by_function(const int *in, int *out, int n)
{
    out[threadIdx.x] = sum_of(in, n);
}

__global__ void shuffled(const float *in, float *out, int n)
{
    float sum;

    for (int k = threadIdx.x; k < n; k += 32)
        sum += in[k];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, step);
    if (threadIdx.x == 0)
        out[0] = sum; /* HERE */
}

__global__ void shared_value(const int *in, int *out, int n)
{
    __shared__ int values[32];
    int value;

    for (int k = 0; k < n; k++)
        if (in[k] > (int)threadIdx.x)
            value = in[k];
    values[threadIdx.x] = value; /* HERE */
    __syncthreads();
    out[threadIdx.x] = values[31 - threadIdx.x]; /* HERE */
}

/* Through shared memory, and a sum of what comes back. */
__global__ void shared_sum(const int *in, int *out, int n)
{
    __shared__ int values[32];
    int value;

    if ((int)threadIdx.x < n)
        value = in[threadIdx.x];
    values[threadIdx.x] = value; /* HERE */
    __syncthreads();
    for (int step = 16; step; step /= 2) {
        int other = values[threadIdx.x ^ step]; /* HERE */

        __syncthreads();
        values[threadIdx.x] += other; /* HERE */
        __syncthreads();
    }
    out[threadIdx.x] = values[threadIdx.x]; /* HERE */
}

/* A neighbour that nothing wrote is compared. Another condition overrules that for the first thread alone. */
__global__ void shared_neighbour(const int *in, int *out, int n)
{
    __shared__ int values[33];
    bool larger;

    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    larger = (values[threadIdx.x + 1] > 5) & (threadIdx.x >= (unsigned)n); /* HERE */
    out[threadIdx.x] = larger ? 7 : 9; /* HERE */
}

__global__ void late_lanes(const int *in, int *out, int n)
{
    int previous;

    for (int k = 0; k < n; k++) {
        if (k > 0 && threadIdx.x < 16)
            out[threadIdx.x] = in[k] - previous;
        if (threadIdx.x < 16)
            previous = in[k];
    }
    if (threadIdx.x < 20)
        out[threadIdx.x] = previous + 1; /* HERE */
}

/* A fragment that nobody filled. */
__global__ void products(const float *in, float *out, int n)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;

#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wmma::load_matrix_sync(a, in + 128 * k, 8);
        wmma::load_matrix_sync(b, in + 128 * k, 16);
        wmma::mma_sync(sum, a, b, sum);
    }
    for (int k = 0; k < sum.num_elements; k++)
        out[32 * k + threadIdx.x] = sum.x[k]; /* HERE */
}

/* Through other widths: 32 bits to 64, 64 bits to 32, and a comparison. */
__global__ void widened(const float *in, double *out, int n)
{
    float last;

    for (int k = 0; k < n; k++)
        if (in[k] > 100)
            last = in[k];
    out[threadIdx.x] = (double)last * 0.5; /* HERE */
}

__global__ void narrowed(const double *in, float *out, int n)
{
    double last;

    for (int k = 0; k < n; k++)
        if (in[k] > 100)
            last = in[k];
    out[threadIdx.x] = (float)(last * last); /* HERE */
}

__global__ void compared(const float *in, int *out, int n)
{
    float last;

    for (int k = 0; k < n; k++)
        if (in[k] > 100)
            last = in[k];
    out[threadIdx.x] = last > in[threadIdx.x] ? 7 : 9; /* HERE */
}

/* Only the last one of several variables has no value. */
__global__ void subtracted(const float *in, float *out, int n)
{
    float first, last;

    for (int k = 0; k < n; k++) {
        if (in[k] >= 0)
            first = in[k];
        if (in[k] > 100)
            last = in[k];
    }
    out[threadIdx.x] = first - last; /* HERE */
}

__global__ void added_to_product(const float *in, float *out, int n)
{
    float first, second, last;

    for (int k = 0; k < n; k++) {
        if (in[k] >= 0)
            first = in[k];
        if (in[k] >= 1)
            second = in[k];
        if (in[k] > 100)
            last = in[k];
    }
    out[threadIdx.x] = fmaf(first, second, last); /* HERE */
}

/* Optimised code has no trace of the variable. */
__global__ void never_set(int *out)
{
    int value;

    out[threadIdx.x] = value; /* HERE */
}

int main(void)
{
    Buffers b;

    RUN(b, accumulator, (b.ints, b.out, 5));
    RUN(b, float_accumulator, (b.floats, b.out_floats, 5));
    RUN(b, maximum, (b.doubles, b.out_doubles, 5));
    RUN(b, index_of_match, (b.ints, b.out, 8));
    RUN(b, count_of_some, (b.ints, b.out, 8));
    RUN(b, flags, (b.ints, b.out, 5));
    RUN(b, tile, (b.floats, b.out_floats, 5));
    RUN(b, loop_end, (b.ints, b.out, 8));
    RUN(b, by_function, (b.ints, b.out, 5));
    RUN(b, shuffled, (b.floats, b.out_floats, 64));
    RUN(b, shared_value, (b.ints, b.out, 16));
    RUN(b, shared_sum, (b.ints, b.out, 21));
#ifndef __CUDACC_DEBUG__
    RUN(b, shared_neighbour, (b.ints, b.out, 1));
#endif
    RUN(b, late_lanes, (b.ints, b.out, 5));
    RUN(b, products, (b.floats, b.out_floats, 3));
    RUN(b, widened, (b.floats, b.out_doubles, 5));
    RUN(b, narrowed, (b.doubles, b.out_floats, 5));
    RUN(b, compared, (b.floats, b.out, 5));
    RUN(b, subtracted, (b.floats, b.out_floats, 5));
    RUN(b, added_to_product, (b.floats, b.out_floats, 5));
    RUN(b, never_set, (b.out));
    return 0;
}
