/*
 * The expert: all generations in one kernel. Three shapes of it, by what is scarce:
 *
 *   many problems     a block each, population in shared memory: evolve(). Instructions are scarce.
 *   few, small ones   a block each, an individual in the registers of a lane: evolve_alone(). Time is scarce.
 *   few, large ones   a team of up to 16 blocks each: evolve_together(). Time is scarce, and work can be divided.
 *
 * team_for() chooses. The first shape comes first.
 *
 * What an evaluation cannot do without is its random numbers, 1 + D / 8 blocks of Philox, and five touches of a row of
 * D floats: three individuals that are mixed, the target, and the trial. Each of the three steps of a generation gets
 * the shape that suits it, a warp having 32 individuals:
 *
 *   1. draw      a lane an individual: r1, r2, r3 and a mask of the coordinates that are crossed, by Philox. Its
 *                counter has little in it that differs between lanes, so 2 1/2 of the 10 rounds are shared: see struct
 *   common. 2. make      a lane a quad (four coordinates) of some individual: a row is then read by lanes side by side,
 *                16 bytes each, from banks that do not collide, whatever individuals were drawn.
 *   3. evaluate  a lane an individual again, since sums are prescribed to be taken in order. Lanes side by side read
 *                the same quad of rows side by side: rows are laid out so that this does not collide either (place()).
 *
 * Nothing is copied at selection: every individual has two rows, the present one and one for the trial, and a table
 * says which is the present one. The table is kept twice, for this generation and the next, so that one barrier a
 * generation is enough. The mode open is the same, with more attempts.
 *
 * Populations too large for shared memory (about D > 70) lie in global memory, laid out in the same way: rows are read
 * as whole sectors there. Problems are sorted into classes by the shared memory they need, a launch each, so that
 * small ones are not kept to the few blocks a multiprocessor that large ones allow.
 */
#include <cooperative_groups.h>

#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "diffevo.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

const int STARTS = 20;         /* in the open mode: attempts at a target */
const float AIM = 0.9999f;     /* there the judge computes in double precision: aim a little lower */
const uint32_t NARROW_D = 32;  /* up to here a row is 128 bytes, and a mask one word */
const size_t STAGED = 1 << 18;  /* bytes of data that are copied together with the problems */
const int THREADS_NARROW = 320, THREADS_WIDE = 640;

const uint32_t M0 = 0xd2511f53u, M1 = 0xcd9e8d57u, W0 = 0x9e3779b9u, W1 = 0xbb67ae85u; /* Philox's constants */

/* ------------------------------------------------------------------ memory of a block */

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

/* ------------------------------------------------------------------ random numbers */

/*
 * What blocks of Philox of one generation have in common. Their counters are (q, i, g, kind): in the first round, M1 g
 * is the same for all, and M0 q for all individuals i; in the second, one factor is the same for all individuals and
 * the other for all q; in the third, one factor is still the same for all individuals. So each thread is left with half
 * of a multiplication of round 2 for all blocks of an individual, with half of round 3 for each, and with rounds 4 to
 * 10.
 */
__device__ uint4 make_common(const uint32_t seed[2], uint32_t generation, uint32_t kind, uint32_t q)
{
    uint64_t first = (uint64_t)M0 * q;
    uint32_t c2 = (uint32_t)(first >> 32) ^ kind ^ seed[1];
    uint64_t second = (uint64_t)M1 * c2;
    uint32_t c0 = (uint32_t)(second >> 32) ^ M1 * generation ^ (seed[0] + W0);
    uint64_t third = (uint64_t)M0 * c0;

    return make_uint4((uint32_t)first ^ (seed[1] + W1), (uint32_t)second ^ (seed[0] + 2 * W0),
                      (uint32_t)(third >> 32) ^ (seed[1] + 2 * W1), (uint32_t)third);
}

/* Rounds 2 to 10. own: M0 times word 0 of the counter after round 1. */
__device__ __forceinline__ de_words finish_philox(uint64_t own, uint4 common, uint32_t key0, uint32_t key1)
{
    uint64_t p1 = (uint64_t)M1 * ((uint32_t)(own >> 32) ^ common.x), p0;
    uint32_t c0 = (uint32_t)(p1 >> 32) ^ common.y, c1 = (uint32_t)p1, c2 = common.z ^ (uint32_t)own, c3 = common.w;

#pragma unroll
    for (uint32_t round = 3; round < 10; round++) {
        p0 = (uint64_t)M0 * c0;
        p1 = (uint64_t)M1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ (key0 + round * W0);
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ (key1 + round * W1);
        c3 = (uint32_t)p0;
    }
    return { { c0, c1, c2, c3 } };
}

