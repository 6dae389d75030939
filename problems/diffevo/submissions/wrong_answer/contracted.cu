/*
 * Wrong: sums two coordinates at a time, in plain expressions. nvcc makes fused operations of them as it likes, and the
 * order of the sum is another one: the values differ in the last bits, and so, in time, does all else.
 */
#include <cstdio>
#include <cstdlib>

#include "diffevo.h"

static void check(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "contracted.cu: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

/* The value of the column x[0], x[NP], ... */
__device__ float evaluate(const diffevo_problem &p, const float *data, const float *x)
{
    const float *shift = data + p.shift;
    de_sum sum = de_sum_start();

    if (p.function == DIFFEVO_SPHERE) {
        float squares = 0;

        for (uint32_t j = 0; j + 1 < p.dimension; j += 2) {
            float z0 = x[j * p.population] - shift[j], z1 = x[(j + 1) * p.population] - shift[j + 1];

            squares += z0 * z0 + z1 * z1;
        }
        if (p.dimension % 2 == 1) {
            float z = x[(p.dimension - 1) * p.population] - shift[p.dimension - 1];

            squares += z * z;
        }
        return squares;
    }
    for (uint32_t j = 0; j < p.dimension; j++) {
        float z = 0;

        if (p.rotation == DIFFEVO_NO_ROTATION)
            z = de_sub(x[j * p.population], shift[j]);
        else
            for (uint32_t k = 0; k < p.dimension; k++)
                z = de_rotate(z, data[p.rotation + j * p.dimension + k], de_sub(x[k * p.population], shift[k]));
        sum = de_sum_add(p.function, sum, j, z, de_griewank_factor(j));
    }
    return de_sum_end(p.function, sum, p.dimension);
}

/* One block: individual i is thread i's. In shared memory: two populations x[D][NP], and the values [NP]. */
__global__ void evolve(diffevo_problem p, const float *data, diffevo_result *result, float *best_x)
{
    extern __shared__ float memory[];
    float *now = memory, *next = now + p.dimension * p.population, *value = next + p.dimension * p.population;
    uint32_t i = threadIdx.x, n = p.population, generation = 0;

    for (uint32_t j = 0; j < p.dimension; j++)
        now[j * n + i] = de_initial(de_initial_words(&p, i, j / 4).w[j % 4], p.low, p.high);
    value[i] = evaluate(p, data, now + i);
    while (!__syncthreads_or(value[i] <= p.target) && generation < p.generations) {
        generation++;
        de_choice c = de_choose(de_choice_words(&p, generation, i), i, n, p.dimension);

        for (uint32_t j = 0; j < p.dimension; j++) {
            const float *x = now + j * n;
            uint32_t bits = de_crossover_bits(de_crossover_words(&p, generation, i, j / 8), j);

            next[j * n + i] = bits < p.crossover || j == c.j
                                  ? de_mutant(x[c.r1], x[c.r2], x[c.r3], p.weight, p.low, p.high)
                                  : x[i];
        }

        float trial = evaluate(p, data, next + i);

        if (trial <= value[i])
            value[i] = trial;
        else
            for (uint32_t j = 0; j < p.dimension; j++)
                next[j * n + i] = now[j * n + i];
        float *spare = now;
        now = next;
        next = spare;
    }
    if (i > 0)
        return;
    *result = { 0, value[0], 0, generation, n * (generation + 1) };
    for (uint32_t k = 0; k < n; k++) {
        if (value[k] < result->best) {
            result->best = value[k];
            result->index = k;
        }
        result->checksum += de_checksum(k, p.dimension, p.dimension, value[k]);
        for (uint32_t j = 0; j < p.dimension; j++)
            result->checksum += de_checksum(k, j, p.dimension, now[j * n + k]);
    }
    for (uint32_t j = 0; j < p.dimension; j++)
        best_x[p.x + j] = now[j * n + result->index];
}

extern "C" void device_user(int, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    const diffevo_problem &last = problems[count - 1];
    size_t x_count = last.x + last.dimension, data_count = 0;
    diffevo_result *device_results;
    float *device_data, *device_x;

    for (int k = 0; k < count; k++) {
        const diffevo_problem &p = problems[k];

        data_count = p.rotation == DIFFEVO_NO_ROTATION ? p.shift + p.dimension : p.rotation + p.dimension * p.dimension;
    }
    check(cudaMalloc(&device_data, data_count * sizeof(float)));
    check(cudaMalloc(&device_results, count * sizeof(diffevo_result)));
    check(cudaMalloc(&device_x, x_count * sizeof(float)));
    check(cudaMemcpy(device_data, data, data_count * sizeof(float), cudaMemcpyHostToDevice));
    for (int k = 0; k < count; k++) {
        size_t bytes = (2 * problems[k].dimension + 1) * problems[k].population * sizeof(float);

        evolve<<<1, problems[k].population, bytes>>>(problems[k], device_data, device_results + k, device_x);
        check(cudaGetLastError());
    }
    check(cudaMemcpy(results, device_results, count * sizeof(diffevo_result), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(best_x, device_x, x_count * sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaFree(device_data));
    check(cudaFree(device_results));
    check(cudaFree(device_x));
}
