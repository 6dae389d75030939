/*
 * simple.cu - a warp for each query, which meets one key after the other. A lane has every 32nd element of the query
 * and of the sum. Every key and every value is read once for each query.
 */
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

constexpr int WARPS = 4;

__device__ float number(uint16_t bits) { return __uint_as_float((unsigned)bits << 16); }

/* The nearest bfloat16, ties to even. */
__device__ uint16_t bits_of(float x)
{
    const unsigned bits = __float_as_uint(x);

    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* q, k, v, o: [rows / length][length][D]. scale: 1 / sqrt(D). */
template <int D>
__global__ void attend(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o, int rows, int length,
                       int causal, float scale)
{
    constexpr int PART = D / 32;
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;

    if (row >= rows)
        return;

    const int head = row / length, keys = causal ? row % length + 1 : length;
    const size_t first = (size_t)head * length * D;
    float part[PART], sum[PART] = {0}, most = -INFINITY, total = 0;

    for (int c = 0; c < PART; c++)
        part[c] = number(q[(size_t)row * D + c * 32 + lane]) * scale;
    for (int j = 0; j < keys; j++) {
        float score = 0;

        for (int c = 0; c < PART; c++)
            score += part[c] * number(k[first + (size_t)j * D + c * 32 + lane]);
        for (int other = 16; other > 0; other /= 2)
            score += __shfl_xor_sync(0xffffffffu, score, other);

        const float higher = fmaxf(most, score), shrink = expf(most - higher), weight = expf(score - higher);

        most = higher;
        total = total * shrink + weight;
        for (int c = 0; c < PART; c++)
            sum[c] = sum[c] * shrink + weight * number(v[first + (size_t)j * D + c * 32 + lane]);
    }
    for (int c = 0; c < PART; c++)
        o[(size_t)row * D + c * 32 + lane] = bits_of(sum[c] / total);
}

extern "C" void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads,
                            int length, int dim, int causal, device_stream stream)
{
    const int rows = heads * length, blocks = (rows + WARPS - 1) / WARPS;
    const float scale = 1 / sqrtf((float)dim);

    if (dim == 64)
        attend<64><<<blocks, 32 * WARPS, 0, stream>>>(Q, K, V, O, rows, length, causal, scale);
    else
        attend<128><<<blocks, 32 * WARPS, 0, stream>>>(Q, K, V, O, rows, length, causal, scale);
    CHECK(cudaGetLastError());
}
