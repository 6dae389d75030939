/*
 * cluster.cuh - sums of the parts of k: those that the blocks of a cluster have, and those that clusters have.
 */
#pragma once

#include "instructions.cuh"

/* Whether this block is the last of those with this blockIdx.x; then all of them have stored what they store. */
__device__ __forceinline__ bool arrives_last(const product &p)
{
    __shared__ bool last;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(p.arrived + blockIdx.x, 1) == gridDim.y - 1;
        if (last)
            atomicExch(p.arrived + blockIdx.x, 0);
    }
    __syncthreads();
    if (last)
        __threadfence();
    return last;
}


/* The sum of x over the lanes of a warp whose numbers differ in the bits from `low` to 16 only; all of them get it. */
__device__ __forceinline__ float sum_over_lanes(float x, int low)
{
    for (int bit = 16; bit >= low; bit /= 2)
        x += __shfl_xor_sync(~0u, x, bit);
    return x;
}

/* As add_parts(), for few pieces and many parts: a warp has a piece, and its lanes have other parts. */
template <class piece>
__device__ __forceinline__ void add_many_parts(const product &p, int pieces, int across, int row0, int column0)
{
    constexpr int WIDTH = sizeof(piece) / sizeof(float);

    for (int e = threadIdx.x / 32; e < pieces; e += blockDim.x / 32) {
        const int row = row0 + e / across, column = column0 + e % across * WIDTH;
        const int left = row < p.m ? p.n - column : 0;
        piece sum = {};

#pragma unroll 4
        for (int part = threadIdx.x % 32; part < gridDim.y && left > 0; part += 32)
            add_to(sum, __ldcg((const piece *)(p.c + part * p.part + (size_t)row * p.c_pitch + column)));
        for (int j = 0; j < WIDTH; j++)
            ((float *)&sum)[j] = sum_over_lanes(((float *)&sum)[j], 1);
        if (threadIdx.x % 32 == 0 && left > 0)
            store(p.sum + (size_t)row * p.sum_pitch + column, sum, left, p.sum_pitch % 4 == 0);
    }
}

/*
 * Adds the parts of the pieces that add_sums() stores from this block. Each takes a round trip to the L2 cache, so a
 * thread reads many at a time.
 */
template <class piece>
__device__ __forceinline__ void add_parts(const product &p, int pieces, int across, int row0, int column0)
{
    constexpr int WIDTH = sizeof(piece) / sizeof(float), MANY = WIDTH == 1 ? 8 : 4;
    const int all = cluster_size() * blockDim.x;

    for (int e = cluster_rank() * blockDim.x + threadIdx.x; e < pieces; e += MANY * all) {
        piece sums[MANY] = {};
        int place[MANY], left[MANY]; // in C, and columns from there on

#pragma unroll
        for (int i = 0; i < MANY; i++) {
            const int row = row0 + (e + i * all) / across, column = column0 + (e + i * all) % across * WIDTH;

            place[i] = row * p.c_pitch + column;
            left[i] = e + i * all < pieces && row < p.m ? p.n - column : 0;
        }
#pragma unroll 2
        for (int part = 0; part < gridDim.y; part++)
#pragma unroll
            for (int i = 0; i < MANY; i++)
                if (left[i] > 0)
                    add_to(sums[i], __ldcg((const piece *)(p.c + part * p.part + place[i])));
#pragma unroll
        for (int i = 0; i < MANY; i++) {
            const int row = row0 + (e + i * all) / across, column = column0 + (e + i * all) % across * WIDTH;

            if (left[i] > 0)
                store(p.sum + (size_t)row * p.sum_pitch + column, sums[i], left[i], p.sum_pitch % 4 == 0);
        }
    }
}

/*
 * Adds sums[slices][rows][pitch] of this block, slice by slice, and those at the same place in the other blocks of the
 * cluster, block by block. Writes `columns` of them to c from row0, column0 on, or adds them to the other parts of k.
 * Each block of the cluster writes a part of them. A piece is float4 where rows are aligned, and float elsewhere, so
 * that neighbours store to neighbours. With MANY_PARTS, blocks without a cluster add the other parts by their warps.
 */
template <class piece, bool MANY_PARTS = false>
__device__ __forceinline__ void add_sums(const product &p, float *sums, int slices, int rows, int columns, int pitch,
                                         int row0, int column0)
{
    constexpr int WIDTH = sizeof(piece) / sizeof(float);
    const int size = cluster_size(), across = columns / WIDTH, pieces = rows * across, kept = rows * pitch;
    const bool aligned = p.c_pitch % 4 == 0;
    float *const c = p.c + blockIdx.y * p.part;

    auto place_of = [&](int e) { return (piece *)(sums + e / across * pitch + e % across * WIDTH); };
    auto store_piece = [&](int e, piece sum) {
        const int row = row0 + e / across, column = column0 + e % across * WIDTH;

        if (row < p.m && column < p.n)
            store(c + (size_t)row * p.c_pitch + column, sum, p.n - column, aligned);
    };

    __syncthreads();
    for (int e = threadIdx.x; (slices > 1 || size == 1) && e < pieces; e += blockDim.x) {
        piece *const own = place_of(e);
        piece total = *own;

#pragma unroll 4
        for (int slice = 1; slice < slices; slice++)
            add_to(total, *(piece *)((float *)own + slice * kept));
        if (size == 1)
            store_piece(e, total);
        else
            *own = total;
    }
    if (size > 1) {
        cluster_barrier();
        for (int e = cluster_rank() * blockDim.x + threadIdx.x; e < pieces; e += size * blockDim.x) {
            piece sum, other;

            read_from(0, (float *)place_of(e), sum);
#pragma unroll 4
            for (int rank = 1; rank < size; rank++) {
                read_from(rank, (float *)place_of(e), other);
                add_to(sum, other);
            }
            store_piece(e, sum);
        }
        cluster_barrier(); // no block ends while others read its sums
    }
    if (gridDim.y > 1 && arrives_last(p)) {
        if (MANY_PARTS && size == 1)
            add_many_parts<piece>(p, pieces, across, row0, column0);
        else
            add_parts<piece>(p, pieces, across, row0, column0);
    }
}
