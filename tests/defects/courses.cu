/*
 * courses.cu - of the third suite: defects of kernels, as in the exercises of courses.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "suite.h"

namespace cg = cooperative_groups;

/* ---- sizes and indices ---- */

__global__ void reverse_block(const float *in, float *out)
{
    extern __shared__ float whole_block[];
    int t = threadIdx.x;

    whole_block[t] = in[t]; // HERE elements_for_bytes
    __syncthreads();
    out[t] = whole_block[blockDim.x - 1 - t];
}

// expect: out-of-bounds
static void elements_for_bytes(void)
{
    device<float> in(256), out(256);

    reverse_block<<<1, 256, 256>>>(in, out);
    FINISH();
}

__global__ void count_grey(const unsigned short *pixels, unsigned *counts, int n)
{
    __shared__ unsigned bins[256];

    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        bins[k] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[pixels[i]], 1u); // HERE bin_256
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        counts[k] = bins[k];
}

// expect: out-of-bounds
static void bin_256(void)
{
    unsigned short h[512];

    for (int k = 0; k < 512; k++)
        h[k] = k % 257;
    device<unsigned short> pixels(512, h);
    device<unsigned> counts(256);
    count_grey<<<1, 64>>>(pixels, counts, 512);
    FINISH();
}

constexpr int radius = 4;
__constant__ float filter[2 * radius + 1];

__global__ void filtered(const float *in, float *out, int n, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int k = 0; k <= last; k++) {
        int at = i + k - radius;
        if (at >= 0 && at < n)
            sum += in[at] * filter[k]; // HERE taps_of_filter
    }
    if (i < n)
        out[i] = sum;
}

// expect: out-of-bounds
static void taps_of_filter(void)
{
    float h[2 * radius + 1] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
    device<float> in(200), out(200);

    CHECK(cudaMemcpyToSymbol(filter, h, sizeof h));
    filtered<<<2, 128>>>(in, out, 200, 2 * radius + 1);
    FINISH();
}

__global__ void spmv(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        float sum = 0;
        int end = starts[row + 1]; // HERE end_of_last_row
        for (int k = starts[row]; k < end; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

// expect: out-of-bounds
static void end_of_last_row(void)
{
    int h[64];

    for (int k = 0; k < 64; k++)
        h[k] = 2 * k;
    device<int> starts(64, h), columns(128);
    device<float> values(128), x(64), y(64);
    spmv<<<1, 64>>>(starts, columns, values, x, y, 64);
    FINISH();
}

__global__ void expand(const int *starts, const int *edges, const int *frontier, int count, int *next, int *tail)
{
    int i = threadIdx.x;

    if (i < count) {
        int node = frontier[i];
        for (int k = starts[node]; k < starts[node + 1]; k++)
            next[atomicAdd(tail, 1)] = edges[k]; // HERE frontier_of_duplicates
    }
}

/* All 16 nodes point to the first 8: the queue has a place for each node, and none for duplicates. */
// expect: out-of-bounds
static void frontier_of_duplicates(void)
{
    int starts_h[17], edges_h[128], frontier_h[16];

    for (int k = 0; k < 17; k++)
        starts_h[k] = 8 * k;
    for (int k = 0; k < 128; k++)
        edges_h[k] = k % 8;
    for (int k = 0; k < 16; k++)
        frontier_h[k] = k;
    device<int> starts(17, starts_h), edges(128, edges_h), frontier(16, frontier_h), next(16), tail(1);
    expand<<<1, 32>>>(starts, edges, frontier, 16, next, tail);
    FINISH();
}

__global__ void pop_all(const int *stack, int *top, int *out)
{
    int at = atomicSub(top, 1) - 1;

    out[threadIdx.x] = stack[at]; // HERE pops_from_empty
}

// expect: out-of-bounds
static void pops_from_empty(void)
{
    int twenty = 20;
    device<int> stack(20), top(1, &twenty), out(32);

    pop_all<<<1, 32>>>(stack, top, out);
    FINISH();
}

__global__ void transpose_rectangle(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        out[x * width + y] = in[y * width + x]; // HERE rectangular_transpose
}

// expect: out-of-bounds
static void rectangular_transpose(void)
{
    device<int> in(40 * 24), out(40 * 24);

    transpose_rectangle<<<dim3(5, 3), dim3(8, 8)>>>(in, out, 40, 24);
    FINISH();
}

__global__ void cell_of(const unsigned char *cells, int *out, int row, int width)
{
    int first = row * width;

    out[threadIdx.x] = cells[first + threadIdx.x]; // HERE index_overflow
}

// expect: out-of-bounds|illegal-address
static void index_overflow(void)
{
    device<unsigned char> cells(4096);
    device<int> out(32);

    cell_of<<<1, 32>>>(cells, out, 65535, 65536);
    FINISH();
}

__global__ void flags_then_sums(const double *in, double *out, int n)
{
    extern __shared__ unsigned char carved[];
    unsigned char *flags = carved;
    double *sums = (double *)(carved + n);
    int t = threadIdx.x;

    flags[t] = in[t] > 0;
    sums[t] = in[t]; // HERE carved_unaligned
    __syncthreads();
    out[t] = flags[n - 1 - t] ? sums[n - 1 - t] : 0;
}

// expect: misaligned
static void carved_unaligned(void)
{
    device<double> in(33), out(33);

    flags_then_sums<<<1, 33, 33 * 9>>>(in, out, 33);
    FINISH();
}

__global__ void letters(const char *text, int *counts, int n)
{
    __shared__ int bins[256];

    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        bins[k] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[text[i]], 1); // HERE signed_characters
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        counts[k] = bins[k];
}

// expect: out-of-bounds|illegal-address
static void signed_characters(void)
{
    device<char> text(64,
                      "na\xc3\xafve caf\xc3\xa9, d\xc3\xa9j\xc3\xa0 vu, and more letters until there are 64 of them");
    device<int> counts(256);

    letters<<<1, 64>>>(text, counts, 64);
    FINISH();
}

struct particles {
    float *x, *y, *mass;
    int count;
};

__global__ void drift(particles p, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < p.count) {
        p.x[i] += step;
        p.y[i] += step * p.mass[i]; // HERE member_never_allocated
    }
}