/* mask + bit if a < b. Written so that the multiply-add unit has the addition: the other one is the busier. */
__device__ __forceinline__ void add_if_less(uint32_t *mask, uint32_t a, uint32_t b, uint32_t one, uint32_t bit)
{
    asm("{ .reg .pred p; setp.lo.u32 p, %1, %2; @p mad.lo.u32 %0, %3, %4, %0; }"
        : "+r"(*mask) : "r"(a), "r"(b), "r"(one), "r"(bit));
}

/* Adds to the mask which of 8 coordinates are crossed, from bit `first` on. limit: CR in the upper half. one: 1. */
__device__ __forceinline__ void add_crossed(uint32_t *mask, uint32_t first, const de_words &words, uint32_t limit,
                                            uint32_t one)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        add_if_less(mask, words.w[k] << 16, limit, one, 1u << (first + 2 * k));
        add_if_less(mask, words.w[k], limit, one, 2u << (first + 2 * k));
    }
}

/* ------------------------------------------------------------------ values */

/* What an evaluation reads beside the individual: in shared memory. */
struct surface {
    const float *shift, *factor, *rotation;
    uint32_t dimension, quads, shifts;
};

__device__ __forceinline__ float4 sub(float4 a, float4 b)
{
    return make_float4(de_sub(a.x, b.x), de_sub(a.y, b.y), de_sub(a.z, b.z), de_sub(a.w, b.w));
}

template <int FUNCTION>
__device__ __forceinline__ de_sum add_coordinates(de_sum sum, const surface &s, uint32_t j, const float *z,
                                                 uint32_t count)
{
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (k < count)
            sum = de_sum_add(FUNCTION, sum, j + k, z[k], FUNCTION == DIFFEVO_GRIEWANK ? s.factor[j + k] : 0);
    return sum;
}

template <int FUNCTION, bool NARROW>
__device__ __forceinline__ float value_plain(const surface &s, const float *shift, char *population, uint32_t row)
{
    const float4 *shifts = reinterpret_cast<const float4 *>(shift);
    de_sum sum = de_sum_start();
    uint32_t full = s.dimension / 4;
    float4 z;

#pragma unroll 4
    for (uint32_t q = 0; q < full; q++) {
        z = sub(quad_of(population, quad_at<NARROW>(row, q)), shifts[q]);
        sum = add_coordinates<FUNCTION>(sum, s, 4 * q, &z.x, 4);
    }
    if (s.dimension % 4) {
        z = sub(quad_of(population, quad_at<NARROW>(row, full)), shifts[full]);
        sum = add_coordinates<FUNCTION>(sum, s, 4 * full, &z.x, s.dimension % 4);
    }
    return de_sum_end(FUNCTION, sum, s.dimension);
}

/* ROWS of R at once, so that what is read of the individual is used as often. */
template <int ROWS, bool NARROW>
__device__ __forceinline__ void rotate_rows(float z[ROWS], const surface &s, uint32_t first, const float *shift,
                                            char *population, uint32_t row)
{
    const float4 *shifts = reinterpret_cast<const float4 *>(shift);
    const float4 *rows[ROWS];
    uint32_t full = s.dimension / 4, rest = s.dimension % 4;

#pragma unroll
    for (int r = 0; r < ROWS; r++) { /* beyond the last row: the last one again */
        rows[r] = reinterpret_cast<const float4 *>(s.rotation) + min(first + r, s.dimension - 1) * s.quads;
        z[r] = 0;
    }
    for (uint32_t q = 0; q < full; q++) {
        float4 y = sub(quad_of(population, quad_at<NARROW>(row, q)), shifts[q]);

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float4 entry = rows[r][q];

            z[r] = de_rotate(z[r], entry.x, y.x);
            z[r] = de_rotate(z[r], entry.y, y.y);
            z[r] = de_rotate(z[r], entry.z, y.z);
            z[r] = de_rotate(z[r], entry.w, y.w);
        }
    }
    if (rest) {
        float4 y = sub(quad_of(population, quad_at<NARROW>(row, full)), shifts[full]);

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float4 entry = rows[r][full];

            z[r] = de_rotate(z[r], entry.x, y.x);
            z[r] = rest > 1 ? de_rotate(z[r], entry.y, y.y) : z[r];
            z[r] = rest > 2 ? de_rotate(z[r], entry.z, y.z) : z[r];
        }
    }
}

