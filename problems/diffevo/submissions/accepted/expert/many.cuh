/*
 * many.cuh - many problems: a block each, the population in shared memory. Instructions are scarce.
 *
 * A generation has three steps (see device_user.cu), each with the lanes laid out as suits it.
 */
#pragma once

#include "random.cuh"
#include "values.cuh"

/* A block's view of its problem. The pointers but `population` are to shared memory. */
struct arena {
    char *population;
    uint4 *choices;         /* [32]: this warp's */
    uint32_t *masks;        /* [32][words]: this warp's */
    uint4 *commons;         /* [2][blocks]: the choices' block, then those of the crossover */
    uint32_t *present;      /* [2][stride] */
    float *value;
    uint32_t row, quads, blocks, stride;
    uint32_t quads_inverse; /* 65536 / quads, rounded up */
    uint32_t group;         /* lanes a narrow row: 1, 2, 4 or 8 */
    uint32_t one;           /* 1, and the compiler does not know */
};

/*
 * Step 1, for individual i by its lane. choices[lane] is where the present rows of r1, r2, r3 and i are; masks[lane]
 * says which coordinates are crossed.
 */
template <bool NARROW>
__device__ __forceinline__ void draw(const diffevo_problem &p, const arena &a, uint32_t generation, uint32_t i,
                                     uint32_t lane)
{
    const uint32_t WORDS = NARROW ? 1 : 4;
    const uint4 *commons = a.commons + generation % 2 * a.blocks;
    const uint32_t *present = a.present + generation % 2 * a.stride;
    uint64_t own = (uint64_t)M0 * (__umulhi(M1, generation) ^ i ^ p.seed[0]);
    de_choice c = de_choose(finish_philox(own, commons[0], p.seed[0], p.seed[1]), i, p.population, p.dimension);
    uint32_t limit = p.crossover << 16;

    a.choices[lane] = make_uint4(present[c.r1], present[c.r2], present[c.r3], present[i]);
#pragma unroll
    for (uint32_t word = 0; word < WORDS; word++) {
        uint32_t mask = 0;

        if (p.crossover == 65536) {
            mask = 0xffffffffu;
        } else if (p.crossover > 0) {
#pragma unroll
            for (uint32_t e = 0; e < 4; e++)
                if (32 * word + 8 * e < p.dimension)
                    add_crossed(&mask, 8 * e, finish_philox(own, commons[1 + 4 * word + e], p.seed[0], p.seed[1]),
                                limit, a.one);
        }
        a.masks[lane * WORDS + word] = mask | (c.j / 32 == word ? 1u << c.j % 32 : 0);
    }
}

/* *own becomes the mutant if that bit of the mask is set: a predicate of the last step, which costs nothing. */
template <int BIT>
__device__ __forceinline__ void mix(float *own, uint32_t mask, float x1, float x2, float x3,
                                    const diffevo_problem &p)
{
    float mutant = fmaxf(de_fma(p.weight, de_sub(x2, x3), x1), p.low); /* no NaN can occur, and no bound is 0 */

    asm("{ .reg .pred p; .reg .b32 b; and.b32 b, %2, %3; setp.ne.u32 p, b, 0; @p min.f32 %0, %1, %4; }"
        : "+f"(*own) : "f"(mutant), "r"(mask), "n"(BIT), "f"(p.high));
}

/* Quad q of the trial that `choice` is for, into the other row. mask: its lowest four bits. */
template <bool NARROW>
__device__ __forceinline__ void make_quad(const diffevo_problem &p, const arena &a, uint4 choice, uint32_t mask,
                                          uint32_t q)
{
    float4 trial = quad_of(a.population, quad_at<NARROW>(choice.w, q));
    float4 x1 = quad_of(a.population, quad_at<NARROW>(choice.x, q));
    float4 x2 = quad_of(a.population, quad_at<NARROW>(choice.y, q));
    float4 x3 = quad_of(a.population, quad_at<NARROW>(choice.z, q));

    mix<1>(&trial.x, mask, x1.x, x2.x, x3.x, p);
    mix<2>(&trial.y, mask, x1.y, x2.y, x3.y, p);
    mix<4>(&trial.z, mask, x1.z, x2.z, x3.z, p);
    mix<8>(&trial.w, mask, x1.w, x2.w, x3.w, p);
    quad_of(a.population, quad_at<NARROW>(other_row<NARROW>(choice.w, a.row), q)) = trial;
}

