/*
 * expert.cu - edit distance at the speed of the machine's logic units.
 *
 * Method. Neighbouring cells of the table differ by -1, 0 or 1 (Ukkonen 1985). A *word* is 32 rows of one column, held
 * as two bit masks: the vertical differences that are +1 (pv) and -1 (mv). Hyyrö (2003), after Myers (1999), gets a
 * word from its left neighbour, the rows that match the column's character (eq), and the horizontal difference on its
 * upper edge, (hp, hn) = (is +1, is -1), in about nine logic operations and one addition, whose carry runs along the
 * rows:
 *
 *   t   = eq & pv                 s = t + pv + hn                     carry out: hn of the lower edge
 *   x   = eq | mv                 c = s ^ pv ^ t                      c: hn above every row
 *   ph  = mv | ~(x | pv | s)      ph2 = 2 ph + hp                     carry out: hp of the lower edge
 *   pv' = c | ~(x | ph2)          mv' = ph2 & x
 *
 * What bounds it. Words of one column hang together by their edges, words of one row of words by pv and mv, so 32 rows
 * x one column is the grain of a wavefront. A chain of five dependent instructions leads from pv to pv', about 24
 * clocks, and a table of n columns has n of them in a row. Depth, not throughput, is what bounds a pair of equal
 * lengths:
 *
 *   - Two fronts. One starts at the beginning of both strings, the other one at their ends, going backwards (the
 *     distance of the reversed strings). They meet along a line of stairs, at which all strips are done at the same
 *     time; the distance is the least sum of both over the line's points. The depth is halved, the work is the same.
 *   - A lane owns K words below each other, a warp 32 K of them, a *strip*. Lane l works on column t - S l at step t
 *     and passes (hp, hn) to the next lane by a shuffle, which has S steps to arrive.
 *   - The longer string lies along the rows: then more of the machine works at once.
 *
 * Strips are a pipeline: a warp hands the lower edge of its strip to the next warp through a ring in shared memory, and
 * a block of WARPS strips hands it on through global memory, 32 columns in one 64-bit word. Two further warps of the
 * block do nothing but unpack and pack these words. No word can have hp and hn in one column, so all ones means "not
 * there yet", and no flags or fences are needed. Blocks take their strips in order from a counter; so those that a
 * block waits for are always running already, however many blocks fit on the device.
 *
 * Matches. eq comes from two tables of 16 entries a lane, by the low and the high half of the character: eq = low &
 * high costs nothing, as all its uses are logic operations of three operands. With K = 1 there is room in shared memory
 * for one table of 256 entries instead.
 *
 * Wide tables. Depth bounds a square, and one word a lane makes the quickest steps. If one string is much longer, the
 * pipeline of strips is what takes long: K = 4 makes it a quarter as many strips, for three times the clocks in a step.
 *
 * Similar strings. They need far fewer steps, by another method. It runs beside this one on idle multiprocessors, and
 * the first one to know the distance stops the other. See "a race along the diagonals" below.
 *
 * The lengths are any from 1 up. Rows are padded on top of the table by rows with pv = mv = eq = 0, which hand hp = 1,
 * the upper edge of the table, down as it is.
 */
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

typedef unsigned int u32;
typedef unsigned long long u64;

enum {
    WARPS = 4,                  /* strips in flight in a block, one on each of the SM's four schedulers */
    THREADS = (WARPS + 2) * 32, /* and the warps that unpack the block's upper edge and pack its lower one */
    S1 = 2, S2 = 1, S4 = 1, /* S for K = 1, 2 and 4 */
    RING = 256,           /* columns that a ring holds; a power of two above 4 batches + 32 S */
    LOOK = 3,             /* steps that a match is loaded ahead */
    AHEAD = 4,            /* steps that a column's code is loaded ahead of that */
    CODES = 4096,         /* columns whose codes a block holds: more than its first warp can be ahead of its last */
    STOPPED = INT_MAX,    /* instead of what is written, when the race has been won */
    FAR = 128,            /* columns that a code is there before its column's edge; a multiple of 32 */
    NAP = 100,            /* ns between two looks of a warp that has long to wait, to leave the SM to the others */
    LENGTH_MAX = 1048448, /* as the statement has it */
    EDGES_MAX = 400000,   /* words of all edges between blocks: 2 (m / 4096 + 1) (n / 32 + 1), with mn = 2^34 */
    LINES_MAX = 4 * (LENGTH_MAX / 32 + 64), /* words of both lines */
    RACE_WARPS = 4,       /* of a block that own columns; one brings edges, one looks for overlaps */
    RACE_RING = 64,       /* steps whose edges a ring holds; a power of two */
    RACE_LOOK = 8,        /* steps that are searched for overlaps at once */
    RACE_BITS = 18,       /* of an x: both strings are shorter than 2^18 - 1 where similar ones can be */
    RACE_TAGS = (1 << (32 - RACE_BITS)) - 1,
    RACE_PAIRS = 34,      /* pairs of blocks at most */
    HISTORY_MAX = 32 * RACE_WARPS * RACE_PAIRS * (16 * RACE_WARPS * RACE_PAIRS), /* x of one end: columns, steps */
    RACE_LEAST = 1024,    /* the shorter string has at least so many characters */
    RACE_WINDOW = 115136, /* bytes of a string in shared memory */
    RACE_MARGIN = 288,    /* bytes behind the last one that are looked at, but do not count */
    RACE_SPAN = RACE_WINDOW - RACE_MARGIN - 32, /* characters in the window */
    MEET_THREADS = 256,
    MEET_SPAN = 2048, /* cells of the meeting line that a block looks at */
};
constexpr u64 EMPTY = ~0ull;

/* Steps between two looks at what the neighbouring warps have done: more of them mean fewer looks, but a longer lag. */
template <int K> constexpr int BATCH = K == 1 ? 32 : 16;

/* Words of a strip's match tables: [256][32] for one word a lane, [low half, high half][16][32][K] for more. */
constexpr int table_words(int K) { return K == 1 ? 256 * 32 : 2 * 16 * 32 * K; }

/* One of the two fronts: its part of the table, rows and columns counted from its own end of the strings. */
struct front {
    uint2 *line;    /* [32 K strips + ...]: (+1, -1), the differences along the line where the fronts meet, in 32s */
    u64 *edges;     /* [units][words]: hp of 32 columns in the low half, hn in the high half, of a unit's lower edge */
    int columns;    /* of the first unit, which has most */
    int words;      /* columns / 32, rounded up */
    int pad;        /* rows above the table */
};

