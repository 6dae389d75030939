/*
 * team.cuh - few large problems: a team of blocks for each. Time is scarce.
 *
 * A generation is a chain, from the choice of three rows to the last selection, and evolve() walks it with a few warps.
 * Here a problem has all warps of a team of 2, 4, 8 or 16 blocks (a cluster), and what can leave the chain leaves it:
 *
 *   workers  make the trials of a generation, a lane a quad, and what each coordinate adds to the value (its terms);
 *            then a lane an individual adds the terms up, in order, and selects.
 *   drawers  at the same time draw all random numbers of the next generation, one lane per block of Philox.
 *
 * Individuals are dealt to the blocks in equal shares, `own` each. The population is in global memory, which means the
 * L2 cache: shared memory of other blocks answers 50 clocks earlier, but has less bandwidth. Which of its two rows an
 * individual is in, a bit, is known to all blocks: the block that selects writes it into the shared memory of all.
 */
#pragma once

#include "many.cuh"

/* Threads of a block at most, by the quads of a row in registers: so many registers are left for it. 0: no row is. */
__host__ __device__ constexpr uint32_t most_threads(int quads)
{
    return quads <= 2 ? 1024 : quads == 4 ? 640 : 512;
}

struct team {
    uint32_t blocks, workers, drawers; /* workers and drawers: threads of each block, multiples of 32 */
};

/* Where things are in the shared memory of a team's block: offsets in bytes, multiples of 16. */
struct team_layout {
    uint32_t quads, pitch;  /* of a row; from the terms of an individual to the next ones': odd, so banks differ */
    uint32_t row;           /* quads from a row to the next; odd too where lanes side by side write rows */
    uint32_t own, padded;   /* individuals of a block; rounded up to whole words of present bits */
    uint32_t eights, mask;  /* blocks of Philox that a mask takes; bytes of a mask */
    uint32_t population;    /* bytes of a block's rows: in shared memory if the team is one block, and then first */
    uint32_t u, v, y;       /* float4 [own][pitch]: terms; in rotated problems trial - shift */
    uint32_t choices;       /* uint4 [2][own]: r1, r2, r3 as slots, and the coordinate that is always crossed */
    uint32_t masks;         /* uint8_t [2][own][mask] */
    uint32_t commons;       /* uint4 [2][1 + eights] */
    uint32_t present;       /* uint32_t [2][blocks padded / 32]: bits by slot: is the second row the present one? */
    uint32_t value;         /* float [own] */
    uint32_t shift, factor; /* float4 [quads] */
    uint32_t rotation;      /* float4 [D][quads] */
    uint32_t stop;          /* uint32_t [2]: 1 + a generation in which the target was reached */
    uint32_t findings;      /* finding [32 warps], then [16 blocks] */
    uint32_t total;
};

__host__ __device__ inline uint32_t next_place(uint32_t &at, uint32_t bytes)
{
    uint32_t place = at;

    at += (bytes + 15) / 16 * 16;
    return place;
}

__host__ __device__ inline team_layout make_team_layout(uint32_t dimension, uint32_t population, bool rotated,
                                                        uint32_t blocks)
{
    team_layout l;
    uint32_t at = 0, terms;

    l.quads = (dimension + 3) / 4;
    l.pitch = l.quads | 1;
    l.own = (population + blocks - 1) / blocks;
    l.padded = (l.own + 31) / 32 * 32;
    l.eights = (dimension + 7) / 8;
    l.mask = blocks == 1 ? 4 : l.eights;
    l.row = blocks == 1 ? l.pitch : l.quads;
    l.population = 2 * l.padded * l.row * 16;
    terms = blocks == 1 ? 0 : l.own * l.pitch * 16;
    if (blocks == 1)
        at = l.population;
    l.u = next_place(at, terms);
    l.v = next_place(at, terms);
    l.y = next_place(at, rotated ? terms : 0);
    l.choices = next_place(at, 2 * l.own * 16);
    l.masks = next_place(at, 2 * l.own * l.mask);
    l.commons = next_place(at, 2 * (1 + l.eights) * 16);
    l.present = next_place(at, 2 * blocks * l.padded / 8);
    l.value = next_place(at, l.own * 4);
    l.shift = next_place(at, l.quads * 16);
    l.factor = next_place(at, l.quads * 16);
    l.rotation = next_place(at, rotated ? dimension * l.quads * 16 : 0);
    l.stop = next_place(at, 2 * 4);
    l.findings = next_place(at, (32 + 16) * sizeof(finding));
    l.total = at;
    return l;
}

