/*
 * The expert: one kernel for all generations. Prescribed league.
 *
 * A generation is a chain: each of the n steps of a walk needs the city before, and the next generation needs them all.
 * So what counts is how long a step takes from one city to the next, and what lies between two walks.
 *
 *   walk      a warp a tour, all tours at the same time. The generator is in shared memory; a lane has RUN cities side
 *             by side, so one load gives a warp its row. From one city to the next there is no branch that waits for
 *             what was just computed.
 *   select    tours are good and bad below and above two thresholds, which every block finds on its own: by radix, with
 *             the first 11 bits of the lengths, then among the few that share them. Nothing is sorted. Where tours are
 *             few, the rank of each is counted instead.
 *   update    a block owns some rows. A tour is kept as "who follows whom", so that a row's counts are read off the
 *             selected tours, into a histogram in shared memory.
 *
 * The whole grid meets twice a generation: when all lengths are known, and when all rows are. Then every block fetches
 * the generator anew, if it fits its shared memory (n up to about 215); beyond, rows are read through the L2 cache.
 *
 * Small instances take one block, which needs no grid's barrier and keeps the generator in its shared memory. The same
 * kernel can carry out many runs, a block each: run_all(), which bench_gpu.cu calls.
 */
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cointsp_bits.h"
#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

#define ALL 0xffffffffu

/* What the kernel works on; all pointers are the device's, those of run 0: run r's are r * stride bytes further. */
struct coin {
    cointsp_case c;                  /* all runs', but for the key */
    const uint32_t *keys;            /* [runs][2] */
    const int32_t *distance;         /* [n][n], all runs' */
    size_t stride;                   /* bytes of a run */
    cointsp_generation *generations; /* [G] */
    int32_t *best_tour;              /* [n] */
    uint32_t *generator;             /* [n][width] */
    uint16_t *tours, *followers;     /* [P][n]: city number s; the city after city i */
    int32_t *lengths;                /* [P] */
    uint32_t walkers;                /* warps of a block that walk; all of them select and update */
    uint32_t area;                   /* bytes of shared memory behind the warps' tours */
    uint32_t chunk;                  /* rows whose counts fit there beside what the selection leaves */
    bool together;                   /* the grid works on one run; else every block has its own */
    bool kept;                       /* a block keeps its run's generator in shared memory, before that area */
};

__device__ __forceinline__ void meet(const coin &coin)
{
    if (coin.together)
        cooperative_groups::this_grid().sync();
    else
        __syncthreads();
}

/*
 * A stored row has 32 RUN numbers, lane l has cities l RUN to l RUN + RUN - 1. Up to four of them are one load, and so
 * lie in order; of more, every four are 128 numbers from the next four, which keeps a load free of bank conflicts.
 */
template <int RUN> __device__ __forceinline__ uint32_t place_of(uint32_t city)
{
    return RUN <= 4 ? city : city % RUN / 4 * 128 + city / RUN * 4 + city % 4;
}

/* A lane's numbers of a row, past the first-level cache unless they are in shared memory. */
template <int RUN, bool RESIDENT>
__device__ __forceinline__ void load_run(uint32_t cells[RUN], const uint32_t *row, uint32_t lane)
{
    if (RUN == 1) {
        const uint32_t *from = row + lane;
        cells[0] = RESIDENT ? *from : __ldcg(from);
    } else if (RUN == 2) {
        const uint2 *from = reinterpret_cast<const uint2 *>(row) + lane;
        uint2 two = RESIDENT ? *from : __ldcg(from);
        cells[0] = two.x;
        cells[1 % RUN] = two.y;
    } else {
#pragma unroll
        for (int b = 0; b < RUN; b += 4) {
            const uint4 *from = reinterpret_cast<const uint4 *>(row) + b * 8 + lane;
            uint4 four = RESIDENT ? *from : __ldcg(from);
            cells[b] = four.x;
            cells[(b + 1) % RUN] = four.y;
            cells[(b + 2) % RUN] = four.z;
            cells[(b + 3) % RUN] = four.w;
        }
    }
}

/* ------------------------------------------------------------------ walk */

struct sums {
    uint32_t before, total; /* over the lanes before this one, over all */
};

/* One level: groups of `width` lanes become groups of 4 width. Three shuffles that do not wait for each other. */
__device__ __forceinline__ void join_four(sums *s, uint32_t lane, int width)
{
    const uint32_t odd = 0u - (lane / width & 1), upper = 0u - (lane / width >> 1 & 1);
    const uint32_t one = __shfl_xor_sync(ALL, s->total, width), two = __shfl_xor_sync(ALL, s->total, 2 * width);
    const uint32_t three = __shfl_xor_sync(ALL, s->total, 3 * width);

    s->before += (one & odd) + ((two + three) & upper);
    s->total += one + two + three;
}

