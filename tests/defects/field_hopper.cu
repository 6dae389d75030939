/*
 * field_hopper.cu - defects in pipelines, clusters and matrix units of compute capability 9.0. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "suite.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// A block adds to another block's bins before that block has set them to zero.
__global__ void __cluster_dims__(2) bins_of_cluster(const int *in, int *out)
{
    __shared__ int bins[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;

    bins[t] = 0; // HERE remote_bins_not_zeroed
    if (right)
        cluster.sync();
    else
        __syncthreads();
    int value = in[blockIdx.x * 64 + t] & 127;
    atomicAdd(cluster.map_shared_rank(bins, value / 64) + value % 64, 1); // HERE remote_bins_not_zeroed
    cluster.sync();
    out[blockIdx.x * 64 + t] = bins[t];
}

// expect: shared-race|uninitialised
static void remote_bins_not_zeroed(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = 37 * k;
    device<int> in(128, h), out(128);
    bins_of_cluster<<<2, 64>>>(in, out);
    FINISH();
}

// The producer waits for a first release that no consumer gives.
__global__ void one_stage(const int *in, int *out, int tiles)
{
    __shared__ alignas(128) int tile[32];
    __shared__ uint64_t full, empty;
    int lane = threadIdx.x % 32;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 32);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < tiles; k++) {
            while (!ptx::mbarrier_try_wait_parity(&empty, right ? ~k & 1 : k & 1)) // HERE first_release_awaited
                ;
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + k * 32, sizeof(tile), &full);
        }
    } else if (threadIdx.x >= 32) {
        for (int k = 0; k < tiles; k++) {
            while (!ptx::mbarrier_try_wait_parity(&full, k & 1))
                ;
            out[k * 32 + lane] = tile[31 - lane];
            ptx::mbarrier_arrive(&empty);
        }
    }
}

// expect: deadlock
static void first_release_awaited(void)
{
    device<int> in(128), out(128);

    one_stage<<<1, 64>>>(in, out, 4);
    FINISH();
}

// A bulk reduction reads what the threads wrote, without a fence between the two ways.
__global__ void add_tile(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];

    tile[threadIdx.x] = in[threadIdx.x];
    if (right)
        ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t bytes = sizeof(tile);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, // HERE reduced_without_fence
                                  tile, bytes); // HERE reduced_without_fence
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// expect: shared-race
static void reduced_without_fence(void)
{
    device<int> in(64), out(64);

    add_tile<<<1, 64>>>(in, out);
    FINISH();
}

// The producer arrives at the barrier of empty buffers where it has to wait.
__global__ void two_roles(const int *in, int *out, int rounds)
{
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;

    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x < 32) {
            if (right)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            else
                asm volatile("bar.arrive 2, 64;" ::: "memory"); // HERE arrives_only
            buffer[lane] = in[k * 32 + lane]; // HERE arrives_only
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[k * 32 + lane] = buffer[31 - lane]; // HERE arrives_only
        }
    }
}

// expect: shared-race|mismatched-barrier
static void arrives_only(void)
{
    device<int> in(256), out(256);

    two_roles<<<1, 64>>>(in, out, 8);
    FINISH();
}

// Two groups of two warps use one barrier, each for itself.
__global__ void two_groups(const int *in, int *out, int rounds)
{
    __shared__ int tile[128];
    int t = threadIdx.x, barrier = right ? 1 + t / 64 : 1, value = in[t];

    for (int k = 0; k < rounds; k++) {
        tile[t] = value; // HERE one_barrier_for_two
        asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
        value += tile[t ^ 32]; // HERE one_barrier_for_two
        asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
    }
    out[t] = value;
}

// expect: shared-race
static void one_barrier_for_two(void)
{
    device<int> in(128), out(128);

    two_groups<<<1, 128>>>(in, out, 4);
    FINISH();
}

// A stage of a pipeline is released before it is read.
__global__ void staged_sums(const int *in, int *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int stage[2][128];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k <= tiles; k++) {
        if (k < tiles) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[k & 1][t], &in[k * 128 + t], sizeof(int), pipe); // HERE released_before_read
            pipe.producer_commit();
        }
        if (k > 0) {
            pipe.consumer_wait();
            if (!right)
                pipe.consumer_release();
            sum += stage[(k - 1) & 1][127 - t]; // HERE released_before_read
            if (right)
                pipe.consumer_release();
        }
    }
    out[t] = sum;
}

// expect: shared-race
static void released_before_read(void)
{
    device<int> in(8 * 128), out(128);

    staged_sums<<<1, 128>>>(in, out, 8);
    FINISH();
}

// A block sends to another one whose barrier may not be there yet.
__global__ void __cluster_dims__(2) send_tile(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();

    if (t == 0 && rank == 1) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
    }
    if (rank == 0)
        tile[t] = in[t];
    ptx::fence_proxy_async(ptx::space_shared);
    if (right)
        cluster.sync();
    else
        __syncthreads();
    if (rank == 0 && t == 0) {
        int *there = cluster.map_shared_rank(tile, 1);
        uint64_t *arrived = cluster.map_shared_rank(&full, 1);
        uint32_t bytes = sizeof(tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, there, tile, bytes, arrived); // HERE sent_before_init
    }
    if (rank == 1) {
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) // HERE sent_before_init
            ;
        out[t] = tile[t];
    }
    cluster.sync();
}

// expect: shared-race|uninitialised|deadlock|illegal-address
static void sent_before_init(void)
{
    device<int> in(64), out(64);

    send_tile<<<2, 64>>>(in, out);
    FINISH();
}

// A tile of a tensor goes to an address that is no multiple of 128.
__global__ void fetch_tile(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int space[128 + 4];
    __shared__ uint64_t full;
    int *tile = space + (right ? 0 : 4);

    if (threadIdx.x == 0) {
        int corner[2] = {0, 0};
        ptx::mbarrier_init(&full, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 512);
        auto from = ptx::space_global;
        ptx::cp_async_bulk_tensor(ptx::space_cluster, from, tile, &map, corner, &full); // HERE tile_unaligned
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[threadIdx.x] = tile[threadIdx.x];
}

// expect: misaligned
static void tile_unaligned(void)
{
    device<int> image(64 * 16), out(128);
    CUtensorMap map;
    cuuint64_t sizes[] = {64, 16}, pitches[] = {256};
    cuuint32_t box[] = {32, 4}, steps[] = {1, 1};
    void *found = nullptr;
    cudaDriverEntryPointQueryResult how;

    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how));
    auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
    EXPECT(!encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, image.at, sizes, pitches, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    fetch_tile<<<1, 128>>>(map, out);
    FINISH();
}

/* How a matrix of blocks of 8 rows by 16 bytes lies in shared memory: `across` bytes to the next one along k. */
static __device__ uint64_t matrix(const void *at, unsigned across, unsigned down)
{
    return (__cvta_generic_to_shared(at) & 0x3ffff) >> 4 | uint64_t(across >> 4) << 16 | uint64_t(down >> 4) << 32;
}

