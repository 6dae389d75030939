/* Wrong: every thread has 16 elements of a row at a time, and the ragged end of a row is nobody's. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "skips_ragged_end.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
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

constexpr int THREADS = 64, STEP = 16;

__global__ void softmax(const void *input, void *output, int columns, int type)
{
    __shared__ float shared[THREADS];
    const int thread = threadIdx.x, whole = columns / STEP * STEP;
    const size_t first = (size_t)blockIdx.x * columns;
    float largest = -INFINITY, sum = 0;

    for (int j = thread; j < whole; j += THREADS)
        largest = fmaxf(largest, get(input, type, first + j));
    shared[thread] = largest;
    __syncthreads();
    for (int t = 0; t < THREADS; t++)
        largest = fmaxf(largest, shared[t]);
    __syncthreads();
    for (int j = thread; j < whole; j += THREADS)
        sum += expf(get(input, type, first + j) - largest);
    shared[thread] = sum;
    __syncthreads();
    sum = 0;
    for (int t = 0; t < THREADS; t++)
        sum += shared[t];
    for (int j = thread; j < whole; j += THREADS)
        put(output, type, first + j, expf(get(input, type, first + j) - largest) / sum);
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    softmax<<<rows, THREADS, 0, stream>>>(input, output, columns, type);
    CHECK(cudaGetLastError());
}
