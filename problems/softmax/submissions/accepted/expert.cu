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
constexpr int CLUSTER_MAX = 16, WARPS_MAX = 16;

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

/* Writes a chunk of results, but none of a neighbour's; to shared memory, or to global memory past the caches. */
template <bool BF16, bool SHARED>
static __device__ void store_chunk(char *output, const row &r, int chunk, int columns, uint4 results)
{
    char *const to = output + r.first + (size_t)chunk * 16;
    const int low = r.lead - chunk * WIDTH<BF16>, high = low + columns;

    if (low <= 0 && high >= WIDTH<BF16>) {
        if (SHARED)
            *(uint4 *)to = results;
        else
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

/* The sum of a thread's terms. Those of float32 take the place of their elements; of bfloat16 they are made again. */
template <bool BF16, int CHUNKS> static __device__ float sum_of(uint4 (&data)[CHUNKS], float shift)
{
    float sum = 0;

#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        uint32_t words[4] = { data[k].x, data[k].y, data[k].z, data[k].w };

#pragma unroll
        for (int w = 0; w < 4; w++) {
            if (BF16) {
                sum += term(low_half(words[w]), shift) + term(high_half(words[w]), shift);
            } else {
                const float value = term(__uint_as_float(words[w]), shift);

                sum += value;
                words[w] = __float_as_uint(value);
            }
        }
        if (!BF16)
            data[k] = make_uint4(words[0], words[1], words[2], words[3]);
    }
    return sum;
}

/* The results of a chunk: its terms times `scale`. */
template <bool BF16> static __device__ uint4 scaled(uint4 chunk, float shift, float scale)
{
    uint32_t words[4] = { chunk.x, chunk.y, chunk.z, chunk.w };

#pragma unroll
    for (int w = 0; w < 4; w++) {
        if (BF16)
            words[w] = pack(term(low_half(words[w]), shift) * scale, term(high_half(words[w]), shift) * scale);
        else
            words[w] = __float_as_uint(__uint_as_float(words[w]) * scale);
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

/*
 * `lanes` lanes of a warp have a row. STAGED: the rows of a block begin and end at whole chunks, all but the matrix's
 * last. Their results are put together in shared memory, and written in whole chunks.
 */
template <bool BF16, int CHUNKS, bool STAGED>
__global__ __launch_bounds__(256) void softmax_short(const char *input, char *output, int rows, int columns, int lanes)
{
    extern __shared__ uint4 staged[]; /* the block's rows */
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread & (lanes - 1);
    const size_t end = (size_t)rows * columns * (BF16 ? 2 : 4);
    const size_t each = (size_t)(blockDim.x / lanes) * columns * (BF16 ? 2 : 4), own = each * blockIdx.x;
    const row r = row_at<BF16>(thread / lanes, rows, columns);
    uint4 data[CHUNKS];

#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = lane + k * lanes;

        data[k] = make_uint4(NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>);
        if (chunk < r.chunks)
            data[k] = load_chunk<BF16>(input, r, chunk, columns, end);
    }

    const float shift = fmaxf(max_of_lanes(largest<BF16>(data), lanes) * LOG2E, LOWEST);
    const float scale = 1 / sum_of_lanes(sum_of<BF16>(data, shift), lanes);

#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = lane + k * lanes;

        if (chunk < r.chunks)
            store_chunk<BF16, STAGED>(STAGED ? (char *)staged - own : output, r, chunk, columns,
                              scaled<BF16>(data[k], shift, scale));
    }
    if (!STAGED)
        return;
    __syncthreads();
    const size_t bytes = end - own < each ? end - own : each;

    for (size_t at = threadIdx.x * 16; at + 16 <= bytes; at += blockDim.x * 16)
        __stcs((uint4 *)(output + own + at), staged[at / 16]);
    for (size_t at = bytes / 16 * 16 + threadIdx.x * 2; at < bytes; at += blockDim.x * 2)
        *(uint16_t *)(output + own + at) = *((const uint16_t *)staged + at / 2);
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

/* A cluster of `blocks` blocks has a row; of one block, where CLUSTER is false. */
template <bool BF16, int CHUNKS, bool CLUSTER>
__global__ __launch_bounds__(512, 2) void softmax_long(const char *input, char *output, int rows, int columns,
                                                                int blocks)
{
    __shared__ part parts[(CLUSTER ? CLUSTER_MAX : 1) * WARPS_MAX]; /* [blocks][warps] */
    const int rank = CLUSTER ? (int)(blockIdx.x % blocks) : 0, threads = blocks * blockDim.x;
    const int thread = rank * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const size_t end = (size_t)rows * columns * (BF16 ? 2 : 4);
    const row r = row_at<BF16>(CLUSTER ? blockIdx.x / blocks : blockIdx.x, rows, columns);
    uint4 data[CHUNKS];

    if (CLUSTER)
        cluster_arrive(); /* nobody writes into a block that has not started */
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = thread + k * threads;

        data[k] = make_uint4(NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>);
        if (chunk < r.chunks)
            data[k] = load_chunk<BF16>(input, r, chunk, columns, end);
    }

    const float shift = fmaxf(max_of_lanes(largest<BF16>(data), 32) * LOG2E, LOWEST);
    const part own = { shift, sum_of_lanes(sum_of<BF16>(data, shift), 32) };
    part *const place = &parts[rank * warps + threadIdx.x / 32];

    if (CLUSTER) {
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

    const part all = join(parts, blocks * warps);
    const float scale = exp2_fast(shift - all.shift) * (1 / all.sum);

#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const int chunk = thread + k * threads;

        if (chunk < r.chunks)
            store_chunk<BF16, false>(output, r, chunk, columns, scaled<BF16>(data[k], shift, scale));
    }
}

/* ------------------------------------------------------------------ many long rows */

static __device__ uint32_t address_of(const void *shared) { return (uint32_t)__cvta_generic_to_shared(shared); }

/* The part of a row that a block has: its chunks first.. of the row. */
struct share {
    row r;
    int first, chunks;
};

template <bool BF16> static __device__ share share_of(int index, int rows, int columns, int rank, int blocks)
{
    share s;

    s.r = row_at<BF16>(index, rows, columns);
    const int each = (s.r.chunks + blocks - 1) / blocks;

    s.first = rank * each;
    s.chunks = max(min(each, s.r.chunks - s.first), 0);
    return s;
}

/* Starts the copy of a share into shared memory, but for a chunk beyond the matrix's end. */
static __device__ void fetch(const char *input, const share &s, size_t end, uint4 *staged, uint64_t *arrived)
{
    const size_t at = s.r.first + (size_t)s.first * 16;
    size_t bytes = (size_t)s.chunks * 16;

    if (s.chunks > 0 && at + bytes > end)
        bytes -= 16;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(arrived)),
                 "r"((uint32_t)bytes)
                 : "memory");
    if (bytes > 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address_of(staged)),
                     "l"(input + at), "r"((uint32_t)bytes), "r"(address_of(arrived))
                     : "memory");
}