/* A team's problem, as one of its blocks sees it. A slot is an individual's place: rank * padded + its number there. */
struct team_view {
    float4 *rows;          /* [2][slots][row], of the whole team */
    float4 *u, *v, *y;     /* these and all below are in shared memory */
    uint4 *choices, *commons;
    uint8_t *masks;
    uint32_t *present, *stop;
    float *value;
    const float *shift, *factor, *rotation;
    uint32_t quads, pitch, row, own, padded, eights, mask;
    uint32_t slots;                      /* blocks padded */
    uint32_t blocks, rank, first, count; /* of the team; this block's number, and its individuals */
    uint32_t words;                      /* of present bits, for one generation */
    uint32_t own_inverse;                /* 2^32 / own, rounded up */
    uint32_t workers, drawers;
    uint32_t one;  /* see arena */
    float inverse; /* of the dimension */
};

/* A barrier of all threads of the team. */
template <bool SHARED> __device__ __forceinline__ void meet()
{
    if (SHARED)
        __syncthreads();
    else
        cooperative_groups::this_cluster().sync();
}

/* Barrier number 1 or 2 of the block, for which only workers wait: drawers arrive at both and go on. */
__device__ __forceinline__ void meet_workers(uint32_t number)
{
    asm volatile("bar.sync %0, %1;" : : "r"(number), "r"(blockDim.x) : "memory");
}

__device__ __forceinline__ void let_workers_meet(uint32_t number)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(number), "r"(blockDim.x) : "memory");
}

/* The same variable in the shared memory of another block of the team. */
template <bool SHARED, typename T> __device__ __forceinline__ T *in_block(T *variable, uint32_t rank)
{
    return SHARED ? variable : cooperative_groups::this_cluster().map_shared_rank(variable, rank);
}

/* Where the present row of a slot begins. bits: of this generation. */
__device__ __forceinline__ uint32_t row_of(const team_view &t, const uint32_t *bits, uint32_t slot)
{
    return (slot + (bits[slot / 32] >> slot % 32 & 1 ? t.slots : 0)) * t.row;
}

template <bool SHARED> __device__ __forceinline__ uint32_t slot_of(const team_view &t, uint32_t individual)
{
    return SHARED ? individual : individual + __umulhi(individual, t.own_inverse) * (t.padded - t.own);
}

/* ------------------------------------------------------------------ what drawers do */

/* The choices and masks of generation g for the block's individuals. Then what the numbers of g + 1 have in common. */
template <bool SHARED>
__device__ __forceinline__ void draw_ahead(const diffevo_problem &p, const team_view &t, uint32_t g, uint32_t drawer)
{
    const uint4 *commons = t.commons + g % 2 * (1 + t.eights);
    const uint32_t limit = p.crossover << 16, kinds = 1 + t.eights, lanes = (t.count + 31) / 32 * 32;
    uint4 *choices = t.choices + g % 2 * t.own;
    uint8_t *masks = t.masks + g % 2 * t.own * t.mask;

    if (drawer < kinds)
        t.commons[(g + 1) % 2 * kinds + drawer] =
            make_common(p.seed, g + 1, drawer ? DE_CROSSOVER : DE_CHOICE, drawer ? drawer - 1 : 0);
    for (uint32_t unit = drawer, kind = 0; unit < kinds * lanes; unit += t.drawers) {
        while (unit >= (kind + 1) * lanes) /* the same for all lanes of a warp */
            kind++;
        uint32_t k = unit - kind * lanes, i = t.first + k, mask = 0;

        if (k >= t.count)
            continue;
        if (kind > 0 && (p.crossover == 65536 || p.crossover == 0)) {
            masks[k * t.mask + kind - 1] = p.crossover ? 0xff : 0;
            continue;
        }
        uint64_t own = (uint64_t)M0 * (__umulhi(M1, g) ^ i ^ p.seed[0]);
        de_words words = finish_philox(own, commons[kind], p.seed[0], p.seed[1]);

        if (kind == 0) {
            de_choice c = de_choose(words, i, p.population, p.dimension);

            choices[k] = make_uint4(slot_of<SHARED>(t, c.r1), slot_of<SHARED>(t, c.r2), slot_of<SHARED>(t, c.r3), c.j);
        } else {
            add_crossed(&mask, 0, words, limit, t.one);
            masks[k * t.mask + kind - 1] = (uint8_t)mask;
        }
    }
}