/* Two levels of four and one of two: 5 levels of two wait longer, and a reduction for the total as long as two. */
__device__ __forceinline__ sums scan(uint32_t sum)
{
    const uint32_t lane = threadIdx.x % 32;
    sums s = { 0, sum };

    join_four(&s, lane, 1);
    join_four(&s, lane, 4);
    uint32_t other = __shfl_xor_sync(ALL, s.total, 16);
    s.before += lane < 16 ? 0 : other;
    s.total += other;
    return s;
}

/* upto[b] is the sum of cells[0 ... b]. By quads, so that the last one waits for few others. */
template <int RUN> __device__ __forceinline__ void add_up(uint32_t upto[RUN], const uint32_t cells[RUN])
{
    uint32_t base = 0;

#pragma unroll
    for (int q = 0; q < RUN; q += 4) {
        uint32_t sum = 0;

#pragma unroll
        for (int b = q; b < q + 4 && b < RUN; b++) {
            sum += cells[b];
            upto[b] = base + sum;
        }
        base += sum;
    }
}

/* How many of upto[0 ... RUN - 2] are at most `threshold`. */
template <int RUN> __device__ __forceinline__ uint32_t count_passed(const uint32_t upto[RUN], uint32_t threshold)
{
    uint32_t counts[4] = {};

#pragma unroll
    for (int b = 0; b < RUN - 1; b++)
        counts[b % 4] += threshold >= upto[b];
    return counts[0] + counts[1] + (counts[2] + counts[3]);
}

/* What a lane knows of the cities left: those of its own as bits, how many lanes before have, and all. */
struct left {
    uint32_t own, before, all;
};

/* The cities of `lane`, out of n, before any is visited. */
template <int RUN> __device__ __forceinline__ left all_left(uint32_t lane, uint32_t n)
{
    const uint32_t first = min(lane * RUN, n), own = min((uint32_t)RUN, n - first);

    return { own == 32 ? ALL : (1u << own) - 1, first, n };
}

template <int RUN> __device__ __forceinline__ void visit(left *left, uint32_t lane, uint32_t city)
{
    left->own &= ~((uint32_t)(city / RUN == lane) << city % RUN);
    left->before -= city / RUN < lane;
    left->all--;
}

template <int RUN> __device__ __forceinline__ void keep_left(uint32_t cells[RUN], uint32_t own)
{
#pragma unroll
    for (int b = 0; b < RUN; b++)
        cells[b] &= 0u - (own >> b & 1);
}

/*
 * Whether this lane has the next city after `random` is drawn; then *city is that. upto: of the cells that are left; s:
 * of all lanes. Where the total is 0, every city left weighs 1. That is no branch: a branch on what has just been
 * computed takes 50 clocks.
 */
template <int RUN>
__device__ __forceinline__ bool has_next(uint32_t upto[RUN], sums s, uint32_t random, const left &left, uint32_t lane,
                                         uint32_t *city)
{
    const uint32_t by_weight = __umulhi(random, s.total) - s.before; /* wraps where it lies before this lane */
    const uint32_t by_count = __umulhi(random, left.all) - left.before;
    const bool zero = s.total == 0;
    const uint32_t threshold = zero ? by_count : by_weight;
    uint32_t ones[RUN], counts[RUN];

#pragma unroll
    for (int b = 0; b < RUN; b++)
        ones[b] = left.own >> b & 1;
    add_up<RUN>(counts, ones);
#pragma unroll
    for (int b = 0; b < RUN; b++)
        upto[b] = zero ? counts[b] : upto[b];
    *city = lane * RUN + count_passed<RUN>(upto, threshold);
    return threshold < upto[RUN - 1];
}

/* *place = city if `mine`, in shared memory, without a branch. */
__device__ __forceinline__ void put_city(uint16_t *place, uint32_t city, bool mine)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.shared.u16 [%0], %1; }"
                 : : "r"((uint32_t)__cvta_generic_to_shared(place)), "h"((uint16_t)city), "r"((uint32_t)mine)
                 : "memory");
}

__device__ __forceinline__ uint32_t get_city(const uint16_t *place)
{
    return *(const volatile uint16_t *)place;
}

/*
 * The same with branches, for a lane of one city, where they are short, and of 16 or 32, where there are no registers
 * for both cases. The city goes to *place, and leaves *left.
 */
template <int RUN>
__device__ __forceinline__ void put_next(uint32_t upto[RUN], uint32_t random, uint32_t *left, uint32_t lane,
                                         volatile uint16_t *place)
{
    sums s = scan(upto[RUN - 1]);

    if (s.total == 0) { /* every city that is left weighs 1 */
        uint32_t ones[RUN];

#pragma unroll
        for (int b = 0; b < RUN; b++)
            ones[b] = *left >> b & 1;
        add_up<RUN>(upto, ones);
        s = scan(upto[RUN - 1]);
    }

    const uint32_t threshold = __umulhi(random, s.total) - s.before;

    if (threshold < upto[RUN - 1]) {
        uint32_t index = count_passed<RUN>(upto, threshold);

        *place = (uint16_t)(lane * RUN + index);
        *left &= ~(1u << index);
    }
}