template <int FUNCTION, bool NARROW>
__device__ __forceinline__ float value_rotated(const surface &s, const float *shift, char *population, uint32_t row)
{
    const int ROWS = 8;
    de_sum sum = de_sum_start();

    for (uint32_t j = 0; j < s.dimension; j += ROWS) {
        float z[ROWS];

        rotate_rows<ROWS, NARROW>(z, s, j, shift, population, row);
#pragma unroll
        for (uint32_t k = 0; k < ROWS; k++)
            if (j + k < s.dimension)
                sum = de_sum_add(FUNCTION, sum, j + k, z[k], FUNCTION == DIFFEVO_GRIEWANK ? s.factor[j + k] : 0);
    }
    return de_sum_end(FUNCTION, sum, s.dimension);
}

/* The value of the row at that offset. */
template <int FUNCTION, bool NARROW, bool ROTATED>
__device__ __forceinline__ float value_of(const surface &s, char *population, uint32_t row)
{
    float value = 0;

    for (uint32_t k = 0; k < s.shifts; k++) {
        const float *shift = s.shift + k * 4 * s.quads;
        float one = ROTATED ? value_rotated<FUNCTION, NARROW>(s, shift, population, row)
                            : value_plain<FUNCTION, NARROW>(s, shift, population, row);

        value = k == 0 ? one : de_add(value, one);
    }
    return value;
}

template <bool NARROW, bool ROTATED>
__device__ __forceinline__ float evaluate(uint32_t function, const surface &s, char *population, uint32_t row)
{
    switch (function) {
    case DIFFEVO_SPHERE: return value_of<DIFFEVO_SPHERE, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_ROSENBROCK: return value_of<DIFFEVO_ROSENBROCK, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_RASTRIGIN: return value_of<DIFFEVO_RASTRIGIN, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_ACKLEY: return value_of<DIFFEVO_ACKLEY, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_GRIEWANK: return value_of<DIFFEVO_GRIEWANK, NARROW, ROTATED>(s, population, row);
    default: return value_of<DIFFEVO_SCHWEFEL, NARROW, ROTATED>(s, population, row);
    }
}

/* ------------------------------------------------------------------ a generation */

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
        surface s = { shift, factor, rotation, p.dimension, l.quads, p.shifts };
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

/* ------------------------------------------------------------------ few problems: a team of blocks for each */

/*
 * With fewer problems than multiprocessors only time is scarce: a generation is a chain, from the choice of three rows
 * to the last selection, and evolve() walks it with a few warps. Here a problem has all warps of a team of 2, 4, 8
 * or 16 blocks (a cluster), and what can leave the chain leaves it:
 *
 *   workers  make the trials of a generation, a lane a quad, and what each coordinate adds to the value (its terms);
 *            then a lane an individual adds the terms up, in order, and selects.
 *   drawers  at the same time draw all random numbers of the next generation, one lane per block of Philox.
 *
 * Individuals are dealt to the blocks in equal shares, `own` each. The population is in global memory, which means the
 * L2 cache: shared memory of other blocks answers 50 clocks earlier, but has less bandwidth. Which of its two rows an
 * individual is in, a bit, is known to all blocks: the block that selects writes it into the shared memory of all.
 *
 * A small problem has a team of one block, with the population in its shared memory: evolve_alone(), below.
 */
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
    uint32_t one; /* see arena */
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
    float t, w, e;

    switch (FUNCTION) {
    case DIFFEVO_RASTRIGIN:
    case DIFFEVO_ACKLEY: return make_float2(z, de_sinpi(z));
    case DIFFEVO_GRIEWANK: return make_float2(z, de_cospi_of_product(z, factor));
    case DIFFEVO_SCHWEFEL:
        t = de_add(z, 420.968746f);
        w = de_clamp(t, -500.0f, 500.0f);
        e = de_sub(t, w);
        return make_float2(de_fma(-w, de_sin(de_sqrt(w < 0.0f ? -w : w)), 418.982887f), e);
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
    return de_sum_end(FUNCTION, sum, dimension);
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

/* ------------------------------------------------------------------ small problems: a block each, rows in registers */

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
    return de_sum_end(FUNCTION, sum, s.dimension);
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
    return de_sum_end(FUNCTION, sum, s.dimension);
}

