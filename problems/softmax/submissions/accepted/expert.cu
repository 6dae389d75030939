/*
 * expert.cu - one pass over memory: a row stays in registers from its load to its store, whatever its length.
 *
 * A row is cut into chunks of 16 bytes, as they lie in memory: where rows start at any element, the first and the last
 * chunk of a row hold elements of its neighbours too, which are taken for minus infinity and are not written. Three
 * ways to share the chunks, by the row's length:
 *
 *   short rows   a group of 1 to 32 lanes of a warp has a row
 *   longer rows  a block has a row
 *   long rows    a cluster of 2 to 16 blocks has a row, and the more the fewer rows there are
 *
 * A thread has up to CHUNKS chunks. Every warp takes its own maximum and its own sum relative to that, and tells both
 * to all warps of the row, in shared memory of their block and of the cluster's others: so the warps meet but once.
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
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* ------------------------------------------------------------------ elements */

constexpr float LOG2E = 1.44269504f;
constexpr float LOWEST = -1e30f; /* stands for the maximum of nothing: finite, so that differences are no NaN */
constexpr int CLUSTER_MAX = 16, THREADS_MAX = 512;
constexpr int AHEAD = 2; /* rows that a cluster asks for before it comes to them */

static __device__ float exp2_fast(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Elements of a chunk. */
template <bool BF16> constexpr int WIDTH = BF16 ? 8 : 4;

/* What fills the places that no element has: minus infinity. */
template <bool BF16> constexpr uint32_t NOTHING = BF16 ? 0xff80ff80u : 0xff800000u;

/* The two elements of a word. */
static __device__ float low_half(uint32_t word) { return __uint_as_float(word << 16); }
static __device__ float high_half(uint32_t word) { return __uint_as_float(word & 0xffff0000u); }

static __device__ uint32_t pack(float low, float high)
{
    uint32_t word;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}

static __device__ uint32_t max_halves(uint32_t a, uint32_t b)
{
    uint32_t c;

    asm("max.bf16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
    return c;
}

/* ------------------------------------------------------------------ rows in memory */

/* Where a row lies: the chunks that hold its elements, and which of theirs are its own. */
struct row {
    size_t first; /* the first chunk's byte */
    int lead;     /* elements of the first chunk that belong to the row before */
    int chunks;   /* 0 for a group that has no row */
};

template <bool BF16> static __device__ row row_at(int index, int rows, int columns)
{
    constexpr int SIZE = BF16 ? 2 : 4;
    const size_t start = (size_t)index * columns * SIZE;
    row r;

    r.first = start / 16 * 16;
    r.lead = (int)(start % 16) / SIZE;
    r.chunks = index < rows ? (r.lead + columns + WIDTH<BF16> - 1) / WIDTH<BF16> : 0;
    return r;
}

/* A chunk with nothing in the places of others' elements. */
template <bool BF16> static __device__ uint4 mask_chunk(uint4 all, const row &r, int chunk, int columns)
{
    const int low = r.lead - chunk * WIDTH<BF16>, high = low + columns; /* the row's elements, from here */
    uint32_t words[4] = { all.x, all.y, all.z, all.w };

    if (low <= 0 && high >= WIDTH<BF16>)
        return all;
#pragma unroll
    for (int w = 0; w < 4; w++) {
        if (BF16) {
            if (2 * w < low || 2 * w >= high)
                words[w] = (words[w] & 0xffff0000u) | 0xff80u;
            if (2 * w + 1 < low || 2 * w + 1 >= high)
                words[w] = (words[w] & 0xffffu) | 0xff800000u;
        } else if (w < low || w >= high) {
            words[w] = 0xff800000u;
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* The matrix's last chunk, which is not whole. */
template <bool BF16> static __device__ uint4 load_end(const char *input, size_t at, size_t end)
{
    uint32_t words[4] = { 0, 0, 0, 0 };

    for (int w = 0; w < 4; w++) {
        if (at + w * 4 + 4 <= end)
            words[w] = *(const uint32_t *)(input + at + w * 4);
        else if (BF16 && at + w * 4 + 2 <= end)
            words[w] = *(const uint16_t *)(input + at + w * 4);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* One chunk of a row; `end` is the size of the matrix in bytes. */
template <bool BF16>
static __device__ uint4 load_chunk(const char *input, const row &r, int chunk, int columns, size_t end)
{
    const size_t at = r.first + (size_t)chunk * 16;
    const uint4 all = at + 16 <= end ? __ldcs((const uint4 *)(input + at)) : load_end<BF16>(input, at, end);

    return mask_chunk<BF16>(all, r, chunk, columns);
}

/* Writes a chunk of results, but none of a neighbour's. */
template <bool BF16>
static __device__ void store_chunk(char *output, const row &r, int chunk, int columns, uint4 results)
{
    char *const to = output + r.first + (size_t)chunk * 16;
    const int low = r.lead - chunk * WIDTH<BF16>, high = low + columns;

    if (low <= 0 && high >= WIDTH<BF16>) {
        __stcs((uint4 *)to, results);
        return;
    }
    const uint32_t words[4] = { results.x, results.y, results.z, results.w };
#pragma unroll
    for (int e = 0; e < WIDTH<BF16>; e++) {
        if (e < low || e >= high)
            continue;
        if (BF16)
            ((uint16_t *)to)[e] = (uint16_t)(words[e / 2] >> e % 2 * 16);
        else
            ((uint32_t *)to)[e] = words[e];
    }
}

/* ------------------------------------------------------------------ a thread's chunks */

/* The largest element of all chunks. */
template <bool BF16, int CHUNKS> static __device__ float largest(const uint4 (&data)[CHUNKS])
{
    if (BF16) {
        uint32_t most = NOTHING<true>;

#pragma unroll
        for (int k = 0; k < CHUNKS; k++)
            most = max_halves(most, max_halves(max_halves(data[k].x, data[k].y), max_halves(data[k].z, data[k].w)));
        return fmaxf(low_half(most), high_half(most));
    }
    float most = __uint_as_float(NOTHING<false>);

#pragma unroll
    for (int k = 0; k < CHUNKS; k++)
        most = fmaxf(most, fmaxf(fmaxf(__uint_as_float(data[k].x), __uint_as_float(data[k].y)),
                                 fmaxf(__uint_as_float(data[k].z), __uint_as_float(data[k].w))));
    return most;
}

/*
 * 2 to the power of (x log2(e) - shift). The product and the difference are rounded once; that the shift, the
 * maximum times log2(e), is rounded too changes all terms of a row by the same factor.
 */
static __device__ float term(float x, float shift) { return exp2_fast(fmaf(x, LOG2E, -shift)); }

/* Whether a thread keeps its terms; of many chunks of bfloat16 it makes them again, to save registers. */
template <bool BF16, int CHUNKS> constexpr bool KEEPS = !BF16 || CHUNKS <= 5;

/* A thread's terms, [CHUNKS][WIDTH], and their sum. */
template <bool BF16, int CHUNKS> struct terms {
    float values[KEEPS<BF16, CHUNKS> ? CHUNKS * WIDTH<BF16> : 1];
    float sum;
};

template <bool BF16, int CHUNKS>
static __device__ terms<BF16, CHUNKS> terms_of(const uint4 (&data)[CHUNKS], float shift)
{
    terms<BF16, CHUNKS> t;

    t.sum = 0;
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const uint32_t words[4] = { data[k].x, data[k].y, data[k].z, data[k].w };

#pragma unroll
        for (int e = 0; e < WIDTH<BF16>; e++) {
            const uint32_t word = words[BF16 ? e / 2 : e];
            const float x = !BF16 ? __uint_as_float(word) : e % 2 ? high_half(word) : low_half(word);
            const float value = term(x, shift);

            t.sum += value;
            if (KEEPS<BF16, CHUNKS>)
                t.values[k * WIDTH<BF16> + e] = value;
        }
    }
    return t;
}

/* The results of chunk k: its terms times `scale`. */
template <bool BF16, int CHUNKS>
static __device__ uint4 results_of(const uint4 (&data)[CHUNKS], const terms<BF16, CHUNKS> &t, int k, float shift,
                                   float scale)
{
    uint32_t words[4] = { data[k].x, data[k].y, data[k].z, data[k].w };

#pragma unroll
    for (int w = 0; w < 4; w++) {
        if (!BF16)
            words[w] = __float_as_uint(t.values[k * 4 + w] * scale);
        else if (KEEPS<BF16, CHUNKS>)
            words[w] = pack(t.values[k * 8 + 2 * w] * scale, t.values[k * 8 + 2 * w + 1] * scale);
        else
            words[w] = pack(term(low_half(words[w]), shift) * scale, term(high_half(words[w]), shift) * scale);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* ------------------------------------------------------------------ short rows */

/* The maximum of `lanes` neighbours, and the sum; lanes is a power of two. */
static __device__ float max_of_lanes(float value, int lanes)
{
    for (int other = lanes / 2; other > 0; other /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, other));
    return value;
}

static __device__ float sum_of_lanes(float value, int lanes)
{
    for (int other = lanes / 2; other > 0; other /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, other);
    return value;
}

/* 2^bits lanes of a warp have a row. */
template <bool BF16, int CHUNKS>
__global__ __launch_bounds__(128) void softmax_short(const char *input, char *output, int rows, int columns, int bits)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, lanes = 1 << bits, lane = thread & (lanes - 1);
    const size_t end = (size_t)rows * columns * (BF16 ? 2 : 4);
    const row r = row_at<BF16>(thread >> bits, rows, columns);
    uint4 data[CHUNKS];

#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = lane + (k << bits);

        data[k] = make_uint4(NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>);
        if (chunk < r.chunks)
            data[k] = load_chunk<BF16>(input, r, chunk, columns, end);
    }

    const float shift = fmaxf(max_of_lanes(largest<BF16>(data), lanes) * LOG2E, LOWEST);
    const terms<BF16, CHUNKS> t = terms_of<BF16>(data, shift);
    const float scale = __fdividef(1, sum_of_lanes(t.sum, lanes));

#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = lane + (k << bits);

        if (chunk < r.chunks)
            store_chunk<BF16>(output, r, chunk, columns, results_of<BF16>(data, t, k, shift, scale));
    }
}

/* ------------------------------------------------------------------ longer rows */

static __device__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
static __device__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

/* What a warp tells the others: the maximum, times log2(e), and the sum relative to it. */
struct part {
    float shift, sum;
};

/* Writes a part to the same place in the shared memory of another block of the cluster. */
static __device__ void tell(part *place, int block, part value)
{
    const uint32_t own = (uint32_t)__cvta_generic_to_shared(place);
    uint32_t there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(value.shift), "f"(value.sum) : "memory");
}

/* The whole row's part of those of all its warps, in every lane. */
static __device__ part join(const part *parts, int count)
{
    const int lane = threadIdx.x % 32;
    part all = { LOWEST, 0 };

    for (int p = lane; p < count; p += 32)
        all.shift = fmaxf(all.shift, parts[p].shift);
    all.shift = max_of_lanes(all.shift, 32);
    for (int p = lane; p < count; p += 32)
        all.sum += parts[p].sum * exp2_fast(parts[p].shift - all.shift);
    all.sum = sum_of_lanes(all.sum, 32);
    return all;
}

/* Blocks that are to fit on a multiprocessor at least: as many as the terms leave registers for. */
template <bool BF16, int CHUNKS> constexpr int BLOCKS_AT_LEAST = CHUNKS *WIDTH<BF16> <= 8    ? 4
                                                                 : CHUNKS *WIDTH<BF16> <= 16 ? 3
                                                                                             : 2;

/* Asks for a row of the matrix that comes later: from there to the L2 cache, 128 bytes for every eighth chunk. */
template <bool BF16, int CHUNKS>
static __device__ void prefetch(const char *input, int index, int rows, int columns, int thread, int threads)
{
    const row r = row_at<BF16>(index, rows, columns);

    if (thread % 8 != 0)
        return;
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = thread + k * threads;

        if (chunk < r.chunks)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(input + r.first + (size_t)chunk * 16));
    }
}

/*
 * A block has a row; or, where CLUSTER is true, a cluster of 2^bits blocks has one row after the other: a new cluster
 * would have to wait until so many blocks have ended at the same time.
 */
template <bool BF16, int CHUNKS, bool CLUSTER>
__global__ __launch_bounds__(THREADS_MAX, (BLOCKS_AT_LEAST<BF16, CHUNKS>)) void
softmax_long(const char *input, char *output, int rows, int columns, int bits)
{
    __shared__ part parts[2][(CLUSTER ? CLUSTER_MAX : 1) * THREADS_MAX / 32]; /* [blocks][warps]; of every other row */
    const int blocks = CLUSTER ? 1 << bits : 1, rank = CLUSTER ? blockIdx.x & (blocks - 1) : 0;
    const int threads = CLUSTER ? blockDim.x << bits : blockDim.x, warps = blockDim.x / 32;
    const int thread = rank * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int first = CLUSTER ? blockIdx.x >> bits : blockIdx.x, step = CLUSTER ? gridDim.x >> bits : rows;
    const size_t end = (size_t)rows * columns * (BF16 ? 2 : 4);

    if (CLUSTER)
        cluster_arrive(); /* nobody writes into a block that has not started */
    for (int index = first, turn = 0; index < rows; index += step, turn ^= 1) {
        const row r = row_at<BF16>(index, rows, columns);
        uint4 data[CHUNKS];

#pragma unroll
        for (int k = 0; k < CHUNKS; k++) {
            const int chunk = thread + k * threads;

            data[k] = make_uint4(NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>);
            if (chunk < r.chunks)
                data[k] = load_chunk<BF16>(input, r, chunk, columns, end);
        }
        for (int ahead = index == first ? 1 : AHEAD; CLUSTER && ahead <= AHEAD; ahead++)
            if (index + ahead * step < rows)
                prefetch<BF16, CHUNKS>(input, index + ahead * step, rows, columns, thread, threads);

        const float shift = fmaxf(max_of_lanes(largest<BF16>(data), 32) * LOG2E, LOWEST);
        const terms<BF16, CHUNKS> t = terms_of<BF16>(data, shift);
        const part own = { shift, sum_of_lanes(t.sum, 32) };
        part *const place = &parts[turn][rank * warps + threadIdx.x / 32];

        if (CLUSTER) {
            if (index == first)
                cluster_wait();
            if (lane < blocks)
                tell(place, lane, own);
            __syncwarp();
            cluster_arrive();
            cluster_wait();
        } else {
            if (lane == 0)
                *place = own;
            __syncthreads();
        }

        const part all = join(parts[turn], blocks * warps);
        const float scale = exp2_fast(shift - all.shift) * __fdividef(1, all.sum);

#pragma unroll
        for (int k = 0; k < CHUNKS; k++) {
            const int chunk = thread + k * threads;

            if (chunk < r.chunks)
                store_chunk<BF16>(output, r, chunk, columns, results_of<BF16>(data, t, k, shift, scale));
        }
    }
}

/* ------------------------------------------------------------------ plans */

/* How the rows of a matrix are shared. */
struct plan {
    int chunks;  /* of a thread: one of CHUNK_COUNTS */
    bool warps;  /* a row has lanes of one warp, and not whole blocks */
    int bits;    /* it has 2^bits lanes, or 2^bits blocks */
    int threads; /* of a block: a multiple of 32 */
};

using kernel = void (*)(const char *, char *, int, int, int);

constexpr int COUNTS = 8;
constexpr int CHUNK_COUNTS[COUNTS] = { 1, 2, 3, 4, 5, 6, 8, 9 }; /* what kernels are compiled for */

/* A kernel for each type and count of chunks; ... is what else it is compiled for. */
#define FOR_COUNTS(name, type, ...) \
    { name<type, 1 __VA_ARGS__>, name<type, 2 __VA_ARGS__>, name<type, 3 __VA_ARGS__>, name<type, 4 __VA_ARGS__>, \
      name<type, 5 __VA_ARGS__>, name<type, 6 __VA_ARGS__>, name<type, 8 __VA_ARGS__>, name<type, 9 __VA_ARGS__> }
#define FOR_BOTH_TYPES(name, ...) \
    { FOR_COUNTS(name, false, __VA_ARGS__), FOR_COUNTS(name, true, __VA_ARGS__) }
#define AND ,

static const kernel short_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_short, );
static const kernel block_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_long, AND false);
static const kernel cluster_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_long, AND true);

