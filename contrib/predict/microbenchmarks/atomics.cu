/*
 * atomics.cu - atomics on global memory: by type, with and without a result, and by how many lanes, warps and blocks
 * meet at an address.
 */
#include "bench.h"

enum kind { ADD_U32, ADD_U64, ADD_F32, ADD_F64, ADD_F16, ADD_F16X2, MAX_S32, EXCH_B32, CAS_B32, KINDS };
static const char *const kinds[KINDS] = {"add_u32", "add_u64", "add_f32", "add_f64", "add_f16",
                                         "add_f16x2", "max_s32", "exch_b32", "cas_b32"};
/* Where the lanes go: all to one word; a warp to one word of its own; neighbours to neighbours, of 4 MiB; anywhere. */
enum place { ONE, ONE_A_WARP, ONE_A_BLOCK, NEIGHBOURS, SCATTERED_1M, SCATTERED_256M, PLACES };
static const char *const places[PLACES] = {"one", "one_a_warp", "one_a_block", "neighbours", "scattered_1M",
                                           "scattered_256M"};

/* With and without a result it is the same machine code: a compare and swap of the word, in a loop. */
static __device__ __forceinline__ unsigned short add_f16(unsigned short *p)
{
    unsigned short old;

    asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"((unsigned short)0x3c00));
    return old;
}

template <int KIND, bool RETURNS> static __device__ __forceinline__ unsigned atomic(char *p)
{
    unsigned old = 0, half = 0;
    unsigned long long wide = 0;
    float f = 0;
    double d = 0;

#define RETURNING(text, out, in) asm volatile("atom.global." text : out : "l"(p), in)
#define SILENT(text, in) asm volatile("red.global." text : : "l"(p), in)
    if (KIND == ADD_U32 && RETURNS)
        RETURNING("add.u32 %0, [%1], %2;", "=r"(old), "r"(1));
    else if (KIND == ADD_U32)
        SILENT("add.u32 [%0], %1;", "r"(1));
    else if (KIND == ADD_U64 && RETURNS)
        RETURNING("add.u64 %0, [%1], %2;", "=l"(wide), "l"(1ull));
    else if (KIND == ADD_U64)
        SILENT("add.u64 [%0], %1;", "l"(1ull));
    else if (KIND == ADD_F32 && RETURNS)
        RETURNING("add.f32 %0, [%1], %2;", "=f"(f), "f"(1.f));
    else if (KIND == ADD_F32)
        SILENT("add.f32 [%0], %1;", "f"(1.f));
    else if (KIND == ADD_F64 && RETURNS)
        RETURNING("add.f64 %0, [%1], %2;", "=d"(d), "d"(1.));
    else if (KIND == ADD_F64)
        SILENT("add.f64 [%0], %1;", "d"(1.));
    else if (KIND == ADD_F16)
        half = add_f16((unsigned short *)p);
    else if (KIND == ADD_F16X2 && RETURNS)
        RETURNING("add.noftz.f16x2 %0, [%1], %2;", "=r"(old), "r"(0x3c003c00));
    else if (KIND == ADD_F16X2)
        SILENT("add.noftz.f16x2 [%0], %1;", "r"(0x3c003c00));
    else if (KIND == MAX_S32 && RETURNS)
        RETURNING("max.s32 %0, [%1], %2;", "=r"(old), "r"(7));
    else if (KIND == MAX_S32)
        SILENT("max.s32 [%0], %1;", "r"(7));
    else if (KIND == EXCH_B32)
        RETURNING("exch.b32 %0, [%1], %2;", "=r"(old), "r"(7));
    else
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p), "r"(7), "r"(9));
#undef RETURNING
#undef SILENT
    return old + half + (unsigned)wide + (unsigned)f + (unsigned)d;
}

static __device__ __forceinline__ uint64_t where(int place, unsigned thread, unsigned round)
{
    unsigned x = thread * 2654435761u + round * 40503u;

    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    switch (place) {
    case ONE:
        return 0;
    case ONE_A_WARP:
        return thread / 32 * 128 % (4 << 20);
    case ONE_A_BLOCK:
        return blockIdx.x * 128;
    case NEIGHBOURS:
        return (thread + round * 4096) * 8 % (4 << 20);
    case SCATTERED_1M:
        return x % (1 << 20) & ~7u;
    default:
        return x % (256 << 20) & ~7u;
    }
}

