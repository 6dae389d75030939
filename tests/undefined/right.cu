/*
 * right.cu - kernels whose variables have no initial value, but get one before they are used. Nothing may be reported.
 */
#include <cuda_fp16.h>

#include "suite.h"

/* Set in the first round of a loop. */
__global__ void first_round(const int *in, int *out, int n)
{
    int largest;

    for (int k = 0; k < n; k++)
        if (k == 0 || in[k] > largest)
            largest = in[k];
    out[threadIdx.x] = largest;
}

/* Set under a condition, and used under the same. */
__global__ void same_condition(const int *in, int *out, int n)
{
    int where;
    bool found = false;

    for (int k = 0; k < n; k++)
        if (in[k] == (int)threadIdx.x + 3) {
            where = k;
            found = true;
        }
    if (found)
        out[where & 31] = where;
}

/* The second half of the condition depends on the first. */
__global__ void short_circuit(const int *in, int *out, int n)
{
    int last;
    bool any = false;
    int count = 0;

    for (int k = 0; k < n; k++) {
        if (any && last > in[k])
            count++;
        if (in[k] % 3 == (int)(threadIdx.x % 4)) {
            last = in[k];
            any = true;
        }
        if (!any || last < 5)
            count += 2;
    }
    out[threadIdx.x] = count;
}

/* Chosen by a condition. */
__global__ void chosen(const int *in, int *out, int n)
{
    int value;
    bool set = false;

    for (int k = 0; k < n; k++)
        if (in[k] > 2 + (int)threadIdx.x) {
            value = in[k] * 2;
            set = true;
        }
    out[threadIdx.x] = set ? value : -1;
}

