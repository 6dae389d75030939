/*
 * common.cuh - what a kernel takes, and how it cuts its work.
 */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

/* What the kernels take: c[m][n] = a[m][k] b[k][n]; pitches in elements. Where gridDim.y parts divide k, c is the
 * first part's matrix, and the last block of each blockIdx.x that arrives adds the parts to `sum`. */
struct product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int a_pitch, b_pitch, c_pitch;
    size_t part;        // blockIdx.y has a part of k, and its matrix begins so many elements behind the one before
    float *sum;         // the product, with sum_pitch; used where k has parts
    int sum_pitch;
    unsigned *arrived;  // [gridDim.x], blocks that have stored their part; zero before and after
};

/* Each makes the loop of some shapes faster: multiply column by column; copy B four steps after A; count the copies
 * before the pointers move; have no code for clusters. HALVES: half a slab is enough for the first one where K leaves
 * no more for it; whole slabs take 1 to 5 % longer then. */
enum { COLUMNS_FIRST = 2, COPY_TWICE = 4, ARRIVE_FIRST = 8, ALONE = 16, HALVES = 32 };

/*
 * How multiply_tiles cuts its work. A block has BM x BN elements of C, a thread TM x TN, in pieces of 4 x 4, a warp
 * LANES_M x LANES_N such threads. A slab is BK of k; SLICES groups of warps each have every SLICES-th k of it, and all
 * elements. STAGES slabs have a place in shared memory: A as [BK][PITCH], B as [BK][B_PITCH]. SHIFT is the pitch of
 * B modulo 4: where it is not 0, rows do not begin at 16 bytes. ORDER is how the loop's instructions are written down:
 * what they do is the same, but the compiler gives them other registers, and the speed differs by up to 5 %.
 */
template <int BM_, int BN_, int TM_, int TN_, int LANES_M_, int SLICES_, int STAGES_, int BLOCKS_, int SHIFT_ = 0,
          int ORDER_ = 0>
struct shape {
    static constexpr int BM = BM_, BN = BN_, TM = TM_, TN = TN_, SLICES = SLICES_, BK = 16 * SLICES, STAGES = STAGES_;
    static constexpr int LANES_M = LANES_M_, LANES_N = 32 / LANES_M, WARPS_M = BM / (LANES_M * TM);
    static constexpr int WARPS_N = BN / (LANES_N * TN), WARPS = WARPS_M * WARPS_N * SLICES, THREADS = WARPS * 32;
    static constexpr int BLOCKS = BLOCKS_, SHIFT = SHIFT_, ORDER = ORDER_;
    static constexpr bool SHIFTED = SHIFT != 0, HALF = (ORDER & HALVES) != 0;
    static constexpr int WIDTH = SHIFTED ? 1 : 4; // how many columns of C are stored at once
    using piece = std::conditional_t<SHIFTED, float, float4>;
    static constexpr int PITCH = BM + 4, B_PITCH = BN + (SHIFTED ? 4 : 0), STAGE = BK * (PITCH + B_PITCH);
    static constexpr int B_READ = TN + (SHIFTED ? 4 : 0);
    static constexpr int KEPT_PITCH = BN + (SHIFTED ? 1 : 0); // of sums that are kept in shared memory
    static constexpr int A_ROWS = THREADS / 8, A_PASSES = BM / A_ROWS; // rows of A that all threads copy at once
    static constexpr int B_ACROSS = BN / 4 < THREADS ? BN / 4 : THREADS; // copies side by side
    static constexpr int B_ROWS = THREADS / B_ACROSS, B_PASSES = BN / (B_ACROSS * 4);
    static constexpr bool REPEATS = TM * TN >= 64 && THREADS >= 128; // the last slab is copied again and again
    static constexpr int AHEAD = STAGES - (BLOCKS == 1 ? 3 : 2);
    static constexpr int BYTES = STAGES * (STAGE * (int)sizeof(float) + 2 * 8);

    static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0 && BN % (B_ACROSS * 4) == 0, "copies fill a slab");
    static_assert(!SHIFTED || (B_ROWS % 4 == 0 && THREADS >= BK), "a thread copies rows of B of one shift");
    static_assert(SLICES * BM * KEPT_PITCH <= STAGES * STAGE, "the sums find room where the slabs were");
};
