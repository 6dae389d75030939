/*
 * race.cuh - similar strings: cut into pieces, a distance for each, and a proof that their sum is the least.
 *
 * The sweep takes as many steps as there are columns, and the furthest cells on the diagonals (wave.cuh) as many as
 * half the distance. Both are chains. Pieces of the strings break them: a block has a piece, and all blocks go at once.
 *
 *   1. A way. Blocks find cuts (cuts.cuh), and each the distance u of its piece, from cut to cut. The sum U of all is
 *      the length of a way, so the distance is at most U.
 *   2. The proof. A way of fewer than U edits has fewer than u in some piece of rows, whichever diagonals it has at the
 *      cuts' rows. It stays on the diagonals k with |k| + |k - (n - m)| < U. So a block starts a wave on all of
 *      these at once, and looks whether u - 1 edits lead through its rows to any. If they do not, in no piece, then
 *      the distance is U.
 *
 * Strings with an edit in 100 characters and 68 pieces have about 20 edits a piece, and so many steps instead of 650.
 * The proof has more work, all diagonals in all pieces; it is what runs in parallel.
 *
 * The proof fails where a wave can save an edit by another diagonal at a cut. Then the sweep has the answer: the
 * race runs beside it, on the multiprocessors that the depth of the sweep leaves idle, as nobody knows beforehand
 * whether strings are similar. Who is first stops the other one.
 */
#pragma once

#include "wave.cuh"

struct race_memory {
    u64 cuts[2];  /* see find_cut() */
    int arrived;  /* see run_wave() */
    u32 words[RACE_WORDS];
};

/* The row at which cut `index` is looked for. */
__device__ __forceinline__ int cut_row(const job &job, int index)
{
    return (int)((u64)job.a_length * (u32)index / (u32)job.race.blocks);
}

/* Where the diagonal of a cut is if nothing else is known. */
__device__ __forceinline__ int cut_diagonal(const job &job, int row)
{
    return (int)((long long)(job.b_length - job.a_length) * row / job.a_length);
}

/* Both ends of a piece, by all threads of the block. Most are near the middle; others are looked for far from it. */
__device__ void find_cuts(race_memory &shared, const window &window, const job &job, int index, cut (&cuts)[2])
{
    const int low = window.low, high = low + window.tiles * TILE;
    cells cells[2];

    for (int i = 0; i < 2; i++) {
        const int row = cut_row(job, index + i), middle = cut_diagonal(job, row);

        cells[i] = { row, middle, max(low, middle - CUT_NEAR), min(high, middle + CUT_NEAR) };
        if (index + i > 0 && index + i < job.race.blocks)
            find_cut(&shared.cuts[i], window, job, cells[i]);
    }
    __syncthreads();
    const bool again[2] = { shared.cuts[0] >> 48 < CUT_ENOUGH, shared.cuts[1] >> 48 < CUT_ENOUGH };

    __syncthreads();
    for (int i = 0; i < 2; i++) {
        cells[i].first = low;
        cells[i].last = high;
        if (again[i] && index + i > 0 && index + i < job.race.blocks)
            find_cut(&shared.cuts[i], window, job, cells[i]);
    }
    __syncthreads();
    for (int i = 0; i < 2; i++)
        cuts[i] = unpack_cut(shared.cuts[i], cells[i]);
    if (index == 0)
        cuts[0] = { 0, 0, true };
    if (index == job.race.blocks - 1)
        cuts[1] = { job.a_length, job.b_length - job.a_length, true };
}

/* Adds the edits of this piece, and waits for all pieces. Returns the sum; UINT_MAX if the race is over. */
__device__ u32 sum_of_pieces(const job &job, u32 edits)
{
    race_state *state = job.race.state;

    if (threadIdx.x == 0) {
        atomicAdd(&state->edits, edits);
        __threadfence();
        atomicAdd(&state->measured, 1);
    }
    while (load_word(&state->measured) < (u32)job.race.blocks)
        if (load_word(&state->winner) != NOBODY || load_word(&state->lost))
            return UINT_MAX;
    __threadfence();
    return load_word(&state->edits);
}

/* Whether there is no way of fewer than `edits` edits through the rows of this piece, and fewer than `sum` in all. */
__device__ bool prove(race_memory &shared, wave &wave, const job &job, int index, int edits, int sum)
{
    const int difference = job.b_length - job.a_length, beside = (sum - abs(difference)) / 2;
    const int low = min(0, difference) - beside, high = max(0, difference) + beside;
    const int tiles = (high - low) / TILE + 1;
    window &window = wave.window;

    if (sum == abs(difference))
        return true;
    if (low < window.low || high >= window.low + window.tiles * TILE) {
        if (window_words(window.rows, tiles) > RACE_WORDS)
            return false;
        __syncthreads();
        open_window(window, shared.words, job, low, tiles);
        load_window(window.a, window.rows, job.a, job.a_length, window.origin);
    }
    wave.start[0] = index == 0 ? 0 : low;
    wave.start[1] = index == 0 ? 0 : high;
    wave.end[0] = index == job.race.blocks - 1 ? difference : INT_MIN;
    wave.end[1] = index == job.race.blocks - 1 ? difference : INT_MAX;
    return run_wave<false>(wave, job, &shared.arrived, edits) == INT_MAX;
}

/* A block's part: the piece between cuts `index` and `index` + 1. Returns false if the race is lost. */
__device__ bool run_piece(race_memory &shared, const job &job, int index, u32 *sum)
{
    const int row = cut_row(job, index);
    wave wave;
    cut cuts[2];

    if (threadIdx.x < 2)
        shared.cuts[threadIdx.x] = 0;
    wave.window.origin = row - CUT_SEEN;
    wave.window.rows = cut_row(job, index + 1) - row + CUT_ROWS;
    open_window(wave.window, shared.words, job, min(0, job.b_length - job.a_length) - REACH, job.race.tiles);
    load_window(wave.window.a, wave.window.rows, job.a, job.a_length, wave.window.origin);
    __syncthreads();
    find_cuts(shared, wave.window, job, index, cuts);
    if (!cuts[0].there || !cuts[1].there)
        return false;
    wave.first = cuts[0].row - wave.window.origin;
    wave.rows = cuts[1].row - cuts[0].row;
    wave.start[0] = wave.start[1] = cuts[0].diagonal;
    wave.end[0] = wave.end[1] = cuts[1].diagonal;
    const int edits = run_wave<true>(wave, job, &shared.arrived, RACE_EDITS);

    if (edits == INT_MAX)
        return false;
    *sum = sum_of_pieces(job, (u32)edits);
    if (__syncthreads_or(*sum == UINT_MAX))
        return true; /* it is over, whoever has won */
    return prove(shared, wave, job, index, edits, (int)*sum);
}

__device__ void race(race_memory &shared, const job &job, int index)
{
    race_state *state = job.race.state;
    u32 sum = UINT_MAX;

    __syncthreads(); /* all warps know which part the block has; that stood in this memory */
    const bool proven = run_piece(shared, job, index, &sum);

    if (threadIdx.x > 0)
        return;
    if (!proven)
        atomicExch(&state->lost, 1);
    else if (atomicAdd(&state->proven, 1) == (u32)job.race.blocks - 1 &&
             atomicCAS(&state->winner, NOBODY, THE_RACE) == NOBODY)
        *job.best = sum;
}
