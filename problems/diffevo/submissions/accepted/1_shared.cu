/*
 * Step 1 from the baseline to the expert: the population moves from global into shared memory, and a call is one
 * launch.
 *
 * The algorithm is the baseline's: a block an optimisation, a thread an individual. But a population of D = 30 and
 * NP = 150 is 18 kB, and two of them, this generation's and the next, fit into a block's shared memory; the launches of
 * the baseline become the blocks of one, of which several run on a multiprocessor at a time. Rows lie an odd number of
 * quads (four coordinates) apart, so that threads side by side, each with its own row, read a quad each from different
 * banks.
 *
 * What is left to gain: the rows of the three random individuals do collide, 2 to 3 times for eight threads; who keeps
 * its row copies it; and every block of Philox is made from its first round on. A problem whose populations do not fit
 * into shared memory takes global memory.
 */
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#include "diffevo.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_shared.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

const int STARTS = 20;      /* in the open mode: attempts at a target */
const int THREADS_MAX = 512;

/* Quads from a row to the next. */
__host__ __device__ inline uint32_t stride_of(uint32_t dimension) { return (dimension + 3) / 4 | 1; }

/* Floats that a problem's two populations take. */
__host__ __device__ inline size_t populations_of(uint32_t dimension, uint32_t population)
{
    return (size_t)8 * stride_of(dimension) * population;
}

__device__ inline float part(const float4 &quad, uint32_t k)
{
    return k == 0 ? quad.x : k == 1 ? quad.y : k == 2 ? quad.z : quad.w;
}

/* The value of the row x with one shift. */
template <int FUNCTION>
__device__ float evaluate_shifted(const diffevo_problem &p, const float *data, const float *shift, const float *factor,
                                  const float *x)
{
    de_sum sum = de_sum_start();

    for (uint32_t j = 0; j < p.dimension; j++) {
        float z = 0;

        if (p.rotation == DIFFEVO_NO_ROTATION) {
            z = de_sub(x[j], shift[j]);
        } else {
            const float *row = data + p.rotation + j * p.dimension;

            for (uint32_t k = 0; k < p.dimension; k++)
                z = de_rotate(z, row[k], de_sub(x[k], shift[k]));
        }
        sum = de_sum_add(FUNCTION, sum, j, z, factor[j]);
    }
    return de_sum_end(FUNCTION, sum, p.dimension);
}

template <int FUNCTION>
__device__ float evaluate_all(const diffevo_problem &p, const float *data, const float *factor, const float *x)
{
    const float *shift = data + p.shift;
    float value = evaluate_shifted<FUNCTION>(p, data, shift, factor, x);

    for (uint32_t s = 1; s < p.shifts; s++)
        value = de_add(value, evaluate_shifted<FUNCTION>(p, data, shift + s * p.dimension, factor, x));
    return value;
}

__device__ float evaluate(const diffevo_problem &p, const float *data, const float *factor, const float *x)
{
    switch (p.function) {
    case DIFFEVO_SPHERE: return evaluate_all<DIFFEVO_SPHERE>(p, data, factor, x);
    case DIFFEVO_ROSENBROCK: return evaluate_all<DIFFEVO_ROSENBROCK>(p, data, factor, x);
    case DIFFEVO_RASTRIGIN: return evaluate_all<DIFFEVO_RASTRIGIN>(p, data, factor, x);
    case DIFFEVO_ACKLEY: return evaluate_all<DIFFEVO_ACKLEY>(p, data, factor, x);
    case DIFFEVO_GRIEWANK: return evaluate_all<DIFFEVO_GRIEWANK>(p, data, factor, x);
    default: return evaluate_all<DIFFEVO_SCHWEFEL>(p, data, factor, x);
    }
}

/* What the threads of a block find out together. */
struct finding {
    uint64_t checksum;
    float best;
    uint32_t index;
};

__device__ finding better(finding a, finding b)
{
    bool first = a.best < b.best || (a.best == b.best && a.index < b.index);

    return { a.checksum + b.checksum, first ? a.best : b.best, first ? a.index : b.index };
}

__device__ float4 make_trial(const diffevo_problem &p, de_choice c, const de_words &words, uint32_t q, float4 x,
                             float4 x1, float4 x2, float4 x3)
{
    float trial[4];

#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t word = q % 2 == 0 ? words.w[k / 2] : words.w[2 + k / 2], bits = word >> (k % 2 * 16) & 0xffff;
        float mutant = de_mutant(part(x1, k), part(x2, k), part(x3, k), p.weight, p.low, p.high);

        trial[k] = (bits < p.crossover) | (4 * q + k == c.j) ? mutant : part(x, k);
    }
    return make_float4(trial[0], trial[1], trial[2], trial[3]);
}

