/*
 * window.cuh - the part of both strings that a block of the race works on, in shared memory.
 *
 * Any four neighbouring characters are one word, the first of them on top: to compare four characters at any place
 * takes one load a string, and the zeros on top of their difference say how many are equal. That is four times the
 * memory, and a block has it, as a piece of the strings is short.
 *
 * Word i of a begins with row origin + i of the table. A cell of diagonal k (column - row) in that row begins with word
 * i + k - low + HALO of b. Characters outside of b read as zero.
 */
#pragma once

#include "edges.cuh"

struct window {
    u32 *a, *b;   /* [rows], [rows + diagonals_of()] */
    short *x[2];  /* [diagonals_of()]: before and after a round, see wave.cuh */
    int origin;   /* row of word 0 */
    int rows;     /* words of a */
    int low;      /* the first diagonal */
    int tiles;    /* of TILE diagonals each */
};

/* Diagonals that there is room for: those of the tiles, and as many as HALO on both sides. */
__device__ __forceinline__ int diagonals_of(const window &window) { return window.tiles * TILE + 2 * HALO; }

/* Words of shared memory. */
__host__ __device__ __forceinline__ int window_words(int rows, int tiles)
{
    return 2 * rows + 2 * (tiles * TILE + 2 * HALO);
}

/* Four characters from `at` on, a multiple of 4; the first one in the lowest byte. */
__device__ __forceinline__ u32 four_characters(const unsigned char *string, int length, int at)
{
    u32 four = 0;

    if (at >= 0 && at + 4 <= length)
        return *(const u32 *)(string + at);
    for (int i = 0; i < 4; i++)
        if (at + i >= 0 && at + i < length)
            four |= (u32)string[at + i] << 8 * i;
    return four;
}

/* `count` words from character `from` on, by all threads of a block. */
__device__ void load_window(u32 *to, int count, const unsigned char *string, int length, int from)
{
    const int skipped = from & 3;

#pragma unroll 4
    for (int i = 4 * (int)threadIdx.x - skipped; i < count; i += 4 * RACE_THREADS) {
        const u32 first = __byte_perm(four_characters(string, length, from + i), 0, 0x0123);
        const u32 second = __byte_perm(four_characters(string, length, from + i + 4), 0, 0x0123);

        for (int j = 0; j < 4; j++)
            if (i + j >= 0 && i + j < count)
                to[i + j] = __funnelshift_l(second, first, 8 * j);
    }
}

/* Lays a window out in `memory` and loads its part of b. */
__device__ void open_window(window &window, u32 *memory, const job &job, int low, int tiles)
{
    window.low = low;
    window.tiles = tiles;
    window.a = memory;
    for (int i = 0; i < 2; i++)
        window.x[i] = (short *)(memory + window.rows) + i * diagonals_of(window);
    window.b = memory + window.rows + diagonals_of(window);
    load_window(window.b, window.rows + diagonals_of(window), job.b, job.b_length, window.origin + low - HALO);
}

/* How many characters of a word are equal, from the difference. */
__device__ __forceinline__ int equal_characters(u32 difference) { return __clz((int)difference) / 8; }
