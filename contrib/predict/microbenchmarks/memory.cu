/*
 * memory.cu - L1, L2 and memory: latency by working set, alone and under load; bandwidth by working set and by warps;
 * and what a request costs that touches many sectors.
 */
#include "bench.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
enum {
    STRIDE = 128,            /* bytes between the links of a chain */
    BLOCK_BYTES = 64 << 10,  /* of each block's own */
    MATRIX_BYTES = 12 << 20, /* of columns: three are in L2 together */
};

/* A ring through all links: a linear congruence with a full period, as the count is a power of two. */
__global__ void link(char *base, uint64_t count)
{
    for (uint64_t n = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; n < count;
         n += (uint64_t)gridDim.x * blockDim.x)
        *(uint64_t *)(base + n * STRIDE) = (n * 1664525ull + 1013904223ull) % count * STRIDE;
}

template <bool L1> static __device__ __forceinline__ uint64_t follow(const char *base, uint64_t at)
{
    uint64_t next;

    if (L1)
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(base + at));
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(base + at));
    return next;
}

/* One thread follows the ring; `streams` blocks beside it read `load` again and again until it has done. */
template <bool L1>
__global__ void chase(const char *base, int steps, long long *clocks, unsigned *sink, const uint4 *load, uint64_t words,
                      volatile int *done, uint64_t *loaded)
{
    if (blockIdx.x == 0) {
        uint64_t at = 0;
        long long begin;

        if (threadIdx.x)
            return;
        for (int n = 0; n < steps; n++)
            at = follow<L1>(base, at);
        begin = clock64();
        for (int n = 0; n < steps; n++)
            at = follow<L1>(base, at);
        *clocks = clock64() - begin;
        *sink = (unsigned)at;
        *done = 1;
        return;
    }
    unsigned sum = 0;
    uint64_t stride = (uint64_t)(gridDim.x - 1) * blockDim.x, rounds = 0;

    for (int pass = 0; pass < 20000 && !*done; pass++) {
        for (uint64_t n = (blockIdx.x - 1) * (uint64_t)blockDim.x + threadIdx.x + pass * 7919 * stride % words, k = 0;
             k < 16; k++, n += stride) {
            uint4 v;

            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(&load[n % words]));
            sum += v.x + v.y + v.z + v.w;
        }
        rounds += 16;
    }
    if (sum == 12345)
        *sink = sum;
    if (threadIdx.x == 0)
        atomicAdd((unsigned long long *)loaded, (unsigned long long)(rounds * blockDim.x * sizeof(uint4)));
}

static void latencies(const struct machine *m, char *buffer)
{
    static const uint64_t sets[] = {16 * KIB, 64 * KIB, 128 * KIB, 512 * KIB, 2 * MIB, 8 * MIB, 16 * MIB,
                                    32 * MIB, 64 * MIB, 128 * MIB, 512 * MIB, 1024 * MIB};
    int *done;
    uint64_t *loaded;

    CHECK(cudaMalloc(&done, sizeof *done));
    CHECK(cudaMalloc(&loaded, sizeof *loaded));
    for (uint64_t set : sets) {
        uint64_t count = set / STRIDE;
        int steps = count < 4096 ? (int)count : 16384;

        link<<<512, 256>>>(buffer, count);
        CHECK(cudaMemset(done, 0, sizeof *done));
        chase<true><<<1, 32>>>(buffer, steps, m->clock, m->sink, NULL, 1, done, loaded);
        CHECK(cudaGetLastError());
        bench_line("memory_latency", "load_ca", (double)set, bench_clocks(m) / steps, "clocks");
        chase<false><<<1, 32>>>(buffer, steps, m->clock, m->sink, NULL, 1, done, loaded);
        CHECK(cudaGetLastError());
        bench_line("memory_latency", "load_cg", (double)set, bench_clocks(m) / steps, "clocks");
    }
    /* Under load: the ring needs memory; the other blocks read 512 MiB, with more and more warps. */
    link<<<512, 256>>>(buffer, 512 * MIB / STRIDE);
    for (int threads = 32; threads <= 1024; threads *= 2) {
        uint64_t bytes, words = 512 * MIB / sizeof(uint4);
        const uint4 *load = (const uint4 *)(buffer + 1024 * MIB);
        double clocks;

        CHECK(cudaMemset(done, 0, sizeof *done));
        CHECK(cudaMemset(loaded, 0, sizeof *loaded));
        chase<false><<<m->sms, threads>>>(buffer, 4096, m->clock, m->sink, load, words, done, loaded);
        CHECK(cudaGetLastError());
        clocks = bench_clocks(m);
        CHECK(cudaMemcpy(&bytes, loaded, sizeof bytes, cudaMemcpyDeviceToHost));
        bench_line("loaded_latency", "memory", threads / 32, clocks / 4096, "clocks");
        bench_line("loaded_bytes", "memory", threads / 32, (double)bytes / (2 * clocks), "bytes a clock");
    }
    CHECK(cudaFree(done));
    CHECK(cudaFree(loaded));
}

