/*
 * teams.cuh - the kernel of few problems, whose teams have one block (alone.cuh) or several (team.cuh).
 */
#pragma once

#include "alone.cuh"

/* All generations. Returns their number; the present rows are then told by buffer (number + 1) % 2. */
template <bool ROTATED>
__device__ __forceinline__ uint32_t evolve_together(const diffevo_problem &p, const team_view &t)
{
    const uint32_t k = threadIdx.x / t.quads, q = threadIdx.x - k * t.quads, steps = t.workers / t.quads;

    for (uint32_t g = 0;; g++) {
        if (threadIdx.x < t.workers) {
            make_all<ROTATED>(p, t, g, k, q, steps);
            meet_workers(1);
            if (ROTATED) {
                rotate_all(p, t);
                meet_workers(2);
            }
            select_all(p, t, g);
        } else {
            let_workers_meet(1);
            if (ROTATED)
                let_workers_meet(2);
            if (g < p.generations)
                draw_ahead<false>(p, t, g + 1, threadIdx.x - t.workers);
        }
        meet<false>();
        if (g == p.generations || t.stop[g % 2] == g + 1)
            return g;
    }
}

/* What is found out of the block's part of the population, by the block. room: finding [warps]. */
template <bool SHARED>
__device__ finding look_through(const diffevo_problem &p, const team_view &t, uint32_t generation, finding *room)
{
    const uint32_t *bits = t.present + (generation + 1) % 2 * t.words;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    finding own = { 0, FLT_MAX, 0xffffffffu };

    for (uint32_t k = warp; k < t.count; k += warps) {
        const uint32_t i = t.first + k;
        const float *row = reinterpret_cast<const float *>(t.rows + row_of(t, bits, t.rank * t.padded + k));

        for (uint32_t j = lane; j < p.dimension; j += 32)
            own.checksum += de_checksum(i, j, p.dimension, SHARED ? row[j] : __ldcg(row + j));
        if (lane == 0)
            own = better(own, { de_checksum(i, p.dimension, p.dimension, t.value[k]), t.value[k], i });
    }
    own = better_of_warp(own);
    if (lane == 0)
        room[warp] = own;
    __syncthreads();
    own = room[0];
    for (uint32_t k = 1; k < warps; k++)
        own = better(own, room[k]);
    return own;
}

template <bool SHARED>
__device__ void report_together(const diffevo_problem &p, const team_view &t, uint32_t generation, finding *room,
                                diffevo_result *result, float *best_x)
{
    finding own = look_through<SHARED>(p, t, generation, room), *all = room + 32;

    if (threadIdx.x == 0)
        *in_block<SHARED>(all + t.rank, 0) = own;
    meet<SHARED>();
    if (t.rank == 0) {
        own = all[0];
        for (uint32_t b = 1; b < t.blocks; b++)
            own = better(own, all[b]);
        if (threadIdx.x == 0)
            *result = { own.checksum, own.best, own.index, generation, p.population * (generation + 1) };
        const uint32_t *bits = t.present + (generation + 1) % 2 * t.words;
        const float *row =
            reinterpret_cast<const float *>(t.rows + row_of(t, bits, slot_of<SHARED>(t, own.index)));

        for (uint32_t j = threadIdx.x; j < p.dimension; j += blockDim.x)
            best_x[p.x + j] = SHARED ? row[j] : __ldcg(row + j);
    }
    meet<SHARED>();
}

/* What the block's shared memory holds before the first generation. */
template <bool ROTATED>
__device__ void prepare_block(const diffevo_problem &p, const team_view &t, const float *data, float *shift,
                              float *factor, float *rotation)
{
    const uint32_t columns = 4 * t.quads;

    for (uint32_t j = threadIdx.x; j < columns; j += blockDim.x) {
        shift[j] = j < p.dimension ? data[p.shift + j] : 0;
        factor[j] = de_griewank_factor(j);
    }
    for (uint32_t k = threadIdx.x; k < t.words; k += blockDim.x)
        t.present[k] = ~0u; /* of generation 0: its trials go to the first rows */
    if (threadIdx.x <= t.eights)
        t.commons[1 + t.eights + threadIdx.x] =
            make_common(p.seed, 1, threadIdx.x ? DE_CROSSOVER : DE_CHOICE, threadIdx.x ? threadIdx.x - 1 : 0);
    if (threadIdx.x < 2)
        t.stop[threadIdx.x] = 0;
    for (uint32_t k = threadIdx.x; k < 2 * t.own * t.mask; k += blockDim.x)
        t.masks[k] = 0;
    if (ROTATED)
        for (uint32_t k = threadIdx.x; k < p.dimension * columns; k += blockDim.x) {
            uint32_t i = k / columns, j = k % columns;

            rotation[k] = j < p.dimension ? data[p.rotation + i * p.dimension + j] : 0;
        }
}

/* Team b takes the problems order[b], order[b + teams], ... memory: `room` bytes a team, not used if QUADS > 0.
 * QUADS: of a row in registers; 0: rows are in global memory, and the work of an individual is divided. */
template <int QUADS, bool ROTATED>
__global__ void __launch_bounds__(most_threads(QUADS))
    evolve_by_teams(const diffevo_problem *problems, const int *order, int count, team team, const float *data,
                    char *memory, size_t room, diffevo_result *results, float *best_x)
{
    const bool SHARED = QUADS > 0;
    extern __shared__ __align__(128) char shared[];
    const uint32_t teams = gridDim.x / team.blocks, number = blockIdx.x / team.blocks;

    for (int turn = (int)number; turn < count; turn += (int)teams) {
        const diffevo_problem p = problems[order[turn]];
        const team_layout l = make_team_layout(p.dimension, p.population, ROTATED, team.blocks);
        const uint32_t rank = blockIdx.x % team.blocks, first = min(rank * l.own, p.population);
        float *shift = reinterpret_cast<float *>(shared + l.shift);
        float *factor = reinterpret_cast<float *>(shared + l.factor);
        float *rotation = reinterpret_cast<float *>(shared + l.rotation);
        team_view t = { reinterpret_cast<float4 *>(SHARED ? shared : memory + number * room),
                        reinterpret_cast<float4 *>(shared + l.u), reinterpret_cast<float4 *>(shared + l.v),
                        reinterpret_cast<float4 *>(shared + l.y), reinterpret_cast<uint4 *>(shared + l.choices),
                        reinterpret_cast<uint4 *>(shared + l.commons), reinterpret_cast<uint8_t *>(shared + l.masks),
                        reinterpret_cast<uint32_t *>(shared + l.present),
                        reinterpret_cast<uint32_t *>(shared + l.stop), reinterpret_cast<float *>(shared + l.value),
                        shift, factor, rotation, l.quads, l.pitch, l.row, l.own, l.padded, l.eights, l.mask,
                        team.blocks * l.padded, team.blocks, rank,
                        first, min(l.own, p.population - first), team.blocks * l.padded / 32,
                        0xffffffffu / l.own + 1, team.workers, team.drawers, gridDim.y,
                        de_div(1.0f, (float)p.dimension) };

        prepare_block<ROTATED>(p, t, data, shift, factor, rotation);
        meet<SHARED>();
        uint32_t generation;

        if constexpr (SHARED)
            generation = evolve_alone<QUADS, ROTATED>(p, t);
        else
            generation = evolve_together<ROTATED>(p, t);

        report_together<SHARED>(p, t, generation, reinterpret_cast<finding *>(shared + l.findings),
                                results + order[turn], best_x);
    }
}
