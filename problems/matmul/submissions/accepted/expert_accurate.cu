/*
 * expert_accurate.cu - float32 by three products of half-precision numbers on tensor cores. league: accurate
 *
 * A float32 x, scaled, is cut into two numbers of half precision (11 significant bits each): high = half(x) and low =
 * half(x - high). They miss at most 2^-23 of x. Of the four products of two such sums the smallest, low * low, is
 * left out: at most 2^-22 of |a||b|. So each product errs by at most 8 u, u = 2^-24, in either direction, while the
 * rule allows 18 u for a single product and (4 sqrt(n) + 8) u for the root of the sum of the squares of n.
 *
 * Three things can spoil that, and each is looked after:
 *
 * - Range. Half precision has five bits for the exponent. A span of 128 k of a line (a row of A, a column of B) is
 *   scaled by a power of two, so that its largest element lies in [2^14, 2^15). An element that is 2^-16 of it or
 *   smaller then loses more than 2^-23 of itself. What a line loses in this way is counted when it is cut: `lost` is a
 *   bound of the 2-norm of all such losses. By Cauchy and Schwarz the element (i, j) of C errs through them by at most
 *   lost_i norm_j + norm_i lost_j. Where that is above sqrt(n) 2^-24 |C|, n the fewer of the elements other than 0 in
 *   both lines, half of what the rule allows at least, the element's products are looked at: if none of them is large
 *   enough to allow the error, it is computed anew in float32. Of random matrices with exponents from -20 to 20 one
 *   element in 13,000 is looked at, and that shows nearly all of these to be right.
 * - Infinities and NaN do not survive the cut. Their spans take part as zeros, with `lost` infinite: all elements of
 *   the line are computed anew.
 * - Sums. Tensor cores do not round sums to nearest, but cut them off, and with many terms of one sign that adds up. So
 *   they add 64 products at most; the sums of these slabs are ordinary additions.
 *
 * The kernels, in the order in which they run:
 *
 * - `cut` reads each element once, as a span of 64 lines fits into a block's registers. It writes blocks of 64 lines x
 *   64 k of halves, already in the order in which tensor cores want them in shared memory (128 bytes a row, chunks of
 *   16 bytes permuted by XOR). So the product needs no tensor maps: a block is 16 KB that lie together. The last block
 *   of a group of lines sums up what is known of them.
 * - `multiply` is for wgmma, which reads both factors from shared memory. One thread brings slabs of 64 k by bulk
 *   copies into a ring of three places. Two groups of four warps have 64 x 128 elements of C each. Their registers hold
 *   three such tiles: the slab that is being multiplied, the one that has been, and the float32 sums to which it is
 *   added meanwhile. So tensor cores never wait for additions. Blocks stay, and take one tile after the other.
 * - `add_parts`. A last wave of few tiles would leave most multiprocessors without work. Their k is shared out to
 *   several blocks instead, and this kernel adds up.
 * - `multiply_plain` is float32 without tensor cores: for products that are thin, short or small, where a cut and two
 *   more launches take longer than the product. It has block tiles of several shapes, as thin as 8 rows or columns.
 *   Blocks share out k; the last one of a tile adds up their sums, so that there is a single launch.
 *
 * Which kernel, which tile and how many parts, a model of their times decides: see `choose`.
 *
 * The copies over the bus take as long as the arithmetic. So A comes in panels of rows and B in panels of columns, in
 * turn, and each rectangle of C is computed as soon as its panels are there, and copied back as soon as it is computed.
 * For that the matrices must be page-locked; if they are not, one panel is used.
 *
 * wgmma exists in code for sm_90a alone. Where that does not run, as on the simulator, multiply_plain does everything.
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert_accurate.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }
static int cuts(int x, int unit) { return (x + unit - 1) / unit; }

/* ------------------------------------------------------------------ float32: thin, short and small products */

/* W floats; zeros if they are not `there`. */
template <int W> __device__ __forceinline__ void copy_floats(uint32_t to, const float *from, bool there)
{
    if (W == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(W * 4),
                     "r"(there ? W * 4 : 0));
}

/*
 * How a block cuts its work. A lane has TM x TN elements of C, a warp LANES_M x (32 / LANES_M) such lanes, a block
 * WARPS_M x WARPS_N such warps, and WARPS_K times as many: these share out the k of each slab.
 */
template <int WARPS_M_, int WARPS_N_, int WARPS_K_, int LANES_M_, int TM_, int TN_, int BK_, int STAGES_>
struct shape {
    static constexpr int WARPS_M = WARPS_M_, WARPS_N = WARPS_N_, WARPS_K = WARPS_K_, LANES_M = LANES_M_;
    static constexpr int LANES_N = 32 / LANES_M, TM = TM_, TN = TN_, BK = BK_, STAGES = STAGES_;
    static constexpr int BM = WARPS_M * LANES_M * TM, BN = WARPS_N * LANES_N * TN, TILE = BM * BN;
    static constexpr int THREADS = 32 * WARPS_M * WARPS_N * WARPS_K, OWN_K = BK / WARPS_K;
    static constexpr int PITCH = BK + 4; // of A's rows: eight rows' 16 bytes are in different banks
    static constexpr int STAGE = BM * PITCH + BK * BN; // floats
    static constexpr int BYTES = 4 * (STAGES * STAGE > WARPS_K * TILE ? STAGES * STAGE : WARPS_K * TILE);
    static_assert(OWN_K % 4 == 0 && TN % 4 == 0, "a lane reads four k of A's rows, and four columns, at once");
};

/* c = a b on the device, for any sides and pitches. */
struct product {
    const float *a, *b;
    float *c;
    int a_pitch, b_pitch, c_pitch, m, n, k;
    int part_k, parts;  // k of a block; blocks that share a tile
    float *partial;     // [tiles][parts][BM][BN]
    unsigned *arrived;  // [tiles], 0 before and after
};

/*
 * Brings slabs of a factor, one after the other: ROWS x ROW floats each, whose rows are `pitch` floats apart in memory
 * and PITCH in shared memory, W floats at a time. k runs along rows (of A), or from row to row (of B). Outside of the
 * matrix there are its last row's or columns' elements: what comes of them is not written. Behind the end of k there
 * are zeros.
 */
template <int ROWS, int ROW, int PITCH, int THREADS, int W, bool K_IN_ROW> struct copier {
    static constexpr int UNITS = ROW / W, ALL = THREADS / UNITS, STEP = ALL < ROWS ? ALL : ROWS, PASSES = ROWS / STEP;
    static_assert(ROW % W == 0 && THREADS % UNITS == 0 && ROWS % STEP == 0, "threads copy alike");
    const float *from;
    uint32_t to;
    int k, offsets[K_IN_ROW ? PASSES : 1], pitch; // k: of the first row, in the part
    bool active;

    /* first: the row (of A) or the column (of B) at which the tile begins; end: of the matrix. */
    __device__ __forceinline__ copier(const float *x, int pitch, int first, int end, int k_first, uint32_t base)
        : pitch(pitch)
    {
        const int row = threadIdx.x / UNITS, at = threadIdx.x % UNITS * W;

        active = row < ROWS;
        to = base + (row * PITCH + at) * 4;
        if (K_IN_ROW) {
            k = at;
            from = x + (size_t)first * pitch + k_first + at;
#pragma unroll
            for (int pass = 0; pass < PASSES; pass++)
                offsets[pass] = (min(first + row + pass * STEP, end - 1) - first) * pitch;
        } else {
            k = row;
            from = x + (size_t)(k_first + row) * pitch + min(first + at, end - W);
        }
    }

    /* left: k that are left of the part. */
    template <int BK> __device__ __forceinline__ void copy(uint32_t stage, int left)
    {
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++) {
            const bool there = k + (K_IN_ROW ? 0 : pass * STEP) < left;
            if (ALL > ROWS && !active)
                break;

            const float *at = from + (K_IN_ROW ? offsets[pass] : pass * STEP * pitch);

            if (left >= BK)
                copy_floats<W>(to + stage + pass * STEP * PITCH * 4, at, true);
            else
                copy_floats<W>(to + stage + pass * STEP * PITCH * 4, there ? at : from - (K_IN_ROW ? k : k * pitch),
                               there);
        }
        from += K_IN_ROW ? BK : BK * pitch;
    }
};

/* sums += the product of the k of this warp in a slab. */
template <class S>
__device__ __forceinline__ void multiply_slab(float (&sums)[S::TM][S::TN], const float *from_a, const float *from_b)
{
#pragma unroll
    for (int step = 0; step < S::OWN_K; step += 4) {
        float a[S::TM][4];

#pragma unroll
        for (int i = 0; i < S::TM; i++)
            *(float4 *)a[i] = *(const float4 *)(from_a + i * S::LANES_M * S::PITCH + step);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float b[S::TN];

#pragma unroll
            for (int j = 0; j < S::TN; j += 4)
                *(float4 *)&b[j] = *(const float4 *)(from_b + (step + k) * S::BN + j * S::LANES_N);
#pragma unroll
            for (int i = 0; i < S::TM; i++)
#pragma unroll
                for (int j = 0; j < S::TN; j++)
                    sums[i][j] = fmaf(a[i][k], b[j], sums[i][j]);
        }
    }
}