/* ---- bandwidth ---- */

enum way { READ, WRITE, COPY };

template <int WAY, int FLIGHT>
__global__ void stream(uint4 *to, const uint4 *from, uint64_t words, int passes, unsigned *sink)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    unsigned sum = 0;

    for (int pass = 0; pass < passes; pass++) {
        for (uint64_t n = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; n < words; n += FLIGHT * stride) {
            uint4 v[FLIGHT];

#pragma unroll
            for (int k = 0; k < FLIGHT; k++) {
                v[k] = make_uint4(1, 2, 3, 4);
                if (WAY != WRITE && n + k * stride < words)
                    v[k] = __ldcg(&from[n + k * stride]);
            }
#pragma unroll
            for (int k = 0; k < FLIGHT; k++) {
                if (WAY != READ && n + k * stride < words)
                    to[n + k * stride] = v[k];
                sum += v[k].x ^ v[k].w;
            }
        }
    }
    if (sum == 12345)
        *sink = sum;
}

template <int WAY> static void bandwidth(const struct machine *m, char *buffer, const char *name)
{
    for (uint64_t set = 1 * MIB; set <= 1024 * MIB; set += set < 32 * MIB ? set : set < 96 * MIB ? 16 * MIB : set) {
        int passes = set < 256 * MIB ? (int)(256 * MIB / set) : 1;
        uint64_t words = set / sizeof(uint4) / (WAY == COPY ? 2 : 1);
        uint4 *to = (uint4 *)buffer, *from = WAY == COPY ? to + words : to;
        float us = bench_us(3, [&] {
            stream<WAY, 4><<<m->sms * 4, 512>>>(to, from, words, passes, m->sink);
        });

        bench_line("bandwidth", name, (double)set, (double)set * passes / us * 1e-3, "GB/s");
    }
}

template <int FLIGHT> static void by_warps(const struct machine *m, char *buffer, uint64_t set, const char *name)
{
    for (int warps = 1; warps <= 64; warps *= 2) {
        int threads = warps < 8 ? warps * 32 : 256, blocks = warps < 8 ? 1 : warps / 8;
        int passes = set < 64 * MIB ? 8 : 1;
        uint64_t words = set / sizeof(uint4);
        float us = bench_us(2, [&] {
            stream<READ, FLIGHT><<<m->sms * blocks, threads>>>(NULL, (uint4 *)buffer, words, passes, m->sink);
        });

        bench_line(name, FLIGHT == 1 ? "flight_1" : "flight_4", warps, (double)set * passes / us * 1e-3, "GB/s");
    }
}

/* ---- sectors ---- */

/* Each lane reads `WIDTH` bytes, `stride` bytes from its neighbour's. */
template <int WIDTH, bool L1> __global__ void strided(const char *base, unsigned stride, int rounds,
                                                      unsigned *sink, long long *clocks)
{
    const char *at = base + (uint64_t)blockIdx.x * BLOCK_BYTES;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    unsigned span = 32 * stride > WIDTH * 32 ? 32 * stride : WIDTH * 32;
    long long begin;

    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 4
        for (int r = 0; r < rounds; r++) {
            const char *p = at + ((warp + r) * span + lane * stride) % BLOCK_BYTES;
            unsigned x, y = 0, z = 0, w = 0;

            if (WIDTH == 4 && L1)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p));
            else if (WIDTH == 4)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p));
            else if (L1)
                asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "l"(p));
            else
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "l"(p));
            sum += x + y + z + w;
        }
        __syncthreads();
        if (threadIdx.x == 0 && blockIdx.x == 0)
            *clocks = clock64() - begin;
    }
    if (sum == 12345)
        *sink = sum;
}

