/* async.cu - copies that are under way, barriers in memory, and shared memory of other blocks. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "suite.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#define copy_16(to, from)                                                                                              \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)  \
                 : "memory")
__device__ static void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ static void wait_group() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

__global__ void copy_waited(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    wait_group<0>();
    data[1024 + t] = tile[t].x;
    __syncthreads();
    data[2048 + t] = tile[63 - t].y;
}

/* One's own copy is not there before one has waited for it. */
__global__ void copy_not_waited(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    data[1024 + t] = tile[t].x; // RACE
    wait_group<0>();
}

/* A barrier waits for threads, not for copies. */
__global__ void copy_behind_barrier(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    __syncthreads();
    data[1024 + t] = tile[63 - t].x; // RACE
    wait_group<0>();
}

/* Waited for, but by each thread for its own copies alone. */
__global__ void copy_waited_without_barrier(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t); // RACE
    commit();
    wait_group<0>();
    data[1024 + t] = tile[63 - t].x; // RACE
}

/* Two stages: the copy of the next one is under way while this one is used. */
__global__ void copy_two_stages(int *data)
{
    __shared__ int4 tile[2][64];
    int t = threadIdx.x, sum = 0;

    copy_16(&tile[0][t], data + 4 * t);
    commit();
    for (int stage = 0; stage < 4; stage++) {
        if (stage < 3)
            copy_16(&tile[(stage + 1) & 1][t], data + 256 * (stage + 1) + 4 * t);
        commit();
        wait_group<1>();
        __syncthreads();
        sum += tile[stage & 1][63 - t].x;
        __syncthreads();
    }
    data[4096 + t] = sum;
}

/* One group may still be under way, and it is the one that is read. */
__global__ void copy_waits_for_too_few(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    wait_group<1>();
    __syncthreads();
    data[1024 + t] = tile[63 - t].x; // RACE
    wait_group<0>();
}

/* The copy goes to where slow warps still read. */
__global__ void copy_over_readers(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x, sum = 0;

    for (int stage = 0; stage < 3; stage++) {
        copy_16(&tile[t], data + 256 * stage + 4 * t); // RACE
        commit();
        wait_group<0>();
        __syncthreads();
        sum += tile[63 - t].x; // RACE
    }
    data[4096 + t] = sum;
}

__global__ void pipeline_of_the_library(int *data)
{
    __shared__ int tile[2][64];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;

    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][t], data + t, sizeof(int), pipe);
    pipe.producer_commit();
    for (int stage = 0; stage < 4; stage++) {
        pipe.producer_acquire();
        if (stage < 3)
            cuda::memcpy_async(&tile[(stage + 1) & 1][t], data + 64 * (stage + 1) + t, sizeof(int), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        sum += tile[stage & 1][63 - t];
        pipe.consumer_release();
        __syncthreads();
    }
    data[4096 + t] = sum;
}

__global__ void barrier_in_memory(int *data)
{
    __shared__ block_barrier bar;
    __shared__ int box[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        box[t] = data[t] + round;
        bar.arrive_and_wait();
        data[1024 + t] += box[63 - t];
        bar.arrive_and_wait();
    }
}

/* Arrived, and did not wait. */
__global__ void barrier_in_memory_not_waited(int *data)
{
    __shared__ block_barrier bar;
    __shared__ int box[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    box[t] = data[t] + 1; // RACE
    (void)bar.arrive();
    data[1024 + t] = box[63 - t]; // RACE
}

__global__ void producers_and_consumers(int *data)
{
    __shared__ block_barrier full, empty;
    __shared__ int box[64];
    int t = threadIdx.x;

    if (t == 0) {
        init(&full, 128);
        init(&empty, 128);
    }
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        if (t < 64) {
            empty.arrive_and_wait();
            box[t] = round + t;
            (void)full.arrive();
        } else {
            (void)empty.arrive();
            full.arrive_and_wait();
            data[t] += box[127 - t];
        }
    }
}