/* ------------------------------------------------------------------ what workers do */

/* What coordinate z adds to the function's sums, as far as it needs no sum: at most two numbers. */
template <int FUNCTION> __device__ __forceinline__ float2 term(float z, float factor)
{
    switch (FUNCTION) {
    case DIFFEVO_RASTRIGIN:
    case DIFFEVO_ACKLEY: return make_float2(z, de_sinpi(z));
    case DIFFEVO_GRIEWANK: return make_float2(z, de_cospi_of_product(z, factor));
    case DIFFEVO_SCHWEFEL: return schwefel_terms(z);
    default: return make_float2(z, 0);
    }
}

/* de_sum_add(), with the terms of coordinate j for z. */
template <int FUNCTION> __device__ __forceinline__ de_sum add_term(de_sum s, uint32_t j, float u, float v)
{
    switch (FUNCTION) {
    case DIFFEVO_RASTRIGIN:
        s.a = de_fma(u, u, s.a);
        s.a = de_fma(de_mul(20.0f, v), v, s.a);
        return s;
    case DIFFEVO_ACKLEY:
        s.a = de_fma(u, u, s.a);
        s.b = de_fma(v, v, s.b);
        return s;
    case DIFFEVO_GRIEWANK:
        s.a = de_fma(u, u, s.a);
        s.b = de_fma(s.b, v, de_sub(1.0f, v));
        return s;
    case DIFFEVO_SCHWEFEL:
        s.a = de_add(s.a, u);
        s.a = de_fma(de_mul(0.01f, v), v, s.a);
        return s;
    default: return de_sum_add(FUNCTION, s, j, u, 0);
    }
}

template <int FUNCTION> struct has_two_terms {
    static const bool value = FUNCTION >= DIFFEVO_RASTRIGIN;
};

/* The terms of quad q of the block's individual k. */
template <int FUNCTION>
__device__ __forceinline__ void put_terms(const team_view &t, uint32_t k, uint32_t q, float4 z)
{
    const float4 factor = reinterpret_cast<const float4 *>(t.factor)[q];
    const float2 a = term<FUNCTION>(z.x, factor.x), b = term<FUNCTION>(z.y, factor.y);
    const float2 c = term<FUNCTION>(z.z, factor.z), d = term<FUNCTION>(z.w, factor.w);

    t.u[k * t.pitch + q] = make_float4(a.x, b.x, c.x, d.x);
    if (has_two_terms<FUNCTION>::value)
        t.v[k * t.pitch + q] = make_float4(a.y, b.y, c.y, d.y);
}

__device__ __forceinline__ void put_terms_of(uint32_t function, const team_view &t, uint32_t k, uint32_t q, float4 z)
{
    switch (function) {
    case DIFFEVO_RASTRIGIN:
    case DIFFEVO_ACKLEY: return put_terms<DIFFEVO_ACKLEY>(t, k, q, z); /* both have the same */
    case DIFFEVO_GRIEWANK: return put_terms<DIFFEVO_GRIEWANK>(t, k, q, z);
    case DIFFEVO_SCHWEFEL: return put_terms<DIFFEVO_SCHWEFEL>(t, k, q, z);
    default: return put_terms<DIFFEVO_SPHERE>(t, k, q, z);
    }
}

