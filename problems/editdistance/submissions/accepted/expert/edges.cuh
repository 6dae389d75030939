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
 * The words of an edge. Word w is of slots 32 (w + S - 1) and 31 more, not of 32 columns: a strip's batch needs columns
 * up to S behind its own, and so would need one more word of 32 columns.
 */
template <int S> __host__ __device__ __forceinline__ int edge_words(int columns)
{
    return columns > 0 ? (columns + 31 * S + 31) / 32 - (S - 1) : 0;
}

/*
 * The upper edge of a unit, from the unit above, or +1 all along at the top of the table, to ring 0; and the codes of
 * the columns, FAR of them ahead, so that who sees a slot of a ring written may use the codes up to there as well.
 * This warp and the next share their schedulers with two strips, so their loops are as short as can be.
 */
template <int K, int S>
__device__ void unpack_edge(block_memory<K> &shared, const job &job, int d, int unit, int columns)
{
    const front &front = job.fronts[d];
    const int l = (int)(threadIdx.x % 32), words = edge_words<S>(columns);
    volatile u32 *ring = shared.rings[0];
    volatile int *written = ring_written(shared, 0);
    const volatile int *read = ring_read(shared, 0);
    volatile u32 *codes = shared.codes;
    const unsigned char *b = d == 0 ? job.b : job.b + job.b_length - 1;
    const int stride = d == 0 ? 1 : -1;
    const u64 *edges = unit == 0 ? nullptr : front.edges + (size_t)(unit - 1) * front.words;

    for (int j = l; j < FAR; j += 32)
        codes[j] = code_of<K>(j < columns ? b[j * stride] : 0);
    codes[CODES + l] = codes[l];
    u64 edge = edges ? load_edge(edges) : 0xffffffffu;
    u32 winner = NOBODY; /* asked for, but not looked at before the next word: it takes long */
    int column = FAR + l, room = RING, first = 32 * (S - 1);
    u32 c = column < columns ? b[column * stride] : 0;

    for (int word = 0; word < words; word++) {
        while (__any_sync(~0u, edge == EMPTY)) {
            if (K == 1 && __any_sync(~0u, load_word(&job.race.state->winner) == THE_RACE)) {
                if (l == 0)
                    *written = STOPPED;
                return;
            }
            __nanosleep(NAP);
            edge = load_edge(edges + word);
        }
        const u32 up = (u32)edge, down = (u32)(edge >> 32);

        if (edges && word + 1 < words)
            edge = load_edge(edges + word + 1);
        while (room < first + 32) {
            room = *read + RING;
            if (room < first + 32)
                __nanosleep(NAP);
        }
        const u32 hp = __funnelshift_l(up, up, HP<K> - l), hn = __funnelshift_l(down, down, HN<K> - l);

        ring[first % RING + l] = HP<K> == 31 ? with_top(hp, hn) : with_top(hn, hp);
        const int at = column % CODES;

        codes[at] = code_of<K>(c);
        if (at < 32)
            codes[CODES + at] = code_of<K>(c);
        column += 32;
        c = column < columns ? b[column * stride] : 0;
        first += 32;
        if (K == 1 && __any_sync(~0u, winner == THE_RACE)) {
            if (l == 0)
                *written = STOPPED;
            return;
        }
        if (K == 1 && word % 4 == 0)
            winner = load_word(&job.race.state->winner);
        __syncwarp();
        if (l == 0)
            *written = word + 1 < words ? first : INT_MAX - 1;
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
    const int l = (int)(threadIdx.x % 32), end = steps_of<K, S>(columns), words = edge_words<S>(columns);
    const int next = unit + 1 < job.units ? unit_columns(job, d, unit + 1) : columns;
    const int line = unit_start(job, d, unit + 1) * 32 * ROWS<K> + front.columns - columns;
    const volatile u32 *ring = shared.rings[last];
    const volatile int *written = ring_written(shared, last);
    volatile int *read = ring_read(shared, last);
    u64 *edges = front.edges + (size_t)unit * front.words;

    for (int word = 0; word < words; word++) {
        const int first = 32 * (word + S - 1), need = min(first + 32, end), column = first - 31 * S;
        int there;

        while (!__all_sync(~0u, (there = *written) >= need)) {
            if (__any_sync(~0u, there == STOPPED))
                return;
            __nanosleep(NAP);
        }
        const u32 both = (u32)(column + l) < (u32)columns ? ring[first % RING + l] : 0;
        const u32 up = __ballot_sync(~0u, both & 1u << HP<K>), down = __ballot_sync(~0u, both & 1u << HN<K>);

        if (l == 0) {
            store_edge(edges + word, (u64)down << 32 | up);
            *read = word + 1 < words ? first + 32 : INT_MAX;
        }
        if (column + 31 >= next && l == 0) {
            const u32 beyond = column < next ? ~0u << (next - column) : ~0u;

            put_bits(front.line, line + columns - column - 32, __brev(down & beyond), __brev(up & beyond));
        }
    }
}