template <int FUNCTION, int QUADS, bool ROTATED>
__device__ __forceinline__ float value_in_lane(const surface &s, const float4 y[QUADS])
{
    return ROTATED ? value_of_rotated_quads<FUNCTION, QUADS>(s, y) : value_of_quads<FUNCTION, QUADS>(s, y);
}

template <int QUADS, bool ROTATED>
__device__ __forceinline__ float evaluate_in_lane(uint32_t function, const surface &s, const float4 y[QUADS])
{
    switch (function) {
    case DIFFEVO_SPHERE: return value_in_lane<DIFFEVO_SPHERE, QUADS, ROTATED>(s, y);
    case DIFFEVO_ROSENBROCK: return value_in_lane<DIFFEVO_ROSENBROCK, QUADS, ROTATED>(s, y);
    case DIFFEVO_RASTRIGIN: return value_in_lane<DIFFEVO_RASTRIGIN, QUADS, ROTATED>(s, y);
    case DIFFEVO_ACKLEY: return value_in_lane<DIFFEVO_ACKLEY, QUADS, ROTATED>(s, y);
    case DIFFEVO_GRIEWANK: return value_in_lane<DIFFEVO_GRIEWANK, QUADS, ROTATED>(s, y);
    default: return value_in_lane<DIFFEVO_SCHWEFEL, QUADS, ROTATED>(s, y);
    }
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
template <int QUADS, bool ROTATED>
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

    const float trial_value = evaluate_in_lane<QUADS, ROTATED>(p.function, s, y);
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
template <int QUADS, bool ROTATED>
__device__ __forceinline__ uint32_t evolve_alone(const diffevo_problem &p, const team_view &t)
{
    const surface s = { t.shift, t.factor, t.rotation, p.dimension, t.quads, 1 };
    const uint32_t k = threadIdx.x;
    float4 own[QUADS] = {};
    float value = 0;

    for (uint32_t g = 0;; g++) {
        bool reached = false;

        if (k < t.count)
            reached = advance<QUADS, ROTATED>(p, t, s, g, k, own, &value);
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

/* ------------------------------------------------------------------ a team's problem */

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
                        0xffffffffu / l.own + 1, team.workers, team.drawers, gridDim.y };

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
/* ------------------------------------------------------------------ classes of problems, and the host */

typedef void kernel(const diffevo_problem *, const int *, int, int *, const float *, char *, size_t, int, float,
                    diffevo_result *, float *);
typedef void team_kernel(const diffevo_problem *, const int *, int, team, const float *, char *, size_t,
                         diffevo_result *, float *);

/* Blocks that a multiprocessor has room for: the problems with the same entry are a class. */
static const int blocks_of_class[] = { 1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32 };
const int SHARED_CLASSES = sizeof blocks_of_class / sizeof blocks_of_class[0];
const int PLAIN_CLASSES = 2 * SHARED_CLASSES + 1; /* narrow, wide, and in global memory */
const int BLOCK_CLASSES = 2 * PLAIN_CLASSES;      /* without and with rotation */
const int TEAM_SIZES = 8;                         /* blocks alone with 1, 2, 4, 8 quads a row; teams of 2, 4, 8, 16 */
const int CLASSES = BLOCK_CLASSES + 2 * TEAM_SIZES;

/* Problems that are launched together. */
struct work {
    std::vector<int> order;            /* which problems, the longest first */
    uint32_t threads = 0, shared = 0;  /* of a block, the most that any needs; shared in bytes */
    size_t room = 0;                   /* bytes of a population in global memory */
    team together = {};                /* of a class of teams; workers and drawers the most that any needs */
    int grid = 0;                      /* blocks, or teams */
    size_t memory = 0;                 /* where its populations begin in global memory */
};

/* What is kept between calls. */
static struct {
    bool ready;
    uint32_t team_most; /* blocks of a team */
    int processors, shared_of_block, shared_of_processor, resident[CLASSES];
    cudaStream_t streams[CLASSES];
    char *buffer, *staging; /* on the device; page-locked on the host */
    size_t size, staging_size;
} device;

template <bool ROTATED> static kernel *kernel_of_class(int k)
{
    return k < SHARED_CLASSES       ? evolve<true, true, ROTATED>
           : k < 2 * SHARED_CLASSES ? evolve<false, true, ROTATED>
                                    : evolve<false, false, ROTATED>;
}

static kernel *kernel_of(int k)
{
    return k < PLAIN_CLASSES ? kernel_of_class<false>(k) : kernel_of_class<true>(k - PLAIN_CLASSES);
}

static bool is_team(int k) { return k >= BLOCK_CLASSES; }

static bool is_rotated(int k) { return is_team(k) ? k >= BLOCK_CLASSES + TEAM_SIZES : k >= PLAIN_CLASSES; }

static uint32_t blocks_of_team(int k)
{
    const int size = (k - BLOCK_CLASSES) % TEAM_SIZES;

    return size < 4 ? 1 : 2u << (size - 4);
}

template <bool ROTATED> static team_kernel *team_kernel_of_size(int size)
{
    return size == 0   ? evolve_by_teams<1, ROTATED>
           : size == 1 ? evolve_by_teams<2, ROTATED>
           : size == 2 ? evolve_by_teams<4, ROTATED>
           : size == 3 ? evolve_by_teams<8, ROTATED>
                       : evolve_by_teams<0, ROTATED>;
}

static team_kernel *team_kernel_of(int k)
{
    const int size = (k - BLOCK_CLASSES) % TEAM_SIZES;

    return is_rotated(k) ? team_kernel_of_size<true>(size) : team_kernel_of_size<false>(size);
}

static bool is_global(int k)
{
    return is_team(k) ? blocks_of_team(k) > 1 : k % PLAIN_CLASSES == PLAIN_CLASSES - 1;
}

/* At the process's end. A runtime that is already gone has freed it itself. */
static void release()
{
    cudaFree(device.buffer);
    cudaFreeHost(device.staging);
    for (cudaStream_t stream : device.streams)
        cudaStreamDestroy(stream);
}

/* Blocks of the largest team that the device can have, a power of two: 16 on an H100, where no part of it is closed. */
static uint32_t largest_team()
{
    cudaLaunchConfig_t config = {};
    uint32_t blocks = 1;
    int most;

    config.gridDim = dim3(16);
    config.blockDim = dim3(most_threads(0));
    config.dynamicSmemBytes = device.shared_of_block;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&most, (const void *)team_kernel_of(CLASSES - 1), &config));
    while (2 * blocks <= (uint32_t)std::min(most, 16))
        blocks *= 2;
    return blocks;
}

