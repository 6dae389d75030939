/*
 * job.cuh - what all parts of the submission share: sizes, the two fronts, the plan of a call.
 */
#pragma once

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

typedef unsigned int u32;
typedef unsigned long long u64;

enum {
    RACE_THREADS = 384, /* of a block that may have a part of the race */
    S1 = 2, S2 = 1, S4 = 1, /* S for K = 1, 2 and 4 */
    RING = 256,           /* columns that a ring holds; a power of two above 4 batches + 32 S */
    LOOK = 3,             /* steps that a match is loaded ahead */
    AHEAD = 4,            /* steps that a column's code is loaded ahead of that */
    CODES = 4096,         /* columns whose codes a block holds: more than its first warp can be ahead of its last */
    STOPPED = -1,         /* instead of what is written, when the race has been won */
    FAR = 128,            /* columns that a code is there before its column's edge; a multiple of 32 */
    NAP = 100,            /* ns between two looks of a warp that has long to wait, to leave the SM to the others */
    LENGTH_MAX = 1048448, /* as the statement has it */
    EDGES_MAX = 400000,   /* words of all edges between blocks: 2 (m / 2976 + 1) (n / 32 + 2), with mn = 2^34 */
    LINES_MAX = 4 * (LENGTH_MAX / 32 + 64), /* words of both lines */
    LANE = 7,             /* diagonals of a lane in the race; odd, so that lanes use different banks */
    HALO = 16,            /* diagonals that a tile has beside its own, and edits of a round */
    TILE = 32 * LANE - 2 * HALO, /* diagonals of a tile */
    NOWHERE = -30000,     /* x of a diagonal that the edits do not reach: still below 0 after RACE_EDITS edits */
    LONG_RUNS = 2,        /* of a tile that the warp compares at once, one by one */
    CUTS = 32,            /* cells of a diagonal that are looked at for a cut, */
    CUT_STEP = 8,         /* so many rows apart */
    CUT_SEEN = 64,        /* characters of a run on both sides of a cut that count */
    CUT_NEAR = 128,       /* diagonals on both sides that are looked at first, */
    CUT_ENOUGH = 24,      /* and characters on both sides of a cut with which the others need no look */
    CUT_ROWS = CUTS * CUT_STEP + 2 * CUT_SEEN + 8, /* rows of a window beside those from cut to cut */
    REACH = 2048,         /* diagonals on both sides that are looked at at all */
    RACE_ROWS = 512,      /* rows from cut to cut, at least */
    RACE_ROWS_MAX = 20000, /* and at most: an x has 16 bits */
    RACE_EDITS = 4096,    /* of a piece, at most */
    RACE_WORDS = 57600,   /* of shared memory, for a piece of both strings */
    MEET_THREADS = 256,
    MEET_SPAN = 2048, /* cells of the meeting line that a block looks at */
};
constexpr u64 EMPTY = ~0ull;

/*
 * The rows of a lane: all bits of its words but the last one. That bit is no row. It always matches, so that t is pv,
 * and s is the carry: hn of the lower edge, for which no operation has to ask. hp of it is the bit before, of ph.
 */
template <int K> constexpr int ROWS = 32 * K - 1;

/*
 * The bits of hp and hn in what a lane hands to the next one; the others may be anything. With one word a lane, a shift
 * joins the two, and hn is a number to add. With more of them, adding the whole to itself makes hn the carry of the
 * addition that follows, and hp the top bit, as the next shift wants it: one operation, not two.
 */
template <int K> constexpr int HP = K == 1 ? 31 : 30;
template <int K> constexpr int HN = K == 1 ? 0 : 31;

/* Steps between two looks at what the neighbouring warps have done: more of them mean fewer looks, but a longer lag. */
template <int K> constexpr int BATCH = K == 1 ? 32 : 16;

/* Steps before a batch's end at which they are asked for; they are voted on after half of these. */
template <int K> constexpr int LEAD = K == 1 ? 6 : 4;

