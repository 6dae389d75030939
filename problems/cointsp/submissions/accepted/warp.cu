/*
 * One warp a tour, and nothing on the CPU but launches.
 *
 * A row of the generator is stored so that lane l of a warp holds the cities l B to l B + B - 1, B = ceil(n / 32),
 * number b of lane l at b * 32 + l: a warp reads a row without bank conflicts, B additions and a scan over the lanes
 * give the prefix sums in index order, and one lane finds the city in its run. Which of its cities are not visited a
 * lane knows from the bits of one register, as B <= 32. Where the generator fits, each block has a copy in shared
 * memory.
 *
 * A tour's rank is counted, by comparing it with all others, so no generation waits for the CPU. Random numbers are
 * drawn 128 at a time, four a lane.
 *
 * Made for the prescribed league; it gives up in the open one.
 */
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
    std::fprintf(stderr, "warp.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

enum { WARPS = 8, THREADS = WARPS * 32 };
#define ALL 0xffffffffu

/* What the kernels work on; all pointers are the device's. */
struct coin {
    cointsp_case c;
    uint32_t run, width;             /* run: B; width = 32 B: numbers in a stored row */
    const int32_t *distance;         /* [n][n] */
    uint32_t *generator;             /* [n][width] */
    int32_t *pairs;                  /* [n][width] */
    uint16_t *tours;                 /* [P][n] */
    int32_t *lengths;                /* [P] */
    uint32_t *best;                  /* [1]: the index of the generation's best tour */
    int32_t *best_tour;              /* [n]: so far */
    cointsp_generation *generations; /* [G] */
};

static __device__ uint32_t place_of(const coin &coin, uint32_t city)
{
    return city % coin.run * 32 + city / coin.run;
}

/* One thread for each number of the generator. */
__global__ void start(coin coin)
{
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, i = at / coin.width, place = at % coin.width;
    uint32_t j = place % 32 * coin.run + place / 32;

    if (i >= coin.c.n)
        return;
    coin.generator[at] = i == j || j >= coin.c.n ? 0 : COINTSP_ONE / (coin.c.n - 1);
    coin.pairs[at] = 0;
}

/* The four random words of this lane's block, one of them by its number. */
static __device__ uint32_t word_of(const uint32_t random[4], uint32_t which)
{
    uint32_t low = which & 1 ? random[1] : random[0], high = which & 1 ? random[3] : random[2];

    return which & 2 ? high : low;
}

/* A warp a tour. SHARED: the block first copies the generator into its shared memory. */
template <bool SHARED> __global__ void __launch_bounds__(THREADS) walk(coin coin, uint32_t generation)
{
    extern __shared__ uint32_t copy[];
    const uint32_t n = coin.c.n, run = coin.run, lane = threadIdx.x % 32;
    const uint32_t individual = blockIdx.x * WARPS + threadIdx.x / 32;
    const uint32_t *generator = coin.generator;

    if (SHARED) {
        for (uint32_t k = threadIdx.x; k < n * coin.width; k += THREADS)
            copy[k] = generator[k];
        generator = copy;
        __syncthreads();
    }
    if (individual >= coin.c.population)
        return;

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
                sum += not_visited >> b & 1 ? row[b * 32] : 0;

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
                    uint32_t weight = not_visited >> found & 1 ? even ? 1 : row[found * 32] : 0;

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

/* A block ranks WARPS tours, a warp each, and counts the pairs of those that are good or bad. */
__global__ void __launch_bounds__(THREADS) select_and_count(coin coin)
{
    const uint32_t individual = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, n = coin.c.n;
    uint32_t rank = 0;

    if (individual >= coin.c.population)
        return;

    int32_t length = coin.lengths[individual];

    for (uint32_t p = lane; p < coin.c.population; p += 32) {
        int32_t other = coin.lengths[p];

        rank += other < length || (other == length && p < individual);
    }
    rank = __reduce_add_sync(ALL, rank);
    if (rank == 0 && lane == 0)
        *coin.best = individual;

    bool good = rank < coin.c.selected, bad = rank >= coin.c.population - coin.c.selected;
    const uint16_t *tour = coin.tours + (size_t)individual * n;

    if (good || bad)
        for (uint32_t step = lane; step < n; step += 32)
            atomicAdd(&coin.pairs[tour[step] * coin.width + place_of(coin, tour[step + 1 < n ? step + 1 : 0])],
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

/* Blocks 0 to n - 1: a row of the generator each, whose counts are 0 again then. */
static __device__ void update_row(const coin &coin, uint32_t generation)
{
    const uint32_t i = blockIdx.x, n = coin.c.n;
    uint32_t *row = coin.generator + (size_t)i * coin.width;
    int32_t *pairs = coin.pairs + (size_t)i * coin.width;
    unsigned long long sum = 0, terms = 0;

    for (uint32_t place = threadIdx.x; place < coin.width; place += THREADS) {
        int64_t value = row[place] + (int64_t)coin.c.gain * pairs[place];

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

/* Block n: the best tour so far. */
static __device__ void keep_best(const coin &coin, uint32_t generation)
{
    const uint32_t n = coin.c.n, best = *coin.best;
    cointsp_generation *now = coin.generations + generation;
    const int64_t length = coin.lengths[best];
    unsigned long long terms = 0;

    if (generation > 0 && now[-1].length <= length) {
        if (threadIdx.x == 0) {
            now->tour = now[-1].tour;
            now->length = now[-1].length;
        }
        return;
    }
    for (uint32_t step = threadIdx.x; step < n; step += THREADS) {
        uint32_t city = coin.tours[(size_t)best * n + step];

        coin.best_tour[step] = city;
        terms += cointsp_term(step, city);
    }
    terms = block_sum(terms);
    if (threadIdx.x == 0) {
        now->tour = terms;
        now->length = length;
    }
}

__global__ void __launch_bounds__(THREADS) update(coin coin, uint32_t generation)
{
    if (blockIdx.x < coin.c.n)
        update_row(coin, generation);
    else
        keep_best(coin, generation);
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
    const uint32_t run = (c->n + 31) / 32, tour_blocks = (c->population + WARPS - 1) / WARPS;
    coin coin = {};
    char *memory;
    int most;

    if (c->mode != COINTSP_PRESCRIBED) {
        std::fprintf(stderr, "warp.cu: the open league is not for me\n");
        std::exit(1);
    }
    coin.c = *c;
    coin.run = run;
    coin.width = 32 * run;

    const size_t n = c->n, cells = n * coin.width, shared = cells * sizeof(uint32_t);

    CHECK(cudaMalloc(&memory, divide(coin, nullptr)));
    divide(coin, memory);
    CHECK(cudaMemset(coin.generations, 0, c->generations * sizeof *generations));
    CHECK(cudaMemcpy((void *)coin.distance, distance, n * n * sizeof *distance, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));

    const bool fits = shared <= (size_t)most;

    if (fits)
        CHECK(cudaFuncSetAttribute(walk<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    start<<<(unsigned)((cells + THREADS - 1) / THREADS), THREADS>>>(coin);
    CHECK(cudaGetLastError());
    for (uint32_t g = 0; g < c->generations; g++) {
        if (fits)
            walk<true><<<tour_blocks, THREADS, shared>>>(coin, g);
        else
            walk<false><<<tour_blocks, THREADS>>>(coin, g);
        CHECK(cudaGetLastError());
        select_and_count<<<tour_blocks, THREADS>>>(coin);
        CHECK(cudaGetLastError());
        update<<<c->n + 1, THREADS>>>(coin, g);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(generations, coin.generations, c->generations * sizeof *generations, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(tour, coin.best_tour, n * sizeof *tour, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory));
}