/* The value of the block's individual k from its terms. */
template <int FUNCTION> __device__ __forceinline__ float add_up(const team_view &t, uint32_t k, uint32_t dimension)
{
    const bool two = has_two_terms<FUNCTION>::value;
    const float4 *us = t.u + k * t.pitch, *vs = t.v + k * t.pitch;
    de_sum sum = de_sum_start();
    uint32_t full = dimension / 4, rest = dimension % 4;
    float4 u, v = {};

#pragma unroll 4
    for (uint32_t q = 0; q < full; q++) {
        u = us[q];
        v = two ? vs[q] : v;
        sum = add_term<FUNCTION>(sum, 4 * q, u.x, v.x);
        sum = add_term<FUNCTION>(sum, 4 * q + 1, u.y, v.y);
        sum = add_term<FUNCTION>(sum, 4 * q + 2, u.z, v.z);
        sum = add_term<FUNCTION>(sum, 4 * q + 3, u.w, v.w);
    }
    if (rest) {
        u = us[full];
        v = two ? vs[full] : v;
        sum = add_term<FUNCTION>(sum, 4 * full, u.x, v.x);
        if (rest > 1)
            sum = add_term<FUNCTION>(sum, 4 * full + 1, u.y, v.y);
        if (rest > 2)
            sum = add_term<FUNCTION>(sum, 4 * full + 2, u.z, v.z);
    }
    return end_sum<FUNCTION>(sum, dimension, t.inverse);
}

__device__ __forceinline__ float add_up_of(uint32_t function, const team_view &t, uint32_t k, uint32_t dimension)
{
    switch (function) {
    case DIFFEVO_SPHERE: return add_up<DIFFEVO_SPHERE>(t, k, dimension);
    case DIFFEVO_ROSENBROCK: return add_up<DIFFEVO_ROSENBROCK>(t, k, dimension);
    case DIFFEVO_RASTRIGIN: return add_up<DIFFEVO_RASTRIGIN>(t, k, dimension);
    case DIFFEVO_ACKLEY: return add_up<DIFFEVO_ACKLEY>(t, k, dimension);
    case DIFFEVO_GRIEWANK: return add_up<DIFFEVO_GRIEWANK>(t, k, dimension);
    default: return add_up<DIFFEVO_SCHWEFEL>(t, k, dimension);
    }
}

/* Quad q of the trial of the block's individual k in generation g, before any is known: the initial one. */
__device__ __forceinline__ float4 initial_quad(const diffevo_problem &p, uint32_t i, uint32_t q)
{
    de_words words = de_initial_words(&p, i, q);

    return make_float4(de_initial(words.w[0], p.low, p.high), de_initial(words.w[1], p.low, p.high),
                       de_initial(words.w[2], p.low, p.high), de_initial(words.w[3], p.low, p.high));
}

/* Later: of the individuals that were chosen. Rows are not read where no coordinate is crossed. row: its present one */
__device__ __forceinline__ float4 trial_quad(const diffevo_problem &p, const team_view &t, uint32_t g, uint32_t k,
                                             uint32_t q, uint32_t row)
{
    const uint32_t *bits = t.present + g % 2 * t.words;
    const uint4 choice = t.choices[g % 2 * t.own + k];
    uint32_t mask = t.masks[(g % 2 * t.own + k) * t.mask + q / 2] >> 4 * (q % 2) & 15;
    float4 trial = __ldcg(t.rows + row + q);

    mask |= choice.w / 4 == q ? 1 << choice.w % 4 : 0;
    if (mask != 0) {
        float4 x1 = __ldcg(t.rows + row_of(t, bits, choice.x) + q);
        float4 x2 = __ldcg(t.rows + row_of(t, bits, choice.y) + q);
        float4 x3 = __ldcg(t.rows + row_of(t, bits, choice.z) + q);

        mix<1>(&trial.x, mask, x1.x, x2.x, x3.x, p);
        mix<2>(&trial.y, mask, x1.y, x2.y, x3.y, p);
        mix<4>(&trial.z, mask, x1.z, x2.z, x3.z, p);
        mix<8>(&trial.w, mask, x1.w, x2.w, x3.w, p);
    }
    return trial;
}

/* All trials of the block, each into the row that is not present; and their terms, or trial - shift if rotated. A
 * thread begins with quad first_q of individual first_k; a step is workers / quads individuals, and a few quads. */
template <bool ROTATED>
__device__ __forceinline__ void make_all(const diffevo_problem &p, const team_view &t, uint32_t g, uint32_t first_k,
                                         uint32_t first_q, uint32_t steps)
{
    const uint32_t *bits = t.present + g % 2 * t.words;
    const uint32_t rest = t.workers - steps * t.quads;

    for (uint32_t k = first_k, q = first_q; k < t.count;) {
        const uint32_t slot = t.rank * t.padded + k, row = row_of(t, bits, slot);
        const uint32_t other = (2 * slot + t.slots) * t.row - row;
        const float4 trial = g == 0 ? initial_quad(p, t.first + k, q) : trial_quad(p, t, g, k, q, row);
        const float4 y = sub(trial, reinterpret_cast<const float4 *>(t.shift)[q]);

        t.rows[other + q] = trial;
        if (ROTATED)
            t.y[k * t.pitch + q] = y;
        else
            put_terms_of(p.function, t, k, q, y);
        k += steps; /* thread x has the quads x, x + workers, ... of the block's trials */
        q += rest;
        if (q >= t.quads) {
            q -= t.quads;
            k++;
        }
    }
}

