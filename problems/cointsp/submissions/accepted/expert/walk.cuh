/*
 * walk.cuh - a warp walks a tour: the next city, by the row of the generator and a random number.
 */
#pragma once

#include "common.cuh"

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

/* The same in fewer instructions, each of which waits for the one before. */
__device__ __forceinline__ sums scan_by_two(uint32_t sum)
{
    uint32_t total = __reduce_add_sync(ALL, sum), upto = sum;

#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2)
        asm("{ .reg .pred p; .reg .b32 r; shfl.sync.up.b32 r|p, %0, %1, 0, 0xffffffff; @p add.u32 %0, %0, r; }"
            : "+r"(upto) : "r"(distance));
    return { upto - sum, total };
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

/*
 * The next city where many warps share a scheduler: as few instructions as possible, whatever each waits for. The total
 * is a reduction beside the scan, an addition takes the shuffle's own predicate, and a reduction tells all lanes.
 */
template <int RUN>
__device__ __forceinline__ uint32_t next_of_many(uint32_t upto[RUN], uint32_t random, uint32_t *left, uint32_t lane)
{
    sums s = scan_by_two(upto[RUN - 1]);
    uint32_t index = 0;

    if (s.total == 0) { /* every city that is left weighs 1 */
#pragma unroll
        for (int b = 0; b < RUN; b++)
            upto[b] = (*left >> b & 1) + (b > 0 ? upto[(b + RUN - 1) % RUN] : 0);
        s = scan_by_two(upto[RUN - 1]);
    }

    const uint32_t threshold = __umulhi(random, s.total) - s.before;
    const bool mine = threshold < upto[RUN - 1];

#pragma unroll
    for (int b = 0; b < RUN - 1; b++)
        index += threshold >= upto[b];
    if (mine)
        *left &= ~(1u << index);
    return __reduce_max_sync(ALL, mine ? lane * RUN + index : 0);
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
 * lane that has the next city tells the others through `cities`, which takes less time than a reduction. MANY: as many
 * warps walk as a block has, and hide each other's latency.
 */
template <int RUN, bool RESIDENT, bool MANY>
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
            if constexpr (MANY) {
                city = next_of_many<RUN>(upto, word, &left.own, lane);
                put_city(cities + step, city, lane == 0);
                continue;
            } else if constexpr (RUN == 1 || RUN >= 16) {
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
