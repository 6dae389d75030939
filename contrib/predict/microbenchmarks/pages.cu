/*
 * pages.cu - managed memory: what a launch waits for pages that the host had, that nobody had, that were prefetched, or
 * that the host read again. Each line is one launch, as in runtime.cu.
 */
#include "bench.h"

#include <string.h>

#define BYTES ((size_t)64 << 20)

/* Each thread touches a word, `stride` bytes from the next. */
__global__ void touch(char *from, int words, size_t stride, int write, unsigned *sink)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;

    if (n >= words)
        return;
    if (write)
        *(unsigned *)(from + n * stride) = n;
    else if (*(volatile unsigned *)(from + n * stride) == 12345)
        *sink = n;
}

__global__ void add_all(unsigned *word, int rounds)
{
    for (int n = 0; n < rounds; n++)
        atomicAdd_system(word + n % 8, 1u);
}

/* A thread adds a word of each array, which may be one. */
__global__ void sum(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *sink)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;

    if (a[n] + b[n] + c[n] == 12345)
        *sink = n;
}

static void line(const struct machine *m, const char *name, char *from, int words, size_t stride, int write)
{
    char text[128];

    snprintf(text, sizeof text, "%s_%s_stride_%zuK", name, write ? "write" : "read", stride >> 10);
    bench_line("pages", text, words, bench_once([&] {
                   touch<<<(words + 31) / 32, 32>>>(from, words, stride, write, m->sink);
               }), "us");
}

static char *managed(void)
{
    char *p;

    CHECK(cudaMallocManaged(&p, BYTES));
    return p;
}

static void to_device(char *p, size_t bytes)
{
    cudaMemLocation place = {};

    place.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPrefetchAsync(p, bytes, place, 0, 0));
    CHECK(cudaDeviceSynchronize());
}

static void by_stride(const struct machine *m, int write)
{
    static const size_t stride[] = {4 << 10, 64 << 10, 2 << 20};

    for (size_t s : stride)
        for (int words = 1; words <= 256 && words * s <= BYTES; words *= 4) {
            char *p = managed();

            line(m, "nobody", p, words, s, write);
            memset(p, 1, BYTES);
            line(m, "host_wrote", p, words, s, write);
            line(m, "again", p, words, s, write);
            CHECK(cudaFree(p));
        }
}

static unsigned sum_of(const char *p, size_t bytes)
{
    unsigned sum = 0;

    for (size_t n = 0; n < bytes; n += 4096)
        sum += *(const volatile char *)(p + n);
    return sum;
}

/* What a launch waits for after the runtime copied managed memory that the GPU had: to and from memory of its own. */
static void copied(const struct machine *m)
{
    static unsigned char host[4 << 20];
    void *other;
    char *p = managed();

    CHECK(cudaMalloc(&other, sizeof host));
    for (size_t bytes = 1 << 10; bytes <= sizeof host; bytes *= 16) {
        const struct {
            const char *name;
            void *to;
            const void *from;
            enum cudaMemcpyKind kind;
        } copies[] = {{"to_gpu_as_host", other, p, cudaMemcpyHostToDevice}, {"to_gpu", other, p, cudaMemcpyDefault},
                      {"from_gpu_as_host", p, other, cudaMemcpyDeviceToHost}, {"from_gpu", p, other, cudaMemcpyDefault},
                      {"to_host", host, p, cudaMemcpyDefault}, {"from_host", p, host, cudaMemcpyDefault}};

        for (const auto &c : copies) {
            char name[64];

            memset(p, 7, BYTES);
            line(m, "before", p, (int)(bytes >> 12) + 1, 4096, 1);
            CHECK(cudaMemcpy(c.to, c.from, bytes, c.kind));
            CHECK(cudaDeviceSynchronize());
            snprintf(name, sizeof name, "copied_%s_%zuK", c.name, bytes >> 10);
            line(m, name, p, (int)(bytes >> 12) + 1, 4096, 0);
        }
        memset(p, 7, BYTES);
        line(m, "before", p, (int)(bytes >> 12) + 1, 4096, 1);
        CHECK(cudaMemset(p, 1, bytes));
        CHECK(cudaDeviceSynchronize());
        line(m, "set", p, (int)(bytes >> 12) + 1, 4096, 0);
    }
    CHECK(cudaFree(other));
    CHECK(cudaFree(p));
}

/* One block more or less: how long pages take by the bytes of some areas that the host wrote. */
static void by_size(const struct machine *m)
{
    for (size_t bytes = 16 << 10; bytes <= 16 << 20; bytes *= 2)
        for (int areas = 1; areas <= 3; areas++) {
            char *p[3], name[64];

            for (int n = 0; n < areas; n++) {
                CHECK(cudaMallocManaged(&p[n], bytes));
                memset(p[n], 3, bytes);
            }
            snprintf(name, sizeof name, "sum_of_%d", areas);
            bench_line("pages", name, (double)bytes, bench_once([&] {
                           sum<<<(int)(bytes / 4096), 1024>>>((unsigned *)p[0], (unsigned *)p[areas / 2],
                                                              (unsigned *)p[areas - 1], m->sink);
                       }), "us");
            for (int n = 0; n < areas; n++)
                CHECK(cudaFree(p[n]));
        }
}

void bench_pages(const struct machine *m)
{
    char *p, *q[8];

    by_stride(m, 0);
    by_stride(m, 1);
    p = managed();
    for (size_t bytes = 4 << 10; bytes <= 1 << 20; bytes *= 16) {
        memset(p, 2, BYTES);
        line(m, "all", p, (int)(BYTES >> 16), 64 << 10, 0);
        if (sum_of(p, bytes) == 1)
            puts("");
        line(m, "host_read_a_part", p, (int)(BYTES >> 16), 64 << 10, 0);
        if (sum_of(p, bytes) == 1)
            puts("");
        line(m, "host_read_a_part", p, (int)(BYTES >> 16), 64 << 10, 1);
        memset(p, 3, bytes);
        line(m, "host_wrote_a_part", p, (int)(BYTES >> 16), 64 << 10, 0);
    }
    memset(p, 4, BYTES);
    to_device(p, BYTES);
    line(m, "prefetched", p, (int)(BYTES >> 16), 64 << 10, 0);
    line(m, "prefetched", p, (int)(BYTES >> 16), 64 << 10, 1);
    for (int n = 0; n < 8; n++) {
        CHECK(cudaMallocManaged(&q[n], 64));
        memset(q[n], 5, 64);
    }
    line(m, "small", q[0], 1, 4096, 0);
    line(m, "small_next", q[1], 1, 4096, 0);
    memset(q[7], 6, 64);
    line(m, "small_other_written", q[0], 1, 4096, 0);
    for (int blocks = 1; blocks <= 64; blocks *= 8)
        for (int round = 0; round < 2; round++) {
            if (round == 0)
                memset(p, 0, 64);
            bench_line("pages", round ? "atomics_again" : "atomics", blocks,
                       bench_once([&] { add_all<<<blocks, 256>>>((unsigned *)p, 16); }), "us");
        }
    for (int n = 0; n < 8; n++)
        CHECK(cudaFree(q[n]));
    CHECK(cudaFree(p));
    copied(m);
    by_size(m);
}
