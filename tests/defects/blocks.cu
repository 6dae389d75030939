/*
 * blocks.cu - of the second suite: races in kernels. They have no right twins; idioms.cu has right programs.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include "suite.h"

namespace cg = cooperative_groups;

/* ---- races in a block ---- */

__global__ void scan_in_one_buffer(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        if (t >= d)
            s[t] += s[t - d]; // HERE scan_one_buffer
    }
    __syncthreads();
    out[t] = s[t];
}

// expect: shared-race
static void scan_one_buffer(void)
{
    device<int> in(128), out(128);
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = k + 1;
    CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    scan_in_one_buffer<<<1, 128>>>(in, out);
    FINISH();
}

__global__ void count_letters(const unsigned char *text, unsigned char *out)
{
    __shared__ unsigned char counts[32];
    int t = threadIdx.x;

    if (t < 32)
        counts[t] = 0;
    __syncthreads();
    counts[text[t] % 32]++; // HERE byte_counters
    __syncthreads();
    if (t < 32)
        out[t] = counts[t];
}

// expect: shared-race
static void byte_counters(void)
{
    unsigned char h[128];

    for (int k = 0; k < 128; k++)
        h[k] = k * k;
    device<unsigned char> text(128, h), out(32);
    count_letters<<<1, 128>>>(text, out);
    FINISH();
}

__global__ void multiply_tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;

    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x]; // HERE tiles_overwritten
        bs[y][x] = b[(k + y) * n + column]; // HERE tiles_overwritten
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[y][i] * bs[i][x]; // HERE tiles_overwritten
    }
    c[row * n + column] = sum;
}

// expect: shared-race
static void tiles_overwritten(void)
{
    device<float> a(32 * 32), b(32 * 32), c(32 * 32);
    float h[32 * 32];

    for (int k = 0; k < 32 * 32; k++)
        h[k] = k;
    CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice));
    multiply_tiles<<<dim3(2, 2), dim3(16, 16)>>>(a, b, c, 32);
    FINISH();
}

__global__ void collatz(int *out, int limit)
{
    __shared__ int longest;
    int n = threadIdx.x + 1, steps = 0;

    while (true) {
        if (threadIdx.x == 0)
            longest = 0; // HERE maximum_reset
        __syncthreads();
        if (n != 1)
            n = n % 2 ? 3 * n + 1 : n / 2;
        atomicMax(&longest, n); // HERE maximum_reset
        __syncthreads();
        if (longest == 1 || ++steps == limit) // HERE maximum_reset
            break;
    }
    out[threadIdx.x] = steps;
}

// expect: shared-race
static void maximum_reset(void)
{
    device<int> out(64);

    collatz<<<1, 64>>>(out, 200);
    FINISH();
}

__global__ void sum_of_last_warp(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16]; // HERE unrolled_last_warp
        s[t] += s[t + 8]; // HERE unrolled_last_warp
        s[t] += s[t + 4]; // HERE unrolled_last_warp
        s[t] += s[t + 2]; // HERE unrolled_last_warp
        s[t] += s[t + 1]; // HERE unrolled_last_warp
    }
    if (t == 0)
        *out = s[0];
}

// expect: shared-race
static void unrolled_last_warp(void)
{
    int h[64];

    for (int k = 0; k < 64; k++)
        h[k] = k;
    device<int> in(64, h), out(1);
    sum_of_last_warp<<<1, 64>>>(in, out);
    FINISH();
}

__global__ void two_uses_of_scratch(const float *in, int *out)
{
    extern __shared__ char scratch[];
    float *values = (float *)scratch;
    int *ranks = (int *)scratch, t = threadIdx.x, rank = 0;

    values[t] = in[t];
    __syncthreads();
    for (int k = 0; k < (int)blockDim.x; k++)
        rank += values[k] < values[t]; // HERE scratch_reused
    ranks[t] = rank; // HERE scratch_reused
    __syncthreads();
    out[t] = ranks[blockDim.x - 1 - t];
}

// expect: shared-race
static void scratch_reused(void)
{
    float h[96];

    for (int k = 0; k < 96; k++)
        h[k] = k * 37 % 96;
    device<float> in(96, h);
    device<int> out(96);
    two_uses_of_scratch<<<1, 96, 96 * sizeof(float)>>>(in, out);
    FINISH();
}

