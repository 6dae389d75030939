/*
 * strip.cuh - a warp computes a strip: 32 lanes of K words, a column a step.
 */
#pragma once

#include "rings.cuh"

/*
 * sum = a + b + hn of the upper edge, and the word whose top bit is hp of it. a is a subset of b, so there is at most
 * one carry. One word a lane; the others add the edge to itself first, see HP.
 */
__device__ __forceinline__ u32 add(u32 (&sum)[1], const u32 (&a)[1], const u32 (&b)[1], u32 edge)
{
    sum[0] = a[0] + b[0] + (edge & 1);
    return edge;
}

__device__ __forceinline__ u32 add(u32 (&sum)[2], const u32 (&a)[2], const u32 (&b)[2], u32 edge)
{
    u32 doubled;

    asm("add.cc.u32 %0, %3, %3; addc.cc.u32 %1, %4, %6; addc.u32 %2, %5, %7;"
        : "=r"(doubled), "=r"(sum[0]), "=r"(sum[1])
        : "r"(edge), "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    return doubled;
}

__device__ __forceinline__ u32 add(u32 (&sum)[4], const u32 (&a)[4], const u32 (&b)[4], u32 edge)
{
    u32 doubled;

    asm("add.cc.u32 %0, %5, %5; addc.cc.u32 %1, %6, %10; addc.cc.u32 %2, %7, %11; addc.cc.u32 %3, %8, %12;"
        " addc.u32 %4, %9, %13;"
        : "=r"(doubled), "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(edge), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    return doubled;
}

/* x | ~(y | z), in one operation. */
__device__ __forceinline__ u32 or_nor(u32 x, u32 y, u32 z)
{
    u32 result;

    asm("lop3.b32 %0, %1, %2, %3, 0xf1;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}

/* low & high & z, and low & high | z. The compiler would compute low & high alone, in a third operation. */
__device__ __forceinline__ u32 match_and(u32 low, u32 high, u32 z)
{
    u32 result;

    asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(result) : "r"(low), "r"(high), "r"(z));
    return result;
}

__device__ __forceinline__ u32 match_or(u32 low, u32 high, u32 z)
{
    u32 result;

    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(low), "r"(high), "r"(z));
    return result;
}

/* What a lane keeps from step to step. */
template <int K, int S> struct lane {
    u32 pv[K], mv[K];
    u32 codes[AHEAD];
    u32 low[LOOK + 1][K], high[LOOK + 1][K];
    u32 queue[S];   /* from the lane above, not yet used */
    u32 edge[4];    /* lane 0: from the ring; 0 in all others */
    u32 last[S];    /* the last of these, of the four before */
    u32 out[4];
    progress seen;
};

/* Are the strips above and below so far that the batch from `first` on can begin? */
template <int K, int S> __device__ __forceinline__ bool near_enough(progress seen, int first, int end)
{
    return (seen.written >= min(first + 32 * S + BATCH<K>, end)) & (seen.read >= first + BATCH<K> - RING);
}

/* What a strip has to know of itself. Addresses are of shared memory. */
struct place {
    u32 in, out;       /* rings */
    u32 codes, table;
    u32 seen;          /* what the warps above and below have done */
    u32 nothing;       /* zeros, where lanes that are not the first one read their "upper edge" */
    u32 below;         /* 0 in the first lane, 1 in the others */
    bool top, bottom;  /* is it the first lane, or the last one */
    int columns, end;  /* of the table, and steps */
};

/*
 * With two steps to arrive, a shuffle is issued in the middle of the next step, off the chain; and a load has the codes
 * of two steps, as all lanes are at even columns in even steps.
 */
template <int S> constexpr bool RELAXED = S == 2;

/*
 * A batch of steps, from `first` on, lane by lane at `column`. With `ends`, some lanes are outside of the table, and
 * keep what they have. Returns whether the next batch may follow at once: it is before `last`, and the strips above and
 * below are far enough.
 */
template <int K, int S, bool ends>
__device__ __forceinline__ bool steps(lane<K, S> &my, const place &at, int first, int column, int last)
{
    const int next = first + BATCH<K>;
    const u32 ahead = code_address<K>(at.codes, column + LOOK + AHEAD);
    /* A batch does not wrap around. */
    const u32 in_slot = at.top ? at.in + (u32)(first + 32 * S) % RING * 4 : at.nothing;
    const u32 out_slot = at.out + (u32)first % RING * 4;
    bool go = false;

#pragma unroll
    for (int u = 0; u < BATCH<K>; u++) {
        if (u % 4 == 0) {
#pragma unroll
            for (int i = 0; i < S; i++)
                my.last[i] = my.edge[4 - S + i];
            load4(my.edge, in_slot + 4 * u);
        }
        const u32 edge = u % 4 < S ? my.last[u % 4 % S] : my.edge[(u % 4 + 4 - S) % 4];
        /* A select, as one of both is 0; but multiplications have a unit of their own, which is idle. */
        const u32 both = my.queue[u % S] * at.below + edge;
        u32 t[K], s[K], x[K], xp[K];

#pragma unroll
        for (int k = 0; k < K; k++) {
            const u32 low = my.low[u % (LOOK + 1)][k], high = my.high[u % (LOOK + 1)][k];

            t[k] = K == 1 ? low & my.pv[k] : match_and(low, high, my.pv[k]);
            x[k] = K == 1 ? low | my.mv[k] : match_or(low, high, my.mv[k]);
            xp[k] = x[k] | my.pv[k];
        }
        u32 upper = add(s, t, my.pv, both), ph;

        if (RELAXED<S>)
            my.queue[(u + S - 1) % S] = __shfl_up_sync(~0u, my.out[(u + 3) % 4], 1);
#pragma unroll
        for (int k = 0; k < K; k++) {
            const u32 c = s[k] ^ my.pv[k] ^ t[k];

            ph = or_nor(my.mv[k], xp[k], s[k]);
            const u32 shifted = __funnelshift_l(upper, ph, 1); /* hp of the row above, which is the top bit there */
            const u32 pv = or_nor(c, x[k], shifted), mv = shifted & x[k];
            const bool inside = !ends || (u32)(column + u) < (u32)at.columns;

            my.pv[k] = inside ? pv : my.pv[k];
            my.mv[k] = inside ? mv : my.mv[k];
            upper = ph;
        }
        my.out[u % 4] = K == 1 ? __funnelshift_l(s[K - 1], ph, 1) : with_top(s[K - 1], ph);
        if (!RELAXED<S>)
            my.queue[u % S] = __shfl_up_sync(~0u, my.out[u % 4], 1);
        if (u % 4 == 3)
            store4(out_slot + 4 * (u - 3), my.out, at.bottom);
        const u32 code = my.codes[(u + LOOK) % AHEAD];

        if (!RELAXED<S>)
            my.codes[(u + LOOK) % AHEAD] = load_code(ahead + 4 * u);
        else if ((u + LOOK) % 2)
            load_codes(my.codes[(u + LOOK - 1) % AHEAD], my.codes[(u + LOOK) % AHEAD], ahead + 4 * (u - 1));
        load_match<K>(my.low[(u + LOOK) % (LOOK + 1)], my.high[(u + LOOK) % (LOOK + 1)], at.table, code);
        /* Asked for, and voted on, before it is needed: both take their time. */
        if (u == BATCH<K> - LEAD<K>)
            my.seen = load_progress(at.seen);
        if (u == BATCH<K> - LEAD<K> / 2)
            go = __all_sync(~0u, near_enough<K, S>(my.seen, next, at.end) & (next < last));
    }
    return go;
}

/* Where word k of lane l stands in entry v of the half tables: lanes next to each other, up to four words each. */
template <int K> __device__ __forceinline__ int table_index(int v, int l, int k)
{
    constexpr int wide = K < 4 ? K : 4;

    return ((v * (K / wide) + k / wide) * 32 + l) * wide + k % wide;
}

/*
 * The match tables of a lane's rows, from `first` on; rows outside of the table match nothing. With one word a
 * lane there is an entry a character, with more one for each half of it: of the low halves, then of the high ones.
 */
template <int K>
__device__ void fill_tables(u32 *table, const job &job, bool backward, int first, int l)
{
    for (int k = 0; k < K; k++) {
        const u32 no_row = k == K - 1 ? 1u << 31 : 0; /* see ROWS */
        u32 planes[8] = { 0, 0, 0, 0, 0, 0, 0, 0 }, known = 0, low[16];

#pragma unroll 8
        for (int r = 0; r < 32; r++) {
            const int i = first + 32 * k + r;

            if (i < 0 || i >= job.a_length || 32 * k + r == ROWS<K>)
                continue;
            const u32 c = job.a[backward ? job.a_length - 1 - i : i];

            known |= 1u << r;
#pragma unroll
            for (int p = 0; p < 8; p++)
                planes[p] |= (c >> p & 1) << r;
        }
#pragma unroll
        for (int v = 0; v < 16; v++) {
            low[v] = known;
#pragma unroll
            for (int p = 0; p < 4; p++)
                low[v] &= v >> p & 1 ? planes[p] : ~planes[p];
            low[v] |= no_row;
            if (K > 1)
                table[table_index<K>(v, l, k)] = low[v];
        }
#pragma unroll 1
        for (int v = 0; v < 16; v++) {
            u32 high = known;

#pragma unroll
            for (int p = 0; p < 4; p++)
                high &= v >> p & 1 ? planes[4 + p] : ~planes[4 + p];
            high |= no_row;
            if (K > 1)
                table[table_index<K>(16 + v, l, k)] = high;
            else
#pragma unroll
                for (int i = 0; i < 16; i++)
                    table[(v * 16 + i) * 32 + l] = low[i] & high;
        }
    }
}

/* The steps that a strip takes. */
template <int K, int S> __device__ __forceinline__ int steps_of(int columns)
{
    return (columns + 31 * S + BATCH<K> - 1) / BATCH<K> * BATCH<K>;
}

/* Sets bits of the line where the fronts meet, from bit `at` on: (+1, -1). The line was zero before. */
__device__ __forceinline__ void put_bits(uint2 *line, int at, u32 plus, u32 minus)
{
    uint2 *word = line + at / 32;
    const u64 x = (u64)plus << at % 32, y = (u64)minus << at % 32;

    atomicOr(&word[0].x, (u32)x);
    atomicOr(&word[0].y, (u32)y);
    if (at % 32 != 0) {
        atomicOr(&word[1].x, (u32)(x >> 32));
        atomicOr(&word[1].y, (u32)(y >> 32));
    }
}

template <int K, int S>
__device__ void run_strip(block_memory<K> &shared, const job &job, int d, int unit, int strip, int warp)
{
    const front &front = job.fronts[d];
    const int l = (int)(threadIdx.x % 32), row = (strip * 32 + l) * ROWS<K> - front.pad;
    const u32 read = shared_address(ring_read(shared, warp)), written = shared_address(ring_written(shared, warp + 1));
    lane<K, S> my;
    place at;

    at.in = shared_address(&shared.rings[warp]);
    at.out = shared_address(&shared.rings[warp + 1]);
    at.codes = shared_address(shared.codes);
    at.table = shared_address(shared.tables[warp]) + (u32)l * 4 * (K < 4 ? K : 4);
    at.seen = shared_address(&shared.seen[warp + 1]);
    at.nothing = shared_address(shared.nothing);
    at.top = l == 0;
    at.bottom = l == 31;
    asm volatile("mov.u32 %0, %1;" : "=r"(at.below) : "r"(at.top ? 0 : 1)); /* who knows it is 0 or 1 uses a select */
    at.columns = unit_columns(job, d, unit);
    at.end = steps_of<K, S>(at.columns);
    fill_tables<K>(shared.tables[warp], job, d == 1, row, l);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int above = -(row + 32 * k); /* rows of the word that are padding */

        my.pv[k] = above >= 32 ? 0 : above > 0 ? ~0u << above : ~0u;
        my.mv[k] = 0;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        my.edge[i] = my.out[i] = 0;
#pragma unroll
    for (int i = 0; i < S; i++)
        my.queue[i] = 0;
    int first = 0;
    /*
     * Batches up to `last`; in those at both ends of the table some lanes are outside of it. False if the strip above
     * has ended before its time: see unpack_edge(). The inner loop has one branch.
     */
    const auto run = [&](int last, auto ends) {
        while (first < last) {
            do {
                my.seen = load_progress(at.seen);
                if (__any_sync(~0u, my.seen.written == STOPPED))
                    return false;
            } while (!__all_sync(~0u, near_enough<K, S>(my.seen, first, at.end)));
            bool go;

            do {
                go = steps<K, S, decltype(ends)::value>(my, at, first, first - S * l, last);
                first += BATCH<K>;
                store1(read, first + 32 * S, at.top);
                store1(written, first, at.bottom);
            } while (go);
        }
        return true;
    };
    const int from = (31 * S + BATCH<K> - 1) / BATCH<K> * BATCH<K>, to = at.columns / BATCH<K> * BATCH<K>;

    if (at.columns > 0) {
        wait_for(ring_written(shared, warp), 32 * S);
        load4(my.edge, at.top ? at.in + (32 * S - 4) % RING * 4 : at.nothing);
#pragma unroll
        for (int i = 0; i < LOOK; i++)
            load_match<K>(my.low[i], my.high[i], at.table, load_code(code_address<K>(at.codes, i - S * l)));
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            my.codes[(LOOK + i) % AHEAD] = load_code(code_address<K>(at.codes, LOOK + i - S * l));
        if (!run(min(from, at.end), std::true_type()) || !run(to, std::false_type()) ||
            !run(at.end, std::true_type())) {
            store1(written, STOPPED, at.bottom);
            return;
        }
    }
    const int line = front.columns - at.columns + row + front.pad;

    for (int k = 0; k < K; k++) {
        const u32 rows = k == K - 1 ? ~0u >> 1 : ~0u;

        put_bits(front.line, line + 32 * k, my.pv[k] & rows, my.mv[k] & rows);
    }
}
