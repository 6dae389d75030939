/*
 * simple.cu - the definition on the GPU: one thread has a row, and reads it three times. Neighbouring threads read
 * elements that lie a row apart.
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
    std::fprintf(stderr, "simple.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
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

__global__ void softmax(const void *input, void *output, int rows, int columns, int type)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)row * columns;
    float largest = -INFINITY, sum = 0;

    if (row >= rows)
        return;
    for (int j = 0; j < columns; j++)
        largest = fmaxf(largest, get(input, type, first + j));
    for (int j = 0; j < columns; j++)
        sum += expf(get(input, type, first + j) - largest);
    for (int j = 0; j < columns; j++)
        put(output, type, first + j, expf(get(input, type, first + j) - largest) / sum);
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    softmax<<<(rows + 63) / 64, 64, 0, stream>>>(input, output, rows, columns, type);
    CHECK(cudaGetLastError());
}