/* What is known of tour p once all its cities are: by `threads` threads, this one being number `thread`. */
__device__ __forceinline__ uint32_t write_tour(const coin &coin, uint32_t p, const uint16_t *cities, uint32_t thread,
                                               uint32_t threads)
{
    const uint32_t n = coin.c.n;
    uint16_t *tour = coin.tours + (size_t)p * n, *followers = coin.followers + (size_t)p * n;
    uint32_t length = 0;

    for (uint32_t s = thread; s < n; s += threads) {
        uint32_t from = cities[s], to = cities[s + 1 < n ? s + 1 : 0];

        tour[s] = (uint16_t)from;
        followers[from] = (uint16_t)to;
        length += (uint32_t)coin.distance[from * n + to];
    }
    return __reduce_add_sync(ALL, length);
}

/*
 * Tour p by a warp. generator: its rows, in shared memory if RESIDENT. cities [n]: the warp's, in shared memory. The
 * lane that has the next city tells the others through `cities`, which takes less time than a reduction.
 */
template <int RUN, bool RESIDENT>
__device__ __forceinline__ void walk(const coin &coin, const uint32_t key[2], const uint32_t *generator, uint32_t g,
                                     uint32_t p, uint16_t *cities)
{
    const uint32_t n = coin.c.n, lane = threadIdx.x % 32;
    left left = all_left<RUN>(lane, n);
    const uint32_t source = left.own ? lane : 0; /* a lane without cities reads those of another */
    uint32_t words[4], cells[RUN], upto[RUN], city = 0;

    for (uint32_t quarter = 0; 4 * quarter < n; quarter++) {
        if (quarter % 32 == 0) /* the words of 128 steps, four a lane */
            cointsp_random_block(key, g, p, quarter + lane, words);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t step = 4 * quarter + k, word = __shfl_sync(ALL, words[k], quarter % 32);
            if (step >= n)
                break;
            if (step == 0) {
                city = __umulhi(word, n);
                put_city(cities, city, lane == 0);
                visit<RUN>(&left, lane, city);
                continue;
            }
            load_run<RUN, RESIDENT>(cells, generator + city * (32 * RUN), source);
            keep_left<RUN>(cells, left.own);
            add_up<RUN>(upto, cells);
            if constexpr (RUN == 1 || RUN >= 16) {
                put_next<RUN>(upto, word, &left.own, lane, cities + step);
            } else {
                bool mine = has_next<RUN>(upto, scan(upto[RUN - 1]), word, left, lane, &city);

                put_city(cities + step, city, mine);
            }
            __syncwarp();
            city = get_city(cities + step);
            if (RUN > 1 && RUN < 16)
                visit<RUN>(&left, lane, city);
        }
    }
    __syncwarp();

    uint32_t length = write_tour(coin, p, cities, lane, 32);

    if (lane == 0)
        coin.lengths[p] = (int32_t)length;
    __syncwarp();
}

/* ------------------------------------------------------------------ select */

const uint32_t DIGIT = 11, BINS = 1u << DIGIT; /* most tours then have a bin of their own */
const uint32_t FEW = 32;
const uint32_t RANKED = 128; /* up to so many tours are ranked one by one */
const uint32_t ALONE = 16, ALONE_N = 64; /* one block has all: up to so many tours, of so many cities */

/* A search for the tour of a rank, the order being by `bits`: (length - the shortest) * 2^b + p. In shared memory. */
struct search {
    unsigned long long prefix; /* the bits so far: those above the lowest `shift` */
    uint32_t shift;
    uint32_t rank, count; /* among the tours that have the prefix; how many those are */
    uint32_t listed;      /* how many of them are in `few` */
    bool done;            /* all tours with this prefix belong to the group */
};

__device__ __forceinline__ bool is_narrowed(const search &s) { return s.done || s.count <= FEW; }

/* What a block knows of a generation. */
struct selection {
    search searches[2]; /* 0: of the last good tour, 1: of the first bad one */
    unsigned long long few[2][FEW];
    uint32_t shortest, longest, best; /* lengths; the first tour that has the shortest */
    uint32_t taken[2];
};

__device__ __forceinline__ unsigned long long bits_of(uint32_t length, uint32_t p, uint32_t index_bits)
{
    return (unsigned long long)length << index_bits | p;
}

/* The bin that has the tour of rank *rank, by a warp; *rank becomes that in the bin. bins: 32 COUNT of them. */
template <uint32_t COUNT> __device__ uint32_t find_bin(const uint32_t *bins, uint32_t *rank)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t sum = 0;

#pragma unroll 16
    for (uint32_t b = 0; b < COUNT; b++)
        sum += bins[lane * COUNT + (b + lane) % COUNT]; /* each lane from another bank */

    uint32_t inside = *rank - scan(sum).before; /* wraps where the rank lies before */
    uint32_t owner = __ffs(__ballot_sync(ALL, inside < sum)) - 1;

    *rank = __shfl_sync(ALL, inside, owner);
    if (COUNT <= 1)
        return owner;
    return owner * COUNT + find_bin<COUNT / 32>(bins + owner * COUNT, rank);
}