// expect: illegal-address
static void member_never_allocated(void)
{
    device<float> x(100), y(100);
    particles p = {x, y, nullptr, 100};

    drift<<<1, 128>>>(p, 0.5f);
    FINISH();
}

/* ---- values that nobody wrote ---- */

__global__ void nine_points(const int *in, int *out, int width)
{
    __shared__ int tile[10][10];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int *at = in + y * width + x;

    tile[y][x] = *at;
    if (x == 1)
        tile[y][0] = at[-1];
    if (x == 8)
        tile[y][9] = at[1];
    if (y == 1)
        tile[0][x] = at[-width];
    if (y == 8)
        tile[9][x] = at[width];
    __syncthreads();
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += tile[y + dy][x + dx]; // HERE corners_not_loaded
    out[y * width + x] = sum;
}

// expect: uninitialised
static void corners_not_loaded(void)
{
    device<int> in(100), out(100);

    nine_points<<<1, dim3(8, 8)>>>(in, out, 10);
    FINISH();
}

__global__ void rank_sort(const int *in, int *out, int n)
{
    int i = threadIdx.x, rank = 0;

    for (int k = 0; k < n; k++)
        rank += in[k] < in[i];
    out[rank] = in[i];
}

__global__ void gaps(const int *sorted, int *out, int n)
{
    int i = threadIdx.x;

    if (i + 1 < n)
        out[i] = sorted[i + 1] - sorted[i]; // HERE ties_leave_holes
}

// expect: uninitialised
static void ties_leave_holes(void)
{
    int h[64], *sorted;

    for (int k = 0; k < 64; k++)
        h[k] = k * 29 % 48;
    device<int> in(64, h), out(64);
    CHECK(cudaMalloc(&sorted, sizeof h));
    rank_sort<<<1, 64>>>(in, sorted, 64);
    gaps<<<1, 64>>>(sorted, out, 64);
    FINISH();
    CHECK(cudaFree(sorted));
}

