/*
 * expert.cu - float32 without tensor cores, for matrices of every shape; and what the bus allows around it.
 *
 * Three families of kernels, each for its own limit:
 *
 *   multiply_tiles         sides of more than 8: the multiply-adds are the limit
 *   multiply_few_rows      up to 8 rows of A: reading B is the limit
 *   multiply_few_columns   up to 8 columns of B: reading A is the limit
 *
 * Where C has too few tiles for all multiprocessors, K is divided as well. The blocks that have parts of one sum form a
 * cluster: they read each other's sums from shared memory and add them in a fixed order. That takes no atomics, no
 * memory of the device and no second kernel. Beyond the 16 blocks of a cluster, parts of a sum go to memory, and
 * `add_parts` adds them. Rows of B that are not aligned are copied by `align_rows` first, where that pays.
 *
 * plan_for() chooses: it predicts the time of every kernel and division that is possible, and takes the shortest.
 *
 * The multiply-adds: each of the four parts of a multiprocessor issues one instruction a cycle, and an FFMA takes that
 * whole cycle. Every other instruction costs as much as 32 multiply-adds. `multiply_tiles` has few others:
 *
 * - A thread has up to 8 x 16 elements of C in registers. For each k it reads 8 + 16 numbers from shared memory, by 6
 *   instructions of 16 bytes, for 128 FFMA. It reads the numbers of the next k while it multiplies this one's.
 * - Slabs of 16 k of A and B come by asynchronous copies, which pass no register, several slabs ahead. A is transposed
 *   on the way, as its copies are of 4 bytes each: a warp copies 8 k of 4 rows, whole sectors of 32 bytes, and the
 *   pitch of BM + 4 lets all of them go to different banks. Copies of 4 bytes need no aligned rows.
 * - No barrier of the whole block: with two warps on each part of the multiprocessor, nobody works while all wait. Each
 *   slab's place in shared memory has two counters (mbarriers): `full` counts the threads whose copies have arrived,
 *   `empty` the warps that have read all of it. As a slab is copied three slabs after its place was read last, warps
 *   rarely wait, and may be a slab apart.
 * - The loop looks at no index. Rows below the last are copies of the last row, columns behind the last are copies of
 *   the last four, and neither are stored. If K is no multiple of the slab, the first slab is the short one, as it is
 *   copied before the loop; zeros fill it up in both factors, so that no zero meets an infinity.
 *
 * The copies over the bus would take half as long again. So A comes in panels of rows and B in panels of columns, in
 * turn, and each rectangle of C is computed as soon as its panels are there, and copied back as soon as it is computed.
 * For that the matrices must be page-locked; if they are not, one panel is used.
 */
#include <algorithm>
#include <cmath>
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

/* What the kernels take: c[m][n] = a[m][k] b[k][n]; pitches in elements. */
struct product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int a_pitch, b_pitch, c_pitch;
    size_t part; // blockIdx.y has a part of k, and its matrix begins so many elements behind the one before
};

/* Each makes the loop of some shapes faster: multiply column by column; copy B four steps after A; count the copies
 * before the pointers move; have no code for clusters. */
enum { COLUMNS_FIRST = 2, COPY_TWICE = 4, ARRIVE_FIRST = 8, ALONE = 16 };

/*
 * How multiply_tiles cuts its work. A block has BM x BN elements of C, a thread TM x TN, in pieces of 4 x 4, a warp
 * LANES_M x LANES_N such threads. A slab is BK of k; SLICES groups of warps each have every SLICES-th k of it, and all
 * elements. STAGES slabs have a place in shared memory: A as [BK][PITCH], B as [BK][BN]. WIDTH is how many columns of B
 * a copy has: 4, or 1 where rows are not aligned. ORDER is how the loop's instructions are written down: what they do
 * is the same, but the compiler gives them other registers, and the speed differs by up to 5 %.
 */
template <int BM_, int BN_, int TM_, int TN_, int LANES_M_, int SLICES_, int STAGES_, int BLOCKS_, int WIDTH_,
          int ORDER_ = 0>
struct shape {
    static constexpr int BM = BM_, BN = BN_, TM = TM_, TN = TN_, SLICES = SLICES_, BK = 16 * SLICES, STAGES = STAGES_;
    static constexpr int LANES_M = LANES_M_, LANES_N = 32 / LANES_M, WARPS_M = BM / (LANES_M * TM);
    static constexpr int WARPS_N = BN / (LANES_N * TN), WARPS = WARPS_M * WARPS_N * SLICES, THREADS = WARPS * 32;
    static constexpr int BLOCKS = BLOCKS_, WIDTH = WIDTH_, ORDER = ORDER_;
    static constexpr int PITCH = BM + 4, STAGE = BK * (PITCH + BN);
    static constexpr int A_ROWS = THREADS / 8, A_PASSES = BM / A_ROWS; // rows of A that all threads copy at once
    static constexpr int B_ACROSS = BN / WIDTH < THREADS ? BN / WIDTH : THREADS; // copies side by side
    static constexpr int B_ROWS = THREADS / B_ACROSS, B_PASSES = BN / (B_ACROSS * WIDTH);
    static constexpr bool REPEATS = TM * TN >= 64 && THREADS >= 128; // the last slab is copied again and again
    static constexpr int AHEAD = STAGES - (BLOCKS == 1 ? 3 : 2);
    static constexpr int BYTES = STAGES * (STAGE * (int)sizeof(float) + 2 * 8);

    static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0 && BN % (B_ACROSS * WIDTH) == 0, "copies fill a slab");
    static_assert(SLICES * BM * BN <= STAGES * STAGE, "the sums find room where the slabs were");
};

/* ------------------------------------------------------------------ instructions */

template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const float *from)
{
    if constexpr (WIDTH == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}

/* The first `bytes` are read, all or none; the others become zero. */
template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const float *from, int bytes)
{
    if constexpr (WIDTH == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes));
}

__device__ __forceinline__ void counter_init(unsigned counter, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(counter), "r"(count));
}

__device__ __forceinline__ void counter_arrive(unsigned counter)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(counter) : "memory");
}

/* Arrives when all copies of this thread up to here have. */
__device__ __forceinline__ void counter_arrive_after_copies(unsigned counter)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(counter) : "memory");
}

/* Waits for the end of the counter's phase of this parity; before the first phase, of parity 0, that of 1 has ended. */
__device__ __forceinline__ void counter_wait(unsigned counter, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again%=:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again%=;\n"
                 "}" ::"r"(counter), "r"(parity)
                 : "memory");
}

