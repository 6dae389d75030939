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

static void line(const struct machine *m, const char *name, char *from, int words, size_t stride, int write)
{
    char text[64];

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
}