__global__ void sum_of_block(const int *in, int *sums)
{
    int sum = in[blockIdx.x * 32 + threadIdx.x];

    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void sum_of_sums(const int *sums, int *total)
{
    int sum = sums[threadIdx.x]; // HERE sums_of_absent_blocks

    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
        *total = sum;
}

// expect: uninitialised
static void sums_of_absent_blocks(void)
{
    device<int> in(160), total(1);
    int *sums;

    CHECK(cudaMalloc(&sums, 32 * sizeof(int)));
    sum_of_block<<<5, 32>>>(in, sums);
    sum_of_sums<<<1, 32>>>(sums, total);
    FINISH();
    CHECK(cudaFree(sums));
}

/* ---- blocks ---- */

__global__ void sum_by_warps(const int *in, int *out)
{
    __shared__ int of_warp[8];
    int t = threadIdx.x, sum = in[t];

    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (t % 32 == 0)
        of_warp[t / 32] = sum; // HERE warp_sums_not_awaited
    if (t < 32) {
        sum = t < 8 ? of_warp[t] : 0; // HERE warp_sums_not_awaited
        for (int d = 4; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (t == 0)
            *out = sum;
    }
}

// expect: shared-race|uninitialised
static void warp_sums_not_awaited(void)
{
    device<int> in(256), out(1);

    sum_by_warps<<<1, 256>>>(in, out);
    FINISH();
}

__global__ void common_subsequence(const char *a, const char *b, int *out)
{
    __shared__ int best[65][65];
    int i = threadIdx.x + 1;

    best[i][0] = best[0][i] = 0;
    if (i == 1)
        best[0][0] = 0;
    __syncthreads();
    for (int diagonal = 2; diagonal <= 128; diagonal++) {
        int j = diagonal - i;
        if (j >= 1 && j <= 64)
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : // HERE diagonals_without_barrier
                             max(best[i - 1][j], best[i][j - 1]); // HERE diagonals_without_barrier
    }
    if (i == 64)
        *out = best[64][64];
}

// expect: shared-race|uninitialised
static void diagonals_without_barrier(void)
{
    device<char> a(64), b(64);
    device<int> out(1);

    common_subsequence<<<1, 64>>>(a, b, out);
    FINISH();
}

__global__ void sum_by_cluster(const float *points, const int *nearest, float *sums, int n)
{
    __shared__ float partial[8];

    if (threadIdx.x < 8)
        partial[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&partial[nearest[i]], points[i]); // HERE flushed_before_all_added
    if (threadIdx.x < 8)
        atomicAdd(&sums[threadIdx.x], partial[threadIdx.x]); // HERE flushed_before_all_added
}

// expect: shared-race
static void flushed_before_all_added(void)
{
    int h[512];

    for (int k = 0; k < 512; k++)
        h[k] = k % 8;
    device<float> points(512), sums(8);
    device<int> nearest(512, h);
    sum_by_cluster<<<1, 128>>>(points, nearest, sums, 512);
    FINISH();
}

struct operation {
    __device__ virtual void run(int *shared, int t) = 0;
};

struct operation_of_thread : operation {
    __device__ void run(int *shared, int t) override { shared[t] *= 2; }
};

struct operation_of_block : operation {
    __device__ void run(int *shared, int t) override
    {
        int next = shared[t ^ 1];
        __syncthreads(); // HERE barrier_in_one_override
        shared[t] += next;
    }
};

__global__ void run_operations(int *data)
{
    __shared__ int shared[64];
    operation_of_thread of_thread;
    operation_of_block of_block;
    operation *mine = data[threadIdx.x] ? (operation *)&of_thread : (operation *)&of_block;

    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    mine->run(shared, threadIdx.x);
    __syncthreads(); // HERE barrier_in_one_override
    data[threadIdx.x] = shared[threadIdx.x];
}

// expect: divergent-barrier
static void barrier_in_one_override(void)
{
    int h[64] = {};

    for (int k = 0; k < 32; k++)
        h[k] = 1;
    device<int> data(64, h);
    run_operations<<<1, 64>>>(data);
    FINISH();
}

struct shape {
    float side;

    __host__ __device__ shape(float a) : side(a) {}
    __host__ __device__ virtual float area() const { return side * side; }
};

struct circle : shape {
    __host__ __device__ circle(float r) : shape(r) {}
    __host__ __device__ float area() const override { return 3.14f * side * side; }
};

__global__ void areas(shape *const *shapes, float *out)
{
    out[threadIdx.x] = shapes[threadIdx.x]->area(); // HERE table_of_the_host
}

// expect: invalid-call|illegal-address
static void table_of_the_host(void)
{
    shape square(2);
    circle round(3);
    device<char> memory(64);
    shape *h[2] = {(shape *)memory.at, (shape *)(memory + 32)};
    device<shape *> shapes(2, h);
    device<float> out(2);

    CHECK(cudaMemcpy(h[0], (void *)&square, sizeof square, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(h[1], (void *)&round, sizeof round, cudaMemcpyHostToDevice));
    areas<<<1, 2>>>(shapes, out);
    FINISH();
}

/* ---- lanes and groups ---- */

__global__ void half_of_a_tile(const int *in, int *out)
{
    __shared__ int s[32];
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    int lane = tile.thread_rank();

    s[lane] = in[lane];
    if (lane < 16) {
        tile.sync(); // HERE half_of_tile_syncs
        out[lane] = s[lane + 16];
    }
    out[lane] += tile.shfl_xor(s[lane], 1); // HERE half_of_tile_syncs
}

// expect: member-mask|divergent-barrier|deadlock
static void half_of_tile_syncs(void)
{
    device<int> in(32), out(32);

    half_of_a_tile<<<1, 32>>>(in, out);
    FINISH();
}

__global__ void append_odd(const int *in, int *out, int *count)
{
    int lane = threadIdx.x % 32, value = in[threadIdx.x];

    if (value % 2) {
        unsigned takers = __activemask();
        int base = 0;
        if (lane == 0)
            base = atomicAdd(count, __popc(takers));
        base = __shfl_sync(takers, base, 0); // HERE leader_is_lane_zero
        out[(base + __popc(takers & ((1u << lane) - 1))) % 64] = value;
    }
}

// expect: inactive-lane|undefined-register
static void leader_is_lane_zero(void)
{
    int h[64];

    for (int k = 0; k < 64; k++)
        h[k] = k;
    device<int> in(64, h), out(64), count(1);
    append_odd<<<1, 64>>>(in, out, count);
    FINISH();
}

__global__ void three_tiles(const int *in, int *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][64];
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;

    for (int k = 0; k < tiles; k++) {
        pipe.producer_acquire(); // HERE never_released
        cuda::memcpy_async(block, tile[k % 2], in + k * 64, sizeof tile[0], pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += tile[k % 2][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// expect: deadlock
static void never_released(void)
{
    device<int> in(256), out(64);

    three_tiles<<<1, 64>>>(in, out, 4);
    FINISH();
}

__global__ void neighbour_of_barrier(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 32);
    __syncthreads();
    s[t] = in[t]; // HERE barrier_for_half
    bar.arrive_and_wait();
    out[t] = s[63 - t]; // HERE barrier_for_half
}

// expect: shared-race|uninitialised
static void barrier_for_half(void)
{
    device<int> in(64), out(64);

    neighbour_of_barrier<<<1, 64>>>(in, out);
    FINISH();
}

__global__ void __cluster_dims__(2, 1, 1) from_next_block(int *out)
{
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();

    mine[threadIdx.x] = cluster.block_rank();
    cluster.sync();
    int *next = cluster.map_shared_rank(mine, cluster.block_rank() + 1);
    out[blockIdx.x * 32 + threadIdx.x] = next[threadIdx.x]; // HERE rank_beyond_cluster
    cluster.sync();
}

// expect: illegal-address|out-of-bounds
static void rank_beyond_cluster(void)
{
    device<int> out(128);

    from_next_block<<<4, 32>>>(out);
    FINISH();
}

/* ---- grids ---- */

__global__ void insert_keys(int *keys, int size, int n)
{
    int key = (blockIdx.x * blockDim.x + threadIdx.x) * 7 % n + 1, slot = key % size;

    while (keys[slot] != 0) // HERE hash_without_swap
        slot = (slot + 1) % size;
    keys[slot] = key; // HERE hash_without_swap
}

// expect: global-race
static void hash_without_swap(void)
{
    device<int> keys(128);

    insert_keys<<<2, 32>>>(keys, 128, 1000);
    insert_keys<<<2, 32>>>(keys, 128, 1000);
    FINISH();
}

/* Of each pair of blocks, one inserts and the other looks up. */
__global__ void insert_and_find(unsigned *keys, int *values, int *found, unsigned size)
{
    unsigned key = blockIdx.x / 2 * blockDim.x + threadIdx.x + 1, slot = key * 2654435761u % size;

    if (blockIdx.x % 2 == 0) {
        while (atomicCAS(&keys[slot], 0u, key) != 0)
            slot = (slot + 1) % size;
        values[slot] = key * 10; // HERE value_after_key
    } else {
        for (int tries = 0; tries < 100000; tries++) {
            for (unsigned k = 0; k < size; k++) {
                unsigned at = (slot + k) % size;
                if (atomicAdd(&keys[at], 0u) == key) {
                    found[key] = values[at]; // HERE value_after_key
                    return;
                }
            }
        }
    }
}

// expect: global-race
static void value_after_key(void)
{
    device<unsigned> keys(256);
    device<int> values(256), found(256);

    insert_and_find<<<2, 32>>>(keys, values, found, 256);
    FINISH();
}

__global__ void throw_darts(unsigned *states, unsigned *hits)
{
    unsigned inside = 0;

    for (int k = 0; k < 8; k++) {
        unsigned x = states[blockIdx.x] * 1664525u + 1013904223u; // HERE state_for_each_block
        unsigned y = x * 1664525u + 1013904223u;
        states[blockIdx.x] = y + threadIdx.x; // HERE state_for_each_block
        inside += (unsigned long long)x * x + (unsigned long long)y * y < (1ull << 63);
    }
    atomicAdd(hits, inside);
}

// expect: global-race
static void state_for_each_block(void)
{
    device<unsigned> states(4), hits(1);

    throw_darts<<<4, 64>>>(states, hits);
    FINISH();
}

__global__ void add_if_positive(const int *in, int *sum, int *lock)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) // HERE lock_kept_on_return
        ;
    __threadfence();
    if (in[blockIdx.x] < 0)
        return;
    *(volatile int *)sum += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
}

// expect: deadlock
static void lock_kept_on_return(void)
{
    int h[8] = {-1, -2, -3, -4, -5, -6, -7, -8};
    device<int> in(8, h), sum(1), lock(1);

    add_if_positive<<<8, 32>>>(in, sum, lock);
    FINISH();
}

__global__ void hand_over(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
        data[threadIdx.x] = threadIdx.x; // HERE flag_raised_early
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x]; // HERE flag_raised_early
    }
}

// expect: global-race
static void flag_raised_early(void)
{
    device<int> data(64), flag(1), out(64);

    hand_over<<<2, 64>>>(data, flag, out);
    FINISH();
}

__global__ void offsets_in_one_pass(const int *in, int *totals, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;

    s[t] = in[i];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
            sum += s[k];
        totals[blockIdx.x] = sum + 1; // HERE total_of_previous_block
    }
    __syncthreads();
    out[i] = s[t] + (blockIdx.x ? totals[blockIdx.x - 1] : 0); // HERE total_of_previous_block
}

