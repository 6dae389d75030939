/*
 * league: open
 *
 * Random restarts on the GPU: each block starts from the nearest-neighbour tour of another city, and takes the best
 * 2-opt or Or-opt move of all until none helps. All blocks keep to it until one is short enough; a new round of them
 * starts from the best tour with a few random segments turned round.
 */
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
    std::fprintf(stderr, "open_two_opt.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

enum { THREADS = 256 };

/* A move and how much it saves, in one number: the largest wins. */
typedef unsigned long long move_t;

static __device__ move_t block_max(move_t value)
{
    __shared__ move_t values[THREADS];

    __syncthreads();
    values[threadIdx.x] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            values[threadIdx.x] = max(values[threadIdx.x], values[threadIdx.x + half]);
    }
    __syncthreads();
    return values[0];
}

/* Positions first to last of the block's tour turned round. */
static __device__ void reverse(int32_t *tour, int first, int last)
{
    for (int k = threadIdx.x; k < (last - first + 1) / 2; k += THREADS) {
        int32_t city = tour[first + k];

        tour[first + k] = tour[last - k];
        tour[last - k] = city;
    }
    __syncthreads();
}

static __device__ void nearest_neighbour(int n, const int32_t *distance, int32_t *tour)
{
    for (int i = threadIdx.x; i < n; i += THREADS)
        tour[i] = (i + blockIdx.x) % n;
    __syncthreads();
    for (int i = 0; i + 1 < n; i++) {
        move_t nearest = 0;

        for (int j = i + 1 + threadIdx.x; j < n; j += THREADS)
            nearest = max(nearest, (move_t)(INT32_MAX - distance[(size_t)tour[i] * n + tour[j]]) << 32 | j);
        nearest = block_max(nearest);
        if (threadIdx.x == 0) {
            int32_t j = (int32_t)(uint32_t)nearest, city = tour[i + 1];

            tour[i + 1] = tour[j];
            tour[j] = city;
        }
        __syncthreads();
    }
}

/*
 * The best move of all: kind 0 turns i + 1 to j round; kinds 1 to 3 exchange a head of so many cities at i with the
 * rest up to j, kinds 4 to 6 a tail.
 */
static __device__ move_t best_move(int n, const int32_t *distance, const int32_t *tour)
{
    auto d = [&](int i, int j) { return distance[(size_t)tour[i] * n + tour[j < n ? j : 0]]; };
    move_t best = 0;

    for (int at = threadIdx.x; at < n * n; at += THREADS) {
        int i = at / n, j = at % n;

        if (i >= j)
            continue;
        for (int kind = 0; kind <= 6; kind++) {
            int k = kind <= 3 ? i + kind : j + 1 - (kind - 3), saved;

            if (kind == 0)
                saved = d(i, i + 1) + d(j, j + 1) - d(i, j) - d(i + 1, j + 1);
            else if (i >= 1 && k > i && k <= j)
                saved = d(i - 1, i) + d(k - 1, k) + d(j, j + 1) - d(i - 1, k) - d(j, i) - d(k - 1, j + 1);
            else
                continue;
            if (saved > 0)
                best = max(best, (move_t)saved << 32 | (move_t)kind << 24 | i << 12 | j);
        }
    }
    return block_max(best);
}

/* tours[blocks][n], lengths[blocks]. In the first round from the nearest neighbour, then from `start` with a kick. */
__global__ void search(cointsp_case c, uint32_t round, const int32_t *distance, const int32_t *start, int32_t *tours,
                       long long *lengths)
{
    __shared__ int32_t tour[COINTSP_CITIES_MAX];
    const int n = c.n;
    uint32_t random[4];

    if (round == 0) {
        nearest_neighbour(n, distance, tour);
    } else {
        for (int i = threadIdx.x; i < n; i += THREADS)
            tour[i] = start[i];
        __syncthreads();
        for (uint32_t k = 0; k < 8; k++) {
            cointsp_random_block(c.key, round, blockIdx.x, k, random);

            int first = cointsp_scale(random[0], n), last = min(n - 1, first + (int)cointsp_scale(random[1], 30));

            reverse(tour, first, last);
        }
    }
    for (move_t move; (move = best_move(n, distance, tour)) != 0;) {
        int kind = move >> 24 & 7, i = move >> 12 & 4095, j = move & 4095;
        int k = kind <= 3 ? i + kind : j + 1 - (kind - 3);

        if (kind == 0) {
            reverse(tour, i + 1, j);
        } else {
            reverse(tour, i, k - 1);
            reverse(tour, k, j);
            reverse(tour, i, j);
        }
    }
    for (int i = threadIdx.x; i < n; i += THREADS)
        tours[(size_t)blockIdx.x * n + i] = tour[i];
    if (threadIdx.x == 0) {
        long long length = 0;

        for (int i = 0; i < n; i++)
            length += distance[(size_t)tour[i] * n + tour[i + 1 < n ? i + 1 : 0]];
        lengths[blockIdx.x] = length;
    }
}

extern "C" void device_user(const cointsp_case *c, const int32_t *distance, cointsp_generation *, int32_t *tour)
{
    if (c->mode != COINTSP_OPEN) {
        std::fprintf(stderr, "open_two_opt.cu: the prescribed league is not for me\n");
        std::exit(1);
    }

    cudaDeviceProp properties;

    CHECK(cudaGetDeviceProperties(&properties, 0));

    /* On a small device, as on the simulator, a few blocks do for a few cities. */
    const int n = c->n, blocks = n < 128 ? 4 : properties.multiProcessorCount;
    int32_t *distance_there, *tours, *start;
    long long *lengths;
    std::vector<long long> found(blocks);

    CHECK(cudaMalloc(&distance_there, (size_t)n * n * sizeof *distance));
    CHECK(cudaMalloc(&tours, (size_t)blocks * n * sizeof *tours));
    CHECK(cudaMalloc(&start, n * sizeof *start));
    CHECK(cudaMalloc(&lengths, blocks * sizeof *lengths));
    CHECK(cudaMemcpy(distance_there, distance, (size_t)n * n * sizeof *distance, cudaMemcpyHostToDevice));
    for (uint32_t round = 0;; round++) {
        int best = 0;

        search<<<blocks, THREADS>>>(*c, round, distance_there, start, tours, lengths);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(found.data(), lengths, blocks * sizeof found[0], cudaMemcpyDeviceToHost));
        for (int b = 1; b < blocks; b++)
            if (found[b] < found[best])
                best = b;
        CHECK(cudaMemcpy(start, tours + (size_t)best * n, n * sizeof *tours, cudaMemcpyDeviceToDevice));
        if (found[best] <= c->target)
            break;
    }
    CHECK(cudaMemcpy(tour, start, n * sizeof *tour, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(distance_there));
    CHECK(cudaFree(tours));
    CHECK(cudaFree(start));
    CHECK(cudaFree(lengths));
}