/* memory: `room` floats a block, for populations that do not fit into the dynamic shared memory of `fits` floats. */
__global__ void __launch_bounds__(THREADS_MAX)
    evolve(const diffevo_problem *problems, int count, const float *data, float *memory, size_t room, size_t fits,
           int starts, float aim, diffevo_result *results, float *best_x)
{
    extern __shared__ float4 shared[];
    __shared__ float factor[128], value[1280];
    __shared__ finding findings[THREADS_MAX];

    for (int turn = blockIdx.x; turn < count; turn += gridDim.x) {
        diffevo_problem p = problems[turn];
        uint32_t stride = stride_of(p.dimension), quads = (p.dimension + 3) / 4, generation;
        float4 *now = populations_of(p.dimension, p.population) <= fits
                          ? shared : reinterpret_cast<float4 *>(memory + blockIdx.x * room);
        float4 *next = now + stride * p.population;
        bool reached;

        p.target *= aim;
        for (uint32_t j = threadIdx.x; j < p.dimension; j += blockDim.x)
            factor[j] = de_griewank_factor(j);
        __syncthreads();
        for (int left = starts;;) {
            generation = 0;
            reached = false;
            for (uint32_t i = threadIdx.x; i < p.population; i += blockDim.x) {
                for (uint32_t q = 0; q < quads; q++) {
                    de_words w = de_initial_words(&p, i, q);
                    float4 *quad = &now[i * stride + q];

                    quad->x = de_initial(w.w[0], p.low, p.high);
                    quad->y = de_initial(w.w[1], p.low, p.high);
                    quad->z = de_initial(w.w[2], p.low, p.high);
                    quad->w = de_initial(w.w[3], p.low, p.high);
                }
                value[i] = evaluate(p, data, factor, &now[i * stride].x);
                reached |= value[i] <= p.target;
            }
            /* The barrier also keeps apart who wrote this generation and who reads it. */
            while (!__syncthreads_or(reached) && generation < p.generations) {
                generation++;
                for (uint32_t i = threadIdx.x; i < p.population; i += blockDim.x) {
                    de_choice c = de_choose(de_choice_words(&p, generation, i), i, p.population, p.dimension);
                    float4 *trial = next + i * stride, *own = now + i * stride;
                    de_words words = {};

                    for (uint32_t q = 0; q < quads; q++) {
                        if (q % 2 == 0)
                            words = de_crossover_words(&p, generation, i, q / 2);
                        trial[q] = make_trial(p, c, words, q, own[q], now[c.r1 * stride + q], now[c.r2 * stride + q],
                                              now[c.r3 * stride + q]);
                    }
                    float found = evaluate(p, data, factor, &trial->x);

                    if (found <= value[i])
                        value[i] = found;
                    else
                        for (uint32_t q = 0; q < quads; q++)
                            trial[q] = own[q];
                    reached |= value[i] <= p.target;
                }
                float4 *spare = now;
                now = next;
                next = spare;
            }
            if (--left <= 0 || __syncthreads_or(reached))
                break;
            p.seed[0]++;
        }

        finding own = { 0, FLT_MAX, 0xffffffffu };

        for (uint32_t i = threadIdx.x; i < p.population; i += blockDim.x) {
            own = better(own, { de_checksum(i, p.dimension, p.dimension, value[i]), value[i], i });
            for (uint32_t j = 0; j < p.dimension; j++)
                own.checksum += de_checksum(i, j, p.dimension, (&now[i * stride].x)[j]);
        }
        findings[threadIdx.x] = own;
        for (unsigned half = THREADS_MAX / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half && threadIdx.x + half < blockDim.x)
                findings[threadIdx.x] = better(findings[threadIdx.x], findings[threadIdx.x + half]);
        }
        __syncthreads();
        own = findings[0];
        if (threadIdx.x == 0)
            results[turn] = { own.checksum, own.best, own.index, generation, p.population * (generation + 1) };
        for (uint32_t j = threadIdx.x; j < p.dimension; j += blockDim.x)
            best_x[p.x + j] = (&now[own.index * stride].x)[j];
        __syncthreads();
    }
}

extern "C" void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    size_t data_count = 0, x_count = 0, room = 0, fits = 0; /* floats */
    uint32_t threads = 32;
    diffevo_problem *device_problems;
    diffevo_result *device_results;
    float *device_data, *device_x, *memory;
    int processors, most, blocks;

    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    most -= 24 << 10; /* for what has a fixed size */
    for (int k = 0; k < count; k++) {
        const diffevo_problem &p = problems[k];
        size_t end = p.rotation == DIFFEVO_NO_ROTATION ? p.shift + (size_t)p.shifts * p.dimension
                                                       : p.rotation + (size_t)p.dimension * p.dimension;
        size_t populations = populations_of(p.dimension, p.population);

        data_count = std::max(data_count, end);
        x_count += p.dimension;
        room = std::max(room, populations);
        if (populations * sizeof(float) <= (size_t)most)
            fits = std::max(fits, populations);
        threads = std::max(threads, std::min((p.population + 31) / 32 * 32, (uint32_t)THREADS_MAX));
    }
    CHECK(cudaFuncSetAttribute(evolve, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, evolve, (int)threads, fits * sizeof(float)));
    blocks = std::min(count, blocks * processors);
    CHECK(cudaMalloc(&device_problems, count * sizeof *problems));
    CHECK(cudaMalloc(&device_data, data_count * sizeof(float)));
    CHECK(cudaMalloc(&device_results, count * sizeof(diffevo_result)));
    CHECK(cudaMalloc(&device_x, x_count * sizeof(float)));
    CHECK(cudaMalloc(&memory, blocks * room * sizeof(float)));
    CHECK(cudaMemcpy(device_problems, problems, count * sizeof *problems, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_data, data, data_count * sizeof(float), cudaMemcpyHostToDevice));
    /* In the open mode the judge computes in double precision: aim a little lower. */
    evolve<<<blocks, threads, fits * sizeof(float)>>>(device_problems, count, device_data, memory, room, fits,
                                                      mode == DIFFEVO_OPEN ? STARTS : 1,
                                                      mode == DIFFEVO_OPEN ? 0.9999f : 1.0f, device_results, device_x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(best_x, device_x, x_count * sizeof(float), cudaMemcpyDeviceToHost));
    if (mode != DIFFEVO_OPEN)
        CHECK(cudaMemcpy(results, device_results, count * sizeof(diffevo_result), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_problems));
    CHECK(cudaFree(device_data));
    CHECK(cudaFree(device_results));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(memory));
}
