/*
 * careful.cu - of the third suite: right kernels that a naive checker would flag. Most check a result.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_fp16.h>

#include "suite.h"

namespace cg = cooperative_groups;

/* 0, 1, 2, … in device memory. */
struct numbers : device<int> {
    explicit numbers(int count) : device<int>(count)
    {
        for (int k = 0; k < count; k++)
            CHECK(cudaMemcpy(at + k, &k, sizeof k, cudaMemcpyHostToDevice));
    }
};

template <typename T> static T word_of(const T *at)
{
    T word = {};

    CHECK(cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

/* ---- lanes ---- */

/* The last warp has 16 lanes, and lanes past the last warp give a zero. */
__global__ void sum_of_any_size(const int *in, int *out, int n)
{
    __shared__ int of_warp[32];
    int t = threadIdx.x, sum = t < n ? in[t] : 0, warps = (blockDim.x + 31) / 32;
    unsigned mask = t / 32 < (int)blockDim.x / 32 ? 0xffffffffu : (1u << blockDim.x % 32) - 1;

    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(mask, sum, d);
        if (t + d < (int)blockDim.x)
            sum += other;
    }
    if (t % 32 == 0)
        of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < warps ? of_warp[t] : 0;
        sum = __reduce_add_sync(0xffffffffu, sum);
        if (t == 0)
            *out = sum;
    }
}

static void sum_in_a_block_of_80(void)
{
    numbers in(75);
    device<int> out(1);

    sum_of_any_size<<<1, 80>>>(in, out, 75);
    FINISH();
    EXPECT(word_of(out.at) == 74 * 75 / 2);
}

__global__ void scan_lanes(int *data)
{
    __shared__ int s[64];
    int lane = threadIdx.x % 32, first = threadIdx.x - lane;

    s[threadIdx.x] = data[threadIdx.x];
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        int left = lane >= d ? s[first + lane - d] : 0;
        __syncwarp();
        s[threadIdx.x] += left;
        __syncwarp();
    }
    data[threadIdx.x] = s[threadIdx.x];
}

static void scan_in_each_warp(void)
{
    numbers data(64);

    scan_lanes<<<1, 64>>>(data);
    FINISH();
    EXPECT(word_of(data + 31) == 31 * 16 && word_of(data + 32) == 32);
}

/* In place: a chunk is read before any lane stores, and the stores are never ahead of the reads. */
__global__ void keep_even(int *data, int n, int *count)
{
    int lane = threadIdx.x, kept = 0;

    for (int first = 0; first < n; first += 32) {
        int value = first + lane < n ? data[first + lane] : 1;
        unsigned even = __ballot_sync(0xffffffffu, value % 2 == 0);
        if (value % 2 == 0)
            data[kept + __popc(even & ((1u << lane) - 1))] = value;
        kept += __popc(even);
        __syncwarp();
    }
    if (lane == 0)
        *count = kept;
}

static void compacted_in_place(void)
{
    numbers data(100);
    device<int> count(1);

    keep_even<<<1, 32>>>(data, 100, count);
    FINISH();
    EXPECT(word_of(count.at) == 50 && word_of(data + 49) == 98);
}

__global__ void both_sides(const int *in, int *sums)
{
    int value = in[threadIdx.x];

    if (value % 3 == 0) {
        cg::coalesced_group taken = cg::coalesced_threads();
        int sum = cg::reduce(taken, value, cg::plus<int>());
        if (taken.thread_rank() == 0)
            atomicAdd(&sums[0], sum);
    } else {
        cg::coalesced_group taken = cg::coalesced_threads();
        int before = cg::exclusive_scan(taken, value, cg::plus<int>());
        if (taken.thread_rank() == taken.size() - 1)
            atomicAdd(&sums[1], before + value);
    }
}

static void groups_of_both_sides(void)
{
    numbers in(64);
    device<int> sums(2);

    both_sides<<<1, 64>>>(in, sums);
    FINISH();
    EXPECT(word_of(sums.at) == 3 * 21 * 22 / 2 && word_of(sums + 1) == 63 * 32 - 3 * 21 * 22 / 2);
}

