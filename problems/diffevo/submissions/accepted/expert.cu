/*
 * The expert: a block carries out one optimisation, all generations in one kernel, with the population in shared
 * memory.
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
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
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

/* ------------------------------------------------------------------ classes of problems, and the host */

typedef void kernel(const diffevo_problem *, const int *, int, int *, const float *, char *, size_t, int, float,
                    diffevo_result *, float *);

/* Blocks that a multiprocessor has room for: the problems with the same entry are a class. */
static const int blocks_of_class[] = { 1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32 };
const int SHARED_CLASSES = sizeof blocks_of_class / sizeof blocks_of_class[0];
const int PLAIN_CLASSES = 2 * SHARED_CLASSES + 1; /* narrow, wide, and in global memory */
const int CLASSES = 2 * PLAIN_CLASSES;            /* without and with rotation */

/* Problems that are launched together. */
struct work {
    std::vector<int> order;            /* which problems, the longest first */
    uint32_t threads = 0, shared = 0;  /* of a block, the most that any needs; shared in bytes */
    size_t room = 0;                   /* bytes of a population in global memory */
};

/* What is kept between calls. */
static struct {
    bool ready;
    int processors, shared_of_block, shared_of_processor, resident[CLASSES];
    cudaStream_t streams[CLASSES];
    char *buffer; /* on the device */
    size_t size;
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

static bool is_global(int k) { return k % PLAIN_CLASSES == PLAIN_CLASSES - 1; }

/* At the process's end. A runtime that is already gone has freed it itself. */
static void release()
{
    cudaFree(device.buffer);
    for (cudaStream_t stream : device.streams)
        cudaStreamDestroy(stream);
}

static void prepare()
{
    if (device.ready)
        return;
    CHECK(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&device.shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceGetAttribute(&device.shared_of_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    for (int k = 0; k < CLASSES; k++)
        CHECK(cudaFuncSetAttribute(kernel_of(k), cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_of_block));
    for (cudaStream_t &stream : device.streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    device.ready = true;
    std::atexit(release);
}

extern "C" void device_user_setup(void) { prepare(); }

/* Operations of a problem, about. */
static uint64_t cost(const diffevo_problem &p)
{
    uint64_t evaluation = 8 * p.dimension + 64 +
                          (p.rotation == DIFFEVO_NO_ROTATION ? 0 : (uint64_t)p.dimension * p.dimension);

    return evaluation * p.population * (p.generations + 1);
}

static void sort_into_classes(work works[CLASSES], const diffevo_problem *problems, int count)
{
    std::vector<uint64_t> costs(count);

    for (int n = 0; n < count; n++) {
        const diffevo_problem &p = problems[n];
        uint32_t threads = threads_for(p.dimension, p.population);
        bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
        layout l = make_layout(p.dimension, p.population, p.shifts, rotated, threads, true);
        int k = PLAIN_CLASSES - 1;

        costs[n] = cost(p);
        if (l.total <= (uint32_t)device.shared_of_block) {
            int blocks = device.shared_of_processor / (l.total + 1024);

            for (k = SHARED_CLASSES - 1; k > 0 && blocks_of_class[k] > blocks; k--)
                ;
            k += is_narrow(p.dimension) ? 0 : SHARED_CLASSES;
        } else {
            l = make_layout(p.dimension, p.population, p.shifts, rotated, threads, false);
        }
        k += rotated ? PLAIN_CLASSES : 0;
        work &w = works[k];
        w.order.push_back(n);
        w.threads = std::max(w.threads, threads);
        w.room = std::max(w.room, (size_t)l.population);
    }
    for (int k = 0; k < CLASSES; k++) {
        bool in_shared = !is_global(k);

        for (int n : works[k].order) { /* now that the block's size is known */
            const diffevo_problem &p = problems[n];
            layout l = make_layout(p.dimension, p.population, p.shifts, p.rotation != DIFFEVO_NO_ROTATION,
                                   works[k].threads, in_shared);

            works[k].shared = std::max(works[k].shared, l.total);
        }
        std::stable_sort(works[k].order.begin(), works[k].order.end(),
                         [&costs](int a, int b) { return costs[a] > costs[b]; });
    }
}

/* Bytes, rounded up so that what follows is aligned. */
static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

extern "C" void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    size_t data_count = 0, x_count = 0;
    work works[CLASSES];
    std::vector<int> order;

    prepare();
    for (int n = 0; n < count; n++) {
        const diffevo_problem &p = problems[n];
        size_t end = p.shift + (size_t)p.shifts * p.dimension;

        if (p.rotation != DIFFEVO_NO_ROTATION)
            end = std::max(end, p.rotation + (size_t)p.dimension * p.dimension);
        data_count = std::max(data_count, end);
        x_count += p.dimension;
    }
    sort_into_classes(works, problems, count);
    for (const work &w : works)
        order.insert(order.end(), w.order.begin(), w.order.end());
    order.resize(count + CLASSES); /* behind it, how many problems each class has taken: so many blocks, each one */

    int grids[CLASSES];
    size_t rooms[CLASSES], room = 0; /* where the populations of a class begin in global memory; bytes of all */

    for (int k = 0; k < CLASSES; k++) {
        const work &w = works[k];
        int resident = 0;

        grids[k] = (int)w.order.size();
        if (is_global(k) && grids[k] > 0) { /* no more blocks than there are populations in memory */
            CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_of(k), w.threads, w.shared));
            grids[k] = std::min(grids[k], resident * device.processors);
        }
        rooms[k] = room;
        room += is_global(k) ? aligned(w.room) * grids[k] : 0;
        order[count + k] = grids[k];
    }

    size_t problems_at = 0, data_at = aligned(count * sizeof *problems);
    size_t order_at = data_at + aligned(data_count * sizeof *data);
    size_t results_at = order_at + aligned(order.size() * sizeof(int));
    size_t x_at = results_at + aligned(count * sizeof(diffevo_result));
    size_t memory_at = x_at + aligned(x_count * sizeof(float)), size = memory_at + room;

    if (size > device.size) {
        CHECK(cudaFree(device.buffer));
        CHECK(cudaMalloc(&device.buffer, size));
        device.size = size;
    }
    char *b = device.buffer;

    CHECK(cudaMemcpy(b + problems_at, problems, count * sizeof *problems, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b + data_at, data, data_count * sizeof *data, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b + order_at, order.data(), order.size() * sizeof(int), cudaMemcpyHostToDevice));

    int *device_order = reinterpret_cast<int *>(b + order_at), *taken = device_order + count, first = 0;

    for (int k = 0; k < CLASSES; k++) {
        const work &w = works[k];

        if (grids[k] == 0)
            continue;
        kernel_of(k)<<<grids[k], w.threads, w.shared, device.streams[k]>>>(
            reinterpret_cast<diffevo_problem *>(b + problems_at), device_order + first, (int)w.order.size(), taken + k,
            reinterpret_cast<float *>(b + data_at), b + memory_at + rooms[k], aligned(w.room),
            mode == DIFFEVO_OPEN ? STARTS : 1, mode == DIFFEVO_OPEN ? AIM : 1.0f,
            reinterpret_cast<diffevo_result *>(b + results_at),
            reinterpret_cast<float *>(b + x_at));
        CHECK(cudaGetLastError());
        first += (int)w.order.size();
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(best_x, b + x_at, x_count * sizeof(float), cudaMemcpyDeviceToHost));
    if (mode != DIFFEVO_OPEN)
        CHECK(cudaMemcpy(results, b + results_at, count * sizeof(diffevo_result), cudaMemcpyDeviceToHost));
}
