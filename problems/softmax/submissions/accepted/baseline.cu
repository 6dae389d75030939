/*
 * baseline.cu - a block has a row: its threads read neighbouring elements, and find the largest, then the sum, together
 * in shared memory. The row is read three times, twice from the caches where it fits in.
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
    std::fprintf(stderr, "baseline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
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

constexpr int THREADS = 256;

/* The maximum of all threads' values, or their sum, in every thread. */
static __device__ float max_of_block(float value, float *shared)
{
    const int thread = threadIdx.x;

    shared[thread] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (thread < half)
            shared[thread] = fmaxf(shared[thread], shared[thread + half]);
        __syncthreads();
    }
    value = shared[0];
    __syncthreads();
    return value;
}

static __device__ float sum_of_block(float value, float *shared)
{
    const int thread = threadIdx.x;

    shared[thread] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (thread < half)
            shared[thread] += shared[thread + half];
        __syncthreads();
    }
    value = shared[0];
    __syncthreads();
    return value;
}

__global__ void softmax(const void *input, void *output, int columns, int type)
{
    __shared__ float shared[THREADS];
    const size_t first = (size_t)blockIdx.x * columns;
    float largest = -INFINITY, sum = 0;

    for (int j = threadIdx.x; j < columns; j += THREADS)
        largest = fmaxf(largest, get(input, type, first + j));
    largest = max_of_block(largest, shared);
    for (int j = threadIdx.x; j < columns; j += THREADS)
        sum += expf(get(input, type, first + j) - largest);
    sum = sum_of_block(sum, shared);
    for (int j = threadIdx.x; j < columns; j += THREADS)
        put(output, type, first + j, expf(get(input, type, first + j) - largest) / sum);
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    softmax<<<rows, THREADS, 0, stream>>>(input, output, columns, type);
    CHECK(cudaGetLastError());
}
