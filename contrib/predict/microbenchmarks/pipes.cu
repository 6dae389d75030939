/*
 * pipes.cu - what one PTX instruction costs: clocks until its result can be used, and clocks of a multiprocessor that
 * is full of warps.
 *
 * An instruction stands in a chain of dependent ones. One warp alone shows the latency. 32 warps with four chains each
 * show the throughput. ptxas may turn one PTX instruction into many: the costs are those of all of them.
 */
#include "bench.h"

enum { STEPS = 32, ROUNDS = 16, CHAINS = 4 };

/* X(name, type, asm constraint, text): %0 is the chain's value, %1 and %2 the compiler does not know. */
#define OPERATIONS(X)                                                                                                  \
    X(add_u32, unsigned, "r", "add.u32 %0, %0, %1;")                                                                   \
    X(sub_u32, unsigned, "r", "sub.u32 %0, %1, %0;")                                                                   \
    X(xor_b32, unsigned, "r", "xor.b32 %0, %0, %1;")                                                                   \
    X(lop3_b32, unsigned, "r", "lop3.b32 %0, %0, %1, %2, 0x96;")                                                       \
    X(shl_b32, unsigned, "r", "shl.b32 %0, %0, %1;")                                                                   \
    X(shf_l, unsigned, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")                                                          \
    X(min_u32, unsigned, "r", "min.u32 %0, %0, %1;")                                                                   \
    X(max_s32, unsigned, "r", "max.s32 %0, %1, %0;")                                                                   \
    X(mul_lo_u32, unsigned, "r", "mul.lo.u32 %0, %0, %1;")                                                             \
    X(mad_lo_u32, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;")                                                         \
    X(mul_hi_u32, unsigned, "r", "mul.hi.u32 %0, %0, %1;")                                                             \
    X(mul_wide_u32, unsigned, "r",                                                                                     \
      "{.reg .u64 q; .reg .u32 h; mul.wide.u32 q, %0, %1; mov.b64 {%0, h}, q; }")                                      \
    X(popc_b32, unsigned, "r", "popc.b32 %0, %0;")                                                                     \
    X(clz_b32, unsigned, "r", "clz.b32 %0, %0;")                                                                       \
    X(brev_b32, unsigned, "r", "brev.b32 %0, %0;")                                                                     \
    X(prmt_b32, unsigned, "r", "prmt.b32 %0, %0, %1, %2;")                                                             \
    X(bfe_u32, unsigned, "r", "bfe.u32 %0, %0, %1, %2;")                                                               \
    X(bfi_b32, unsigned, "r", "bfi.b32 %0, %0, %1, %2, 7;")                                                            \
    X(sad_u32, unsigned, "r", "sad.u32 %0, %0, %1, %2;")                                                               \
    X(dp4a, unsigned, "r", "dp4a.u32.u32 %0, %1, %2, %0;")                                                             \
    X(div_u32, unsigned, "r", "div.u32 %0, %1, %0;")                                                                   \
    X(div_s32, unsigned, "r", "div.s32 %0, %1, %0;")                                                                   \
    X(rem_u32, unsigned, "r", "rem.u32 %0, %1, %0;")                                                                   \
    X(setp_selp, unsigned, "r", "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %1, p; }")                     \
    X(add_u64, uint64_t, "l", "add.u64 %0, %0, %1;")                                                                   \
    X(mul_lo_u64, uint64_t, "l", "mul.lo.u64 %0, %0, %1;")                                                             \
    X(mad_lo_u64, uint64_t, "l", "mad.lo.u64 %0, %0, %1, %2;")                                                         \
    X(mul_hi_u64, uint64_t, "l", "mul.hi.u64 %0, %0, %1;")                                                             \
    X(shl_b64, uint64_t, "l", "{.reg .u32 s; cvt.u32.u64 s, %1; shl.b64 %0, %0, s; }")                                 \
    X(min_u64, uint64_t, "l", "min.u64 %0, %0, %1;")                                                                   \
    X(popc_b64, uint64_t, "l", "{.reg .u32 s; popc.b64 s, %0; cvt.u64.u32 %0, s; }")                                   \
    X(div_u64, uint64_t, "l", "div.u64 %0, %1, %0;")                                                                   \
    X(rem_u64, uint64_t, "l", "rem.u64 %0, %1, %0;")                                                                   \
    X(add_f32, float, "f", "add.f32 %0, %0, %1;")                                                                      \
    X(mul_f32, float, "f", "mul.f32 %0, %0, %1;")                                                                      \
    X(fma_f32, float, "f", "fma.rn.f32 %0, %0, %1, %2;")                                                               \
    X(min_f32, float, "f", "min.f32 %0, %0, %1;")                                                                      \
    X(setp_f32, float, "f", "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %1, p; }")                         \
    X(div_rn_f32, float, "f", "div.rn.f32 %0, %1, %0;")                                                                \
    X(div_approx_f32, float, "f", "div.approx.f32 %0, %1, %0;")                                                        \
    X(div_full_f32, float, "f", "div.full.f32 %0, %1, %0;")                                                            \
    X(rcp_rn_f32, float, "f", "rcp.rn.f32 %0, %0;")                                                                    \
    X(rcp_approx_f32, float, "f", "rcp.approx.ftz.f32 %0, %0;")                                                        \
    X(sqrt_rn_f32, float, "f", "sqrt.rn.f32 %0, %0;")                                                                  \
    X(sqrt_approx_f32, float, "f", "sqrt.approx.ftz.f32 %0, %0;")                                                      \
    X(rsqrt_approx_f32, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")                                                    \
    X(ex2_approx_f32, float, "f", "ex2.approx.ftz.f32 %0, %0;")                                                        \
    X(lg2_approx_f32, float, "f", "lg2.approx.ftz.f32 %0, %0;")                                                        \
    X(sin_approx_f32, float, "f", "sin.approx.ftz.f32 %0, %0;")                                                        \
    X(tanh_approx_f32, float, "f", "tanh.approx.f32 %0, %0;")                                                          \
    X(cvt_u32_f32, unsigned, "r", "{.reg .f32 g; cvt.rn.f32.u32 g, %0; mov.b32 %0, g; }")                              \
    X(cvt_f32_u32, float, "f", "{.reg .u32 g; cvt.rzi.u32.f32 g, %0; mov.b32 %0, g; }")                                \
    X(cvt_f32_f64, float, "f", "{.reg .f64 g; cvt.f64.f32 g, %0; cvt.rn.f32.f64 %0, g; }")                             \
    X(cvt_u32_f64, unsigned, "r", "{.reg .f64 g; cvt.rn.f64.u32 g, %0; cvt.rzi.u32.f64 %0, g; }")                      \
    X(cvt_f32_f16, float, "f", "{.reg .b16 g; cvt.rn.f16.f32 g, %0; cvt.f32.f16 %0, g; }")                             \
    X(cvt_u32_u8, unsigned, "r", "{.reg .u16 g; cvt.u16.u32 g, %0; cvt.u32.u8 %0, g; xor.b32 %0, %0, %1; }")           \
    X(add_f64, double, "d", "add.f64 %0, %0, %1;")                                                                     \
    X(fma_f64, double, "d", "fma.rn.f64 %0, %0, %1, %2;")                                                              \
    X(min_f64, double, "d", "min.f64 %0, %0, %1;")                                                                     \
    X(div_rn_f64, double, "d", "div.rn.f64 %0, %1, %0;")                                                               \
    X(sqrt_rn_f64, double, "d", "sqrt.rn.f64 %0, %0;")                                                                 \
    X(rcp_rn_f64, double, "d", "rcp.rn.f64 %0, %0;")                                                                   \
    X(fma_f16x2, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %2;")                                                        \
    X(add_f16x2, unsigned, "r", "add.rn.f16x2 %0, %0, %1;")                                                            \
    X(fma_bf16x2, unsigned, "r", "fma.rn.bf16x2 %0, %0, %1, %2;")                                                      \
    X(max_f16x2, unsigned, "r", "max.f16x2 %0, %0, %1;")                                                               \
    X(shfl_idx, unsigned, "r", "shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;")                                        \
    X(vote_ballot, unsigned, "r",                                                                                      \
      "{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }")                               \
    X(match_any, unsigned, "r", "match.any.sync.b32 %0, %0, 0xffffffff;")                                              \
    X(redux_add, unsigned, "r", "redux.sync.add.u32 %0, %0, 0xffffffff;")                                              \
    X(vadd4, unsigned, "r", "vadd4.u32.u32.u32 %0, %0, %1, %2;")                                                       \
    X(clock, unsigned, "r", "{.reg .u32 c; mov.u32 c, %%clock; xor.b32 %0, %0, c; }")

