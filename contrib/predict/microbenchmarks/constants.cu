/*
 * constants.cu - tables in constant memory that warps read from the first element to the last, all lanes the same one.
 *
 * If the compiler knows that, the reads go by the cache for operands (ULDC), which is small. Warps that are at
 * different places of the table take it from each other, and this is slow.
 */
#include "bench.h"

namespace {

const int TABLE = 4096, READS = 8000;

__constant__ float4 table[TABLE];

/* What is done with an element. */
enum work { SUM, CHAIN, RSQRT, ROOT };

/* OTHER: the compiler does not know that the lanes agree; `zero` is 0. */
template <work WORK, bool OTHER> __global__ void loop(float *sink, int count, int rounds, int zero)
{
    const int from = OTHER ? (int)threadIdx.x * zero : 0;
    const float x = threadIdx.x * 0.1f, y = blockIdx.x;
    float sum = 0;

    for (int round = 0; round < rounds; round++)
        for (int n = 0; n < count; n++) {
            const float4 e = table[n + from];
            float d = (x - e.x) * (x - e.x) + (y - e.y) * (y - e.y) + e.z;

            if (WORK == CHAIN)
#pragma unroll
                for (int i = 0; i < 12; i++)
                    d = d * d + 1.5f;
            if (WORK == RSQRT)
                d = rsqrtf(d);
            if (WORK == ROOT)
                d = sqrtf(d);
            sum += e.w * d;
        }
    if (sum == 12345)
        *sink = sum;
}

template <work WORK, bool OTHER> void loops(const struct machine *m, const char *name, int block)
{
    char line[64];

    for (int warps = 8; warps <= 64; warps += 8)
        for (int count = 16; count <= TABLE; count *= count < 64 ? 2 : 4) {
            const int rounds = READS / count > 0 ? READS / count : 1;
            const float us = bench_us(3, [&] {
                loop<WORK, OTHER><<<m->sms * (warps / block), 32 * block>>>((float *)m->sink, count, rounds, 0);
            });

            snprintf(line, sizeof line, "%s_%d", name, warps);
            bench_line("constant_loop", line, count * 16, us * m->mhz / ((double)rounds * count * warps),
                       "clocks an element");
        }
}

} // namespace

void bench_constants(const struct machine *m)
{
    loops<SUM, false>(m, "sum", 8);
    loops<CHAIN, false>(m, "chain", 8);
    loops<RSQRT, false>(m, "rsqrt", 8);
    loops<ROOT, false>(m, "root", 8);
    loops<SUM, false>(m, "sum_blocks_of_4", 4);
    loops<CHAIN, false>(m, "chain_blocks_of_4", 4);
    loops<RSQRT, false>(m, "rsqrt_blocks_of_4", 4);
    loops<ROOT, false>(m, "root_blocks_of_4", 4);
    loops<SUM, true>(m, "sum_lanes", 8);
    loops<CHAIN, true>(m, "chain_lanes", 8);
    loops<RSQRT, true>(m, "rsqrt_lanes", 8);
    loops<ROOT, true>(m, "root_lanes", 8);
}
