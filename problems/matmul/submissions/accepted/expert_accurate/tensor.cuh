/*
 * tensor.cuh - the product of halves on tensor cores.
 *
 * wgmma reads both factors from shared memory. One thread of a block brings slabs of 64 k by bulk copies into a ring of
 * three places. Two groups of four warps have 64 x 128 elements of C each. Their registers hold three such tiles: the
 * slab that is being multiplied, the one that has been, and the float32 sums to which it is added meanwhile. So tensor
 * cores never wait for additions. Blocks stay, and take one tile after the other.
 *
 * A last wave of few tiles would leave most multiprocessors without work. Their k is shared out to several blocks
 * instead, and `add_parts` adds up.
 */
#pragma once

#include "cut.cuh"
#include "wgmma.cuh"

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