template <int KIND, bool RETURNS> __global__ void hit(char *base, int place, int rounds, unsigned *sink)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    for (int r = 0; r < rounds; r++)
        sum += atomic<KIND, RETURNS>(base + where(place, thread, (unsigned)r));
    if (sum == 12345)
        *sink = sum;
}

/* One warp's atomics one after the other: the next address depends on the last result. */
__global__ void in_turn(unsigned *word, int rounds, long long *clocks)
{
    unsigned at = threadIdx.x;
    long long begin = clock64();

    for (int r = 0; r < rounds; r++)
        at += atomicOr(&word[at], 0u);
    *clocks = clock64() - begin;
    word[1024] = at;
}

template <int KIND, bool RETURNS> static void measure(const struct machine *m, char *buffer)
{
    const int blocks = m->sms * 2, threads = 512;
    char name[64];

    for (int place = 0; place < PLACES; place++) {
        int rounds = place == ONE ? 4 : place == ONE_A_BLOCK ? 8 : 32;
        float us, floor;

        CHECK(cudaMemset(buffer, 0, place == SCATTERED_256M ? 256 << 20 : 4 << 20));
        us = bench_us(2, [&] { hit<KIND, RETURNS><<<blocks, threads>>>(buffer, place, rounds, m->sink); });
        floor = bench_us(2, [&] { hit<KIND, RETURNS><<<blocks, threads>>>(buffer, place, 0, m->sink); });
        snprintf(name, sizeof name, "%s%s/%s", kinds[KIND], RETURNS ? "_returns" : "", places[place]);
        bench_line("atomic", name, place, (us - floor) * m->mhz / ((double)blocks * (threads / 32) * rounds),
                   "clocks a warp request of the whole GPU");
    }
}

/* Atomics on a table of `words` words: of lanes side by side, or each anywhere in it, as a histogram's. */
template <int KIND, bool RETURNS>
__global__ void into_table(char *base, unsigned words, unsigned size, bool anywhere, int rounds, unsigned *sink)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    for (int r = 0; r < rounds; r++) {
        unsigned x = anywhere ? (unsigned)where(SCATTERED_256M, thread, (unsigned)r) >> 3 : thread;

        sum += atomic<KIND, RETURNS>(base + (uint64_t)(x & (words - 1)) * size);
    }
    if (sum == 12345)
        *sink = sum;
}

template <int KIND, bool RETURNS> static void tables(const struct machine *m, char *buffer, unsigned size)
{
    const int blocks = m->sms * 2, threads = 512, rounds = 8;
    char name[64];

    for (int anywhere = 0; anywhere < 2; anywhere++)
        for (unsigned words = 1; words <= 1 << 18; words *= 4) {
            float us, floor;

            auto launch = [&](int n) {
                into_table<KIND, RETURNS><<<blocks, threads>>>(buffer, words, size, anywhere, n, m->sink);
            };
            us = bench_us(2, [&] { launch(rounds); });
            floor = bench_us(2, [&] { launch(0); });
            snprintf(name, sizeof name, "%s%s/%s", kinds[KIND], RETURNS ? "_returns" : "",
                     anywhere ? "anywhere" : "side_by_side");
            bench_line("atomic_table", name, words, (us - floor) * m->mhz / ((double)blocks * (threads / 32) * rounds),
                       "clocks a warp request of the whole GPU");
        }
}

/* Which of a few words a lane takes: in turn, in runs of neighbours, any; all lanes of a warp, or of a round, one. */
enum order { IN_TURN, IN_RUNS, ANY, BY_WARP, BY_ROUND, ORDERS };
static const char *const orders[ORDERS] = {"in_turn", "in_runs", "any", "by_warp", "by_round"};