/* Step 2: the trials of `count` individuals, by a warp. */
template <bool NARROW>
__device__ __forceinline__ void make_trials(const diffevo_problem &p, const arena &a, uint32_t count, uint32_t lane)
{
    if (NARROW) { /* a.group lanes an individual, some of which may have no quad */
        uint32_t q = lane & (a.group - 1);

        if (q < a.quads)
#pragma unroll 2
            for (uint32_t k = lane / a.group; k < count; k += 32 / a.group)
                make_quad<NARROW>(p, a, a.choices[k], a.masks[k] >> 4 * q, q);
    } else {
#pragma unroll 2
        for (uint32_t t = lane; t < count * a.quads; t += 32) {
            uint32_t k = t * a.quads_inverse >> 16, q = t - k * a.quads;

            make_quad<NARROW>(p, a, a.choices[k], a.masks[4 * k + q / 8] >> 4 * (q % 8), q);
        }
    }
}

/* The initial row of individual i, by its lane. What is beyond the last coordinate is set too, and never used. */
template <bool NARROW> __device__ void make_initial(const diffevo_problem &p, const arena &a, uint32_t i)
{
    for (uint32_t q = 0; q < a.quads; q++) {
        de_words words = de_initial_words(&p, i, q);

        quad_of(a.population, quad_at<NARROW>(place<NARROW>(i, a.row), q)) =
            make_float4(de_initial(words.w[0], p.low, p.high), de_initial(words.w[1], p.low, p.high),
                        de_initial(words.w[2], p.low, p.high), de_initial(words.w[3], p.low, p.high));
    }
}

/*
 * One attempt, by the block. Returns whether the target was reached; *generation is how many generations were made. The
 * present rows at the end are in present[(generation + 1) % 2].
 */
template <bool NARROW, bool ROTATED>
__device__ __forceinline__ bool attempt(const diffevo_problem &p, const arena &a, const surface &s,
                                        uint32_t *generation)
{
    uint32_t lane = threadIdx.x % 32;

    for (uint32_t g = 0;; g++) {
        uint32_t *next = a.present + (g + 1) % 2 * a.stride, common = blockDim.x - 1 - threadIdx.x;
        bool reached = false;

        /* The last warp has the fewest individuals. */
        if (common < a.blocks)
            a.commons[(g + 1) % 2 * a.blocks + common] =
                make_common(p.seed, g + 1, common ? DE_CROSSOVER : DE_CHOICE, common ? common - 1 : 0);
        for (uint32_t first = threadIdx.x - lane; first < p.population; first += blockDim.x) {
            uint32_t i = first + lane, count = min(32u, p.population - first);
            uint32_t now = 0, trial = place<NARROW>(i, a.row); /* rows */

            if (g == 0) {
                if (i < p.population)
                    make_initial<NARROW>(p, a, i);
            } else {
                if (i < p.population) {
                    draw<NARROW>(p, a, g, i, lane);
                    now = a.present[g % 2 * a.stride + i];
                    trial = other_row<NARROW>(now, a.row);
                }
                __syncwarp();
                make_trials<NARROW>(p, a, count, lane);
            }
            __syncwarp();
            if (i < p.population) {
                float value = evaluate<NARROW, ROTATED>(p.function, s, a.population, trial);
                bool wins = g == 0 || value <= a.value[i];

                next[i] = wins ? trial : now;
                if (wins)
                    a.value[i] = value;
                reached |= wins && value <= p.target;
            }
        }
        /* Also keeps apart who reads this generation and who overwrites it. */
        reached = __syncthreads_or(reached);
        if (reached || g == p.generations) {
            *generation = g;
            return reached;
        }
    }
}

/* ------------------------------------------------------------------ the end of a problem */

/* What is found out of the population. */
struct finding {
    uint64_t checksum;
    float best;
    uint32_t index;
};

__device__ finding better(finding a, finding b)
{
    bool first = a.best < b.best || (a.best == b.best && a.index < b.index);

    return { a.checksum + b.checksum, first ? a.best : b.best, first ? a.index : b.index };
}

__device__ finding better_of_warp(finding own)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        finding other = { __shfl_xor_sync(~0u, own.checksum, distance), __shfl_xor_sync(~0u, own.best, distance),
                          __shfl_xor_sync(~0u, own.index, distance) };

        own = better(own, other);
    }
    return own;
}

/* Coordinate j of the row at that offset. */
template <bool NARROW> __device__ float coordinate(const arena &a, uint32_t offset, uint32_t j)
{
    float4 quad = quad_of(a.population, quad_at<NARROW>(offset, j / 4));

    return j % 4 == 0 ? quad.x : j % 4 == 1 ? quad.y : j % 4 == 2 ? quad.z : quad.w;
}