/* The producers do not wait until the box is empty. */
__global__ void producers_do_not_wait(int *data)
{
    __shared__ block_barrier full;
    __shared__ int box[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&full, 128);
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        if (t < 64) {
            box[t] = round + t; // RACE
            full.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            data[t] += box[127 - t]; // RACE
        }
    }
}

/* Shared memory of the neighbour in the cluster. */
__global__ void __cluster_dims__(2, 1, 1) cluster_exchange(int *data)
{
    __shared__ int box[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, *other = cluster.map_shared_rank(box, cluster.block_rank() ^ 1);

    box[t] = data[t] + (int)cluster.block_rank();
    cluster.sync();
    data[1024 + blockIdx.x * 64 + t] = other[63 - t];
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) cluster_exchange_block_barrier(int *data)
{
    __shared__ int box[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, *other = cluster.map_shared_rank(box, cluster.block_rank() ^ 1);

    cluster.sync();
    box[t] = data[t] + (int)cluster.block_rank(); // RACE
    __syncthreads();
    data[1024 + blockIdx.x * 64 + t] = other[63 - t]; // RACE
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) cluster_remote_writes(int *data)
{
    __shared__ int box[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, *first = cluster.map_shared_rank(box, 0);

    cluster.sync();
    first[t] = (int)cluster.block_rank(); // RACE
    cluster.sync();
    data[1024 + blockIdx.x * 64 + t] = box[t] * (blockIdx.x == 0);
}

__global__ void __cluster_dims__(2, 1, 1) cluster_histogram(int *data)
{
    __shared__ int bins[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;

    bins[t] = 0;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(bins, t & 1) + t / 2, 1);
    cluster.sync();
    data[1024 + blockIdx.x * 64 + t] = bins[t];
}

/* ---- copies whose wait is an mbarrier's, and copies in bulk from shared memory ---- */

__device__ static unsigned shared_at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ static void copies_arrive(unsigned long long *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_at(barrier)) : "memory");
}

__device__ static void start_barrier(unsigned long long *barrier, int count)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_at(barrier)), "r"(count) : "memory");
    __syncthreads();
}

__device__ static void wait_first_phase(unsigned long long *barrier)
{
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                     shared_at(barrier))
                 : "memory");
}

__global__ void copies_arrive_waited(int *data)
{
    __shared__ int4 tile[128];
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;

    start_barrier(&barrier, 128);
    copy_16(&tile[t], data + 4 * t);
    copies_arrive(&barrier);
    wait_first_phase(&barrier);
    data[1024 + t] = tile[127 - t].x;
}

/* The copies' arrival at an mbarrier is no wait. */
__global__ void copies_arrive_not_waited(int *data)
{
    __shared__ int4 tile[128];
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;

    start_barrier(&barrier, 128);
    copy_16(&tile[t], data + 4 * t);
    copies_arrive(&barrier);
    data[1024 + t] = tile[t].x; // RACE
    __syncthreads();
    wait_first_phase(&barrier);
}

__device__ static void wait_phase(unsigned long long *barrier, int parity)
{
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(
                     shared_at(barrier)),
                 "r"(parity)
                 : "memory");
}

/* A slab is free when every warp has read it: its barrier counts warps. */
__device__ static void slab_is_read(unsigned long long *barrier)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(barrier)) : "memory");
}

/* A ring of slabs, in which one warp may be ahead of the other by what is free. */
__global__ void copies_in_a_ring(int *data)
{
    __shared__ int4 slabs[4][64];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x, sum = 0;

    for (int n = 0; n < 4; n++) {
        start_barrier(&full[n], 64);
        start_barrier(&empty[n], 2);
    }
    for (int n = 0; n < 2; n++) {
        copy_16(&slabs[n][t], data + 4 * (64 * n + t));
        copies_arrive(&full[n]);
    }
    for (int n = 0; n < 9; n++) {
        wait_phase(&full[n % 4], n / 4 % 2);
        sum += slabs[n % 4][t ^ 8].x + slabs[n % 4][63 - t].x;
        if (n + 2 > 3)
            wait_phase(&empty[(n + 2) % 4], ((n + 2) / 4 + 1) % 2);
        if (n + 2 < 9)
            copy_16(&slabs[(n + 2) % 4][t], data + 4 * (64 * (n + 2) + t));
        copies_arrive(&full[(n + 2) % 4]);
        slab_is_read(&empty[n % 4]);
    }
    data[3000 + t] = sum;
}

