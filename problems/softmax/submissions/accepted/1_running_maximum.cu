/*
 * 1_running_maximum.cu - the row is read twice, and not three times: maximum and sum are found at once, as the sum is
 * made relative to a larger maximum whenever one is met (Milakov and Gimelshein, "Online normalizer calculation for
 * softmax", 2018). Warps add up by shuffles; a block has as many threads as its row can use.
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
    std::fprintf(stderr, "1_running_maximum.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
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

__global__ void softmax(const void *input, void *output, int columns, int type)
{
    const size_t first = (size_t)blockIdx.x * columns;
    part own = { -INFINITY, 0 };

    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        const part one = { get(input, type, first + j), 1 };

        own = join(own, one);
    }
    own = part_of_block(own);
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        const float x = get(input, type, first + j);

        put(output, type, first + j, weight(x, own.largest) / own.sum); /* 0 / 0 where all is minus infinity */
    }
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    const int threads = columns > 4096 ? 1024 : columns > 128 ? 256 : 32;

    softmax<<<rows, threads, 0, stream>>>(input, output, columns, type);
    CHECK(cudaGetLastError());
}