/* blockIdx.x: the tile, down columns of tiles; blockIdx.y: the part of k. */
/* A_WIDTH, B_WIDTH: floats that lie aligned in all rows of A and B. */
template <class S, int A_WIDTH, int B_WIDTH>
__global__ void __launch_bounds__(S::THREADS) multiply_plain(const product x)
{
    extern __shared__ __align__(16) float memory[];
    __shared__ bool is_last;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(memory);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_k = warp / (S::WARPS_M * S::WARPS_N);
    const int tiles_m = (x.m + S::BM - 1) / S::BM;
    const int row0 = blockIdx.x % tiles_m * S::BM, column0 = blockIdx.x / tiles_m * S::BN;
    const int k_first = blockIdx.y * x.part_k, k_end = min(x.k, k_first + x.part_k);
    const int slabs = (k_end - k_first + S::BK - 1) / S::BK;
    const int row = warp % S::WARPS_M * S::LANES_M * S::TM + lane / S::LANES_N;
    const int column = warp / S::WARPS_M % S::WARPS_N * S::LANES_N * S::TN + lane % S::LANES_N * 4;
    const float *const from_a = memory + row * S::PITCH + warp_k * S::OWN_K;
    const float *const from_b = memory + S::BM * S::PITCH + warp_k * S::OWN_K * S::BN + column;
    copier<S::BM, S::BK, S::PITCH, S::THREADS, A_WIDTH, true> a(x.a, x.a_pitch, row0, x.m, k_first, base);
    copier<S::BK, S::BN, S::BN, S::THREADS, B_WIDTH, false> b(x.b, x.b_pitch, column0, x.n, k_first,
                                                              base + S::BM * S::PITCH * 4);
    int left = k_end - k_first; // of what is to be copied
    float sums[S::TM][S::TN] = {};

    auto copy_slab = [&](int slab) {
        if (left > 0) {
            a.template copy<S::BK>(slab % S::STAGES * S::STAGE * 4, left);
            b.template copy<S::BK>(slab % S::STAGES * S::STAGE * 4, left);
            left -= S::BK;
        }
        asm volatile("cp.async.commit_group;");
    };

    for (int slab = 0; slab < S::STAGES - 1; slab++)
        copy_slab(slab);
#pragma unroll 1
    for (int slab = 0; slab < slabs; slab++) {
        const int at = slab % S::STAGES * S::STAGE;

        asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2));
        __syncthreads();
        copy_slab(slab + S::STAGES - 1);
        multiply_slab<S>(sums, from_a + at, from_b + at);
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();

    /* The sums of the warps that shared k, tile by tile, meet in shared memory. */
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
            *(float4 *)(memory + warp_k * S::TILE + (row + i * S::LANES_M) * S::BN + column + j * S::LANES_N) =
                *(float4 *)&sums[i][j];
    __syncthreads();

    float *const own = x.partial + ((size_t)blockIdx.x * x.parts + blockIdx.y) * S::TILE;

    for (int e = threadIdx.x; e < S::TILE; e += S::THREADS) {
        const int i = row0 + e / S::BN, j = column0 + e % S::BN;
        float sum = 0;

#pragma unroll
        for (int w = 0; w < S::WARPS_K; w++)
            sum += memory[w * S::TILE + e];
        if (x.parts > 1)
            own[e] = sum;
        else if (i < x.m && j < x.n)
            x.c[(size_t)i * x.c_pitch + j] = sum;
    }
    if (x.parts == 1)
        return;

    /* The block of a tile that arrives last adds the parts up. */
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(&x.arrived[blockIdx.x], x.parts - 1) == x.parts - 1; // and 0 again

    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    for (int e = threadIdx.x; e < S::TILE; e += S::THREADS) {
        const float *from = x.partial + (size_t)blockIdx.x * x.parts * S::TILE + e;
        const int i = row0 + e / S::BN, j = column0 + e % S::BN;
        float sum = 0;

        if (i >= x.m || j >= x.n)
            continue;
#pragma unroll 8
        for (int part = 0; part < x.parts; part++)
            sum += __ldcg(from + (size_t)part * S::TILE);
        x.c[(size_t)i * x.c_pitch + j] = sum;
    }
}

/* ------------------------------------------------------------------ float32: a few columns, or a few rows */

constexpr int DOT_THREADS = 256, DOT_ROWS = 4;

/*
 * At most COLUMNS columns. A block has ROWS rows; all of its threads share k. Only sums pass shared
 * memory: rows of A are read once, and B comes from the caches.
 */
template <int ROWS, int COLUMNS> __global__ void __launch_bounds__(DOT_THREADS) multiply_columns(const product x)
{
    constexpr int SUMS = ROWS * COLUMNS;
    __shared__ float all[DOT_THREADS / 32][SUMS];
    const int tid = threadIdx.x, row0 = blockIdx.x * ROWS;
    const float *a[ROWS];
    float sums[SUMS] = {};

#pragma unroll
    for (int i = 0; i < ROWS; i++)
        a[i] = x.a + (size_t)min(row0 + i, x.m - 1) * x.a_pitch;
#pragma unroll 4
    for (int k = tid; k < x.k; k += DOT_THREADS) {
        float b[COLUMNS];

#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            b[j] = __ldg(x.b + (size_t)k * x.b_pitch + min(j, x.n - 1));
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const float from_a = __ldg(a[i] + k);

#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                sums[i * COLUMNS + j] = fmaf(from_a, b[j], sums[i * COLUMNS + j]);
        }
    }
#pragma unroll
    for (int e = 0; e < SUMS; e++) {
        for (int distance = 16; distance > 0; distance /= 2)
            sums[e] += __shfl_xor_sync(~0u, sums[e], distance);
        if (tid % 32 == 0)
            all[tid / 32][e] = sums[e];
    }
    __syncthreads();

    const int row = row0 + tid / COLUMNS, column = tid % COLUMNS;

    if (tid < SUMS && row < x.m && column < x.n) {
        float sum = 0;

        for (int warp = 0; warp < DOT_THREADS / 32; warp++)
            sum += all[warp][tid];
        x.c[(size_t)row * x.c_pitch + column] = sum;
    }
}

constexpr int STRIP_WARPS = 16, STRIP_K = 512; // warps of a block; k of A in shared memory

/*
 * At most ROWS rows. A block has 32 columns and a part of k, which its warps share; x.part_k is a multiple of nothing.
 * The last block of some columns adds up the parts.
 */
