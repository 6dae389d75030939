/*
 * shop.cu - defects in kernels, drawn by lot from a table of mechanisms. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/semaphore>
#include <cuda_pipeline.h>
#include <new>

#include "suite.h"

namespace cg = cooperative_groups;

template <typename T> using of_block = cuda::atomic_ref<T, cuda::thread_scope_block>;
template <typename T> using of_grid = cuda::atomic_ref<T, cuda::thread_scope_device>;

// The wait lets one copy go on, and there is only one.
__global__ void copied_by_group(const int *in, int *out)
{
    __shared__ alignas(16) int tile[64];
    cg::thread_block block = cg::this_thread_block();

    cg::memcpy_async(block, tile, in, sizeof(tile)); // HERE prior_one_of_one
    if (right)
        cg::wait_prior<0>(block);
    else
        cg::wait_prior<1>(block);
    out[threadIdx.x] = tile[63 - threadIdx.x]; // HERE prior_one_of_one
}

// expect: shared-race|uninitialised
static void prior_one_of_one(void)
{
    device<int> in(64), out(64);

    copied_by_group<<<1, 64>>>(in, out);
    FINISH();
}

// A barrier of the grid, made of a counter. The device holds fewer blocks than the grid has.
__global__ void two_steps(int *data, int *out, unsigned *arrived)
{
    __shared__ int room[12 * 1024];
    int t = threadIdx.x, b = blockIdx.x, n = gridDim.x;

    for (int k = t; k < 12 * 1024; k += 32)
        room[k] = k + b;
    __syncthreads();
    data[b * 32 + t] = room[(t * 97 + b) % (12 * 1024)];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < n) { // HERE more_blocks_than_fit
        }
        __threadfence();
    }
    __syncthreads();
    out[b * 32 + t] = data[(b + 1) % n * 32 + t];
}

// expect: deadlock
static void more_blocks_than_fit(void)
{
    int blocks = right ? 16 : 600;
    device<int> data(blocks * 32), out(blocks * 32);
    device<unsigned> arrived(1);

    two_steps<<<blocks, 32>>>(data, out, arrived);
    FINISH();
}

// One half of a word is a mark, the other one a counter. The mark is stored alone.
__global__ void mark_and_count(unsigned *words)
{
    unsigned *mine = &words[threadIdx.x % 32];

    if (threadIdx.x >= 32)
        atomicAdd(mine, 1); // HERE half_word_beside_atomic
    else if (right)
        atomicOr(mine, 1u << 31);
    else
        reinterpret_cast<unsigned short *>(mine)[1] = 0x8000; // HERE half_word_beside_atomic
}

// expect: global-race
static void half_word_beside_atomic(void)
{
    device<unsigned> words(32);

    mark_and_count<<<1, 256>>>(words);
    FINISH();
}

// A pair under a sequence number. The reader waits for an even number, and does not look again after the read.
struct guarded {
    unsigned number;
    int low, high, ready;
};

__device__ void write_pairs(guarded *g)
{
    of_grid<unsigned> number(g->number);

    while (of_grid<int>(g->ready).load(cuda::memory_order_relaxed) == 0) {
    }
    for (int k = 1; k <= 200; k++) {
        number.store(2 * k - 1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        if (right) {
            of_grid<int>(g->low).store(k, cuda::memory_order_relaxed);
            of_grid<int>(g->high).store(-k, cuda::memory_order_relaxed);
        } else {
            g->low = k;   // HERE seqlock_not_rechecked
            g->high = -k; // HERE seqlock_not_rechecked
        }
        number.store(2 * k, cuda::memory_order_release);
        __nanosleep(100);
    }
}

__device__ int read_pair(guarded *g)
{
    of_grid<unsigned> number(g->number);

    for (;;) {
        unsigned before = number.load(cuda::memory_order_acquire);
        if (before == 0 || before % 2)
            continue;
        if (!right)
            return g->low + g->high; // HERE seqlock_not_rechecked
        int low = of_grid<int>(g->low).load(cuda::memory_order_relaxed);
        int high = of_grid<int>(g->high).load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        if (number.load(cuda::memory_order_relaxed) == before)
            return low + high;
    }
}

__global__ void one_writes_one_reads(guarded *g, int *out)
{
    if (blockIdx.x == 0) {
        write_pairs(g);
        return;
    }
    of_grid<int>(g->ready).store(1, cuda::memory_order_relaxed);
    for (int k = 0; k < 20; k++)
        *out += read_pair(g);
}

// expect: global-race
static void seqlock_not_rechecked(void)
{
    device<guarded> g(1);
    device<int> out(1);

    one_writes_one_reads<<<2, 1>>>(g, out);
    FINISH();
}

// The first warp finds the mean of a row. All warps use it after a barrier of the warp.
__global__ void less_mean(const float *in, float *out)
{
    __shared__ float mean;
    int t = threadIdx.x;
    const float *row = in + blockIdx.x * blockDim.x;

    if (t < 32) {
        float sum = 0;
        for (int k = t; k < blockDim.x; k += 32)
            sum += row[k];
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        if (t == 0)
            mean = sum / blockDim.x; // HERE syncwarp_for_block
    }
    if (right)
        __syncthreads();
    else
        __syncwarp();
    out[blockIdx.x * blockDim.x + t] = row[t] - mean; // HERE syncwarp_for_block
}

// expect: shared-race|uninitialised
static void syncwarp_for_block(void)
{
    device<float> in(512), out(512);

    less_mean<<<4, 128>>>(in, out);
    FINISH();
}

// A transfer locks two accounts, each block in the order of its own transfer.
__device__ void lock(int *at)
{
    while (atomicCAS(at, 0, 1) != 0) // HERE locks_in_both_orders
        __nanosleep(20);
    __threadfence();
}

__device__ void unlock(int *at)
{
    __threadfence();
    atomicExch(at, 0);
}

__global__ void transfer(int *locks, int *accounts, int *began)
{
    int from = blockIdx.x, to = 1 - blockIdx.x;
    int first = right ? 0 : from, second = right ? 1 : to;

    lock(&locks[first]);
    atomicAdd(began, 1);
    for (int k = 0; k < 1000 && atomicAdd(began, 0) < 2; k++) // what takes a while
        __nanosleep(100);
    lock(&locks[second]);
    accounts[from] -= 10 + blockIdx.x;
    accounts[to] += 10 + blockIdx.x;
    unlock(&locks[second]);
    unlock(&locks[first]);
}

// expect: deadlock
static void locks_in_both_orders(void)
{
    device<int> locks(2), accounts(2), began(1);

    transfer<<<2, 1>>>(locks, accounts, began);
    FINISH();
}

// The block's memory is as large as for floats, and the kernel has doubles in it.
__global__ void sum_in_double(const float *in, double *out)
{
    extern __shared__ double sums[];
    int t = threadIdx.x;

    sums[t] = in[t]; // HERE doubles_in_floats_room
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half]; // HERE doubles_in_floats_room
        __syncthreads();
    }
    if (t == 0)
        *out = sums[0];
}

// expect: out-of-bounds
static void doubles_in_floats_room(void)
{
    device<float> in(256);
    device<double> out(1);

    sum_in_double<<<1, 256, 256 * (right ? sizeof(double) : sizeof(float))>>>(in, out);
    FINISH();
}

// Two rounds meet at one counter. It is full after the first one.
__device__ void meet(unsigned *arrived, unsigned round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x * (right ? round : 1)) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void two_rounds(int *a, int *b, int *c, unsigned *arrived)
{
    int i = blockIdx.x * 64 + threadIdx.x, next = (i + 64) % (gridDim.x * 64);

    a[i] = i;
    meet(arrived, 1);
    b[i] = a[next] + 1; // HERE barrier_without_generation
    meet(arrived, 2);
    c[i] = b[next] + 1; // HERE barrier_without_generation
}

// expect: global-race
static void barrier_without_generation(void)
{
    device<int> a(256), b(256), c(256);
    device<unsigned> arrived(1);

    two_rounds<<<4, 64>>>(a, b, c, arrived);
    FINISH();
}

// The tile has room for 128 threads.
__global__ void reversed_tiles(const float *in, float *out, int n)
{
    __shared__ float tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    tile[threadIdx.x] = i < n ? in[i] : 0; // HERE block_larger_than_tile
    __syncthreads();
    if (i < n)
        out[i] = tile[blockDim.x - 1 - threadIdx.x]; // HERE block_larger_than_tile
}

// expect: out-of-bounds
static void block_larger_than_tile(void)
{
    int n = 1000, size = right ? 128 : 256;
    device<float> in(n), out(n);

    reversed_tiles<<<(n + size - 1) / size, size>>>(in, out, n);
    FINISH();
}

// The column of a surface counts bytes. The kernel gives elements.
__global__ void draw(cudaSurfaceObject_t image)
{
    int x = threadIdx.x, y = blockIdx.x;

    surf2Dwrite(x * 1.0f + y, image, right ? x * 4 : x, y); // HERE surface_in_elements
}

// expect: misaligned|out-of-bounds|global-race
static void surface_in_elements(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc what = {};
    cudaSurfaceObject_t image;
    cudaArray_t array;

    CHECK(cudaMallocArray(&array, &format, 32, 16, cudaArraySurfaceLoadStore));
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&image, &what));
    draw<<<16, 32>>>(image);
    FINISH();
    CHECK(cudaDestroySurfaceObject(image));
    CHECK(cudaFreeArray(array));
}

// The first thread tells the grid that the block is done, before its block is.
__global__ void shared_sum(int *data, int *out, unsigned *arrived)
{
    int t = threadIdx.x, b = blockIdx.x;

    data[b * 96 + t] = t * b; // HERE leader_arrives_early
    if (right)
        __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    out[b * 96 + t] = data[(b + 1) % gridDim.x * 96 + t]; // HERE leader_arrives_early
}

// expect: global-race
static void leader_arrives_early(void)
{
    device<int> data(384), out(384);
    device<unsigned> arrived(1);

    shared_sum<<<4, 96>>>(data, out, arrived);
    FINISH();
}

// The first thread swaps two pointers of the block. The others may be in the next round already.
__global__ void smooth(float *a, float *b, int rounds)
{
    __shared__ float *from, *to;
    int t = threadIdx.x, n = blockDim.x;

    if (t == 0) {
        from = a;
        to = b;
    }
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        to[t] = (from[t] + from[(t + 1) % n]) / 2; // HERE swapped_by_thread_0
        __syncthreads();
        if (t == 0) {
            float *keep = from; // HERE swapped_by_thread_0
            from = to;          // HERE swapped_by_thread_0
            to = keep;          // HERE swapped_by_thread_0
        }
        if (right)
            __syncthreads();
    }
}

// expect: shared-race
static void swapped_by_thread_0(void)
{
    device<float> a(128), b(128);

    smooth<<<1, 128>>>(a, b, 5);
    FINISH();
}

// One warp fills a ring, another one empties it. The first does not look whether a slot is free.
__global__ void through_a_ring(const int *in, int *out, int rounds)
{
    __shared__ int ring[4][32], head, tail;
    int lane = threadIdx.x % 32;
    of_block<int> filled(head), emptied(tail);

    if (threadIdx.x == 0)
        head = tail = 0;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x < 32) {
            if (right && lane == 0)
                while (emptied.load(cuda::memory_order_acquire) + 4 <= k) {
                }
            __syncwarp();
            ring[k % 4][lane] = in[k * 32 + lane]; // HERE ring_overtakes
            __syncwarp();
            if (lane == 0)
                filled.store(k + 1, cuda::memory_order_release);
        } else {
            if (lane == 0)
                while (filled.load(cuda::memory_order_acquire) <= k) {
                }
            __syncwarp();
            out[k * 32 + lane] = ring[k % 4][lane]; // HERE ring_overtakes
            __syncwarp();
            if (lane == 0)
                emptied.store(k + 1, cuda::memory_order_release);
        }
    }
}

// expect: shared-race
static void ring_overtakes(void)
{
    device<int> in(2048), out(2048);

    through_a_ring<<<1, 64>>>(in, out, 64);
    FINISH();
}

// The second block waits for a time in which the first one has surely stored its result.
__global__ void later_and_later(int *result, int *out, int *ready)
{
    if (blockIdx.x == 0) {
        result[threadIdx.x] = threadIdx.x * 3; // HERE waits_by_clock
        if (right)
            of_grid<int>(*ready).fetch_add(1, cuda::memory_order_release);
        return;
    }
    if (right) {
        while (of_grid<int>(*ready).load(cuda::memory_order_acquire) < 32) {
        }
    } else {
        long long start = clock64();
        while (clock64() - start < 20000) {
        }
    }
    out[threadIdx.x] = result[threadIdx.x]; // HERE waits_by_clock
}

// expect: global-race
static void waits_by_clock(void)
{
    device<int> result(32), out(32), ready(1);

    later_and_later<<<2, 32>>>(result, out, ready);
    FINISH();
}

// What is wanted is moved together. The offset of each warp is read while the first warp still adds them up.
__global__ void keep_positive(const int *in, int *out, int *total)
{
    __shared__ int counts[32];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    bool wanted = in[t] > 0;
    unsigned votes = __ballot_sync(0xffffffff, wanted);

    if (lane == 0)
        counts[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        int own = lane < blockDim.x / 32 ? counts[lane] : 0, sum = own;
        for (int step = 1; step < 32; step *= 2) {
            int below = __shfl_up_sync(0xffffffff, sum, step);
            if (lane >= step)
                sum += below;
        }
        counts[lane] = sum - own; // HERE offsets_of_warps_early
        if (lane == 31)
            *total = sum;
    }
    if (right)
        __syncthreads();
    if (wanted)
        out[counts[warp] + __popc(votes & ((1u << lane) - 1))] = in[t]; // HERE offsets_of_warps_early
}

// expect: shared-race
static void offsets_of_warps_early(void)
{
    int h[256];

    for (int k = 0; k < 256; k++)
        h[k] = k % 3 - 1;
    device<int> in(256, h), out(256), total(1);
    keep_positive<<<1, 256>>>(in, out, total);
    FINISH();
}

// A kernel launches one with more threads in a block than the device can do, and does not look at the error.
__global__ void child(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i] = i;
}

__global__ void parent(int *data, int n)
{
    int size = right ? 256 : n;

    child<<<(n + size - 1) / size, size>>>(data, n); // HERE child_too_large
}

// expect: refused|unchecked-error
static void child_too_large(void)
{
    device<int> data(2048);

    parent<<<1, 1>>>(data, 2048);
    FINISH();
}

// A block tells the next one that its prefix is there, and stores it then.
__global__ void prefixes(const int *in, int *out, int *prefix, int *status)
{
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    int sum = __reduce_add_sync(0xffffffff, in[b * 32 + t]);

    if (t == 0) {
        int base = 0;
        if (b > 0) {
            while (atomicAdd(&status[b - 1], 0) == 0) {
            }
            __threadfence();
            base = prefix[b - 1]; // HERE status_before_prefix
        }
        if (right) {
            prefix[b] = base + sum;
            __threadfence();
            atomicExch(&status[b], 1);
        } else {
            atomicExch(&status[b], 1);
            __threadfence();
            prefix[b] = base + sum; // HERE status_before_prefix
        }
        before = base;
    }
    __syncthreads();
    out[b * 32 + t] = in[b * 32 + t] + before;
}

// expect: global-race
static void status_before_prefix(void)
{
    device<int> in(256), out(256), prefix(8), status(8);

    prefixes<<<8, 32>>>(in, out, prefix, status);
    FINISH();
}

// The transposed product of a sparse matrix. Two entries of one column are added by two threads.
__global__ void times_transposed(const int *columns, const float *values, const float *x, float *y, int per_row)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = row * per_row; k < (row + 1) * per_row; k++) {
        if (right)
            atomicAdd(&y[columns[k]], values[k] * x[row]);
        else
            y[columns[k]] += values[k] * x[row]; // HERE duplicate_columns
    }
}

// expect: global-race
static void duplicate_columns(void)
{
    int h[512];
    float v[512];

    for (int k = 0; k < 512; k++) {
        h[k] = k * 37 % 101;
        v[k] = k + 1;
    }
    device<int> columns(512, h);
    device<float> values(512, v), x(128, v), y(101);
    times_transposed<<<2, 64>>>(columns, values, x, y, 4);
    FINISH();
}

// A vote of the block in a branch that some of its threads take.
__global__ void any_negative(const int *in, int *out, int n)
{
    int t = threadIdx.x, found = 0;

    if (right) {
        found = __syncthreads_or(t < n && in[t] < 0);
    } else if (t < n) {
        found = __syncthreads_or(in[t] < 0); // HERE vote_of_block_in_branch
    }
    __syncthreads(); // HERE vote_of_block_in_branch
    out[t] = found;
}

// expect: divergent-barrier|mismatched-barrier|deadlock
static void vote_of_block_in_branch(void)
{
    device<int> in(40), out(64);

    any_negative<<<1, 64>>>(in, out, 40);
    FINISH();
}

// Lanes exchange their values through shared memory, and nothing orders the store and the load.
__global__ void transposed_by_warps(const int *in, int *out)
{
    __shared__ int tiles[4][8][33];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, base = threadIdx.x / 32 * 256;

    for (int k = 0; k < 8; k++)
        tiles[warp][k][lane] = in[base + k * 32 + lane]; // HERE transposed_in_warp
    if (right)
        __syncwarp();
    for (int k = 0; k < 8; k++)
        out[base + k * 32 + lane] = tiles[warp][lane % 8][k * 4 + lane / 8]; // HERE transposed_in_warp
}

// expect: shared-race
static void transposed_in_warp(void)
{
    device<int> in(1024), out(1024);

    transposed_by_warps<<<1, 128>>>(in, out);
    FINISH();
}

// Two blocks at a time may use a resource. They do not give back their permits.
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 2>;

__global__ void make_permits(permits *at)
{
    new (at) permits(2);
}

__global__ void use_resource(permits *at, int *out)
{
    if (threadIdx.x == 0)
        at->acquire(); // HERE permit_not_returned
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (right && threadIdx.x == 0)
        at->release();
}

// expect: deadlock
static void permit_not_returned(void)
{
    permits *at;
    device<int> out(256);

    CHECK(cudaMalloc(&at, sizeof(permits)));
    make_permits<<<1, 1>>>(at);
    use_resource<<<8, 32>>>(at, out);
    FINISH();
    CHECK(cudaFree(at));
}

// The source of an asynchronous copy is cleared before the copy has been waited for.
__global__ void take_and_clear(float *data, float *out)
{
    __shared__ float tile[64];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&tile[t], &data[t], 4); // HERE source_changed
    __pipeline_commit();
    if (right)
        __pipeline_wait_prior(0);
    data[t] = 0; // HERE source_changed
    if (!right)
        __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

// expect: global-race
static void source_changed(void)
{
    float h[64];

    for (int k = 0; k < 64; k++)
        h[k] = k;
    device<float> data(64, h), out(64);
    take_and_clear<<<1, 64>>>(data, out);
    FINISH();
}

// The tile is 8 rows of 32, and its indices are swapped.
__global__ void through_a_tile(const float *in, float *out)
{
    __shared__ float tile[8][32];
    int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * 8 + y) * 32 + x;

    if (right)
        tile[y][x] = in[i];
    else
        tile[x][y] = in[i]; // HERE tile_indices_swapped
    __syncthreads();
    out[i] = right ? tile[7 - y][31 - x] : tile[31 - x][7 - y]; // HERE tile_indices_swapped
}

// expect: out-of-bounds
static void tile_indices_swapped(void)
{
    device<float> in(1024), out(1024);

    through_a_tile<<<4, dim3(32, 8)>>>(in, out);
    FINISH();
}

// The wait is for groups of copies, and the copies are in no group.
__global__ void pairwise(const float *in, float *out)
{
    __shared__ float tile[128];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * 128 + t], 4); // HERE copies_not_committed
    if (right)
        __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 128 + t] = tile[t ^ 1] - tile[t]; // HERE copies_not_committed
}

// expect: shared-race|uninitialised
static void copies_not_committed(void)
{
    device<float> in(256), out(256);

    pairwise<<<2, 128>>>(in, out);
    FINISH();
}

static const suite_case cases[] = {
    {"prior_one_of_one", prior_one_of_one},
    {"more_blocks_than_fit", more_blocks_than_fit},
    {"half_word_beside_atomic", half_word_beside_atomic},
    {"seqlock_not_rechecked", seqlock_not_rechecked},
    {"syncwarp_for_block", syncwarp_for_block},
    {"locks_in_both_orders", locks_in_both_orders},
    {"doubles_in_floats_room", doubles_in_floats_room},
    {"barrier_without_generation", barrier_without_generation},
    {"block_larger_than_tile", block_larger_than_tile},
    {"surface_in_elements", surface_in_elements},
    {"leader_arrives_early", leader_arrives_early},
    {"swapped_by_thread_0", swapped_by_thread_0},
    {"ring_overtakes", ring_overtakes},
    {"waits_by_clock", waits_by_clock},
    {"offsets_of_warps_early", offsets_of_warps_early},
    {"child_too_large", child_too_large},
    {"status_before_prefix", status_before_prefix},
    {"duplicate_columns", duplicate_columns},
    {"vote_of_block_in_branch", vote_of_block_in_branch},
    {"transposed_in_warp", transposed_in_warp},
    {"permit_not_returned", permit_not_returned},
    {"source_changed", source_changed},
    {"tile_indices_swapped", tile_indices_swapped},
    {"copies_not_committed", copies_not_committed},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
