/*
 * wave.cuh - how far s edits lead along each diagonal, in a piece of the table.
 *
 * On each diagonal k only the furthest cell counts that s edits reach (Ukkonen 1985; Landau, Vishkin 1988). With x the
 * rows above it, it is
 *
 *   x(k, s) = max(x(k, s - 1) + 1, x(k + 1, s - 1) + 1, x(k - 1, s - 1))
 *
 * and then as far as the characters are equal. A lane has LANE neighbouring diagonals in registers, so most neighbours
 * are its own.
 *
 * Warps need each other's diagonals too. A warp computes HALO more of them on both sides than it keeps: after as many
 * edits those at the rim are wrong, and what it keeps is right. So they meet once in HALO edits, a *round*, and a tile
 * is what a warp computes in a round.
 *
 * A wave has arrived when x >= rows on a diagonal where it may end. No x is held back at the lower or the right
 * border of the piece: distances never fall along a diagonal, so a wave that passes beyond has been at the border, and
 * neighbours in the last row differ by one edit at most.
 */
#pragma once

#include "cuts.cuh"

struct wave {
    window window;
    int first;           /* word of the window that belongs to row 0 of the piece */
    int rows;            /* of the piece */
    int start[2], end[2]; /* diagonals on which it may start and end, from, to */
};

/* Runs of more than four characters: all lanes together compare 128 of them at a time. */
__device__ __forceinline__ int long_run(const u32 *a, const u32 *b, int x, int rows)
{
    const int l = (int)(threadIdx.x % 32);

    while (x < rows) {
        const int at = min(x + 4 * l, rows), equal = equal_characters(a[at] ^ b[at]);
        const u32 ends = __ballot_sync(~0u, equal < 4);

        if (ends) {
            const int lane = __ffs((int)ends) - 1;

            return x + 4 * lane + __shfl_sync(~0u, equal, lane);
        }
        x += 128;
    }
    return rows;
}

/* The diagonals of `more` go on where four characters were equal. Bit j is diagonal j of the lane. */
__device__ void go_on(int (&x)[LANE], u32 more, const u32 *a, const u32 *b, int rows)
{
    const int l = (int)(threadIdx.x % 32);

    for (u32 owners; (owners = __ballot_sync(~0u, more)); more &= more - 1) {
        const u32 lowest = more & -more;
        const int diagonal = __ffs((int)lowest) - 1;
        int mine = 0;

#pragma unroll
        for (int j = 0; j < LANE; j++)
            mine = lowest >> j & 1 ? x[j] : mine;
        if (__popc(owners) > LONG_RUNS) { /* most end within a few characters: by each lane at the same time */
            int equal = 4;

            for (int i = 0; i < 3 && lowest && equal == 4 && mine < rows; i++) {
                equal = equal_characters(a[mine] ^ b[mine + diagonal]);
                mine += equal;
            }
            owners = __ballot_sync(~0u, lowest && equal == 4 && mine < rows);
        }
        for (; owners; owners &= owners - 1) {
            const int owner = __ffs((int)owners) - 1;
            const int at = __shfl_sync(~0u, mine, owner), from = __shfl_sync(~0u, diagonal, owner);
            const int run = long_run(a, b + (owner - l) * LANE + from, at, rows);

            mine = l == owner ? run : mine;
        }
#pragma unroll
        for (int j = 0; j < LANE; j++)
            x[j] = lowest >> j & 1 ? mine : x[j];
    }
}

/* As far as characters are equal, on all diagonals of a lane. */
__device__ __forceinline__ void follow(int (&x)[LANE], const u32 *a, const u32 *b, int rows)
{
    u32 more = 0;

#pragma unroll
    for (int j = 0; j < LANE; j++) {
        const int at = max(min(x[j], rows), 0);
        const u32 difference = a[at] ^ b[at + j];

        x[j] += equal_characters(difference);
        more |= (u32)(difference == 0 && (u32)x[j] < (u32)rows) << j;
    }
    if (__any_sync(~0u, more))
        go_on(x, more, a, b, rows);
}

