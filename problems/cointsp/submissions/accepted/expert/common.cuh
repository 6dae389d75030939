/*
 * common.cuh - what the kernel works on, and how rows of the generator lie.
 */
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cointsp_bits.h"

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

#define ALL 0xffffffffu

/* What the kernel works on; all pointers are the device's, those of run 0: run r's are r * stride bytes further. */
struct coin {
    cointsp_case c;                  /* all runs', but for the key */
    const uint32_t *keys;            /* [runs][2] */
    const int32_t *distance;         /* [n][n], all runs' */
    size_t stride;                   /* bytes of a run */
    cointsp_generation *generations; /* [G] */
    int32_t *best_tour;              /* [n] */
    uint32_t *generator;             /* [n][width] */
    uint16_t *tours, *followers;     /* [P][n]: city number s; the city after city i */
    int32_t *lengths;                /* [P] */
    uint32_t walkers;                /* warps of a block that walk; all of them select and update */
    uint32_t area;                   /* bytes of shared memory behind the warps' tours */
    uint32_t chunk;                  /* rows whose counts fit there beside what the selection leaves */
    bool together;                   /* the grid works on one run; else every block has its own */
    bool kept;                       /* a block keeps its run's generator in shared memory, before that area */
};

__device__ __forceinline__ void meet(const coin &coin)
{
    if (coin.together)
        cooperative_groups::this_grid().sync();
    else
        __syncthreads();
}

/*
 * A stored row has 32 RUN numbers, lane l has cities l RUN to l RUN + RUN - 1. Up to four of them are one load, and so
 * lie in order; of more, every four are 128 numbers from the next four, which keeps a load free of bank conflicts.
 */
template <int RUN> __device__ __forceinline__ uint32_t place_of(uint32_t city)
{
    return RUN <= 4 ? city : city % RUN / 4 * 128 + city / RUN * 4 + city % 4;
}

/* A lane's numbers of a row, past the first-level cache unless they are in shared memory. */
template <int RUN, bool RESIDENT>
__device__ __forceinline__ void load_run(uint32_t cells[RUN], const uint32_t *row, uint32_t lane)
{
    if (RUN == 1) {
        const uint32_t *from = row + lane;
        cells[0] = RESIDENT ? *from : __ldcg(from);
    } else if (RUN == 2) {
        const uint2 *from = reinterpret_cast<const uint2 *>(row) + lane;
        uint2 two = RESIDENT ? *from : __ldcg(from);
        cells[0] = two.x;
        cells[1 % RUN] = two.y;
    } else {
#pragma unroll
        for (int b = 0; b < RUN; b += 4) {
            const uint4 *from = reinterpret_cast<const uint4 *>(row) + b * 8 + lane;
            uint4 four = RESIDENT ? *from : __ldcg(from);
            cells[b] = four.x;
            cells[(b + 1) % RUN] = four.y;
            cells[(b + 2) % RUN] = four.z;
            cells[(b + 3) % RUN] = four.w;
        }
    }
}