static __device__ void wait_for(uint64_t *arrived, uint32_t phase)
{
    uint32_t done;

    do
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(address_of(arrived)), "r"(phase)
                     : "memory");
    while (!done);
}

/*
 * Clusters of `blocks` blocks stay, and take one row after the other: while a row is in registers, the next one is
 * copied into shared memory.
 */
template <bool BF16, int CHUNKS>
__global__ __launch_bounds__(1024) void softmax_piped(const char *input, char *output, int rows, int columns,
                                                              int blocks)
{
    extern __shared__ uint4 staged[]; /* a share */
    __shared__ part parts[2][256];    /* [blocks][warps], of this row and the next */
    __shared__ uint64_t arrived;
    const int rank = blockIdx.x % blocks, warps = blockDim.x / 32, lane = threadIdx.x % 32, step = gridDim.x / blocks;
    const size_t end = (size_t)rows * columns * (BF16 ? 2 : 4);
    int index = blockIdx.x / blocks;
    share s = share_of<BF16>(index, rows, columns, rank, blocks);
    uint4 data[CHUNKS];

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&arrived)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_arrive(); /* nobody writes into a block that has not started */
    cluster_wait();
    if (threadIdx.x == 0)
        fetch(input, s, end, staged, &arrived);
    for (uint32_t turn = 0; index < rows; turn ^= 1, index += step) {
        s = share_of<BF16>(index, rows, columns, rank, blocks);
        wait_for(&arrived, turn);
#pragma unroll
        for (int k = 0; k < CHUNKS; k++) {
            const int chunk = threadIdx.x + k * blockDim.x;
            const size_t at = s.r.first + (size_t)(s.first + chunk) * 16;

            data[k] = make_uint4(NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>, NOTHING<BF16>);
            if (chunk < s.chunks)
                data[k] = mask_chunk<BF16>(at + 16 <= end ? staged[chunk] : load_end<BF16>(input, at, end), s.r,
                                           s.first + chunk, columns);
        }
        __syncthreads();
        if (threadIdx.x == 0 && index + step < rows)
            fetch(input, share_of<BF16>(index + step, rows, columns, rank, blocks), end, staged, &arrived);

        const float shift = fmaxf(max_of_lanes(largest<BF16>(data), 32) * LOG2E, LOWEST);
        const part own = { shift, sum_of_lanes(sum_of<BF16>(data, shift), 32) };

        if (lane < blocks)
            tell(&parts[turn][rank * warps + threadIdx.x / 32], lane, own);
        __syncwarp();
        cluster_arrive();
        cluster_wait();
        const part all = join(parts[turn], blocks * warps);
        const float scale = exp2_fast(shift - all.shift) * (1 / all.sum);

#pragma unroll
        for (int k = 0; k < CHUNKS; k++) {
            const int chunk = threadIdx.x + k * blockDim.x;

            if (chunk < s.chunks)
                store_chunk<BF16, false>(output, s.r, s.first + chunk, columns, scaled<BF16>(data[k], shift, scale));
        }
    }
}

/* ------------------------------------------------------------------ plans */