/* Who comes first, the sweep or the race. */
enum { NOBODY, THE_SWEEP, THE_RACE };

struct race_state {
    u32 winner;
    u32 lost;     /* the race cannot find the distance */
    u32 best;     /* the least distance that the race has found so far */
    u32 searched; /* pairs of blocks whose search has ended */
    u32 swept;    /* units of the sweep that have ended */
};

struct race_plan {
    u32 *history[2]; /* [steps][columns] of each end: see race_pack() */
    race_state *state;
    int blocks, columns, steps; /* blocks: 0 for no race */
    u32 tag;                    /* of this call */
};

struct job {
    const unsigned char *a, *b; /* along the rows and along the columns */
    int a_length, b_length;
    int strips, units; /* a unit is WARPS strips, what a block takes at a time; the lowest one may have fewer */
    /* The first front has `middle` columns in the uppermost unit, and `slope` less in each further one. */
    int middle, slope;
    u32 *ticket; /* units taken so far; behind it the answer */
    u32 *best;
    front fronts[2];
    race_plan race;
};

/* The columns of a unit; what the one front does not take is the other's. */
__host__ __device__ __forceinline__ int unit_columns(const job &job, int d, int unit)
{
    const int down = job.middle - (d == 0 ? unit : job.units - 1 - unit) * job.slope;
    const int first = down < 0 ? 0 : down < job.b_length ? down : job.b_length;

    return d == 0 ? first : job.b_length - first;
}

/* The first strip of a unit, counted from the front's end; of all units it is the lowest that may have fewer. */
__host__ __device__ __forceinline__ int unit_start(const job &job, int d, int unit)
{
    const int strip = d == 0 ? WARPS * unit : WARPS * unit - (WARPS * job.units - job.strips);

    return strip < 0 ? 0 : strip < job.strips ? strip : job.strips;
}

/* ------------------------------------------------------------------ before: memory that says "not there" */

__global__ void prepare(job job)
{
    const int stride = (int)(gridDim.x * blockDim.x), thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (thread == 0) {
        *job.ticket = 0;
        *job.best = UINT_MAX;
        *job.race.state = {NOBODY, 0, UINT_MAX / 2, 0, 0};
    }
    for (int d = 0; d < 2; d++)
        for (int i = thread; i < job.units * job.fronts[d].words; i += stride)
            job.fronts[d].edges[i] = EMPTY;
}

/* ------------------------------------------------------------------ the rings between warps */

/*
 * Slot x of a ring holds hp << 31 | hn, of the upper edge of a strip in column x - 31 S: x is the step at which the
 * last lane of the strip above works on it.
 */
typedef u32 ring[RING];

/* How far the two ends of a ring are. The warp between two rings looks at `written` of one and `read` of the other. */
struct __align__(8) progress {
    int written; /* slots of ring w below are there */
    int read;    /* slots of ring w + 1 below may be written again */
};

/* Where a character's entry is in the tables: c * 128, or the low half's offset and the high half's << 16. */
template <int K> struct entry {
    typedef u32 type;
    __device__ static u32 of(u32 c) { return ((c & 15) | (16 + (c >> 4)) << 16) * (32 * 4 * K); }
};
template <> struct entry<1> {
    typedef unsigned short type;
    __device__ static u32 of(u32 c) { return c * 128; }
};

template <int K> struct block_memory {
    u32 tables[WARPS][table_words(K)];
    typename entry<K>::type codes[CODES + 32]; /* of columns modulo CODES; the first 32 stand behind the last again */
    ring rings[WARPS + 1];             /* warp w reads ring w and writes ring w + 1 */
    progress seen[WARPS + 2]; /* by warp w: rings w and w + 1 are its own; shifted by one, see ring_written() */
    u32 ticket;
};

template <int K> __device__ __forceinline__ int *ring_written(block_memory<K> &shared, int r)
{
    return &shared.seen[r + 1].written;
}
template <int K> __device__ __forceinline__ int *ring_read(block_memory<K> &shared, int r)
{
    return &shared.seen[r].read;
}

__device__ __forceinline__ u32 shared_address(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

/* Four slots, by one lane only: others keep what they have. */
__device__ __forceinline__ void load4(u32 values[4], u32 address, bool mine)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "+r"(values[0]), "+r"(values[1]), "+r"(values[2]), "+r"(values[3])
                 : "r"(address), "r"((int)mine));
}

__device__ __forceinline__ void store4(u32 address, const u32 values[4], bool mine)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p st.volatile.shared.v4.u32 [%4], {%0, %1, %2, %3}; }"
                 :: "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3]), "r"(address), "r"((int)mine));
}

__device__ __forceinline__ void store1(u32 address, int value, bool mine)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.volatile.shared.u32 [%0], %1; }"
                 :: "r"(address), "r"(value), "r"((int)mine));
}

__device__ __forceinline__ progress load_progress(u32 address)
{
    progress p;

    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(p.written), "=r"(p.read) : "r"(address));
    return p;
}

__device__ __forceinline__ void load4_match(u32 words[4], u32 address)
{
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
}

/* The rows of a lane that match the column with this code. */
template <int K> __device__ __forceinline__ void load_match(u32 low[K], u32 high[K], u32 table, u32 code)
{
    if (K == 1) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(low[0]) : "r"(table + code));
        high[0] = ~0u;
    } else if (K == 2) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(low[0]), "=r"(low[K - 1])
                     : "r"(table + (code & 0xffff)));
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(high[0]), "=r"(high[K - 1]) : "r"(table + (code >> 16)));
    } else {
#pragma unroll
        for (int k = 0; k < K; k += 4) {
            load4_match(low + k, table + (code & 0xffff) + k * 128);
            load4_match(high + k, table + (code >> 16) + k * 128);
        }
    }
}

/* The address of a column's code, and of those of some 32 columns behind it. */
template <int K> __device__ __forceinline__ u32 code_address(u32 codes, int column)
{
    return codes + (u32)column % CODES * (u32)sizeof(typename entry<K>::type);
}

template <int K> __device__ __forceinline__ u32 load_code(u32 address)
{
    if (K == 1) {
        unsigned short value;

        asm volatile("ld.volatile.shared.u16 %0, [%1];" : "=h"(value) : "r"(address));
        return value;
    }
    u32 value;

    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}

/* Until *counter has reached `least`. */
__device__ __forceinline__ void wait_for(const int *counter, int least)
{
    while (*(const volatile int *)counter < least)
        __nanosleep(NAP);
}

/* ------------------------------------------------------------------ a strip */

