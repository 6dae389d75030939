/*
 * Step 1 from warp.cu to the expert: its three kernels a generation become one kernel for all generations.
 *
 * The walks are warp.cu's, a warp a tour with a copy of the generator in shared memory. What was between kernels is now
 * a barrier of the grid, three a generation: after the walks, after the selected tours' pairs are counted, and after
 * the update. So no launch is waited for; and a block, which stays, only fetches the generator anew.
 *
 * What is left to gain: a step's five shuffles that wait for each other, the ranks, each found by comparing a tour with
 * all others, and one of the three barriers.
 *
 * Made for the prescribed league; it gives up in the open one.
 */
#include <cooperative_groups.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cointsp_bits.h"
#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_one_kernel.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

enum { WARPS = 8, THREADS = WARPS * 32 };
#define ALL 0xffffffffu

/* What the kernel works on; all pointers are the device's. */
struct coin {
    cointsp_case c;
    uint32_t run, width;             /* cities a lane; width = 32 run: numbers in a stored row */
    const int32_t *distance;         /* [n][n] */
    uint32_t *generator;             /* [n][width] */
    int32_t *pairs;                  /* [n][width] */
    uint16_t *tours;                 /* [P][n] */
    int32_t *lengths;                /* [P] */
    uint32_t *best;                  /* [1]: the index of the generation's best tour */
    int32_t *best_tour;              /* [n]: so far */
    cointsp_generation *generations; /* [G] */
};

/* Lane l has the cities l run to l run + run - 1, number b of them at b * 32 + l. */
static __device__ uint32_t place_of(const coin &coin, uint32_t city)
{
    return city % coin.run * 32 + city / coin.run;
}

/* The four random words of this lane's block, one of them by its number. */
static __device__ uint32_t word_of(const uint32_t random[4], uint32_t which)
{
    uint32_t low = which & 1 ? random[1] : random[0], high = which & 1 ? random[3] : random[2];

    return which & 2 ? high : low;
}

/* One tour by a warp. generator: in shared memory if SHARED, else read past the first-level cache. */
template <bool SHARED>
static __device__ void walk(const coin &coin, const uint32_t *generator, uint32_t generation, uint32_t individual)
{
    const uint32_t n = coin.c.n, run = coin.run, lane = threadIdx.x % 32;
    const uint32_t first = lane * run, cities = first < n ? min(run, n - first) : 0;
    uint32_t not_visited = cities == 32 ? ALL : (1u << cities) - 1, random[4], city = 0, start = 0;
    uint16_t *tour = coin.tours + (size_t)individual * n;
    int32_t length = 0; /* of lane 0 */

    for (uint32_t step = 0; step < n; step++) {
        if (step % 128 == 0)
            cointsp_random_block(coin.c.key, generation, individual, step / 4 + lane, random);

        uint32_t word = __shfl_sync(ALL, word_of(random, step % 4), step / 4 % 32), before = city;

        if (step == 0) {
            city = start = cointsp_scale(word, n);
        } else {
            const uint32_t *row = generator + city * coin.width + lane;
            uint32_t sum = 0;

            for (uint32_t b = 0; b < run; b++)
                sum += not_visited >> b & 1 ? SHARED ? row[b * 32] : __ldcg(row + b * 32) : 0;

            bool even = !__any_sync(ALL, sum);

            if (even)
                sum = __popc(not_visited);

            uint32_t upto = sum; /* the sum over this lane and those before it */

            for (uint32_t distance = 1; distance < 32; distance *= 2) {
                uint32_t other = __shfl_up_sync(ALL, upto, distance);

                upto += lane >= distance ? other : 0;
            }

            uint32_t threshold = cointsp_scale(word, __shfl_sync(ALL, upto, 31));
            uint32_t owner = __ffs(__ballot_sync(ALL, threshold < upto)) - 1, found = 0;

            if (lane == owner) {
                threshold -= upto - sum;
                for (;; found++) {
                    uint32_t number = SHARED ? row[found * 32] : __ldcg(row + found * 32);
                    uint32_t weight = not_visited >> found & 1 ? even ? 1 : number : 0;

                    if (threshold < weight)
                        break;
                    threshold -= weight;
                }
            }
            city = owner * run + __shfl_sync(ALL, found, owner);
        }
        if (city / run == lane)
            not_visited &= ~(1u << city % run);
        if (lane == 0) {
            tour[step] = (uint16_t)city;
            length += step > 0 ? coin.distance[before * n + city] : 0;
        }
    }
    if (lane == 0)
        coin.lengths[individual] = length + coin.distance[city * n + start];
}

