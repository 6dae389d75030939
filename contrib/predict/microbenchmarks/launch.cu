/* launch.cu - what a launch costs that does nothing, and how fast blocks start. */
#include "bench.h"

__global__ void nothing(unsigned *sink, unsigned zero)
{
    if (zero)
        *sink = zero;
}

/* With many registers, as far as the compiler can be made to take them. */
__global__ void __launch_bounds__(256) heavy(unsigned *sink, unsigned zero)
{
    unsigned x[96];

    if (!zero)
        return;
    for (int n = 0; n < 96; n++)
        x[n] = sink[n * 32];
    for (int n = 0; n < 96; n++)
        for (int k = 0; k < 96; k += 7)
            x[n] ^= x[k] * 3;
    for (int n = 0; n < 96; n++)
        sink[n] = x[n];
}

static void start(const struct machine *m, int threads, size_t shared)
{
    const int blocks = 1 << 18;
    char name[32];
    float us;

    CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    us = bench_us(2, [&] { nothing<<<blocks, threads, shared>>>(m->sink, 0); });
    snprintf(name, sizeof name, "threads_%d", threads);
    bench_line("block_start", name, (double)shared, us * m->mhz / blocks, "clocks a block of the whole GPU");
}

void bench_launch(const struct machine *m)
{
    const int launches = 1000;
    float us = bench_us(3, [&] {
        for (int n = 0; n < launches; n++)
            nothing<<<1, 32>>>(m->sink, 0);
    });

    bench_line("launch", "in_a_stream", launches, us / launches, "us");
    for (int blocks = 1; blocks <= 8192; blocks *= 2) {
        us = bench_us(5, [&] { nothing<<<blocks, 256>>>(m->sink, 0); });
        bench_line("launch", "between_events", blocks, us, "us");
    }
    for (int threads = 32; threads <= 1024; threads *= 2) {
        start(m, threads, 0);
        start(m, threads, 16 << 10);
        start(m, threads, 48 << 10);
    }
    us = bench_us(2, [&] { heavy<<<1 << 18, 256>>>(m->sink, 0); });
    bench_line("block_start", "threads_256_registers", 0, us * m->mhz / (1 << 18), "clocks a block of the whole GPU");
}
