/* tensor.cu - mma.sync of one warp: clocks until its result can be used, and clocks of a full multiprocessor. */
#include "bench.h"

enum { ROUNDS = 256, CHAINS = 4 };

#define MMA_F32(text)                                                                                                  \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                               \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "r"(a), "r"(a), "r"(a), "r"(a), "r"(b), "r"(b))

/* The forms: f16, bf16, tf32, int8 and float64. */
enum form { FORM_F16, FORM_BF16, FORM_TF32, FORM_S8, FORM_F64, FORMS };
static const char *const names[FORMS] = {"mma_m16n8k16_f16", "mma_m16n8k16_bf16", "mma_m16n8k8_tf32",
                                         "mma_m16n8k32_s8", "mma_m8n8k4_f64"};

template <int FORM> static __device__ __forceinline__ void step(float d[4], double e[2], unsigned a, unsigned b)
{
    int *i = (int *)d;

    if (FORM == FORM_F16)
        MMA_F32("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    else if (FORM == FORM_BF16)
        MMA_F32("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
    else if (FORM == FORM_TF32)
        MMA_F32("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
    else if (FORM == FORM_S8)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
                     "{%0, %1, %2, %3};"
                     : "+r"(i[0]), "+r"(i[1]), "+r"(i[2]), "+r"(i[3]) : "r"(a), "r"(b));
    else
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(e[0]), "+d"(e[1]) : "d"((double)a), "d"((double)b));
}

template <int FORM, int CHAIN> __global__ void chain(long long *clocks, unsigned *sink, unsigned a, unsigned b)
{
    __shared__ long long first, last;
    float d[CHAIN][4] = {};
    double e[CHAIN][2] = {};
    long long begin = 0, end = 0;

    if (threadIdx.x == 0) {
        first = INT64_MAX;
        last = 0;
    }
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 4
        for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
            for (int c = 0; c < CHAIN; c++)
                step<FORM>(d[c], e[c], a, b);
        }
        end = clock64();
    }
    atomicMin(&first, begin);
    atomicMax(&last, end);
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last - first;
    for (int c = 0; c < CHAIN; c++)
        if (d[c][0] + d[c][1] + d[c][2] + d[c][3] + e[c][0] + e[c][1] == 12345)
            *sink = (unsigned)d[c][0];
}

template <int FORM> static void measure(const struct machine *m)
{
    chain<FORM, 1><<<1, 32>>>(m->clock, m->sink, 0, 0);
    CHECK(cudaGetLastError());
    bench_line("latency", names[FORM], 1, bench_clocks(m) / ROUNDS, "clocks");
    chain<FORM, CHAINS><<<1, 512>>>(m->clock, m->sink, 0, 0);
    CHECK(cudaGetLastError());
    bench_line("throughput", names[FORM], 16, bench_clocks(m) / (ROUNDS * CHAINS * 16), "clocks a warp instruction");
}

void bench_tensor(const struct machine *m)
{
    measure<FORM_F16>(m);
    measure<FORM_BF16>(m);
    measure<FORM_TF32>(m);
    measure<FORM_S8>(m);
    measure<FORM_F64>(m);
}
