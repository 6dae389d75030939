/*
 * system.cu - what a kernel waits for outside of its GPU, or in the system's code: pages of managed memory that the
 * host touched last, memory of the host read over the bus, malloc() and printf() of kernels.
 */
#include "bench.h"

#include <string.h>

__global__ void read_all(const uint4 *from, size_t count, unsigned *sink)
{
    unsigned sum = 0;

    for (size_t n = blockIdx.x * (size_t)blockDim.x + threadIdx.x; n < count; n += (size_t)gridDim.x * blockDim.x) {
        uint4 v = from[n];

        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345)
        *sink = sum;
}

/* Pages that the host wrote, read by the GPU for the first time since, and again. */
static void managed(const struct machine *m, size_t bytes)
{
    float first = 1e30f, again;
    char *p;

    CHECK(cudaMallocManaged(&p, bytes));
    for (int round = 0; round < 3; round++) {
        cudaEvent_t before, after;
        float ms;

        memset(p, round + 1, bytes);
        CHECK(cudaEventCreate(&before));
        CHECK(cudaEventCreate(&after));
        CHECK(cudaEventRecord(before));
        read_all<<<m->sms * 4, 256>>>((const uint4 *)p, bytes / 16, m->sink);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        CHECK(cudaEventElapsedTime(&ms, before, after));
        first = ms < first ? ms : first;
        CHECK(cudaEventDestroy(before));
        CHECK(cudaEventDestroy(after));
    }
    again = bench_us(2, [&] { read_all<<<m->sms * 4, 256>>>((const uint4 *)p, bytes / 16, m->sink); });
    bench_line("managed", "first", (double)bytes, first * 1e3, "us");
    bench_line("managed", "again", (double)bytes, again, "us");
    CHECK(cudaFree(p));
}

static void mapped(const struct machine *m, size_t bytes)
{
    char *p;

    CHECK(cudaMallocHost(&p, bytes));
    memset(p, 1, bytes);
    bench_line("mapped", "read", (double)bytes,
               bench_us(3, [&] { read_all<<<m->sms * 4, 256>>>((const uint4 *)p, bytes / 16, m->sink); }), "us");
    CHECK(cudaFreeHost(p));
}

/* Threads that each take and give back a piece of the heap. */
__global__ void heap(int rounds, int bytes, unsigned *sink)
{
    for (int r = 0; r < rounds; r++) {
        char *p = (char *)malloc((size_t)bytes);

        if (!p)
            return;
        p[0] = (char)r;
        if (p[bytes / 2] == 77 && p[0] == 99)
            *sink = 1;
        free(p);
    }
}

__global__ void print(int rounds, int lanes)
{
    for (int r = 0; r < rounds; r++)
        if ((int)threadIdx.x < lanes)
            printf("");
}

void bench_system(const struct machine *m)
{
    static const struct {
        int blocks, threads;
    } shapes[] = {{1, 1}, {1, 32}, {1, 256}, {32, 32}, {132, 256}};
    char name[64];

    for (size_t bytes = 64 << 10; bytes <= 64 << 20; bytes *= 4)
        managed(m, bytes);
    for (size_t bytes = 64 << 10; bytes <= 64 << 20; bytes *= 4)
        mapped(m, bytes);
    for (const auto &s : shapes)
        for (int rounds = 0; rounds <= 4; rounds = rounds ? 2 * rounds : 1) {
            snprintf(name, sizeof name, "%dx%d", s.blocks, s.threads);
            bench_line("heap", name, rounds, bench_us(2, [&] { heap<<<s.blocks, s.threads>>>(rounds, 64, m->sink); }),
                       "us");
            bench_line("print", name, rounds, bench_us(2, [&] { print<<<s.blocks, s.threads>>>(rounds, 1024); }), "us");
        }
}
