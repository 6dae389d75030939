/*
 * nested.cu - launches by kernels, at a depth, from one thread, from the lanes of a warp and from many blocks. Each
 * line is one launch of the host, as in runtime.cu.
 */
#include "bench.h"

__global__ void leaf(unsigned *sink, unsigned zero)
{
    if (zero)
        *sink = zero;
}

/* Starts itself `depth` times, one after another. */
__global__ void chain(int depth, unsigned *sink)
{
    if (threadIdx.x == 0 && depth > 0)
        chain<<<1, 32>>>(depth - 1, sink);
}

/* Each of `lanes` threads of a block starts `count` kernels, in its block's stream or in streams of their own. */
__global__ void fan(int count, int lanes, int apart, int blocks, unsigned *sink)
{
    if ((int)threadIdx.x >= lanes)
        return;
    for (int n = 0; n < count; n++)
        if (apart)
            leaf<<<blocks, 64, 0, cudaStreamFireAndForget>>>(sink, 0);
        else
            leaf<<<blocks, 64>>>(sink, 0);
}

/* A tree: each kernel starts two. */
__global__ void tree(int depth, unsigned *sink)
{
    if (threadIdx.x < 2 && depth > 0)
        tree<<<1, 32>>>(depth - 1, sink);
}

static void one_fan(const struct machine *m, const char *name, int blocks, int lanes, int count, int apart)
{
    char text[64];

    snprintf(text, sizeof text, "%s%s_%dx%d", name, apart ? "_apart" : "", blocks, lanes);
    bench_line("nested", text, count,
               bench_once([&] { fan<<<blocks, 32>>>(count, lanes, apart, 1, m->sink); }), "us");
}

void bench_nested(const struct machine *m)
{
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 8192));
    for (int round = 0; round < 2; round++)
        for (int depth = 0; depth <= 16; depth = depth ? 2 * depth : 1)
            bench_line("nested", "chain", depth, bench_once([&] { chain<<<1, 32>>>(depth, m->sink); }), "us");
    for (int apart = 0; apart < 2; apart++) {
        for (int count = 1; count <= 256; count *= 4)
            one_fan(m, "thread", 1, 1, count, apart);
        for (int lanes = 2; lanes <= 32; lanes *= 4)
            one_fan(m, "lanes", 1, lanes, 1, apart);
        for (int blocks = 4; blocks <= 1024; blocks *= 4)
            one_fan(m, "blocks", blocks, 1, 1, apart);
        one_fan(m, "blocks", 132, 1, 8, apart);
    }
    for (int depth = 1; depth <= 8; depth++)
        bench_line("nested", "tree", depth, bench_once([&] { tree<<<1, 32>>>(depth, m->sink); }), "us");
}
