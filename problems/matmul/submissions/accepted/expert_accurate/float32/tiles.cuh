/*
 * tiles.cuh - multiply_tiles, for sides of more than 8: the multiply-adds are the limit. See device_user.cu.
 */
#pragma once

#include "cluster.cuh"

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
    float a[2][S::TM], b[2][S::B_READ]; // of this k and the next; if SHIFTED, columns from the 16 bytes they begin in
    int row, column, slice;         // of the thread's first element in the tile
    const float *from_a, *from_b;   // in the first slab's place

    __device__ __forceinline__ worker(const float *memory)
    {
        constexpr int SLICE_ROWS = S::SHIFTED ? 16 : 1;
        const int lane = threadIdx.x % 32;
        const int warp = S::SLICES == 1 ? threadIdx.x / 32 : threadIdx.x / 32 % (S::WARPS_M * S::WARPS_N);

        slice = S::SLICES == 1 ? 0 : threadIdx.x / 32 / (S::WARPS_M * S::WARPS_N);
        row = warp % S::WARPS_M * S::LANES_M * S::TM + lane / S::LANES_N * 4;
        column = warp / S::WARPS_M * S::LANES_N * S::TN + lane % S::LANES_N * (S::SHIFTED ? S::TN : 4);
        from_a = memory + slice * SLICE_ROWS * S::PITCH + row;
        from_b = memory + S::BK * S::PITCH + slice * SLICE_ROWS * S::B_PITCH + column;
    }

    /* The slice's k number `step` of the slab that lies `at` floats behind the first. Slices have every SLICES-th k, or
     * 16 in a row where the k must tell at compile time how far a row is shifted. */
    __device__ __forceinline__ void read(int at, int step, int buffer)
    {
        const int k = step * (S::SHIFTED ? 1 : S::SLICES);

        for (int i = 0; i < S::TM; i += 4)
            *(float4 *)&a[buffer][i] = *(const float4 *)(from_a + at + k * S::PITCH + i * S::LANES_M);
        for (int j = 0; j < S::TN + (step * S::SHIFT % 4 ? 4 : 0); j += 4)
            *(float4 *)&b[buffer][j] =
                *(const float4 *)(from_b + at + k * S::B_PITCH + j * (S::SHIFTED ? 1 : S::LANES_N));
    }

    __device__ __forceinline__ void multiply(int step)
    {
        const int buffer = step % 2, shift = step * S::SHIFT % 4;

        if (S::ORDER & COLUMNS_FIRST)
            for (int j = 0; j < S::TN; j++)
                for (int i = 0; i < S::TM; i++)
                    sums[i][j] = fmaf(a[buffer][i], b[buffer][shift + j], sums[i][j]);
        else
            for (int i = 0; i < S::TM; i++)
                for (int j = 0; j < S::TN; j++)
                    sums[i][j] = fmaf(a[buffer][i], b[buffer][shift + j], sums[i][j]);
    }

    /* Of element [i][j] of sums, in the tile. */
    __device__ __forceinline__ int row_of(int i) const { return row + i / 4 * 4 * S::LANES_M + i % 4; }
    __device__ __forceinline__ int column_of(int j) const
    {
        return S::SHIFTED ? column + j : column + j / 4 * 4 * S::LANES_N;
    }
    __device__ __forceinline__ typename S::piece piece_of(int i, int j) const
    {
        if constexpr (S::SHIFTED)
            return sums[i][j];
        else
            return make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }

    /* To the tile of c, whose rows are `pitch` apart, that begins at row0, column0. */
    __device__ __forceinline__ void store_tile(const product &p, float *c, int pitch, int row0, int column0) const
    {
        const bool aligned = pitch % 4 == 0;

        for (int i = 0; i < S::TM; i++)
            for (int j = 0; j < S::TN; j += S::WIDTH) {
                const int to_row = row0 + row_of(i), to_column = column0 + column_of(j);

                if (to_row < p.m && to_column < p.n)
                    store(c + (size_t)to_row * pitch + to_column, piece_of(i, j), p.n - to_column, aligned);
            }
    }

    /* Adds the parts of the elements that store_tile() stored. A part's are read together. */
    __device__ __forceinline__ void add_parts(const product &p, int row0, int column0)
    {
        for (int part = 0; part < gridDim.y; part++) {
            const float *const c = p.c + part * p.part;

#pragma unroll
            for (int i = 0; i < S::TM; i++)
#pragma unroll
                for (int j = 0; j < S::TN; j += S::WIDTH) {
                    const int from_row = min(row0 + row_of(i), p.m - 1);
                    const int from_column = min(column0 + column_of(j), (p.n - 1) / S::WIDTH * S::WIDTH);
                    const auto x = __ldcg((const typename S::piece *)(c + (size_t)from_row * p.c_pitch + from_column));
                    float *const sum = &sums[i][j];

                    for (int e = 0; e < S::WIDTH; e++)
                        sum[e] = (part == 0 ? 0 : sum[e]) + ((const float *)&x)[e];
                }
        }
    }

    __device__ __forceinline__ void keep_tile(float *memory) const
    {
        for (int i = 0; i < S::TM; i++)
            for (int j = 0; j < S::TN; j += S::WIDTH)
                *(typename S::piece *)(memory + (slice * S::BM + row_of(i)) * S::KEPT_PITCH + column_of(j)) =
                    piece_of(i, j);
    }
};

