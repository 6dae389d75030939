/*
 * constants.cu - constant memory that is larger than its first cache: tables that warps read from the first number to
 * the last, all lanes one number.
 */
#include "bench.h"

namespace {

const int TABLE = 4096, ROUNDS = 3, MOST = 64;

__constant__ uint4 table[TABLE];

/*
 * Reads `count` elements `step` apart in ROUNDS rounds, each warp from an element of its own on if `apart`. The clocks
 * of the first round, then of the last one. UNIFORM: the compiler knows that the lanes agree.
 */
template <bool UNIFORM> __global__ void stream(long long *clocks, unsigned *sink, int count, int step, int apart)
{
    __shared__ long long least[ROUNDS], most[ROUNDS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;

    if (threadIdx.x < ROUNDS) {
        least[threadIdx.x] = INT64_MAX;
        most[threadIdx.x] = 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads();
        const long long begin = clock64();
        int at = UNIFORM ? 0 : apart * warp % count + lane / 32;

#pragma unroll 4
        for (int n = 0; n < count; n++) {
            const uint4 x = table[at * step];

            sum += x.x ^ x.y ^ x.z ^ x.w;
            at = at + 1 == count ? 0 : at + 1;
        }
        const long long end = clock64();

        if (lane == 0) {
            atomicMin(&least[round], begin);
            atomicMax(&most[round], end);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        clocks[0] = most[0] - least[0];
        clocks[1] = most[ROUNDS - 1] - least[ROUNDS - 1];
    }
    if (sum == 12345)
        *sink = sum;
}

template <bool UNIFORM> void streams(const struct machine *m, const char *name, int step, int apart)
{
    char group[64];

    for (int warps : {1, 4, 16, 32})
        for (int bytes = 1024; bytes <= TABLE * 16; bytes *= 2) {
            const int count = bytes / 16 / step;
            long long clocks[2];

            stream<UNIFORM><<<m->sms, 32 * warps>>>(m->clock, m->sink, count, step, apart);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(clocks, m->clock, sizeof clocks, cudaMemcpyDeviceToHost));
            snprintf(group, sizeof group, "%s_%d", name, warps);
            bench_line("constant_first", group, bytes, (double)clocks[0] / (count * warps), "clocks a request");
            bench_line("constant_stream", group, bytes, (double)clocks[1] / (count * warps), "clocks a request");
        }
}

} // namespace

void bench_constants(const struct machine *m)
{
    streams<true>(m, "uniform", 1, 0);
    streams<false>(m, "lanes", 1, 0);
    streams<false>(m, "lanes_apart", 1, 37);
    streams<false>(m, "lanes_each_line", 4, 0);
}