/*
 * Strips in flight in a block, and the two warps that unpack its upper edge and pack its lower one. A multiprocessor
 * has four schedulers, and warp w is the scheduler's with number w % 4. Where depth is the bound, strips are alone on
 * theirs, and both of the other warps are on the fourth: a strip that shares its scheduler makes all others wait. With
 * more words a lane the machine is full, and the fourth strip is worth more.
 */
template <int K> constexpr int WARPS = K == 1 ? 3 : 4;
template <int K> constexpr int UNPACKER = WARPS<K>;
template <int K> constexpr int PACKER = K == 1 ? 7 : 5;

/* Of a block. The race needs more than the strips. */
template <int K> constexpr int THREADS = K == 1 ? (int)RACE_THREADS : (PACKER<K> + 1) * 32;

/* Words of a strip's match tables: [256][32] for one word a lane, [low half, high half][16][32][K] for more. */
constexpr int table_words(int K) { return K == 1 ? 256 * 32 : 2 * 16 * 32 * K; }

/* One of the two fronts: its part of the table, rows and columns counted from its own end of the strings. */
struct front {
    uint2 *line;    /* (+1, -1), the differences along the line where the fronts meet, 32 in a word */
    u64 *edges;     /* [units][words]: hp of 32 columns in the low half, hn in the high half, of a unit's lower edge */
    int columns;    /* of the first unit, which has most */
    int words;      /* of an edge, at most */
    int pad;        /* rows above the table */
};

/* Who comes first, the sweep or the race. */
enum { NOBODY, THE_SWEEP, THE_RACE };

struct race_state {
    u32 winner;
    u32 lost;     /* the race cannot find the distance */
    u32 edits;    /* of all pieces that have been measured */
    u32 measured; /* pieces */
    u32 proven;   /* pieces */
    u32 swept;    /* units of the sweep that have ended */
};

struct race_plan {
    race_state *state;
    int blocks; /* one for each piece; 0 for no race */
    int tiles;  /* of the window in which cuts are looked for */
};

struct job {
    const unsigned char *a, *b; /* along the rows and along the columns */
    int a_length, b_length;
    int strips, units; /* a unit is `warps` strips, what a block takes at a time; the lowest one may have fewer */
    int warps;
    int line_words; /* of both fronts' lines, one behind the other */
    /* The first front has `middle` columns in the uppermost unit, and `slope` less in each further one; whole 32s. */
    int middle, slope;
    u32 *ticket; /* units taken so far; behind it the answer */
    u32 *best;
    front fronts[2];
    race_plan race;
};

/* The columns of a unit; what the one front does not take is the other's. */
__host__ __device__ __forceinline__ int unit_columns(const job &job, int d, int unit)
{
    const int down = job.middle - (d == 0 ? unit : job.units - 1 - unit) * job.slope / 32 * 32;
    const int first = down < 0 ? 0 : down < job.b_length ? down : job.b_length;

    return d == 0 ? first : job.b_length - first;
}

/* The first strip of a unit, counted from the front's end; of all units it is the lowest that may have fewer. */
__host__ __device__ __forceinline__ int unit_start(const job &job, int d, int unit)
{
    const int strip = job.warps * unit - (d == 0 ? 0 : job.warps * job.units - job.strips);

    return strip < 0 ? 0 : strip < job.strips ? strip : job.strips;
}

/* Before the sweep: memory that says "not there". */
__global__ void prepare(job job)
{
    const int stride = (int)(gridDim.x * blockDim.x), thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (thread == 0) {
        *job.ticket = 0;
        *job.best = UINT_MAX;
        *job.race.state = {NOBODY, 0, 0, 0, 0, 0};
    }
    for (int d = 0; d < 2; d++)
        for (int i = thread; i < job.units * job.fronts[d].words; i += stride)
            job.fronts[d].edges[i] = EMPTY;
    for (int i = thread; i < job.line_words; i += stride)
        job.fronts[0].line[i] = make_uint2(0, 0);
}
