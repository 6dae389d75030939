/*
 * 2_registers.cu - the row is read once: a thread keeps its elements in registers until it writes their results. That
 * goes for rows of up to 32 elements for each of 1024 threads; longer ones are read twice, as in the step before.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "2_registers.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

static __device__ float get(const void *elements, int type, size_t index)
{
    if (type == SOFTMAX_BFLOAT16)
        return __uint_as_float((uint32_t)((const uint16_t *)elements)[index] << 16);
    return ((const float *)elements)[index];
}

/* bfloat16 is rounded to nearest, a tie to even; a NaN stays one. */
static __device__ void put(void *elements, int type, size_t index, float value)
{
    const uint32_t bits = __float_as_uint(value);

    if (type == SOFTMAX_BFLOAT16)
        ((uint16_t *)elements)[index] =
            value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    else
        ((float *)elements)[index] = value;
}

/* A maximum, and a sum of terms relative to it; what no element has been added to has a sum of 0. */
struct part {
    float largest, sum;
};

/* exp() of a difference: 0 where minus infinity is taken from, also from itself. */
static __device__ float weight(float x, float largest) { return x == -INFINITY ? 0 : expf(x - largest); }

static __device__ part join(part a, part b)
{
    const float largest = fmaxf(a.largest, b.largest);
    const part all = { largest, a.sum * weight(a.largest, largest) + b.sum * weight(b.largest, largest) };

    return all;
}

/* The part of all threads of a block, in every thread: by shuffles in each warp, then of the warps. */
static __device__ part part_of_block(part own)
{
    __shared__ part parts[32]; /* [warps] */
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;

    for (int other = 16; other > 0; other /= 2) {
        const part theirs = { __shfl_xor_sync(0xffffffffu, own.largest, other),
                              __shfl_xor_sync(0xffffffffu, own.sum, other) };

        own = join(own, theirs);
    }
    if (lane == 0)
        parts[threadIdx.x / 32] = own;
    __syncthreads();
    own = parts[0];
    for (int w = 1; w < warps; w++)
        own = join(own, parts[w]);
    return own;
}

/* A thread has up to COUNT elements, or any number where COUNT is 0. */
template <int COUNT> __global__ void softmax(const void *input, void *output, int columns, int type)
{
    const size_t first = (size_t)blockIdx.x * columns;
    float values[COUNT > 0 ? COUNT : 1];
    part own = { -INFINITY, 0 };

#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int j = threadIdx.x + k * blockDim.x;

        values[k] = j < columns ? get(input, type, first + j) : -INFINITY;
        own.largest = fmaxf(own.largest, values[k]);
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        values[k] = weight(values[k], own.largest);
        own.sum += values[k];
    }
    for (int j = threadIdx.x; COUNT == 0 && j < columns; j += blockDim.x) {
        const part one = { get(input, type, first + j), 1 };

        own = join(own, one);
    }

    const part all = part_of_block(own);
    const float scale = weight(own.largest, all.largest) / all.sum;

#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int j = threadIdx.x + k * blockDim.x;

        if (j < columns)
            put(output, type, first + j, values[k] * scale); /* 0 * NaN where all is minus infinity */
    }
    for (int j = threadIdx.x; COUNT == 0 && j < columns; j += blockDim.x)
        put(output, type, first + j, weight(get(input, type, first + j), all.largest) / all.sum);
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    const int threads = columns > 8192 ? 1024 : columns > 2048 ? 256 : columns > 256 ? 128 : 32;
    const int each = (columns + threads - 1) / threads;
    const auto kernel = each > 32 ? softmax<0> : each > 16 ? softmax<32> : each > 8 ? softmax<16> : softmax<8>;

    kernel<<<rows, threads, 0, stream>>>(input, output, columns, type);
    CHECK(cudaGetLastError());
}