/* 64 bins, two a lane: the end of the above. */
template <> __device__ uint32_t find_bin<2>(const uint32_t *bins, uint32_t *rank)
{
    const uint32_t lane = threadIdx.x % 32, first = bins[2 * lane], sum = first + bins[2 * lane + 1];
    uint32_t inside = *rank - scan(sum).before, owner = __ffs(__ballot_sync(ALL, inside < sum)) - 1;
    uint32_t second = __shfl_sync(ALL, (uint32_t)(inside >= first), owner);

    *rank = __shfl_sync(ALL, inside >= first ? inside - first : inside, owner);
    return 2 * owner + second;
}

/* One digit further, by a warp. which: the search; bins [BINS]: how many tours have its prefix and which digit. */
__device__ void advance(search *own, uint32_t which, const uint32_t *bins, uint32_t digit)
{
    uint32_t rank = own->rank, bin = find_bin<BINS / 32>(bins, &rank), count = bins[bin];

    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        own->prefix = own->prefix << digit | bin;
        own->shift -= digit;
        own->rank = rank;
        own->count = count;
        own->done = own->shift == 0 || (which == 0 ? rank + 1 == count : rank == 0);
    }
}

/* The end of a search, by a warp: `few` are all that have its prefix. */
__device__ void rank_few(search *own, const unsigned long long *few)
{
    const uint32_t lane = threadIdx.x % 32, count = own->count, rank = own->rank;
    uint32_t before = 0;

    for (uint32_t k = 0; k < count; k++)
        before += lane < count && few[k] < few[lane];
    __syncwarp();
    if (lane < count && before == rank) {
        own->prefix = few[lane];
        own->shift = 0;
        own->done = true;
    }
}

/*
 * Finds the good and the bad tours: selected[0 ... j) and selected[j ... 2 j), each in any order; and s->best and
 * s->shortest. By a block. Shared memory to work in: lengths [P], bins [2][BINS].
 */
__device__ void select_tours(const coin &coin, selection *s, uint32_t *lengths, uint16_t *selected, uint32_t *bins)
{
    const uint32_t population = coin.c.population, j = coin.c.selected;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t index_bits = 32 - __clz(population - 1);
    uint32_t low = ALL, high = 0;

    if (threadIdx.x == 0) {
        s->shortest = s->best = ALL;
        s->longest = 0;
        s->taken[0] = s->taken[1] = 0;
    }
    __syncthreads();
#pragma unroll 4
    for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
        uint32_t length = (uint32_t)__ldcg(coin.lengths + p);

        lengths[p] = length;
        low = min(low, length);
        high = max(high, length);
    }
    low = __reduce_min_sync(ALL, low);
    high = __reduce_max_sync(ALL, high);
    if (lane == 0) {
        atomicMin(&s->shortest, low);
        atomicMax(&s->longest, high);
    }
    for (uint32_t b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    const uint32_t shortest = s->shortest, range = s->longest - shortest, total = 32 - __clz(range) + index_bits;

    if (threadIdx.x < 2)
        s->searches[threadIdx.x] = { 0, total, threadIdx.x == 0 ? j - 1 : population - j, population, 0, false };
    for (uint32_t shift = total; shift > 0;) {
        const uint32_t digit = min(DIGIT, shift), rest = shift - digit;
        const bool common = shift == total; /* neither has a prefix: one histogram does */

        if (!common)
            for (uint32_t b = threadIdx.x; b < 2 * BINS; b += blockDim.x)
                bins[b] = 0;
        __syncthreads();

        const search first = s->searches[0], second = s->searches[1];

#pragma unroll 4
        for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
            unsigned long long bits = bits_of(lengths[p] - shortest, p, index_bits);
            uint32_t bin = (uint32_t)(bits >> rest) & ((1u << digit) - 1);

            if (common && lengths[p] == shortest)
                atomicMin(&s->best, p);
            if (!first.done && bits >> shift == first.prefix)
                atomicAdd(&bins[bin], 1u);
            if (!common && !second.done && bits >> shift == second.prefix)
                atomicAdd(&bins[BINS + bin], 1u);
        }
        __syncthreads();
        if (warp < 2 && !s->searches[warp].done)
            advance(&s->searches[warp], warp, bins + (common ? 0 : warp * BINS), digit);
        __syncthreads();
        shift = rest;
        if (is_narrowed(s->searches[0]) && is_narrowed(s->searches[1]))
            break;
    }

    const search first = s->searches[0], second = s->searches[1];

    if (!first.done || !second.done) {
#pragma unroll 4
        for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
            unsigned long long bits = bits_of(lengths[p] - shortest, p, index_bits);

            if (!first.done && bits >> first.shift == first.prefix)
                s->few[0][atomicAdd(&s->searches[0].listed, 1u)] = bits;
            if (!second.done && bits >> second.shift == second.prefix)
                s->few[1][atomicAdd(&s->searches[1].listed, 1u)] = bits;
        }
        __syncthreads();
        if (warp < 2 && !s->searches[warp].done)
            rank_few(&s->searches[warp], s->few[warp]);
        __syncthreads();
    }

    const search good = s->searches[0], bad = s->searches[1];

