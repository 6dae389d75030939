/*
 * 3_pipeline.cu - the third step from baseline.cu to expert: one kernel, in which the strips are a pipeline.
 *
 * As 2_strips.cu, but a warp goes through all columns of its strip, and its match tables and words stay where they are.
 * The difference on a strip's lower edge goes to the strip below through global memory while both run, 32 columns in
 * one 64-bit word: +1 in the low half, -1 in the high half. As no column can have both, all ones means "not there yet",
 * and no flags, fences or further launches are needed. Warps take strips in order from a counter: the strip that one
 * waits for is always running already or done, however many warps the device has room for.
 *
 * Where the time goes: columns + 100 or so steps for each strip, one after the other, of 330 clocks as measured
 * on an H100. What is left to expert: to halve the number of columns by a second front from the strings' ends, and
 * to shorten the step, above all by loading characters and matches some steps ahead.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "3_pipeline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

enum { ROWS = 1024 };
typedef unsigned long long u64;

/*
 * Strips of ROWS rows, a warp each.
 *
 *   a        the rows' characters, behind `pad` rows above the table, which match nothing and keep no difference: they
 *            hand the upper edge down
 *   edges    [strips][columns / 32], all ones at first: the lower edges
 *   ticket   strips taken so far
 *   distance the sum of the vertical differences in the last column is added to it
 */
__global__ void pipeline(const unsigned char *a, int pad, const unsigned char *b, int columns, int strips,
                         volatile u64 *edges, int *ticket, int *distance)
{
    __shared__ unsigned low[16][32], high[16][32];
    const int l = (int)threadIdx.x;

    for (;;) {
        int strip = l == 0 ? atomicAdd(ticket, 1) : 0;

        strip = __shfl_sync(~0u, strip, 0);
        if (strip >= strips)
            return;
        const int row = strip * ROWS + l * 32 - pad;
        const volatile u64 *above = edges + (size_t)(strip - 1) * (columns / 32);
        volatile u64 *below = edges + (size_t)strip * (columns / 32);
        unsigned pv = -row >= 32 ? 0 : row < 0 ? ~0u << -row : ~0u, mv = 0, hp = 0, hn = 0, up = 0, down = 0;
        u64 edge = 0xffffffffu; /* lane 0: of the columns from here on, in the lowest bits of both halves */

        for (int v = 0; v < 16; v++)
            low[v][l] = high[v][l] = 0;
        for (int r = 0; r < 32; r++)
            if (row + r >= 0) {
                low[a[row + r] & 15][l] |= 1u << r;
                high[a[row + r] >> 4][l] |= 1u << r;
            }
        for (int t = 0; t < columns + 31; t++) {
            const int j = t - l;

            if (strip > 0 && t % 32 == 0 && t < columns)
                while ((edge = above[t / 32]) == ~0ull)
                    ;
            hp = __shfl_up_sync(~0u, hp, 1);
            hn = __shfl_up_sync(~0u, hn, 1);
            if (l == 0) {
                hp = (unsigned)(edge >> t % 32) & 1;
                hn = (unsigned)(edge >> (32 + t % 32)) & 1;
            }
            if (j >= 0 && j < columns) {
                const unsigned c = b[j], eq = low[c & 15][l] & high[c >> 4][l], x = eq | mv, m = eq & pv;
                const u64 sum = (u64)m + pv + hn;
                const unsigned s = (unsigned)sum, carries = s ^ pv ^ m;
                const unsigned lower = mv | ~(x | pv | s), shifted = lower << 1 | hp;

                pv = carries | ~(x | shifted);
                mv = shifted & x;
                hp = lower >> 31;
                hn = (unsigned)(sum >> 32);
                up = up >> 1 | hp << 31;
                down = down >> 1 | hn << 31;
            }
            if (l == 31 && j >= 0 && j % 32 == 31)
                below[j / 32] = (u64)down << 32 | up;
        }
        atomicAdd(distance, __popc(pv) - __popc(mv));
    }
}

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const char *longer = lenStr1 >= lenStr2 ? str1 : str2, *shorter = lenStr1 >= lenStr2 ? str2 : str1;
    const int rows = max(lenStr1, lenStr2), columns = min(lenStr1, lenStr2);
    const int strips = (rows + ROWS - 1) / ROWS;
    const size_t edge_bytes = (size_t)strips * (columns / 32) * sizeof(u64);
    unsigned char *strings; /* the longer, then the shorter one */
    u64 *edges;
    int *counters, distance, blocks, processors, index; /* counters: the ticket, the distance */

    CHECK(cudaGetDevice(&index));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pipeline, 32, 0));
    CHECK(cudaMalloc(&strings, (size_t)rows + columns));
    CHECK(cudaMalloc(&edges, edge_bytes));
    CHECK(cudaMalloc(&counters, 2 * sizeof *counters));
    CHECK(cudaMemcpy(strings, longer, rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(strings + rows, shorter, columns, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(edges, 0xff, edge_bytes));
    CHECK(cudaMemset(counters, 0, 2 * sizeof *counters));
    pipeline<<<min(strips, blocks * processors), 32>>>(strings, strips * ROWS - rows, strings + rows, columns, strips,
                                                       edges, counters, counters + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&distance, counters + 1, sizeof distance, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(counters));
    CHECK(cudaFree(edges));
    CHECK(cudaFree(strings));
    return (unsigned)(distance + columns);
}
