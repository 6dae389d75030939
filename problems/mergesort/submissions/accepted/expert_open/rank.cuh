/*
 * rank.cuh - ranks of keys among those of the same digit: within a warp, within a tile, and in all tiles before.
 */
#pragma once

#include "count.cuh"

namespace radix {

/* The compiler is to compute anew what follows from the value, rather than keep it in registers. */
__device__ void forget(unsigned &value) { asm volatile("" : "+r"(value)); }

/*
 * Of GROUP keys of each thread: which threads of the warp have the same digit. One vote per bit would do, but a
 * multiprocessor takes two clocks for a vote, and 16 for those of a key. So the 32 threads' digits, four in a word, are
 * taken as a matrix of 32 x 32 bits and transposed in five steps; now each thread has one bit of one of the digits, of
 * all threads. From four such words follows who has which half of a digit: thread v finds who has v, for v < 16 as low
 * half, and thread 16 + v as high half. Two of these masks, looked up in scratch[SCRATCH], the warp's own shared
 * memory, have in common who has the same digit. Two words at a time, because each step waits for the one before.
 */
__device__ void same_digits(const uint32_t *key, unsigned pass, unsigned *scratch, unsigned same[GROUP])
{
    const unsigned lane = threadIdx.x % WARP, bytes = pass | (pass + 4) << 4;
    unsigned digits[WORDS], word[WORDS];

#pragma unroll
    for (unsigned w = 0; w < WORDS; w++) {
        const uint32_t *k = key + 4 * w;

        digits[w] = __byte_perm(__byte_perm(k[0], k[1], bytes), __byte_perm(k[2], k[3], bytes), 0x5410);
        word[w] = digits[w];
    }
#pragma unroll
    for (unsigned step = WARP / 2; step >= 1; step /= 2) {
        const unsigned low = 0xffffffffu / ((1u << step) + 1); /* columns without the bit `step` in their number */
        bool upper = (lane & step) != 0;
        unsigned other[WORDS];

#pragma unroll
        for (unsigned w = 0; w < WORDS; w++)
            other[w] = __shfl_xor_sync(ALL_LANES, word[w], step);
#pragma unroll
        for (unsigned w = 0; w < WORDS; w++) {
            unsigned turned = __funnelshift_l(other[w], other[w], upper ? WARP - step : step);

            word[w] = upper ? (word[w] & ~low) | (turned & low) : (word[w] & low) | (turned & ~low);
        }
    }
#pragma unroll
    for (unsigned w = 0; w < WORDS; w++)
        scratch[w * WARP + lane] = word[w];
    __syncwarp();
    unsigned *masks = scratch + WORDS * WARP;

#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        uint4 bits = *(const uint4 *)(scratch + g * 8 + lane / 16 * 4);

        masks[g * WARP + lane] = (bits.x ^ ((lane & 1) - 1)) & (bits.y ^ ((lane >> 1 & 1) - 1)) &
                                 (bits.z ^ ((lane >> 2 & 1) - 1)) & (bits.w ^ ((lane >> 3 & 1) - 1));
    }
    __syncwarp();
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        unsigned digit = digits[g / 4] >> g % 4 * 8;

        same[g] = masks[g * WARP + (digit & 15)] & masks[g * WARP + 16 + (digit >> 4 & 15)];
    }
    __syncwarp();
}

/*
 * The rank of each of ITEMS keys of a thread among the warp's keys of the same digit up to it: stable. Of the threads
 * with the same digit the first adds their number to the digit's counter. Two ranks a register.
 */
template <unsigned ITEMS>
__device__ void rank_stable(uint32_t (&key)[ITEMS], unsigned pass, unsigned *counters, unsigned *scratch,
                            unsigned (&ranks)[ITEMS / 2])
{
    const unsigned lanes_before = (1u << threadIdx.x % WARP) - 1;

#pragma unroll
    for (unsigned group = 0; group < ITEMS; group += GROUP) {
        unsigned same[GROUP];

        same_digits(key + group, pass, scratch, same);
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            const unsigned item = group + g;
            unsigned *counter = &counters[digit_of(key[item], pass)], counted = *counter;
            unsigned before = __popc(same[g] & lanes_before), rank = counted + before;

            __syncwarp();
            if (before == 0)
                *counter = counted + __popc(same[g]);
            __syncwarp();
            ranks[item / 2] = item % 2 ? ranks[item / 2] | rank << 16 : rank;
            forget(key[item]);
        }
    }
}

/*
 * The same where it does not matter which of two keys of the same digit goes first: an atomic addition is all. Only
 * what stands behind the last of `count` keys goes behind them; the first key of the thread is number `first`.
 */
template <unsigned ITEMS>
__device__ void rank_any(const uint32_t (&key)[ITEMS], unsigned pass, unsigned *counters, unsigned first,
                         unsigned count, unsigned (&ranks)[ITEMS / 2])
{
#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        unsigned *counter = &counters[digit_of(key[item], pass)], rank = 0;
        const bool there = first + item * WARP < count;

        if (there)
            rank = atomicAdd(counter, 1);
        __syncwarp();
        if (!there)
            rank = atomicAdd(counter, 1);
        ranks[item / 2] = item % 2 ? ranks[item / 2] | rank << 16 : rank;
    }
}

/*
 * The sum of the values of the first DIGITS threads before this one. All threads call it; sums[DIGITS / WARP] is
 * shared.
 */
__device__ unsigned sum_before(unsigned value, unsigned *sums)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned sum = value;

#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        unsigned other = __shfl_up_sync(ALL_LANES, sum, step);

        sum += lane >= step ? other : 0;
    }
    if (lane == WARP - 1 && warp < DIGITS / WARP)
        sums[warp] = sum;
    __syncthreads();
    unsigned before = sum - value;

#pragma unroll
    for (unsigned w = 0; w < DIGITS / WARP; w++)
        before += w < warp ? sums[w] : 0;
    return before;
}

__device__ unsigned load_word(const unsigned *word)
{
    unsigned value;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ void store_word(unsigned *word, unsigned value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

const unsigned LOOK_BACK = 2; /* words that a thread looks at, at a time */

/* The keys of this thread's digit in all tiles before `tile`, and whatever tile 0 began with. */
__device__ unsigned look_back(const unsigned (*tiles)[DIGITS], unsigned tile, unsigned nothing, unsigned sum)
{
    unsigned total = 0;

    for (;;) {
        unsigned word[LOOK_BACK]; /* some at a time, as each takes long to come */

#pragma unroll
        for (unsigned j = 0; j < LOOK_BACK; j++)
            word[j] = load_word(&tiles[tile > j ? tile - 1 - j : 0][threadIdx.x]);
#pragma unroll
        for (unsigned j = 0; j < LOOK_BACK; j++) {
            if ((word[j] & KIND) == nothing) /* not even its count is there: once more from this one on */
                break;
            total += word[j] & ~KIND;
            if ((word[j] & KIND) == sum)
                return total;
            tile--;
        }
    }
}

/*
 * Where element i of a tile stands in shared memory: one word in 33 is left out. Without that, keys whose digits are
 * evenly spread, such as sorted ones, would be put at distances of TILE / DIGITS, a multiple of 4, and so into few
 * banks.
 */
__device__ unsigned skewed(unsigned i) { return i + (i >> 5); }

} // namespace radix