template <int ROWS> __global__ void __launch_bounds__(32 * STRIP_WARPS) multiply_rows(const product x)
{
    __shared__ float all[STRIP_WARPS][ROWS][32];
    __shared__ __align__(16) float rows_of_a[STRIP_K][ROWS];
    __shared__ bool is_last;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
    const int k_first = blockIdx.y * x.part_k, k_end = min(x.k, k_first + x.part_k);
    const float *b = x.b + min(column, x.n - 1);
    float sums[ROWS] = {};

    for (int first = k_first; first < k_end; first += STRIP_K) {
        const int end = min(k_end, first + STRIP_K);

        for (int e = threadIdx.x; e < ROWS * STRIP_K; e += 32 * STRIP_WARPS)
            if (first + e % STRIP_K < end)
                rows_of_a[e % STRIP_K][e / STRIP_K] =
                    __ldg(x.a + (size_t)min(e / STRIP_K, x.m - 1) * x.a_pitch + first + e % STRIP_K);
        __syncthreads();
#pragma unroll 8
        for (int k = first + warp; k < end; k += STRIP_WARPS) {
            const float from_b = __ldg(b + (size_t)k * x.b_pitch);

#pragma unroll
            for (int i = 0; i < ROWS; i++)
                sums[i] = fmaf(rows_of_a[k - first][i], from_b, sums[i]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        all[warp][i][lane] = sums[i];
    __syncthreads();

    const int row = warp;
    float sum = 0;

    if (row < ROWS)
        for (int w = 0; w < STRIP_WARPS; w++)
            sum += all[w][row][lane];
    if (x.parts > 1) {
        float *own = x.partial + ((size_t)blockIdx.x * x.parts + blockIdx.y) * (ROWS * 32);

        if (row < ROWS)
            own[row * 32 + lane] = sum;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            is_last = atomicInc(&x.arrived[blockIdx.x], x.parts - 1) == x.parts - 1; // and 0 again
        __syncthreads();
        if (!is_last)
            return;
        __threadfence();
        own = x.partial + (size_t)blockIdx.x * x.parts * (ROWS * 32) + row * 32 + lane;
        sum = 0;
        if (row < ROWS)
#pragma unroll 8
            for (int part = 0; part < x.parts; part++)
                sum += __ldcg(own + part * (ROWS * 32));
    }
    if (row < ROWS && row < x.m && column < x.n)
        x.c[(size_t)row * x.c_pitch + column] = sum;
}

/* ------------------------------------------------------------------ cutting */

constexpr int GROUP = 64, SLAB = 64, SPAN = 128;         // lines of a block of halves; its k; k with one scale
constexpr int HALVES = GROUP * SLAB * 2, BLOCK = 2 * HALVES; // bytes of a block's high or low parts, and of both
constexpr int NOTHING = -1000;                           // as an exponent: all elements are zero

/* Lets the next kernel of the stream start; it waits by await_last() for what this one does. */
__device__ __forceinline__ void allow_next() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void await_last() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/* What is known of a row of A or a column of B. */
struct line {
    int exponent; // of its largest element, less 14: it was divided by 2 to this
    float norm;   // an upper bound of its 2-norm, scaled
    float lost;   // of that of what its halves miss, of elements where it is more than 2^-23 of the element; scaled
    float root;   // sqrt(elements other than 0) 2^-24
};

/* Of a span of a line: the exponent of its largest element; at last 2 to this exponent less the line's. */
union scale {
    int exponent;
    float factor;
};

/* A or B: what it is made of, and its halves. */
struct factor {
    const float *x;
    int pitch;                     // elements from a row to the next
    int end, k;                    // lines (rows of A, columns of B); k
    int slabs, spans, padded;      // of k, rounded up; lines, a multiple of 128
    unsigned char *halves;         // [groups][slabs] blocks: [high, low][64][64], with 128 bytes a row, swizzled
    union scale *scales;           // [spans][padded]
    float4 *records;               // [spans][padded]: sums of squares of elements and of losses; terms
    line *lines;                   // [padded]
    unsigned long long *uneven;    // [groups], bit s: of some line, span 2 s or 2 s + 1 is scaled by less than the line
    unsigned *arrived;             // [groups] blocks, 0 before and after
};

/* 2^e, for e from -126 to 127. */
__device__ __forceinline__ float power(int e) { return __int_as_float((e + 127) << 23); }

/* The exponent of a positive float of these bits, of a subnormal one too. */
__device__ __forceinline__ int exponent_of(unsigned bits)
{
    if (bits >= 0x00800000u)
        return (int)(bits >> 23) - 127;
    return bits == 0 ? NOTHING : -118 - __clz(bits);
}

/* What a thread has seen of a line in a span. */
struct tally {
    float squares, losses;
    int terms;
};

__device__ __forceinline__ uint32_t bits(__half2 x) { return *(uint32_t *)&x; }

/* Two neighbours' high parts, and low parts. */
struct cut_pair {
    __half2 high, low;
};

__device__ __forceinline__ void count_loss(float x, float scaled, float loss, tally &seen)
{
    if (x != 0 && fabsf(scaled) < 0x1p-100f)
        loss = 0x1p-100f; // the scaling itself may have rounded
    if (loss > 0x1p-23f * fabsf(scaled))
        seen.losses = fmaf(loss, loss, seen.losses);
    seen.squares = fmaf(scaled, scaled, seen.squares);
    seen.terms += x != 0;
}

/* Cuts two neighbours, each multiplied by a power of two in two steps: it may be beyond float's range. */
__device__ __forceinline__ cut_pair cut_two(const float2 &x, const float2 &scale, const float2 &again, tally &seen_x,
                                            tally &seen_y)
{
    const float2 scaled = {x.x * scale.x * again.x, x.y * scale.y * again.y};
    const __half2 high = __floats2half2_rn(scaled.x, scaled.y);
    const float2 rest = {scaled.x - __low2float(high), scaled.y - __high2float(high)};
    const __half2 low = __floats2half2_rn(rest.x, rest.y);

    count_loss(x.x, scaled.x, fabsf(rest.x - __low2float(low)), seen_x);
    count_loss(x.y, scaled.y, fabsf(rest.y - __high2float(low)), seen_y);
    return {high, low};
}


/*
 * Eight neighbours of a row; zeros behind its end. Wherever they begin, three aligned vectors of four hold them. A
 * register cannot be indexed, so they are shifted by one place and by two where they must be.
 */
__device__ __forceinline__ void get_eight(float (&x)[8], const float *from, int left)
{
    const int before = (int)((uintptr_t)from / sizeof(float) % 4);
    float all[12] = {};

    if (left < 12) {
#pragma unroll
        for (int e = 0; e < 8; e++)
            x[e] = e < left ? __ldg(from + e) : 0.0f;
        return;
    }
    *(float4 *)&all[0] = __ldg((const float4 *)(from - before));
    *(float4 *)&all[4] = __ldg((const float4 *)(from - before) + 1);
    if (before != 0)
        *(float4 *)&all[8] = __ldg((const float4 *)(from - before) + 2);
#pragma unroll
    for (int e = 0; e < 10; e++)
        all[e] = before & 1 ? all[e + 1] : all[e];
#pragma unroll
    for (int e = 0; e < 8; e++)
        x[e] = before & 2 ? all[e + 2] : all[e];
}

/* What all spans of a line have in common with what it says of them. Four threads a line. */
__device__ void merge_spans(const factor &f, int group)
{
    __shared__ int exponents[4][GROUP];
    __shared__ float3 sums[4][GROUP];
    __shared__ unsigned long long uneven;
    const int own = threadIdx.x % GROUP, part = threadIdx.x / GROUP, l = group * GROUP + own;
    unsigned long long bits = 0;
    float3 sum = {0, 0, 0};
    int most = NOTHING;

    if (threadIdx.x == 0)
        uneven = 0;
#pragma unroll 4
    for (int s = part; s < f.spans; s += 4)
        most = max(most, __ldcg(&f.scales[(size_t)s * f.padded + l].exponent));
    exponents[part][own] = most;
    __syncthreads();
    for (int p = 0; p < 4; p++)
        most = max(most, exponents[p][own]);
#pragma unroll 4
    for (int s = part; s < f.spans; s += 4) {
        const int exponent = __ldcg(&f.scales[(size_t)s * f.padded + l].exponent);
        const float4 record = __ldcg(&f.records[(size_t)s * f.padded + l]);
        const bool apart = exponent - most < -60; // the product leaves such a span out
        const float scale = power(2 * max(exponent - most, -60));

        if (exponent < most && exponent != NOTHING)
            bits |= 1ull << s / 2;
        sum.x += record.x * scale;
        sum.y += (apart && exponent != NOTHING ? record.x : record.y) * scale;
        f.scales[(size_t)s * f.padded + l].factor = apart ? 0.0f : power(exponent - most);
        sum.z += record.z;
    }
    sums[part][own] = sum;
    if (bits)
        atomicOr(&uneven, bits);
    __syncthreads();
    if (part == 0) {
        for (int p = 1; p < 4; p++)
            sum = {sum.x + sums[p][own].x, sum.y + sums[p][own].y, sum.z + sums[p][own].z};
        /* The factors are more than what these few roundings can take away. */
        f.lines[l] = {max(most, -200) - 14, 1.01f * sqrtf(sum.x), 1.01f * sqrtf(sum.y), sqrtf(sum.z) * 0x1p-24f};
    }
    if (threadIdx.x == 0)
        f.uneven[group] = uneven;
}

/*
 * A block of 256 threads cuts a span of 64 lines. Each thread has eight neighbours of memory in each of four passes: of
 * rows, a warp has all k of two rows in a pass; of columns, eight threads have all lines of a k.
 */
template <bool COLUMNS> __device__ void cut_span(const factor &f, int group, int span)
{
    __shared__ unsigned most_of[8][GROUP];
    __shared__ tally seen_of[8][GROUP];
    __shared__ bool is_last;
    constexpr int PASSES = GROUP * SPAN / 256 / 8, OWN = COLUMNS ? 8 : PASSES; // OWN: lines that a thread has a part of
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, row = warp * 2 + lane / 16; // row: of pass 0
    float x[PASSES][8];
    unsigned most[OWN] = {};
    float scale[OWN], again[OWN];
    bool special[OWN];
    tally seen[OWN] = {};

#pragma unroll
    for (int i = 0; i < PASSES; i++) {
        const int l = group * GROUP + (COLUMNS ? tid % 8 * 8 : row + 16 * i);
        const int k = span * SPAN + (COLUMNS ? tid / 8 + 32 * i : lane % 16 * 8);
        const bool there = l < f.end && k < f.k;
        const size_t at = COLUMNS ? (size_t)k * f.pitch + l : (size_t)l * f.pitch + k;

        get_eight(x[i], f.x + (there ? at : 0), there ? (COLUMNS ? f.end - l : f.k - k) : 0);
#pragma unroll
        for (int e = 0; e < 8; e++)
            most[COLUMNS ? e : i] = max(most[COLUMNS ? e : i], __float_as_uint(x[i][e]) & 0x7fffffffu);
    }

    /* most: of the lines of this thread, by all threads that have a part of them. */
#pragma unroll
    for (int q = 0; q < OWN; q++)
        if (COLUMNS) {
            most[q] = max(most[q], __shfl_xor_sync(~0u, most[q], 8));
            most[q] = max(most[q], __shfl_xor_sync(~0u, most[q], 16));
            if (lane < 8)
                most_of[warp][lane * 8 + q] = most[q];
        } else {
            for (int distance = 1; distance < 16; distance *= 2)
                most[q] = max(most[q], __shfl_xor_sync(~0u, most[q], distance));
        }
    if (COLUMNS) {
        __syncthreads();
        if (tid < GROUP) {
            unsigned all = most_of[0][tid];

            for (int w = 1; w < 8; w++)
                all = max(all, most_of[w][tid]);
            most_of[0][tid] = all;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < OWN; q++)
            most[q] = most_of[0][tid % 8 * 8 + q];
    }
#pragma unroll
    for (int q = 0; q < OWN; q++) {
        /* An infinity or NaN takes part as zero, and with it its line in this span; all its elements are lost. */
        const int shift = most[q] == 0 ? 0 : 14 - exponent_of(most[q]);

        special[q] = most[q] >= 0x7f800000u;
        scale[q] = power(shift / 2);
        again[q] = power(shift - shift / 2);
    }

#pragma unroll
    for (int i = 0; i < PASSES; i++) {
        const int at = COLUMNS ? (tid / 8 + 32 * i) % SLAB : row + 16 * i; // a row of the block of halves
        const int slab = span * (SPAN / SLAB) + (COLUMNS ? (tid / 8 + 32 * i) / SLAB : lane % 16 / 8);
        cut_pair pairs[4];

#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int p = COLUMNS ? 2 * e : i, q = COLUMNS ? 2 * e + 1 : i;

            pairs[e] = cut_two({special[p] ? 0.0f : x[i][2 * e], special[q] ? 0.0f : x[i][2 * e + 1]},
                               {scale[p], scale[q]}, {again[p], again[q]}, seen[p], seen[q]);
        }
        if (slab < f.slabs) {
            unsigned char *to = f.halves + ((size_t)group * f.slabs + slab) * BLOCK + at * 128 +
                                ((tid % 8 ^ at % 8) << 4);

            *(uint4 *)to = make_uint4(bits(pairs[0].high), bits(pairs[1].high), bits(pairs[2].high),
                                      bits(pairs[3].high));
            *(uint4 *)(to + HALVES) = make_uint4(bits(pairs[0].low), bits(pairs[1].low), bits(pairs[2].low),
                                                 bits(pairs[3].low));
        }
    }

#pragma unroll
    for (int q = 0; q < OWN; q++) {
        for (int distance = COLUMNS ? 8 : 1; distance < (COLUMNS ? 32 : 16); distance *= 2) {
            seen[q].squares += __shfl_xor_sync(~0u, seen[q].squares, distance);
            seen[q].losses += __shfl_xor_sync(~0u, seen[q].losses, distance);
            seen[q].terms += __shfl_xor_sync(~0u, seen[q].terms, distance);
        }
        if (COLUMNS && lane < 8)
            seen_of[warp][lane * 8 + q] = seen[q];
        if (!COLUMNS && lane % 16 == 0) {
            seen_of[0][row + 16 * q] = seen[q];
            most_of[0][row + 16 * q] = most[q];
        }
    }
    __syncthreads();
    if (tid < GROUP) {
        tally all = seen_of[0][tid];
        const unsigned largest = most_of[0][tid];
        const bool lost = largest >= 0x7f800000u;
        const size_t at = (size_t)span * f.padded + group * GROUP + tid;

        for (int w = 1; COLUMNS && w < 8; w++)
            all = {all.squares + seen_of[w][tid].squares, all.losses + seen_of[w][tid].losses,
                   all.terms + seen_of[w][tid].terms};
        f.scales[at].exponent = lost ? NOTHING : exponent_of(largest);
        f.records[at] = make_float4(all.squares, lost ? __int_as_float(0x7f800000) : all.losses, all.terms, 0);
    }

    /* The block of a group that comes last sums up. */
    __threadfence();
    __syncthreads();
    if (tid == 0)
        is_last = atomicInc(&f.arrived[group], f.spans - 1) == f.spans - 1; // and 0 again

    __syncthreads();
    if (is_last) {
        __threadfence();
        merge_spans(f, group);
    }
}

/* blockIdx.x: the span; blockIdx.y: the group, of those of A from `a_first` on, then of those of B. */
__global__ void __launch_bounds__(256, 3) cut(const factor a, int a_first, int a_groups, const factor b, int b_first)
{
    allow_next();
    if ((int)blockIdx.y < a_groups)
        cut_span<false>(a, a_first + blockIdx.y, blockIdx.x);
    else
        cut_span<true>(b, b_first + blockIdx.y - a_groups, blockIdx.x);
}

/* ------------------------------------------------------------------ the product on tensor cores */

/* The part of C that a launch computes: rows and columns from `row` and `column`, multiples of 128, to the ends. */
struct rectangle {
    int row, column, row_end, column_end;
};

constexpr int BM = 128, BN = 128, STAGES = 3;
constexpr int STAGE = 4 * BLOCK; // two blocks of A, two of B
constexpr int SHARED = 1024 + STAGES * STAGE + 16 * STAGES;
constexpr int THREADS = 384;

/* What a launch does. Of its tiles the first `whole` are computed by one block each, the others by `parts`. */
struct job {
    factor a, b;
    float *c;
    int c_pitch;
    rectangle part;
    int tiles_m, tiles_n, whole, parts;
    float *partial; // [tiles - whole][parts][BM][BN]
};

/* Tiles follow each other down groups of tile rows, so that those in flight share rows and columns. */
__device__ __forceinline__ void find_tile(const job &x, int tile, int &row, int &column)
{
    constexpr int HEIGHT = 12;
    const int group = tile / (HEIGHT * x.tiles_n), in_group = tile % (HEIGHT * x.tiles_n);
    const int height = min(HEIGHT, x.tiles_m - group * HEIGHT);

    row = x.part.row + (group * HEIGHT + in_group % height) * BM;
    column = x.part.column + in_group / height * BN;
}

/* A tile, or a part of one: which slabs, and where its sums go. */
struct unit {
    int row, column, slab, slab_end, number; // number: of the part in `partial`, -1 of a whole tile
};

__device__ __forceinline__ unit find_unit(const job &x, int u)
{
    unit found = {0, 0, 0, x.a.slabs, -1};
    int tile = u;

    if (u >= x.whole) {
        const int part = (u - x.whole) % x.parts;

        found.number = u - x.whole;
        tile = x.whole + found.number / x.parts;
        found.slab = (int)((long long)x.a.slabs * part / x.parts);
        found.slab_end = (int)((long long)x.a.slabs * (part + 1) / x.parts);
    }
    find_tile(x, tile, found.row, found.column);
    return found;
}

/*
 * An element of C in float32, by all lanes of a warp; false as soon as one of its products is larger than `enough`.
 * That may be beyond float's range.
 */
__device__ bool compute_anew(const float *row, const float *column, int pitch, int k, double enough, float &sum)
{
    constexpr int BATCH = 16; // loads under way
    float most = 0;

    sum = 0;
    for (int first = 0; first < k; first += 32 * BATCH) {
        float a[BATCH], b[BATCH];

#pragma unroll
        for (int e = 0; e < BATCH; e++) {
            const int at = first + 32 * e + (int)threadIdx.x % 32;

            a[e] = at < k ? row[at] : 0.0f;
            b[e] = at < k ? column[(size_t)at * pitch] : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < BATCH; e++) {
            most = fmaxf(most, fabsf(a[e] * b[e]));
            sum = fmaf(a[e], b[e], sum);
        }
        if ((double)__uint_as_float(__reduce_max_sync(~0u, __float_as_uint(most))) > enough)
            return false;
    }
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    return true;
}

/* By how much a sum of products may err through what the halves of its lines have lost. */
__device__ __forceinline__ float loss_of(const line &a, const line &b) { return fmaf(a.lost, b.norm, a.norm * b.lost); }

/* Whether that may be too much. */
__device__ __forceinline__ bool is_lost(const line &a, const line &b, float sum)
{
    return !(loss_of(a, b) <= fminf(a.root, b.root) * fabsf(sum));
}

/* The element of C that a sum stands for: in double where the exponent is beyond float's; rounded once. */
__device__ __forceinline__ float unscale(float sum, int exponent)
{
    if (exponent > 127 || exponent < -126)
        return (float)((double)sum * __hiloint2double((1023 + exponent) << 20, 0));
    return sum * power(exponent);
}

/*
 * All lanes of a warp look after the elements (row, column) of those lanes that have `lost`. The rule allows an error
 * of 4 sqrt(n) 2^-24 times the root of the sum of the squares of the products. So a single product that is large enough
 * shows that the element is right, and in most matrices one is found soon. Else the element is computed anew.
 */
__device__ __noinline__ void mend(const job &x, int row, int column, bool lost)
{
    for (unsigned left = __ballot_sync(~0u, lost); left; left &= left - 1) {
        const int other = __ffs(left) - 1, r = __shfl_sync(~0u, row, other), c = __shfl_sync(~0u, column, other);
        const line a = x.a.lines[r], b = x.b.lines[c];
        const double enough = (double)loss_of(a, b) / (2 * fminf(a.root, b.root)) *
                              __hiloint2double((1023 + a.exponent + b.exponent) << 20, 0);
        float element;

        if (compute_anew(x.a.x + (size_t)r * x.a.pitch, x.b.x + c, x.b.pitch, x.a.k, enough, element) &&
            (int)threadIdx.x % 32 == other)
            x.c[(size_t)r * x.c_pitch + c] = element;
    }
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Arrives, and says how many bytes must arrive too. */
__device__ __forceinline__ void barrier_expect(uint32_t barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nagain%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again%=;\n}"
                 ::"r"(barrier), "r"(parity)
                 : "memory");
}

/* Bytes and addresses are multiples of 16. */
__device__ __forceinline__ void bring(uint32_t to, const void *from, int bytes, uint32_t barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* A descriptor of swizzled halves. leading: from 64 columns of B to the next; stride: eight rows of 128 bytes. */
__device__ __forceinline__ uint64_t describe(uint32_t address, uint32_t leading)
{
    const uint64_t stride = 8 * 128, swizzled = 1;

    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 | stride >> 4 << 32 | swizzled << 62;
}

#define FLOATS_4(x, i) "+f"((x)[i]), "+f"((x)[(i) + 1]), "+f"((x)[(i) + 2]), "+f"((x)[(i) + 3])
#define FLOATS_16(x, i) FLOATS_4(x, i), FLOATS_4(x, (i) + 4), FLOATS_4(x, (i) + 8), FLOATS_4(x, (i) + 12)

/* d {+}= a b: 64 x 128 of 16 products; a's rows are k, b's rows are columns. */
__device__ __forceinline__ void multiply_16(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
                 "%59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 1;\n}"
                 : FLOATS_16(d, 0), FLOATS_16(d, 16), FLOATS_16(d, 32), FLOATS_16(d, 48)
                 : "l"(a), "l"(b), "r"(add));
}

/* Starts the products of a slab. The smallest come first: tensor cores cut sums off, at their size at the time. */
__device__ __forceinline__ void begin_slab(float (&d)[64], uint32_t a, uint32_t b)
{
    const uint64_t a_high = describe(a, 0), a_low = describe(a + HALVES, 0);
    const uint64_t b_high = describe(b, BLOCK), b_low = describe(b + HALVES, BLOCK);

    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < SLAB / 16; step++) {
        multiply_16(d, a_low + 2 * step, b_high + 128 * step, step > 0);
        multiply_16(d, a_high + 2 * step, b_low + 128 * step, 1);
        multiply_16(d, a_high + 2 * step, b_high + 128 * step, 1);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until at most PENDING slabs are under way, and keeps the compiler from reading d before. */
template <int PENDING> __device__ __forceinline__ void await_slab(float (&d)[64])
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#pragma unroll
    for (int i = 0; i < 64; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* One thread brings the slabs of all units of this block. */
__device__ __forceinline__ void bring_units(const job &x, int units, uint32_t stages, uint32_t full, uint32_t empty)
{
    int stage = 0;
    uint32_t parity = 1;

    for (int u = blockIdx.x; u < units; u += gridDim.x) {
        const unit w = find_unit(x, u);
        const int a_group = w.row / GROUP, b_group = w.column / GROUP;
        const bool a_two = w.row + GROUP < x.part.row_end, b_two = w.column + GROUP < x.part.column_end;

        for (int slab = w.slab; slab < w.slab_end; slab++) {
            const uint32_t to = stages + stage * STAGE, barrier = full + 8 * stage;
            const unsigned char *a = x.a.halves + ((size_t)a_group * x.a.slabs + slab) * BLOCK;
            const unsigned char *b = x.b.halves + ((size_t)b_group * x.b.slabs + slab) * BLOCK;

            barrier_wait(empty + 8 * stage, parity);
            barrier_expect(barrier, (2 + a_two + b_two) * BLOCK);
            bring(to, a, BLOCK, barrier);
            bring(to + 2 * BLOCK, b, BLOCK, barrier);
            if (b_two)
                bring(to + 3 * BLOCK, b + (size_t)x.b.slabs * BLOCK, BLOCK, barrier);
            if (a_two)
                bring(to + BLOCK, a + (size_t)x.a.slabs * BLOCK, BLOCK, barrier);
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
}

/* Where a thread's sums lie in the 64 x 128 of its group of warps: [row + 8 (e / 2 % 2)][column + e / 4 * 8 + e % 2] */
struct place {
    int row, column;
};

/* sums += chunk, in the scale of the lines. `even`: that is its own; else rows, columns: the factors of their spans. */
__device__ __forceinline__ void add_slab(float (&sums)[64], const float (&chunk)[64], bool even, const place &at,
                                         const scale *rows, const scale *columns)
{
    if (even) {
#pragma unroll
        for (int e = 0; e < 64; e++)
            sums[e] += chunk[e];
        return;
    }

    const float row[2] = {__ldg(&rows[at.row].factor), __ldg(&rows[at.row + 8].factor)};

#pragma unroll
    for (int j = 0; j < 16; j++) {
        const float2 c = __ldg((const float2 *)&columns[at.column + j * 8]);

        sums[j * 4 + 0] = fmaf(chunk[j * 4 + 0], row[0] * c.x, sums[j * 4 + 0]);
        sums[j * 4 + 1] = fmaf(chunk[j * 4 + 1], row[0] * c.y, sums[j * 4 + 1]);
        sums[j * 4 + 2] = fmaf(chunk[j * 4 + 2], row[1] * c.x, sums[j * 4 + 2]);
        sums[j * 4 + 3] = fmaf(chunk[j * 4 + 3], row[1] * c.y, sums[j * 4 + 3]);
    }
}

__device__ __forceinline__ void named_wait(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* Writes a thread's elements of C. columns: what is known of the tile's. */
__device__ __forceinline__ void put_tile(const job &x, const unit &w, const place &at, const line *columns,
                                         const float (&sums)[64])
{
    const bool pairs = x.c_pitch % 2 == 0;
    unsigned lost[2] = {}; // bit j * 2 + e of [i]

#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int row = w.row + at.row + 8 * i;
        const line a = x.a.lines[row];
        float *const to = x.c + (size_t)row * x.c_pitch + w.column;

#pragma unroll
        for (int j = 0; j < 16; j++) {
            const int column = at.column + j * 8;
            const int left = row < x.part.row_end ? x.part.column_end - w.column - column : 0;
            const line b[2] = {columns[column], columns[column + 1]};
            const float2 sum = {sums[j * 4 + i * 2], sums[j * 4 + i * 2 + 1]};
            const float2 c = {unscale(sum.x, a.exponent + b[0].exponent), unscale(sum.y, a.exponent + b[1].exponent)};

            if (left > 1 && pairs) {
                *(float2 *)(to + column) = c;
            } else {
                if (left > 0)
                    to[column] = c.x;
                if (left > 1)
                    to[column + 1] = c.y;
            }
            if (left > 0 && is_lost(a, b[0], sum.x))
                lost[i] |= 1u << 2 * j;
            if (left > 1 && is_lost(a, b[1], sum.y))
                lost[i] |= 2u << 2 * j;
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        for (unsigned any = __reduce_or_sync(~0u, lost[i]); any; any &= any - 1) {
            const int e = __ffs(any) - 1;

            mend(x, w.row + at.row + 8 * i, w.column + at.column + e / 2 * 8 + e % 2, lost[i] >> e & 1);
        }
}

/* A group of four warps computes 64 rows of each unit. */
__device__ __forceinline__ void compute_units(const job &x, int units, uint32_t stages, uint32_t full, uint32_t empty,
                                              int group, line *columns)
{
    const int own = threadIdx.x % 128, warp = own / 32, lane = own % 32;
    const place at = {group * 64 + warp * 16 + lane / 4, lane % 4 * 2};
    int stage = 0;
    uint32_t parity = 0;

    for (int u = blockIdx.x; u < units; u += gridDim.x) {
        const unit w = find_unit(x, u);
        const bool idle = w.row + group * GROUP >= x.part.row_end;
        const int a_group = w.row / GROUP, b_group = w.column / GROUP;
        const bool b_two = w.column + GROUP < x.part.column_end;
        float sums[64] = {}, chunk[2][64];

        if (idle) { // but the other group waits for the places
            for (int slab = w.slab; slab < w.slab_end; slab++) {
                barrier_wait(full + 8 * stage, parity);
                if (lane == 0)
                    barrier_arrive(empty + 8 * stage);
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
            continue;
        }

        const unsigned long long uneven =
            x.a.uneven[a_group + group] | x.b.uneven[b_group] | (b_two ? x.b.uneven[b_group + 1] : 0);
        const line own_column = x.b.lines[w.column + own];

        auto begin = [&](float (&d)[64]) {
            const uint32_t from = stages + stage * STAGE;

            barrier_wait(full + 8 * stage, parity);
            begin_slab(d, from + group * BLOCK, from + 2 * BLOCK);
        };
        auto end = [&](float (&d)[64], int slab, int of_stage) {
            const size_t span = slab / (SPAN / SLAB);

            add_slab(sums, d, !(uneven >> span / 2 & 1), at, x.a.scales + span * x.a.padded + w.row,
                     x.b.scales + span * x.b.padded + w.column);
            __syncwarp();
            if (lane == 0)
                barrier_arrive(empty + 8 * of_stage);
        };
        auto advance = [&]() {
            const int was = stage;

            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
            return was;
        };

        begin(chunk[0]);
        for (int slab = w.slab;;) {
            int was = advance();

            if (slab + 1 < w.slab_end) {
                begin(chunk[1]);
                await_slab<1>(chunk[0]);
                end(chunk[0], slab++, was);
            } else {
                await_slab<0>(chunk[0]);
                end(chunk[0], slab++, was);
                break;
            }
            was = advance();
            if (slab + 1 < w.slab_end) {
                begin(chunk[0]);
                await_slab<1>(chunk[1]);
                end(chunk[1], slab++, was);
            } else {
                await_slab<0>(chunk[1]);
                end(chunk[1], slab++, was);
                break;
            }
        }

        if (w.number >= 0) {
            float *to = x.partial + (size_t)w.number * (BM * BN) + at.row * BN + at.column;

#pragma unroll
            for (int e = 0; e < 64; e += 2)
                *(float2 *)(to + e / 2 % 2 * 8 * BN + e / 4 * 8) = make_float2(sums[e], sums[e + 1]);
            continue;
        }
        named_wait(1 + group, 128); // all have read the columns of the tile before
        columns[own] = own_column;
        named_wait(1 + group, 128);
        put_tile(x, w, at, columns, sums);
    }
}

#endif

__global__ void __launch_bounds__(THREADS, 1) multiply(const __grid_constant__ job x, int units)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(16) unsigned char unaligned[];
    __shared__ line columns[2][BN];
    const uint32_t start = (uint32_t)__cvta_generic_to_shared(unaligned), stages = (start + 1023) & ~1023u;
    const uint32_t full = stages + STAGES * STAGE, empty = full + 8 * STAGES;
    const int group = threadIdx.x / 128;

    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 8);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    allow_next();
    await_last();
    __syncthreads();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 256)
            bring_units(x, units, stages, full, empty);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        compute_units(x, units, stages, full, empty, group, columns[group]);
    }
#endif
}

/* Adds up the parts of tiles. blockIdx.x: the tile; blockIdx.y: eight of its rows, one a warp. */
__global__ void __launch_bounds__(256) add_parts(const __grid_constant__ job x)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, in_tile = blockIdx.y * 8 + warp;
    const float *from = x.partial + (size_t)blockIdx.x * x.parts * (BM * BN) + in_tile * BN + lane;
    int row, column;

    find_tile(x, x.whole + blockIdx.x, row, column);
    row += in_tile;
    column += lane;
    if (row >= x.part.row_end)
        return;

    await_last();

    const line a = x.a.lines[row];
    float sums[BN / 32] = {};

#pragma unroll 4
    for (int part = 0; part < x.parts; part++)
#pragma unroll
        for (int j = 0; j < BN / 32; j++)
            sums[j] += __ldcg(from + (size_t)part * (BM * BN) + j * 32);
#pragma unroll
    for (int j = 0; j < BN / 32; j++) {
        const int at = column + j * 32;
        const bool inside = at < x.part.column_end;
        const line b = x.b.lines[at];

        if (inside)
            x.c[(size_t)row * x.c_pitch + at] = unscale(sums[j], a.exponent + b.exponent);
        mend(x, row, at, inside && is_lost(a, b, sums[j]));
    }
}

/* ------------------------------------------------------------------ what is kept */

constexpr int PANELS = 8, SIDE = 16384, MOST_TILES = 1 << 16;
constexpr int LEAST_K = 64; // for tensor cores: few products of a wide range excuse few errors
constexpr size_t ELEMENTS = 402653184, SLACK = 256 << 20; // of the largest case; for padding and the like, in bytes
constexpr size_t PARTIAL = 16 << 20;                      // elements of partial sums

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, compute;
    cudaEvent_t arrived[2 * PANELS], computed[2 * PANELS];
    unsigned char *memory; // of the device
    float *partial;
    unsigned *counters; // MOST_TILES; zero between launches
    size_t size;
    int multiprocessors;
    bool hopper, ready;
} device;

using square_32 = shape<1, 1, 8, 8, 4, 8, 64, 4>;
using square_64 = shape<2, 2, 2, 8, 4, 8, 32, 4>;
using tall_128 = shape<4, 2, 1, 8, 4, 8, 16, 4>;
using short_8 = shape<1, 1, 8, 1, 8, 4, 64, 3>;
using thin_8 = shape<1, 1, 8, 32, 4, 8, 64, 3>;
using short_16 = shape<1, 2, 4, 1, 16, 4, 32, 3>;
using thin_16 = shape<2, 1, 4, 32, 4, 16, 32, 3>;

/* Rows that a block of multiply_columns has; rows or columns that a kernel for few of them is compiled for. */
static int dot_rows(int m) { return m < 8 * device.multiprocessors ? 1 : DOT_ROWS; }
static int lines_of(int lines) { return lines <= 2 ? lines : lines <= 4 ? 4 : 8; }

/* ------------------------------------------------------------------ which kernel, and how many parts */

/*
 * A model of times, in microseconds. Its constants were fitted to thousands of launches at random sizes on an H200; no
 * size of a matrix is among them. A launch of a plain kernel takes LAUNCH. Then each multiprocessor has so many blocks
 * to do, and each of these its slabs. A slab takes `alone` at least, however few blocks there are: that is latency. It
 * takes `busy` where there are many. No kernel is faster than memory. Parts of k cost PARTS and PART each.
 */
constexpr double LAUNCH = 3.7, PARTS = 3.6, PART = 0.095, ODD = 0.19; // ODD: more work where rows of B are not aligned
constexpr double ALONE = 1.05; // a block that is alone gets so much more than its share of memory at least
/* With tensor cores: two launches; a megabyte to be cut; a slab of 64 k of a tile; a tile besides; a megabyte of C; a
 * third launch, and a megabyte of parts. */
constexpr double TENSOR_LAUNCH = 9.4, CUT_MB = 0.69, TENSOR_SLAB = 1.05, TENSOR_TILE = 6.1, PUT_MB = 0.8, ADD = 2.1;
constexpr double ADD_MB = 0.47;

/* What a shape costs: a slab alone, one among many, a block besides, and a megabyte of A, B or C. */
struct cost {
    double alone, busy, besides, megabyte;
};

constexpr int TILE_SHAPES = 7, COLUMNS = 7, ROWS = 8, TENSOR = -1; // shapes: tiles of `tiles`, and other kernels

/* Rows and columns of the tiles of multiply_plain, k of a slab, and the sides of C that they are not made for. */
static const struct {
    int rows, columns, slab, most_rows, most_columns;
} tiles[TILE_SHAPES] = {
    {square_32::BM, square_32::BN, square_32::BK, SIDE, SIDE},
    {square_64::BM, square_64::BN, square_64::BK, SIDE, SIDE},
    {tall_128::BM, tall_128::BN, tall_128::BK, SIDE, SIDE},
    {short_8::BM, short_8::BN, short_8::BK, 32, SIDE},
    {thin_8::BM, thin_8::BN, thin_8::BK, SIDE, 32},
    {short_16::BM, short_16::BN, short_16::BK, 32, SIDE},
    {thin_16::BM, thin_16::BN, thin_16::BK, SIDE, 32},
};

static const cost costs[] = {
    {0.85, 0.57, 1.39, 0.73}, {1.79, 0.96, 1.94, 0.52}, {1.60, 0.92, 3.01, 0.55}, {0.50, 1.51, 0.61, 0.48},
    {1.02, 1.00, 1.04, 0.39}, {3.57, 0.87, 0.50, 0.36}, {1.68, 1.47, 2.86, 0.41}, {0.47, 0.0137, 0.11, 0.42},
    {1.58, 0.0108, 0.00, 0.47},
};

/* How a product is computed. */
struct plan {
    int shape; // of a plain kernel, or TENSOR
    int parts; // of k: of all tiles, or of those that are left by whole waves
    double time;
};

/* Blocks that a multiprocessor has one after the other. */
static double rounds(double blocks) { return std::ceil(blocks / device.multiprocessors); }

/* The slabs of a part, those of them whose latency shows, the blocks of a multiprocessor. `more`: work of a slab. */
static double estimate(const cost &c, double slabs, double latencies, double blocks, double more, double megabytes,
                       int parts)
{
    const double work = std::max(latencies * c.alone, rounds(blocks) * slabs * c.busy * more);

    return LAUNCH + std::max(work + rounds(blocks) * c.besides, megabytes * c.megabyte) +
           (parts > 1 ? PARTS + PART * parts : 0);
}

static double estimate_plain(int shape, int parts, int m, int n, int k)
{
    const double megabytes = 4e-6 * ((double)m * k + (double)k * n + (double)m * n);

    if (shape == COLUMNS) {
        const double slabs = cuts(k, DOT_THREADS), rows = dot_rows(m);

        return estimate(costs[shape], slabs, std::ceil(slabs / 4), cuts(m, (int)rows), rows * (1 + lines_of(n)),
                        megabytes, 1);
    }
    if (shape == ROWS) {
        const double slabs = cuts(cuts(k, parts), STRIP_WARPS);

        return estimate(costs[shape], slabs, std::ceil(slabs / 8), (double)cuts(n, 32) * parts, 1 + lines_of(m),
                        megabytes, parts);
    }

    const double slabs = cuts(cuts(k, parts), tiles[shape].slab);
    const double blocks = (double)cuts(m, tiles[shape].rows) * cuts(n, tiles[shape].columns) * parts;

    const double share = std::max(1.0, ALONE * rounds(blocks) * device.multiprocessors / blocks);

    return estimate(costs[shape], slabs, slabs, blocks, n % 4 ? 1 + ODD : 1, megabytes * share, parts);
}

constexpr int PART_COUNTS[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};

/* Whether a shape is made for such a product, and its parts have room. */
static bool is_possible(int shape, int parts, int m, int n, int k)
{
    if (shape == COLUMNS)
        return n <= 8 && parts == 1;
    if (shape == ROWS)
        return m <= 8 && (parts == 1 || (k / parts >= STRIP_WARPS && (size_t)round_up(n, 32) * 8 * parts <= PARTIAL));

    const size_t blocks = (size_t)cuts(m, tiles[shape].rows) * cuts(n, tiles[shape].columns);

    return m <= tiles[shape].most_rows && n <= tiles[shape].most_columns &&
           (parts == 1 || (k / parts >= tiles[shape].slab / 2 && blocks <= MOST_TILES &&
                           blocks * parts * tiles[shape].rows * tiles[shape].columns <= PARTIAL));
}

static plan choose_plain(int m, int n, int k)
{
    plan best = {0, 1, INFINITY};

    for (int shape = 0; shape <= ROWS; shape++)
        for (int parts : PART_COUNTS) {
            const double time = is_possible(shape, parts, m, n, k) ? estimate_plain(shape, parts, m, n, k) : INFINITY;

            if (time < best.time)
                best = {shape, parts, time};
        }
    return best;
}

/* Tiles that are left by whole waves have their k in parts. Behind many waves blocks no longer end together. */
static int tiles_left(int tiles, int parts)
{
    return parts > 1 && tiles < 16 * device.multiprocessors ? tiles % device.multiprocessors : 0;
}

static double estimate_tensor(int m, int n, int k, int parts)
{
    const double slabs = cuts(k, SLAB), to_cut = 4e-6 * k * (round_up(m, BM) + round_up(n, BN));
    const int tiles = cuts(m, BM) * cuts(n, BN), left = tiles_left(tiles, parts);
    const double whole = rounds(tiles - left) * (slabs * TENSOR_SLAB + TENSOR_TILE);
    const double rest = rounds((double)left * parts) * (std::ceil(slabs / parts) * TENSOR_SLAB + TENSOR_TILE / 2);

    const double added = left > 0 ? ADD + ADD_MB * 4e-6 * BM * BN * left * parts : 0;

    return TENSOR_LAUNCH + to_cut * CUT_MB + std::max(whole + rest, PUT_MB * 4e-6 * m * n) + added;
}

/* In how many parts the rest of the tiles is computed; tensor cores. */
static plan choose_tensor(int m, int n, int k)
{
    plan best = {TENSOR, 1, INFINITY};

    for (int parts : PART_COUNTS) {
        const int left = tiles_left(cuts(m, BM) * cuts(n, BN), parts);
        const bool possible = parts == 1 || (left > 0 && k / parts >= 2 * SLAB &&
                                             (size_t)left * parts * BM * BN <= PARTIAL);
        const double time = possible ? estimate_tensor(m, n, k, parts) : INFINITY;

        if (time < best.time)
            best = {TENSOR, parts, time};
    }
    return best;
}

static plan choose(int m, int n, int k)
{
    const plan plain = choose_plain(m, n, k), tensor = choose_tensor(m, n, k);

    return device.hopper && k >= LEAST_K && tensor.time < plain.time ? tensor : plain;
}

/* ------------------------------------------------------------------ launches */

template <class S> static void launch_shape(product x, int parts, cudaStream_t stream)
{
    const int tiles = cuts(x.m, S::BM) * cuts(x.n, S::BN);

    x.part_k = (int)round_up(cuts(x.k, parts), S::BK);
    x.parts = cuts(x.k, x.part_k);
    const dim3 grid(tiles, x.parts);

    if (x.a_pitch % 4 == 0 && x.b_pitch % 4 == 0 && x.n % 4 == 0)
        multiply_plain<S, 4, 4><<<grid, S::THREADS, S::BYTES, stream>>>(x);
    else if (x.a_pitch % 4 == 0)
        multiply_plain<S, 4, 1><<<grid, S::THREADS, S::BYTES, stream>>>(x);
    else if (x.b_pitch % 4 == 0 && x.n % 4 == 0)
        multiply_plain<S, 1, 4><<<grid, S::THREADS, S::BYTES, stream>>>(x);
    else
        multiply_plain<S, 1, 1><<<grid, S::THREADS, S::BYTES, stream>>>(x);
    CHECK(cudaGetLastError());
}

template <int ROWS> static void launch_columns_of(const product &x, cudaStream_t stream)
{
    if (x.n == 1)
        multiply_columns<ROWS, 1><<<cuts(x.m, ROWS), DOT_THREADS, 0, stream>>>(x);
    else if (x.n == 2)
        multiply_columns<ROWS, 2><<<cuts(x.m, ROWS), DOT_THREADS, 0, stream>>>(x);
    else if (x.n <= 4)
        multiply_columns<ROWS, 4><<<cuts(x.m, ROWS), DOT_THREADS, 0, stream>>>(x);
    else
        multiply_columns<ROWS, 8><<<cuts(x.m, ROWS), DOT_THREADS, 0, stream>>>(x);
}

static void launch_columns(const product &x, cudaStream_t stream)
{
    if (dot_rows(x.m) == 1)
        launch_columns_of<1>(x, stream);
    else
        launch_columns_of<DOT_ROWS>(x, stream);
    CHECK(cudaGetLastError());
}

static void launch_rows(product x, int parts, cudaStream_t stream)
{
    x.part_k = cuts(x.k, parts);
    x.parts = cuts(x.k, x.part_k);

    const dim3 grid(cuts(x.n, 32), x.parts);

    if (x.m == 1)
        multiply_rows<1><<<grid, 32 * STRIP_WARPS, 0, stream>>>(x);
    else if (x.m == 2)
        multiply_rows<2><<<grid, 32 * STRIP_WARPS, 0, stream>>>(x);
    else if (x.m <= 4)
        multiply_rows<4><<<grid, 32 * STRIP_WARPS, 0, stream>>>(x);
    else
        multiply_rows<8><<<grid, 32 * STRIP_WARPS, 0, stream>>>(x);
    CHECK(cudaGetLastError());
}

static void launch_plain(const product &x, const plan &p, cudaStream_t stream)
{
    switch (p.shape) {
    case 0: launch_shape<square_32>(x, p.parts, stream); break;
    case 1: launch_shape<square_64>(x, p.parts, stream); break;
    case 2: launch_shape<tall_128>(x, p.parts, stream); break;
    case 3: launch_shape<short_8>(x, p.parts, stream); break;
    case 4: launch_shape<thin_8>(x, p.parts, stream); break;
    case 5: launch_shape<short_16>(x, p.parts, stream); break;
    case 6: launch_shape<thin_16>(x, p.parts, stream); break;
    case COLUMNS: launch_columns(x, stream); break;
    default: launch_rows(x, p.parts, stream); break;
    }
}

/* Cuts the memory from `at` on for a factor; returns what is left. */
static unsigned char *place_factor(factor &f, const float *x, int pitch, int lines, int k, unsigned *counters,
                                   unsigned char *at)
{
    const size_t padded = round_up(lines, 128), slabs = cuts(k, SLAB), spans = cuts(k, SPAN);
    const size_t sizes[] = {padded / GROUP * slabs * BLOCK, spans * padded * sizeof(scale),
                            spans * padded * sizeof(float4), padded * sizeof(line), padded / GROUP * 8};
    unsigned char *parts[5];

    for (int e = 0; e < 5; e++) {
        parts[e] = at;
        at += round_up(sizes[e], 1024);
    }
    f = {x, pitch, lines, k, (int)slabs, (int)spans, (int)padded, parts[0], (scale *)parts[1], (float4 *)parts[2],
         (line *)parts[3], (unsigned long long *)parts[4], counters};
    return at;
}

/* Places both factors; returns what is left. */
static unsigned char *place_factors(factor &rows, factor &columns, const float *a, const float *b, int m, int n, int k,
                                    unsigned char *at)
{
    at = place_factor(rows, a, k, m, k, device.counters, at);
    return place_factor(columns, b, n, n, k, device.counters + MOST_TILES / 2, at);
}

/* Cuts the rows of A and the columns of B from .first up to .end; there may be none of one of them. */
struct range {
    int first, end;
};

static void launch_cut(const factor &a, range rows, const factor &b, range columns, cudaStream_t stream)
{
    const int a_groups = rows.first < rows.end ? 2 * cuts(rows.end - rows.first, BM) : 0;
    const int b_groups = columns.first < columns.end ? 2 * cuts(columns.end - columns.first, BN) : 0;

    cut<<<dim3(a.spans, a_groups + b_groups), 256, 0, stream>>>(a, rows.first / GROUP, a_groups, b,
                                                               columns.first / GROUP);
    CHECK(cudaGetLastError());
}

/* Launches a kernel that may start before the last one of the stream has ended. */
template <class... PARAMETERS, class... ARGUMENTS>
static void launch_early(void (*kernel)(PARAMETERS...), dim3 grid, int threads, int shared, cudaStream_t stream,
                         ARGUMENTS... arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

static void launch_tensor(const factor &a, const factor &b, float *c, int c_pitch, const rectangle &part, int parts,
                          cudaStream_t stream)
{
    job x = {a, b, c, c_pitch, part, cuts(part.row_end - part.row, BM), cuts(part.column_end - part.column, BN)};
    const int tiles = x.tiles_m * x.tiles_n;
    parts = std::min(parts, a.slabs);

    const int left = tiles_left(tiles, parts), units = tiles + left * (parts - 1);

    x.whole = tiles - left;
    x.parts = parts;
    x.partial = device.partial;
    launch_early(multiply, std::min(units, device.multiprocessors), THREADS, SHARED, stream, x, units);
    if (left > 0)
        launch_early(add_parts, dim3(left, BM / 8), 256, 0, stream, x);

}

__device__ int of_hopper;

__global__ void tell()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    of_hopper = 1;
#else
    of_hopper = 0;
#endif
}

template <class S> static void allow_shared()
{
    for (auto kernel : {multiply_plain<S, 4, 4>, multiply_plain<S, 4, 1>, multiply_plain<S, 1, 4>,
                        multiply_plain<S, 1, 1>})
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::BYTES));
}