__global__ void by_label(const int *in, int *counts)
{
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group same = cg::labeled_partition(warp, in[threadIdx.x] % 4);
    cg::coalesced_group half = cg::binary_partition(warp, in[threadIdx.x] >= 16);
    int last = half.shfl(in[threadIdx.x], half.size() - 1);

    if (same.thread_rank() == 0)
        counts[in[threadIdx.x] % 4] = same.size();
    if (half.thread_rank() == 0)
        counts[4 + (in[threadIdx.x] >= 16)] = last;
}

static void labelled_groups(void)
{
    numbers in(32);
    device<int> counts(6);

    by_label<<<1, 32>>>(in, counts);
    FINISH();
    EXPECT(word_of(counts.at) == 8 && word_of(counts + 4) == 15);
}

/* Whole warps leave; the others go on without barriers of the block. */
__global__ void warps_leave(const int *in, int *out, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;

    if (warp >= n)
        return;
    int most = __reduce_max_sync(0xffffffffu, in[warp * 32 + lane]);
    __syncwarp();
    if (__any_sync(0xffffffffu, most == 63) && lane == 0)
        out[warp] = most;
}

static void whole_warps_return(void)
{
    numbers in(96);
    device<int> out(3);

    warps_leave<<<2, 64>>>(in, out, 3);
    FINISH();
    EXPECT(word_of(out + 1) == 63);
}

/* A lock for each lane: the winner of a round does its work inside of the loop. */
__global__ void lanes_take_turns(int *sum, int *lock)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum = *sum + threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

static void lock_of_lanes(void)
{
    device<int> sum(1), lock(1);

    lanes_take_turns<<<2, 32>>>(sum, lock);
    FINISH();
    EXPECT(word_of(sum.at) == 2 * 31 * 16);
}