static void prepare()
{
    if (device.ready)
        return;
    CHECK(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&device.shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceGetAttribute(&device.shared_of_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    for (int k = 0; k < CLASSES; k++) {
        const void *function = is_team(k) ? (const void *)team_kernel_of(k) : (const void *)kernel_of(k);

        CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_of_block));
        if (is_team(k) && is_global(k))
            CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    device.team_most = largest_team();
    for (cudaStream_t &stream : device.streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    device.ready = true;
    std::atexit(release);
}

extern "C" void device_user_setup(void) { prepare(); }

/* ------------------------------------------------------------------ which problems get a team, and of what size */

static uint32_t whole_warps(uint32_t threads) { return (threads + 31) / 32 * 32; }

/* Threads of a team's blocks, at most `most`; no workers if they are too few. */
static team make_team(const diffevo_problem &p, uint32_t blocks, uint32_t most)
{
    const team_layout l = make_team_layout(p.dimension, p.population, p.rotation != DIFFEVO_NO_ROTATION, blocks);
    const uint32_t drawing = l.padded * (1 + l.eights), making = whole_warps(blocks == 1 ? l.own : l.own * l.quads);
    team t = { blocks, making, drawing };

    if (blocks == 1) { /* a lane an individual, and as many drawers as there is room for */
        t.workers = making + 32 <= most ? making : 0;
        t.drawers = std::min(drawing, most - t.workers);
    } else if (making + drawing > most) {
        t.drawers = std::min(drawing, most * 3 / 8 / 32 * 32);
        t.workers = std::min(making, most - t.drawers);
        t.drawers = std::min(drawing, most - t.workers);
    }
    return t;
}

/* Quads of a row that its lane has in registers: 1, 2, 4 or 8; 0 if a team of several blocks works on the problem. */
static int quads_of(const diffevo_problem &p, uint32_t blocks)
{
    return blocks > 1 ? 0 : p.dimension <= 4 ? 1 : p.dimension <= 8 ? 2 : p.dimension <= 16 ? 4 : 8;
}

/* Threads that a block can have at most if `each` of them share a multiprocessor. */
static uint32_t room_for_threads(const diffevo_problem &p, uint32_t blocks, uint32_t each)
{
    return most_threads(quads_of(p, blocks)) / each / 32 * 32;
}

/*
 * Whether a block alone is good for p if `each` such blocks share a multiprocessor: while its schedulers have few warps
 * each, latencies count and not instructions. To rotate 32 coordinates a lane would need too long.
 */
static bool is_for_one_block(const diffevo_problem &p, uint32_t each)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const uint32_t memory = make_team_layout(p.dimension, p.population, rotated, 1).total + 1024;
    const uint32_t lanes = whole_warps(p.population) * each;

    if (p.dimension > (rotated ? 16u : NARROW_D) || each * memory > (uint32_t)device.shared_of_processor)
        return false;
    return (p.dimension <= 8 ? each <= 8 && lanes <= 512 : lanes <= 256) &&
           make_team(p, 1, room_for_threads(p, 1, each)).workers > 0;
}

/*
 * The number of blocks of the team that is best for p, if `count` problems are like it; 0 if evolve() is better, which
 * is made for many problems: it leaves no room for waiting. All teams run at once, but where evolve() would have its
 * population in global memory: so many do not fit the L2 cache, and teams in turns are faster.
 */
static uint32_t team_for(const diffevo_problem &p, int count)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const uint32_t each = (uint32_t)((count + device.processors - 1) / device.processors);
    const uint32_t room = device.shared_of_block;
    const uint32_t shared = make_layout(p.dimension, p.population, p.shifts, rotated, THREADS_WIDE, true).total;
    const auto team_shared = [&](uint32_t n) { return make_team_layout(p.dimension, p.population, rotated, n).total; };
    uint32_t blocks = device.team_most;

    while (blocks > 1 && (uint64_t)blocks * count > (uint32_t)device.processors)
        blocks /= 2;
    if ((p.dimension <= 16 || blocks < 4) && is_for_one_block(p, each))
        return 1;
    if (shared > room)
        blocks = std::max(blocks, std::min(8u, device.team_most));
    while (blocks > 1 && blocks < device.team_most && team_shared(blocks) > room)
        blocks *= 2;
    return blocks > 1 && team_shared(blocks) <= room ? blocks : 0;
}

