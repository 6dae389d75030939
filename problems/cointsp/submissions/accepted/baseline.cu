/*
 * The baseline: correct, parallel, and easy to beat. COIN on the GPU as its authors divided the work:
 *
 *   generate   one thread walks one tour, over the generator in global memory
 *   evaluate   one thread adds up one tour
 *   sort       on the CPU: the lengths go there, the indices of the best and the worst tours come back
 *   update     in two steps: one thread counts one pair of cities of a selected tour, by an atomic addition; then one
 *              block updates one row of the generator
 *
 * Made for the prescribed league; it gives up in the open one. Where the time goes: into the walks, n steps that read
 * a row of the generator once or twice each, with no two threads of a warp in the same row; and into waiting for the
 * CPU.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cointsp_bits.h"
#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "baseline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* ------------------------------------------------------------------ kernels */

/* Tours are few, and their threads busy for long: in blocks of a warp they spread over more multiprocessors. */
enum { TOUR_BLOCK = 32, BLOCK = 128, ROW_BLOCK = 256, WORDS = COINTSP_CITIES_MAX / 32 };

/* generator[n][n] at its start: a thread a cell. */
__global__ void start(uint32_t n, uint32_t *generator)
{
    uint32_t cell = blockIdx.x * blockDim.x + threadIdx.x;

    if (cell < n * n)
        generator[cell] = cell / n == cell % n ? 0 : COINTSP_ONE / (n - 1);
}

/* The next city. not_visited[] has a bit a city; a sum of 0 chooses evenly among the `left` cities not visited. */
static __device__ uint32_t next_city(uint32_t n, const uint32_t *row, const uint32_t *not_visited, uint32_t left,
                                     uint32_t random)
{
    uint32_t total = 0;

    for (uint32_t first = 0; first < n; first += 32) {
        uint32_t bits = not_visited[first / 32];

        for (uint32_t j = first; j < min(first + 32, n); j++, bits >>= 1)
            total += bits & 1 ? row[j] : 0;
    }
    bool even = total == 0;
    uint32_t threshold = cointsp_scale(random, even ? left : total);

    for (uint32_t first = 0;; first += 32) {
        uint32_t bits = not_visited[first / 32];

        for (uint32_t j = first; j < min(first + 32, n); j++, bits >>= 1) {
            uint32_t weight = bits & 1 ? even ? 1 : row[j] : 0;

            if (threshold < weight)
                return j;
            threshold -= weight;
        }
    }
}

/* One generation's tours[n][P], step by step, so that neighbouring threads write neighbouring numbers. */
__global__ void generate(cointsp_case c, uint32_t generation, const uint32_t *generator, uint16_t *tours)
{
    uint32_t individual = blockIdx.x * blockDim.x + threadIdx.x, not_visited[WORDS], random[4], city = 0;

    if (individual >= c.population)
        return;
    for (uint32_t w = 0; w < WORDS; w++)
        not_visited[w] = ~0u;
    for (uint32_t step = 0; step < c.n; step++) {
        if (step % 4 == 0)
            cointsp_random_block(c.key, generation, individual, step / 4, random);

        uint32_t word = step % 4 == 0 ? random[0] : step % 4 == 1 ? random[1] : step % 4 == 2 ? random[2] : random[3];

        city = step == 0 ? cointsp_scale(word, c.n)
                         : next_city(c.n, generator + (size_t)city * c.n, not_visited, c.n - step, word);
        not_visited[city / 32] &= ~(1u << city % 32);
        tours[(size_t)step * c.population + individual] = (uint16_t)city;
    }
}

/* lengths[P], closed. */
__global__ void evaluate(cointsp_case c, const int32_t *distance, const uint16_t *tours, int32_t *lengths)
{
    uint32_t individual = blockIdx.x * blockDim.x + threadIdx.x;

    if (individual >= c.population)
        return;

    uint32_t first = tours[individual], city = first;
    int32_t length = 0;

    for (uint32_t step = 1; step < c.n; step++) {
        uint32_t next = tours[(size_t)step * c.population + individual];

        length += distance[(size_t)city * c.n + next];
        city = next;
    }
    lengths[individual] = length + distance[(size_t)city * c.n + first];
}

