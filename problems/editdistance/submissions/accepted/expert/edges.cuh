/*
 * edges.cuh - edges between blocks: 32 columns in a 64-bit word of global memory, unpacked and packed by two warps.
 */
#pragma once

#include "strip.cuh"

__device__ __forceinline__ u32 load_word(const u32 *p)
{
    u32 value;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p));
    return value;
}

__device__ __forceinline__ u64 load_edge(const u64 *p)
{
    u64 value;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p));
    return value;
}

__device__ __forceinline__ void store_edge(u64 *p, u64 value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(value));
}

/*
 * The upper edge of a unit, from the unit above, or +1 all along at the top of the table, to ring 0; and the codes of
 * the columns, FAR of them ahead, so that who sees a slot of a ring written may use the codes up to there as well.
 */
template <int K, int S>
__device__ void unpack_edge(block_memory<K> &shared, const job &job, int d, int unit, int columns)
{
    const front &front = job.fronts[d];
    const int l = (int)(threadIdx.x % 32), words = (columns + 31) / 32;
    volatile u32 *ring = shared.rings[0];
    volatile int *written = ring_written(shared, 0);

    volatile typename entry<K>::type *codes = shared.codes;
    const auto character = [&](int j) { return j < columns ? job.b[d == 0 ? j : job.b_length - 1 - j] : 0; };
    u32 c = character(FAR + l); /* of column 32 * next + FAR + l */

    for (int j = l; j < FAR; j += 32)
        codes[j] = (typename entry<K>::type)entry<K>::of(character(j));
    codes[CODES + l] = codes[l];
    u32 winner = NOBODY, news = NOBODY; /* news: asked for, but not looked at before the next word: it takes long */

    for (int next = 0; next < words;) {
        const int word = next + l;
        u64 edge = EMPTY;

        if (unit == 0)
            edge = 0xffffffffu;
        else if (word < words)
            edge = load_edge(front.edges + (size_t)(unit - 1) * front.words + word);
        /* How many are there, from the first one on. */
        const u32 missing = __ballot_sync(~0u, edge == EMPTY);
        const int count = min(missing ? __ffs((int)missing) - 1 : 32, words - next);

        if (count == 0)
            __nanosleep(NAP);
        if (K == 1 && count == 0)
            winner = __shfl_sync(~0u, load_word(&job.race.state->winner), 0);
        for (int i = 0; i < count; i++, next++) {
            const u64 bits = __shfl_sync(~0u, edge, i);

            if (K == 1) {
                winner = __shfl_sync(~0u, news, 0);
                news = load_word(&job.race.state->winner);
            }
            const u32 slot = (u32)(32 * next + l + 31 * S) % RING;

            wait_for(ring_read(shared, 0), 32 * (next + 1) + 31 * S - RING);
            ring[slot] = (u32)bits >> l << 31 | ((u32)(bits >> 32) >> l & 1);
            const int at = (32 * next + FAR) % CODES + l;

            codes[at] = (typename entry<K>::type)entry<K>::of(c);
            if (at < 32)
                codes[CODES + at] = (typename entry<K>::type)entry<K>::of(c);
            c = character(32 * (next + 1) + FAR + l);
            __syncwarp();
            if (l == 0)
                *written = next + 1 < words ? 32 * (next + 1) + 31 * S : INT_MAX - 1;
            if (winner == THE_RACE)
                break;
        }
        if (winner == THE_RACE) {
            if (l == 0)
                *written = STOPPED;
            return;
        }
    }
}

/*
 * The lower edge of a unit, from its last ring to global memory. Where the next unit has fewer columns, the fronts meet
 * along the edge, leftwards.
 */
template <int K, int S>
__device__ void pack_edge(block_memory<K> &shared, const job &job, int d, int unit, int last, int columns)
{
    const front &front = job.fronts[d];
    const int l = (int)(threadIdx.x % 32), end = steps_of<K, S>(columns), words = (columns + 31) / 32;
    const int next = unit + 1 < job.units ? unit_columns(job, d, unit + 1) : columns;
    uint2 *line = front.line + unit_start(job, d, unit + 1) * 32 * K + (front.columns - columns) / 32;
    const volatile u32 *ring = shared.rings[last];
    volatile int *read = ring_read(shared, last);

    for (int word = 0; word < words; word++) {
        const u32 slot = (u32)(32 * word + l + 31 * S) % RING;
        const bool inside = 32 * word + l < columns;

        wait_for(ring_written(shared, last), min(32 * (word + 1) + 31 * S, end));
        if (*(const volatile int *)ring_written(shared, last) == STOPPED)
            return;
        const u32 both = ring[slot];
        const u32 up = __ballot_sync(~0u, inside && both >> 31), down = __ballot_sync(~0u, inside && (both & 1));

        if (l == 0) {
            store_edge(front.edges + (size_t)unit * front.words + word, (u64)down << 32 | up);
            if (32 * word >= next)
                line[words - 1 - word] = make_uint2(__brev(down), __brev(up));
            *read = word + 1 < words ? 32 * (word + 1) + 31 * S : INT_MAX;
        }
    }
}
