/*
 * common.cuh - what all parts of the submission share: buffers, the words between blocks, the shape of a block's work.
 */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert_open: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

namespace radix {

const unsigned WARP = 32, ALL_LANES = 0xffffffffu;
const unsigned BITS = 8, DIGITS = 1 << BITS, PASSES = 32 / BITS;

/* keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28. */
struct buffer {
    uint32_t *keys;
    uint32_t *payloads;
};

/* What a pass does: nothing, move by the digit, copy, or copy in the opposite order; and whether back from b to a. */
enum step { NO_STEP, MOVE, COPY, MIRROR, STEP = 3, BACK = 4 };

/*
 * What the kernels share. All zero before and after a sort, but for the plan; tiles[t] may hold numbers, without the
 * bits above.
 */
struct workspace {
    unsigned counts[PASSES][DIGITS]; /* keys of each digit, of the whole input */
    unsigned plan[PASSES];           /* of each pass the step */
    unsigned ticket;                 /* blocks of this pass that have started */
    unsigned counted;                /* blocks that have counted */
    unsigned not_ascending;          /* whether some key is less than the one before it */
    unsigned not_descending;         /* whether some key is not */
    unsigned tiles[1][DIGITS];       /* in fact one row for every tile */
};

/*
 * What a word of workspace.tiles means, by the two highest bits; every second pass the first and the last trade places.
 */
const unsigned KIND = 3u << 30, NOTHING = 0, SUM = 2u << 30;

const unsigned GROUP = 8, WORDS = GROUP / 4, SCRATCH = (WORDS + GROUP) * WARP; /* see same_digits() */

template <bool PAIRS_, unsigned THREADS_, unsigned ITEMS_, unsigned BLOCKS_> struct shape {
    static const bool PAIRS = PAIRS_;
    static const unsigned THREADS = THREADS_, ITEMS = ITEMS_, TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
    static const unsigned BLOCKS = BLOCKS_; /* blocks on a multiprocessor at once: what registers are shared out for */
    static const unsigned STAGED = TILE + TILE / 32, ALL_STAGED = (PAIRS ? 2 : 1) * STAGED; /* words */
    static const unsigned ALL_SCRATCH = WARPS * SCRATCH;
    static const int SHARED_BYTES = (WARPS * DIGITS + (ALL_STAGED > ALL_SCRATCH ? ALL_STAGED : ALL_SCRATCH)) * 4;
    static_assert(THREADS >= DIGITS, "a thread a digit");
    static_assert(ITEMS % GROUP == 0 && TILE <= 65536, "keys in groups, ranks of 16 bits");
};

} // namespace radix