/*
 * What a thread copies of each slab: k a_k of rows a_row, a_row + A_ROWS, ...; columns of k b_k, b_k + B_ROWS, ...
 *
 * SHIFTED: B's rows begin anywhere. Copies of 4 bytes would need four times as many. So copies have the 16 bytes in
 * which a row of the tile begins, and those behind them: the row lies `shift` floats further right in its slab, and
 * may have one copy more. `shift` depends on k % 4 only, as slabs begin at multiples of 16.
 */
template <class S>
struct copier {
    const float *a_from[S::A_PASSES], *b_from[S::B_PASSES], *b_last;
    unsigned base, a_to, b_to, last_to;
    int a_k, b_k, b_pitch;
    bool b_there[S::B_PASSES], last_there; // columns that B has

    __device__ __forceinline__ copier(const product &p, unsigned memory, int row0, int column0, int k)
    {
        const int tid = threadIdx.x, a_row = tid / 8, b_column = tid % S::B_ACROSS * 4;

        base = memory;
        a_k = tid % 8;
        b_k = tid / S::B_ACROSS;
        b_pitch = p.b_pitch;
        a_to = (a_k * S::PITCH + a_row) * 4;
        b_to = (S::BK * S::PITCH + b_k * S::B_PITCH + b_column) * 4;
        for (int pass = 0; pass < S::A_PASSES; pass++)
            a_from[pass] = p.a + (size_t)((row0 + a_row + pass * S::A_ROWS) % p.m) * p.a_pitch + k + a_k;
        for (int pass = 0; pass < S::B_PASSES; pass++)
            b_from[pass] = b_place(p, k + b_k, column0 + b_column + pass * S::B_ACROSS * 4, b_there[pass]);
        if (S::SHIFTED) {
            b_last = b_place(p, k + tid, column0 + S::BN, last_there);
            last_to = (S::BK * S::PITCH + tid * S::B_PITCH + S::BN) * 4;
        }
    }

    /* The 16 bytes of row k that have its column `column`, `shift` elements on; if they are not `there`, its last ones.
     * Written in two ways: where nothing is shifted, the compiler gives the other one more registers, and the loop
     * another order. */
    __device__ __forceinline__ static const float *b_place(const product &p, int k, int column, bool &there)
    {
        if constexpr (!S::SHIFTED) {
            there = column < p.n;
            return p.b + (size_t)k * p.b_pitch + min(column, (p.n - 1) / 4 * 4);
        }

        const int shift = k * S::SHIFT % 4;

        there = column < p.n + shift;
        return p.b + ((long long)k * p.b_pitch - shift) + min(column, (p.n - 1 + shift) / 4 * 4);
    }

    /* The first `count` of k of a slab, or if HALF the last; the rest is zero. */
    __device__ __forceinline__ void copy_short(int stage, int count)
    {
        const unsigned at = base + stage * S::STAGE * 4;
        const int first = S::HALF ? S::BK - count : 0;
        auto is_there = [&](int k) { return S::HALF ? k >= first : k < count; };

        for (int pass = 0; pass < S::A_PASSES; pass++)
            for (int e = 0; e < S::BK; e += 8)
                copy<1>(at + a_to + (e * S::PITCH + pass * S::A_ROWS) * 4,
                        a_from[pass] + (is_there(a_k + e) ? e : first - a_k), is_there(a_k + e) ? 4 : 0);
        for (int pass = 0; pass < S::B_PASSES; pass++)
            for (int e = 0; e < S::BK; e += S::B_ROWS)
                copy<4>(at + b_to + (e * S::B_PITCH + pass * S::B_ACROSS * 4) * 4,
                        b_from[pass] + (long long)(is_there(b_k + e) ? e : first - b_k) * b_pitch,
                        b_there[pass] && is_there(b_k + e) ? 16 : 0);
        if (S::SHIFTED && threadIdx.x < S::BK)
            copy<4>(at + last_to, b_last, last_there && threadIdx.x < count ? 16 : 0);
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
                copy_if(at + b_to + (e * S::B_PITCH + pass * S::B_ACROSS * 4) * 4, b_from[pass] + (size_t)e * b_pitch,
                        b_there[pass]);
        if (S::SHIFTED && threadIdx.x < S::BK)
            copy_if(at + last_to, b_last, last_there);
    }

