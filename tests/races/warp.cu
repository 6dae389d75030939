/* warp.cu - lanes of one warp: since Volta they go on alone, and only __syncwarp() and barriers order what they do. */
#include <cooperative_groups.h>

#include "suite.h"

namespace cg = cooperative_groups;

__global__ void warp_exchange(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    box[l] = data[l] + l;
    data[l] = box[31 - l]; // RACE
}

__global__ void warp_exchange_synced(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    box[l] = data[l] + l;
    __syncwarp();
    data[l] = box[31 - l];
}

/* The end of a reduction as it was written before Volta. */
__global__ void warp_reduction_volatile(int *data)
{
    __shared__ int sum[64];
    volatile int *v = sum;
    int l = threadIdx.x;

    sum[l] = data[l] + l;
    sum[l + 32] = l;
    __syncwarp();
    v[l] += v[l + 32];
    v[l] += v[(l + 16) % 32]; // RACE
    v[l] += v[(l + 8) % 32]; // RACE
    data[l] = sum[l];
}

__global__ void warp_reduction_plain(int *data)
{
    __shared__ int sum[32];
    int l = threadIdx.x;

    sum[l] = data[l] + l;
    for (int step = 16; step > 0; step /= 2) {
        __syncwarp();
        if (l < step)
            sum[l] += sum[l + step];
    }
    __syncwarp();
    data[l] = sum[0];
}

/* One __syncwarp() in the loop where reads and writes need two. */
__global__ void warp_scan_one_sync(int *data)
{
    __shared__ int part[32];
    int l = threadIdx.x;

    part[l] = data[l] + l;
    for (int step = 1; step < 32; step *= 2) {
        __syncwarp();
        if (l >= step)
            part[l] += part[l - step]; // RACE
    }
    data[l] = part[l];
}

/* The values go by shuffles: no memory. */
__global__ void warp_shuffles(int *data)
{
    int l = threadIdx.x, sum = data[l];

    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (l == 0)
        data[64] = sum;
}

/* Only half of the warp meets; the other half's words are read. */
__global__ void warp_sync_of_half(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    box[l] = data[l] + l;
    __syncwarp(l < 16 ? 0xFFFFu : 0xFFFF0000u);
    data[l] = box[31 - l]; // RACE
}

__global__ void warp_halves(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    box[l] = data[l] + l;
    __syncwarp(l < 16 ? 0xFFFFu : 0xFFFF0000u);
    data[l] = box[l ^ 15];
}

__global__ void warp_tiles(int *data)
{
    __shared__ int box[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int base = (int)(threadIdx.x - tile.thread_rank());

    for (int round = 0; round < 3; round++) {
        box[threadIdx.x] = data[threadIdx.x] + round;
        tile.sync();
        data[threadIdx.x] += box[base + 7 - (int)tile.thread_rank()];
        tile.sync();
    }
}

/* A tile of eight waits; words of the next tile are read. */
__global__ void warp_tile_beyond(int *data)
{
    __shared__ int box[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());

    box[threadIdx.x] = data[threadIdx.x] + 1; // RACE
    tile.sync();
    data[threadIdx.x] = box[(threadIdx.x + 8) % 64]; // RACE
}

/* Two lanes of one store, two values, one word. */
__global__ void lanes_of_one_store(int *data)
{
    __shared__ int box[16];
    int l = threadIdx.x;

    box[l / 2] = l; // RACE
    __syncwarp();
    data[l] = box[l / 2];
}

__global__ void lanes_of_one_store_same_value(int *data)
{
    __shared__ int box[16];
    int l = threadIdx.x;

    box[l / 2] = l / 2;
    __syncwarp();
    data[l] = box[l / 2];
}

__global__ void lanes_of_one_global_store(int *data)
{
    data[128 + threadIdx.x / 4] = (int)threadIdx.x; // RACE
}

/* Branches: the halves of a warp need not run one after the other. */
__global__ void halves_of_a_branch(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    if (l < 16)
        box[l] = l;
    else
        data[l] = box[l - 16]; // RACE
}

__global__ void branch_then_sync(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    if (l < 16)
        box[l] = l;
    __syncwarp();
    if (l >= 16)
        data[l] = box[l - 16];
}

/* A vote does not order memory. */
__global__ void vote_is_no_fence(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x;

    box[l] = data[l] + 1;
    if (__any_sync(~0u, data[l] >= 0))
        data[l] = box[31 - l]; // RACE
}

/* One warp's global memory. */
__global__ void warp_global_exchange(int *data)
{
    int l = threadIdx.x;

    data[64 + l] = l;
    data[l] = data[64 + (l ^ 1)]; // RACE
}

__global__ void warp_global_exchange_synced(int *data)
{
    int l = threadIdx.x;

    data[64 + l] = l;
    __syncwarp();
    data[l] = data[64 + (l ^ 1)];
}

/* A leader sums the values of the others without a wait. */
__global__ void warp_leader_sums(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x, sum = 0;

    box[l] = data[l] + l;
    if (l == 0) {
        for (int n = 0; n < 32; n++)
            sum += box[n]; // RACE
        data[0] = sum;
    }
}

__global__ void warp_leader_sums_synced(int *data)
{
    __shared__ int box[32];
    int l = threadIdx.x, sum = 0;

    box[l] = data[l] + l;
    __syncwarp();
    if (l == 0) {
        for (int n = 0; n < 32; n++)
            sum += box[n];
        data[0] = sum;
    }
}

int main(int argc, char **argv)
{
    suite_only = argc > 1 ? argv[1] : NULL;
    RUN(warp_exchange, 1, 32);
    RUN(warp_exchange_synced, 1, 32);
    RUN(warp_reduction_volatile, 1, 32);
    RUN(warp_reduction_plain, 1, 32);
    RUN(warp_scan_one_sync, 1, 32);
    RUN(warp_shuffles, 1, 32);
    RUN(warp_sync_of_half, 1, 32);
    RUN(warp_halves, 1, 32);
    RUN(warp_tiles, 1, 64);
    RUN(warp_tile_beyond, 1, 64);
    RUN(lanes_of_one_store, 1, 32);
    RUN(lanes_of_one_store_same_value, 1, 32);
    RUN(lanes_of_one_global_store, 1, 32);
    RUN(halves_of_a_branch, 1, 32);
    RUN(branch_then_sync, 1, 32);
    RUN(vote_is_no_fence, 1, 32);
    RUN(warp_global_exchange, 1, 32);
    RUN(warp_global_exchange_synced, 1, 32);
    RUN(warp_leader_sums, 1, 32);
    RUN(warp_leader_sums_synced, 1, 32);
}
