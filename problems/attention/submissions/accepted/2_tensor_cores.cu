/*
 * 2_tensor_cores.cu - both products on tensor cores, by mma.sync. league: accurate
 *
 * A block of four warps has 64 queries, 16 a warp, and keys and values come in tiles of 64 into shared memory by
 * asynchronous copies: the next tile's are on their way while one is worked on. A warp's scores stay in its registers,
 * in a layout in which the weights, rounded to bfloat16, are an operand of the second product as they are. Rows in
 * shared memory are in chunks of 16 bytes, permuted by XOR with the row, so that ldmatrix reads from all banks.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "2_tensor_cores.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int QUERIES = 64, KEYS = 64, WARPS = QUERIES / 16, THREADS = 32 * WARPS;

/* Bytes of shared memory: Q, two tiles of K and two of V. */
template <int D> constexpr int SHARED = (QUERIES + 4 * KEYS) * D * 2;

/* Where chunk `chunk` of row `row` is, of rows of D bfloat16. */
template <int D> __device__ uint32_t place(uint32_t base, int row, int chunk)
{
    return base + (row * (D / 8) + (chunk ^ row % 8)) * 16;
}

/* Rows `first` to first + rows - 1 of from[length][D]; zeros behind the last. */
template <int D> __device__ void bring(uint32_t to, const uint16_t *from, int first, int rows, int length)
{
    for (int at = threadIdx.x; at < rows * (D / 8); at += THREADS) {
        const int row = at / (D / 8), chunk = at % (D / 8), source = min(first + row, length - 1);

        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place<D>(to, row, chunk)),
                     "l"(from + (size_t)source * D + chunk * 8), "r"(first + row < length ? 16 : 0)
                     : "memory");
    }
}

__device__ void load_matrices(uint32_t (&x)[4], uint32_t from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(from)
                 : "memory");
}

__device__ void load_transposed(uint32_t (&x)[4], uint32_t from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(from)
                 : "memory");
}

/* d[16][8] += a[16][16] b[16][8] */
__device__ void multiply(float *d, const uint32_t *a, uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Two bfloat16, the first one in the lower half. */
__device__ uint32_t pack(float first, float second)
{
    uint32_t both;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

/*
 * What a thread has of its warp's 16 queries: elements of two rows, 8 apart. Of each eight columns it has two
 * neighbours: x[4 n] and x[4 n + 1] are of the first row, x[4 n + 2] and x[4 n + 3] of the second.
 */
template <int D> struct queries {
    uint32_t q[D / 16][4]; // operands
    float o[D / 2], s[KEYS / 2], most[2], total[2];

    __device__ void load(uint32_t from)
    {
        const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;

#pragma unroll
        for (int step = 0; step < D / 16; step++)
            load_matrices(q[step], place<D>(from, row, 2 * step + lane / 16));
    }

    __device__ void make_scores(uint32_t k)
    {
        const int lane = threadIdx.x % 32;

#pragma unroll
        for (int i = 0; i < KEYS / 2; i++)
            s[i] = 0;
#pragma unroll
        for (int keys = 0; keys < KEYS; keys += 16)
#pragma unroll
            for (int step = 0; step < D / 16; step++) {
                uint32_t b[4];

                load_matrices(b, place<D>(k, keys + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
                multiply(s + keys / 2, q[step], b[0], b[1]);
                multiply(s + keys / 2 + 4, q[step], b[2], b[3]);
            }
    }

    __device__ void mask(int first, int length, int causal, int row)
    {
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++) {
            const int key = first + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;

            if (key >= length || (causal && key > row + i % 4 / 2 * 8))
                s[i] = -INFINITY;
        }
    }

    /* s becomes weights relative to the largest score so far, and older sums shrink. scale: log2(e) / sqrt(D). */
    __device__ void weigh(float scale)
    {
#pragma unroll
        for (int row = 0; row < 2; row++) {
            float x = most[row], part = 0;

#pragma unroll
            for (int i = 2 * row; i < KEYS / 2; i += 4)
                x = fmaxf(x, fmaxf(s[i], s[i + 1]));
            x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
            x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));

            const float shrink = exp2f((most[row] - x) * scale);

            most[row] = x;
#pragma unroll
            for (int i = 2 * row; i < KEYS / 2; i += 4) {
                s[i] = exp2f((s[i] - x) * scale);
                s[i + 1] = exp2f((s[i + 1] - x) * scale);
                part += s[i] + s[i + 1];
            }
            total[row] = total[row] * shrink + part;
#pragma unroll
            for (int i = 2 * row; i < D / 2; i += 4) {
                o[i] *= shrink;
                o[i + 1] *= shrink;
            }
        }
    }

    __device__ void add_values(uint32_t v)
    {
        const int lane = threadIdx.x % 32;

#pragma unroll
        for (int keys = 0; keys < KEYS; keys += 16) {
            const float *x = s + keys / 2;
            const uint32_t p[4] = {pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7])};

#pragma unroll
            for (int columns = 0; columns < D; columns += 16) {
                uint32_t b[4];

                load_transposed(b, place<D>(v, keys + lane % 16, columns / 8 + lane / 16));
                multiply(o + columns / 2, p, b[0], b[1]);
                multiply(o + columns / 2 + 4, p, b[2], b[3]);
            }
        }
    }

    /* to: [length][D] */
    __device__ void store(uint16_t *to, int row, int length)
    {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float all = total[r];

            all += __shfl_xor_sync(0xffffffffu, all, 1);
            all += __shfl_xor_sync(0xffffffffu, all, 2);
            for (int i = 2 * r; i < D / 2 && row + 8 * r < length; i += 4)
                *(uint32_t *)(to + (size_t)(row + 8 * r) * D + i / 4 * 8 + threadIdx.x % 4 * 2) =
                    pack(o[i] / all, o[i + 1] / all);
        }
    }
};