#pragma unroll 4
    for (uint32_t p = threadIdx.x; p < population; p += blockDim.x) {
        unsigned long long bits = bits_of(lengths[p] - shortest, p, index_bits);

        if (bits >> good.shift <= good.prefix)
            selected[atomicAdd(&s->taken[0], 1u)] = (uint16_t)p;
        if (bits >> bad.shift >= bad.prefix)
            selected[j + atomicAdd(&s->taken[1], 1u)] = (uint16_t)p;
    }
    __syncthreads();
}

/*
 * The same where tours are few: the rank of each is the number of tours before it, which a warp counts. One pass, and
 * no search that waits for itself.
 */
__device__ void rank_tours(const coin &coin, selection *s, uint32_t *lengths, uint16_t *selected)
{
    const uint32_t population = coin.c.population, j = coin.c.selected;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (uint32_t p = threadIdx.x; p < population; p += blockDim.x)
        lengths[p] = (uint32_t)__ldcg(coin.lengths + p);
    __syncthreads();
    for (uint32_t p = warp; p < population; p += blockDim.x / 32) {
        const uint32_t own = lengths[p];
        uint32_t before = 0;

#pragma unroll 4
        for (uint32_t q = lane; q < population; q += 32)
            before += lengths[q] < own || (lengths[q] == own && q < p);
        before = __reduce_add_sync(ALL, before);
        if (lane == 0 && before == 0) {
            s->best = p;
            s->shortest = own;
        }
        if (lane == 0 && before < j)
            selected[before] = (uint16_t)p;
        if (lane == 0 && before >= population - j)
            selected[j + population - 1 - before] = (uint16_t)p;
    }
    __syncthreads();
}

/* ------------------------------------------------------------------ update */

/* floor(value * ONE / sum), sum > ONE: the quotient in double precision is at most 1 off. */
__device__ __forceinline__ uint32_t share(uint32_t value, unsigned long long sum, double factor)
{
    unsigned long long product = (unsigned long long)value << 30;
    uint32_t quotient = (uint32_t)((double)value * factor);
    long long rest = (long long)(product - quotient * sum);

    return rest < 0 ? quotient - 1 : rest >= (long long)sum ? quotient + 1 : quotient;
}

/* Row i of the new generator by a warp, from its counts [32 RUN]. Returns, in lane 0, what it adds to the checksum. */
template <int RUN>
__device__ unsigned long long update_row(const coin &coin, uint32_t i, uint32_t *row, const int32_t *counts)
{
    const uint32_t n = coin.c.n, lane = threadIdx.x % 32;
    uint32_t cells[RUN], low = 0, high = 0;
    unsigned long long sum, terms = 0;

    if (coin.kept)
        load_run<RUN, true>(cells, row, lane);
    else
        load_run<RUN, false>(cells, row, lane);
#pragma unroll
    for (uint32_t b = 0; b < RUN; b++) {
        uint32_t city = lane * RUN + b;
        long long value = (long long)cells[b] + (long long)coin.c.gain * counts[place_of<RUN>(city)];

        value = value < 0 ? 0 : value > coin.c.cap ? coin.c.cap : value;
        cells[b] = city < n && city != i ? (uint32_t)value : 0;
        low += cells[b] & 0xffff; /* of up to 1024 cells of 30 bits: the sum of the halves fits a word */
        high += cells[b] >> 16;
    }
    sum = ((unsigned long long)__reduce_add_sync(ALL, high) << 16) + __reduce_add_sync(ALL, low);
    if (sum > COINTSP_ONE) {
        double factor = (double)COINTSP_ONE / (double)sum;

#pragma unroll
        for (uint32_t b = 0; b < RUN; b++)
            cells[b] = share(cells[b], sum, factor);
    }
#pragma unroll
    for (uint32_t b = 0; b < RUN; b++) {
        uint32_t city = lane * RUN + b;

        row[place_of<RUN>(city)] = cells[b];
        terms += city < n ? cointsp_term(i * n + city, cells[b]) : 0;
    }
    for (int distance = 16; distance > 0; distance /= 2)
        terms += __shfl_down_sync(ALL, terms, distance);
    return terms;
}