/* Operations of a problem, about. */
static uint64_t cost(const diffevo_problem &p)
{
    uint64_t evaluation = 8 * p.dimension + 64 +
                          (p.rotation == DIFFEVO_NO_ROTATION ? 0 : (uint64_t)p.dimension * p.dimension);

    return evaluation * p.population * (p.generations + 1);
}

/* The class of a problem whose block has `threads` threads. */
static int block_class(const diffevo_problem &p, uint32_t threads)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const layout l = make_layout(p.dimension, p.population, p.shifts, rotated, threads, true);
    const int blocks = device.shared_of_processor / (l.total + 1024);
    int k = PLAIN_CLASSES - 1;

    if (l.total <= (uint32_t)device.shared_of_block) {
        for (k = SHARED_CLASSES - 1; k > 0 && blocks_of_class[k] > blocks; k--)
            ;
        k += is_narrow(p.dimension) ? 0 : SHARED_CLASSES;
    }
    return k + (rotated ? PLAIN_CLASSES : 0);
}

static void add_to_blocks(work works[CLASSES], const diffevo_problem &p, int n)
{
    const uint32_t threads = threads_for(p.dimension, p.population);
    work &w = works[block_class(p, threads)];

    w.order.push_back(n);
    w.threads = std::max(w.threads, threads);
    w.room = std::max(w.room, (size_t)make_layout(p.dimension, p.population, 1, false, threads, false).population);
}

