/*
 * The naive way: a kernel for every stage of the textbook's loop, one optimisation after the other.
 *
 * Each generation launches five kernels: prepare (the random individuals), mutate, cross, evaluate, select. The
 * population is an array of structures, x[NP][D], as it would be on a CPU. The CPU decides when to stop, and for that
 * reads all values back after every generation. Where the time goes: launches and copies of a few microseconds each,
 * for kernels that fill a fraction of one multiprocessor.
 *
 * bench.sh builds it in other ways, too: NAIVE_THREADS is the size of a block, up to 1024, and with NAIVE_CPU_RANDOM 1
 * the CPU draws all random numbers, as programs do that have no generator on the GPU, and copies them there.
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

#ifndef NAIVE_THREADS
#define NAIVE_THREADS 128
#endif
#ifndef NAIVE_CPU_RANDOM
#define NAIVE_CPU_RANDOM 0
#endif

const int THREADS = NAIVE_THREADS;
const bool CPU_DRAWS = NAIVE_CPU_RANDOM;
const int STARTS = 20; /* in the open mode: attempts at a target */

/* The arrays of one optimisation, on the device. */
struct arrays {
    float *x, *mutant, *trial;  /* [NP][D] */
    float *value, *trial_value; /* [NP] */
    de_choice *choice;          /* [NP] */
    unsigned char *crossed;     /* [NP][D], with CPU_DRAWS: whether a coordinate is the mutant's */
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

/* Whether coordinate j of individual i comes from the mutant. */
__host__ __device__ static bool is_crossed(const diffevo_problem &p, uint32_t generation, uint32_t i, uint32_t j,
                                           uint32_t always)
{
    return de_crossover_bits(de_crossover_words(&p, generation, i, j / 8), j) < p.crossover || j == always;
}

__global__ void cross(diffevo_problem p, uint32_t generation, const de_choice *choice, const unsigned char *crossed,
                      const float *x, const float *mutant, float *trial)
{
    uint32_t k = element(), i = k / p.dimension, j = k % p.dimension;

    if (i >= p.population)
        return;
    if (CPU_DRAWS ? crossed[k] != 0 : is_crossed(p, generation, i, j, choice[i].j))
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

/* What the CPU draws for one optimisation, with CPU_DRAWS. */
struct drawn {
    std::vector<float> x;               /* [NP][D] */
    std::vector<de_choice> choice;      /* [NP] */
    std::vector<unsigned char> crossed; /* [NP][D] */
};

static void draw_start(const diffevo_problem &p, drawn &d, float *x)
{
    for (uint32_t i = 0; i < p.population; i++)
        for (uint32_t j = 0; j < p.dimension; j++)
            d.x[i * p.dimension + j] = de_initial(de_initial_words(&p, i, j / 4).w[j % 4], p.low, p.high);
    CHECK(cudaMemcpy(x, d.x.data(), p.population * p.dimension * sizeof *x, cudaMemcpyHostToDevice));
}

static void draw_generation(const diffevo_problem &p, uint32_t generation, drawn &d, const arrays &a)
{
    for (uint32_t i = 0; i < p.population; i++) {
        d.choice[i] = de_choose(de_choice_words(&p, generation, i), i, p.population, p.dimension);
        for (uint32_t j = 0; j < p.dimension; j++)
            d.crossed[i * p.dimension + j] = is_crossed(p, generation, i, j, d.choice[i].j);
    }
    CHECK(cudaMemcpy(a.choice, d.choice.data(), p.population * sizeof *a.choice, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a.crossed, d.crossed.data(), p.population * p.dimension, cudaMemcpyHostToDevice));
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

static diffevo_result evolve(const diffevo_problem &p, const float *data, const arrays &a, drawn &d,
                             std::vector<float> &values, unsigned long long *device_checksum, float *best_x)
{
    unsigned rows = (p.population - 1) / THREADS + 1, elements = (p.population * p.dimension - 1) / THREADS + 1;
    unsigned long long checksum;
    uint32_t generation = 0, best;

    if (CPU_DRAWS)
        draw_start(p, d, a.x);
    else
        init<<<elements, THREADS>>>(p, a.x);
    CHECK(cudaGetLastError());
    evaluate<<<rows, THREADS>>>(p, data, a.x, a.value);
    CHECK(cudaGetLastError());
    best = best_of(a.value, values, p.population);
    while (generation < p.generations && !(values[best] <= p.target)) {
        generation++;
        if (CPU_DRAWS)
            draw_generation(p, generation, d, a);
        else
            prepare<<<rows, THREADS>>>(p, generation, a.choice);
        CHECK(cudaGetLastError());
        mutate<<<elements, THREADS>>>(p, a.choice, a.x, a.mutant);
        CHECK(cudaGetLastError());
        cross<<<elements, THREADS>>>(p, generation, a.choice, a.crossed, a.x, a.mutant, a.trial);
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
static void reach_target(diffevo_problem p, const float *data, const arrays &a, drawn &d, std::vector<float> &values,
                         unsigned long long *device_checksum, float *best_x)
{
    p.target = 0.9999f * p.target;
    for (int start = 0; start < STARTS; start++) {
        if (evolve(p, data, a, d, values, device_checksum, best_x).best <= p.target)
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
    const size_t drawn_numbers = CPU_DRAWS ? numbers : 0;
    drawn d = { std::vector<float>(drawn_numbers), std::vector<de_choice>(CPU_DRAWS ? individuals : 0),
                std::vector<unsigned char>(drawn_numbers) };

    CHECK(cudaMalloc(&device_data, data_count * sizeof(float)));
    CHECK(cudaMalloc(&device_checksum, sizeof *device_checksum));
    CHECK(cudaMalloc(&a.x, numbers * sizeof(float)));
    CHECK(cudaMalloc(&a.mutant, numbers * sizeof(float)));
    CHECK(cudaMalloc(&a.trial, numbers * sizeof(float)));
    CHECK(cudaMalloc(&a.value, individuals * sizeof(float)));
    CHECK(cudaMalloc(&a.trial_value, individuals * sizeof(float)));
    CHECK(cudaMalloc(&a.choice, individuals * sizeof(de_choice)));
    a.crossed = NULL;
    if (CPU_DRAWS)
        CHECK(cudaMalloc(&a.crossed, numbers));
    CHECK(cudaMemcpy(device_data, data, data_count * sizeof(float), cudaMemcpyHostToDevice));
    for (int k = 0; k < count; k++) {
        if (mode == DIFFEVO_OPEN)
            reach_target(problems[k], device_data, a, d, values, device_checksum, best_x + problems[k].x);
        else
            results[k] = evolve(problems[k], device_data, a, d, values, device_checksum, best_x + problems[k].x);
    }
    CHECK(cudaFree(device_data));
    CHECK(cudaFree(device_checksum));
    CHECK(cudaFree(a.x));
    CHECK(cudaFree(a.mutant));
    CHECK(cudaFree(a.trial));
    CHECK(cudaFree(a.value));
    CHECK(cudaFree(a.trial_value));
    CHECK(cudaFree(a.choice));
    if (CPU_DRAWS)
        CHECK(cudaFree(a.crossed));
}