/* Rows first to first + rows - 1, by a block. generator: all rows. counts: coin.chunk rows of shared memory. */
template <int RUN>
__device__ void update_rows(const coin &coin, uint32_t first, uint32_t rows, uint32_t g, uint32_t *generator,
                            const uint16_t *selected, int32_t *counts)
{
    const uint32_t width = 32 * RUN, n = coin.c.n, j = coin.c.selected, warps = blockDim.x / 32;

    for (uint32_t from = first; from < first + rows; from += coin.chunk) {
        const uint32_t now = min(coin.chunk, first + rows - from);

        for (uint32_t k = threadIdx.x; k < now * width; k += blockDim.x)
            counts[k] = 0;
        __syncthreads();
#pragma unroll 4
        for (uint32_t k = threadIdx.x; k < now * 2 * j; k += blockDim.x) {
            uint32_t which = k / now, row = k % now; /* lanes side by side: rows side by side of one tour */
            uint32_t to = __ldcg(coin.followers + (size_t)selected[which] * n + from + row);

            atomicAdd(&counts[row * width + place_of<RUN>(to)], which < j ? 1 : -1);
        }
        __syncthreads();
        for (uint32_t row = threadIdx.x / 32; row < now; row += warps) {
            unsigned long long terms =
                update_row<RUN>(coin, from + row, generator + (from + row) * width, counts + row * width);

            if (threadIdx.x % 32 == 0)
                atomicAdd((unsigned long long *)&coin.generations[g].generator, terms);
        }
        __syncthreads();
    }
}

/* Of the best tour so far, by a warp: remembered and reported. *length is 2^32 - 1 at first. */
__device__ void keep_best(const coin &coin, uint32_t g, const selection *s, uint32_t *length,
                          unsigned long long *checksum)
{
    const uint32_t n = coin.c.n, lane = threadIdx.x % 32;

    if (s->shortest < *length) {
        unsigned long long terms = 0;

        for (uint32_t step = lane; step < n; step += 32) {
            uint32_t city = __ldcg(coin.tours + (size_t)s->best * n + step);

            coin.best_tour[step] = (int32_t)city;
            terms += cointsp_term(step, city);
        }
        for (int distance = 16; distance > 0; distance /= 2)
            terms += __shfl_down_sync(ALL, terms, distance);
        *checksum = terms; /* lane 0's counts */
        *length = s->shortest;
    }
    if (lane == 0) {
        coin.generations[g].tour = *checksum;
        coin.generations[g].length = *length;
    }
}

/* ------------------------------------------------------------------ the kernel */

/* The generator into the block's shared memory, without what is behind the last city of a row where that is easy. */
template <int RUN> __device__ __forceinline__ void fetch(const coin &coin, uint32_t *to)
{
    const uint32_t n = coin.c.n, width = 32 * RUN, warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (RUN == 4) {
        if (4 * lane < n)
#pragma unroll 16
            for (uint32_t i = warp; i < n; i += blockDim.x / 32)
                reinterpret_cast<uint4 *>(to)[i * 32 + lane] =
                    __ldcg(reinterpret_cast<const uint4 *>(coin.generator) + i * 32 + lane);
    } else {
#pragma unroll 8
        for (uint32_t k = threadIdx.x; k < n * width / 4; k += blockDim.x)
            reinterpret_cast<uint4 *>(to)[k] = __ldcg(reinterpret_cast<const uint4 *>(coin.generator) + k);
    }
}

template <typename T> __device__ __forceinline__ void move_on(T *&pointer, size_t bytes)
{
    pointer = reinterpret_cast<T *>(reinterpret_cast<char *>(pointer) + bytes);
}

/* Warps a block at most: so many registers are left for RUN cells and their sums. */
template <int RUN> struct warps_most {
    static const int value = RUN <= 8 ? 32 : 16;
};