__global__ void rows_by_warps(const int *starts, const int *columns, const int *values, const int *x, int *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;

    if (row >= rows)
        return;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
        sum += values[k] * x[columns[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}

/* Row r has 20 r elements: the first has none, and the last one ends where the memory does. */
static void sparse_rows(void)
{
    int h[6] = {};

    for (int k = 1; k < 6; k++)
        h[k] = h[k - 1] + 20 * (k - 1);
    device<int> starts(6, h), columns(200), y(5);
    numbers values(200), x(1);
    rows_by_warps<<<2, 96>>>(starts, columns, values, x, y, 5);
    FINISH();
    EXPECT(word_of(y.at) == 0 && word_of(y + 4) == 0);
}

/* ---- blocks ---- */

/* Static shared memory of a function that the kernel calls twice. */
template <typename T> __device__ T block_sum(T value)
{
    __shared__ T of_warp[4], total;
    int t = threadIdx.x;

    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(0xffffffffu, value, d);
    if (t % 32 == 0)
        of_warp[t / 32] = value;
    __syncthreads();
    if (t == 0)
        total = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
    __syncthreads();
    return total;
}

__global__ void mean_and_variance(const int *in, float *out)
{
    float value = in[threadIdx.x], mean = block_sum(value) / 128;
    __syncthreads();
    float variance = block_sum((value - mean) * (value - mean)) / 128;
    int ones = block_sum(1);

    if (threadIdx.x == 5)
        out[0] = mean, out[1] = variance, out[2] = ones;
}

static void block_function_called_often(void)
{
    numbers in(128);
    device<float> out(3);

    mean_and_variance<<<1, 128>>>(in, out);
    FINISH();
    EXPECT(word_of(out.at) == 63.5f && word_of(out + 2) == 128);
}

__global__ void counts_by_warp(const int *in, int *counts, int n)
{
    __shared__ int bins[4][16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (lane < 16)
        bins[warp][lane] = 0;
    __syncwarp();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        atomicAdd(&bins[warp][in[k] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x] = bins[0][lane] + bins[1][lane] + bins[2][lane] + bins[3][lane];
}

static void histogram_for_each_warp(void)
{
    numbers in(300);
    device<int> counts(16);

    counts_by_warp<<<1, 128>>>(in, counts, 300);
    FINISH();
    EXPECT(word_of(counts.at) == 19 && word_of(counts + 15) == 18);
}

/* Three diagonals in turn: one barrier for each is enough. */
__global__ void edit_distance(const int *a, const int *b, int n, int *out)
{
    __shared__ int diagonals[3][65];
    int i = threadIdx.x;

    for (int d = 0; d <= 2 * n; d++) {
        int *now = diagonals[d % 3], *last = diagonals[(d + 2) % 3], *older = diagonals[(d + 1) % 3], j = d - i;
        if (i <= n && j >= 0 && j <= n) {
            if (i == 0 || j == 0)
                now[i] = i + j;
            else
                now[i] = min(min(last[i - 1], last[i]) + 1, older[i - 1] + (a[i - 1] != b[j - 1]));
            if (d == 2 * n)
                *out = now[i];
        }
        __syncthreads();
    }
}

static void three_diagonals(void)
{
    numbers a(70);
    device<int> out(1);

    edit_distance<<<1, 96>>>(a, a + 6, 64, out);
    FINISH();
    EXPECT(word_of(out.at) == 12);
}

/* The last tile is not full: its rest is zeros that every thread may read. */
__global__ void forces(const float *x, float *force, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float mine = i < n ? x[i] : 0, sum = 0;

    for (int first = 0; first < n; first += 64) {
        tile[threadIdx.x] = first + threadIdx.x < n ? x[first + threadIdx.x] : 0;
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += tile[k] * (mine - tile[k]);
        __syncthreads();
    }
    if (i < n)
        force[i] = sum;
}

static void bodies_with_a_rest(void)
{
    device<float> x(150), force(150);

    forces<<<3, 64>>>(x, force, 150);
    FINISH();
}

__global__ void stencil_by_choice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    int left = i > 0 ? in[i - 1] : 0, right = i < n - 1 ? in[i + 1] : 0;
    out[i] = left + in[i] + right;
}

static void ends_by_choice(void)
{
    numbers in(100);
    device<int> out(100);

    stencil_by_choice<<<2, 64>>>(in, out, 100);
    FINISH();
    EXPECT(word_of(out.at) == 1 && word_of(out + 99) == 197);
}

/* Each block turns a tile and the one across the diagonal, in place. */
__global__ void turn_in_place(int *data, int width)
{
    __shared__ int a[8][9], b[8][9];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8, row = blockIdx.y * 8;

    if (row > column)
        return;
    a[y][x] = data[(row + y) * width + column + x];
    if (row < column)
        b[y][x] = data[(column + y) * width + row + x];
    __syncthreads();
    if (row < column)
        data[(row + y) * width + column + x] = b[x][y];
    data[(column + y) * width + row + x] = a[x][y];
}

static void transposed_in_pairs(void)
{
    numbers data(24 * 24);

    turn_in_place<<<dim3(3, 3), dim3(8, 8)>>>(data, 24);
    FINISH();
    EXPECT(word_of(data + 1) == 24 && word_of(data + 23) == 23 * 24 && word_of(data + 24) == 1);
}

struct node {
    int left, right, value;
};

__global__ void sum_of_tree(const node *nodes, int *out)
{
    int pending[16], depth = 0, sum = 0;

    pending[depth++] = 0;
    while (depth > 0) {
        const node &here = nodes[pending[--depth]];
        sum += here.value >= (int)threadIdx.x ? here.value : 0;
        if (here.left >= 0)
            pending[depth++] = here.left;
        if (here.right >= 0)
            pending[depth++] = here.right;
    }
    out[threadIdx.x] = sum;
}

static void own_stack_of_nodes(void)
{
    node h[31];

    for (int k = 0; k < 31; k++)
        h[k] = {k < 15 ? 2 * k + 1 : -1, k < 15 ? 2 * k + 2 : -1, k};
    device<node> nodes(31, h);
    device<int> out(32);
    sum_of_tree<<<1, 32>>>(nodes, out);
    FINISH();
    EXPECT(word_of(out.at) == 465 && word_of(out + 30) == 30);
}

/* One warp fills, one empties; the counters are volatile, and fences keep the order. */
__global__ void ring_of_words(const int *in, int *out, int n)
{
    __shared__ int ring[8];
    __shared__ volatile int filled, emptied;

    if (threadIdx.x == 0)
        filled = emptied = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < n; k++) {
            while (k - emptied >= 8)
                ;
            __threadfence_block();
            ring[k % 8] = in[k];
            __threadfence_block();
            filled = k + 1;
        }
    } else if (threadIdx.x == 32) {
        for (int k = 0; k < n; k++) {
            while (filled <= k)
                ;
            __threadfence_block();
            out[k] = ring[k % 8];
            __threadfence_block();
            emptied = k + 1;
        }
    }
}

static void ring_between_warps(void)
{
    numbers in(100);
    device<int> out(100);

    ring_of_words<<<1, 64>>>(in, out, 100);
    FINISH();
    EXPECT(word_of(out + 99) == 99);
}

__global__ void sum_in_big_tiles(const int *in, int *out)
{
    __shared__ cg::block_tile_memory<128> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());

    tile.sync();
    if (tile.thread_rank() == 0)
        out[tile.meta_group_rank()] = sum;
}