static void add_to_teams(work works[CLASSES], const diffevo_problem &p, int n, int count, uint32_t blocks)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const team_layout l = make_team_layout(p.dimension, p.population, rotated, blocks);
    const uint32_t each = (uint32_t)((count + device.processors - 1) / device.processors);
    const team t = make_team(p, blocks, room_for_threads(p, blocks, blocks > 1 ? 1 : each));
    int k = BLOCK_CLASSES + (rotated ? TEAM_SIZES : 0);

    while (blocks_of_team(k) < blocks || (blocks == 1 && 4u << (k - BLOCK_CLASSES) % TEAM_SIZES < p.dimension))
        k++;
    work &w = works[k];
    w.order.push_back(n);
    w.together = { blocks, std::max(w.together.workers, t.workers), std::max(w.together.drawers, t.drawers) };
    const uint32_t most = most_threads(quads_of(p, blocks));

    w.together.drawers = std::min(w.together.drawers, most - w.together.workers);
    w.threads = w.together.workers + w.together.drawers;
    w.shared = std::max(w.shared, l.total);
    w.room = std::max(w.room, (size_t)blocks * l.population);
}

static void sort_into_classes(work works[CLASSES], int mode, const diffevo_problem *problems, int count)
{
    std::vector<uint64_t> costs(count);

    for (int n = 0; n < count; n++) {
        const uint32_t blocks = mode == DIFFEVO_PRESCRIBED ? team_for(problems[n], count) : 0;

        costs[n] = cost(problems[n]);
        if (blocks > 0)
            add_to_teams(works, problems[n], n, count, blocks);
        else
            add_to_blocks(works, problems[n], n);
    }
    for (int k = 0; k < CLASSES; k++) {
        work &w = works[k];

        for (int n : w.order) { /* now that the block's size is known */
            const diffevo_problem &p = problems[n];

            if (!is_team(k))
                w.shared = std::max(w.shared, make_layout(p.dimension, p.population, p.shifts, is_rotated(k),
                                                          w.threads, !is_global(k)).total);
        }
        std::stable_sort(w.order.begin(), w.order.end(), [&costs](int a, int b) { return costs[a] > costs[b]; });
    }
}

/* ------------------------------------------------------------------ the call */

/* Bytes, rounded up so that what follows is aligned. */
static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* The grids of all classes. Returns how many bytes of global memory their populations take. */
static size_t plan_grids(work works[CLASSES])
{
    size_t room = 0;

    for (int k = 0; k < CLASSES; k++) {
        work &w = works[k];
        int resident = 0;

        w.grid = (int)w.order.size();
        if (is_team(k) && is_global(k) && w.grid > 0)
            w.grid = std::min(w.grid, std::max(1, device.processors / (int)w.together.blocks));
        if (!is_team(k) && is_global(k) && w.grid > 0) { /* no more blocks than there are populations in memory */
            CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_of(k), w.threads, w.shared));
            w.grid = std::min(w.grid, resident * device.processors);
        }
        w.memory = room;
        room += is_global(k) ? aligned(w.room) * w.grid : 0;
    }
    return room;
}

static void launch_team(int k, const work &w, const diffevo_problem *problems, const int *order, const float *data,
                        char *memory, diffevo_result *results, float *best_x)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = { w.together.blocks, 1, 1 };
    config.gridDim = dim3(w.grid * w.together.blocks);
    config.blockDim = dim3(w.threads);
    config.dynamicSmemBytes = w.shared;
    config.stream = device.streams[k];
    config.attrs = &cluster;
    config.numAttrs = w.together.blocks > 1;
    CHECK(cudaLaunchKernelEx(&config, team_kernel_of(k), problems, order, (int)w.order.size(), w.together, data,
                             memory, aligned(w.room), results, best_x));
}

/* Where things are in the buffer on the device: the input, the output, the populations. Offsets in bytes. */
struct places {
    size_t problems, order, data, input_end; /* an input without its data, then the data */
    size_t results, x, output_end;
    size_t populations, total;
};

static places find_places(const diffevo_problem *problems, int count, size_t orders, size_t room)
{
    size_t data_count = 0, x_count = 0;
    places at = {};

    for (int n = 0; n < count; n++) {
        const diffevo_problem &p = problems[n];
        size_t end = p.shift + (size_t)p.shifts * p.dimension;

        if (p.rotation != DIFFEVO_NO_ROTATION)
            end = std::max(end, p.rotation + (size_t)p.dimension * p.dimension);
        data_count = std::max(data_count, end);
        x_count += p.dimension;
    }
    at.order = aligned(count * sizeof *problems);
    at.data = at.order + aligned(orders * sizeof(int));
    at.input_end = at.data + data_count * sizeof(float);
    at.results = aligned(at.input_end);
    at.x = at.results + aligned(count * sizeof(diffevo_result));
    at.output_end = at.x + x_count * sizeof(float);
    at.populations = aligned(at.output_end);
    at.total = at.populations + room;
    return at;
}