#define DEFINE(name, type, constraint, text)                                                                           \
    struct op_##name {                                                                                                 \
        typedef type value;                                                                                            \
        static __device__ __forceinline__ void step(type &x, type a, type b)                                          \
        {                                                                                                              \
            asm volatile(text : "+" constraint(x) : constraint(a), constraint(b)); \
        }                                                                                                              \
    };
OPERATIONS(DEFINE)
#undef DEFINE

template <class Op, int CHAIN>
__global__ void chain(long long *clocks, unsigned *sink, typename Op::value a, typename Op::value b)
{
    __shared__ long long first, last;
    typename Op::value x[CHAIN];
    long long begin, end;

    for (int c = 0; c < CHAIN; c++)
        x[c] = (typename Op::value)(threadIdx.x + 3 + c) + a;
    if (threadIdx.x == 0) {
        first = INT64_MAX;
        last = 0;
    }
    for (int round = 0; round < 2; round++) { /* the first one fills the instruction cache */
        __syncthreads();
        begin = clock64();
#pragma unroll 1
        for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
#pragma unroll
                for (int c = 0; c < CHAIN; c++)
                    Op::step(x[c], a, b);
            }
        }
        end = clock64();
    }
    atomicMin(&first, begin);
    atomicMax(&last, end);
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last - first;
    for (int c = 0; c < CHAIN; c++)
        if (x[c] == (typename Op::value)0x12345)
            *sink = (unsigned)x[c];
}