// expect: global-race
static void total_of_previous_block(void)
{
    device<int> in(512), totals(8), out(512);

    offsets_in_one_pass<<<8, 64>>>(in, totals, out);
    FINISH();
}

static const suite_case cases[] = {
    {"elements_for_bytes", elements_for_bytes},
    {"bin_256", bin_256},
    {"taps_of_filter", taps_of_filter},
    {"end_of_last_row", end_of_last_row},
    {"frontier_of_duplicates", frontier_of_duplicates},
    {"pops_from_empty", pops_from_empty},
    {"rectangular_transpose", rectangular_transpose},
    {"index_overflow", index_overflow},
    {"carved_unaligned", carved_unaligned},
    {"signed_characters", signed_characters},
    {"member_never_allocated", member_never_allocated},
    {"corners_not_loaded", corners_not_loaded},
    {"ties_leave_holes", ties_leave_holes},
    {"sums_of_absent_blocks", sums_of_absent_blocks},
    {"warp_sums_not_awaited", warp_sums_not_awaited},
    {"diagonals_without_barrier", diagonals_without_barrier},
    {"flushed_before_all_added", flushed_before_all_added},
    {"barrier_in_one_override", barrier_in_one_override},
    {"table_of_the_host", table_of_the_host},
    {"half_of_tile_syncs", half_of_tile_syncs},
    {"leader_is_lane_zero", leader_is_lane_zero},
    {"never_released", never_released},
    {"barrier_for_half", barrier_for_half},
    {"rank_beyond_cluster", rank_beyond_cluster},
    {"hash_without_swap", hash_without_swap},
    {"value_after_key", value_after_key},
    {"state_for_each_block", state_for_each_block},
    {"lock_kept_on_return", lock_kept_on_return},
    {"flag_raised_early", flag_raised_early},
    {"total_of_previous_block", total_of_previous_block},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