/* The same, but for a wait for the slab before. */
__global__ void copies_in_a_ring_read_early(int *data)
{
    __shared__ int4 slabs[4][64];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x, sum = 0;

    for (int n = 0; n < 4; n++) {
        start_barrier(&full[n], 64);
        start_barrier(&empty[n], 2);
    }
    for (int n = 0; n < 2; n++) {
        copy_16(&slabs[n][t], data + 4 * (64 * n + t));
        copies_arrive(&full[n]);
    }
    for (int n = 0; n < 9; n++) {
        wait_phase(&full[n % 4], n / 4 % 2);
        sum += slabs[(n + 1) % 4][t ^ 8].x; // RACE
        if (n + 2 > 3)
            wait_phase(&empty[(n + 2) % 4], ((n + 2) / 4 + 1) % 2);
        if (n + 2 < 9)
            copy_16(&slabs[(n + 2) % 4][t], data + 4 * (64 * (n + 2) + t));
        copies_arrive(&full[(n + 2) % 4]);
        slab_is_read(&empty[n % 4]);
    }
    data[3000 + t] = sum;
}

/* All lanes stay at work: those beyond the last word copy it again. */
__global__ void copies_of_the_same_bytes(int *data)
{
    __shared__ int4 tile[20];
    int t = threadIdx.x, at = t < 20 ? t : 19;

    copy_16(&tile[at], data + 4 * at);
    commit();
    wait_group<0>();
    __syncthreads();
    data[1024 + t] = tile[19 - at].x;
}

/* Lanes that copy different bytes to one place. */
__global__ void copies_to_the_same_place(int *data)
{
    __shared__ int4 tile[20];
    int t = threadIdx.x, at = t < 20 ? t : 19;

    data[2048 + 4 * t] = t;
    __syncthreads();
    copy_16(&tile[at], data + 2048 + 4 * t); // RACE
    commit();
    wait_group<0>();
    __syncthreads();
    data[1024 + t] = tile[19 - at].x;
}

__device__ static void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ static void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ static void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

#define bulk_store(to, from, bytes)                                                                                    \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_at(from)),        \
                 "r"(bytes)                                                                                            \
                 : "memory")

/* Two buffers: one is stored to while the copy of the other one may read. */
__global__ void bulk_store_two_buffers(int *data)
{
    __shared__ __align__(128) int tile[2][64];
    int t = threadIdx.x;

    for (int round = 0; round < 6; round++) {
        tile[round % 2][t] = round + t;
        proxy_fence();
        __syncthreads();
        if (t == 0) {
            bulk_store(data + 64 * round, tile[round % 2], 256);
            bulk_commit();
            bulk_wait_read<1>();
        }
        __syncthreads();
    }
    if (t == 0)
        bulk_wait_read<0>();
}

/* The thread that waits allows two copies to be under way, and there are two buffers. */
__global__ void bulk_store_reused_early(int *data)
{
    __shared__ __align__(128) int tile[2][64];
    int t = threadIdx.x;

    for (int round = 0; round < 6; round++) {
        tile[round % 2][t] = round + t; // RACE
        proxy_fence();
        __syncthreads();
        if (t == 0) {
            bulk_store(data + 64 * round, tile[round % 2], 256);
            bulk_commit();
            bulk_wait_read<2>();
        }
        __syncthreads();
    }
    if (t == 0)
        bulk_wait_read<0>();
}

