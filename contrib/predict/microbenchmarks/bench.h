/*
 * bench.h - what the microbenchmarks share: a line of the result, checked calls, and times of launches.
 *
 * main_microbenchmarks.cu calls one function per group. Each writes lines `group,name,parameter,value,unit` to standard
 * output. docs/predict/methods.md says which constants of the model come from which lines.
 */
#ifndef PREDICT_BENCH_H
#define PREDICT_BENCH_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) bench_check((call), #call, __FILE__, __LINE__)

static inline void bench_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(3);
}

static inline void bench_line(const char *group, const char *name, double parameter, double value, const char *unit)
{
    printf("%s,%s,%.10g,%.6g,%s\n", group, name, parameter, value, unit);
}

/* Microseconds of the one launch, by events. */
template <class Launch> float bench_once(Launch launch)
{
    cudaEvent_t before, after;
    float ms;

    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    CHECK(cudaEventRecord(before));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(after));
    CHECK(cudaEventSynchronize(after));
    CHECK(cudaEventElapsedTime(&ms, before, after));
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    return ms * 1e3f;
}

/* The shortest of `rounds` times of one launch in microseconds, by events; the first round is not counted. */
template <class Launch> float bench_us(int rounds, Launch launch)
{
    float best = 1e30f;

    for (int round = 0; round <= rounds; round++) {
        const float us = bench_once(launch);

        if (round && us < best)
            best = us;
    }
    return best;
}

struct machine {
    int sms;
    double mhz;       /* the highest clock of the multiprocessors */
    long long *clock; /* device: where kernels write clocks */
    unsigned *sink;   /* device: where results go, so that nothing is optimised away */
};

/* The clocks that a kernel wrote to machine->clock[0]. */
static inline double bench_clocks(const struct machine *m)
{
    long long clocks;

    CHECK(cudaMemcpy(&clocks, m->clock, sizeof clocks, cudaMemcpyDeviceToHost));
    return (double)clocks;
}

void bench_pipes(const struct machine *m);   /* latency and throughput of PTX instructions */
void bench_tensor(const struct machine *m);
void bench_shared(const struct machine *m);  /* banks, shared atomics, constants, barriers */
void bench_memory(const struct machine *m);  /* latency and bandwidth of L1, L2 and memory; sectors */
void bench_atomics(const struct machine *m); /* on global memory */
void bench_launch(const struct machine *m);  /* launches and starts of blocks */
void bench_system(const struct machine *m);  /* memory that moves, the heap of kernels, printing */
void bench_pages(const struct machine *m);   /* pages of managed memory */
void bench_runtime(const struct machine *m); /* the heap with live pieces, printing of text */
void bench_nested(const struct machine *m);  /* launches by kernels */
void bench_constants(const struct machine *m); /* tables in constant memory that are larger than its first cache */

#endif