__device__ __forceinline__ int cluster_size()
{
    int size;

    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
    return size;
}

__device__ __forceinline__ int cluster_rank()
{
    int rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* What the blocks of the cluster wrote to shared memory before is there for all of them. */
__device__ __forceinline__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/* From the same place in the shared memory of another block of the cluster. */
__device__ __forceinline__ float4 read_from(int rank, const float *place)
{
    const unsigned own = (unsigned)__cvta_generic_to_shared(place);
    unsigned there;
    float4 x;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "r"(there)
                 : "memory");
    return x;
}

__device__ __forceinline__ void add_to(float4 &sum, float4 x)
{
    sum.x += x.x;
    sum.y += x.y;
    sum.z += x.z;
    sum.w += x.w;
}

/* The first `count` of four, and 16 bytes at once where `whole` says that there is room for all. */
__device__ __forceinline__ void store(float *to, float4 x, int count, bool whole)
{
    if (whole) {
        *(float4 *)to = x;
        return;
    }
    to[0] = x.x;
    if (count > 1)
        to[1] = x.y;
    if (count > 2)
        to[2] = x.z;
    if (count > 3)
        to[3] = x.w;
}

/* ------------------------------------------------------------------ sums of a cluster */

/*
 * Adds sums[slices][rows][columns] of this block, slice by slice, and those at the same place in the other blocks of
 * the cluster, block by block. Writes them to c from row0, column0 on. Each block of the cluster writes a part of them.
 */
__device__ __forceinline__ void add_sums(const product &p, float *c, float *sums, int slices, int rows, int columns,
                                         int row0, int column0)
{
    const int size = cluster_size(), across = columns / 4, pieces = rows * across;
    const bool aligned = p.c_pitch % 4 == 0;
    float4 *const own = (float4 *)sums;

    auto store_piece = [&](int e, float4 sum) {
        const int row = row0 + e / across, column = column0 + e % across * 4;

        if (row < p.m && column < p.n)
            store(c + (size_t)row * p.c_pitch + column, sum, p.n - column, aligned);
    };

    __syncthreads();
    for (int e = threadIdx.x; (slices > 1 || size == 1) && e < pieces; e += blockDim.x) {
        float4 sum = own[e];

#pragma unroll 4
        for (int slice = 1; slice < slices; slice++)
            add_to(sum, own[slice * pieces + e]);
        if (size == 1)
            store_piece(e, sum);
        else
            own[e] = sum;
    }
    if (size == 1)
        return;
    cluster_barrier();
    for (int e = cluster_rank() * blockDim.x + threadIdx.x; e < pieces; e += size * blockDim.x) {
        float4 sum = read_from(0, sums + e * 4);

#pragma unroll 4
        for (int rank = 1; rank < size; rank++)
            add_to(sum, read_from(rank, sums + e * 4));
        store_piece(e, sum);
    }
    cluster_barrier(); // no block ends while others read its sums
}

/* ------------------------------------------------------------------ tiles */

/* The tiles follow each other down groups of tile rows, so that those in flight share rows of A and columns of B, which
 * then come from the L2 cache. */
template <class S>
__device__ __forceinline__ void find_tile(int tile, int tiles_m, int tiles_n, int &row, int &column)
{
    constexpr int GROUP = 8;
    const int group = tile / (GROUP * tiles_n), in_group = tile % (GROUP * tiles_n);
    const int height = min(GROUP, tiles_m - group * GROUP);

    row = (group * GROUP + in_group % height) * S::BM;
    column = in_group / height * S::BN;
}

/* What a thread multiplies, and where it reads its factors. */
template <class S>
struct worker {
    float sums[S::TM][S::TN] = {};
    float a[2][S::TM], b[2][S::TN]; // of this k and the next
    int row, column, slice;         // of the thread's first element in the tile
    const float *from_a, *from_b;   // in the first slab's place

    __device__ __forceinline__ worker(const float *memory)
    {
        const int lane = threadIdx.x % 32;
        const int warp = S::SLICES == 1 ? threadIdx.x / 32 : threadIdx.x / 32 % (S::WARPS_M * S::WARPS_N);

        slice = S::SLICES == 1 ? 0 : threadIdx.x / 32 / (S::WARPS_M * S::WARPS_N);
        row = warp % S::WARPS_M * S::LANES_M * S::TM + lane / S::LANES_N * 4;
        column = warp / S::WARPS_M * S::LANES_N * S::TN + lane % S::LANES_N * 4;
        from_a = memory + slice * S::PITCH + row;
        from_b = memory + S::BK * S::PITCH + slice * S::BN + column;
    }

    /* The slice's k number `step` of the slab that lies `at` floats behind the first. */
    __device__ __forceinline__ void read(int at, int step, int buffer)
    {
        for (int i = 0; i < S::TM; i += 4)
            *(float4 *)&a[buffer][i] =
                *(const float4 *)(from_a + at + step * S::SLICES * S::PITCH + i * S::LANES_M);
        for (int j = 0; j < S::TN; j += 4)
            *(float4 *)&b[buffer][j] = *(const float4 *)(from_b + at + step * S::SLICES * S::BN + j * S::LANES_N);
    }

    __device__ __forceinline__ void multiply(int buffer)
    {
        if (S::ORDER & COLUMNS_FIRST)
            for (int j = 0; j < S::TN; j++)
                for (int i = 0; i < S::TM; i++)
                    sums[i][j] = fmaf(a[buffer][i], b[buffer][j], sums[i][j]);
        else
            for (int i = 0; i < S::TM; i++)
                for (int j = 0; j < S::TN; j++)
                    sums[i][j] = fmaf(a[buffer][i], b[buffer][j], sums[i][j]);
    }

    /* Of element [i][j] of sums, in the tile. */
    __device__ __forceinline__ int row_of(int i) const { return row + i / 4 * 4 * S::LANES_M + i % 4; }
    __device__ __forceinline__ int column_of(int j) const { return column + j / 4 * 4 * S::LANES_N; }
    __device__ __forceinline__ float4 piece(int i, int j) const
    {
        return make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }

    /* To the tile of c that begins at row0, column0. */
    __device__ __forceinline__ void store_tile(const product &p, float *c, int row0, int column0) const
    {
        const bool aligned = p.c_pitch % 4 == 0;

        for (int i = 0; i < S::TM; i++)
            for (int j = 0; j < S::TN; j += 4) {
                const int to_row = row0 + row_of(i), to_column = column0 + column_of(j);

                if (to_row < p.m && to_column < p.n)
                    store(c + (size_t)to_row * p.c_pitch + to_column, piece(i, j), p.n - to_column, aligned);
            }
    }

    __device__ __forceinline__ void keep_tile(float *memory) const
    {
        for (int i = 0; i < S::TM; i++)
            for (int j = 0; j < S::TN; j += 4)
                *(float4 *)(memory + (slice * S::BM + row_of(i)) * S::BN + column_of(j)) = piece(i, j);
    }
};

/* What a thread copies of each slab: k a_k of rows a_row, a_row + A_ROWS, ...; columns of k b_k, b_k + B_ROWS, ... */
template <class S>
struct copier {
    const float *a_from[S::A_PASSES], *b_from[S::B_PASSES];
    unsigned base, a_to, b_to;
    int a_k, b_k, b_pitch;

    __device__ __forceinline__ copier(const product &p, unsigned memory, int row0, int column0, int k)
    {
        const int tid = threadIdx.x, a_row = tid / 8, b_column = tid % S::B_ACROSS * S::WIDTH;

        base = memory;
        a_k = tid % 8;
        b_k = tid / S::B_ACROSS;
        b_pitch = p.b_pitch;
        a_to = (a_k * S::PITCH + a_row) * 4;
        b_to = (S::BK * S::PITCH + b_k * S::BN + b_column) * 4;
        for (int pass = 0; pass < S::A_PASSES; pass++)
            a_from[pass] = p.a + (size_t)min(row0 + a_row + pass * S::A_ROWS, p.m - 1) * p.a_pitch + k + a_k;
        for (int pass = 0; pass < S::B_PASSES; pass++)
            b_from[pass] = p.b + (size_t)(k + b_k) * b_pitch +
                           min(column0 + b_column + pass * S::B_ACROSS * S::WIDTH, (p.n - 1) / S::WIDTH * S::WIDTH);
    }

    /* The first `count` of k of a slab; the rest is zero. */
    __device__ __forceinline__ void copy_short(int stage, int count)
    {
        const unsigned at = base + stage * S::STAGE * 4;

        for (int pass = 0; pass < S::A_PASSES; pass++)
            for (int e = 0; e < S::BK; e += 8) {
                const bool there = a_k + e < count;

                copy<1>(at + a_to + (e * S::PITCH + pass * S::A_ROWS) * 4, a_from[pass] + (there ? e : -a_k),
                        there ? 4 : 0);
            }
        for (int pass = 0; pass < S::B_PASSES; pass++)
            for (int e = 0; e < S::BK; e += S::B_ROWS) {
                copy<S::WIDTH>(at + b_to + (e * S::BN + pass * S::B_ACROSS * S::WIDTH) * 4,
                               b_from[pass] + (size_t)e * b_pitch, b_k + e < count ? 4 * S::WIDTH : 0);
            }
    }

    __device__ __forceinline__ void copy_a(int stage)
    {
        const unsigned at = base + stage * S::STAGE * 4;

#pragma unroll
        for (int pass = 0; pass < S::A_PASSES; pass++)
#pragma unroll
            for (int e = 0; e < S::BK; e += 8)
                copy<1>(at + a_to + (e * S::PITCH + pass * S::A_ROWS) * 4, a_from[pass] + e);
    }

    __device__ __forceinline__ void copy_b(int stage)
    {
        const unsigned at = base + stage * S::STAGE * 4;

#pragma unroll
        for (int pass = 0; pass < S::B_PASSES; pass++)
#pragma unroll
            for (int e = 0; e < S::BK; e += S::B_ROWS)
                copy<S::WIDTH>(at + b_to + (e * S::BN + pass * S::B_ACROSS * S::WIDTH) * 4,
                               b_from[pass] + (size_t)e * b_pitch);
    }

    __device__ __forceinline__ void advance(int count)
    {
        for (int pass = 0; pass < S::A_PASSES; pass++)
            a_from[pass] += count;
        for (int pass = 0; pass < S::B_PASSES; pass++)
            b_from[pass] += (size_t)count * b_pitch;
    }
};

/*
 * A cluster has a tile, and gridDim.y clusters have parts of its k. If WIDTH is 4, the pitch of b is a multiple of 4,
 * and b begins at 16 bytes.
 */