/* Makes room on the device, and page-locked on the host for what is copied together. */
static void make_room(const places &at)
{
    const size_t staged = std::max(at.data, at.output_end - at.results) + STAGED;

    if (at.total > device.size) {
        CHECK(cudaFree(device.buffer));
        CHECK(cudaMalloc(&device.buffer, at.total));
        device.size = at.total;
    }
    if (staged > device.staging_size) {
        CHECK(cudaFreeHost(device.staging));
        CHECK(cudaMallocHost(&device.staging, staged));
        device.staging_size = staged;
    }
}

/* A copy costs about 8 us, however small: short inputs go in one, and results and vectors come back in one. */
static void copy_in(const places &at, const diffevo_problem *problems, int count, const std::vector<int> &order,
                    const float *data, cudaStream_t stream)
{
    const size_t bytes = at.input_end - at.data;
    const bool one = bytes <= STAGED;

    std::memcpy(device.staging, problems, count * sizeof *problems);
    std::memcpy(device.staging + at.order, order.data(), order.size() * sizeof(int));
    if (one)
        std::memcpy(device.staging + at.data, data, bytes);
    else
        CHECK(cudaMemcpyAsync(device.buffer + at.data, data, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(device.buffer, device.staging, one ? at.input_end : at.data, cudaMemcpyHostToDevice,
                          stream));
}

static void copy_out(const places &at, int mode, int count, diffevo_result *results, float *best_x,
                     cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(device.staging, device.buffer + at.results, at.output_end - at.results,
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::memcpy(best_x, device.staging + (at.x - at.results), at.output_end - at.x);
    if (mode != DIFFEVO_OPEN)
        std::memcpy(results, device.staging, count * sizeof(diffevo_result));
}

static void launch(int k, const work &w, int mode, const places &at, const int *order, int *taken)
{
    char *b = device.buffer;
    const diffevo_problem *problems = reinterpret_cast<diffevo_problem *>(b);
    const float *data = reinterpret_cast<float *>(b + at.data);
    diffevo_result *results = reinterpret_cast<diffevo_result *>(b + at.results);
    float *best_x = reinterpret_cast<float *>(b + at.x);
    char *memory = b + at.populations + w.memory;

    if (is_team(k))
        launch_team(k, w, problems, order, data, memory, results, best_x);
    else
        kernel_of(k)<<<w.grid, w.threads, w.shared, device.streams[k]>>>(
            problems, order, (int)w.order.size(), taken, data, memory, aligned(w.room),
            mode == DIFFEVO_OPEN ? STARTS : 1, mode == DIFFEVO_OPEN ? AIM : 1.0f, results, best_x);
    CHECK(cudaGetLastError());
}

extern "C" void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    work works[CLASSES];
    std::vector<int> order;
    int used = 0, first_used = 0, first = 0;

    prepare();
    sort_into_classes(works, mode, problems, count);
    const size_t room = plan_grids(works);

    for (int k = CLASSES - 1; k >= 0; k--)
        if (works[k].grid > 0) {
            first_used = k;
            used++;
        }
    for (const work &w : works)
        order.insert(order.end(), w.order.begin(), w.order.end());
    for (const work &w : works) /* behind it, how many problems each class has taken: so many blocks, each one */
        order.push_back(w.grid);

    const places at = find_places(problems, count, order.size(), room);
    cudaStream_t stream = device.streams[first_used]; /* also of the copies */

    make_room(at);
    copy_in(at, problems, count, order, data, stream);
    if (used > 1)
        CHECK(cudaStreamSynchronize(stream));

    int *device_order = reinterpret_cast<int *>(device.buffer + at.order);

    for (int k = 0; k < CLASSES; k++) {
        if (works[k].grid > 0)
            launch(k, works[k], mode, at, device_order + first, device_order + count + k);
        first += (int)works[k].order.size();
    }
    if (used > 1)
        CHECK(cudaDeviceSynchronize());
    copy_out(at, mode, count, results, best_x, stream);
}