static int index_of_count(int chunks)
{
    int i = 0;

    while (CHUNK_COUNTS[i] < chunks)
        i++;
    return i;
}

/* Clusters have up to 2^cluster_bits blocks: 8 on every GPU that has clusters, 16 on most, if a kernel asks for it. */
static int cluster_bits = 3;

/* How many clusters of so many blocks of so many warps the GPU holds at once; 0 where that was not asked for yet. */
static int clusters_fit[2][COUNTS][5][THREADS_MAX / 32 + 1];

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

static void launch(const plan &p, const char *input, char *output, int rows, int columns, int type, cudaStream_t stream)
{
    const int count = index_of_count(p.chunks);

    if (p.warps) {
        const int rows_each = p.threads >> p.bits;

        short_kernels[type][count]<<<ceil_div(rows, rows_each), p.threads, 0, stream>>>(input, output, rows, columns,
                                                                                        p.bits);
    } else if (p.bits == 0) {
        block_kernels[type][count]<<<rows, p.threads, 0, stream>>>(input, output, rows, columns, 0);
    } else {
        cudaLaunchAttribute cluster = {};
        cudaLaunchConfig_t config = {};
        const kernel function = cluster_kernels[type][count];
        int &fit = clusters_fit[type][count][p.bits][p.threads / 32];

        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = 1 << p.bits;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        config.gridDim = dim3(rows << p.bits);
        config.blockDim = dim3(p.threads);
        config.stream = stream;
        config.attrs = &cluster;
        config.numAttrs = 1;
        if (fit == 0)
            CHECK(cudaOccupancyMaxActiveClusters(&fit, function, &config));
        if (fit < rows)
            config.gridDim = dim3(fit << p.bits);
        CHECK(cudaLaunchKernelEx(&config, function, input, output, rows, columns, p.bits));
    }
    CHECK(cudaGetLastError());
}