template <class S> __global__ void __launch_bounds__(S::THREADS, S::BLOCKS) multiply_tiles(const product p)
{
    extern __shared__ float4 aligned_memory[];
    float *const memory = reinterpret_cast<float *>(aligned_memory);
    const unsigned base = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned full = base + S::STAGES * S::STAGE * (unsigned)sizeof(float), empty = full + S::STAGES * 8;
    const int tid = threadIdx.x, size = S::ORDER & ALONE ? 1 : cluster_size();
    const int all = (p.k + S::BK - 1) / S::BK, short_k = p.k - (all - 1) * S::BK; // the first of all slabs has short_k
    const int unit = blockIdx.y * size + (S::ORDER & ALONE ? 0 : cluster_rank()), units = gridDim.y * size;
    const int first = unit * all / units, slabs = (unit + 1) * all / units - first;
    float *const c = p.c + blockIdx.y * p.part;
    int row0, column0;

    find_tile<S>(blockIdx.x / size, (p.m + S::BM - 1) / S::BM, (p.n + S::BN - 1) / S::BN, row0, column0);

    copier<S> copies(p, base, row0, column0, first == 0 ? 0 : short_k + (first - 1) * S::BK);
    worker<S> own(memory);
    int left = slabs;

    auto copy_next = [&](int stage, bool of_a, bool of_b) {
        if (of_a && (S::REPEATS || left > 0))
            copies.copy_a(stage);
        if (!of_b)
            return;
        if (S::REPEATS || left > 0)
            copies.copy_b(stage);
        if (S::ORDER & ARRIVE_FIRST)
            counter_arrive_after_copies(full + stage * 8);
        if (S::REPEATS || left > 0)
            copies.advance(!S::REPEATS || left > 1 ? S::BK : 0);
        if (!(S::ORDER & ARRIVE_FIRST))
            counter_arrive_after_copies(full + stage * 8);
        left--;
    };

    if (tid == 0)
        for (int stage = 0; stage < S::STAGES; stage++) {
            counter_init(full + stage * 8, S::THREADS);
            counter_init(empty + stage * 8, S::WARPS);
        }
    __syncthreads();
    if (slabs > 0) {
        int stage = 0, free_stage = S::AHEAD;
        unsigned parity = 0, free_parity = 1; // of full[stage], and of empty[free_stage]

        copies.copy_short(0, first == 0 ? short_k : S::BK);
        copies.advance(first == 0 ? short_k : S::BK);
        counter_arrive_after_copies(full);
        left--;
        for (int e = 1; e < S::AHEAD; e++)
            copy_next(e, true, true);
        counter_wait(full, 0);
        own.read(0, 0, 0);
#pragma unroll 1
        for (int slab = 0; slab < slabs; slab++) {
            const bool wraps = stage + 1 == S::STAGES;
            const int next = wraps ? 0 : stage + 1;
            const int at = stage * S::STAGE, next_at = slab + 1 < slabs ? next * S::STAGE : at;

#pragma unroll
            for (int step = 0; step < 16; step++) {
                if (step < 15) {
                    own.read(at, step + 1, (step + 1) % 2);
                } else {
                    __syncwarp();
                    if (tid % 32 == 0)
                        counter_arrive(empty + stage * 8);
                    counter_wait(full + next * 8, wraps ? parity ^ 1 : parity);
                    own.read(next_at, 0, 0);
                }
                if (step == 2) {
                    counter_wait(empty + free_stage * 8, free_parity);
                    copy_next(free_stage, true, !(S::ORDER & COPY_TWICE));
                }
                if ((S::ORDER & COPY_TWICE) && step == 6)
                    copy_next(free_stage, false, true);
                own.multiply(step % 2);
            }
            if (wraps)
                parity ^= 1;
            stage = next;
            if (++free_stage == S::STAGES) {
                free_stage = 0;
                free_parity ^= 1;
            }
        }
        asm volatile("cp.async.wait_all;");
    }
    if ((S::ORDER & ALONE) || (S::SLICES == 1 && size == 1)) {
        own.store_tile(p, c, row0, column0);
        return;
    }
    __syncthreads(); // everybody has read the slabs
    own.keep_tile(memory);
    add_sums(p, c, memory, S::SLICES, S::BM, S::BN, row0, column0);
}

/* ------------------------------------------------------------------ few rows or columns */

constexpr int THIN_THREADS = 256;

/* The sum of x over the lanes of a warp whose numbers differ in the bits from `low` to 16 only; all of them get it. */
__device__ __forceinline__ float sum_over_lanes(float x, int low)
{
    for (int bit = 16; bit >= low; bit /= 2)
        x += __shfl_xor_sync(~0u, x, bit);
    return x;
}

/*
 * ROWS rows of A. Each element of B is needed once, so B goes to registers straight from memory, DEPTH rows at a
 * time. 2^bits threads side by side have WIDTH columns each; the others of the block have other slices of k.
 */
template <int ROWS, int WIDTH>
__global__ void __launch_bounds__(THIN_THREADS) multiply_few_rows(const product p, int bits)
{
    constexpr int DEPTH = ROWS * WIDTH >= 32 ? 4 : 8;
    __shared__ float4 memory[THIN_THREADS * ROWS * WIDTH / 4];
    float *const kept = (float *)memory;
    const int size = cluster_size(), slices = THIN_THREADS >> bits, across = WIDTH << bits;
    const int unit = blockIdx.y * size + cluster_rank(), step = gridDim.y * size * slices;
    const int place = threadIdx.x % (1 << bits) * WIDTH, slice = threadIdx.x >> bits;
    const int tiles_n = (p.n + across - 1) / across, tile = blockIdx.x / size;
    const int row0 = tile / tiles_n * ROWS, column0 = tile % tiles_n * across, column = column0 + place;
    const int k_end = column < p.n ? p.k : 0;
    float *const c = p.c + blockIdx.y * p.part;
    float sums[ROWS][WIDTH] = {};

    for (int k = unit * slices + slice; k < k_end; k += DEPTH * step) {
        float a[DEPTH][ROWS] = {}, b[DEPTH][WIDTH] = {};

#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            if (k + d * step < k_end) {
                const float *const from = p.b + (size_t)(k + d * step) * p.b_pitch + column;

                if constexpr (WIDTH == 4)
                    *(float4 *)b[d] = *(const float4 *)from;
                else
                    b[d][0] = *from;
                for (int row = 0; row < ROWS; row++)
                    a[d][row] = p.a[(size_t)min(row0 + row, p.m - 1) * p.a_pitch + k + d * step];
            }
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            for (int row = 0; row < ROWS; row++)
                for (int j = 0; j < WIDTH; j++)
                    sums[row][j] = fmaf(a[d][row], b[d][j], sums[row][j]);
    }
    if (slices == 1 && size == 1) {
        for (int row = 0; row < ROWS && row0 + row < p.m && column < p.n; row++) {
            float *const to = c + (size_t)(row0 + row) * p.c_pitch + column;

            if constexpr (WIDTH == 4)
                store(to, make_float4(sums[row][0], sums[row][1], sums[row][2], sums[row][3]), p.n - column,
                      p.c_pitch % 4 == 0);
            else
                *to = sums[row][0];
        }
        return;
    }
    /* Where a warp has several slices, it adds them; the first keeps the sum. */
    const int kept_slices = bits < 5 ? THIN_THREADS / 32 : slices;

    for (int row = 0; row < ROWS; row++)
        for (int j = 0; j < WIDTH; j++)
            sums[row][j] = sum_over_lanes(sums[row][j], 1 << bits);
    if (bits >= 5 || threadIdx.x % 32 < 1 << bits)
        for (int row = 0; row < ROWS; row++)
            for (int j = 0; j < WIDTH; j++)
                kept[((bits < 5 ? threadIdx.x / 32 : slice) * ROWS + row) * across + place + j] = sums[row][j];
    add_sums(p, c, kept, kept_slices, ROWS, across, row0, column0);
}

/*
 * Up to COLUMNS columns of B. Each element of A is needed once, so A goes to registers straight from memory; B comes
 * from the caches, for ROWS rows of A at a time. 2^bits threads side by side have other k of the same rows.
 */
