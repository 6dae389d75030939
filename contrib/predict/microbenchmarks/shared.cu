/*
 * shared.cu - shared memory (banks, widths, atomics), constant memory read at several addresses, local memory, and
 * barriers, all on one multiprocessor.
 */
#include "bench.h"

enum { ROUNDS = 512, WORDS = 8192 };

__constant__ unsigned table[4096];

struct timer {
    long long first, last;
};

static __device__ void timer_clear(struct timer *t)
{
    if (threadIdx.x == 0)
        *t = {INT64_MAX, 0};
    __syncthreads();
}

static __device__ void timer_note(struct timer *t, long long begin, long long end, long long *clocks)
{
    atomicMin(&t->first, begin);
    atomicMax(&t->last, end);
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = t->last - t->first;
}

/* Loads in a chain: each gives the next one's offset, which is `stride` bytes a lane. */
template <class Vector> __global__ void load_chain(long long *clocks, unsigned *sink, unsigned stride)
{
    __shared__ alignas(16) unsigned words[WORDS];
    __shared__ struct timer timer;
    unsigned at = threadIdx.x % 32 * stride % (WORDS * 4), sum = 0;
    long long begin, end;

    timer_clear(&timer);
    for (unsigned n = threadIdx.x; n < WORDS; n += blockDim.x)
        words[n] = 0;
    __syncthreads();
    begin = clock64();
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++) {
        Vector v = *(volatile Vector *)((char *)words + at);

        at += *(unsigned *)&v;
        sum += at;
    }
    end = clock64();
    timer_note(&timer, begin, end, clocks);
    if (sum == 12345)
        *sink = sum;
}

/* A vector of 2 or 4 words through volatile loads would be cut up: asm keeps it whole. */
template <int WIDTH> static __device__ __forceinline__ unsigned load(unsigned address)
{
    unsigned x, y, z, w;

    if (WIDTH == 4)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
    else if (WIDTH == 8)
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address));
    else
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(address));
    return x;
}

template <int WIDTH> __global__ void load_many(long long *clocks, unsigned *sink, unsigned stride)
{
    __shared__ alignas(16) unsigned words[WORDS];
    __shared__ struct timer timer;
    unsigned base = (unsigned)__cvta_generic_to_shared(words), sum = 0;
    unsigned at[4];
    long long begin, end;

    for (int c = 0; c < 4; c++)
        at[c] = base + (threadIdx.x % 32 * stride + c * 16) % (WORDS * 4);
    timer_clear(&timer);
    for (unsigned n = threadIdx.x; n < WORDS; n += blockDim.x)
        words[n] = 0;
    __syncthreads();
    begin = clock64();
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++)
        for (int c = 0; c < 4; c++)
            at[c] += load<WIDTH>(at[c]);
    end = clock64();
    timer_note(&timer, begin, end, clocks);
    for (int c = 0; c < 4; c++)
        sum += at[c];
    if (sum == 12345)
        *sink = sum;
}

enum shared_atomic { ADD_U32, ADD_F32, ADD_U64, CAS_U32, MAX_S32, ADD_F64, SHARED_ATOMICS };
static const char *const atomic_names[SHARED_ATOMICS] = {"add_u32", "add_f32", "add_u64", "cas_u32", "max_s32",
                                                         "add_f64"};

/* Atomics of all lanes: groups of `together` neighbours share an address, and `stride` words lie between groups. */
template <int KIND> __global__ void atomics(long long *clocks, unsigned *sink, unsigned together, bool returns)
{
    __shared__ alignas(16) unsigned words[WORDS];
    __shared__ struct timer timer;
    unsigned at = threadIdx.x / together * 2 % WORDS, sum = 0;
    long long begin, end;

    timer_clear(&timer);
    for (unsigned n = threadIdx.x; n < WORDS; n += blockDim.x)
        words[n] = 0;
    __syncthreads();
    begin = clock64();
#pragma unroll 4
    for (int r = 0; r < ROUNDS / 4; r++) {
        unsigned old = 0;

        if (KIND == ADD_U32)
            old = atomicAdd(&words[at], sum & 1);
        else if (KIND == ADD_F32)
            old = (unsigned)atomicAdd((float *)&words[at], 1.f);
        else if (KIND == ADD_U64)
            old = (unsigned)atomicAdd((unsigned long long *)&words[at], 1ull);
        else if (KIND == CAS_U32)
            old = atomicCAS(&words[at], 0u, sum & 1);
        else if (KIND == MAX_S32)
            old = (unsigned)atomicMax((int *)&words[at], (int)(sum & 1));
        else
            old = (unsigned)atomicAdd((double *)&words[at], 1.);
        if (returns)
            sum += old & 1024;
    }
    end = clock64();
    timer_note(&timer, begin, end, clocks);
    if (sum == 12345)
        *sink = sum;
}

/* Constant memory: the lanes read `distinct` addresses. */
__global__ void constants(long long *clocks, unsigned *sink, unsigned distinct)
{
    __shared__ struct timer timer;
    unsigned at = threadIdx.x % distinct;
    long long begin = 0, end = 0;

    timer_clear(&timer);
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 8
        for (int r = 0; r < ROUNDS; r++)
            at += table[at];
        end = clock64();
    }
    timer_note(&timer, begin, end, clocks);
    if (at == 12345)
        *sink = at;
}