static void tiles_of_two_warps(void)
{
    numbers in(128);
    device<int> out(2);

    sum_in_big_tiles<<<1, 128>>>(in, out);
    FINISH();
    EXPECT(word_of(out.at) == 63 * 32 && word_of(out + 1) == 63 * 32 + 64 * 64);
}

/* Threads that have nothing left to do drop out of the barrier. */
__global__ void fewer_and_fewer(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 64);
    s[t] = data[t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t >= d) {
            bar.arrive_and_drop();
            return;
        }
        s[t] += s[t + d];
        bar.arrive_and_wait();
    }
    data[0] = s[0];
}

static void dropped_from_barrier(void)
{
    numbers data(64);

    fewer_and_fewer<<<1, 64>>>(data);
    FINISH();
    EXPECT(word_of(data.at) == 63 * 32);
}

/* A pipeline of one thread needs no barrier, for nobody else reads its slots. */
__global__ void own_slots(const int4 *in, int *out, int rounds)
{
    __shared__ int4 slots[2][32];
    auto pipe = cuda::make_pipeline();
    int sum = 0;

    for (int ahead = 0, k = 0; k < rounds; k++) {
        for (; ahead < rounds && ahead < k + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&slots[ahead % 2][threadIdx.x], in + ahead * 32 + threadIdx.x, sizeof(int4), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        if (k + 1 == rounds)
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        int4 v = slots[k % 2][threadIdx.x];
        sum += v.x + v.y + v.z + v.w;
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

static void pipeline_of_one_thread(void)
{
    numbers in(4 * 32 * 5);
    device<int> out(32);

    own_slots<<<1, 32>>>((const int4 *)in.at, out, 5);
    FINISH();
    EXPECT(word_of(out.at) == 5 * 6 + 16 * 128 * 10 / 4);
}

__global__ void several_phases(const int *in, int *out, int rounds)
{
    __shared__ alignas(16) int tile[64];
    __shared__ alignas(8) uint64_t bar;
    int t = threadIdx.x, sum = 0;

    if (t == 0) {
        cuda::ptx::mbarrier_init(&bar, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        if (t == 0) {
            cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                                 cuda::ptx::space_shared, &bar, sizeof tile);
            cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in + k * 64, sizeof tile,
                                     &bar);
        }
        while (!cuda::ptx::mbarrier_try_wait_parity(&bar, k % 2))
            ;
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

static void phases_of_bulk_copies(void)
{
    numbers in(320);
    device<int> out(64);

    several_phases<<<1, 64>>>(in, out, 5);
    FINISH();
    EXPECT(word_of(out.at) == 63 * 5 + 64 * 10);
}

__global__ void __cluster_dims__(2, 1, 1) bins_of_cluster(const int *in, int *counts)
{
    __shared__ int bins[8];
    cg::cluster_group cluster = cg::this_cluster();
    int key = in[blockIdx.x * blockDim.x + threadIdx.x] % 16;

    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(bins, key / 8) + key % 8, 1);
    cluster.sync();
    if (threadIdx.x < 8)
        counts[cluster.block_rank() * 8 + threadIdx.x] = bins[threadIdx.x];
}

static void bins_in_both_blocks(void)
{
    numbers in(128);
    device<int> counts(16);

    bins_of_cluster<<<2, 64>>>(in, counts);
    FINISH();
    EXPECT(word_of(counts + 15) == 8);
}

/* ---- grids ---- */

/* Key and value are one word: who sees the key has the value. */
__global__ void insert_pairs(unsigned long long *table, int size)
{
    unsigned key = blockIdx.x * blockDim.x + threadIdx.x + 1, slot = key * 2654435761u % size;
    unsigned long long pair = (unsigned long long)key << 32 | key * 3;

    while (atomicCAS(&table[slot], 0ull, pair) != 0)
        slot = (slot + 1) % size;
}

/* A look at the slot first saves atomics: a full slot stays full. */
__global__ void insert_into_set(unsigned *set, unsigned size, unsigned distinct)
{
    unsigned key = (blockIdx.x * blockDim.x + threadIdx.x) % distinct + 1, slot = key * 2654435761u % size;

    for (;; slot = (slot + 1) % size) {
        unsigned there = *(volatile unsigned *)&set[slot];
        if (there == key)
            return;
        if (there == 0) {
            there = atomicCAS(&set[slot], 0u, key);
            if (there == 0 || there == key)
                return;
        }
    }
}

static void hash_tables(void)
{
    device<unsigned long long> table(256);
    device<unsigned> set(64);

    insert_pairs<<<4, 32>>>(table, 256);
    insert_into_set<<<4, 64>>>(set, 64, 40);
    FINISH();
}

__device__ int root_of(int *parents, int node)
{
    for (int parent; (parent = atomicAdd(&parents[node], 0)) != node;)
        node = parent;
    return node;
}

__global__ void hook(int *parents, const int2 *edges, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    int a = edges[i].x, b = edges[i].y;
    for (;;) {
        a = root_of(parents, a);
        b = root_of(parents, b);
        if (a == b)
            return;
        int high = max(a, b), low = min(a, b);
        if (atomicCAS(&parents[high], high, low) == high)
            return;
    }
}

static void components(void)
{
    int2 h[99];

    for (int k = 0; k < 99; k++)
        h[k] = make_int2(k * 37 % 100, (k * 37 + 37) % 100);
    numbers parents(100);
    device<int2> edges(99, h);
    hook<<<2, 64>>>(parents, edges, 99);
    FINISH();
    EXPECT(word_of(parents.at) == 0);
}

__global__ void persistent(const int *in, int *out, int *next, int tiles)
{
    __shared__ int tile;

    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicAdd(next, 1);
        __syncthreads();
        int mine = tile;
        __syncthreads();
        if (mine >= tiles)
            return;
        out[mine * 32 + threadIdx.x] = in[mine * 32 + 31 - threadIdx.x];
    }
}

static void persistent_blocks(void)
{
    numbers in(320);
    device<int> out(320), next(1);

    persistent<<<3, 32>>>(in, out, next, 10);
    FINISH();
    EXPECT(word_of(out + 319) == 288);
}

__global__ void relax_in_turns(int *a, int *b, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();

    for (int k = 0; k < rounds; k++) {
        if (i > 0 && i < n - 1)
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        else if (i < n)
            b[i] = a[i];
        grid.sync();
        int *other = a;
        a = b;
        b = other;
    }
}

static void jacobi_on_a_grid(void)
{
    numbers a(100);
    device<int> b(100);
    int *a_at = a, *b_at = b, n = 100, rounds = 5;
    void *arguments[] = {&a_at, &b_at, &n, &rounds};

    CHECK(cudaLaunchCooperativeKernel((void *)relax_in_turns, dim3(4), dim3(32), arguments, 0, 0));
    FINISH();
    EXPECT(word_of(b + 50) == 50);
}

__device__ unsigned blocks_done;

/* atomicInc turns the counter back to 0 for the next launch. */
__global__ void sum_with_last(const int *in, int *sums, int *out)
{
    __shared__ bool last;
    int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 32 + threadIdx.x]);

    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        sum = threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0;
        sum = __reduce_add_sync(0xffffffffu, sum);
        if (threadIdx.x == 0)
            *out = sum;
    }
}