static void reserve(size_t size)
{
    if (size <= device.size)
        return;
    CHECK(cudaFree(device.memory));
    CHECK(cudaMalloc(&device.memory, size));
    device.size = size;
}

static void release()
{
    cudaFree(device.memory);
    cudaFree(device.partial);
    cudaFree(device.counters);
    for (cudaStream_t stream : {device.in, device.out, device.compute})
        cudaStreamDestroy(stream);
    for (int e = 0; e < 2 * PANELS; e++) {
        cudaEventDestroy(device.arrived[e]);
        cudaEventDestroy(device.computed[e]);
    }
}

static void prepare()
{
    int hopper;

    if (device.ready)
        return;
    CHECK(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    tell<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&hopper, of_hopper, sizeof hopper));
    device.hopper = hopper != 0;
    CHECK(cudaStreamCreateWithFlags(&device.in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&device.out, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&device.compute, cudaStreamNonBlocking));
    for (int e = 0; e < 2 * PANELS; e++) {
        CHECK(cudaEventCreateWithFlags(&device.arrived[e], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&device.computed[e], cudaEventDisableTiming));
    }
    CHECK(cudaMalloc(&device.partial, PARTIAL * sizeof(float)));
    CHECK(cudaMalloc(&device.counters, MOST_TILES * sizeof(unsigned)));
    CHECK(cudaMemset(device.counters, 0, MOST_TILES * sizeof(unsigned)));
    if (device.hopper)
        CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    allow_shared<square_32>();
    allow_shared<square_64>();
    allow_shared<tall_128>();
    allow_shared<short_8>();
    allow_shared<thin_8>();
    allow_shared<short_16>();
    allow_shared<thin_16>();
    std::atexit(release);
    device.ready = true;
}