    __device__ __forceinline__ void advance(int count)
    {
        for (int pass = 0; pass < S::A_PASSES; pass++)
            a_from[pass] += count;
        for (int pass = 0; pass < S::B_PASSES; pass++)
            b_from[pass] += (size_t)count * b_pitch;
        if (S::SHIFTED)
            b_last += (size_t)count * b_pitch;
    }
};

/*
 * A cluster has a tile, and gridDim.y clusters have parts of its k. b begins at 16 bytes. If WIDTH is 4, its pitch is a
 * multiple of 4; if not, b is read to the end of its last 16 bytes.
 */
template <class S> __global__ void __launch_bounds__(S::THREADS, S::BLOCKS) multiply_tiles(const product p)
{
    extern __shared__ float4 aligned_memory[];
    float *const memory = reinterpret_cast<float *>(aligned_memory);
    const unsigned base = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned full = base + S::STAGES * S::STAGE * (unsigned)sizeof(float), empty = full + S::STAGES * 8;
    const int tid = threadIdx.x, size = S::ORDER & ALONE ? 1 : cluster_size();
    const int all = (p.k + S::BK - 1) / S::BK, short_k = p.k - (all - 1) * S::BK;
    /* The first of all slabs has short_k, and is that of the first k, or if SHIFTED of the last. */
    const int unit = blockIdx.y * size + (S::ORDER & ALONE ? 0 : cluster_rank()), units = gridDim.y * size;
    const int first = unit * all / units, slabs = (unit + 1) * all / units - first;
    float *const c = p.c + blockIdx.y * p.part;
    int row0, column0;

    find_tile<S>(blockIdx.x / size, (p.m + S::BM - 1) / S::BM, (p.n + S::BN - 1) / S::BN, row0, column0);

    const int first_short = S::SHIFTED ? (all - 1) * S::BK : 0, second = S::SHIFTED ? 0 : short_k;
    const int skipped = S::HALF ? S::BK - short_k : 0; // zeros before the first k
    const int begin = first == 0 ? first_short - skipped : second + (first - 1) * S::BK;
    copier<S> copies(p, base, row0, column0, begin);
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
        copies.advance(first == 0 ? second - begin : S::BK);
        counter_arrive_after_copies(full);
        left--;
        for (int e = 1; e < S::AHEAD; e++)
            copy_next(e, true, true);
        counter_wait(full, 0);
        own.read(0, S::HALF ? 8 : 0, 0);
#pragma unroll 1
        for (int slab = 0; slab < slabs; slab++) {
            const bool wraps = stage + 1 == S::STAGES;
            const int next = wraps ? 0 : stage + 1;
            const int at = stage * S::STAGE, next_at = slab + 1 < slabs ? next * S::STAGE : at;

            auto copy_at = [&](int step) {
                if (step == 2) {
                    counter_wait(empty + free_stage * 8, free_parity);
                    copy_next(free_stage, true, !(S::ORDER & COPY_TWICE));
                }
                if ((S::ORDER & COPY_TWICE) && step == 6)
                    copy_next(free_stage, false, true);
            };
            auto multiply = [&](int step) {
                if (step < 15) {
                    own.read(at, step + 1, (step + 1) % 2);
                } else {
                    __syncwarp();
                    if (tid % 32 == 0)
                        counter_arrive(empty + stage * 8);
                    counter_wait(full + next * 8, wraps ? parity ^ 1 : parity);
                    own.read(next_at, 0, 0);
                }
                copy_at(step);
                own.multiply(step);
            };

            if (S::HALF && slab == 0) {
                copy_at(2);
                copy_at(6);
            } else {
#pragma unroll
                for (int step = 0; step < 8; step++)
                    multiply(step);
            }
#pragma unroll
            for (int step = 8; step < 16; step++)
                multiply(step);
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
    /* Where rows are not aligned, neighbours in a row store together only by way of shared memory. */
    if ((S::ORDER & ALONE) || (!S::SHIFTED && S::SLICES == 1 && size == 1)) {
        own.store_tile(p, c, p.c_pitch, row0, column0);
        if (!(S::ORDER & ALONE) && gridDim.y > 1 && arrives_last(p)) {
            own.add_parts(p, row0, column0);
            own.store_tile(p, p.sum, p.sum_pitch, row0, column0);
        }
        return;
    }
    __syncthreads(); // everybody has read the slabs
    own.keep_tile(memory);
    add_sums<typename S::piece>(p, memory, S::SLICES, S::BM, S::BN, S::KEPT_PITCH, row0, column0);
}
