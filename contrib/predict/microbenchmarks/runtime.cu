/*
 * runtime.cu - code of the system that runs inside kernels: malloc() and free() while many pieces live, and printf() of
 * real text. Each line is one launch, in the order of launches, so that a profiler's times can be put beside them.
 */
#include "bench.h"

/* Each thread takes `count` pieces and keeps them. */
__global__ void take(void **piece, int count, size_t bytes)
{
    size_t first = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * count;

    for (int n = 0; n < count; n++)
        piece[first + n] = malloc(bytes);
}

/* Gives them back: in the order of taking, or the other way round. */
__global__ void give(void **piece, int count, int backwards)
{
    size_t first = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * count;

    for (int n = 0; n < count; n++)
        free(piece[first + (backwards ? count - 1 - n : n)]);
}

static void live(void **piece, int blocks, int threads, int count, size_t bytes, int backwards)
{
    char name[64];

    snprintf(name, sizeof name, "take_%dx%d_of_%zu", blocks, threads, bytes);
    bench_line("heap_live", name, count, bench_once([&] { take<<<blocks, threads>>>(piece, count, bytes); }), "us");
    snprintf(name, sizeof name, "give_%dx%d_of_%zu%s", blocks, threads, bytes, backwards ? "_backwards" : "");
    bench_line("heap_live", name, count, bench_once([&] { give<<<blocks, threads>>>(piece, count, backwards); }), "us");
}

static void live_all(void **piece)
{
    for (int count = 1; count <= 1024; count *= 4)
        live(piece, 1, 1, count, 16, 0);
    for (int count = 64; count <= 1024; count *= 4) {
        live(piece, 1, 1, count, 256, 0);
        live(piece, 1, 1, count, 16, 1);
    }
    live(piece, 1, 1, 64, 4096, 0);
    for (int count = 1; count <= 64; count *= 4) {
        live(piece, 1, 32, count, 16, 0);
        live(piece, 1, 256, count, 16, 0);
    }
    live(piece, 4, 64, 1, 96, 0);
    live(piece, 132, 256, 1, 16, 0);
}

/* ARGUMENTS numbers after a text of some 20 letters. */
template <int ARGUMENTS> __global__ void print_text(int calls, int lanes, int x)
{
    for (int n = 0; n < calls; n++) {
        if ((int)threadIdx.x % 32 >= lanes)
            continue;
        if (ARGUMENTS == 0)
            printf("hello of some thread\n");
        if (ARGUMENTS == 1)
            printf("hello of thread %d\n", n + x);
        if (ARGUMENTS == 2)
            printf("hello of %d and %d\n", n, x);
        if (ARGUMENTS == 4)
            printf("hello %d %d %d %d\n", n, x, n + x, n * x);
        if (ARGUMENTS == 8)
            printf("%d %d %d %d %d %d %d %d\n", n, x, n + x, n * x, n - x, n ^ x, n & x, n | x);
    }
}

template <int ARGUMENTS> static void print(int blocks, int threads, int calls, int lanes)
{
    char name[64];

    snprintf(name, sizeof name, "%d_arguments_%dx%d_lanes_%d", ARGUMENTS, blocks, threads, lanes);
    bench_line("print_text", name, calls,
               bench_once([&] { print_text<ARGUMENTS><<<blocks, threads>>>(calls, lanes, blocks); }), "us");
}

void bench_runtime(const struct machine *m)
{
    void **piece;

    (void)m;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 256 << 20));
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20));
    CHECK(cudaMalloc(&piece, (1 << 18) * sizeof *piece));
    live_all(piece);
    CHECK(cudaFree(piece));
    for (int round = 0; round < 2; round++) {
        print<0>(1, 1, 1, 1);
        print<1>(1, 1, 1, 1);
        print<2>(1, 1, 1, 1);
        print<4>(1, 1, 1, 1);
        print<8>(1, 1, 1, 1);
    }
    for (int calls = 2; calls <= 32; calls *= 2)
        print<1>(1, 1, calls, 1);
    print<0>(1, 1, 16, 1);
    print<4>(1, 1, 16, 1);
    print<8>(1, 1, 16, 1);
    for (int lanes = 1; lanes <= 32; lanes *= 2)
        print<1>(1, 32, 4, lanes);
    for (int warps = 2; warps <= 32; warps *= 2) {
        print<1>(1, 32 * warps, 1, 1);
        print<1>(1, 32 * warps, 1, 32);
    }
    for (int blocks = 2; blocks <= 512; blocks *= 4) {
        print<1>(blocks, 32, 1, 1);
        print<1>(blocks, 32, 1, 32);
        print<1>(blocks, 32, 4, 1);
    }
    print<8>(32, 32, 1, 32);
    print<0>(32, 32, 1, 32);
}