/* One edit more. At the rim of the tile the neighbours are missing. */
__device__ __forceinline__ void edit(int (&x)[LANE])
{
    int left = __shfl_up_sync(~0u, x[LANE - 1], 1);
    const int right = __shfl_down_sync(~0u, x[0], 1);

#pragma unroll
    for (int j = 0; j < LANE; j++) {
        const int here = x[j];

        x[j] = max(max(here, j + 1 < LANE ? x[j + 1] : right) + 1, left);
        left = here;
    }
}

/*
 * Edits `from` to `to` - 1 of a tile, by a warp. Returns the first one after which the wave has arrived on the tile's
 * own diagonals, INT_MAX if none; with `each` = false it looks after the last one only.
 */
template <bool each>
__device__ int run_tile(const wave &wave, int tile, int from, int to, const short *before, short *after)
{
    const int l = (int)(threadIdx.x % 32), index = tile * TILE + l * LANE;
    const u32 *a = wave.window.a + wave.first, *b = wave.window.b + wave.first + index;
    int x[LANE], goal[LANE], arrived = INT_MAX;

#pragma unroll
    for (int j = 0; j < LANE; j++) {
        const int diagonal = wave.window.low - HALO + index + j, inside = l * LANE + j - HALO;
        const bool mine = inside >= 0 && inside < TILE;

        x[j] = before[index + j];
        goal[j] = mine && diagonal >= wave.end[0] && diagonal <= wave.end[1] ? wave.rows : INT_MAX;
    }
#pragma unroll 1
    for (int s = from; s < to; s++) {
        if (s > 0)
            edit(x);
        follow(x, a, b, wave.rows);
        if (!each && s + 1 < to)
            continue;
        bool there = false;

#pragma unroll
        for (int j = 0; j < LANE; j++)
            there |= x[j] >= goal[j];
        if (__any_sync(~0u, there)) {
            arrived = s;
            break;
        }
    }
#pragma unroll
    for (int j = 0; j < LANE; j++) {
        const int inside = l * LANE + j - HALO;

        if (inside >= 0 && inside < TILE)
            after[index + j] = (short)min(x[j], wave.rows);
    }
    return arrived;
}

/* Before the first edit; by all threads of the block. */
__device__ void start_wave(const wave &wave)
{
    const window &window = wave.window;

    for (int i = (int)threadIdx.x; i < diagonals_of(window); i += RACE_THREADS) {
        const int diagonal = window.low - HALO + i;
        const bool inside = i >= HALO && i < HALO + window.tiles * TILE;
        const bool starts = inside && diagonal >= wave.start[0] && diagonal <= wave.start[1];

        window.x[0][i] = window.x[1][i] = (short)(starts ? 0 : NOWHERE);
    }
}

/*
 * Up to `edits` edits, by all threads of the block. Returns after how many of them the wave arrives, INT_MAX if it does
 * not, or if the race is over; for all threads the same. A wave does not leave the window, so that the way that it
 * finds may be longer than the least. With `each` = false the number is less than `edits` if the wave arrives by then,
 * and not more is known.
 */
template <bool each> __device__ int run_wave(const wave &wave, const job &job, int *arrived, int edits)
{
    const window &window = wave.window;
    const int warp = (int)(threadIdx.x / 32);
    u32 winner = NOBODY, lost = 0;

    if (threadIdx.x == 0)
        *arrived = INT_MAX;
    start_wave(wave);
    for (int from = 0, side = 0; from < edits; from += HALO, side ^= 1) {
        /* Tiles that the wave reaches in this round. */
        const int low = wave.start[0] - from - HALO - window.low, high = wave.start[1] + from + HALO - window.low;
        const int first = max(low, 0) / TILE, last = min(high / TILE, window.tiles - 1);

        __syncthreads();
        if (*arrived != INT_MAX)
            return *arrived;
        __syncthreads();
        for (int tile = first + warp; tile <= last; tile += RACE_THREADS / 32) {
            winner |= load_word(&job.race.state->winner);
            lost |= load_word(&job.race.state->lost);
            const int found = run_tile<each>(wave, tile, from, min(from + HALO, edits), window.x[side],
                                             window.x[side ^ 1]);

            if (found != INT_MAX && threadIdx.x % 32 == 0)
                atomicMin(arrived, found);
            if (winner != NOBODY || lost)
                break;
        }
        if (__syncthreads_or(winner != NOBODY || lost))
            return INT_MAX;
    }
    __syncthreads();
    return *arrived;
}