/* ------------------------------------------------------------------ panels */

static bool is_page_locked(const void *x)
{
    cudaPointerAttributes attributes;

    if (cudaPointerGetAttributes(&attributes, x) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* How long the panels of a side of `length` are: a multiple of a tile's. */
static int panel_length(int length, bool locked)
{
    const int least = (int)round_up(cuts(length, PANELS), BM);

    return locked ? std::max(1024, least) : (int)round_up(length, BM);
}

/* The matrices on the device; their halves, where tensor cores multiply. */
struct placed {
    float *a, *b, *c;
    factor rows, columns;
    bool tensor;
};

static placed place(int m, int n, int k)
{
    const size_t a = round_up((size_t)m * k * sizeof(float), 1024), b = round_up((size_t)k * n * sizeof(float), 1024);
    const size_t c = round_up((size_t)m * n * sizeof(float), 1024);
    placed at = {};

    at.tensor = choose(m, n, k).shape == TENSOR;
    /* From address 0 on, where they end is how much they take. */
    reserve(a + b + c +
            (at.tensor ? (size_t)place_factors(at.rows, at.columns, nullptr, nullptr, m, n, k, nullptr) : 0));
    at.a = (float *)device.memory;
    at.b = (float *)(device.memory + a);
    at.c = (float *)(device.memory + a + b);
    if (at.tensor)
        place_factors(at.rows, at.columns, at.a, at.b, m, n, k, device.memory + a + b + c);
    return at;
}

/* Multiplies what is there for a rectangle of C; its panels have been cut. */
static void launch_rectangle(const placed &at, int n, int k, const rectangle &part, cudaStream_t stream)
{
    const int rows = part.row_end - part.row, columns = part.column_end - part.column;

    if (at.tensor) {
        launch_tensor(at.rows, at.columns, at.c, n, part, choose_tensor(rows, columns, k).parts, stream);
        return;
    }
    launch_plain({at.a + (size_t)part.row * k, at.b + part.column, at.c + (size_t)part.row * n + part.column, k, n, n,
                  rows, columns, k, 0, 1, device.partial, device.counters},
                 choose_plain(rows, columns, k), stream);
}

extern "C" void device_user_setup(void)
{
    prepare();
    reserve(2 * ELEMENTS * sizeof(float) + SLACK);
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t element = sizeof(float);

    prepare();

    const placed at = place(M, N, K);
    const bool locked = is_page_locked(A) && is_page_locked(B) && is_page_locked(C);
    const int rows = panel_length(M, locked);
    /* Where C is most of it, whole rows: they are copied faster than parts of rows. */
    const int columns = panel_length(N, locked && (long long)M * N <= (long long)K * (M + N));
    int row = 0, column = 0, panel = 0; // how far A and B have come

    for (; row < M || column < N; panel++) {
        /* The matrix of which less is there. */
        const bool of_a = column == N || (row < M && (long long)row * N <= (long long)column * M);
        const int from = of_a ? row : column, to = std::min(of_a ? M : N, from + (of_a ? rows : columns));
        const rectangle part = of_a ? rectangle{from, 0, to, column} : rectangle{0, from, row, to};

        if (of_a)
            CHECK(cudaMemcpyAsync(at.a + (size_t)from * K, A + (size_t)from * K, (size_t)(to - from) * K * element,
                                  cudaMemcpyHostToDevice, device.in));
        else
            CHECK(cudaMemcpy2DAsync(at.b + from, N * element, B + from, N * element, (to - from) * element, K,
                                    cudaMemcpyHostToDevice, device.in));
        (of_a ? row : column) = to;
        CHECK(cudaEventRecord(device.arrived[panel], device.in));
        CHECK(cudaStreamWaitEvent(device.compute, device.arrived[panel]));
        if (at.tensor)
            launch_cut(at.rows, of_a ? range{from, to} : range{0, 0}, at.columns, of_a ? range{0, 0} : range{from, to},
                       device.compute);
        if (part.row == part.row_end || part.column == part.column_end)
            continue; // the first panel is alone

        const size_t first = (size_t)part.row * N + part.column;

        launch_rectangle(at, N, K, part, device.compute);
        CHECK(cudaEventRecord(device.computed[panel], device.compute));
        CHECK(cudaStreamWaitEvent(device.out, device.computed[panel]));
        CHECK(cudaMemcpy2DAsync(C + first, N * element, at.c + first, N * element,
                                (part.column_end - part.column) * element, part.row_end - part.row,
                                cudaMemcpyDeviceToHost, device.out));
    }
    CHECK(cudaStreamSynchronize(device.out));
}