__global__ void sums_of_stages(const int *in, int *out, int tiles)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;

    __pipeline_memcpy_async(&tile[0][t], in + t, 4);
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&tile[(k + 1) % 2][t], in + (k + 1) * 64 + t, 4); // HERE last_stage_not_waited
        if (k + 1 < tiles)
            __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[k % 2][63 - t]; // HERE last_stage_not_waited
        __syncthreads();
    }
    out[t] = sum;
}

// expect: shared-race
static void last_stage_not_waited(void)
{
    device<int> in(256), out(64);

    sums_of_stages<<<1, 64>>>(in, out, 4);
    FINISH();
}

__global__ void neighbours_copy(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&tile[t], in + t, 4); // HERE own_copies_waited
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = tile[t ^ 32]; // HERE own_copies_waited
}

// expect: shared-race
static void own_copies_waited(void)
{
    device<int> in(64), out(64);

    neighbours_copy<<<1, 64>>>(in, out);
    FINISH();
}

__global__ void producers_and_consumers(const int *in, int *out, int rounds)
{
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;

    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x < 32) {
            buffer[lane] = in[k * 32 + lane]; // HERE no_empty_barrier
            __threadfence_block();
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[k * 32 + lane] = buffer[31 - lane]; // HERE no_empty_barrier
        }
    }
}

// expect: shared-race
static void no_empty_barrier(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = k;
    device<int> in(128, h), out(128);
    producers_and_consumers<<<1, 64>>>(in, out, 4);
    FINISH();
}

__global__ void __cluster_dims__(2, 1, 1) read_before_the_other_wrote(int *out)
{
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();

    mine[threadIdx.x] = cluster.block_rank() * 32 + threadIdx.x; // HERE cluster_only_block_sync
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] =
        *cluster.map_shared_rank(&mine[threadIdx.x], cluster.block_rank() ^ 1); // HERE cluster_only_block_sync
    cluster.sync();
}

// expect: shared-race|uninitialised
static void cluster_only_block_sync(void)
{
    device<int> out(64);

    read_before_the_other_wrote<<<2, 32>>>(out);
    FINISH();
}

__global__ void barrier_used_at_once(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar; // HERE barrier_not_published
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 64); // HERE barrier_not_published
    s[t] = t;
    bar.arrive_and_wait(); // HERE barrier_not_published
    out[t] = s[63 - t];
}

// expect: shared-race|uninitialised|deadlock
static void barrier_not_published(void)
{
    device<int> out(64);

    barrier_used_at_once<<<1, 64>>>(out);
    FINISH();
}

__global__ void one_arrival_too_many(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 65);
    __syncthreads();
    s[t] = t;
    bar.arrive_and_wait(); // HERE barrier_of_65
    out[t] = s[63 - t];
}

// expect: deadlock
static void barrier_of_65(void)
{
    device<int> out(64);

    one_arrival_too_many<<<1, 64>>>(out);
    FINISH();
}

/* ---- races between blocks ---- */

__global__ void set_bits(unsigned *bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i % 3 == 0)
        bits[i / 32] |= 1u << (i % 32); // HERE bits_of_one_word
}

// expect: global-race
static void bits_of_one_word(void)
{
    device<unsigned> bits(8);

    set_bits<<<2, 128>>>(bits, 256);
    FINISH();
}

__global__ void plain_maximum(const int *in, int *best)
{
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];

    if (value > *best) // HERE maximum_without_atomic
        *best = value; // HERE maximum_without_atomic
}

// expect: global-race
static void maximum_without_atomic(void)
{
    int h[256];

    for (int k = 0; k < 256; k++)
        h[k] = k;
    device<int> in(256, h), best(1);
    plain_maximum<<<4, 64>>>(in, best);
    FINISH();
}

__global__ void last_block_sums(const int *in, int *partial, unsigned *ticket, int *out)
{
    __shared__ bool last;
    int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 32 + threadIdx.x]);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum; // HERE last_block_no_fence
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (unsigned k = 0; k < gridDim.x; k++)
            all += partial[k]; // HERE last_block_no_fence
        *out = all;
    }
}

