/*
 * Too slow: one thread an optimisation, which looks for the target and nothing else. Where there is none, it never
 * ends.
 */
#include <cstdio>
#include <cstdlib>

#include "diffevo.h"

static void check(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "endless.cu: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

/* A random walk: the vector moves whenever that makes the sphere's value less. */
__global__ void walk(diffevo_problem p, const float *shift, float *x, float *best)
{
    float value = 3.4e38f;

    for (uint32_t step = 0; !(value <= p.target); step++) { /* forgets p.generations */
        de_words words = de_initial_words(&p, step, 0);
        uint32_t j = de_below(words.w[0], p.dimension);
        float z = de_sub(de_initial(words.w[1], p.low, p.high), shift[j]), square = de_mul(z, z);

        if (square < value) {
            x[j] = de_add(z, shift[j]);
            value = square;
        }
    }
    *best = value;
}

extern "C" void device_user(int, const struct diffevo_problem *problems, int count, const float *data,
                            struct diffevo_result *results, float *best_x)
{
    float *memory; /* the shift, the vector, the value */

    check(cudaMalloc(&memory, 257 * sizeof *memory));
    for (int k = 0; k < count; k++) {
        size_t size = problems[k].dimension * sizeof *memory;

        check(cudaMemcpy(memory, data + problems[k].shift, size, cudaMemcpyHostToDevice));
        check(cudaMemset(memory + 128, 0, 129 * sizeof *memory));
        walk<<<1, 1>>>(problems[k], memory, memory + 128, memory + 256);
        check(cudaGetLastError());
        check(cudaMemcpy(best_x + problems[k].x, memory + 128, size, cudaMemcpyDeviceToHost));
        check(cudaMemcpy(&results[k].best, memory + 256, sizeof(float), cudaMemcpyDeviceToHost));
    }
    check(cudaFree(memory));
}
