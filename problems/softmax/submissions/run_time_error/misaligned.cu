/* Fails: reads four elements of float32 at a time, or eight of bfloat16, from rows that do not start at such places. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "misaligned.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
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

constexpr int THREADS = 128;

/* A thread has every THREADS-th 16 bytes of a row. */
__global__ void softmax(const void *input, void *output, int columns, int type)
{
    __shared__ float shared[THREADS];
    const int size = type == SOFTMAX_BFLOAT16 ? 2 : 4, width = 16 / size, thread = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * columns;
    float largest = -INFINITY, sum = 0;

    for (int j = thread * width; j < columns; j += THREADS * width) {
        const uint4 all = *(const uint4 *)((const char *)input + (first + j) * size);

        for (int e = 0; e < width; e++)
            largest = fmaxf(largest, get(&all, type, e));
    }
    shared[thread] = largest;
    __syncthreads();
    for (int t = 0; t < THREADS; t++)
        largest = fmaxf(largest, shared[t]);
    __syncthreads();
    for (int j = thread; j < columns; j += THREADS)
        sum += expf(get(input, type, first + j) - largest);
    shared[thread] = sum;
    __syncthreads();
    sum = 0;
    for (int t = 0; t < THREADS; t++)
        sum += shared[t];
    for (int j = thread; j < columns; j += THREADS)
        put(output, type, first + j, expf(get(input, type, first + j) - largest) / sum);
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    softmax<<<rows, THREADS, 0, stream>>>(input, output, columns, type);
    CHECK(cudaGetLastError());
}
