/*
 * layout.cuh - where a block has what in its shared memory, and how the rows of a population lie.
 */
#pragma once

#include "common.cuh"

/* Where things are in a block's shared memory: offsets in bytes, multiples of 16. */
struct layout {
    uint32_t quads;      /* of a row, the last one perhaps not full */
    uint32_t row;        /* bytes from a row to the next: 128, or an odd number of quads; an individual has two */
    uint32_t population; /* bytes of both; they come first, or lie in global memory */
    uint32_t choices;    /* uint4 [warps][32], see draw() */
    uint32_t masks;      /* uint32_t [warps][32][1, or 4 if rows are wide] */
    uint32_t commons;    /* uint4 [2][1 + D / 8], see struct common */
    uint32_t present;    /* uint32_t [2][NP]: where the present row is */
    uint32_t value;      /* float [NP] */
    uint32_t shift;      /* float [shifts][4 quads] */
    uint32_t factor;     /* float [4 quads], for Griewank's function */
    uint32_t rotation;   /* float [D][4 quads] */
    uint32_t turn;       /* int: the next problem */
    uint32_t total;
};

__host__ __device__ inline bool is_narrow(uint32_t dimension) { return dimension <= NARROW_D; }

/* Threads for a problem: a lane an individual, or half of one when they are many. */
__host__ __device__ inline uint32_t threads_for(uint32_t dimension, uint32_t population)
{
    uint32_t most = is_narrow(dimension) ? THREADS_NARROW : THREADS_WIDE, turns = (population + most - 1) / most;

    return ((population + turns - 1) / turns + 31) / 32 * 32;
}

/* in_shared: whether the population is in shared memory. */
__host__ __device__ inline layout make_layout(uint32_t dimension, uint32_t population, uint32_t shifts, bool rotated,
                                              uint32_t threads, bool in_shared)
{
    layout l;
    uint32_t individuals = (population + 7) / 8 * 8;

    l.quads = (dimension + 3) / 4;
    l.row = is_narrow(dimension) ? 128 : (l.quads | 1) * 16;
    l.population = 2 * individuals * l.row;
    l.choices = in_shared ? l.population : 0;
    l.masks = l.choices + threads * 16;
    l.commons = l.masks + threads * (is_narrow(dimension) ? 4 : 16);
    l.present = l.commons + 2 * (1 + (dimension + 7) / 8) * 16;
    l.value = l.present + 2 * individuals * 4;
    l.shift = l.value + individuals * 4;
    l.factor = l.shift + shifts * l.quads * 16;
    l.rotation = l.factor + l.quads * 16;
    l.turn = l.rotation + (rotated ? dimension * l.quads * 16 : 0);
    l.total = l.turn + 16;
    return l;
}

/*
 * The offset of the first row of individual i, of its other row, and of a quad in a row. Narrow rows are 128 bytes:
 * there quad q of i is at place q ^ i % 8, else the same quads of eight individuals would be in the same banks. Wide
 * rows are an odd number of quads apart, and bit 0 of the offset of a second row is 1.
 */
template <bool NARROW> __device__ __forceinline__ uint32_t place(uint32_t i, uint32_t row)
{
    return NARROW ? i * 256 + i % 8 * 16 : i * 2 * row;
}

template <bool NARROW> __device__ __forceinline__ uint32_t other_row(uint32_t offset, uint32_t row)
{
    return NARROW ? offset ^ 128 : offset & 1 ? offset - row - 1 : offset + row + 1;
}

template <bool NARROW> __device__ __forceinline__ uint32_t quad_at(uint32_t offset, uint32_t quad)
{
    return NARROW ? offset ^ quad * 16 : (offset & ~1u) + quad * 16;
}

__device__ __forceinline__ float4 &quad_of(char *population, uint32_t offset)
{
    return *reinterpret_cast<float4 *>(population + offset);
}
