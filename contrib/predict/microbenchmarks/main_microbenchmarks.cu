/*
 * main_microbenchmarks.cu - reads the constants of the model of time off a GPU: microbenchmarks [GROUP...] > FILE.csv
 *
 * Groups: pipes tensor shared memory atomics launch system pages runtime nested constants; none: all of them. Text
 * that kernels print comes between the lines. Exit codes: 0 done, 2 usage, 3 CUDA failed.
 */
#include <string.h>

#include "bench.h"

static const struct {
    const char *name;
    void (*run)(const struct machine *m);
} groups[] = {{"pipes", bench_pipes},   {"tensor", bench_tensor},   {"shared", bench_shared},
              {"memory", bench_memory}, {"atomics", bench_atomics}, {"launch", bench_launch},
              {"system", bench_system}, {"pages", bench_pages},     {"runtime", bench_runtime},
              {"nested", bench_nested}, {"constants", bench_constants}};

static bool wanted(const char *name, int argc, char **argv)
{
    for (int n = 1; n < argc; n++)
        if (!strcmp(argv[n], name))
            return true;
    return argc == 1;
}

static bool known(const char *name)
{
    for (const auto &g : groups)
        if (!strcmp(g.name, name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    cudaDeviceProp properties;
    struct machine m;
    int khz, memory_khz;

    for (int n = 1; n < argc; n++)
        if (!known(argv[n])) {
            fprintf(stderr, "no group '%s': pipes tensor shared memory atomics launch system pages runtime nested "
                    "constants\n", argv[n]);
            return 2;
        }
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    m.sms = properties.multiProcessorCount;
    m.mhz = khz * 1e-3;
    CHECK(cudaMalloc(&m.clock, 64 * sizeof *m.clock));
    CHECK(cudaMalloc(&m.sink, 1 << 20));
    puts("group,name,parameter,value,unit");
    bench_line("gpu", properties.name, 0, m.sms, "multiprocessors");
    bench_line("gpu", "clock", 0, m.mhz, "MHz");
    bench_line("gpu", "memory_clock", 0, memory_khz * 1e-3, "MHz");
    bench_line("gpu", "l2", 0, properties.l2CacheSize, "bytes");
    for (const auto &g : groups) {
        if (wanted(g.name, argc, argv))
            g.run(&m);
        fflush(stdout);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(m.clock));
    CHECK(cudaFree(m.sink));
    return 0;
}