/* sum = a + b + in; returns the carry. a is a subset of b, so there is at most one. */
__device__ __forceinline__ u32 add(u32 (&sum)[1], const u32 (&a)[1], const u32 (&b)[1], u32 in)
{
    const u64 all = (u64)a[0] + b[0] + in;

    sum[0] = (u32)all;
    return (u32)(all >> 32);
}

__device__ __forceinline__ u32 add(u32 (&sum)[2], const u32 (&a)[2], const u32 (&b)[2], u32 in)
{
    u32 carry;

    const unsigned __int128 all = (unsigned __int128)((u64)a[1] << 32 | a[0]) + ((u64)b[1] << 32 | b[0]) + in;

    sum[0] = (u32)all;
    sum[1] = (u32)(all >> 32);
    carry = (u32)(all >> 64);
    return carry;
}

__device__ __forceinline__ u32 add(u32 (&sum)[4], const u32 (&a)[4], const u32 (&b)[4], u32 in)
{
    u32 carry;

    asm("{ .reg .u32 no; add.cc.u32 no, %13, 0xffffffff; addc.cc.u32 %0, %5, %9; addc.cc.u32 %1, %6, %10;"
        " addc.cc.u32 %2, %7, %11; addc.cc.u32 %3, %8, %12; addc.u32 %4, 0, 0; }"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3]), "=r"(carry)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(in));
    return carry;
}