template <int COLUMNS, int ROWS>
__global__ void __launch_bounds__(THIN_THREADS) multiply_few_columns(const product p, int bits)
{
    constexpr int DEPTH = 4, ACROSS = COLUMNS < 4 ? 4 : COLUMNS;
    __shared__ float4 memory[THIN_THREADS / 2 * ROWS * ACROSS / 4]; // bits is at least 1
    float *const kept = (float *)memory;
    const int size = cluster_size(), groups = THIN_THREADS >> bits, rows = groups * ROWS;
    const int unit = blockIdx.y * size + cluster_rank(), step = gridDim.y * size << bits;
    const int lane = threadIdx.x % (1 << bits), group = threadIdx.x >> bits;
    const int row0 = blockIdx.x / size * rows;
    const bool aligned = COLUMNS % 4 == 0 && p.n == COLUMNS && p.b_pitch % 4 == 0;
    const float *a[ROWS];
    float sums[ROWS][COLUMNS] = {};

    for (int row = 0; row < ROWS; row++)
        a[row] = p.a + (size_t)min(row0 + row * groups + group, p.m - 1) * p.a_pitch;
    for (int k = (unit << bits) + lane; k < p.k; k += DEPTH * step) {
        float from_a[DEPTH][ROWS] = {}, b[DEPTH][COLUMNS] = {};

#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            if (k + d * step < p.k) {
                const float *const from = p.b + (size_t)(k + d * step) * p.b_pitch;

                for (int row = 0; row < ROWS; row++)
                    from_a[d][row] = __ldcs(a[row] + k + d * step);
                if (aligned)
                    for (int j = 0; j + 3 < COLUMNS; j += 4)
                        *(float4 *)&b[d][j] = *(const float4 *)(from + j);
                else
                    for (int j = 0; j < COLUMNS; j++)
                        b[d][j] = from[min(j, p.n - 1)];
            }
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            for (int row = 0; row < ROWS; row++)
                for (int j = 0; j < COLUMNS; j++)
                    sums[row][j] = fmaf(from_a[d][row], b[d][j], sums[row][j]);
    }
    for (int row = 0; row < ROWS; row++)
        for (int j = 0; j < COLUMNS; j++)
            for (int bit = 1; bit < 32 && bit < 1 << bits; bit *= 2)
                sums[row][j] += __shfl_xor_sync(~0u, sums[row][j], bit);
    if (lane % 32 == 0)
        for (int row = 0; row < ROWS; row++)
            for (int j = 0; j < ACROSS; j++)
                kept[(lane / 32 * rows + row * groups + group) * ACROSS + j] = j < COLUMNS ? sums[row][j] : 0;
    add_sums(p, p.c + blockIdx.y * p.part, kept, bits > 5 ? 1 << (bits - 5) : 1, rows, ACROSS, row0, 0);
}

/* Copies b[k][n] to rows that are aligned. Blocks have 8 rows of 32 columns. */
__global__ void align_rows(const float *b, int b_pitch, float *to, int to_pitch, int k, int n)
{
    const int row = blockIdx.x * 8 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;

    if (row < k && column < n)
        to[(size_t)row * to_pitch + column] = b[(size_t)row * b_pitch + column];
}

/* c[m][n] = the sum of `parts` matrices [m][pitch], in their order. It is launched before they are complete. */
__global__ void add_parts(const float *partial, int parts, size_t part, int pitch, float *c, int c_pitch, int m, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;

    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (column >= n)
        return;
    for (int row = blockIdx.y; row < m; row += gridDim.y) {
        const float *const from = partial + (size_t)row * pitch + column;
        float sum = from[0];

#pragma unroll 8
        for (int e = 1; e < parts; e++)
            sum += from[e * part];
        c[(size_t)row * c_pitch + column] = sum;
    }
}

/* ------------------------------------------------------------------ the kernels, seen from the host */

constexpr int PANELS = 8, STREAMS = 3;
constexpr size_t ELEMENTS = 402653184, SLACK = 16 << 20; // of the largest case; for alignment and pitches, in bytes
constexpr size_t WORKSPACE = 8 << 20;                    // elements of a stream's partial sums
constexpr size_t ALIGNED = 16384 * 256;                  // elements of its copy of B
constexpr int ROWS_MAX = 8, ROWS_K_MAX = 64, COLUMNS_MAX = 8; // for the kernels of few rows and columns
constexpr int CLUSTER_MAX = 16, PARTS_MAX = 16;               // blocks of a cluster, clusters that divide k
constexpr int ALIGNED_MIN = 32;     // columns from which rows of B may be aligned first,
constexpr double ALIGNED_ALWAYS = 2e7; // and are, from so many products on
constexpr int SPLITS[] = {1, 2, 3, 4, 6, 8, 12, 16};

/* In microseconds, measured on an H200: see time_of_blocks(). docs/experts/matmul.md says how they were fitted. */
struct costs {
    float issue, latency; // of a step of k: for each block of a multiprocessor, and at least
    float fixed, joined;  // of a block; and where its cluster adds sums
};

constexpr double LAUNCH = 4.07, CLUSTER = 0.241, CLUSTER_DOUBLING = 0.0748; // microseconds
constexpr double ADDING = 2, ADDING_MEGABYTE = 0.809;             // of add_parts
constexpr double ALIGNING = 2.5, ALIGNING_MEGABYTE = 0.6;              // of align_rows
constexpr double MEMORY = 2.82, MEMORY_ROWS = 2.85, MEMORY_COLUMNS = 3.47; // megabytes in a microsecond

typedef void tile_function(const product);
typedef void thin_function(const product, int);

/* A kernel of multiply_tiles, with what the host must know of its shape. */
struct tile_kernel {
    tile_function *function;
    int bm, bn, width, threads, bytes;
    int blocks; // that a multiprocessor has at once
    int slab, least; // k of a step, and how many steps a block must have
    bool alone; // it has no clusters
    costs cost;
};

/* A kernel of few rows or columns; a step are `depth` rounds of its loop. */
struct thin_kernel {
    thin_function *function;
    int depth, blocks;
    costs cost;
};

template <class S> constexpr tile_kernel kernel_of(costs cost)
{
    return {multiply_tiles<S>, S::BM, S::BN, S::WIDTH, S::THREADS, S::BYTES, S::BLOCKS, S::BK, S::REPEATS ? 2 : 1,
            (S::ORDER & ALONE) != 0, cost};
}

using whole_tiles = shape<128, 256, 8, 16, 8, 1, 6, 1, 4, COPY_TWICE | ARRIVE_FIRST | ALONE>;