template <class Op> static void measure(const struct machine *m, const char *name)
{
    typedef typename Op::value value;
    const double instructions = (double)STEPS * ROUNDS;

    chain<Op, 1><<<1, 32>>>(m->clock, m->sink, (value)3, (value)5);
    CHECK(cudaGetLastError());
    bench_line("latency", name, 1, bench_clocks(m) / instructions, "clocks");
    chain<Op, CHAINS><<<1, 1024>>>(m->clock, m->sink, (value)3, (value)5);
    CHECK(cudaGetLastError());
    bench_line("throughput", name, 32, bench_clocks(m) / (instructions * CHAINS * 32), "clocks a warp instruction");
}

/* How fast one scheduler issues by warps: 1 to 16 of them on it. */
static void issue(const struct machine *m)
{
    for (int warps = 4; warps <= 32; warps *= 2) {
        chain<op_fma_f32, 1><<<1, warps * 32>>>(m->clock, m->sink, 3.f, 5.f);
        CHECK(cudaGetLastError());
        bench_line("issue", "fma_f32", warps, bench_clocks(m) / (STEPS * ROUNDS), "clocks a step of all warps");
    }
}

void bench_pipes(const struct machine *m)
{
#define MEASURE(name, type, constraint, text) measure<op_##name>(m, #name);
    OPERATIONS(MEASURE)
#undef MEASURE
    issue(m);
}