template <int WIDTH, bool L1> static void sectors(const struct machine *m, char *buffer, const char *name)
{
    for (unsigned stride = WIDTH == 4 ? 0 : 16; stride <= 128; stride = stride ? 2 * stride : 4) {
        const int rounds = 512;

        strided<WIDTH, L1><<<L1 ? 1 : m->sms, 1024>>>(buffer, stride, rounds, m->sink, m->clock);
        CHECK(cudaGetLastError());
        bench_line(L1 ? "sectors_l1" : "sectors_l2", name, stride, bench_clocks(m) / (rounds * 32.0),
                   "clocks a request and multiprocessor");
    }
}

template <int WIDTH> __global__ void stores(char *base, unsigned stride, int rounds, long long *clocks)
{
    char *at = base + (uint64_t)blockIdx.x * BLOCK_BYTES;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned span = 32 * stride > WIDTH * 32 ? 32 * stride : WIDTH * 32;
    long long begin = clock64();

#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
        char *p = at + ((warp + r) * span + lane * stride) % BLOCK_BYTES;

        asm volatile("st.global.u32 [%0], %1;" : : "l"(p), "r"(r));
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *clocks = clock64() - begin;
}

/*
 * Columns of a matrix whose rows are `pitch` bytes apart, as a transposition without shared memory goes over them: the
 * lanes of a request go to one column. The warps of a block go to neighbouring words (`apart` is 4), or to sectors of
 * their own (32). Blocks go over the matrix by rows; each round has a matrix of its own.
 */
template <enum way WAY>
__global__ void columns(char *base, size_t pitch, unsigned apart, unsigned blocks_a_row, int rounds, unsigned *sink)
{
    unsigned row = blockIdx.x / blocks_a_row * 32 + threadIdx.x % 32, sum = 0;
    unsigned column = blockIdx.x % blocks_a_row * 32 + threadIdx.x / 32;

    for (int r = 0; r < rounds; r++) {
        char *p = base + r * MATRIX_BYTES + row * pitch + (size_t)column * apart;
        unsigned x = r;

        if (WAY == WRITE)
            asm volatile("st.global.u32 [%0], %1;" : : "l"(p), "r"(x));
        else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p));
        sum += x;
    }
    if (sum == 12345)
        *sink = sum;
}

template <enum way WAY> static void by_columns(const struct machine *m, char *buffer, const char *way)
{
    char name[64];

    for (unsigned apart = 4; apart <= 32; apart *= 8)
        for (size_t pitch = 128; pitch <= 16384; pitch *= 2)
            for (size_t more = 0; more <= 128 && pitch >= 32 * apart; more += 128) {
                unsigned blocks_a_row = (unsigned)(pitch / (32 * apart));
                unsigned blocks = blocks_a_row * (unsigned)(MATRIX_BYTES / ((pitch + more) * 32));
                float us, floor;

                auto launch = [&](int rounds) {
                    columns<WAY><<<blocks, 1024>>>(buffer, pitch + more, apart, blocks_a_row, rounds, m->sink);
                };
                us = bench_us(3, [&] { launch(3); });
                floor = bench_us(3, [&] { launch(1); });
                snprintf(name, sizeof name, "%s_apart_%u_more_%zu", way, apart, more);
                bench_line("columns", name, (double)pitch, 2 * blocks * 1024.0 / ((us - floor) * m->mhz),
                           "sectors a clock of the whole GPU");
            }
}

/* ---- gathers that L1 has, reads that others repeat, stores of a few multiprocessors ---- */

enum word { OWN, ANY, FIRST }; /* of its line: lane n the n-th, a random one, or all lanes the first */