/* Dynamic shared memory: the warps' tours, then `area` bytes: the generator, or what selecting and counting need. */
template <int RUN, bool RESIDENT>
__global__ void __launch_bounds__(32 * warps_most<RUN>::value) run_coin(coin coin)
{
    extern __shared__ __align__(16) char shared[];
    __shared__ selection s;
    const uint32_t n = coin.c.n, width = 32 * RUN, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint32_t blocks = coin.together ? gridDim.x : 1, block = coin.together ? blockIdx.x : 0;
    const uint32_t rows = (n + blocks - 1) / blocks, first = min(block * rows, n), own = min(rows, n - first);
    const size_t run = coin.together ? 0 : blockIdx.x;
    const bool single = gridDim.x == 1 || coin.together;
    const uint32_t key[2] = { single ? coin.c.key[0] : coin.keys[2 * run],
                              single ? coin.c.key[1] : coin.keys[2 * run + 1] };
    char *area = shared + (coin.walkers * n * sizeof(uint16_t) + 15) / 16 * 16;
    uint32_t *rows_here = reinterpret_cast<uint32_t *>(area); /* in shared memory: a copy, or all there is */
    uint16_t *cities = reinterpret_cast<uint16_t *>(shared) + warp * n;
    char *rest = area + (coin.kept ? n * width * sizeof(uint32_t) : 0);
    uint32_t *lengths = reinterpret_cast<uint32_t *>(rest); /* [P], then selected [2 j], then bins or counts */
    uint16_t *selected = reinterpret_cast<uint16_t *>(lengths + coin.c.population);
    int32_t *counts = reinterpret_cast<int32_t *>(selected + 2 * coin.c.selected);
    uint32_t best_length = ALL;
    unsigned long long best_checksum = 0;

    move_on(coin.generations, run * coin.stride);
    move_on(coin.best_tour, run * coin.stride);
    move_on(coin.generator, run * coin.stride);
    move_on(coin.tours, run * coin.stride);
    move_on(coin.followers, run * coin.stride);
    move_on(coin.lengths, run * coin.stride);

    uint32_t *generator = coin.kept ? rows_here : coin.generator;

    for (uint32_t k = threadIdx.x; k < own * width; k += blockDim.x) {
        uint32_t i = first + k / width, city = k % width; /* city and place may be exchanged: all start alike */

        generator[i * width + place_of<RUN>(city)] = city < n && city != i ? COINTSP_ONE / (n - 1) : 0;
    }
    for (uint32_t g = block * blockDim.x + threadIdx.x; g < coin.c.generations; g += blocks * blockDim.x)
        coin.generations[g].generator = 0;
    meet(coin);
    for (uint32_t g = 0; g < coin.c.generations; g++) {
        if (RESIDENT && !coin.kept) {
            fetch<RUN>(coin, rows_here);
            __syncthreads();
        }
        for (uint32_t p = warp * blocks + block; warp < coin.walkers && p < coin.c.population;
             p += blocks * coin.walkers)
            walk<RUN, RESIDENT>(coin, key, RESIDENT ? rows_here : generator, g, p, cities);
        meet(coin);
        if (coin.c.population <= RANKED)
            rank_tours(coin, &s, lengths, selected);
        else
            select_tours(coin, &s, lengths, selected, reinterpret_cast<uint32_t *>(counts));
        if (block == blocks - 1 && warp == warps - 1)
            keep_best(coin, g, &s, &best_length, &best_checksum);
        update_rows<RUN>(coin, first, own, g, generator, selected, counts);
        meet(coin);
    }
}

/* ------------------------------------------------------------------ the host */

typedef void kernel(coin);

/* What is kept between calls. */
static struct {
    bool ready;
    int processors, shared; /* bytes that a block can have */
    cudaStream_t stream;
    char *buffer, *staging; /* on the device; page-locked on the host */
    size_t size, staging_size;
} device;

static kernel *kernel_of(uint32_t run, bool resident)
{
    switch (run) {
    case 1: return run_coin<1, true>;
    case 2: return run_coin<2, true>;
    case 4: return run_coin<4, true>;
    case 8: return resident ? run_coin<8, true> : run_coin<8, false>;
    case 16: return run_coin<16, false>;
    default: return run_coin<32, false>;
    }
}

/* At the process's end. A runtime that is already gone has freed it itself. */
static void release()
{
    cudaFree(device.buffer);
    cudaFreeHost(device.staging);
    cudaStreamDestroy(device.stream);
}