/* A pipeline that loads one round ahead. */
__global__ void pipeline(const float *in, float *out, int n)
{
    float next, sum = 0;

    for (int k = 0; k <= n; k++) {
        if (k > 0)
            sum += next * next;
        if (k < n)
            next = in[k * 32 + threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

/* Only one lane has the value, and gives it to the others. */
__global__ void broadcast(const int *in, int *out, int n)
{
    int base;

    if (threadIdx.x == 0)
        base = atomicAdd(out + 64, n);
    base = __shfl_sync(0xFFFFFFFF, base, 0);
    out[threadIdx.x] = base + in[threadIdx.x];
}

/* Lanes without an element neither use nor store one. */
__global__ void tail(const float *in, float *out, int n)
{
    float element[4];

    for (int k = 0; k < 4; k++)
        if (4 * (int)threadIdx.x + k < n)
            element[k] = in[4 * threadIdx.x + k];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        if (4 * (int)threadIdx.x + k < n)
            out[4 * threadIdx.x + k] = element[k] + 1;
}

/* Bits that are set later, one field after the other. */
__global__ void fields(const int *in, int *out, int n)
{
    unsigned word;

#pragma unroll 1
    for (int k = 0; k < 4; k++)
        word = (word & ~(0xFFu << 8 * k)) | (unsigned)(in[k + n] & 0xFF) << 8 * k;
    out[threadIdx.x] = (int)word;
}

/* Half of a pair is used. */
__global__ void pairs(const float *in, float *out, int n)
{
    __half2 sum;

    for (int k = 0; k < n; k++) {
        __half2 x = __halves2half2(__float2half(in[k]), __float2half(in[k + 1]));

        sum = k == 0 ? x : __hadd2(sum, x);
    }
    out[threadIdx.x] = __low2float(sum);
}

struct Result {
    int key, value;
};

/* A structure is copied with a member that nobody set. */
__global__ void structures(const int *in, int *out, int n)
{
    Result best;

    best.key = -1;
    for (int k = 0; k < n; k++)
        if (in[k] > 100) {
            best.key = in[k];
            best.value = k;
        }
    *(Result *)(out + 2 * threadIdx.x) = best;
}

/* A function gives its result by a pointer if there is one. */
__device__ __noinline__ bool find(const int *in, int n, int wanted, int *where)
{
    for (int k = 0; k < n; k++)
        if (in[k] == wanted) {
            *where = k;
            return true;
        }
    return false;
}

__global__ void by_pointer(const int *in, int *out, int n)
{
    int where;

    if (find(in, n, threadIdx.x * 2, &where))
        out[threadIdx.x] = where;
}

/* All ways out of a switch set the value. */
__global__ void all_cases(const int *in, int *out, int n)
{
    int value;

    switch (in[threadIdx.x] & 7) {
    case 0: value = 1; break;
    case 1: value = n; break;
    case 2: value = in[1]; break;
    case 3: value = in[2]; break;
    case 4: value = in[3] * 2; break;
    case 5: value = in[4] - 1; break;
    default: value = 0; break;
    }
    out[threadIdx.x] = value;
}

/* A search that ends with a result, or returns before. */
__global__ void early_return(const int *in, int *out, int n)
{
    int where, k = 0;

    for (; k < n; k++)
        if (in[k] == (int)threadIdx.x) {
            where = k;
            break;
        }
    if (k == n)
        return;
    out[threadIdx.x] = in[where];
}

/* A tile that is not full is stored in full, and loaded in full. Only its valid part goes on. */
__global__ void partial_tile(const int *in, int *out, int n)
{
    __shared__ int tile[64];
    int x[2], y[2];

    for (int k = 0; k < 2; k++)
        if ((int)threadIdx.x + 32 * k < n)
            x[k] = in[threadIdx.x + 32 * k];
    for (int k = 0; k < 2; k++)
        tile[threadIdx.x + 32 * k] = x[k];
    __syncthreads();
    for (int k = 0; k < 2; k++)
        y[k] = tile[2 * threadIdx.x + k];
    for (int k = 0; k < 2; k++)
        if (2 * (int)threadIdx.x + k < n)
            out[2 * threadIdx.x + k] = y[k];
}

/* The undefined part is overwritten before it is used. */
__global__ void overwritten_tile(const int *in, int *out, int n)
{
    __shared__ int tile[32];
    int x;

    if ((int)threadIdx.x < n)
        x = in[threadIdx.x];
    tile[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = n; k < 32; k++)
            atomicExch(&tile[k], k);
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

/* A merge of two lists that loads one element past its end. A list that is over has no say. */
__global__ void merged(const int *in, int *out, int n)
{
    __shared__ int keys[65];
    int half = n / 2, a = threadIdx.x, b = half + threadIdx.x, a_key, b_key;

    for (int k = threadIdx.x; k < n; k += 32)
        keys[k] = in[k];
    __syncthreads();
    a_key = keys[a];
    b_key = keys[b];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        bool p = a >= half ? false : b >= n ? true : !(b_key < a_key);
        int at = p ? a : b, next = keys[at + 1];

        if (at < n)
            out[4 * threadIdx.x + k] = p ? a_key : b_key;
        if (p) {
            a_key = next;
            a = at + 1;
        } else {
            b_key = next;
            b = at + 1;
        }
    }
}

int main(void)
{
    Buffers b;

    RUN(b, first_round, (b.ints, b.out, 9));
    RUN(b, same_condition, (b.ints, b.out, 20));
    RUN(b, short_circuit, (b.ints, b.out, 20));
    RUN(b, chosen, (b.ints, b.out, 20));
    RUN(b, pipeline, (b.floats, b.out_floats, 5));
    RUN(b, broadcast, (b.ints, b.out, 5));
    RUN(b, tail, (b.floats, b.out_floats, 61));
    RUN(b, fields, (b.ints, b.out, 3));
    RUN(b, pairs, (b.floats, b.out_floats, 3));
    RUN(b, structures, (b.ints, b.out, 30));
    RUN(b, by_pointer, (b.ints, b.out, 30));
    RUN(b, all_cases, (b.ints, b.out, 30));
    RUN(b, early_return, (b.ints, b.out, 30));
    RUN(b, partial_tile, (b.ints, b.out, 21));
#ifndef __CUDACC_DEBUG__ /* there atomicExch() is a function of its own, and keys are variables in memory */
    RUN(b, overwritten_tile, (b.ints, b.out, 21));
    RUN(b, merged, (b.ints, b.out, 30));
#endif
    return 0;
}