/* A tour's rank, by a warp; and its pairs are counted if it is good or bad. */
static __device__ void select_and_count(const coin &coin, uint32_t individual)
{
    const uint32_t lane = threadIdx.x % 32, n = coin.c.n;
    const int32_t length = __ldcg(coin.lengths + individual);
    uint32_t rank = 0;

    for (uint32_t p = lane; p < coin.c.population; p += 32) {
        int32_t other = __ldcg(coin.lengths + p);

        rank += other < length || (other == length && p < individual);
    }
    rank = __reduce_add_sync(ALL, rank);
    if (rank == 0 && lane == 0)
        *coin.best = individual;

    bool good = rank < coin.c.selected, bad = rank >= coin.c.population - coin.c.selected;
    const uint16_t *tour = coin.tours + (size_t)individual * n;

    if (good || bad)
        for (uint32_t step = lane; step < n; step += 32)
            atomicAdd(&coin.pairs[__ldcg(tour + step) * coin.width +
                                  place_of(coin, __ldcg(tour + (step + 1 < n ? step + 1 : 0)))],
                      good ? 1 : -1);
}

/* The sum of `value` over the block, for all of its threads. */
static __device__ unsigned long long block_sum(unsigned long long value)
{
    __shared__ unsigned long long sums[WARPS];
    unsigned long long sum = 0;

    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL, value, distance);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = value;
    __syncthreads();
    for (int w = 0; w < WARPS; w++)
        sum += sums[w];
    return sum;
}

/* Row i of the generator, by a block; its counts are 0 again then. */
static __device__ void update_row(const coin &coin, uint32_t generation, uint32_t i)
{
    const uint32_t n = coin.c.n;
    uint32_t *row = coin.generator + (size_t)i * coin.width;
    int32_t *pairs = coin.pairs + (size_t)i * coin.width;
    unsigned long long sum = 0, terms = 0;

    for (uint32_t place = threadIdx.x; place < coin.width; place += THREADS) {
        int64_t value = __ldcg(row + place) + (int64_t)coin.c.gain * __ldcg(pairs + place);

        value = min(max(value, (int64_t)0), (int64_t)coin.c.cap);
        row[place] = (uint32_t)value;
        pairs[place] = 0;
        sum += value;
    }
    sum = block_sum(sum);
    for (uint32_t place = threadIdx.x; place < coin.width; place += THREADS) {
        uint32_t j = place % 32 * coin.run + place / 32;

        if (sum > COINTSP_ONE)
            row[place] = (uint32_t)((unsigned long long)row[place] * COINTSP_ONE / sum);
        terms += j < n ? cointsp_term(i * n + j, row[place]) : 0;
    }
    terms = block_sum(terms);
    if (threadIdx.x == 0)
        atomicAdd((unsigned long long *)&coin.generations[generation].generator, terms);
}

/* The best tour so far, by block 0. */
static __device__ void keep_best(const coin &coin, uint32_t generation)
{
    const uint32_t n = coin.c.n, best = __ldcg(coin.best);
    cointsp_generation *now = coin.generations + generation;
    const int64_t length = __ldcg(coin.lengths + best);
    unsigned long long terms = 0;

    if (generation > 0 && now[-1].length <= length) {
        if (threadIdx.x == 0) {
            now->tour = now[-1].tour;
            now->length = now[-1].length;
        }
        return;
    }
    for (uint32_t step = threadIdx.x; step < n; step += THREADS) {
        uint32_t city = __ldcg(coin.tours + (size_t)best * n + step);

        coin.best_tour[step] = city;
        terms += cointsp_term(step, city);
    }
    terms = block_sum(terms);
    if (threadIdx.x == 0) {
        now->tour = terms;
        now->length = length;
    }
}