/* pairs[n][n], zero before: plus one a pair of the first j of chosen[2 j], minus one a pair of the others. */
__global__ void count(cointsp_case c, const uint16_t *tours, const uint32_t *chosen, int32_t *pairs)
{
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, step = at / (2 * c.selected), which = at % (2 * c.selected);

    if (step >= c.n)
        return;

    uint32_t after = step + 1 < c.n ? step + 1 : 0, individual = chosen[which];
    uint32_t i = tours[(size_t)step * c.population + individual], j = tours[(size_t)after * c.population + individual];

    atomicAdd(&pairs[(size_t)i * c.n + j], which < c.selected ? 1 : -1);
}

/* The sum of `value` over the block, for all of its threads. */
static __device__ unsigned long long block_sum(unsigned long long value)
{
    __shared__ unsigned long long sums[ROW_BLOCK];

    __syncthreads();
    sums[threadIdx.x] = value;
    for (uint32_t half = ROW_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
    return sums[0];
}

/* Row blockIdx.x of the generator: counts added, limits kept; its terms go into *checksum. */
__global__ void update(cointsp_case c, const int32_t *pairs, uint32_t *generator, unsigned long long *checksum)
{
    uint32_t i = blockIdx.x;
    uint32_t *row = generator + (size_t)i * c.n;
    unsigned long long sum = 0, terms = 0;

    for (uint32_t j = threadIdx.x; j < c.n; j += ROW_BLOCK) {
        int64_t value = row[j] + (int64_t)c.gain * pairs[(size_t)i * c.n + j];

        value = min(max(value, (int64_t)0), (int64_t)c.cap);
        row[j] = (uint32_t)value;
        sum += value;
    }
    sum = block_sum(sum);
    for (uint32_t j = threadIdx.x; j < c.n; j += ROW_BLOCK) {
        if (sum > COINTSP_ONE)
            row[j] = (uint32_t)((unsigned long long)row[j] * COINTSP_ONE / sum);
        terms += cointsp_term(i * c.n + j, row[j]);
    }
    terms = block_sum(terms);
    if (threadIdx.x == 0)
        atomicAdd(checksum, terms);
}

/* tour[n]: one of the tours, its steps side by side. */
__global__ void gather(cointsp_case c, const uint16_t *tours, uint32_t individual, int32_t *tour)
{
    uint32_t step = blockIdx.x * blockDim.x + threadIdx.x;

    if (step < c.n)
        tour[step] = tours[(size_t)step * c.population + individual];
}

/* ------------------------------------------------------------------ the stages */

static unsigned blocks_for(size_t threads, size_t block) { return (unsigned)((threads + block - 1) / block); }

/* All that a run needs. */
struct coin {
    cointsp_case c;
    int32_t *distance;               /* device, [n][n] */
    uint32_t *generator;             /* device, [n][n] */
    int32_t *pairs;                  /* device, [n][n] */
    uint16_t *tours;                 /* device, [n][P] */
    int32_t *lengths;                /* device, [P] */
    uint32_t *chosen;                /* device, [2 j] */
    int32_t *best_tour;              /* device, [n] */
    unsigned long long *checksums;   /* device, [G] */
    std::vector<int32_t> lengths_here;   /* [P] */
    std::vector<uint32_t> order;         /* [P]: indices, the best tour first */
};

static void coin_start(coin &coin, const cointsp_case *c, const int32_t *distance)
{
    const size_t cells = (size_t)c->n * c->n, population = c->population;

    coin.c = *c;
    coin.lengths_here.resize(population);
    coin.order.resize(population);
    CHECK(cudaMalloc(&coin.distance, cells * sizeof *coin.distance));
    CHECK(cudaMalloc(&coin.generator, cells * sizeof *coin.generator));
    CHECK(cudaMalloc(&coin.pairs, cells * sizeof *coin.pairs));
    CHECK(cudaMalloc(&coin.tours, population * c->n * sizeof *coin.tours));
    CHECK(cudaMalloc(&coin.lengths, population * sizeof *coin.lengths));
    CHECK(cudaMalloc(&coin.chosen, 2 * c->selected * sizeof *coin.chosen));
    CHECK(cudaMalloc(&coin.best_tour, c->n * sizeof *coin.best_tour));
    CHECK(cudaMalloc(&coin.checksums, c->generations * sizeof *coin.checksums));
    CHECK(cudaMemcpy(coin.distance, distance, cells * sizeof *coin.distance, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(coin.checksums, 0, c->generations * sizeof *coin.checksums));
    start<<<blocks_for(cells, BLOCK), BLOCK>>>(c->n, coin.generator);
    CHECK(cudaGetLastError());
}

static void coin_end(coin &coin)
{
    CHECK(cudaFree(coin.distance));
    CHECK(cudaFree(coin.generator));
    CHECK(cudaFree(coin.pairs));
    CHECK(cudaFree(coin.tours));
    CHECK(cudaFree(coin.lengths));
    CHECK(cudaFree(coin.chosen));
    CHECK(cudaFree(coin.best_tour));
    CHECK(cudaFree(coin.checksums));
}

static void coin_generate(coin &coin, uint32_t generation)
{
    generate<<<blocks_for(coin.c.population, TOUR_BLOCK), TOUR_BLOCK>>>(coin.c, generation, coin.generator, coin.tours);
    CHECK(cudaGetLastError());
}

static void coin_evaluate(coin &coin)
{
    evaluate<<<blocks_for(coin.c.population, TOUR_BLOCK), TOUR_BLOCK>>>(coin.c, coin.distance, coin.tours,
                                                                              coin.lengths);
    CHECK(cudaGetLastError());
}

/* Shorter first, equal lengths by index; the chosen ones go to the device. */
static void coin_sort(coin &coin)
{
    const uint32_t population = coin.c.population, selected = coin.c.selected;
    const std::vector<int32_t> &lengths = coin.lengths_here;

    CHECK(cudaMemcpy(coin.lengths_here.data(), coin.lengths, population * sizeof lengths[0], cudaMemcpyDeviceToHost));
    for (uint32_t p = 0; p < population; p++)
        coin.order[p] = p;
    std::sort(coin.order.begin(), coin.order.end(), [&](uint32_t a, uint32_t b) {
        return lengths[a] != lengths[b] ? lengths[a] < lengths[b] : a < b;
    });
    CHECK(cudaMemcpy(coin.chosen, coin.order.data(), selected * sizeof coin.order[0], cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(coin.chosen + selected, coin.order.data() + population - selected, selected * sizeof coin.order[0],
                     cudaMemcpyHostToDevice));
}

static void coin_update(coin &coin, uint32_t generation)
{
    const size_t threads = 2 * (size_t)coin.c.selected * coin.c.n;

    CHECK(cudaMemset(coin.pairs, 0, (size_t)coin.c.n * coin.c.n * sizeof *coin.pairs));
    count<<<blocks_for(threads, BLOCK), BLOCK>>>(coin.c, coin.tours, coin.chosen, coin.pairs);
    CHECK(cudaGetLastError());
    update<<<coin.c.n, ROW_BLOCK>>>(coin.c, coin.pairs, coin.generator, coin.checksums + generation);
    CHECK(cudaGetLastError());
}

/* Fetches one of the present tours; returns its checksum. */
static uint64_t coin_fetch(coin &coin, uint32_t individual, int32_t *tour)
{
    uint64_t checksum = 0;

    gather<<<blocks_for(coin.c.n, BLOCK), BLOCK>>>(coin.c, coin.tours, individual, coin.best_tour);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(tour, coin.best_tour, coin.c.n * sizeof *tour, cudaMemcpyDeviceToHost));
    for (uint32_t s = 0; s < coin.c.n; s++)
        checksum += cointsp_term(s, (uint32_t)tour[s]);
    return checksum;
}

extern "C" void device_user(const cointsp_case *c, const int32_t *distance, cointsp_generation *generations,
                            int32_t *tour)
{
    cointsp_generation best = { 0, 0, INT64_MAX };
    coin coin;

    if (c->mode != COINTSP_PRESCRIBED) {
        std::fprintf(stderr, "baseline.cu: the open league is not for me\n");
        std::exit(1);
    }
    coin_start(coin, c, distance);
    for (uint32_t g = 0; g < c->generations; g++) {
        coin_generate(coin, g);
        coin_evaluate(coin);
        coin_sort(coin);
        if (coin.lengths_here[coin.order[0]] < best.length) {
            best.length = coin.lengths_here[coin.order[0]];
            best.tour = coin_fetch(coin, coin.order[0], tour);
        }
        coin_update(coin, g);
        generations[g] = best;
    }

    std::vector<unsigned long long> checksums(c->generations);

    CHECK(cudaMemcpy(checksums.data(), coin.checksums, checksums.size() * sizeof checksums[0], cudaMemcpyDeviceToHost));
    for (uint32_t g = 0; g < c->generations; g++)
        generations[g].generator = checksums[g];
    coin_end(coin);
}
