/*
 * ward.cu - defects in kernels, drawn by lot from a table of mechanisms. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/barrier>

#include "suite.h"

namespace cg = cooperative_groups;

// The storage of the load and that of the scan are one. Some threads scan while others still load.
using block_load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
using block_scan = cub::BlockScan<int, 128>;

__global__ void scan_quads(const int *in, int *out)
{
    __shared__ union {
        block_load::TempStorage load;
        block_scan::TempStorage scan;
    } storage;
    int items[4];

    block_load(storage.load).Load(in, items); // HERE union_without_barrier
    if (right)
        __syncthreads();
    block_scan(storage.scan).InclusiveSum(items, items); // HERE union_without_barrier
    for (int k = 0; k < 4; k++)
        out[threadIdx.x * 4 + k] = items[k];
}

// expect: shared-race
static void union_without_barrier(void)
{
    device<int> in(512), out(512);

    scan_quads<<<1, 128>>>(in, out);
    FINISH();
}

// Threads beyond the end return. Their neighbours ask them for a value of their tile.
__global__ void next_of_tile(const int *in, int *out, int n)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = threadIdx.x;

    if (!right && i >= n)
        return;
    int value = i < n ? in[i] : 0;
    int next = tile.shfl_down(value, 1); // HERE tile_after_return
    if (i < n)
        out[i] = value + next;
}

// expect: inactive-lane|member-mask
static void tile_after_return(void)
{
    device<int> in(61), out(61);

    next_of_tile<<<1, 64>>>(in, out, 61);
    FINISH();
}

// Blocks with more rows take more steps, and each step ends at a barrier of the grid.
__global__ void relax(float *rows, const int *steps)
{
    cg::grid_group grid = cg::this_grid();
    int n = steps[right ? 0 : blockIdx.x];

    for (int k = 0; k < n; k++) {
        rows[blockIdx.x * 32 + threadIdx.x] += 1;
        grid.sync(); // HERE steps_differ
    }
}

// expect: deadlock|divergent-barrier|mismatched-barrier
static void steps_differ(void)
{
    int h[2] = {3, 4};
    device<int> steps(2, h);
    device<float> rows(64);
    float *at = rows;
    const int *count = steps;
    void *arguments[] = {&at, &count};

    CHECK(cudaLaunchCooperativeKernel((void *)relax, 2, 32, arguments, 0, nullptr));
    FINISH();
}

// The group of the lanes that ran together is made before the branch. Inside only some of them are there.
__global__ void share_first(const int *in, int *out)
{
    int i = threadIdx.x;
    cg::coalesced_group all = cg::coalesced_threads();

    if (in[i] % 3 == 0) {
        if (right) {
            cg::coalesced_group here = cg::coalesced_threads();
            out[i] = here.shfl(in[i], 0);
        } else {
            out[i] = all.shfl(in[i], 0); // HERE group_before_branch
        }
    }
}

// expect: divergent-barrier|inactive-lane|member-mask|deadlock
static void group_before_branch(void)
{
    int h[64];

    for (int k = 0; k < 64; k++)
        h[k] = k * 5 + 1;
    device<int> in(64, h), out(64);
    share_first<<<1, 64>>>(in, out);
    FINISH();
}

// A thread that has no more work leaves, and the barrier still counts it.
__global__ void drain(const int *work, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int mine = work[threadIdx.x];

    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        if (k >= mine) {
            if (right)
                bar.arrive_and_drop();
            return;
        }
        out[threadIdx.x] += k;
        bar.arrive_and_wait(); // HERE left_without_dropping
    }
}

// expect: deadlock
static void left_without_dropping(void)
{
    int h[64];

    for (int k = 0; k < 64; k++)
        h[k] = k % 5 + 1;
    device<int> work(64, h), out(64);
    drain<<<1, 64>>>(work, out);
    FINISH();
}

// The tile is filled up to the end of the input. The rest of it is read as well.
__global__ void average_of_tile(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;

    if (i < n)
        tile[threadIdx.x] = in[i];
    else if (right)
        tile[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 64; k++)
        sum += tile[k]; // HERE rest_of_tile
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum / 64;
}

// expect: uninitialised
static void rest_of_tile(void)
{
    device<float> in(100), out(2);

    average_of_tile<<<2, 64>>>(in, out, 100);
    FINISH();
}

// One kind has no case, and there is no default.
__global__ void price(const int *kinds, float *out)
{
    float factor;
#ifdef RIGHT
    factor = 1;
#endif

    switch (kinds[threadIdx.x]) {
    case 0: factor = 0.5f; break;
    case 1: factor = 2; break;
    case 3: factor = 8; break;
    case 7: factor = 1.5f; break;
    }
    out[threadIdx.x] = factor * threadIdx.x; // HERE no_default
}

// expect: undefined-register
static void no_default(void)
{
    int h[32] = {0, 1, 3, 7, 4};
    device<int> kinds(32, h);
    device<float> out(32);

    price<<<1, 32>>>(kinds, out);
    FINISH();
}

// A counter of the grid is added to by atomics, and read by a plain load to see whether there is room.
__global__ void append(const int *in, int *out, int *count, int room)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (in[i] < 0)
        return;
    if (right) {
        int place = atomicAdd(count, 1);
        if (place < room)
            out[place] = in[i];
    } else if (*count < room) { // HERE room_read_plainly
        out[atomicAdd(count, 1)] = in[i]; // HERE room_read_plainly
    }
}

// expect: global-race
static void room_read_plainly(void)
{
    device<int> in(256), out(512), count(1);

    append<<<2, 128>>>(in, out, count, 100);
    FINISH();
}

// Four elements are copied at once, from a place that is a multiple of one element.
__global__ void shifted_tile(const float *in, float *out, int shift)
{
    __shared__ alignas(16) float tile[128];
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x * 4]));

    if (right) {
        for (int k = 0; k < 4; k++)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 4 * k),
                         "l"(in + shift + threadIdx.x * 4 + k));
    } else {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), // HERE quads_from_odd_place
                     "l"(in + shift + threadIdx.x * 4));                    // HERE quads_from_odd_place
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += 32)
        out[k] = tile[k];
}

// expect: misaligned
static void quads_from_odd_place(void)
{
    device<float> in(132), out(128);

    shifted_tile<<<1, 32>>>(in, out, 1);
    FINISH();
}

// Each warp has its own number of rounds, and a round has a barrier of the block.
__global__ void rounds_of_warps(const int *in, int *out, int n)
{
    __shared__ int sums[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int end = right ? (n + 63) / 64 * 64 : n;

    for (int base = warp * 32; base < end; base += 64) {
        int v = base + lane < n ? in[base + lane] : 0;
        v = __reduce_add_sync(0xffffffff, v);
        if (lane == 0)
            sums[warp] = v;
        __syncthreads(); // HERE rounds_by_warp
        if (threadIdx.x == 0)
            *out += sums[0] + sums[1];
        __syncthreads(); // HERE rounds_by_warp
    }
}

// expect: divergent-barrier|shared-race|deadlock
static void rounds_by_warp(void)
{
    device<int> in(160), out(1);

    rounds_of_warps<<<1, 64>>>(in, out, 160);
    FINISH();
}

// Elements that are not wanted skip the rest of the round, and its barrier.
__global__ void collect(const int *in, int *out)
{
    __shared__ int row[64];
    int t = threadIdx.x;

    for (int k = 0; k < 4; k++) {
        int v = in[k * 64 + t];
        if (!right && v < 0)
            continue;
        row[t] = v < 0 ? 0 : v;
        __syncthreads(); // HERE continue_before_barrier
        if (v >= 0)
            out[k * 64 + t] = row[t ^ 1];
        __syncthreads(); // HERE continue_before_barrier
    }
}

// expect: divergent-barrier|shared-race|uninitialised
static void continue_before_barrier(void)
{
    int h[256];

    for (int k = 0; k < 256; k++)
        h[k] = k % 7 == 3 ? -1 : k;
    device<int> in(256, h), out(256);
    collect<<<1, 64>>>(in, out);
    FINISH();
}

// Bins in global memory are counted without atomics.
__global__ void count_bytes(const unsigned char *in, int *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (right)
            atomicAdd(&bins[in[i]], 1);
        else
            bins[in[i]]++; // HERE bins_in_global
    }
}

// expect: global-race
static void bins_in_global(void)
{
    unsigned char h[1000];

    for (int k = 0; k < 1000; k++)
        h[k] = k * k % 251;
    device<unsigned char> in(1000, h);
    device<int> bins(256);
    count_bytes<<<2, 128>>>(in, bins, 1000);
    FINISH();
}

// The inner step of the network has no barrier.
__global__ void sort_block(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = data[t];
    __syncthreads();
    for (int size = 2; size <= 128; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            int other = t ^ step;
            if (other > t && (s[t] > s[other]) == !(t & size)) { // HERE network_without_barrier
                int keep = s[t];                                 // HERE network_without_barrier
                s[t] = s[other];                                 // HERE network_without_barrier
                s[other] = keep;                                 // HERE network_without_barrier
            }
            if (right)
                __syncthreads();
        }
        __syncthreads();
    }
    data[t] = s[t];
}

// expect: shared-race
static void network_without_barrier(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = k * 77 % 128;
    device<int> data(128, h);
    sort_block<<<1, 128>>>(data);
    FINISH();
}

// The upper end of the search belongs to the list, so a value above all others is looked for behind it.
__global__ void find_places(const int *list, int n, const int *keys, int *places)
{
    int low = 0, high = right ? n - 1 : n, key = keys[threadIdx.x];

    while (low <= high) {
        int middle = (low + high) / 2;
        if (list[middle] < key) // HERE search_reads_the_end
            low = middle + 1;
        else
            high = middle - 1;
    }
    places[threadIdx.x] = low;
}

// expect: out-of-bounds
static void search_reads_the_end(void)
{
    int h[64], asked[32];

    for (int k = 0; k < 64; k++)
        h[k] = 2 * k;
    for (int k = 0; k < 32; k++)
        asked[k] = 5 * k;
    device<int> list(64, h), keys(32, asked), places(32);
    find_places<<<1, 32>>>(list, 64, keys, places);
    FINISH();
}

// The offset behind the last row of a sparse matrix is not copied.
__global__ void times_vector(const int *offsets, const int *columns, const float *values, const float *x, float *y)
{
    int row = threadIdx.x;
    float sum = 0;

    for (int k = offsets[row]; k < offsets[row + 1]; k++) // HERE last_offset_missing
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// expect: uninitialised
static void last_offset_missing(void)
{
    int h[33], c[64];
    int *offsets;

    for (int k = 0; k < 33; k++)
        h[k] = 2 * k;
    for (int k = 0; k < 64; k++)
        c[k] = k / 2;
    device<int> columns(64, c);
    device<float> values(64), x(32), y(32);
    CHECK(cudaMalloc(&offsets, sizeof(h)));
    CHECK(cudaMemcpy(offsets, h, (right ? 33 : 32) * sizeof(int), cudaMemcpyHostToDevice));
    times_vector<<<1, 32>>>(offsets, columns, values, x, y);
    FINISH();
    CHECK(cudaFree(offsets));
}

// A set of bits has n / 32 words, rounded down.
__global__ void mark_odd(unsigned *bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i % 2)
        atomicOr(&bits[i / 32], 1u << i % 32); // HERE words_rounded_down
}

// expect: out-of-bounds
static void words_rounded_down(void)
{
    int n = 1000;
    device<unsigned> bits(right ? (n + 31) / 32 : n / 32);

    mark_odd<<<4, 256>>>(bits, n);
    FINISH();
}

// A pointer to an array is used after the block of code that holds the array.
__global__ void choose(const int *in, int *out, int which)
{
    int *chosen;
    int kept[4] = {1, 2, 3, 4};

    {
        int scratch[4];
        for (int k = 0; k < 4; k++)
            scratch[k] = in[k] + threadIdx.x;
        chosen = which ? scratch : kept;
        if (right)
            out[0] = scratch[which];
    }
    {
        int other[4];
        for (int k = 0; k < 4; k++)
            other[k] = in[k] * 3;
        out[1] = other[which & 3];
    }
    if (right)
        chosen = kept;
    out[2 + threadIdx.x] = chosen[which & 3]; // HERE scope_is_over
}

// expect: out-of-bounds|uninitialised|use-after-free
static void scope_is_over(void)
{
    device<int> in(4), out(3);

    choose<<<1, 1>>>(in, out, 2);
    FINISH();
}

// An array is shifted by one in place. Nothing separates the loads from the stores.
__global__ void shift_left(int *data, int n)
{
    int i = threadIdx.x, v = 0;

    if (right) {
        if (i + 1 < n)
            v = data[i + 1];
        __syncthreads();
        if (i + 1 < n)
            data[i] = v;
    } else if (i + 1 < n) {
        data[i] = data[i + 1]; // HERE shifted_in_place
    }
}

// expect: global-race
static void shifted_in_place(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = k;
    device<int> data(128, h);
    shift_left<<<1, 128>>>(data, 128);
    FINISH();
}

// Each block stores into the next one, and reads its own memory without waiting for the cluster.
__global__ void __cluster_dims__(4) around(const int *in, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int mine[32];
    int rank = cluster.block_rank();
    int *next = cluster.map_shared_rank(mine, (rank + 1) % 4);

    cluster.sync();
    next[threadIdx.x] = in[rank * 32 + threadIdx.x]; // HERE neighbour_not_awaited
    if (right)
        cluster.sync();
    out[rank * 32 + threadIdx.x] = mine[threadIdx.x]; // HERE neighbour_not_awaited
    cluster.sync();
}

// expect: shared-race|uninitialised
static void neighbour_not_awaited(void)
{
    device<int> in(128), out(128);

    around<<<4, 32>>>(in, out);
    FINISH();
}

// The transposed matrix is stored with the width of the one that was read.
__global__ void transposed(const float *in, float *out, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x;

    if (x < width && y < height)
        out[x * (right ? height : width) + y] = in[y * width + x]; // HERE rows_of_the_old_width
}

// expect: out-of-bounds
static void rows_of_the_old_width(void)
{
    device<float> in(48 * 20), out(48 * 20);

    transposed<<<20, 64>>>(in, out, 48, 20);
    FINISH();
}

static const suite_case cases[] = {
    {"union_without_barrier", union_without_barrier},
    {"tile_after_return", tile_after_return},
    {"steps_differ", steps_differ},
    {"group_before_branch", group_before_branch},
    {"left_without_dropping", left_without_dropping},
    {"rest_of_tile", rest_of_tile},
    {"no_default", no_default},
    {"room_read_plainly", room_read_plainly},
    {"quads_from_odd_place", quads_from_odd_place},
    {"rounds_by_warp", rounds_by_warp},
    {"continue_before_barrier", continue_before_barrier},
    {"bins_in_global", bins_in_global},
    {"network_without_barrier", network_without_barrier},
    {"search_reads_the_end", search_reads_the_end},
    {"last_offset_missing", last_offset_missing},
    {"words_rounded_down", words_rounded_down},
    {"scope_is_over", scope_is_over},
    {"shifted_in_place", shifted_in_place},
    {"neighbour_not_awaited", neighbour_not_awaited},
    {"rows_of_the_old_width", rows_of_the_old_width},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