static const tile_kernel tiles[] = {
    kernel_of<whole_tiles>({2.58, 2.58, 3.51, 5.45}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 4, COLUMNS_FIRST | COPY_TWICE>>({0.685, 0.741, 1.44, 3.35}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 4>>({0.72, 0.743, 2.24, 2.48}),
    kernel_of<shape<64, 64, 8, 8, 8, 1, 4, 6, 4>>({0.414, 0.87, 3.2, 0.972}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3, 4>>({0.782, 0.593, 1.2, 2.21}),
    kernel_of<shape<32, 64, 4, 8, 4, 2, 4, 4, 4>>({0.397, 0.797, 1.03, 1.46}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 4>>({0.564, 0.345, 1.21, 0.924}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 4>>({0.35, 0.322, 0.882, 0.964}),
    kernel_of<shape<16, 128, 4, 8, 4, 2, 4, 2, 4>>({0.403, 0.607, 2.4, 1.02}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 4>>({0.291, 0.291, 1.18, 1.53}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 4>>({0.502, 0.345, 1.41, 1.4}),
    kernel_of<shape<32, 128, 8, 8, 4, 2, 4, 2, 4>>({0.784, 0.842, 1.65, 2.59}),
    kernel_of<shape<96, 128, 12, 8, 8, 1, 4, 3, 4, COLUMNS_FIRST | ARRIVE_FIRST>>({1.03, 1.29, 3.17, 3.21}),
    kernel_of<shape<32, 64, 4, 8, 4, 2, 4, 4, 1>>({1.13, 0.345, 0.4, 1.1}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 1>>({0.86, 0.345, 1.23, 1.07}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 1>>({1.07, 0.542, 0.038, 1.03}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 1>>({0.208, 0.214, 1.96, 0.478}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 1>>({0.652, 0.677, 0.827, 2.33}),
};
constexpr int TILES = sizeof tiles / sizeof *tiles;

/* By whether rows are aligned, and by the power of two that rows are rounded up to. */
static const thin_kernel few_rows[2][4] = {
    {{multiply_few_rows<1, 1>, 8, 8, {0.722, 0.718, 3.65e-05, 0.456}},
     {multiply_few_rows<2, 1>, 8, 5, {0.1, 0.886, 4.98e-05, 0.268}},
     {multiply_few_rows<4, 1>, 8, 4, {1.05, 1.08, 9.18e-06, 0.157}},
     {multiply_few_rows<8, 1>, 8, 2, {0.1, 0.689, 0.38, 0.325}}},
    {{multiply_few_rows<1, 4>, 8, 4, {0.1, 1.83, 0, 0}},
     {multiply_few_rows<2, 4>, 8, 3, {0.1, 1.86, 0, 0.216}},
     {multiply_few_rows<4, 4>, 8, 2, {0.1, 1.68, 0.606, 0.0746}},
     {multiply_few_rows<8, 4>, 4, 2, {0.1, 2.44, 5.56e-06, 0.853}}}};

/* By whether there are so many columns exactly, and by the power of two. */
static const thin_kernel few_columns[2][4] = {
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.723, 0.344, 0.894}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.866, 0.201, 1.46}},
     {multiply_few_columns<4, 8>, 4, 2, {0.1, 2.39, 3.87, 1.34}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 2.77, 9.35, 2.51}}},
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.723, 0.344, 0.894}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.866, 0.201, 1.46}},
     {multiply_few_columns<4, 8>, 4, 2, {0.1, 0.815, 2.89, 0.4}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 2.2, 5.76, 1.53}}}};

constexpr int COLUMNS_ROWS[4] = {4, 4, 8, 8}; // rows of A that a thread of few_columns has

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, compute[STREAMS];
    cudaEvent_t arrived[2 * PANELS], computed[2 * PANELS];
    float *workspace[STREAMS];
    unsigned char *memory; // of the device, for A, B and C
    size_t size;
    int multiprocessors, cluster_max;
    int clusters[TILES][CLUSTER_MAX + 1]; // of so many blocks, that the device has at once
} device;

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }
static int ceil_div(int x, int unit) { return (x + unit - 1) / unit; }

static int log_2_up(int x)
{
    int bits = 0;

    while (1 << bits < x)
        bits++;
    return bits;
}

constexpr int FEW_ROWS = -1, FEW_COLUMNS = -2;

/* How a product is computed: by tiles[kernel], or few_..., where 2^bits threads are side by side; with `split`
 * blocks in a cluster, and `parts` clusters, that divide k. */
struct plan {
    int kernel, bits, split, parts;
    double cost; // predicted, in microseconds
};

static const thin_kernel &thin_of(const product &p, const plan &how)
{
    if (how.kernel == FEW_ROWS)
        return few_rows[p.b_pitch % 4 == 0][log_2_up(std::min(p.m, ROWS_MAX))];
    return few_columns[p.n == 1 << log_2_up(p.n)][log_2_up(p.n)];
}

/* How many blocks side by side have all of C. */
static int blocks_of(const product &p, const plan &how)
{
    if (how.kernel == FEW_ROWS)
        return ceil_div(p.n, (p.b_pitch % 4 == 0 ? 4 : 1) << how.bits) * ceil_div(p.m, ROWS_MAX);
    if (how.kernel == FEW_COLUMNS)
        return ceil_div(p.m, COLUMNS_ROWS[log_2_up(p.n)] * (THIN_THREADS >> how.bits));
    return ceil_div(p.m, tiles[how.kernel].bm) * ceil_div(p.n, tiles[how.kernel].bn);
}

/* How many k a block has at a time. */
static int slab_of(const plan &how)
{
    return how.kernel == FEW_ROWS ? THIN_THREADS >> how.bits : how.kernel == FEW_COLUMNS ? 1 << how.bits
                                                                                         : tiles[how.kernel].slab;
}

static void launch_plan(product p, const plan &how, float *workspace, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2] = {}, &attribute = attributes[0];
    cudaLaunchConfig_t config = {};
    float *const c = p.c;
    const int c_pitch = p.c_pitch;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = how.split;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks_of(p, how) * how.split, how.parts);
    config.blockDim = dim3(how.kernel < 0 ? THIN_THREADS : tiles[how.kernel].threads);
    config.dynamicSmemBytes = how.kernel < 0 ? 0 : tiles[how.kernel].bytes;
    config.stream = stream;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    config.attrs = attributes;
    config.numAttrs = how.split > 1 ? 2 : 0;
    if (how.parts > 1) {
        p.c = workspace;
        p.c_pitch = (int)round_up(p.n, 4);
        p.part = (size_t)p.m * p.c_pitch;
    }
    if (how.kernel >= 0)
        CHECK(cudaLaunchKernelEx(&config, tiles[how.kernel].function, p));
    else
        CHECK(cudaLaunchKernelEx(&config, thin_of(p, how).function, p, how.bits));
    if (how.parts == 1)
        return;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(ceil_div(p.n, 256), std::min(p.m, 1024));
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = 0;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, add_parts, (const float *)workspace, how.parts, p.part, p.c_pitch, c, c_pitch,
                             p.m, p.n));
}