/* room: [warps] in shared memory. */
template <bool NARROW>
__device__ void report(const diffevo_problem &p, const arena &a, uint32_t generation, finding *room,
                       diffevo_result *result, float *best_x)
{
    const uint32_t *present = a.present + (generation + 1) % 2 * a.stride;
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    finding own = { 0, FLT_MAX, 0xffffffffu };

    for (uint32_t i = warp; i < p.population; i += warps) {
        for (uint32_t j = lane; j < p.dimension; j += 32)
            own.checksum += de_checksum(i, j, p.dimension, coordinate<NARROW>(a, present[i], j));
        if (lane == 0)
            own = better(own, { de_checksum(i, p.dimension, p.dimension, a.value[i]), a.value[i], i });
    }
    own = better_of_warp(own);
    if (lane == 0)
        room[warp] = own;
    __syncthreads();
    own = room[0];
    for (uint32_t k = 1; k < warps; k++)
        own = better(own, room[k]);
    if (threadIdx.x == 0)
        *result = { own.checksum, own.best, own.index, generation, p.population * (generation + 1) };
    for (uint32_t j = threadIdx.x; j < p.dimension; j += blockDim.x)
        best_x[p.x + j] = coordinate<NARROW>(a, present[own.index], j);
}

/* ------------------------------------------------------------------ the kernel */

/*
 * A block takes one problem of problems[order[0 ... count)] after the other. memory: `room` bytes a block for the
 * population, not used when SHARED. *taken: how many problems have been taken, the blocks' first ones included.
 */
template <bool NARROW, bool SHARED, bool ROTATED>
__global__ void __launch_bounds__(NARROW ? 800 : THREADS_WIDE)
    evolve(const diffevo_problem *problems, const int *order, int count, int *taken, const float *data, char *memory,
           size_t room, int starts, float aim, diffevo_result *results, float *best_x)
{
    extern __shared__ __align__(128) char shared[];

    for (int turn = blockIdx.x; turn < count;) {
        diffevo_problem p = problems[order[turn]];
        layout l = make_layout(p.dimension, p.population, p.shifts, ROTATED, blockDim.x, SHARED);
        uint32_t columns = 4 * l.quads, warp_room = threadIdx.x / 32 * 32;
        float *shift = reinterpret_cast<float *>(shared + l.shift);
        float *factor = reinterpret_cast<float *>(shared + l.factor);
        float *rotation = reinterpret_cast<float *>(shared + l.rotation);
        surface s = { shift, factor, rotation, p.dimension, l.quads, p.shifts,
                      de_div(1.0f, (float)p.dimension) };
        arena a = { SHARED ? shared : memory + blockIdx.x * room,
                    reinterpret_cast<uint4 *>(shared + l.choices) + warp_room,
                    reinterpret_cast<uint32_t *>(shared + l.masks) + warp_room * (NARROW ? 1 : 4),
                    reinterpret_cast<uint4 *>(shared + l.commons), reinterpret_cast<uint32_t *>(shared + l.present),
                    reinterpret_cast<float *>(shared + l.value), l.row, l.quads, 1 + (p.dimension + 7) / 8,
                    (p.population + 7) / 8 * 8, 65535 / l.quads + 1,
                    l.quads > 4 ? 8 : l.quads > 2 ? 4 : l.quads, gridDim.y };
        int *next = reinterpret_cast<int *>(shared + l.turn);
        uint32_t generation;

        p.target *= aim;
        for (uint32_t k = threadIdx.x; k < p.shifts * columns; k += blockDim.x)
            shift[k] = k % columns < p.dimension ? data[p.shift + k / columns * p.dimension + k % columns] : 0;
        for (uint32_t j = threadIdx.x; j < columns; j += blockDim.x)
            factor[j] = de_griewank_factor(j);
        if (ROTATED)
            for (uint32_t k = threadIdx.x; k < p.dimension * columns; k += blockDim.x) {
                uint32_t i = k / columns, j = k % columns;

                rotation[k] = j < p.dimension ? data[p.rotation + i * p.dimension + j] : 0;
            }
        __syncthreads();
        for (int left = starts; !attempt<NARROW, ROTATED>(p, a, s, &generation) && --left > 0;)
            p.seed[0]++;
        report<NARROW>(p, a, generation, reinterpret_cast<finding *>(shared + l.choices),
                       results + order[turn], best_x);
        if (threadIdx.x == 0)
            *next = (int)gridDim.x < count ? atomicAdd(taken, 1) : count;
        __syncthreads();
        turn = *next;
        __syncthreads();
    }
}
