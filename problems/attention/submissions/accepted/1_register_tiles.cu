/*
 * 1_register_tiles.cu - the baseline with tiles of 64 queries and 64 keys, of which each of 256 threads has 4 x 4
 * scores and 4 rows of a sixteenth of the sums: eight numbers from shared memory for 16 multiply-adds, where the
 * baseline needs five for four. Queries and keys lie there column by column, so that four of a row are loaded at
 * once.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_register_tiles.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int TILE = 64, EACH = 4, ACROSS = TILE / EACH, THREADS = ACROSS * ACROSS, PITCH = TILE + 4;

/* What a block has in shared memory: columns of queries and of keys, rows of values, columns of weights. */
template <int D> struct tiles {
    float q[D][PITCH], k[D][PITCH], v[TILE][D], p[TILE][PITCH];
};

__device__ float number(uint16_t bits) { return __uint_as_float((unsigned)bits << 16); }

/* The nearest bfloat16, ties to even. */
__device__ uint16_t bits_of(float x)
{
    const unsigned bits = __float_as_uint(x);

    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__device__ void load_4(float (&x)[EACH], const float *from)
{
    const float4 four = *(const float4 *)from;

    x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
}

/* Rows `first` to first + 63 of from[length][D], times `scale`, column by column; zeros behind the last. */
template <int D>
__device__ void bring_columns(float (*to)[PITCH], const uint16_t *from, int first, int length, float scale)
{
    for (int at = threadIdx.x; at < TILE * D; at += THREADS) {
        const int row = at / D, column = at % D;

        to[column][row] = first + row < length ? number(from[(size_t)(first + row) * D + column]) * scale : 0;
    }
}

template <int D> __device__ void bring_rows(float (*to)[D], const uint16_t *from, int first, int length)
{
    for (int at = threadIdx.x; at < TILE * D; at += THREADS)
        to[at / D][at % D] = first + at / D < length ? number(from[(size_t)first * D + at]) : 0;
}

/* The 16 threads of a row are half a warp. */
__device__ float largest(float x)
{
    for (int other = ACROSS / 2; other > 0; other /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, other));
    return x;
}

__device__ float sum_of(float x)
{
    for (int other = ACROSS / 2; other > 0; other /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, other);
    return x;
}

/* q, k, v, o: [heads][length][D]. scale: 1 / sqrt(D). */
template <int D>
__global__ void __launch_bounds__(THREADS) attend(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o,
                                                  int length, int causal, float scale)
{
    constexpr int PART = D / ACROSS;
    extern __shared__ float4 shared[];
    tiles<D> &t = *(tiles<D> *)shared;
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS, count = (length + TILE - 1) / TILE;
    const int first = (count - 1 - blockIdx.x % count) * TILE; // long rows of a causal mask first
    const size_t base = (size_t)(blockIdx.x / count) * length * D;
    const int end = causal ? min(length, first + TILE) : length;
    float sums[EACH][PART] = {{0}}, most[EACH], total[EACH] = {0};

    for (int r = 0; r < EACH; r++)
        most[r] = -INFINITY;
    bring_columns<D>(t.q, q + base, first, length, scale);
    for (int start = 0; start < end; start += TILE) {
        float s[EACH][EACH] = {{0}};

        bring_columns<D>(t.k, k + base, start, length, 1);
        bring_rows<D>(t.v, v + base, start, length);
        __syncthreads();
        for (int c = 0; c < D; c++) {
            float of_q[EACH], of_k[EACH];

            load_4(of_q, &t.q[c][EACH * y]);
            load_4(of_k, &t.k[c][EACH * x]);
            for (int r = 0; r < EACH; r++)
                for (int j = 0; j < EACH; j++)
                    s[r][j] += of_q[r] * of_k[j];
        }
        for (int r = 0; r < EACH; r++) {
            float higher = most[r];

            for (int j = 0; j < EACH; j++) {
                const int key = start + EACH * x + j;

                if (key >= length || (causal && key > first + EACH * y + r))
                    s[r][j] = -INFINITY;
                higher = fmaxf(higher, s[r][j]);
            }
            higher = largest(higher);

            const float shrink = expf(most[r] - higher);

            most[r] = higher;
            total[r] *= shrink;
            for (int c = 0; c < PART; c++)
                sums[r][c] *= shrink;
            for (int j = 0; j < EACH; j++) {
                const float weight = expf(s[r][j] - higher);

                total[r] += weight;
                t.p[EACH * x + j][EACH * y + r] = weight;
            }
        }
        __syncwarp(); // the rows of a warp are its own
        for (int j = 0; j < TILE; j++) {
            float weights[EACH];

            load_4(weights, &t.p[j][EACH * y]);
            for (int c = 0; c < PART; c++)
                for (int r = 0; r < EACH; r++)
                    sums[r][c] += weights[r] * t.v[j][c * ACROSS + x];
        }
        __syncthreads();
    }
    for (int r = 0; r < EACH; r++) {
        const int query = first + EACH * y + r;
        const float all = sum_of(total[r]);

        for (int c = 0; c < PART && query < length; c++)
            o[base + (size_t)query * D + c * ACROSS + x] = bits_of(sums[r][c] / all);
    }
}

template <int D>
static void start(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o, int heads, int length,
                  int causal, cudaStream_t stream)
{
    const int blocks = (length + TILE - 1) / TILE * heads;

    CHECK(cudaFuncSetAttribute(attend<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(tiles<D>)));
    attend<D><<<blocks, THREADS, sizeof(tiles<D>), stream>>>(q, k, v, o, length, causal, 1 / sqrtf((float)D));
    CHECK(cudaGetLastError());
}

extern "C" void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads,
                            int length, int dim, int causal, device_stream stream)
{
    if (dim == 64)
        start<64>(Q, K, V, O, heads, length, causal, stream);
    else
        start<128>(Q, K, V, O, heads, length, causal, stream);
}
