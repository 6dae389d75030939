/*
 * Wrong: counts the pairs of the good tours alone, and forgets the bad ones; a generator that
 * learns from good tours only is another algorithm.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cointsp_bits.h"
#include "device_user.h"

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "lost_counts.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

/* tours[P][n], lengths[P]: a thread a tour. */
__global__ void walk(cointsp_case c, uint32_t generation, const int32_t *distance, const uint32_t *generator,
                     int32_t *tours, int32_t *lengths)
{
    uint32_t individual = blockIdx.x * blockDim.x + threadIdx.x, random[4];

    if (individual >= c.population)
        return;

    int32_t *tour = tours + (size_t)individual * c.n, length = 0;

    for (uint32_t s = 0; s < c.n; s++)
        tour[s] = s; /* the visited ones first, the others behind them */
    for (uint32_t s = 0; s < c.n; s++) {
        uint32_t total = 0, at = s;

        cointsp_random_block(c.key, generation, individual, s / 4, random);

        uint32_t word = s % 4 == 0 ? random[0] : s % 4 == 1 ? random[1] : s % 4 == 2 ? random[2] : random[3];
        const uint32_t *row = generator + (size_t)(s > 0 ? tour[s - 1] : 0) * c.n;

        for (uint32_t u = s; u < c.n; u++)
            total += s > 0 ? row[tour[u]] : 0;
        for (uint32_t left = cointsp_scale(word, total ? total : c.n - s);; at++) {
            uint32_t weight = total ? row[tour[at]] : 1;

            if (left < weight)
                break;
            left -= weight;
        }

        int32_t city = tour[at];

        for (; at > s; at--)
            tour[at] = tour[at - 1];
        tour[s] = city;
    }
    for (uint32_t s = 0; s < c.n; s++)
        length += distance[(size_t)tour[s] * c.n + tour[s + 1 < c.n ? s + 1 : 0]];
    lengths[individual] = length;
}

/* Updates the generator, with one thread per row. */
__global__ void update(cointsp_case c, const int32_t *tours, const uint32_t *order, uint32_t *generator)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long sum = 0;

    for (uint32_t j = 0; i < c.n && j < c.n; j++) {
        long long value = generator[(size_t)i * c.n + j];

        for (uint32_t k = 0; k < c.selected; k++) {
            const int32_t *tour = tours + (size_t)order[k] * c.n;

            for (uint32_t s = 0; s < c.n; s++)
                if (tour[s] == i && tour[s + 1 < c.n ? s + 1 : 0] == j)
                    value += c.gain;
        }
        value = min(value, (long long)c.cap);
        generator[(size_t)i * c.n + j] = (uint32_t)value;
        sum += value;
    }
    for (uint32_t j = 0; i < c.n && j < c.n && sum > COINTSP_ONE; j++)
        generator[(size_t)i * c.n + j] =
            (uint32_t)((unsigned long long)generator[(size_t)i * c.n + j] * COINTSP_ONE / sum);
}

extern "C" void device_user(const cointsp_case *c, const int32_t *distance, cointsp_generation *generations,
                            int32_t *tour)
{
    const size_t n = c->n, population = c->population;
    std::vector<uint32_t> generator(n * n, COINTSP_ONE / (c->n - 1)), order(population);
    std::vector<int32_t> lengths(population);
    int32_t *distance_there, *tours, *lengths_there;
    uint32_t *generator_there, *order_there;
    cointsp_generation best = { 0, 0, INT64_MAX };

    for (size_t i = 0; i < n; i++)
        generator[i * n + i] = 0;
    check(cudaMalloc(&distance_there, n * n * sizeof *distance_there));
    check(cudaMalloc(&tours, population * n * sizeof *tours));
    check(cudaMalloc(&lengths_there, population * sizeof *lengths_there));
    check(cudaMalloc(&generator_there, n * n * sizeof *generator_there));
    check(cudaMalloc(&order_there, population * sizeof *order_there));
    check(cudaMemcpy(distance_there, distance, n * n * sizeof *distance, cudaMemcpyHostToDevice));
    check(cudaMemcpy(generator_there, generator.data(), n * n * sizeof generator[0], cudaMemcpyHostToDevice));
    for (uint32_t g = 0; g < c->generations; g++) {
        walk<<<(c->population + 63) / 64, 64>>>(*c, g, distance_there, generator_there, tours, lengths_there);
        check(cudaGetLastError());
        check(cudaMemcpy(lengths.data(), lengths_there, population * sizeof lengths[0], cudaMemcpyDeviceToHost));
        for (uint32_t p = 0; p < population; p++)
            order[p] = p;
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return lengths[a] < lengths[b]; });
        check(cudaMemcpy(order_there, order.data(), population * sizeof order[0], cudaMemcpyHostToDevice));
        update<<<(c->n + 63) / 64, 64>>>(*c, tours, order_there, generator_there);
        check(cudaGetLastError());
        check(cudaMemcpy(generator.data(), generator_there, n * n * sizeof generator[0], cudaMemcpyDeviceToHost));
        if (lengths[order[0]] < best.length) {
            best = { 0, 0, lengths[order[0]] };
            check(cudaMemcpy(tour, tours + order[0] * n, n * sizeof *tour, cudaMemcpyDeviceToHost));
            for (uint32_t s = 0; s < n; s++)
                best.tour += cointsp_term(s, (uint32_t)tour[s]);
        }
        best.generator = 0;
        for (uint32_t cell = 0; cell < n * n; cell++)
            best.generator += cointsp_term(cell, generator[cell]);
        generations[g] = best;
    }
    check(cudaFree(distance_there));
    check(cudaFree(tours));
    check(cudaFree(lengths_there));
    check(cudaFree(generator_there));
    check(cudaFree(order_there));
}
