/*
 * merge.cuh - merge_tiles: a pass, which merges up to 16 runs at a time.
 */
#pragma once

#include "split.cuh"

namespace merging {

/*
 * Merges WAYS runs of `run` elements into one, again and again. A block makes TILE elements: tile first_tile + block.
 * ALONE, it finds the splits itself.
 */
template <class S, unsigned WAYS, bool ALONE>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void merge_tiles(buffer from, buffer to, unsigned n, unsigned run,
                                                                     unsigned first_tile, const unsigned *splits)
{
    extern __shared__ __align__(128) int32_t shared[];
    __shared__ node nodes[2 * WAYS];
    __shared__ search<WAYS> found[ALONE ? 2 : 1];
    __shared__ uint64_t barrier;
    int32_t *keys = shared;
    uint32_t *payloads = (uint32_t *)shared + S::template MERGE_WORDS<WAYS>;
    const unsigned tile = first_tile + blockIdx.x, start = tile * S::TILE, count = min(S::TILE, n - start);

    if (threadIdx.x == 0)
        barrier_init(&barrier);
    wait_for_kernel_before();
    let_next_kernel_start();
    static_assert(!ALONE || S::THREADS == 2 * FINDERS, "half of the threads for a split");
    if constexpr (ALONE)
        find_two_splits(from.keys, n, run, start, S::TILE, found);
    if (threadIdx.x < WARP) {
        const unsigned *here = ALONE ? found[0].low : splits + tile * WAYS;
        const unsigned *next = ALONE ? found[1].low : here + WAYS;
        const unsigned way = threadIdx.x, group = run * WAYS, merged = start_of_merged<WAYS>(start, run);
        const unsigned run_start = merged + way * run;
        unsigned source = 0, pieces = 0, skip = 0, words = 0; /* its place; elements; copied before them; in all */

        if (way < WAYS && run_start < n) {
            unsigned length = min(run, n - run_start), split = here[way];
            bool last = start + S::TILE >= merged + group || start + S::TILE >= n;

            source = run_start + split;
            pieces = (last ? length : next[way]) - split;
            skip = source % 4;
            words = pieces > 0 ? (skip + pieces + 3) / 4 * 4 : 0;
        }
        /* A run's words stand behind those of the run before, its guard, and what rounding costs. */
        unsigned room = way < WAYS ? (skip + pieces + S::GUARD + 3) / 4 * 4 : 0, before = room;

        for (unsigned step = 1; step < WAYS; step *= 2) {
            unsigned other = __shfl_up_sync(ALL_LANES, before, step);

            before += way >= step ? other : 0;
        }
        before -= room;
        unsigned all = __reduce_add_sync(ALL_LANES, words);

        if (way == 0)
            barrier_expect(&barrier, all * (S::PAIRS ? 8 : 4));
        __syncwarp();
        if (words > 0) {
            bulk_load(keys + before, from.keys + source - skip, words * 4, &barrier);
            if constexpr (S::PAIRS)
                bulk_load(payloads + before, from.payloads + source - skip, words * 4, &barrier);
        }
        if (way < WAYS)
            nodes[WAYS + way] = {before + skip, pieces, 0};
        plan_merges<S, WAYS>(nodes);
    }
    __syncthreads();
    barrier_wait(&barrier);
    __syncthreads(); /* the guards go over what the copies brought too much */
    write_guards<S, false>(keys, payloads, nodes, WAYS, true);
    __syncthreads();
    merge_levels<S, WAYS / 2, false>::run(keys, payloads, nodes);
    store_tile<S>(to, start, count, keys, payloads);
}

} // namespace merging
