/*
 * cluster.cuh - the sum of the parts of k that the blocks of a cluster have.
 */
#pragma once

#include "instructions.cuh"

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