static void counter_that_wraps(void)
{
    numbers in(256);
    device<int> sums(8), out(1);

    for (int k = 0; k < 3; k++)
        sum_with_last<<<8, 32>>>(in, sums, out);
    FINISH();
    EXPECT(word_of(out.at) == 255 * 128);
}

__global__ void mark_and_test(unsigned *bits, int *firsts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, key = i * 7 % n;

    if (!(atomicOr(&bits[key / 32], 1u << key % 32) >> key % 32 & 1))
        firsts[key] = i;
}

static void bits_by_atomics(void)
{
    device<unsigned> bits(4);
    device<int> firsts(100);

    mark_and_test<<<4, 64>>>(bits, firsts, 100);
    FINISH();
    EXPECT(word_of(bits.at) == 0xffffffffu && word_of(bits + 3) == 0xfu);
}

__global__ void sum_of_halves(const __half *in, __half2 *sum, int n)
{
    const __half2 *pairs = (const __half2 *)in;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / 2)
        atomicAdd(sum, pairs[i]);
    else if (2 * i < n)
        atomicAdd(&sum->x, in[n - 1]);
}

static void halves_in_pairs(void)
{
    __half h[101];

    for (__half &each : h)
        each = __float2half(1);
    device<__half> in(101, h);
    device<__half2> sum(1);
    sum_of_halves<<<1, 64>>>(in, sum, 101);
    FINISH();
    EXPECT(__half2float(word_of(sum.at).x) == 51 && __half2float(word_of(sum.at).y) == 50);
}

