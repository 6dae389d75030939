/*
 * move.cuh - a pass: a block moves the keys of a tile to where their digit says.
 */
#pragma once

#include "rank.cuh"

namespace radix {

/* Asks for the payloads of a tile to come to the L2 cache: one thread per line. */
template <class S> __device__ __forceinline__ void ask_for_payloads(const uint32_t *payloads, unsigned count)
{
    const unsigned LINE = 32; /* words */

    static_assert(S::THREADS * LINE >= S::TILE, "one thread per line");
    if (threadIdx.x * LINE < count)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(payloads + threadIdx.x * LINE) : "memory");
}

/* Tile `tile` of a pass that does not sort; its words are left as a pass leaves them. */
template <class S>
__device__ void copy_tile(buffer from, buffer to, unsigned n, unsigned tile, bool mirror, unsigned sum, workspace *work)
{
    const unsigned first = tile * S::TILE + threadIdx.x;
    uint32_t key[S::ITEMS], payload[S::PAIRS ? S::ITEMS : 1];

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        const unsigned i = min(first + item * S::THREADS, n - 1);

        key[item] = from.keys[i];
        if constexpr (S::PAIRS)
            payload[item] = from.payloads[i];
    }
#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        const unsigned i = first + item * S::THREADS, target = mirror ? n - 1 - i : i;

        if (i < n) {
            to.keys[target] = key[item];
            if constexpr (S::PAIRS)
                to.payloads[target] = payload[item];
        }
    }
    if (threadIdx.x < DIGITS)
        store_word(&work->tiles[tile][threadIdx.x], sum);
}

/*
 * A pass over n elements of a to b, or back, as it is planned. Without a plan it moves them to b. One block a tile. In
 * ANY_ORDER, which of two keys of the same digit goes first does not matter: no pass has been before, and there are no
 * payloads. Then an atomic addition is all that ranks a key.
 */
template <class S, bool ANY_ORDER>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void move_by_digit(buffer a, buffer b, unsigned n,
                                                                       unsigned pass, bool planned,
                                                                       workspace *work)
{
    extern __shared__ __align__(128) unsigned shared[];
    __shared__ unsigned ticket, step, sums[2][DIGITS / WARP], places[DIGITS];
    unsigned *staged = shared + S::WARPS * DIGITS; /* the tile by digit; before, the warps calculate in it */
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    unsigned *counters = shared + warp * DIGITS; /* the warp's, one a digit */
    uint32_t key[S::ITEMS];
    unsigned ranks[S::ITEMS / 2]; /* two a register */

    for (unsigned i = threadIdx.x; i < S::WARPS * DIGITS; i += S::THREADS)
        shared[i] = 0;
    wait_for_kernel_before();
    let_next_kernel_start();
    if (threadIdx.x == 0) {
        step = planned ? load_word(&work->plan[pass]) : MOVE;
        ticket = atomicAdd(&work->ticket, 1);
        if (ticket == gridDim.x - 1)
            atomicExch(&work->ticket, 0);
    }
    __syncthreads();
    const bool back = (step & BACK) != 0;
    const buffer from = back ? b : a, to = back ? a : b;
    const unsigned nothing = back ? SUM : NOTHING, sum = back ? NOTHING : SUM, count_kind = back ? KIND : 1u << 30;

    if ((step & STEP) != MOVE) {
        if ((step & STEP) != NO_STEP)
            copy_tile<S>(from, to, n, ticket, (step & STEP) == MIRROR, sum, work);
        return;
    }
    const unsigned tile = ticket, start = tile * S::TILE, count = min(S::TILE, n - start);
    const unsigned first = warp * WARP * S::ITEMS + lane; /* of this thread's elements, which are WARP apart */

    if constexpr (S::PAIRS) /* they are wanted when the keys have ranks */
        ask_for_payloads<S>(from.payloads + start, count);

    /* Behind the last key stand keys of the highest digit, which stay behind those there are. */
    if (count == S::TILE)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = from.keys[start + first + item * WARP];
    else
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = first + item * WARP < count ? from.keys[start + first + item * WARP] : INT32_MAX;

    if constexpr (ANY_ORDER)
        rank_any(key, pass, counters, first, count, ranks);
    else
        rank_stable(key, pass, counters, staged + warp * SCRATCH, ranks);
    __syncthreads();

    /* Thread d: the tile's keys of digit d, and where those of each warp go. */
    unsigned own[S::WARPS], total = 0, d = threadIdx.x;

    if (d < DIGITS) {
#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            own[w] = shared[w * DIGITS + d];
            total += own[w];
        }
        if (tile > 0)
            store_word(&work->tiles[tile][d], total | count_kind);
    }
    unsigned place = sum_before(d < DIGITS ? total : 0, sums[0]);

    if (d < DIGITS) {
        unsigned next = place;

#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            shared[w * DIGITS + d] = next;
            next += own[w];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        ranks[item / 2] += counters[digit_of(key[item], pass)] << item % 2 * 16;
        const unsigned its_place = skewed(ranks[item / 2] >> item % 2 * 16 & 0xffff);

        staged[its_place] = key[item];
    }

    /* The payloads come while the block looks back, to the registers that the keys had. */
    if constexpr (S::PAIRS)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] =
                count == S::TILE || first + item * WARP < count ? from.payloads[start + first + item * WARP] : 0;

    /* Tile 0 stands behind all keys of lower digits. Those after it look back. */
    unsigned before = 0;

    if (tile == 0) {
        unsigned all = d < DIGITS ? work->counts[pass][d] : 0;

        before = sum_before(all, sums[1]);
        if (d < DIGITS)
            work->counts[pass][d] = 0;
    } else if (d < DIGITS) {
        before = look_back(work->tiles, tile, nothing, sum);
    }
    if (d < DIGITS) {
        store_word(&work->tiles[tile][d], (before + total) | sum);
        places[d] = before - place;
    }
    if constexpr (S::PAIRS)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            staged[S::STAGED + skewed(ranks[item / 2] >> item % 2 * 16 & 0xffff)] = key[item];
    __syncthreads();

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        unsigned i = threadIdx.x + item * S::THREADS;
        uint32_t k = staged[skewed(i)];
        unsigned target = places[digit_of(k, pass)] + i;

        if (i < count) {
            to.keys[target] = k;
            if constexpr (S::PAIRS)
                to.payloads[target] = staged[S::STAGED + skewed(i)];
        }
    }
}

} // namespace radix