/* Lanes read words at random lines of a table that L1 holds; `share` neighbours read one line. */
template <enum word WORD> __global__ void gather(const unsigned *table, unsigned lines, unsigned share, int rounds,
                                                 unsigned *sink, long long *clocks)
{
    unsigned lane = threadIdx.x % 32, sum = 0, x = (threadIdx.x / 32 * 32 + lane / share) * 2654435761u + 1;
    long long begin = 0;

    for (unsigned n = threadIdx.x; n < lines * 32; n += blockDim.x)
        sum += table[n];
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 4
        for (int r = 0; r < rounds; r++) {
            unsigned y, at;

            x = x * 1664525u + 1013904223u;
            at = (x >> 16) % lines * 32 + (WORD == OWN ? lane : WORD == ANY ? (x >> 8) % 32 ^ lane : 0);
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(y) : "l"(table + at));
            sum += y;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *clocks = clock64() - begin;
    if (sum == 12345)
        *sink = sum;
}

template <enum word WORD> static void gathers(const struct machine *m, char *buffer, const char *name)
{
    enum { LINES = 512, ROUNDS = 512 };

    for (unsigned share = 1; share <= 16; share *= 2) {
        gather<WORD><<<1, 1024>>>((unsigned *)buffer, LINES, share, ROUNDS, m->sink, m->clock);
        CHECK(cudaGetLastError());
        bench_line("gather_l1", name, 32.0 / share, bench_clocks(m) / (ROUNDS * 32.0),
                   "clocks a request and multiprocessor");
    }
}

/* Each lane's word is `stride` bytes behind its neighbour's; the warps and rounds go over 64 KiB. */
template <int WIDTH> __global__ void steps(const char *base, unsigned stride, int rounds, unsigned *sink,
                                           long long *clocks)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    long long begin = 0;

    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 4
        for (int r = 0; r < rounds; r++) {
            const char *p = base + ((warp + r) * 1024 + lane * stride) % (BLOCK_BYTES / 2);
            unsigned x, y = 0, z = 0, w = 0;

            if (WIDTH == 4)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p));
            else if (WIDTH == 8)
                asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p));
            else
                asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "l"(p));
            sum += x + y + z + w;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *clocks = clock64() - begin;
    if (sum == 12345)
        *sink = sum;
}

template <int WIDTH> static void by_steps(const struct machine *m, char *buffer, const char *name)
{
    for (unsigned stride : {4u, 8u, 12u, 16u, 20u, 32u, 36u, 48u, 64u, 68u, 96u, 128u, 132u, 136u, 144u, 160u, 192u,
                            256u, 260u, 384u, 512u, 516u, 640u, 1024u, 1028u}) {
        if (stride % WIDTH)
            continue;
        steps<WIDTH><<<1, 1024>>>(buffer, stride, 512, m->sink, m->clock);
        CHECK(cudaGetLastError());
        bench_line("steps_l1", name, stride, bench_clocks(m) / (512 * 32.0), "clocks a request and multiprocessor");
    }
}

static __device__ unsigned bits_of(uint4 v)
{
    return v.x ^ v.w;
}

static __device__ unsigned bits_of(unsigned v)
{
    return v;
}

/* Groups of `readers` blocks read the same part of the set, each block all of it; past L1. */
template <class Word>
__global__ void again(const Word *from, uint64_t words, unsigned readers, int passes, unsigned *sink)
{
    uint64_t parts = (gridDim.x + readers - 1) / readers, part = words / parts;
    const Word *mine = from + blockIdx.x % parts * part;
    unsigned sum = 0;

    for (int pass = 0; pass < passes; pass++)
        for (uint64_t n = threadIdx.x; n + 3 * blockDim.x < part; n += 4 * blockDim.x) {
            Word v[4];

#pragma unroll
            for (int k = 0; k < 4; k++)
                v[k] = __ldcg(&mine[n + k * blockDim.x]);
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum += bits_of(v[k]);
        }
    if (sum == 12345)
        *sink = sum;
}

template <class Word> static void reads_again(const struct machine *m, char *buffer, const char *way)
{
    for (uint64_t set : {2 * MIB, 8 * MIB, 20 * MIB, 40 * MIB})
        for (unsigned readers : {1u, 2u, 4u, 12u, 44u, 132u, 528u}) {
            const unsigned blocks = m->sms * 4;
            uint64_t words = set / sizeof(Word), part = words / ((blocks + readers - 1) / readers);
            uint64_t read = part / 2048 * 2048 * sizeof(Word) * blocks; /* what all blocks read at least in a pass */
            int passes;
            char name[32];
            float us;

            if (part < 4 * 2048)
                continue;
            passes = (int)(512 * MIB / read) + 1;
            us = bench_us(3, [&] { again<<<blocks, 512>>>((Word *)buffer, words, readers, passes, m->sink); });
            snprintf(name, sizeof name, "%s_readers_%u", way, readers);
            bench_line("reads_again", name, (double)set, (double)read * passes / us * 1e-3, "GB/s");
        }
}