/* x | ~(y | z), in one operation. */
__device__ __forceinline__ u32 or_nor(u32 x, u32 y, u32 z)
{
    u32 result;

    asm("lop3.b32 %0, %1, %2, %3, 0xf1;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}

/* x = y in one lane. A select would take the unit that does the logic; this need not. */
__device__ __forceinline__ void move_if(u32 &x, u32 y, bool mine)
{
    asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p mov.u32 %0, %1; }" : "+r"(x) : "r"(y), "r"((int)mine));
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

/* A batch of steps, from `first` on. With `ends`, some lanes are outside of the table, and keep what they have. */
template <int K, int S, bool ends>
__device__ __forceinline__ void steps(lane<K, S> &my, int first, int column, int columns, u32 codes, u32 table,
                                      u32 in, u32 out, u32 seen, bool top, bool bottom)
{
    const u32 ahead = code_address<K>(codes, column + LOOK + AHEAD);
    /* A batch does not wrap around. */
    const u32 in_slot = in + (u32)(first + 32 * S) % RING * 4, out_slot = out + (u32)first % RING * 4;

#pragma unroll
    for (int u = 0; u < BATCH<K>; u++) {
        if (u % 4 == 0) {
#pragma unroll
            for (int i = 0; i < S; i++)
                my.last[i] = my.edge[4 - S + i];
            load4(my.edge, in_slot + 4 * u, top);
        }
        const u32 edge = u % 4 < S ? my.last[u % 4 % S] : my.edge[(u % 4 + 4 - S) % 4];
        u32 both = my.queue[u % S];

        move_if(both, edge, top);
        u32 t[K], s[K], x[K], xp[K];

#pragma unroll
        for (int k = 0; k < K; k++) {
            const u32 low = my.low[u % (LOOK + 1)][k], high = my.high[u % (LOOK + 1)][k];

            t[k] = low & high & my.pv[k];
            x[k] = (low & high) | my.mv[k];
            xp[k] = x[k] | my.pv[k];
        }
        const u32 hn_out = add(s, t, my.pv, both & 1);
        u32 upper = both, ph;

#pragma unroll
        for (int k = 0; k < K; k++) {
            const u32 c = s[k] ^ my.pv[k] ^ t[k];

            ph = or_nor(my.mv[k], xp[k], s[k]);
            const u32 shifted = __funnelshift_l(upper, ph, 1); /* hp of the row above, which is the top bit there */
            const u32 pv = or_nor(c, x[k], shifted), mv = shifted & x[k];
            const bool inside = !ends || (u32)(column + u) < (u32)columns;

            my.pv[k] = inside ? pv : my.pv[k];
            my.mv[k] = inside ? mv : my.mv[k];
            upper = ph;
        }
        my.out[u % 4] = (ph & 1u << 31) | hn_out;
        my.queue[u % S] = __shfl_up_sync(~0u, my.out[u % 4], 1);
        if (u % 4 == 3)
            store4(out_slot + 4 * (u - 3), my.out, bottom);
        const u32 code = my.codes[(u + LOOK) % AHEAD];

        my.codes[(u + LOOK) % AHEAD] = load_code<K>(ahead + u * (u32)sizeof(typename entry<K>::type));
        load_match<K>(my.low[(u + LOOK) % (LOOK + 1)], my.high[(u + LOOK) % (LOOK + 1)], table, code);
        if (u == BATCH<K> - 5)
            my.seen = load_progress(seen);
    }
}

/* Where word k of lane l stands in entry v of the half tables: lanes next to each other, up to four words each. */
template <int K> __device__ __forceinline__ int table_index(int v, int l, int k)
{
    constexpr int wide = K < 4 ? K : 4;

    return ((v * (K / wide) + k / wide) * 32 + l) * wide + k % wide;
}

/*
 * The match tables of a lane's rows first .. first + 32 K - 1; rows outside of the table match nothing. With one word a
 * lane there is an entry a character, with more one for each half of it: of the low halves, then of the high ones.
 */
template <int K>
__device__ void fill_tables(u32 *table, const job &job, bool backward, int first, int l)
{
    for (int k = 0; k < K; k++) {
        u32 planes[8] = { 0, 0, 0, 0, 0, 0, 0, 0 }, known = 0, low[16];

#pragma unroll 8
        for (int r = 0; r < 32; r++) {
            const int i = first + 32 * k + r;

            if (i < 0 || i >= job.a_length)
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
            if (K > 1)
                table[table_index<K>(v, l, k)] = low[v];
        }
#pragma unroll 1
        for (int v = 0; v < 16; v++) {
            u32 high = known;

#pragma unroll
            for (int p = 0; p < 4; p++)
                high &= v >> p & 1 ? planes[4 + p] : ~planes[4 + p];
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

template <int K, int S>
__device__ void run_strip(block_memory<K> &shared, const job &job, int d, int unit, int strip, int warp)
{
    const front &front = job.fronts[d];
    const int l = (int)(threadIdx.x % 32), columns = unit_columns(job, d, unit), end = steps_of<K, S>(columns);
    const int row = (strip * 32 + l) * 32 * K - front.pad;
    const bool top = l == 0, bottom = l == 31;
    const u32 in = shared_address(&shared.rings[warp]), out = shared_address(&shared.rings[warp + 1]);
    const u32 table = shared_address(shared.tables[warp]) + (u32)l * 4 * (K < 4 ? K : 4);
    const u32 seen = shared_address(&shared.seen[warp + 1]);
    const u32 read = shared_address(ring_read(shared, warp)), written = shared_address(ring_written(shared, warp + 1));
    const u32 codes = shared_address(shared.codes);
    lane<K, S> my;

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
    /* Until the strips above and below are so far that the next batch can go on. */
    const auto wait = [&] {
        const int need = min(first + 32 * S + BATCH<K>, end), room = first + BATCH<K> - RING;

        while (__any_sync(~0u, my.seen.written < need || my.seen.read < room))
            my.seen = load_progress(seen);
    };
    bool stopped = false; /* the strip above has ended before its time: see unpack_edge() */
    /* Batches up to `last`; in those at both ends of the table some lanes are outside of it. */
    const auto run = [&](int last, auto ends) {
        while (first < last && !stopped) {
            steps<K, S, decltype(ends)::value>(my, first, first - S * l, columns, codes, table, in, out, seen, top,
                                               bottom);
            store1(read, first + 32 * S + BATCH<K>, top);
            first += BATCH<K>;
            store1(written, first, bottom);
            if (first < end) {
                wait();
                stopped = my.seen.written == STOPPED;
            }
        }
    };
    const int from = (31 * S + BATCH<K> - 1) / BATCH<K> * BATCH<K>, to = columns / BATCH<K> * BATCH<K>;

    if (columns > 0) {
        wait_for(ring_written(shared, warp), 1);
        my.seen = load_progress(seen);
        wait();
        load4(my.edge, in + (32 * S - 4) % RING * 4, top);
#pragma unroll
        for (int i = 0; i < LOOK; i++)
            load_match<K>(my.low[i], my.high[i], table, load_code<K>(code_address<K>(codes, i - S * l)));
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            my.codes[(LOOK + i) % AHEAD] = load_code<K>(code_address<K>(codes, LOOK + i - S * l));
        run(min(from, end), std::true_type());
        run(to, std::false_type());
        run(end, std::true_type());
    }
    if (stopped) {
        store1(written, STOPPED, bottom);
        return;
    }
    uint2 *line = front.line + (front.columns - columns) / 32 + (strip * 32 + l) * K;

    for (int k = 0; k < K; k++)
        line[k] = make_uint2(my.pv[k], my.mv[k]);
}

/* ------------------------------------------------------------------ the edges of a block */

__device__ __forceinline__ u32 load_word(const u32 *p)
{
    u32 value;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p));
    return value;
}

/* Four neighbouring words. */
struct __align__(16) four_words {
    u32 word[4];
};

__device__ __forceinline__ four_words load_words(const u32 *p)
{
    four_words v;

    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(p));
    return v;
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
    u32 winner = NOBODY, news = NOBODY; /* news: asked for, but not looked at before four words later: it takes long */

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

            if (K == 1 && next % 4 == 0) {
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

/* ------------------------------------------------------------------ similar strings: a race along the diagonals */

/*
 * If the distance is D, the cells that are at most D / 2 from one end of the strings lie on few diagonals, and on each
 * of them only the furthest one counts (Ukkonen 1985; Landau, Vishkin 1988). After s edits it is, with x the characters
 * taken from a, k = characters of b less those of a, and then as far as the characters are equal,
 *
 *   x(k, s) = max(x(k, s - 1) + 1, x(k + 1, s - 1) + 1, x(k - 1, s - 1))
 *
 * That takes D steps and not n. Both ends do it at once; the distance is at most s + s' if, and only if, the two ends
 * overlap on a diagonal after s and s' steps. So D / 2 steps are enough.
 *
 * It is worth it for similar strings only, and nobody knows beforehand whether they are. So it runs beside the sweep,
 * on the multiprocessors that the depth of the sweep leaves idle, and who is first stops the other one.
 *
 * Lanes own *columns*: column c of step s is diagonal c - s - shift of the first end's table, for both ends. So a
 * column depends on itself and on the two left of it, and warps are a pipeline again: how long an edge travels from
 * block to block matters once, not in each step. Edges go through a ring in shared memory, and from block to block
 * through the table of all x, which a warp of each pair of blocks searches for overlaps, in its own time.
 */
constexpr int NOWHERE = -(1 << 20); /* x of a diagonal that s edits do not reach */

/* An x in memory: `tag` of the call in the upper bits, so that nothing has to be cleared between calls. */
__device__ __forceinline__ u32 race_pack(u32 tag, int x)
{
    return tag << RACE_BITS | (u32)max(x, -1) % (1 << RACE_BITS);
}

__device__ __forceinline__ bool race_there(u32 tag, u32 packed) { return packed >> RACE_BITS == tag; }

__device__ __forceinline__ int race_unpack(u32 packed)
{
    const int x = (int)(packed % (1 << RACE_BITS));

    return x == (1 << RACE_BITS) - 1 ? NOWHERE : x;
}

struct race_memory {
    u64 edges[RACE_WARPS][RACE_RING]; /* of warp w's left neighbour: (step + 1) << 36 | the last but one << 18 | last */
    int progress[RACE_WARPS];         /* steps below are done; INT_MAX at the end */
    int stop;                         /* steps from here on are of no use any more */
    __align__(16) unsigned char a[RACE_WINDOW], b[RACE_WINDOW]; /* this end of both strings, and zeros behind it */
};

/* The first step at which a block has columns that are reached. */
__device__ __forceinline__ int race_start(const job &job, int index)
{
    return max(0, (index * RACE_WARPS * 32 - abs(job.b_length - job.a_length)) / 2);
}

/* The x at which diagonal k ends because the window does, and not the strings. */
__device__ __forceinline__ int race_end(int m, int n, int k)
{
    const int end = min(min(m, RACE_SPAN), min(n, RACE_SPAN) - k);

    return end < min(m, n - k) ? end : INT_MAX;
}

/* The first step that is of use to nobody, if a distance of `best` is known. */
__device__ __forceinline__ int race_stop(int best) { return best / 2 + 1; }

/* The step up to which this block has to go on, as the other blocks see it. */
__device__ __forceinline__ int race_until(const job &job)
{
    if (load_word(&job.race.state->winner) != NOBODY || load_word(&job.race.state->lost))
        return 0;
    return min(job.race.steps, race_stop((int)load_word(&job.race.state->best)));
}

/* Where an end's string begins in its window, which is copied as it is: of 16-byte words of memory. */
__device__ __forceinline__ int window_origin(int length, bool back)
{
    return back && length > RACE_SPAN ? (length - RACE_SPAN) / 16 * 16 : 0;
}

__device__ void race_load(unsigned char *window, const unsigned char *string, int length, bool back)
{
    const int origin = window_origin(length, back), count = min(length - origin, RACE_SPAN + 16);
    const uint4 *from = (const uint4 *)(string + origin);
    uint4 *to = (uint4 *)(window + (back ? RACE_MARGIN : 0));

#pragma unroll 8
    for (int i = (int)threadIdx.x; i < count / 16; i += THREADS)
        to[i] = from[i];
    for (int i = count / 16 * 16 + (int)threadIdx.x; i < count; i += THREADS)
        window[(back ? RACE_MARGIN : 0) + i] = string[origin + i];
    for (int i = (int)threadIdx.x; i < RACE_MARGIN; i += THREADS) {
        window[back ? i : count + i] = 0;
        if (back && i < 16)
            window[RACE_MARGIN + count + i] = 0;
    }
}

/*
 * Four characters from number i on, as this end counts them: the first one in the lowest byte, from the back in the
 * highest one. `first` is the address of number 0, from the back of number 3.
 */
template <bool back> __device__ __forceinline__ u32 race_four(u32 first, int i)
{
    const u32 at = back ? first - (u32)i : first + (u32)i, word = at & ~3u;
    u32 low, high;

    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(low) : "r"(word));
    asm volatile("ld.shared.u32 %0, [%1 + 4];" : "=r"(high) : "r"(word));
    return __funnelshift_r(low, high, at % 4 * 8);
}

/* The same of eight characters, by two aligned loads that lanes next to each other do without bank conflicts. */
template <bool back> __device__ __forceinline__ uint2 race_eight(u32 first, int i)
{
    const u32 at = back ? first - (u32)i - 4 : first + (u32)i, word = at & ~7u;
    u32 q[4];

    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(q[0]), "=r"(q[1]) : "r"(word));
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + 8];" : "=r"(q[2]), "=r"(q[3]) : "r"(word));
    const bool odd = at & 4;
    const u32 middle = odd ? q[2] : q[1], bits = at % 4 * 8;
    const u32 low = __funnelshift_r(odd ? q[1] : q[0], middle, bits);
    const u32 high = __funnelshift_r(middle, odd ? q[3] : q[2], bits);

    return back ? make_uint2(high, low) : make_uint2(low, high);
}

/* How many characters are equal, from the difference of four. */
template <bool back> __device__ __forceinline__ int race_equal(u32 difference)
{
    return difference == 0 ? 4 : (back ? __clz((int)difference) : __ffs((int)difference) - 1) / 8;
}

/* The columns of one warp. */
template <bool back> __device__ void race_columns(race_memory &shared, const job &job, int index, int warp)
{
    const int l = (int)(threadIdx.x % 32), m = job.a_length, n = job.b_length, difference = n - m;
    const int column = (index * RACE_WARPS + warp) * 32 + l, shift = max(0, -difference);
    const int start = race_start(job, index);
    /* No further than the end of the strings, or of the windows. */
    const int most_a = min(m, RACE_SPAN), most_b = min(n, RACE_SPAN);
    const u32 a = shared_address(shared.a) + (back ? RACE_MARGIN + m - window_origin(m, true) - 4 : 0);
    const u32 b = shared_address(shared.b) + (back ? RACE_MARGIN + n - window_origin(n, true) - 4 : 0);
    volatile u64 *in = shared.edges[warp], *out = shared.edges[(warp + 1) % RACE_WARPS];
    volatile int *progress = shared.progress, *stop = &shared.stop;
    const bool leftmost = index == 0 && warp == 0, rightmost = warp == RACE_WARPS - 1;
    u32 *history = job.race.history[back] + column + (size_t)start * job.race.columns;
    int k = back ? difference - (column - start - shift) : column - start - shift; /* as this end counts it */
    int x = NOWHERE, until = *stop;

    for (int s = start; s < until; s++) {
        until = *stop;
        if (s == 0) {
            x = k == 0 ? 0 : NOWHERE;
        } else {
            int last = NOWHERE, last_but_one = NOWHERE;

            if (!leftmost && (s > start || warp == 0)) { /* columns of further warps are not reached before */
                u64 edge = in[(s - 1) % RACE_RING];

                while (edge >> 36 != (u64)s && s < *stop)
                    edge = in[(s - 1) % RACE_RING];
                if (edge >> 36 != (u64)s)
                    break;
                last = race_unpack((u32)edge);
                last_but_one = race_unpack((u32)(edge >> RACE_BITS));
            }
            int left = __shfl_up_sync(~0u, x, 1), left2 = __shfl_up_sync(~0u, x, 2);

            left = l == 0 ? last : left;
            left2 = l == 0 ? last_but_one : l == 1 ? last : left2;
            x = max(max(x + !back, left + 1), left2 + back);
        }
        const int most = min(min(m, n - k), min(most_a, most_b - k));

        x = min(x, most);
        const bool inside = x >= 0 && x < most;
        const int from = inside ? x : 0;
        const u32 difference4 = race_four<back>(a, from) ^ race_four<back>(b, inside ? x + k : 0);
        /* Known before the length of the others is. */
        u32 more = __ballot_sync(~0u, inside && difference4 == 0 && x + 4 < most);
        const int equal = race_equal<back>(difference4);

        x = inside ? min(x + equal, most) : x;
        /* Long runs: the warp compares 256 characters at once. */

        while (more) {
            const int owner = __ffs((int)more) - 1, k_there = back ? k + l - owner : k - l + owner;
            const int most_there = min(min(m, n - k_there), min(most_a, most_b - k_there));
            int at = __shfl_sync(~0u, x, owner), run = 256;

            for (; run == 256 && at < most_there; at += run) {
                const uint2 of_a = race_eight<back>(a, at + 8 * l), of_b = race_eight<back>(b, at + k_there + 8 * l);
                const u32 first = of_a.x ^ of_b.x, second = of_a.y ^ of_b.y;
                const int mine = first ? race_equal<back>(first) : 4 + race_equal<back>(second);

                const u32 ends = __ballot_sync(~0u, mine < 8);
                const int end_lane = __ffs((int)ends) - 1;

                run = ends ? 8 * end_lane + __shfl_sync(~0u, mine, end_lane) : 256;
            }
            x = l == owner ? min(at, most_there) : x;
            more &= more - 1;
        }
        const u32 packed = race_pack(job.race.tag, x);
        const u32 before = __shfl_up_sync(~0u, packed, 1);

        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(history), "r"(packed));
        history += job.race.columns;
        if (!rightmost) {
            if (s % (RACE_RING / 4) == 0)
                while (progress[warp + 1] <= s + RACE_RING / 4 - RACE_RING && s < *stop)
                    ;
            if (l == 31)
                out[s % RACE_RING] =
                    (u64)(s + 1) << 36 | (u64)(before % (1 << RACE_BITS)) << RACE_BITS | packed % (1 << RACE_BITS);
        }
        if (s % (RACE_RING / 4) == 0 && l == 0)
            progress[warp] = s;
        k += back ? 1 : -1;
    }
    __syncwarp();
    if (l == 0)
        progress[warp] = INT_MAX;
}