/* ------------------------------------------------------------------ the choice of a plan */

/*
 * The model. A launch takes LAUNCH, clusters and added parts take more, and then either memory or the multiprocessors
 * are the limit. A multiprocessor has its blocks in rounds of as many as fit. In each round every block takes its
 * `fixed` time and its steps of k; a step takes `latency`, or `issue` for each block of the round if that is more.
 */

/* Of the blocks that a multiprocessor has; `together` fit. */
static double time_of_blocks(const costs &cost, int blocks, int together, int steps, bool joined)
{
    const int full = blocks / together, rest = blocks % together;
    const double fixed = cost.fixed + (joined ? cost.joined : 0);

    return full * (fixed + steps * std::max<double>(cost.latency, together * cost.issue)) +
           (rest > 0 ? fixed + steps * std::max<double>(cost.latency, rest * cost.issue) : 0);
}

/* What a product takes by a plan, in microseconds. */
static double cost_of(const product &p, const plan &how)
{
    const double megabytes = 4e-6 * ((double)p.m * p.k + (double)p.k * p.n + (double)p.m * p.n);
    const int units = blocks_of(p, how) * how.split * how.parts;
    double fixed = LAUNCH, busy, bandwidth = MEMORY;

    if (how.split > 1)
        fixed += CLUSTER + CLUSTER_DOUBLING * std::log2(how.split);
    if (how.parts > 1)
        fixed += ADDING + ADDING_MEGABYTE * 4e-6 * p.m * p.n * how.parts;
    if (how.kernel < 0) {
        const thin_kernel &thin = thin_of(p, how);
        const int steps = ceil_div(ceil_div(p.k, slab_of(how) * how.split * how.parts), thin.depth);

        busy = time_of_blocks(thin.cost, ceil_div(units, device.multiprocessors), thin.blocks, steps, how.split > 1);
        bandwidth = how.kernel == FEW_ROWS ? MEMORY_ROWS : MEMORY_COLUMNS;
    } else {
        const tile_kernel &tile = tiles[how.kernel];
        const int fit = std::max(1, device.clusters[how.kernel][how.split] * how.split / tile.blocks);
        const int multiprocessors = std::min(device.multiprocessors, fit);

        busy = time_of_blocks(tile.cost, ceil_div(units, multiprocessors), tile.blocks,
                              ceil_div(ceil_div(p.k, tile.slab), how.split * how.parts), how.split > 1);
    }
    return fixed + std::max(busy, megabytes / bandwidth);
}

/* Whether a plan is right for a product, and not absurd. */
static bool is_possible(const product &p, const plan &how)
{
    const bool aligned = p.b_pitch % 4 == 0;
    const int divided = how.split * how.parts;

    if (how.kernel == FEW_ROWS &&
        ((p.m > ROWS_MAX && p.k > ROWS_K_MAX) || (aligned ? 4 : 1) << how.bits < std::max(4, std::min(32, p.n))))
        return false;
    if (how.kernel == FEW_COLUMNS &&
        (p.n > COLUMNS_MAX || 1 << how.bits < (p.k >= 1024 ? 32 : std::min(8, p.k))))
        return false;
    if (how.kernel >= 0 && tiles[how.kernel].alone && how.split > 1)
        return false;
    if (how.kernel >= 0 && ((tiles[how.kernel].width == 4) != aligned ||
                            ceil_div(p.k, tiles[how.kernel].slab) / divided < tiles[how.kernel].least))
        return false;
    const int blocks = blocks_of(p, how);

    if (how.kernel >= 0 && !aligned && p.n >= ALIGNED_MIN && (double)p.m * p.n * p.k > ALIGNED_ALWAYS)
        return false;
    if (how.parts > 1 && (size_t)p.m * round_up(p.n, 4) * how.parts > WORKSPACE)
        return false;
    return divided == 1 || (how.split <= device.cluster_max && p.k / divided >= slab_of(how) &&
                            (how.split == 1 || blocks * how.parts <= 16 * device.multiprocessors) &&
                            (how.parts == 1 || blocks * how.split <= 4 * device.multiprocessors));
}

/* The plan of least cost. */
static plan plan_for(const product &p)
{
    plan best = {};

    best.cost = HUGE_VAL;
    for (int kernel = FEW_COLUMNS; kernel < TILES; kernel++)
        for (int bits = kernel < 0 ? 1 : 0; bits <= (kernel < 0 ? 8 : 0); bits++)
            for (int split : SPLITS)
                for (int parts = 1; parts <= PARTS_MAX; parts *= 2) {
                    plan how = {kernel, bits, split, parts, 0};

                    if (!is_possible(p, how))
                        break;
                    how.cost = cost_of(p, how);
                    if (how.cost < best.cost)
                        best = how;
                }
    return best;
}

/* c[m][n] = a[m][k] b[k][n] on the device; b's and c's rows are `pitch` elements apart, a's k. */
static void launch(const float *a, const float *b, float *c, int m, int n, int k, int pitch, float *workspace,
                   cudaStream_t stream)
{
    product p = {a, b, c, m, n, k, k, pitch, pitch, 0};
    plan how = plan_for(p);

    if (pitch % 4 != 0 && n >= ALIGNED_MIN) {
        product q = p;

        q.b = workspace + WORKSPACE;
        q.b_pitch = (int)round_up(n, 4);

        const plan other = plan_for(q);

        if (other.cost + ALIGNING + ALIGNING_MEGABYTE * 4e-6 * k * n < how.cost) {
            align_rows<<<dim3(ceil_div(k, 8), ceil_div(n, 32)), dim3(32, 8), 0, stream>>>(
                b, pitch, workspace + WORKSPACE, q.b_pitch, k, n);
            CHECK(cudaGetLastError());
            p = q;
            how = other;
        }
    }
    launch_plan(p, how, workspace, stream);
}

/* ------------------------------------------------------------------ panels */

