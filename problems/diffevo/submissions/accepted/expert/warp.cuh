/*
 * warp.cuh - few smallest problems: a population in the registers of one warp. Time is scarce.
 */
#pragma once

#include "team.cuh"

/*
 * A lane has its individual in registers, and shuffles fetch the rows of others: so a generation needs no barrier and
 * no memory but for a word of random choices, which is read a generation before. The warp walks CHUNK generations at a
 * time. Meanwhile the other warps of the block, the drawers, draw the words of the next CHUNK. The function and the
 * dimension are known to the compiler, and no branch stands in the chain of a generation.
 */
const uint32_t CHUNK = 16, WARP_MOST_D = 6, WARP_DRAWERS = 8;

/* What a block needs beside registers. words: bits 0-4, 5-9, 10-14: r1, r2, r3; from bit 16 on what is crossed. */
struct warp_room {
    uint32_t words[2][CHUNK][32];
    float shift[8], factor[8], rotation[WARP_MOST_D * WARP_MOST_D];
};

/* ------------------------------------------------------------------ what drawers do */

__device__ __forceinline__ uint32_t draw_word(const diffevo_problem &p, uint32_t g, uint32_t k)
{
    const de_choice c = de_choose(de_choice_words(&p, g, k), k, p.population, p.dimension);
    const de_words bits = de_crossover_words(&p, g, k, 0);
    uint32_t mask = 1u << c.j;

#pragma unroll
    for (uint32_t j = 0; j < WARP_MOST_D; j++)
        mask |= de_crossover_bits(bits, j) < p.crossover ? 1u << j : 0;
    return c.r1 | c.r2 << 5 | c.r3 << 10 | mask << 16;
}

/* The words of generations chunk * CHUNK + 1 and so on, by all warps but the first. */
__device__ __noinline__ void draw_chunk(const diffevo_problem &problem, warp_room &room, uint32_t chunk)
{
    const diffevo_problem p = problem; /* in registers */
    const uint32_t k = threadIdx.x % 32, drawer = threadIdx.x / 32 - 1, drawers = blockDim.x / 32 - 1;

    for (uint32_t i = drawer; i < CHUNK; i += drawers) {
        const uint32_t g = chunk * CHUNK + i + 1;

        if (g <= p.generations)
            room.words[chunk % 2][i][k] = k < p.population ? draw_word(p, g, k) : 0;
    }
}

/* ------------------------------------------------------------------ what the walking warp does */

/* A row, and what its value needs. */
template <int D> struct warp_surface {
    float shift[D], factor[D], inverse; /* inverse: of D */
};

template <int FUNCTION, int D, bool ROTATED>
__device__ __forceinline__ float value_in_warp(const warp_surface<D> &s, const float *rotation, const float x[D])
{
    float y[D];
    de_sum sum = de_sum_start();

#pragma unroll
    for (int j = 0; j < D; j++)
        y[j] = de_sub(x[j], s.shift[j]);
#pragma unroll
    for (int j = 0; j < D; j++) {
        float z = ROTATED ? 0 : y[j];

#pragma unroll
        for (int k = 0; ROTATED && k < D; k++)
            z = de_rotate(z, rotation[j * D + k], y[k]);
        sum = add_coordinate<FUNCTION>(sum, j, z, s.factor[j]);
    }
    return end_sum<FUNCTION>(sum, D, s.inverse);
}

/* The coordinates of the trial from those of the lane's row `own`. */
template <int D>
__device__ __forceinline__ void make_trial_in_warp(const diffevo_problem &p, uint32_t word, const float own[D],
                                                   float trial[D])
{
#pragma unroll
    for (int j = 0; j < D; j++) {
        const float x1 = __shfl_sync(~0u, own[j], word), x2 = __shfl_sync(~0u, own[j], word >> 5);
        const float x3 = __shfl_sync(~0u, own[j], word >> 10);

        const float mutant = fminf(fmaxf(de_fma(p.weight, de_sub(x2, x3), x1), p.low), p.high); /* as in mix() */

        trial[j] = word & 0x10000u << j ? mutant : own[j];
    }
}

template <int D> __device__ __forceinline__ void start_row(const diffevo_problem &p, uint32_t k, float own[D])
{
#pragma unroll
    for (uint32_t q = 0; q < (D + 3) / 4; q++) {
        const float4 quad = initial_quad(p, k, q);

        own[4 * q] = quad.x;
        own[4 * q + 1] = quad.y;
        if (4 * q + 2 < D)
            own[4 * q + 2] = quad.z;
        if (4 * q + 3 < D)
            own[4 * q + 3] = quad.w;
    }
}

/* The warp's part of the result, from its last rows. */
template <int D>
__device__ __forceinline__ void report_walk(const diffevo_problem &p, uint32_t generation, const float own[D],
                                            float value, diffevo_result *result, float *best_x)
{
    const uint32_t k = threadIdx.x;
    finding found = { 0, FLT_MAX, 0xffffffffu };

    if (k < p.population) {
        found = { de_checksum(k, D, D, value), value, k };
#pragma unroll
        for (int j = 0; j < D; j++)
            found.checksum += de_checksum(k, j, D, own[j]);
    }
    found = better_of_warp(found);
    if (k == 0)
        *result = { found.checksum, found.best, found.index, generation, p.population * (generation + 1) };
    if (k == found.index)
#pragma unroll
        for (int j = 0; j < D; j++)
            best_x[p.x + j] = own[j];
}

/* The lane's individual, and whether it has just reached the target. */
template <int D> struct walker {
    float own[D], value;
    bool reached;
};

/*
 * Generations from `generation` + 1 to `last`, by the words of their chunk. Returns the last one that counts. Whether
 * one has reached the target is asked while the next one is made: no time is lost by waiting for the answer, and the
 * next one is not accepted.
 */