__global__ void darts(unsigned *states, unsigned *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = states[i], inside = 0;

    for (int k = 0; k < 50; k++) {
        float x = (state = state * 1664525u + 1013904223u) * 0x1p-32f;
        float y = (state = state * 1664525u + 1013904223u) * 0x1p-32f;
        inside += x * x + y * y < 1;
    }
    states[i] = state;
    inside = __reduce_add_sync(0xffffffffu, inside);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, inside);
}

static void state_for_each_thread(void)
{
    numbers states(128);
    device<unsigned> hits(1);

    for (int k = 0; k < 3; k++)
        darts<<<2, 64>>>((unsigned *)states.at, hits);
    FINISH();
    EXPECT(word_of(hits.at) > 128 * 100 && word_of(hits.at) < 128 * 135);
}

struct counter {
    int value;

    __device__ counter(int start) : value(start) {}
    __device__ virtual ~counter() {}
    __device__ virtual void count() { value++; }
};

struct by_two : counter {
    __device__ by_two(int start) : counter(start) {}
    __device__ void count() override { value += 2; }
};

__global__ void make_counters(counter **all)
{
    all[threadIdx.x] = threadIdx.x % 2 ? new counter(5) : new by_two(7);
}

__global__ void use_counters(counter **all, int *out)
{
    all[threadIdx.x]->count();
    out[threadIdx.x] = all[threadIdx.x]->value;
}

__global__ void delete_counters(counter **all)
{
    delete all[31 - threadIdx.x];
}

static void objects_over_launches(void)
{
    device<counter *> all(32);
    device<int> out(32);

    make_counters<<<1, 32>>>(all);
    use_counters<<<1, 32>>>(all, out);
    delete_counters<<<1, 32>>>(all);
    FINISH();
    EXPECT(word_of(out.at) == 9 && word_of(out + 1) == 6);
}

static const suite_case cases[] = {
    {"sum_in_a_block_of_80", sum_in_a_block_of_80},
    {"scan_in_each_warp", scan_in_each_warp},
    {"compacted_in_place", compacted_in_place},
    {"groups_of_both_sides", groups_of_both_sides},
    {"labelled_groups", labelled_groups},
    {"whole_warps_return", whole_warps_return},
    {"lock_of_lanes", lock_of_lanes},
    {"sparse_rows", sparse_rows},
    {"block_function_called_often", block_function_called_often},
    {"histogram_for_each_warp", histogram_for_each_warp},
    {"three_diagonals", three_diagonals},
    {"bodies_with_a_rest", bodies_with_a_rest},
    {"ends_by_choice", ends_by_choice},
    {"transposed_in_pairs", transposed_in_pairs},
    {"own_stack_of_nodes", own_stack_of_nodes},
    {"ring_between_warps", ring_between_warps},
    {"tiles_of_two_warps", tiles_of_two_warps},
    {"dropped_from_barrier", dropped_from_barrier},
    {"pipeline_of_one_thread", pipeline_of_one_thread},
    {"phases_of_bulk_copies", phases_of_bulk_copies},
    {"bins_in_both_blocks", bins_in_both_blocks},
    {"hash_tables", hash_tables},
    {"components", components},
    {"persistent_blocks", persistent_blocks},
    {"jacobi_on_a_grid", jacobi_on_a_grid},
    {"counter_that_wraps", counter_that_wraps},
    {"bits_by_atomics", bits_by_atomics},
    {"halves_in_pairs", halves_in_pairs},
    {"state_for_each_thread", state_for_each_thread},
    {"objects_over_launches", objects_over_launches},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
