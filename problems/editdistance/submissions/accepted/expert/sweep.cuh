/*
 * sweep.cuh - the kernel: blocks take units of strips in order; the blocks that are left run the race.
 */
#pragma once

#include "race.cuh"

template <int K, int S> __global__ void __launch_bounds__(THREADS<K>) sweep(job job)
{
    extern __shared__ __align__(16) unsigned char memory[];
    block_memory<K> &shared = *(block_memory<K> *)memory;
    const int warp = (int)(threadIdx.x / 32);

    for (int i = (int)threadIdx.x; i < (WARPS<K> + 1) * RING; i += THREADS<K>)
        shared.rings[i / RING][i % RING] = 0;
    for (int i = (int)threadIdx.x; i < CODES + 32; i += THREADS<K>)
        shared.codes[i] = 0;
    for (int i = (int)threadIdx.x; i < BATCH<1>; i += THREADS<K>)
        shared.nothing[i] = 0;
    for (bool more = false;; more = true) {
        __syncthreads();
        if (threadIdx.x < WARPS<K> + 2)
            shared.seen[threadIdx.x].written = shared.seen[threadIdx.x].read = 0;
        if (threadIdx.x == 0) {
            if (more && atomicAdd(&job.race.state->swept, 1) == 2 * (u32)job.units - 1)
                atomicCAS(&job.race.state->winner, NOBODY, THE_SWEEP);
            shared.ticket = atomicAdd(job.ticket, 1);
        }
        __syncthreads();
        const int d = (int)shared.ticket % 2, unit = (int)shared.ticket / 2; /* the fronts take turns */

        if (unit >= job.units) {
            const int block = (int)shared.ticket - 2 * job.units;

            if (K == 1 && block < job.race.blocks)
                race(*(race_memory *)memory, job, block);
            return;
        }
        const int start = unit_start(job, d, unit), strips = unit_start(job, d, unit + 1) - start;
        const int columns = unit_columns(job, d, unit);

        if (warp < strips)
            run_strip<K, S>(shared, job, d, unit, start + warp, warp);
        else if (warp == UNPACKER<K>)
            unpack_edge<K, S>(shared, job, d, unit, columns);
        else if (warp == PACKER<K>)
            pack_edge<K, S>(shared, job, d, unit, strips, columns);
    }
}