/* q, k, v, o: [heads][length][D]. scale: log2(e) / sqrt(D). */
template <int D>
__global__ void __launch_bounds__(THREADS) attend(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o,
                                                  int length, int causal, float scale)
{
    extern __shared__ uint4 shared[];
    const uint32_t of_q = (uint32_t)__cvta_generic_to_shared(shared), of_k = of_q + QUERIES * D * 2;
    const uint32_t of_v = of_k + 2 * KEYS * D * 2;
    const int count = (length + QUERIES - 1) / QUERIES, first = (count - 1 - blockIdx.x % count) * QUERIES;
    const size_t base = (size_t)(blockIdx.x / count) * length * D;
    const int row = first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const int tiles = ((causal ? min(length, first + QUERIES) : length) + KEYS - 1) / KEYS;
    queries<D> x;

    x.most[0] = x.most[1] = -INFINITY;
    x.total[0] = x.total[1] = 0;
#pragma unroll
    for (int i = 0; i < D / 2; i++)
        x.o[i] = 0;
    bring<D>(of_q, q + base, first, QUERIES, length);
    bring<D>(of_k, k + base, 0, KEYS, length);
    bring<D>(of_v, v + base, 0, KEYS, length);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int tile = 0; tile < tiles; tile++) {
        const uint32_t now = tile % 2 * KEYS * D * 2, next = KEYS * D * 2 - now;

        if (tile + 1 < tiles) {
            bring<D>(of_k + next, k + base, (tile + 1) * KEYS, KEYS, length);
            bring<D>(of_v + next, v + base, (tile + 1) * KEYS, KEYS, length);
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (tile == 0)
            x.load(of_q);
        x.make_scores(of_k + now);
        if (tile == tiles - 1 || (causal && (tile + 1) * KEYS > first))
            x.mask(tile * KEYS, length, causal, row);
        x.weigh(scale);
        x.add_values(of_v + now);
        __syncthreads();
    }
    x.store(o + base, row, length);
}

template <int D>
static void start(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o, int heads, int length,
                  int causal, cudaStream_t stream)
{
    const int blocks = (length + QUERIES - 1) / QUERIES * heads;
    const float scale = 1.4426950408889634f / sqrtf((float)D);

    CHECK(cudaFuncSetAttribute(attend<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED<D>));
    attend<D><<<blocks, THREADS, SHARED<D>, stream>>>(q, k, v, o, length, causal, scale);
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
