/*
 * alone.cuh - few small problems: a team of one block, the population in its shared memory. Time is scarce.
 */
#pragma once

#include "team.cuh"

/*
 * Up to 32 coordinates a lane has its individual in registers: it reads three rows, and every number between them and
 * the new row stays in the lane. So a generation is one chain from the choices to the barrier, and has one barrier.
 * The present rows of generation g are the first ones if g is even, else the second ones, of all individuals.
 */
template <int FUNCTION, int QUADS>
__device__ __forceinline__ float value_of_quads(const surface &s, const float4 y[QUADS])
{
    de_sum sum = de_sum_start();

#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++) {
        if (4 * q + 4 <= s.dimension)
            sum = add_coordinates<FUNCTION>(sum, s, 4 * q, &y[q].x, 4);
        else if (4 * q < s.dimension)
            sum = add_coordinates<FUNCTION>(sum, s, 4 * q, &y[q].x, s.dimension % 4);
    }
    return end_sum<FUNCTION>(sum, s.dimension, s.inverse);
}

template <int FUNCTION, int QUADS>
__device__ __forceinline__ float value_of_rotated_quads(const surface &s, const float4 y[QUADS])
{
    const float4 *rows = reinterpret_cast<const float4 *>(s.rotation);
    de_sum sum = de_sum_start();

    for (uint32_t j = 0; j < s.dimension; j += 4) {
        float z[4] = {};

#pragma unroll
        for (uint32_t q = 0; q < QUADS; q++)
            if (q < s.quads)
#pragma unroll
                for (uint32_t r = 0; r < 4; r++) { /* beyond the last row: the last one again */
                    float4 entry = rows[min(j + r, s.dimension - 1) * s.quads + q];

                    z[r] = de_rotate(z[r], entry.x, y[q].x);
                    z[r] = de_rotate(z[r], entry.y, y[q].y);
                    z[r] = de_rotate(z[r], entry.z, y[q].z);
                    z[r] = de_rotate(z[r], entry.w, y[q].w);
                }
        sum = add_coordinates<FUNCTION>(sum, s, j, z, min(4u, s.dimension - j));
    }
    return end_sum<FUNCTION>(sum, s.dimension, s.inverse);
}

template <int FUNCTION, int QUADS, bool ROTATED>
__device__ __forceinline__ float value_in_lane(const surface &s, const float4 y[QUADS])
{
    return ROTATED ? value_of_rotated_quads<FUNCTION, QUADS>(s, y) : value_of_quads<FUNCTION, QUADS>(s, y);
}

/* The trial of individual k in generation g, from its row `own`. */
template <int QUADS>
__device__ __forceinline__ void make_trial(const diffevo_problem &p, const team_view &t, uint32_t g, uint32_t k,
                                           const float4 own[QUADS], float4 trial[QUADS])
{
    const float4 *rows = t.rows + (g % 2 ? 0 : t.slots * t.row);
    const uint4 choice = t.choices[g % 2 * t.own + k];
    const uint32_t mask = reinterpret_cast<const uint32_t *>(t.masks)[g % 2 * t.own + k] | 1u << choice.w;
    const float4 *r1 = rows + choice.x * t.row, *r2 = rows + choice.y * t.row, *r3 = rows + choice.z * t.row;

#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        if (q < t.quads) {
            float4 x1 = r1[q], x2 = r2[q], x3 = r3[q];

            trial[q] = own[q];
            mix<1>(&trial[q].x, mask >> 4 * q, x1.x, x2.x, x3.x, p);
            mix<2>(&trial[q].y, mask >> 4 * q, x1.y, x2.y, x3.y, p);
            mix<4>(&trial[q].z, mask >> 4 * q, x1.z, x2.z, x3.z, p);
            mix<8>(&trial[q].w, mask >> 4 * q, x1.w, x2.w, x3.w, p);
        }
}

/* Generation g of individual k by its lane. Whether the target was reached. own, *value: its row and its value. */
template <int FUNCTION, int QUADS, bool ROTATED>
__device__ __forceinline__ bool advance(const diffevo_problem &p, const team_view &t, const surface &s, uint32_t g,
                                        uint32_t k, float4 own[QUADS], float *value)
{
    float4 *row = t.rows + ((g % 2 ? t.slots : 0) + k) * t.row, trial[QUADS], y[QUADS];

    if (g == 0) {
#pragma unroll
        for (uint32_t q = 0; q < QUADS; q++)
            if (q < t.quads)
                trial[q] = initial_quad(p, k, q);
    } else {
        make_trial<QUADS>(p, t, g, k, own, trial);
    }
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        if (q < t.quads)
            y[q] = sub(trial[q], reinterpret_cast<const float4 *>(t.shift)[q]);

    const float trial_value = value_in_lane<FUNCTION, QUADS, ROTATED>(s, y);
    const bool wins = g == 0 || trial_value <= *value;

    *value = wins ? trial_value : *value;
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        if (q < t.quads) {
            own[q].x = wins ? trial[q].x : own[q].x;
            own[q].y = wins ? trial[q].y : own[q].y;
            own[q].z = wins ? trial[q].z : own[q].z;
            own[q].w = wins ? trial[q].w : own[q].w;
            row[q] = own[q];
        }
    return wins && trial_value <= p.target;
}

/* All generations, as evolve_together(). */
template <int FUNCTION, int QUADS, bool ROTATED>
__device__ __forceinline__ uint32_t evolve_function_alone(const diffevo_problem &p, const team_view &t)
{
    const surface s = { t.shift, t.factor, t.rotation, p.dimension, t.quads, 1, t.inverse };
    const uint32_t k = threadIdx.x;
    float4 own[QUADS] = {};
    float value = 0;

    for (uint32_t g = 0;; g++) {
        bool reached = false;

        if (k < t.count)
            reached = advance<FUNCTION, QUADS, ROTATED>(p, t, s, g, k, own, &value);
        else if (k >= t.workers && g < p.generations)
            draw_ahead<true>(p, t, g + 1, k - t.workers);
        if (__syncthreads_or(reached) || g == p.generations) {
            if (k < t.count)
                t.value[k] = value;
            if (k < t.words)
                t.present[(g + 1) % 2 * t.words + k] = g % 2 ? ~0u : 0;
            __syncthreads();
            return g;
        }
    }
}

/* The function is chosen here, outside the loop, since a branch in a generation takes as long as ten operations. */
template <int QUADS, bool ROTATED>
__device__ __forceinline__ uint32_t evolve_alone(const diffevo_problem &p, const team_view &t)
{
    switch (p.function) {
    case DIFFEVO_SPHERE: return evolve_function_alone<DIFFEVO_SPHERE, QUADS, ROTATED>(p, t);
    case DIFFEVO_ROSENBROCK: return evolve_function_alone<DIFFEVO_ROSENBROCK, QUADS, ROTATED>(p, t);
    case DIFFEVO_RASTRIGIN: return evolve_function_alone<DIFFEVO_RASTRIGIN, QUADS, ROTATED>(p, t);
    case DIFFEVO_ACKLEY: return evolve_function_alone<DIFFEVO_ACKLEY, QUADS, ROTATED>(p, t);
    case DIFFEVO_GRIEWANK: return evolve_function_alone<DIFFEVO_GRIEWANK, QUADS, ROTATED>(p, t);
    default: return evolve_function_alone<DIFFEVO_SCHWEFEL, QUADS, ROTATED>(p, t);
    }
}
