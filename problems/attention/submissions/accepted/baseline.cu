/*
 * baseline.cu - tiles with an online softmax: a block has 32 queries, and 32 keys and values at a time in shared
 * memory, so that these are read once for 32 queries. Eight threads share a query: each makes four of its 32 scores,
 * and has an eighth of its sums. Where a maximum grows, the sums are scaled down.
 */
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

constexpr int TILE = 32, SHARE = 8, THREADS = TILE * SHARE;

__device__ float number(uint16_t bits) { return __uint_as_float((unsigned)bits << 16); }

/* The nearest bfloat16, ties to even. */
__device__ uint16_t bits_of(float x)
{
    const unsigned bits = __float_as_uint(x);

    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The largest, or the sum, of what the eight threads of a query have. */
__device__ float largest(float x)
{
    for (int other = SHARE / 2; other > 0; other /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, other));
    return x;
}

__device__ float sum_of(float x)
{
    for (int other = SHARE / 2; other > 0; other /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, other);
    return x;
}

/* q, k, v, o: [heads][length][D]. scale: 1 / sqrt(D). */
template <int D>
__global__ void attend(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o, int length, int causal,
                       float scale)
{
    constexpr int KEYS = TILE / SHARE, PART = D / SHARE; // of each thread
    __shared__ float tile_q[TILE][D + 1], weights[TILE][TILE + 1];
    __shared__ uint16_t tile_k[TILE][D + 2], tile_v[TILE][D];
    const int r = threadIdx.x / SHARE, t = threadIdx.x % SHARE, tiles = (length + TILE - 1) / TILE;
    const int query = blockIdx.x % tiles * TILE + r, head = blockIdx.x / tiles;
    const size_t first = (size_t)head * length * D;
    const int end = causal ? min(length, blockIdx.x % tiles * TILE + TILE) : length;
    float sums[PART] = {0}, most = -INFINITY, total = 0;

    for (int c = t; c < D; c += SHARE)
        tile_q[r][c] = query < length ? number(q[first + (size_t)query * D + c]) * scale : 0;
    for (int start = 0; start < end; start += TILE) {
        float score[KEYS] = {0}, higher = most;

        for (int c = t; c < D; c += SHARE) {
            tile_k[r][c] = start + r < length ? k[first + (size_t)(start + r) * D + c] : 0;
            tile_v[r][c] = start + r < length ? v[first + (size_t)(start + r) * D + c] : 0;
        }
        __syncthreads();
        for (int c = 0; c < D; c++)
            for (int n = 0; n < KEYS; n++)
                score[n] += tile_q[r][c] * number(tile_k[n * SHARE + t][c]);
        for (int n = 0; n < KEYS; n++) {
            const int key = start + n * SHARE + t;

            if (key >= length || (causal && key > query))
                score[n] = -INFINITY;
            higher = fmaxf(higher, score[n]);
        }
        higher = largest(higher);

        const float shrink = expf(most - higher);

        most = higher;
        total *= shrink;
        for (int n = 0; n < KEYS; n++) {
            const float weight = expf(score[n] - most);

            total += weight;
            weights[r][n * SHARE + t] = weight;
        }
        __syncwarp(); // a query's threads are of one warp
        for (int c = 0; c < PART; c++)
            sums[c] *= shrink;
        for (int j = 0; j < TILE; j++)
            for (int c = 0; c < PART; c++)
                sums[c] += weights[r][j] * number(tile_v[j][c * SHARE + t]);
        __syncthreads();
    }
    total = sum_of(total);
    for (int c = 0; c < PART && query < length; c++)
        o[first + (size_t)query * D + c * SHARE + t] = bits_of(sums[c] / total);
}

extern "C" void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads,
                            int length, int dim, int causal, device_stream stream)
{
    const int blocks = (length + TILE - 1) / TILE * heads;
    const float scale = 1 / sqrtf((float)dim);

    if (dim == 64)
        attend<64><<<blocks, THREADS, 0, stream>>>(Q, K, V, O, length, causal, scale);
    else
        attend<128><<<blocks, THREADS, 0, stream>>>(Q, K, V, O, length, causal, scale);
    CHECK(cudaGetLastError());
}