/* How the rows of a matrix are shared. */
struct plan {
    int chunks;  /* of a thread */
    int lanes;   /* of a row: 1 to 32 in a warp, or 0 where blocks have rows */
    int blocks;  /* of a row: 1 to CLUSTER_MAX */
    int threads; /* of a block */
    int option;  /* short rows: results are staged; long ones: so many blocks stay on a multiprocessor */
};

using kernel = void (*)(const char *, char *, int, int, int);

constexpr int COUNTS = 6;
constexpr int CHUNK_COUNTS[COUNTS] = { 1, 2, 3, 4, 6, 8 }; /* what kernels are compiled for */

/* A kernel for each count of chunks; ... is what else it is compiled for. */
#define FOR_COUNTS(name, type, ...) \
    { name<type, 1 __VA_ARGS__>, name<type, 2 __VA_ARGS__>, name<type, 3 __VA_ARGS__>, name<type, 4 __VA_ARGS__>, \
      name<type, 6 __VA_ARGS__>, name<type, 8 __VA_ARGS__> }
#define FOR_BOTH_TYPES(name, ...) \
    { FOR_COUNTS(name, false, __VA_ARGS__), FOR_COUNTS(name, true, __VA_ARGS__) }
#define AND ,

static const kernel short_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_short, AND false);
static const kernel staged_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_short, AND true);
static const kernel block_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_long, AND false);
static const kernel cluster_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_long, AND true);
static const kernel piped_kernels[2][COUNTS] = FOR_BOTH_TYPES(softmax_piped, );

static int index_of_count(int chunks)
{
    int i = 0;

    while (CHUNK_COUNTS[i] < chunks)
        i++;
    return i;
}

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

constexpr int PROCESSORS = 132;

static void launch(const plan &p, const char *input, char *output, int rows, int columns, int type, cudaStream_t stream)
{
    const int count = index_of_count(p.chunks), size = type == SOFTMAX_BFLOAT16 ? 2 : 4;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    kernel function;

    config.blockDim = dim3(p.threads);
    config.stream = stream;
    if (p.lanes > 0) {
        const int rows_each = p.threads / p.lanes;

        function = (p.option ? staged_kernels : short_kernels)[type][count];
        config.gridDim = dim3(ceil_div(rows, rows_each));
        config.dynamicSmemBytes = p.option ? (rows_each * columns * size + 15) / 16 * 16 : 0;
    } else {
        const int share = ceil_div((columns * size + 15) / 16 + 1, p.blocks); /* chunks of a block */
        const int clusters = PROCESSORS * p.option / p.blocks;

        function = (p.option ? piped_kernels : p.blocks > 1 ? cluster_kernels : block_kernels)[type][count];
        config.gridDim = dim3((p.option ? (clusters < rows ? clusters : rows) : rows) * p.blocks);
        config.dynamicSmemBytes = p.option ? share * 16 : 0;
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = p.blocks;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        config.attrs = &cluster;
        config.numAttrs = p.blocks > 1;
    }
    CHECK(cudaLaunchKernelEx(&config, function, input, output, rows, columns, p.lanes > 0 ? p.lanes : p.blocks));
    CHECK(cudaGetLastError());
}

static plan plan_for(int rows, int columns, int type)
{
    const int width = type == SOFTMAX_BFLOAT16 ? 8 : 4;
    const int ragged = columns % width != 0, chunks = ceil_div(columns, width) + ragged; /* of a row, at most */
    const bool small = (double)rows * chunks < PROCESSORS * 2048;
    plan p = { 1, 0, 1, 128, 0 };

    if (small ? chunks <= 32 : chunks <= 256) {
        const int most = small ? 1 : chunks <= 16 ? 2 : 8;

        for (p.lanes = 1; p.lanes < 32 && p.lanes * most < chunks; p.lanes *= 2)
            ;
        p.chunks = CHUNK_COUNTS[index_of_count(ceil_div(chunks, p.lanes))];
        if (!small && ragged && chunks >= 32) {
            p.threads = 256;
            p.option = 1;
        }
        return p;
    }
    while (p.blocks < CLUSTER_MAX && (chunks > p.blocks * 4096 || (rows * p.blocks < 132 && chunks > p.blocks * 1024)))
        p.blocks *= 2;
    const int share = ceil_div(chunks, p.blocks); /* of a block */

    p.chunks = CHUNK_COUNTS[index_of_count(share <= 512 ? 1 : share <= 1024 ? 2 : share <= 2048 ? 4 : 8)];
    p.threads = ceil_div(ceil_div(share, p.chunks), 32) * 32;
    return p;
}

extern "C" void device_user_setup(void)
{
    for (int type = 0; type < 2; type++)
        for (int count = 0; count < COUNTS; count++) {
            CHECK(cudaFuncSetAttribute(cluster_kernels[type][count], cudaFuncAttributeNonPortableClusterSizeAllowed,
                                       1));
            CHECK(cudaFuncSetAttribute(piped_kernels[type][count], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       160 << 10));
        }
}

extern "C" void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    launch(plan_for(rows, columns, type), (const char *)input, (char *)output, rows, columns, type, stream);
}
