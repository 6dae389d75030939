/*
 * shop_hopper.cu - defects in pipelines of compute capability 9.0, drawn by lot. Each case is wrong; with -DRIGHT it is
 * right.
 *
 * The marks are those of kernels.cu.
 */
#include <cuda/ptx>

#include "suite.h"

namespace ptx = cuda::ptx;

// Waits for the end of a phase.
__device__ void wait_for(uint64_t *bar, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) { // HERE noinc_not_counted phase_of_the_stage
    }
}

// Makes a barrier for so many arrivals, seen by all threads and by bulk copies.
__device__ void make_barrier(uint64_t *bar, unsigned count)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, count);
        ptx::fence_proxy_async();
    }
    __syncthreads();
}

// The store is in no group, so the wait for all groups does not wait for it. The tile is filled again.
__global__ void stored_in_turns(const int *in, int *out, int tiles)
{
    __shared__ alignas(128) int tile[64];
    int t = threadIdx.x;

    for (int k = 0; k < tiles; k++) {
        tile[t] = in[k * 64 + t] + 1; // HERE store_not_committed
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * 64, tile, // HERE store_not_committed
                               sizeof(tile));                                            // HERE store_not_committed
            if (right)
                ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
    if (right && t == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// expect: shared-race
static void store_not_committed(void)
{
    device<int> in(256), out(256);

    stored_in_turns<<<1, 64>>>(in, out, 4);
    FINISH();
}

// The block ends, and its memory with it. Nothing has waited until the store has read it.
__global__ void doubled(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    int t = threadIdx.x, base = blockIdx.x * 64;

    tile[t] = in[base + t] * 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        auto to = ptx::space_global;
        ptx::cp_async_bulk(to, ptx::space_shared, out + base, tile, sizeof(tile)); // HERE ends_with_store_pending
        ptx::cp_async_bulk_commit_group();
        if (right)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// expect: use-after-free|shared-race
static void ends_with_store_pending(void)
{
    device<int> in(4096), out(4096);

    doubled<<<64, 64>>>(in, out);
    FINISH();
}

// Each thread arrives twice: when its copy has come, and itself. The barrier counts one arrival of each.
__global__ void copied_and_arrived(const int *in, int *out)
{
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t]));
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));

    make_barrier(&bar, right ? 128 : 64);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), // HERE noinc_not_counted
                 "l"(in + t)                                           // HERE noinc_not_counted
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory"); // HERE noinc_not_counted
    ptx::mbarrier_arrive(&bar);                                                           // HERE noinc_not_counted
    wait_for(&bar, 0);                                                                    // HERE noinc_not_counted
    out[t] = tile[63 - t];                                                                // HERE noinc_not_counted
}

// expect: shared-race|uninitialised|deadlock
static void noinc_not_counted(void)
{
    device<int> in(64), out(64);

    copied_and_arrived<<<1, 64>>>(in, out);
    FINISH();
}

// The parity is that of the stage's number, where it should be that of the round.
__global__ void two_stages(const int *in, int *out, int tiles)
{
    __shared__ alignas(128) int tile[2][64];
    __shared__ uint64_t full[2];
    int t = threadIdx.x, sum = 0;

    make_barrier(&full[0], 1);
    make_barrier(&full[1], 1);
    for (int k = 0, sent = 0; k < tiles; k++) {
        if (t == 0) {
            for (; sent < tiles && sent < k + 2; sent++) {
                int bytes = sizeof(tile[0]), s = sent % 2;
                const int *from = in + sent * 64;
                auto here = ptx::space_cluster;
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], bytes);
                ptx::cp_async_bulk(here, ptx::space_global, tile[s], from, bytes, &full[s]); // HERE phase_of_the_stage
            }
        }
        wait_for(&full[k % 2], (right ? k / 2 : k) % 2);
        sum += tile[k % 2][63 - t]; // HERE phase_of_the_stage
        __syncthreads();
    }
    out[t] = sum;
}

// expect: shared-race|uninitialised|deadlock
static void phase_of_the_stage(void)
{
    device<int> in(384), out(64);

    two_stages<<<1, 64>>>(in, out, 6);
    FINISH();
}

static const suite_case cases[] = {
    {"store_not_committed", store_not_committed},
    {"ends_with_store_pending", ends_with_store_pending},
    {"noinc_not_counted", noinc_not_counted},
    {"phase_of_the_stage", phase_of_the_stage},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