/* Local memory: an array that cannot lie in registers. */
__global__ void locals(long long *clocks, unsigned *sink, unsigned zero)
{
    __shared__ struct timer timer;
    volatile unsigned array[64];
    unsigned at = zero;
    long long begin, end;

    for (int n = 0; n < 64; n++)
        array[n] = zero;
    timer_clear(&timer);
    begin = clock64();
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++)
        at += array[at & 63];
    end = clock64();
    timer_note(&timer, begin, end, clocks);
    if (at == 12345)
        *sink = at;
}

__global__ void barriers(long long *clocks)
{
    __shared__ struct timer timer;
    long long begin, end;

    timer_clear(&timer);
    begin = clock64();
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++)
        __syncthreads();
    end = clock64();
    timer_note(&timer, begin, end, clocks);
}

/* A sum between fences of the block's scope, as __threadfence_block() is. */
__global__ void fences(long long *clocks, unsigned *sink)
{
    __shared__ struct timer timer;
    float sum = threadIdx.x;
    long long begin, end;

    timer_clear(&timer);
    begin = clock64();
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++) {
        sum += 1;
        __threadfence_block();
    }
    end = clock64();
    timer_note(&timer, begin, end, clocks);
    if (sum == 12345)
        *sink = 1;
}

template <int WIDTH> static void widths(const struct machine *m, const char *name)
{
    for (unsigned stride = 0; stride <= 128; stride = stride ? 2 * stride : WIDTH) {
        load_many<WIDTH><<<1, 1024>>>(m->clock, m->sink, stride);
        CHECK(cudaGetLastError());
        bench_line("shared_throughput", name, stride, bench_clocks(m) / (ROUNDS * 4 * 32), "clocks a request");
    }
}

template <int KIND> static void atomic(const struct machine *m)
{
    char name[64];

    for (int returns = 0; returns < 2; returns++) {
        for (unsigned together = 1; together <= 1024; together *= together == 32 ? 32 : 2) {
            snprintf(name, sizeof name, "%s%s", atomic_names[KIND], returns ? "_returns" : "");
            atomics<KIND><<<1, 1024>>>(m->clock, m->sink, together, returns);
            CHECK(cudaGetLastError());
            bench_line("shared_atomic", name, together, bench_clocks(m) / (ROUNDS / 4 * 32), "clocks a request");
        }
        atomics<KIND><<<1, 32>>>(m->clock, m->sink, 1, returns);
        CHECK(cudaGetLastError());
        bench_line("shared_atomic_latency", name, 1, bench_clocks(m) / (ROUNDS / 4), "clocks");
        atomics<KIND><<<1, 32>>>(m->clock, m->sink, 32, returns);
        CHECK(cudaGetLastError());
        bench_line("shared_atomic_latency", name, 32, bench_clocks(m) / (ROUNDS / 4), "clocks");
    }
}

void bench_shared(const struct machine *m)
{
    for (unsigned stride = 0; stride <= 128; stride = stride ? 2 * stride : 4) {
        load_chain<unsigned><<<1, 32>>>(m->clock, m->sink, stride);
        CHECK(cudaGetLastError());
        bench_line("shared_latency", "load_4", stride, bench_clocks(m) / ROUNDS, "clocks");
    }
    widths<4>(m, "load_4");
    widths<8>(m, "load_8");
    widths<16>(m, "load_16");
    atomic<ADD_U32>(m);
    atomic<ADD_F32>(m);
    atomic<ADD_U64>(m);
    atomic<CAS_U32>(m);
    atomic<MAX_S32>(m);
    atomic<ADD_F64>(m);
    for (unsigned distinct = 1; distinct <= 32; distinct *= 2) {
        constants<<<1, 32>>>(m->clock, m->sink, distinct);
        CHECK(cudaGetLastError());
        bench_line("constant_latency", "load_4", distinct, bench_clocks(m) / ROUNDS, "clocks");
        constants<<<1, 1024>>>(m->clock, m->sink, distinct);
        CHECK(cudaGetLastError());
        bench_line("constant_throughput", "load_4", distinct, bench_clocks(m) / (ROUNDS * 32), "clocks a request");
    }
    for (int threads = 32; threads <= 1024; threads *= 32) {
        locals<<<1, threads>>>(m->clock, m->sink, 0);
        CHECK(cudaGetLastError());
        bench_line("local", "load_4", threads / 32, bench_clocks(m) / (ROUNDS * (threads / 32)), "clocks a request");
    }
    for (int warps = 1; warps <= 32; warps *= 2) {
        barriers<<<1, warps * 32>>>(m->clock);
        CHECK(cudaGetLastError());
        bench_line("barrier", "syncthreads", warps, bench_clocks(m) / ROUNDS, "clocks");
    }
    for (int warps = 1; warps <= 32; warps *= 2) {
        fences<<<1, warps * 32>>>(m->clock, m->sink);
        CHECK(cudaGetLastError());
        bench_line("fence", "block", warps, bench_clocks(m) / ROUNDS, "clocks");
    }
}