/* Brings the left neighbour's edge, and the news from elsewhere. */
__device__ void race_edge(race_memory &shared, const job &job, int d, int index)
{
    const int l = (int)(threadIdx.x % 32), column = index * RACE_WARPS * 32;
    const u32 *history = job.race.history[d] + column;
    volatile int *progress = shared.progress, *stop = &shared.stop;
    int next = max(0, race_start(job, index) - 1);

    for (;;) {
        const int until = __shfl_sync(~0u, l == 0 ? race_until(job) : 0, 0);
        bool busy = false;

        if (l == 0)
            *stop = until;
        for (int w = 0; w < RACE_WARPS; w++)
            busy |= progress[w] != INT_MAX;
        if (!__any_sync(~0u, busy))
            return;
        if (index == 0) {
            __nanosleep(NAP);
            continue;
        }
        const int step = next + l, room = progress[0] > job.race.steps ? INT_MAX : progress[0] + RACE_RING;
        const bool wanted = step < until && step < room;
        const u32 *at = history + (size_t)min(step, job.race.steps - 1) * job.race.columns;
        const u32 last = wanted ? load_word(at - 1) : 0, last_but_one = wanted ? load_word(at - 2) : 0;
        const u32 missing = __ballot_sync(~0u, !(race_there(job.race.tag, last) &&
                                                 race_there(job.race.tag, last_but_one)));
        const int count = missing ? __ffs((int)missing) - 1 : 32;

        if (l < count)
            ((volatile u64 *)shared.edges[0])[step % RACE_RING] =
                (u64)(step + 1) << 36 | (u64)(last_but_one % (1 << RACE_BITS)) << RACE_BITS |
                last % (1 << RACE_BITS);
        next += count;
    }
}

