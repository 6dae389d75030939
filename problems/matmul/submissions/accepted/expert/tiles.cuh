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