// expect: global-race
static void last_block_no_fence(void)
{
    device<int> in(256), partial(8), out(1);
    device<unsigned> ticket(1);

    last_block_sums<<<8, 32>>>(in, partial, ticket, out);
    FINISH();
}

__global__ void locked_counter(int *lock, int *counter)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        counter[0] += 1; // HERE lock_no_fence
        counter[1] += counter[0]; // HERE lock_no_fence
        atomicExch(lock, 0);
    }
}

// expect: global-race
static void lock_no_fence(void)
{
    device<int> lock(1), counter(2);

    locked_counter<<<8, 32>>>(lock, counter);
    FINISH();
}

__global__ void counts_of_block_scope(const int *in, int *counts)
{
    atomicAdd_block(&counts[in[blockIdx.x * blockDim.x + threadIdx.x] & 7], 1); // HERE atomics_of_block_scope
}

// expect: global-race
static void atomics_of_block_scope(void)
{
    device<int> in(256), counts(8);

    counts_of_block_scope<<<4, 64>>>(in, counts);
    FINISH();
}

__global__ void reset_while_others_count(int *count, int *out)
{
    int mine = atomicAdd(count, 1); // HERE reset_by_store

    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
        *count = 0; // HERE reset_by_store
}

// expect: global-race
static void reset_by_store(void)
{
    device<int> count(1), out(256);

    reset_while_others_count<<<4, 64>>>(count, out);
    FINISH();
}

__global__ void smooth_in_place(float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mean = 0;

    if (i > 0 && i + 1 < n)
        mean = (u[i - 1] + u[i] + u[i + 1]) / 3; // HERE stencil_over_blocks
    __syncthreads();
    if (i > 0 && i + 1 < n)
        u[i] = mean; // HERE stencil_over_blocks
}

// expect: global-race
static void stencil_over_blocks(void)
{
    float h[256];

    for (int k = 0; k < 256; k++)
        h[k] = k * k;
    device<float> u(256, h);
    smooth_in_place<<<4, 64>>>(u, 256);
    FINISH();
}

__global__ void two_passes_cached(const int *in, int *middle, int *out)
{
    int t = threadIdx.x;

    middle[t] = in[t] * 2; // HERE cached_read_of_stored
    __syncthreads();
    out[t] = __ldg(&middle[t ^ 1]); // HERE cached_read_of_stored
}

// expect: global-race
static void cached_read_of_stored(void)
{
    device<int> in(64), middle(64), out(64);

    two_passes_cached<<<1, 64>>>(in, middle, out);
    FINISH();
}

__device__ int tail_of_queue;

__global__ void push_all(int *queue)
{
    int at = tail_of_queue; // HERE queue_plain_tail

    queue[at] = threadIdx.x + blockIdx.x * blockDim.x; // HERE queue_plain_tail
    tail_of_queue = at + 1; // HERE queue_plain_tail
}

// expect: global-race
static void queue_plain_tail(void)
{
    device<int> queue(64);

    push_all<<<2, 1>>>(queue);
    FINISH();
}

static const suite_case cases[] = {
    {"scan_one_buffer", scan_one_buffer},
    {"byte_counters", byte_counters},
    {"tiles_overwritten", tiles_overwritten},
    {"maximum_reset", maximum_reset},
    {"unrolled_last_warp", unrolled_last_warp},
    {"scratch_reused", scratch_reused},
    {"last_stage_not_waited", last_stage_not_waited},
    {"own_copies_waited", own_copies_waited},
    {"no_empty_barrier", no_empty_barrier},
    {"cluster_only_block_sync", cluster_only_block_sync},
    {"barrier_not_published", barrier_not_published},
    {"barrier_of_65", barrier_of_65},
    {"bits_of_one_word", bits_of_one_word},
    {"maximum_without_atomic", maximum_without_atomic},
    {"last_block_no_fence", last_block_no_fence},
    {"lock_no_fence", lock_no_fence},
    {"atomics_of_block_scope", atomics_of_block_scope},
    {"reset_by_store", reset_by_store},
    {"stencil_over_blocks", stencil_over_blocks},
    {"cached_read_of_stored", cached_read_of_stored},
    {"queue_plain_tail", queue_plain_tail},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