/*
 * Looks for overlaps in the columns of a pair of blocks. A step's x of the one end meets those of the other end of the
 * same step, for a distance of 2 s, and of the step before, one column to the left, for 2 s - 1. Returns false if
 * it cannot know, as the window ends where strings go on.
 */
__device__ bool race_search(const job &job, int index)
{
    const int l = (int)(threadIdx.x % 32), m = job.a_length, n = job.b_length, difference = n - m;
    const int column = index * RACE_WARPS * 32 + 4 * l, shift = max(0, -difference), tag = (int)job.race.tag;
    const u32 *f = job.race.history[0] + column, *g = job.race.history[1] + column;
    const int start = race_start(job, index);
    u32 before[4] = { ~0u, ~0u, ~0u, ~0u }; /* of g, in the step before */

    for (int s = start;;) {
        const int until = __shfl_sync(~0u, l == 0 ? race_until(job) : 0, 0);

        if (s >= until)
            return true;
        four_words ahead[2][RACE_LOOK];
        u32 left[RACE_LOOK]; /* of g, the step before, left of these columns */
        bool there[RACE_LOOK];

#pragma unroll
        for (int i = 0; i < RACE_LOOK; i++) {
            const size_t row = (size_t)min(s + i, job.race.steps - 1) * job.race.columns;

            ahead[0][i] = load_words(f + row);
            ahead[1][i] = load_words(g + row);
            left[i] = l == 0 && index > 0 && s + i > 0 ? load_word(g + row - job.race.columns - 1) : 0;
        }
#pragma unroll
        for (int i = 0; i < RACE_LOOK; i++) {
            there[i] = s + i < until && (l > 0 || index == 0 || s + i == 0 || race_there((u32)tag, left[i]));
            for (int j = 0; j < 4; j++)
                there[i] &= race_there((u32)tag, ahead[0][i].word[j]) && race_there((u32)tag, ahead[1][i].word[j]);
        }
        bool go = true;

#pragma unroll
        for (int i = 0; i < RACE_LOOK; i++) {
            go = go && __all_sync(~0u, there[i]);
            if (go) {
                bool even = false, odd = false, far = false;
                const u32 neighbour = __shfl_up_sync(~0u, before[3], 1);
                const u32 beside[5] = { l > 0 ? neighbour : left[i], before[0], before[1], before[2], before[3] };

                for (int j = 0; j < 4; j++) {
                    const int x = race_unpack(ahead[0][i].word[j]), y = race_unpack(ahead[1][i].word[j]);
                    const int k = column + j - s - shift, k_back = difference - k;

                    even |= x + y >= m;
                    odd |= s > 0 && race_there((u32)tag, beside[j]) && x + race_unpack(beside[j]) >= m;
                    far |= x + y < m && (x >= race_end(m, n, k) || y >= race_end(m, n, k_back));
                    before[j] = ahead[1][i].word[j];
                }
                if (__any_sync(~0u, odd || even)) {
                    const int distance = __any_sync(~0u, odd) ? 2 * s - 1 : 2 * s;

                    if (l == 0)
                        atomicMin(&job.race.state->best, (u32)distance);
                    return true;
                }
                if (__any_sync(~0u, far))
                    return false;
                s++;
            }
        }
    }
}

/* One end of a pair of blocks; d = 0 is the front. */
__device__ void race(race_memory &shared, const job &job, int d, int index)
{
    const int warp = (int)(threadIdx.x / 32), l = (int)(threadIdx.x % 32);

    race_load(shared.a, job.a, job.a_length, d == 1);
    race_load(shared.b, job.b, job.b_length, d == 1);
    for (int i = (int)threadIdx.x; i < RACE_WARPS * RACE_RING; i += THREADS)
        shared.edges[i / RACE_RING][i % RACE_RING] = 0;
    if (threadIdx.x < RACE_WARPS)
        shared.progress[threadIdx.x] = race_start(job, index);
    if (threadIdx.x == 0)
        shared.stop = job.race.steps;
    __syncthreads();
    if (warp < RACE_WARPS) {
        if (d == 0)
            race_columns<false>(shared, job, index, warp);
        else
            race_columns<true>(shared, job, index, warp);
    } else if (warp == RACE_WARPS) {
        race_edge(shared, job, d, index);
    } else if (d == 1) {
        const bool known = race_search(job, index);

        if (l == 0 && !known)
            atomicExch(&job.race.state->lost, 1);
        __threadfence();
        /* The last one to come knows the distance. */
        if (l == 0 && atomicAdd(&job.race.state->searched, 1) == (u32)job.race.blocks / 2 - 1) {
            const u32 best = atomicAdd(&job.race.state->best, 0);

            if (!atomicAdd(&job.race.state->lost, 0) && best != UINT_MAX / 2 &&
                atomicCAS(&job.race.state->winner, NOBODY, THE_RACE) == NOBODY)
                *job.best = best;
        }
    }
}