/* The fence may also be the issuing thread's. */
__global__ void bulk_store_fenced_by_issuer(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    tile[t] = t;
    __syncthreads();
    if (t == 0) {
        proxy_fence();
        bulk_store(data, tile, 256);
        bulk_commit();
        bulk_wait_read<0>();
    }
}

/* A barrier orders threads, and not their stores with the copy. */
__global__ void bulk_store_not_fenced(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    tile[t] = t;
    __syncthreads();
    if (t == 0) {
        bulk_store(data, tile, 256); // RACE
        bulk_commit();
        bulk_wait_read<0>();
    }
}

/* What a copy in bulk brought may go out by another one as it is. */
__global__ void bulk_through(int *data)
{
    __shared__ __align__(128) int tile[64];
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;

    start_barrier(&barrier, 1);
    if (t == 0) {
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared_at(&barrier)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                         shared_at(tile)),
                     "l"(data), "r"(shared_at(&barrier))
                     : "memory");
    }
    wait_first_phase(&barrier);
    data[1024 + t] = tile[63 - t];
    __syncthreads();
    if (t == 0) {
        bulk_store(data + 2048, tile, 256);
        bulk_commit();
        bulk_wait_read<0>();
    }
}

template <int N> __device__ static void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}

/* Two copies out of the block, of a group each. */
__device__ static void two_bulk_stores(int *data, int *tile)
{
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(data, tile, 128);
        bulk_commit();
        bulk_store(data + 32, tile + 32, 128);
        bulk_commit();
    }
}

/* What a copy wrote is there when its group was waited for. */
__global__ void bulk_result_awaited(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    two_bulk_stores(data, tile);
    if (t == 0)
        bulk_wait<0>();
    __syncthreads();
    data[1024 + t] = data[63 - t];
}

/* That the copy has read is not enough. */
__global__ void bulk_result_read_early(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    two_bulk_stores(data, tile);
    if (t == 0)
        bulk_wait_read<0>();
    __syncthreads();
    data[1024 + t] = data[63 - t]; // RACE
}

/* The last group may still write. */
__global__ void bulk_result_of_first_group(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    two_bulk_stores(data, tile);
    if (t == 0)
        bulk_wait<1>();
    __syncthreads();
    data[1024 + t] = data[t % 32];
    if (t == 0)
        bulk_wait<0>();
}

__global__ void bulk_result_of_last_group(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    two_bulk_stores(data, tile);
    if (t == 0)
        bulk_wait<1>();
    __syncthreads();
    data[1024 + t] = data[32 + t % 32]; // RACE
}

/* Two copies to one place, without a wait in between. */
__global__ void bulk_results_in_one_place(int *data)
{
    __shared__ __align__(128) int tile[64];

    two_bulk_stores(data, tile);
    if (threadIdx.x == 0)
        bulk_store(data + 16, tile, 128); // RACE
}

/* All lanes of a warp order one copy: they store the same bytes. */
__global__ void bulk_store_by_all_lanes(int *data)
{
    __shared__ __align__(128) int tile[64];
    int t = threadIdx.x;

    tile[t] = tile[t + 32] = t;
    proxy_fence();
    __syncwarp();
    bulk_store(data, tile, 256);
    bulk_commit();
    bulk_wait<0>();
}

/* Each lane stores another part of the tile, all to one place. */
__global__ void bulk_store_by_lanes_to_one_place(int *data)
{
    __shared__ __align__(128) int tile[256];
    int t = threadIdx.x;

    for (int n = 0; n < 8; n++)
        tile[8 * t + n] = t;
    proxy_fence();
    __syncwarp();
    bulk_store(data, tile + 4 * t, 16); // RACE
    bulk_commit();
    bulk_wait<0>();
}

__device__ static void make_barrier(unsigned long long *barrier, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_at(barrier)), "r"(count) : "memory");
}