/* Atomics of all warps of the GPU on the same few words, `stride` bytes apart. `lanes` of each warp take part. */
template <int KIND, bool RETURNS>
__global__ void on_few(char *base, int order, unsigned words, unsigned stride, unsigned lanes, int rounds,
                       unsigned *sink)
{
    unsigned lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    for (int r = 0; r < rounds; r++) {
        unsigned word = order == IN_TURN ? lane % words : lane * words / lanes;

        if (order == ANY)
            word = (unsigned)(where(SCATTERED_256M, thread, (unsigned)r) >> 3) % words;
        else if (order == BY_WARP)
            word = (thread / 32 + r) % words;
        else if (order == BY_ROUND)
            word = r % words;
        if (lane < lanes)
            sum += atomic<KIND, RETURNS>(base + word * stride);
    }
    if (sum == 12345)
        *sink = sum;
}

template <int KIND, bool RETURNS> static void few(const struct machine *m, char *buffer, unsigned size)
{
    const int blocks = m->sms, threads = 256, rounds = 8;
    char name[64];

    for (int order = 0; order < ORDERS; order++)
        for (unsigned stride = size; stride <= 128; stride = stride == size ? 32 : 4 * stride)
            for (unsigned lanes = 1; lanes <= 32; lanes *= lanes == 1 ? 8 : 4)
                for (unsigned words = 1; words <= (order >= BY_WARP ? 32 : lanes);
                     words += words == 2 || words == 3 ? 1 : words) {
                    float us, floor;

                    auto launch = [&](int n) {
                        on_few<KIND, RETURNS>
                            <<<blocks, threads>>>(buffer, order, words, stride, lanes, n, m->sink);
                    };
                    us = bench_us(2, [&] { launch(rounds); });
                    floor = bench_us(2, [&] { launch(0); });
                    snprintf(name, sizeof name, "%s%s/%s_stride_%u_lanes_%u", kinds[KIND], RETURNS ? "_returns" : "",
                             orders[order], stride, lanes);
                    bench_line("atomic_few", name, words,
                               (us - floor) * m->mhz / ((double)blocks * (threads / 32) * rounds),
                               "clocks a warp request of the whole GPU");
                }
}

void bench_atomics(const struct machine *m)
{
    char *buffer;

    CHECK(cudaMalloc(&buffer, 256 << 20));
    CHECK(cudaMemset(buffer, 0, 256 << 20));
    in_turn<<<1, 32>>>((unsigned *)buffer, 1000, m->clock);
    bench_line("atomic_latency", "or_u32", 32, bench_clocks(m) / 1000, "clocks");
    in_turn<<<1, 1>>>((unsigned *)buffer, 1000, m->clock);
    bench_line("atomic_latency", "or_u32", 1, bench_clocks(m) / 1000, "clocks");
    measure<ADD_U32, false>(m, buffer);
    measure<ADD_U32, true>(m, buffer);
    measure<ADD_U64, false>(m, buffer);
    measure<ADD_U64, true>(m, buffer);
    measure<ADD_F32, false>(m, buffer);
    measure<ADD_F32, true>(m, buffer);
    measure<ADD_F64, false>(m, buffer);
    measure<ADD_F64, true>(m, buffer);
    measure<ADD_F16X2, false>(m, buffer);
    measure<ADD_F16X2, true>(m, buffer);
    measure<MAX_S32, false>(m, buffer);
    measure<MAX_S32, true>(m, buffer);
    measure<EXCH_B32, true>(m, buffer);
    measure<CAS_B32, true>(m, buffer);
    tables<ADD_U32, false>(m, buffer, 4);
    tables<ADD_U32, true>(m, buffer, 4);
    tables<ADD_U64, false>(m, buffer, 8);
    tables<ADD_F32, false>(m, buffer, 4);
    tables<ADD_F32, true>(m, buffer, 4);
    tables<ADD_F64, false>(m, buffer, 8);
    tables<CAS_B32, true>(m, buffer, 4);
    few<ADD_U32, false>(m, buffer, 4);
    few<ADD_U64, false>(m, buffer, 8);
    few<ADD_F32, false>(m, buffer, 4);
    few<ADD_F64, false>(m, buffer, 8);
    few<ADD_F16, false>(m, buffer, 2);
    CHECK(cudaFree(buffer));
}