template <int K, int S> __global__ void __launch_bounds__(THREADS) sweep(job job)
{
    extern __shared__ __align__(16) unsigned char memory[];
    block_memory<K> &shared = *(block_memory<K> *)memory;
    const int warp = (int)(threadIdx.x / 32);

    for (int i = (int)threadIdx.x; i < (WARPS + 1) * RING; i += THREADS)
        shared.rings[i / RING][i % RING] = 0;
    for (int i = (int)threadIdx.x; i < CODES + 32; i += THREADS)
        shared.codes[i] = 0;
    for (bool more = false;; more = true) {
        __syncthreads();
        if (threadIdx.x < WARPS + 2)
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
                race(*(race_memory *)memory, job, block % 2, block / 2);
            return;
        }
        const int start = unit_start(job, d, unit), strips = unit_start(job, d, unit + 1) - start;
        const int columns = unit_columns(job, d, unit);

        if (warp < strips)
            run_strip<K, S>(shared, job, d, unit, start + warp, warp);
        else if (warp == WARPS)
            unpack_edge<K, S>(shared, job, d, unit, columns);
        else if (warp == WARPS + 1)
            pack_edge<K, S>(shared, job, d, unit, strips, columns);
    }
}

/* ------------------------------------------------------------------ after: where the fronts meet */

/* One front's distances along the line: `start`, and then the sums of the differences (+1, -1). */
struct line {
    const uint2 *bits;
    int start;
};

/* Sums of the differences before each of `count` words from `first` on, start included, by all threads of a block. */
__device__ void prefix(int *sums, const line &line, int first, int count)
{
    __shared__ int total;

    __syncthreads();
    if (threadIdx.x == 0)
        total = line.start;
    __syncthreads();
    int sum = 0;

    for (int w = (int)threadIdx.x; w < first; w += MEET_THREADS)
        sum += __popc(line.bits[w].x) - __popc(line.bits[w].y);
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += MEET_THREADS) {
        sum = total;
        for (int w = first; w < first + i; w++)
            sum += __popc(line.bits[w].x) - __popc(line.bits[w].y);
        sums[i] = sum;
    }
    __syncthreads();
}

/* The distance at bit x of the line, whose words from `first` on have the sums. */
__device__ __forceinline__ int distance_at(const int *sums, const line &line, int first, int x)
{
    const u32 below = (1u << x % 32) - 1;

    if (below == 0)
        return sums[x / 32 - first];
    const uint2 bits = line.bits[x / 32];

    return sums[x / 32 - first] + __popc(bits.x & below) - __popc(bits.y & below);
}

/* best = the least sum of f at p and g at length - p, for p from `first` to length. */
__global__ void __launch_bounds__(MEET_THREADS) meet(line f, line g, int first, int length, u32 *best,
                                                      const race_state *state)
{
    __shared__ int f_sums[MEET_SPAN / 32 + 2], g_sums[MEET_SPAN / 32 + 2];
    const int from = first + (int)blockIdx.x * MEET_SPAN, to = min(from + MEET_SPAN - 1, length);
    const int f_first = from / 32, f_last = to / 32, g_first = (length - to) / 32, g_last = (length - from) / 32;
    int least = INT_MAX;

    if (state->winner == THE_RACE)
        return;

    prefix(f_sums, f, f_first, f_last - f_first + 1);
    prefix(g_sums, g, g_first, g_last - g_first + 1);
    for (int p = from + (int)threadIdx.x; p <= to; p += MEET_THREADS)
        least = min(least, distance_at(f_sums, f, f_first, p) + distance_at(g_sums, g, g_first, length - p));
    least = __reduce_min_sync(~0u, least);
    if (threadIdx.x % 32 == 0)
        atomicMin(best, (u32)least);
}

/* ------------------------------------------------------------------ host */

/* How the work is laid out. */
struct plan {
    int words; /* K: 1 or 2 */
    int slope; /* columns, a multiple of 32: how much shorter each further unit is; 0 unless n is a multiple of 32 */
};

/* What a step of a warp takes in clocks, and by how many steps a unit lags behind the one above: measured. */
static const struct {
    double clocks;
    int lag;
} cost[5] = { { 0, 0 }, { 39, 512 }, { 87, 288 }, { 0, 0 }, { 112, 256 } };

/* What is kept from call to call. */
static struct kept {
    unsigned char *strings; /* of both fronts, 128-byte aligned */
    u64 *edges;
    uint2 *lines;
    u32 *counters;
    u32 *history; /* of both ends of the race */
    u32 tag;      /* of the last race */
    u32 *answer; /* page-locked */
    int blocks[5], processors;
    cudaStream_t stream;

    ~kept() /* at the end of the process, when it no longer matters what CUDA says */
    {
        for (void *memory : {(void *)strings, (void *)edges, (void *)lines, (void *)counters, (void *)history})
            cudaFree(memory);
        cudaFreeHost(answer);
        if (stream)
            cudaStreamDestroy(stream);
    }
} device;

template <int K> static size_t sweep_memory(void)
{
    return K == 1 ? std::max(sizeof(block_memory<K>), sizeof(race_memory)) : sizeof(block_memory<K>);
}

static void device_init(void)
{
    int index;

    if (device.stream)
        return;
    CHECK(cudaGetDevice(&index));
    CHECK(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, index));
    CHECK(cudaFuncSetAttribute(sweep<1, S1>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sweep_memory<1>()));
    CHECK(cudaFuncSetAttribute(sweep<2, S2>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sweep_memory<2>()));
    CHECK(cudaFuncSetAttribute(sweep<4, S4>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sweep_memory<4>()));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device.blocks[1], sweep<1, S1>, THREADS, sweep_memory<1>()));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device.blocks[2], sweep<2, S2>, THREADS, sweep_memory<2>()));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device.blocks[4], sweep<4, S4>, THREADS, sweep_memory<4>()));
    CHECK(cudaMalloc(&device.strings, 2 * (LENGTH_MAX + 128)));
    CHECK(cudaMalloc(&device.edges, EDGES_MAX * sizeof *device.edges));
    CHECK(cudaMalloc(&device.lines, LINES_MAX * sizeof *device.lines));
    CHECK(cudaMalloc(&device.counters, 2 * sizeof *device.counters + sizeof(race_state)));
    CHECK(cudaMalloc(&device.history, 2 * HISTORY_MAX * sizeof *device.history));
    CHECK(cudaMallocHost(&device.answer, sizeof *device.answer));
    CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    CHECK(cudaMemsetAsync(device.history, 0, 2 * HISTORY_MAX * sizeof *device.history, device.stream));
}

