/*
 * float32.cuh - products without tensor cores: those that are thin, short or small.
 *
 * There a cut and two more launches take longer than the product itself. `multiply_plain` has block tiles of several
 * shapes, as thin as 8 rows or columns. Its blocks share out k; the last block of a tile adds up their sums, so that
 * there is a single launch. `multiply_columns` and `multiply_rows` are for C of at most 8 columns or rows: there every
 * element of the large factor is read once, and memory is the limit.
 */
#pragma once

#include "common.cuh"

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
/* ------------------------------------------------------------------ a few columns, or a few rows */

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