/* Rows of few chunks: lanes of a warp. `least` is 1 where there is little of everything. */
static plan plan_for_lanes(int chunks, int least)
{
    plan p = { 1, true, 0, 128 };

    while (p.bits < 5 && 1 << p.bits < chunks)
        p.bits++;
    if (least > 1 && chunks <= 21 && chunks * 3 <= 2 << p.bits) /* a third of the lanes had nothing */
        p.bits--;
    p.chunks = CHUNK_COUNTS[index_of_count(ceil_div(chunks, 1 << p.bits))];
    return p;
}

/*
 * Small matrices are a matter of latency: a thread has as little as fills the GPU once. Large ones are a matter of
 * how much is under way: a thread has much, and blocks are small, so that several of them are in different steps. The
 * numbers are what was fastest on an H100.
 */
static plan plan_for(int rows, int columns, int type)
{
    constexpr int PROCESSORS = 132, FULL = PROCESSORS * 1536; /* threads that keep an H100 busy */
    constexpr int FEW_CHUNKS = 820;                           /* that one block may have of one of few rows */
    const bool bf16 = type == SOFTMAX_BFLOAT16;
    const int width = bf16 ? 8 : 4, ragged = columns % width != 0;
    const int chunks = ceil_div(columns + (ragged ? width - 1 : 0), width); /* of a row, at most */
    const int most = bf16 ? 5 : 8;                                          /* of a thread, where a block has a row */
    plan p = { 1, false, 0, 128 };
    int least = 1;

    while (least < most && (double)rows * chunks > (double)least * FULL)
        least++;
    if (chunks <= 32 || ((least > 2 || rows > 8 * PROCESSORS) && chunks <= 32 * most))
        return plan_for_lanes(chunks, least);
    if (rows << cluster_bits < 2 * PROCESSORS && chunks > FEW_CHUNKS) {
        while (p.bits < cluster_bits && (chunks > most * THREADS_MAX << p.bits ||
                                         (chunks > FEW_CHUNKS << p.bits && rows << p.bits < PROCESSORS / 2)))
            p.bits++;
        least = ceil_div(ceil_div(chunks, 1 << p.bits), 256);
        least = least < most ? least : most;
    } else if (chunks > (bf16 ? 6 : 8) * THREADS_MAX) {
        while (p.bits < 3 && chunks > most * (bf16 ? 420 : 256) << p.bits)
            p.bits++;
        while (p.bits < cluster_bits && chunks > most * THREADS_MAX << p.bits)
            p.bits++;
    }
    const int share = ceil_div(chunks, 1 << p.bits); /* of a block */

    while (share > least * THREADS_MAX)
        least++;
    p.chunks = CHUNK_COUNTS[index_of_count(least)];
    p.threads = ceil_div(ceil_div(share, p.chunks), 32) * 32;
    return p;
}

extern "C" void device_user_setup(void)
{
    cudaLaunchConfig_t config = {};
    int most = 0;

    for (int type = 0; type < 2; type++)
        for (int count = 0; count < COUNTS; count++)
            CHECK(cudaFuncSetAttribute(cluster_kernels[type][count], cudaFuncAttributeNonPortableClusterSizeAllowed,
                                       1));
    config.gridDim = dim3(CLUSTER_MAX);
    config.blockDim = dim3(THREADS_MAX);
    CHECK(cudaOccupancyMaxPotentialClusterSize(&most, cluster_kernels[SOFTMAX_FLOAT32][COUNTS - 1], &config));
    cluster_bits = most >= CLUSTER_MAX ? 4 : 3;
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    launch(plan_for(rows, columns, type), (const char *)input, (char *)output, rows, columns, type, stream);
}