template <int FUNCTION, int D, bool ROTATED>
__device__ __forceinline__ uint32_t walk_chunk(const diffevo_problem &p, const warp_surface<D> &s,
                                               const float *rotation, const uint32_t (*words)[32], uint32_t generation,
                                               uint32_t last, walker<D> &w)
{
    const uint32_t k = threadIdx.x;
    uint32_t next = words[0][k];

    for (uint32_t i = 1; generation < last; generation++, i++) {
        const bool stop = __any_sync(~0u, w.reached);
        const uint32_t word = next;
        float trial[D];

        if (generation + 1 < last)
            next = words[i][k];
        make_trial_in_warp<D>(p, word, w.own, trial);
        const float value = value_in_warp<FUNCTION, D, ROTATED>(s, rotation, trial);

        if (stop)
            break;
        const bool wins = value <= w.value;

        w.reached = wins && value <= p.target;
        w.value = wins ? value : w.value;
#pragma unroll
        for (int j = 0; j < D; j++)
            w.own[j] = wins ? trial[j] : w.own[j];
    }
    return generation;
}

/* The whole problem, by all warps of the block: in each turn one chunk is drawn, and the one before is walked. */
template <int FUNCTION, int D, bool ROTATED>
__device__ __noinline__ void evolve_in_warp(const diffevo_problem &problem, warp_room &room, diffevo_result *result,
                                            float *best_x)
{
    const diffevo_problem p = problem; /* in registers */
    const bool walks = threadIdx.x < 32, absent = threadIdx.x >= p.population;
    float rotation[ROTATED ? D * D : 1];
    warp_surface<D> s;
    walker<D> w = {};
    uint32_t generation = 0;

    s.inverse = de_div(1.0f, (float)D);
#pragma unroll
    for (int j = 0; j < D; j++) {
        s.shift[j] = room.shift[j];
        s.factor[j] = room.factor[j];
    }
#pragma unroll
    for (int j = 0; ROTATED && j < D * D; j++)
        rotation[j] = room.rotation[j];
    if (walks) {
        start_row<D>(p, threadIdx.x, w.own);
        w.value = value_in_warp<FUNCTION, D, ROTATED>(s, rotation, w.own);
        w.reached = !absent && w.value <= p.target;
        w.value = absent ? -FLT_MAX : w.value; /* no trial wins */
    }
    for (uint32_t chunk = 0;; chunk++) {
        if (!walks)
            draw_chunk(problem, room, chunk);
        else if (chunk > 0)
            generation = walk_chunk<FUNCTION, D, ROTATED>(p, s, rotation, room.words[(chunk - 1) % 2], generation,
                                                          min(p.generations, chunk * CHUNK), w);
        if (__syncthreads_or(walks && (w.reached || generation == p.generations)))
            break;
    }
    if (walks)
        report_walk<D>(p, generation, w.own, w.value, result, best_x);
}

template <int D, bool ROTATED>
__device__ __forceinline__ void evolve_function(const diffevo_problem &p, warp_room &room, diffevo_result *result,
                                                float *best_x)
{
    switch (p.function) {
    case DIFFEVO_SPHERE: return evolve_in_warp<DIFFEVO_SPHERE, D, ROTATED>(p, room, result, best_x);
    case DIFFEVO_ROSENBROCK: return evolve_in_warp<DIFFEVO_ROSENBROCK, D, ROTATED>(p, room, result, best_x);
    case DIFFEVO_RASTRIGIN: return evolve_in_warp<DIFFEVO_RASTRIGIN, D, ROTATED>(p, room, result, best_x);
    case DIFFEVO_ACKLEY: return evolve_in_warp<DIFFEVO_ACKLEY, D, ROTATED>(p, room, result, best_x);
    case DIFFEVO_GRIEWANK: return evolve_in_warp<DIFFEVO_GRIEWANK, D, ROTATED>(p, room, result, best_x);
    default: return evolve_in_warp<DIFFEVO_SCHWEFEL, D, ROTATED>(p, room, result, best_x);
    }
}

/* Block b takes the problems order[b], order[b + gridDim.x], ... Other parameters are of kernels of larger teams. */
template <bool ROTATED>
__global__ void __launch_bounds__(32 * (1 + WARP_DRAWERS))
    evolve_by_warps(const diffevo_problem *problems, const int *order, int count, team, const float *data, char *,
                    size_t, diffevo_result *results, float *best_x)
{
    extern __shared__ __align__(128) char shared[];
    warp_room &room = *reinterpret_cast<warp_room *>(shared);

    for (int turn = (int)blockIdx.x; turn < count; turn += (int)gridDim.x) {
        const diffevo_problem p = problems[order[turn]];
        diffevo_result *result = results + order[turn];
        const uint32_t d = p.dimension;

        if (threadIdx.x < d) {
            room.shift[threadIdx.x] = data[p.shift + threadIdx.x];
            room.factor[threadIdx.x] = de_griewank_factor(threadIdx.x);
        }
        if (ROTATED && threadIdx.x < d * d)
            room.rotation[threadIdx.x] = data[p.rotation + threadIdx.x];
        __syncthreads();
        if (d == 2)
            evolve_function<2, ROTATED>(p, room, result, best_x);
        else if (d == 3)
            evolve_function<3, ROTATED>(p, room, result, best_x);
        else if (d == 4)
            evolve_function<4, ROTATED>(p, room, result, best_x);
        else if (d == 5)
            evolve_function<5, ROTATED>(p, room, result, best_x);
        else
            evolve_function<6, ROTATED>(p, room, result, best_x);
        __syncthreads();
    }
}
