/*
 * common.cuh - what a kernel takes, and how it cuts its work.
 */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

/* What the kernels take: c[m][n] = a[m][k] b[k][n]; pitches in elements. */
struct product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int a_pitch, b_pitch, c_pitch;
    size_t part; // blockIdx.y has a part of k, and its matrix begins so many elements behind the one before
};

/* Each makes the loop of some shapes faster: multiply column by column; copy B four steps after A; count the copies
 * before the pointers move; have no code for clusters. */
enum { COLUMNS_FIRST = 2, COPY_TWICE = 4, ARRIVE_FIRST = 8, ALONE = 16 };

/*
 * How multiply_tiles cuts its work. A block has BM x BN elements of C, a thread TM x TN, in pieces of 4 x 4, a warp
 * LANES_M x LANES_N such threads. A slab is BK of k; SLICES groups of warps each have every SLICES-th k of it, and all
 * elements. STAGES slabs have a place in shared memory: A as [BK][PITCH], B as [BK][BN]. WIDTH is how many columns of B
 * a copy has: 4, or 1 where rows are not aligned. ORDER is how the loop's instructions are written down: what they do
 * is the same, but the compiler gives them other registers, and the speed differs by up to 5 %.
 */
template <int BM_, int BN_, int TM_, int TN_, int LANES_M_, int SLICES_, int STAGES_, int BLOCKS_, int WIDTH_,
          int ORDER_ = 0>
struct shape {
    static constexpr int BM = BM_, BN = BN_, TM = TM_, TN = TN_, SLICES = SLICES_, BK = 16 * SLICES, STAGES = STAGES_;
    static constexpr int LANES_M = LANES_M_, LANES_N = 32 / LANES_M, WARPS_M = BM / (LANES_M * TM);
    static constexpr int WARPS_N = BN / (LANES_N * TN), WARPS = WARPS_M * WARPS_N * SLICES, THREADS = WARPS * 32;
    static constexpr int BLOCKS = BLOCKS_, WIDTH = WIDTH_, ORDER = ORDER_;
    static constexpr int PITCH = BM + 4, STAGE = BK * (PITCH + BN);
    static constexpr int A_ROWS = THREADS / 8, A_PASSES = BM / A_ROWS; // rows of A that all threads copy at once
    static constexpr int B_ACROSS = BN / WIDTH < THREADS ? BN / WIDTH : THREADS; // copies side by side
    static constexpr int B_ROWS = THREADS / B_ACROSS, B_PASSES = BN / (B_ACROSS * WIDTH);
    static constexpr bool REPEATS = TM * TN >= 64 && THREADS >= 128; // the last slab is copied again and again
    static constexpr int AHEAD = STAGES - (BLOCKS == 1 ? 3 : 2);
    static constexpr int BYTES = STAGES * (STAGE * (int)sizeof(float) + 2 * 8);

    static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0 && BN % (B_ACROSS * WIDTH) == 0, "copies fill a slab");
    static_assert(SLICES * BM * BN <= STAGES * STAGE, "the sums find room where the slabs were");
};