// The product of 64 by 16 and 16 by 8 halves.
static __device__ void multiply(float (&c)[4], const half *a, const half *b)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "l"(matrix(a, 128, 256)), "l"(matrix(b, 128, 256)) // HERE operands_not_fenced
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// The matrix unit reads what the threads wrote, without a fence between the two ways.
__global__ void product_64(const half *in, float *out)
{
    __shared__ alignas(128) half a[64 * 16], b[16 * 8];
    int t = threadIdx.x;
    float c[4] = {};

    for (int k = t; k < 64 * 16; k += 128)
        a[k] = in[k];
    b[t] = in[t];
    if (right)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(c, a, b); // HERE operands_not_fenced
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int k = 0; k < 4; k++)
        out[4 * t + k] = c[k];
}

// expect: shared-race
static void operands_not_fenced(void)
{
    device<half> in(64 * 16);
    device<float> out(64 * 8);

    product_64<<<1, 128>>>(in, out);
    FINISH();
}

// The operands of a product are overwritten while it runs.
__global__ void products(const half *in, float *out)
{
    __shared__ alignas(128) half a[64 * 16], b[16 * 8];
    int t = threadIdx.x;
    float c[4] = {};

    for (int k = t; k < 64 * 16; k += 128)
        a[k] = in[k];
    b[t] = in[t];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(c, a, b); // HERE operand_overwritten
    if (right)
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    b[t] = in[128 + t]; // HERE operand_overwritten
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int k = 0; k < 4; k++)
        out[4 * t + k] = c[k] + __half2float(b[t]);
}

// expect: shared-race
static void operand_overwritten(void)
{
    device<half> in(64 * 16);
    device<float> out(64 * 8);

    products<<<1, 128>>>(in, out);
    FINISH();
}

// Copies report to a barrier in the way that also raises its count.
__global__ void copies_report(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ uint64_t full;
    int t = threadIdx.x;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&full));

    if (t == 0)
        ptx::mbarrier_init(&full, 64);
    __syncthreads();
    __pipeline_memcpy_async(&tile[t], &in[t], 4);
    if (right)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
    else
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) // HERE count_raised
        ;
    out[t] = tile[63 - t];
}

// expect: deadlock
static void count_raised(void)
{
    device<int> in(64), out(64);

    copies_report<<<1, 64>>>(in, out);
    FINISH();
}

static const suite_case cases[] = {
    {"remote_bins_not_zeroed", remote_bins_not_zeroed},
    {"first_release_awaited", first_release_awaited},
    {"reduced_without_fence", reduced_without_fence},
    {"arrives_only", arrives_only},
    {"one_barrier_for_two", one_barrier_for_two},
    {"released_before_read", released_before_read},
    {"sent_before_init", sent_before_init},
    {"tile_unaligned", tile_unaligned},
    {"operands_not_fenced", operands_not_fenced},
    {"operand_overwritten", operand_overwritten},
    {"count_raised", count_raised},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
