/*
 * common.cuh - what all parts of the submission share: buffers, and the shape of a block's work.
 */
#pragma once

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

namespace merging {

const unsigned WARP = 32, ALL_LANES = 0xffffffffu;

/*
 * keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28. Both have room up to a multiple of 16
 * bytes.
 */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

/*
 * The shape of a block's work: a tile of TILE elements, THREADS * SORT_ITEMS, is sorted by SORT_ITEMS elements a thread
 * and merged by ITEMS, one more, which leaves some threads over for runs that end in the middle of a thread's elements.
 */
template <bool PAIRS_, unsigned THREADS_, unsigned SORT_ITEMS_, unsigned BLOCKS_> struct shape {
    static const bool PAIRS = PAIRS_;
    static const unsigned THREADS = THREADS_, SORT_ITEMS = SORT_ITEMS_, ITEMS = SORT_ITEMS + 1;
    static const unsigned TILE = THREADS * SORT_ITEMS, WARPS = THREADS / WARP, WARP_RUN = WARP * SORT_ITEMS;
    static const unsigned BLOCKS = BLOCKS_; /* blocks on a multiprocessor at once, that registers are shared out for */
    static const unsigned GUARD = ITEMS + 1;     /* keys of the highest value behind a run */
    static const unsigned WARP_STRIDE = WARP_RUN + (GUARD + 31) / 32 * 32; /* from the run of a warp to the next */
    /* Words of shared memory for the keys, and for the payloads: runs of warps in padded places; 2^levels runs. */
    template <unsigned WAYS>
    static constexpr unsigned MERGE_WORDS =
        ((THREADS * ITEMS > TILE + WAYS * 6 ? THREADS * ITEMS : TILE + WAYS * 6) + WAYS * (GUARD + 3) + 7) / 4 * 4;
    static constexpr unsigned SORT_WORDS =
        (WARPS * WARP_STRIDE / 32 * 33 > MERGE_WORDS<WARPS> ? WARPS * WARP_STRIDE / 32 * 33 : MERGE_WORDS<WARPS>) + 4;
    static constexpr unsigned ELEMENT_BYTES = PAIRS ? 8 : 4;
};

/*
 * The runs of a tile and what is merged of them, as a heap: node 1 is the merged tile, node i is merged of 2i and 2i +
 * 1, and the last half are the runs.
 */
struct node {
    unsigned start;  /* where its elements stand in shared memory */
    unsigned count;  /* how many */
    unsigned thread; /* the first of the threads that merge it, ITEMS elements each */
};

/* Where element x stands in shared memory: one word in 33 is left out if threads that are 32 elements apart write. */
template <bool PADDED> __device__ unsigned place(unsigned x) { return PADDED ? x + (x >> 5) : x; }

} // namespace merging