/* Rows first to first + 7 of R times the y of the individuals k, k + 32, ... (SETS of them), and the terms of that.
 * Behind the last column R has zeros, which change nothing: a zero's sign is lost in every term. */
template <int SETS>
__device__ __forceinline__ void rotate_some(const diffevo_problem &p, const team_view &t, uint32_t first, uint32_t k)
{
    const int ROWS = 8;
    const float4 *rows = reinterpret_cast<const float4 *>(t.rotation), *ys[SETS];
    float z[SETS][ROWS] = {};

#pragma unroll
    for (int s = 0; s < SETS; s++) /* beyond the last individual: the last one again */
        ys[s] = t.y + min(k + 32 * s, t.count - 1) * t.pitch;
    for (uint32_t q = 0; q < t.quads; q++) {
        float4 y[SETS];

#pragma unroll
        for (int s = 0; s < SETS; s++)
            y[s] = ys[s][q];
#pragma unroll
        for (int r = 0; r < ROWS; r++) { /* beyond the last row: the last one again */
            float4 entry = rows[min(first + r, p.dimension - 1) * t.quads + q];

#pragma unroll
            for (int s = 0; s < SETS; s++) {
                z[s][r] = de_rotate(z[s][r], entry.x, y[s].x);
                z[s][r] = de_rotate(z[s][r], entry.y, y[s].y);
                z[s][r] = de_rotate(z[s][r], entry.z, y[s].z);
                z[s][r] = de_rotate(z[s][r], entry.w, y[s].w);
            }
        }
    }
#pragma unroll
    for (int s = 0; s < SETS; s++)
        for (uint32_t half = 0; half < 2; half++)
            if (k + 32 * s < t.count && first / 4 + half < t.quads)
                put_terms_of(p.function, t, k + 32 * s, first / 4 + half,
                             half ? make_float4(z[s][4], z[s][5], z[s][6], z[s][7])
                                  : make_float4(z[s][0], z[s][1], z[s][2], z[s][3]));
}

/* All rotations of the block: a lane has an individual, or two, and eight rows that its warp reads together. */
__device__ __forceinline__ void rotate_all(const diffevo_problem &p, const team_view &t)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, eights = t.eights;
    const uint32_t set = t.count > 32 ? 64 : 32, units = (t.count + set - 1) / set * eights;

    for (uint32_t unit = warp; unit < units; unit += t.workers / 32) {
        uint32_t group = unit / eights, first = (unit - group * eights) * 8, k = group * set + lane;

        if (set == 64)
            rotate_some<2>(p, t, first, k);
        else
            rotate_some<1>(p, t, first, k);
    }
}

/* A lane an individual: its value, and whether the trial wins. All blocks of the team learn it. */
__device__ __forceinline__ void select_all(const diffevo_problem &p, const team_view &t, uint32_t g)
{
    const uint32_t lane = threadIdx.x % 32, before = g % 2 * t.words, after = (g + 1) % 2 * t.words;

    for (uint32_t from = threadIdx.x - lane; from < t.count; from += t.workers) {
        const uint32_t k = from + lane, word = (t.rank * t.padded + from) / 32;
        bool wins = false, reached = false;

        if (k < t.count) {
            float value = add_up_of(p.function, t, k, p.dimension);

            wins = g == 0 || value <= t.value[k];
            if (wins)
                t.value[k] = value;
            reached = wins && value <= p.target;
        }
        uint32_t bits = t.present[before + word] ^ __ballot_sync(~0u, wins);
        uint32_t stops = __ballot_sync(~0u, reached);

        if (lane < t.blocks) {
            *in_block<false>(t.present + after + word, lane) = bits;
            if (stops)
                *in_block<false>(t.stop + g % 2, lane) = g + 1;
        }
    }
}