/* What other blocks write is read past the first-level cache, which nothing keeps up to date. */
template <bool SHARED> __global__ void __launch_bounds__(THREADS) run_coin(coin coin)
{
    extern __shared__ uint32_t copy[];
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint32_t n = coin.c.n, step = gridDim.x * WARPS, first = blockIdx.x * WARPS + threadIdx.x / 32;

    for (uint32_t at = blockIdx.x * THREADS + threadIdx.x; at < n * coin.width; at += gridDim.x * THREADS) {
        uint32_t i = at / coin.width, place = at % coin.width, j = place % 32 * coin.run + place / 32;

        coin.generator[at] = i == j || j >= n ? 0 : COINTSP_ONE / (n - 1);
        coin.pairs[at] = 0;
    }
    grid.sync();
    for (uint32_t g = 0; g < coin.c.generations; g++) {
        if (SHARED) {
            for (uint32_t k = threadIdx.x; k < n * coin.width; k += THREADS)
                copy[k] = __ldcg(coin.generator + k);
            __syncthreads();
        }
        for (uint32_t p = first; p < coin.c.population; p += step)
            walk<SHARED>(coin, SHARED ? copy : coin.generator, g, p);
        grid.sync();
        for (uint32_t p = first; p < coin.c.population; p += step)
            select_and_count(coin, p);
        grid.sync();
        for (uint32_t i = blockIdx.x; i < n; i += gridDim.x)
            update_row(coin, g, i);
        if (blockIdx.x == 0)
            keep_best(coin, g);
        grid.sync();
    }
}

/* One allocation for all: `at` moves on by the next array's bytes. */
template <typename T> static void take(T *&pointer, char *memory, size_t &at, size_t count)
{
    pointer = (T *)(memory + at);
    at += (count * sizeof(T) + 255) / 256 * 256;
}

static size_t divide(coin &coin, char *memory)
{
    const size_t n = coin.c.n, cells = n * coin.width, population = coin.c.population;
    int32_t *distance;
    size_t at = 0;

    take(coin.generations, memory, at, coin.c.generations);
    take(distance, memory, at, n * n);
    take(coin.generator, memory, at, cells);
    take(coin.pairs, memory, at, cells);
    take(coin.tours, memory, at, population * n);
    take(coin.lengths, memory, at, population);
    take(coin.best, memory, at, 1);
    take(coin.best_tour, memory, at, n);
    coin.distance = distance;
    return at;
}

extern "C" void device_user(const cointsp_case *c, const int32_t *distance, cointsp_generation *generations,
                            int32_t *tour)
{
    coin coin = {};
    char *memory;
    int most, processors, blocks;

    if (c->mode != COINTSP_PRESCRIBED) {
        std::fprintf(stderr, "1_one_kernel.cu: the open league is not for me\n");
        std::exit(1);
    }
    coin.c = *c;
    coin.run = (c->n + 31) / 32;
    coin.width = 32 * coin.run;

    const size_t n = c->n, needed = n * coin.width * sizeof(uint32_t);

    CHECK(cudaMalloc(&memory, divide(coin, nullptr)));
    divide(coin, memory);
    CHECK(cudaMemset(coin.generations, 0, c->generations * sizeof *generations));
    CHECK(cudaMemcpy((void *)coin.distance, distance, n * n * sizeof *distance, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    most -= 1024; /* for what has a fixed size */

    const bool fits = needed <= (size_t)most;
    const size_t shared = fits ? needed : 0;
    const void *kernel = fits ? (const void *)run_coin<true> : (const void *)run_coin<false>;
    void *arguments[] = { &coin };

    if (fits)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, shared));

    const uint32_t wanted = (c->population + WARPS - 1) / WARPS, room = (uint32_t)(blocks * processors);
    const dim3 grid(wanted < room ? wanted : room), threads(THREADS);

    CHECK(cudaLaunchCooperativeKernel(kernel, grid, threads, arguments, shared, 0));
    CHECK(cudaMemcpy(generations, coin.generations, c->generations * sizeof *generations, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(tour, coin.best_tour, n * sizeof *tour, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory));
}
