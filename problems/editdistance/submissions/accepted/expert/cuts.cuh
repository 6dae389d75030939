/*
 * cuts.cuh - where the strings are cut into pieces: at a cell in the middle of a long run of equal characters.
 *
 * A run that is long and has no equal elsewhere is almost surely on a shortest way. Whether it is need not be known
 * here: race.cuh proves the sum. Two blocks look for each cut, the one above and the one below, and find the same.
 */
#pragma once

#include "window.cuh"

struct cut {
    int row, diagonal;
    bool there;
};

/* The run about a cell, by a warp: characters that are equal on both sides, the lesser of both, at most CUT_SEEN. */
__device__ __forceinline__ int run_about(const u32 *a, const u32 *b)
{
    const int l = (int)(threadIdx.x % 32), at = l < 16 ? 4 * l : 60 - 4 * l; /* ahead, and back */
    const u32 difference = a[at] ^ b[at];
    const int back = difference ? (__ffs((int)difference) - 1) / 8 : 4;
    const int equal = l < 16 ? equal_characters(difference) : back;
    const u32 ends = __ballot_sync(~0u, equal < 4), ahead = ends & 0xffff, before = ends >> 16;
    const int last_ahead = __ffs((int)ahead) - 1, last_back = __ffs((int)before) - 1;
    const int after = 4 * last_ahead + __shfl_sync(~0u, equal, last_ahead);
    const int behind = 4 * last_back + __shfl_sync(~0u, equal, 16 + last_back);

    return min(ahead ? after : CUT_SEEN, before ? behind : CUT_SEEN);
}

/* Cells of the diagonals first to last - 1 that may be cut. */
struct cells {
    int row;    /* of the first one; CUTS of them are CUT_STEP apart */
    int middle; /* diagonal; of equal ones the cell next to it is the best */
    int first, last;
};

/* Of cells in a diagonal: from the top, the run, how near the middle is, on which side, and which row. */
__device__ __forceinline__ u64 pack_cut(int run, int near, bool right, int j)
{
    return (u64)run << 48 | (u64)near << 16 | (u64)right << 8 | (u64)j;
}

/*
 * The cell of the longest run, in *best, which is 0 before; by all threads of a block. Four characters that are equal
 * on both sides are looked for by each lane, and what they find is measured by the warp.
 */
__device__ void find_cut(u64 *best, const window &window, const job &job, const cells &cells)
{
    const int l = (int)(threadIdx.x % 32), count = cells.last - cells.first + CUTS * CUT_STEP;
    const u32 *a = window.a + cells.row - window.origin;
    const u32 *b = window.b + cells.row - window.origin + HALO + cells.first - window.low;
    u32 words[CUTS];
    u64 most = 0;

#pragma unroll
    for (int j = 0; j < CUTS; j++)
        words[j] = a[CUT_STEP * j];
    for (int i = (int)threadIdx.x; i - l < count; i += RACE_THREADS) {
        const u32 word = b[i];
        u32 found = 0;

#pragma unroll
        for (int j = 0; j < CUTS; j++)
            found |= (u32)(word == words[j]) << j;
        for (; __any_sync(~0u, found); found &= found - 1) {
            const int j = max(__ffs((int)found) - 1, 0), diagonal = cells.first + i - CUT_STEP * j;
            const int column = cells.row + CUT_STEP * j + diagonal, near = LENGTH_MAX - abs(diagonal - cells.middle);
            bool mine = found && diagonal >= cells.first && diagonal < cells.last && column >= CUT_SEEN &&
                        column <= job.b_length - CUT_SEEN && a[CUT_STEP * j - 4] == b[i - 4];

            /* The nearest one first, and none that cannot be better. */
            while (__any_sync(~0u, mine = mine && pack_cut(CUT_SEEN, near, true, CUTS) > most)) {
                const int nearest = (int)__reduce_max_sync(~0u, mine ? (u32)near : 0);
                const int owner = __ffs((int)__ballot_sync(~0u, mine && near == nearest)) - 1;
                const int row = __shfl_sync(~0u, j, owner), there = __shfl_sync(~0u, diagonal, owner);
                const int run = run_about(a + CUT_STEP * row, b + there - cells.first + CUT_STEP * row);
                const u64 cut = pack_cut(run, nearest, there > cells.middle, row);

                most = cut > most ? cut : most;
                mine = mine && l != owner;
            }
        }
    }
    if (l == 0 && most != 0)
        atomicMax(best, most);
}

/* What find_cut() has found. */
__device__ cut unpack_cut(u64 best, const cells &cells)
{
    const int far = LENGTH_MAX - (int)(best >> 16 & 0xffffffffu);

    return { cells.row + CUT_STEP * (int)(best & 0xff), best >> 8 & 1 ? cells.middle + far : cells.middle - far,
             best != 0 };
}