static int plan_units(struct plan plan, int m)
{
    return (m + WARPS * 1024 * plan.words - 1) / (WARPS * 1024 * plan.words);
}

/* Clocks, by the depth of the pipeline or by what the schedulers can do, whichever is more. */
static double plan_cost(struct plan plan, int m, int n)
{
    const double units = plan_units(plan, m), lag = cost[plan.words].lag;
    const double depth =
        n / 2.0 + (units - 1) * (plan.slope ? lag / 2 : lag) + lag * (units > 1 ? 1 : m / (4096.0 * plan.words));
    const double work = units * n / device.processors;
    /* Blocks that share a multiprocessor slow each other down. */
    const double crowd = plan.words > 1 && 2 * units > device.processors ? 2 * units / device.processors : 1;

    return cost[plan.words].clocks * (crowd * depth > work ? crowd * depth : work);
}

static struct plan plan_best(int m, int n)
{
    const bool level = n % 32 == 0;
    struct plan best = { 1, level ? cost[1].lag : 0 };

    for (int words = 2; words <= 4; words *= 2) {
        const struct plan plan = { words, level ? cost[words].lag : 0 };

        if (plan_cost(plan, m, n) < plan_cost(best, m, n))
            best = plan;
    }
    return best;
}

/* The race for strings of m and n characters, on what `blocks` of the sweep leave of the machine. */
static struct race_plan plan_race(int m, int n, int blocks)
{
    const int idle = device.blocks[1] * device.processors - blocks, span = std::abs(m - n);
    const int pairs = std::min({idle / 2, (int)RACE_PAIRS, (m + n) / (32 * RACE_WARPS) + 1});
    struct race_plan race = {};

    race.state = (struct race_state *)(device.counters + 2);
    race.columns = 32 * RACE_WARPS * pairs;
    if (pairs <= 0 || race.columns <= span || std::min(m, n) < RACE_LEAST || std::max(m, n) >= (1 << RACE_BITS) - 1)
        return race;
    race.blocks = 2 * pairs;
    race.steps = (race.columns - 1 - span) / 2 + 1;
    if (++device.tag == RACE_TAGS) {
        CHECK(cudaMemsetAsync(device.history, 0, 2 * HISTORY_MAX * sizeof *device.history, device.stream));
        device.tag = 1;
    }
    race.tag = device.tag;
    race.history[0] = device.history;
    race.history[1] = device.history + HISTORY_MAX;
    return race;
}

/* Launches the kernels for strings that are in device.strings already: a of m bytes, and b of n, at b_offset. */
static void launch(struct plan plan, int m, int n, size_t a_offset, size_t b_offset)
{
    const int words = plan.words;
    struct job job = {};

    job.a = device.strings + a_offset;
    job.b = device.strings + b_offset;
    job.a_length = m;
    job.b_length = n;
    job.ticket = device.counters;
    job.best = device.counters + 1;
    job.strips = (m + 1024 * words - 1) / (1024 * words);
    job.units = plan_units(plan, m);
    job.slope = plan.slope;
    job.middle = (n + (job.units - 1) * plan.slope) / 2;
    if (plan.slope)
        job.middle = job.middle / 32 * 32;
    const int pad = job.strips * 1024 * words - m;
    const int length = pad + m + unit_columns(job, 0, 0) - unit_columns(job, 0, job.units - 1);

    for (int d = 0; d < 2; d++) {
        front &front = job.fronts[d];

        front.columns = unit_columns(job, d, 0);
        front.words = (front.columns + 31) / 32;
        front.pad = d == 0 ? pad : 0;
        front.edges = d == 0 ? device.edges : job.fronts[0].edges + (size_t)job.units * job.fronts[0].words;
        front.line = d == 0 ? device.lines : job.fronts[0].line + length / 32;
    }
    const int units = 2 * job.units, room = device.blocks[words] * device.processors;

    if (words == 1)
        job.race = plan_race(m, n, units);
    job.race.state = (struct race_state *)(device.counters + 2);

    prepare<<<min(2 * device.processors, job.units * job.fronts[0].words / 256 + 1), 256, 0, device.stream>>>(job);
    CHECK(cudaGetLastError());
    if (words == 1)
        sweep<1, S1><<<min(units + job.race.blocks, room), THREADS, sweep_memory<1>(), device.stream>>>(job);
    else if (words == 2)
        sweep<2, S2><<<min(units, room), THREADS, sweep_memory<2>(), device.stream>>>(job);
    else
        sweep<4, S4><<<min(units, room), THREADS, sweep_memory<4>(), device.stream>>>(job);
    CHECK(cudaGetLastError());
    meet<<<(length - pad) / MEET_SPAN + 1, MEET_THREADS, 0, device.stream>>>(
        {job.fronts[0].line, job.fronts[0].columns}, {job.fronts[1].line, job.fronts[1].columns}, pad, length,
        job.best, job.race.state);
    CHECK(cudaGetLastError());
}

extern "C" void device_user_setup(void) { device_init(); }

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const size_t second = ((size_t)lenStr1 + 127) / 128 * 128;
    const bool swap = lenStr1 < lenStr2; /* the longer string along the rows */

    device_init();
    CHECK(cudaMemcpyAsync(device.strings, str1, (size_t)lenStr1, cudaMemcpyHostToDevice, device.stream));
    CHECK(cudaMemcpyAsync(device.strings + second, str2, (size_t)lenStr2, cudaMemcpyHostToDevice, device.stream));
    if (swap)
        launch(plan_best(lenStr2, lenStr1), lenStr2, lenStr1, second, 0);
    else
        launch(plan_best(lenStr1, lenStr2), lenStr1, lenStr2, 0, second);
    CHECK(cudaMemcpyAsync(device.answer, device.counters + 1, sizeof *device.answer, cudaMemcpyDeviceToHost,
                          device.stream));
    CHECK(cudaStreamSynchronize(device.stream));
    return *device.answer;
}
