/*
 * yard_hopper.cu - defects of compute capability 9.0, of mechanisms that other suites lack. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/ptx>

#include "suite.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// Makes a barrier for so many arrivals, seen by all threads and by bulk copies.
__device__ void make_barrier(uint64_t *bar, unsigned count)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, count);
        ptx::fence_proxy_async();
    }
    __syncthreads();
}

__device__ void wait_for(uint64_t *bar, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) { // HERE barrier_made_anew waits_relaxed
    }
}

__device__ void fetch_tile(int *tile, const int *from, int bytes, uint64_t *bar)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, bytes, bar); // HERE bulk_source_short
}

// All lanes tell another block by one word. They tell different things.
__global__ void __cluster_dims__(2) told_by_all(int *out)
{
    __shared__ int said;
    cg::cluster_group cluster = cg::this_cluster();
    int *other = cluster.map_shared_rank(&said, cluster.block_rank() ^ 1);

    cluster.sync();
    *other = right ? 7 : threadIdx.x; // HERE all_lanes_mark_remote
    cluster.sync();
    out[blockIdx.x] = said;
}

// expect: shared-race
static void all_lanes_mark_remote(void)
{
    device<int> out(2);

    told_by_all<<<2, 32>>>(out);
    FINISH();
}

// The flag goes to the other block of the cluster, and its fence reaches only the own one.
template <cuda::thread_scope scope> using flag_of = cuda::atomic_ref<int, scope>;

__global__ void __cluster_dims__(2) handed_over(int *out)
{
    __shared__ int value, flag;
    cg::cluster_group cluster = cg::this_cluster();
    int *their_value = cluster.map_shared_rank(&value, 1), *their_flag = cluster.map_shared_rank(&flag, 1);

    if (threadIdx.x == 0)
        flag = 0;
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) {
        *their_value = 42; // HERE fence_of_the_block
        if (right)
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        else
            __threadfence_block();
        flag_of<cuda::thread_scope_device>(*their_flag).store(1, cuda::memory_order_relaxed);
    }
    if (threadIdx.x == 0 && cluster.block_rank() == 1) {
        while (!flag_of<cuda::thread_scope_device>(flag).load(cuda::memory_order_relaxed)) {
        }
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        *out = value; // HERE fence_of_the_block
    }
    cluster.sync();
}

// expect: shared-race
static void fence_of_the_block(void)
{
    device<int> out(1);

    handed_over<<<2, 32>>>(out);
    FINISH();
}

// One thread waits until its store has read the tile. The others do not wait for that thread.
__global__ void stored_by_one(const int *in, int *out)
{
    __shared__ alignas(128) int tile[128];
    int t = threadIdx.x;

    for (int k = 0; k < 3; k++) {
        tile[t] = in[k * 128 + t]; // HERE only_one_waits
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            auto to = ptx::space_global;
            ptx::cp_async_bulk(to, ptx::space_shared, out + k * 128, tile, sizeof(tile)); // HERE only_one_waits
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        if (right)
            __syncthreads();
    }
    if (t == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// expect: shared-race
static void only_one_waits(void)
{
    device<int> in(384), out(384);

    stored_by_one<<<1, 128>>>(in, out);
    FINISH();
}

// The barrier is made anew in each round, while slow threads may still wait at it.
__global__ void made_in_each_round(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < 3; k++) {
        if (t == 0 && (k == 0 || !right)) {
            ptx::mbarrier_init(&bar, 1); // HERE barrier_made_anew
            ptx::fence_proxy_async();
        }
        if (right || k == 0)
            __syncthreads();
        if (t == 0)
            fetch_tile(tile, in + k * 64, sizeof(tile), &bar);
        wait_for(&bar, right ? k & 1 : 0);
        sum += tile[t]; // HERE barrier_made_anew
    }
    out[t] = sum;
}

// expect: shared-race|deadlock
static void barrier_made_anew(void)
{
    device<int> in(192), out(64);

    made_in_each_round<<<1, 64>>>(in, out);
    FINISH();
}

// The wait is relaxed, so it orders nothing.
__device__ bool passed(uint64_t *bar, unsigned parity)
{
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(bar)), is;

    if (right)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(is)
                     : "r"(at), "r"(parity)
                     : "memory");
    else
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(is)
                     : "r"(at), "r"(parity)
                     : "memory");
    return is;
}

__global__ void exchanged(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x;

    make_barrier(&bar, 64);
    tile[t] = in[t]; // HERE waits_relaxed
    ptx::mbarrier_arrive(&bar);
    while (!passed(&bar, 0)) {
    }
    out[t] = tile[63 - t]; // HERE waits_relaxed
}

// expect: shared-race
static void waits_relaxed(void)
{
    device<int> in(64), out(64);

    exchanged<<<1, 64>>>(in, out);
    FINISH();
}

// The arrival is relaxed, so it tells nothing. Fences on both sides would do.
__global__ void told_by_fences(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x;

    make_barrier(&bar, 64);
    tile[t] = in[t]; // HERE arrives_relaxed
    if (right)
        __threadfence_block();
    asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(&bar)))
                 : "memory");
    wait_for(&bar, 0);
    out[t] = tile[63 - t]; // HERE arrives_relaxed
}

// expect: shared-race
static void arrives_relaxed(void)
{
    device<int> in(64), out(64);

    told_by_fences<<<1, 64>>>(in, out);
    FINISH();
}

// The mask names a block that the cluster does not have.
__global__ void __cluster_dims__(2) sent_to_all(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;

    make_barrier(&bar, 1);
    cluster.sync();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
        if (cluster.block_rank() == 0)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), // HERE block_not_there
                               &bar, uint16_t(right ? 3 : 7));                                // HERE block_not_there
    }
    wait_for(&bar, 0);
    out[blockIdx.x * 64 + t] = tile[t];
    cluster.sync();
}

// expect: illegal-address|out-of-bounds|invalid-call|trap
static void block_not_there(void)
{
    device<int> in(64), out(128);

    sent_to_all<<<2, 64>>>(in, out);
    FINISH();
}

// The last tile is whole, and the array is not.
__global__ void summed_by_tiles(const int *in, int n, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x, base = blockIdx.x * 64, there = min(64, n - base);

    make_barrier(&bar, 1);
    if (t == 0)
        fetch_tile(tile, in + base, right ? there * sizeof(int) : sizeof(tile), &bar);
    wait_for(&bar, 0);
    if (t < there)
        atomicAdd(out, tile[t]);
}

// expect: out-of-bounds
static void bulk_source_short(void)
{
    device<int> in(200), out(1);

    summed_by_tiles<<<4, 64>>>(in, 200, out);
    FINISH();
}

// Lanes give the addresses of the rows. All of them give the first one.
__global__ void rows_of_a_matrix(int *out)
{
    __shared__ alignas(16) int matrix[32];
    int t = threadIdx.x;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&matrix[right ? t % 8 * 4 : 0]));

    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), // HERE rows_in_one_place
                 "r"(t)                                                            // HERE rows_in_one_place
                 : "memory");
    __syncwarp();
    out[t] = matrix[t]; // HERE rows_in_one_place
}

// expect: shared-race|uninitialised
static void rows_in_one_place(void)
{
    device<int> out(32);

    rows_of_a_matrix<<<1, 32>>>(out);
    FINISH();
}

// A sum by bulk copies is read in the block that added last, without a wait for its own copy.
__global__ void bulk_sums(const int *in, int *sums, unsigned *tickets, int *out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ bool last;
    int t = threadIdx.x;

    tile[t] = in[blockIdx.x * 32 + t];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        auto to = ptx::space_global;
        ptx::cp_reduce_async_bulk(to, ptx::space_shared, ptx::op_add, sums, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        if (right)
            ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
        else
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::fence_proxy_async();
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
        __threadfence();
        ptx::fence_proxy_async();
    }
    __syncthreads();
    if (last)
        out[t] = __ldcg(&sums[t]); // HERE bulk_sum_read_early
}

// expect: global-race
static void bulk_sum_read_early(void)
{
    device<int> in(128), sums(32), out(32);
    device<unsigned> tickets(1);

    bulk_sums<<<4, 32>>>(in, sums, tickets, out);
    FINISH();
}

// The owner counts in its own place, and another block of the cluster at the same time by plain sums.
__global__ void __cluster_dims__(2) counted_by_both(int *out)
{
    __shared__ int count;
    cg::cluster_group cluster = cg::this_cluster();
    int *first = cluster.map_shared_rank(&count, 0);

    if (threadIdx.x == 0)
        count = 0;
    cluster.sync();
    if (threadIdx.x == 0) {
        if (right)
            atomicAdd(first, 1);
        else
            *first += 1; // HERE both_blocks_count
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        *out = count;
}

// expect: shared-race
static void both_blocks_count(void)
{
    device<int> out(1);

    counted_by_both<<<2, 32>>>(out);
    FINISH();
}

static const suite_case cases[] = {
    {"all_lanes_mark_remote", all_lanes_mark_remote},
    {"fence_of_the_block", fence_of_the_block},
    {"only_one_waits", only_one_waits},
    {"barrier_made_anew", barrier_made_anew},
    {"waits_relaxed", waits_relaxed},
    {"arrives_relaxed", arrives_relaxed},
    {"block_not_there", block_not_there},
    {"bulk_source_short", bulk_source_short},
    {"rows_in_one_place", rows_in_one_place},
    {"bulk_sum_read_early", bulk_sum_read_early},
    {"both_blocks_count", both_blocks_count},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