static void prepare()
{
    if (device.ready)
        return;
    CHECK(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&device.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    device.shared -= (sizeof(selection) + 127) / 128 * 128;
    for (uint32_t run = 1; run <= 32; run *= 2)
        for (bool resident : { false, true })
            CHECK(cudaFuncSetAttribute(kernel_of(run, resident), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       device.shared));
    device.ready = true;
    std::atexit(release);
}

extern "C" void device_user_setup(void) { prepare(); }

/* One allocation for all: `at` moves on by the next array's bytes. */
template <typename T> static void take(T *&pointer, char *memory, size_t &at, size_t count)
{
    pointer = reinterpret_cast<T *>(memory + at);
    at += (count * sizeof(T) + 255) / 256 * 256;
}

/* What all runs have, then the first run. Returns how many bytes they all take. */
static size_t divide(coin &coin, char *memory, size_t runs, size_t width)
{
    const size_t n = coin.c.n, population = coin.c.population;
    uint32_t *keys;
    int32_t *distance;
    size_t at = 0, start;

    take(keys, memory, at, 2 * runs);
    take(distance, memory, at, n * n);
    start = at;
    take(coin.generations, memory, at, coin.c.generations);
    take(coin.best_tour, memory, at, n);
    take(coin.generator, memory, at, n * width);
    take(coin.tours, memory, at, population * n);
    take(coin.followers, memory, at, population * n);
    take(coin.lengths, memory, at, population);
    coin.keys = keys;
    coin.distance = distance;
    coin.stride = at - start;
    return start + runs * coin.stride;
}

/* Blocks for one run. A grid has barriers that one block does not need, but few warps on each scheduler. */
static uint32_t blocks_for(const cointsp_case &c)
{
    return c.population <= ALONE && c.n <= ALONE_N ? 1 : std::min((uint32_t)device.processors, c.population);
}

/* Warps that walk `tours` tours in as few turns as `most` warps. */
static uint32_t walkers_for(uint32_t tours, uint32_t most)
{
    const uint32_t turns = (tours + most - 1) / most;

    return (tours + turns - 1) / turns;
}

/* Results to the host. One run's lie side by side and come in one copy, as every copy costs some microseconds. */
static void copy_out(const coin &coin, uint32_t runs, cointsp_generation *generations, int32_t *tours)
{
    const size_t row = coin.c.generations * sizeof *generations, tour = coin.c.n * sizeof *tours;
    const size_t tour_at = (const char *)coin.best_tour - (const char *)coin.generations, bytes = tour_at + tour;

    if (runs > 1) {
        CHECK(cudaMemcpy2DAsync(generations, row, coin.generations, coin.stride, row, runs, cudaMemcpyDeviceToHost,
                                device.stream));
        CHECK(cudaMemcpy2DAsync(tours, tour, coin.best_tour, coin.stride, tour, runs, cudaMemcpyDeviceToHost,
                                device.stream));
        CHECK(cudaStreamSynchronize(device.stream));
        return;
    }
    if (bytes > device.staging_size) {
        CHECK(cudaFreeHost(device.staging));
        CHECK(cudaMallocHost(&device.staging, bytes));
        device.staging_size = bytes;
    }
    CHECK(cudaMemcpyAsync(device.staging, coin.generations, bytes, cudaMemcpyDeviceToHost, device.stream));
    CHECK(cudaStreamSynchronize(device.stream));
    std::memcpy(generations, device.staging, row);
    std::memcpy(tours, device.staging + tour_at, tour);
}

/* Bytes of the cities of all walkers of a block. */
static size_t cities_of(const coin &coin)
{
    return ((size_t)coin.walkers * coin.c.n * sizeof(uint16_t) + 15) / 16 * 16;
}

/*
 * Many runs on one instance, which differ in their keys: keys [runs][2], generations [runs][G], tours [runs][n]. one
 * run has the GPU, several have a block each. c->key is used if there is one run.
 */
static void run_all(const cointsp_case &c, uint32_t runs, const uint32_t *keys, const int32_t *distance,
                    cointsp_generation *generations, int32_t *tours)
{
    const uint32_t n = c.n;
    uint32_t run = 1;
    coin coin = {};

    prepare();
    while (32 * run < n)
        run *= 2;

    const uint32_t warps = run <= 8 ? 32 : 16, width = 32 * run, blocks = runs == 1 ? blocks_for(c) : 1;

    coin.c = c;
    coin.together = blocks > 1;

    const uint32_t each = (c.population + blocks - 1) / blocks;
    const size_t generator = (size_t)n * width * sizeof(uint32_t), row = width * sizeof(int32_t);

    coin.walkers = walkers_for(each, warps);

    const size_t cities = cities_of(coin), room = device.shared - cities;
    const size_t chosen = c.population * sizeof(uint32_t) + 2 * c.selected * sizeof(uint16_t);
    const size_t rows = (n + blocks - 1) / blocks;
    const bool resident = run <= 8 && generator <= room;
    const size_t least = chosen + std::max(2 * BINS * sizeof(uint32_t), std::min<size_t>(rows, 32) * row);

    coin.kept = resident && blocks == 1 && generator + least <= room;

    const size_t kept = coin.kept ? generator : 0;

    coin.chunk = (uint32_t)std::min(rows, (room - kept - chosen) / row);
    coin.area = (uint32_t)std::max({ resident ? generator : 0, kept + chosen + coin.chunk * row,
                                     kept + chosen + 2 * BINS * sizeof(uint32_t) });

    size_t size = divide(coin, nullptr, runs, width);

    if (size > device.size) {
        CHECK(cudaFree(device.buffer));
        CHECK(cudaMalloc(&device.buffer, size));
        device.size = size;
    }
    divide(coin, device.buffer, runs, width);
    if (runs > 1) /* one has its key in the case */
        CHECK(cudaMemcpyAsync((void *)coin.keys, keys, runs * 2 * sizeof *keys, cudaMemcpyHostToDevice, device.stream));
    CHECK(cudaMemcpyAsync((void *)coin.distance, distance, (size_t)n * n * sizeof *distance, cudaMemcpyHostToDevice,
                          device.stream));

    void *arguments[] = { &coin };
    kernel *function = kernel_of(run, resident);
    dim3 grid(coin.together ? blocks : runs), threads(32 * warps);

    if (coin.together)
        CHECK(cudaLaunchCooperativeKernel((const void *)function, grid, threads, arguments, cities + coin.area,
                                          device.stream));
    else
        CHECK(cudaLaunchKernel((const void *)function, grid, threads, arguments, cities + coin.area, device.stream));
    copy_out(coin, runs, generations, tours);
}

extern "C" void device_user(const cointsp_case *c, const int32_t *distance, cointsp_generation *generations,
                            int32_t *tour)
{
    if (c->mode != COINTSP_PRESCRIBED) {
        std::fprintf(stderr, "expert.cu: the open league is not for me\n");
        std::exit(1);
    }
    run_all(*c, 1, c->key, distance, generations, tour);
}