static void release()
{
    for (float *workspace : device.workspace)
        cudaFree(workspace);
    cudaFree(device.memory);
    cudaStreamDestroy(device.in);
    cudaStreamDestroy(device.out);
    for (cudaStream_t stream : device.compute)
        cudaStreamDestroy(stream);
    for (int e = 0; e < 2 * PANELS; e++) {
        cudaEventDestroy(device.arrived[e]);
        cudaEventDestroy(device.computed[e]);
    }
}

static void allow(const void *function, int bytes)
{
    CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (bytes > 0)
        CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

/* How many clusters of `split` blocks the device has at once; 0 where there can be none. */
static int clusters_of(const tile_kernel &tile, int split)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    int clusters = 0;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = split;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(split);
    config.blockDim = dim3(tile.threads);
    config.dynamicSmemBytes = tile.bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cudaOccupancyMaxActiveClusters(&clusters, tile.function, &config) == cudaSuccess)
        return clusters;
    cudaGetLastError();
    return 0;
}

static void prepare_kernels()
{
    for (int aligned = 0; aligned < 2; aligned++)
        for (int e = 0; e < 4; e++) {
            allow((const void *)few_rows[aligned][e].function, 0);
            allow((const void *)few_columns[aligned][e].function, 0);
        }
    for (const tile_kernel &tile : tiles)
        allow((const void *)tile.function, tile.bytes);
    for (int split : SPLITS) {
        bool all = true;

        for (int e = 0; e < TILES; e++) {
            device.clusters[e][split] = clusters_of(tiles[e], split);
            all = all && device.clusters[e][split] > 0;
        }
        if (all)
            device.cluster_max = split;
    }
}

static void prepare(size_t size)
{
    if (device.multiprocessors == 0) {
        CHECK(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        CHECK(cudaStreamCreateWithFlags(&device.in, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&device.out, cudaStreamNonBlocking));
        for (int e = 0; e < STREAMS; e++) {
            CHECK(cudaStreamCreateWithFlags(&device.compute[e], cudaStreamNonBlocking));
            CHECK(cudaMalloc(&device.workspace[e], (WORKSPACE + ALIGNED) * sizeof(float)));
        }
        for (int e = 0; e < 2 * PANELS; e++) {
            CHECK(cudaEventCreateWithFlags(&device.arrived[e], cudaEventDisableTiming));
            CHECK(cudaEventCreateWithFlags(&device.computed[e], cudaEventDisableTiming));
        }
        prepare_kernels();
        std::atexit(release);
    }
    if (size > device.size) {
        CHECK(cudaFree(device.memory));
        CHECK(cudaMalloc(&device.memory, size));
        device.size = size;
    }
}

extern "C" void device_user_setup(void) { prepare(ELEMENTS * sizeof(float) + SLACK); }

static bool is_page_locked(const void *x)
{
    cudaPointerAttributes attributes;

    if (cudaPointerGetAttributes(&attributes, x) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* How long the panels of a side of `length` are: a multiple of `unit`. 2048 x 2048 elements are as many tiles as fill
 * an H100 once; smaller rectangles pay only where there would be a single one. */
static int panel_length(int length, int unit, bool locked)
{
    const int wanted = length <= 2048 ? 1024 : 2048, least = (int)round_up((length + PANELS - 1) / PANELS, unit);

    return locked ? std::max(wanted, least) : (int)round_up(length, unit);
}

/* Between two memories, `rows` rows of `width` elements. */
static void copy_matrix(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t width, size_t rows,
                        cudaMemcpyKind kind, cudaStream_t stream)
{
    const size_t element = sizeof(float);

    if (to_pitch == width && from_pitch == width)
        CHECK(cudaMemcpyAsync(to, from, width * rows * element, kind, stream));
    else
        CHECK(
            cudaMemcpy2DAsync(to, to_pitch * element, from, from_pitch * element, width * element, rows, kind, stream));
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    /* Short rows are copied faster as they are; and their products have no whole tile. */
    const int pitch = N < whole_tiles::BN ? N : (int)round_up(N, 4);
    const size_t size_a = round_up((size_t)M * K, 64), size_b = round_up((size_t)K * pitch, 64);
    const bool locked = is_page_locked(A) && is_page_locked(B) && is_page_locked(C);
    const int rows = panel_length(M, whole_tiles::BM, locked);
    /* Where C is most of it, whole rows: they are copied faster than parts of rows. */
    const bool cut_columns = locked && (long long)M * N <= (long long)K * (M + N);
    const int columns = panel_length(N, whole_tiles::BN, cut_columns);
    int row = 0, column = 0, launched = 0; // how far A and B have come

    prepare((size_a + size_b + (size_t)M * pitch) * sizeof(float));

    float *const a = (float *)device.memory, *const b = a + size_a, *const c = b + size_b;

    for (int panel = 0; row < M || column < N; panel++) {
        /* The matrix of which less is there. */
        const bool of_a = column == N || (row < M && (long long)row * N <= (long long)column * M);
        // Of the rectangle that can be computed.
        int first_row = 0, end_row = row, first_column = 0, end_column = column;

        if (of_a) {
            first_row = row;
            end_row = row = std::min(M, row + rows);
            copy_matrix(a + (size_t)first_row * K, K, A + (size_t)first_row * K, K, K, end_row - first_row,
                        cudaMemcpyHostToDevice, device.in);
        } else {
            first_column = column;
            end_column = column = std::min(N, column + columns);
            copy_matrix(b + first_column, pitch, B + first_column, N, end_column - first_column, K,
                        cudaMemcpyHostToDevice, device.in);
        }
        if (end_row == 0 || end_column == 0)
            continue; // the first panel is alone

        const int which = launched++ % STREAMS;
        const size_t first = (size_t)first_row * pitch + first_column;

        CHECK(cudaEventRecord(device.arrived[panel], device.in));
        CHECK(cudaStreamWaitEvent(device.compute[which], device.arrived[panel]));
        launch(a + (size_t)first_row * K, b + first_column, c + first, end_row - first_row, end_column - first_column,
               K, pitch, device.workspace[which], device.compute[which]);
        CHECK(cudaEventRecord(device.computed[panel], device.compute[which]));
        CHECK(cudaStreamWaitEvent(device.out, device.computed[panel]));
        copy_matrix(C + (size_t)first_row * N + first_column, N, c + first, pitch, end_column - first_column,
                    end_row - first_row, cudaMemcpyDeviceToHost, device.out);
    }
    CHECK(cudaStreamSynchronize(device.out));
}