/* All lanes make the same barrier. */
__global__ void barrier_made_by_all_lanes(int *)
{
    __shared__ unsigned long long barriers[2];

    if (threadIdx.x < 32)
        for (int n = 0; n < 2; n++)
            make_barrier(barriers + n, 4);
    __syncthreads();
}

/* Each lane makes another one, in one place. */
__global__ void barrier_made_with_other_counts(int *)
{
    __shared__ unsigned long long barrier;

    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_at(&barrier)), "r"(threadIdx.x + 1)); // RACE
}

/* A later launch finds everything. */
__global__ void bulk_results_of_earlier_launch(int *data) { data[1024 + threadIdx.x] = data[threadIdx.x]; }

/* The source of a copy may be stored to when the copy was waited for: its own thread, then behind a barrier. */
__global__ void copy_source_cleared(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    wait_group<0>();
    data[4 * t] = 0;
    __syncthreads();
    data[4 * (63 - t) + 1] = tile[63 - t].y + 1;
}

__global__ void copy_source_cleared_early(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    data[4 * t] = 1; // RACE
    wait_group<0>();
    __syncthreads();
    data[1024 + t] = tile[63 - t].x;
}

/* The barrier of the block does not wait for the copies. */
__global__ void copy_source_cleared_behind_barrier(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    copy_16(&tile[t], data + 4 * t);
    commit();
    __syncthreads();
    data[4 * (63 - t)] = 1; // RACE
    wait_group<0>();
    __syncthreads();
    data[1024 + t] = tile[63 - t].x;
}

int main(int argc, char **argv)
{
    suite_only = argc > 1 ? argv[1] : NULL;
    RUN(copy_waited, 1, 64);
    RUN(copy_not_waited, 1, 64);
    RUN(copy_behind_barrier, 1, 64);
    RUN(copy_waited_without_barrier, 1, 64);
    RUN(copy_two_stages, 1, 64);
    RUN(copy_waits_for_too_few, 1, 64);
    RUN(copy_over_readers, 1, 64);
    RUN(pipeline_of_the_library, 1, 64);
    RUN(barrier_in_memory, 1, 64);
    RUN(barrier_in_memory_not_waited, 1, 64);
    RUN(producers_and_consumers, 1, 128);
    RUN(producers_do_not_wait, 1, 128);
    RUN(cluster_exchange, 4, 64);
    RUN(cluster_exchange_block_barrier, 4, 64);
    RUN(cluster_remote_writes, 4, 64);
    RUN(cluster_histogram, 4, 64);
    RUN(copies_arrive_waited, 1, 128);
    RUN(copies_arrive_not_waited, 1, 128);
    RUN(copies_in_a_ring, 1, 64);
    RUN(copies_in_a_ring_read_early, 1, 64);
    RUN(copies_of_the_same_bytes, 1, 32);
    RUN(copies_to_the_same_place, 1, 32);
    RUN(copy_source_cleared, 1, 64);
    RUN(copy_source_cleared_early, 1, 64);
    RUN(copy_source_cleared_behind_barrier, 1, 64);
    RUN(bulk_store_two_buffers, 1, 64);
    RUN(bulk_store_reused_early, 1, 64);
    RUN(bulk_store_fenced_by_issuer, 1, 64);
    RUN(bulk_store_not_fenced, 1, 64);
    RUN(bulk_through, 1, 64);
    RUN(bulk_result_awaited, 1, 64);
    RUN(bulk_result_read_early, 1, 64);
    RUN(bulk_result_of_first_group, 1, 64);
    RUN(bulk_result_of_last_group, 1, 64);
    RUN(bulk_results_in_one_place, 1, 64);
    RUN(bulk_store_by_all_lanes, 1, 32);
    RUN(bulk_store_by_lanes_to_one_place, 1, 32);
    RUN(barrier_made_by_all_lanes, 1, 64);
    RUN(barrier_made_with_other_counts, 1, 32);
    RUN(bulk_results_of_earlier_launch, 1, 64);
}