/* Neighbours store or copy words of four bytes: the way of most kernels. In L2, and beyond. */
template <enum way WAY> __global__ void narrow(unsigned *to, const unsigned *from, uint64_t words, int passes)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (int pass = 0; pass < passes; pass++)
        for (uint64_t n = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; n < words; n += stride)
            to[n] = WAY == COPY ? __ldcg(&from[n]) : pass;
}

template <enum way WAY> static void narrow_words(const struct machine *m, char *buffer, const char *name)
{
    for (uint64_t set : {8 * MIB, 16 * MIB, 32 * MIB, 48 * MIB, 512 * MIB}) {
        int passes = set < 256 * MIB ? (int)(256 * MIB / set) : 1;
        uint64_t words = set / sizeof(unsigned) / (WAY == COPY ? 2 : 1);
        unsigned *to = (unsigned *)buffer;
        float us = bench_us(3, [&] { narrow<WAY><<<m->sms * 4, 512>>>(to, to + words, words, passes); });

        bench_line("bandwidth_4", name, (double)set, (double)set * passes / us * 1e-3, "GB/s");
    }
}

static void few_stores(const struct machine *m, char *buffer)
{
    for (int blocks : {1, 16, 66})
        for (unsigned stride = 4; stride <= 128; stride *= 2) {
            char name[32];

            stores<4><<<blocks, 1024>>>(buffer, stride, 512, m->clock);
            CHECK(cudaGetLastError());
            snprintf(name, sizeof name, "stride_%u", stride);
            bench_line("stores_of_few", name, blocks, bench_clocks(m) / (512 * 32.0),
                       "clocks a request and multiprocessor");
        }
}

void bench_memory(const struct machine *m)
{
    char *buffer;

    CHECK(cudaMalloc(&buffer, 1536 * MIB));
    CHECK(cudaMemset(buffer, 0, 1536 * MIB));
    latencies(m, buffer);
    bandwidth<READ>(m, buffer, "read");
    bandwidth<WRITE>(m, buffer, "write");
    bandwidth<COPY>(m, buffer, "copy");
    by_warps<1>(m, buffer, 512 * MIB, "bandwidth_by_warps");
    by_warps<4>(m, buffer, 512 * MIB, "bandwidth_by_warps");
    by_warps<1>(m, buffer, 16 * MIB, "bandwidth_l2_by_warps");
    by_warps<4>(m, buffer, 16 * MIB, "bandwidth_l2_by_warps");
    CHECK(cudaMemset(buffer, 0, 16 * MIB));
    sectors<4, true>(m, buffer, "load_4");
    sectors<16, true>(m, buffer, "load_16");
    sectors<4, false>(m, buffer, "load_4");
    sectors<16, false>(m, buffer, "load_16");
    for (unsigned stride = 0; stride <= 128; stride = stride ? 2 * stride : 4) {
        stores<4><<<m->sms, 1024>>>(buffer, stride, 512, m->clock);
        CHECK(cudaGetLastError());
        bench_line("sectors_store", "store_4", stride, bench_clocks(m) / (512 * 32.0),
                   "clocks a request and multiprocessor");
    }
    by_columns<WRITE>(m, buffer, "write");
    by_columns<READ>(m, buffer, "read");
    gathers<OWN>(m, buffer, "own_word");
    gathers<ANY>(m, buffer, "any_word");
    gathers<FIRST>(m, buffer, "first_word");
    by_steps<4>(m, buffer, "load_4");
    by_steps<8>(m, buffer, "load_8");
    by_steps<16>(m, buffer, "load_16");
    reads_again<uint4>(m, buffer, "load_16");
    reads_again<unsigned>(m, buffer, "load_4");
    few_stores(m, buffer);
    narrow_words<WRITE>(m, buffer, "write");
    narrow_words<COPY>(m, buffer, "copy");
    CHECK(cudaFree(buffer));
}
