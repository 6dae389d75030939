/*
 * clinic_hopper.cu - defects in pipelines, clusters and bulk copies of compute capability 9.0, drawn by lot. Each case
 * is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "suite.h"

#pragma nv_diag_suppress static_var_with_dynamic_init // the state of a pipeline is made by make_pipeline()

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// Waits for the end of a phase.
__device__ void wait_for(uint64_t *bar, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) { // HERE parity_kept
    }
}

// Makes a barrier for one arrival, seen by all threads and by bulk copies.
__device__ void make_barrier(uint64_t *bar)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, 1);
        ptx::fence_proxy_async();
    }
    __syncthreads();
}

// Arrives at a barrier, which shall await so many bytes.
__device__ void announce(uint64_t *bar, unsigned bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
}

// Loads a tile of 64 values.
__device__ void load(int *tile, const int *from, uint64_t *bar)
{
    int bytes = 64 * sizeof(int);

    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, bytes, bar); // HERE sent_by_all_lanes
}

// Stores a tile of 64 values.
__device__ void store(int *to, const int *tile)
{
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, tile, 64 * sizeof(int));
    ptx::cp_async_bulk_commit_group();
}

// Each block reads of the next one. The last block of a cluster has no next one.
__global__ void __cluster_dims__(2) of_next_block(const int *in, int *out)
{
    __shared__ int tile[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    unsigned next = cluster.block_rank() + 1;

    tile[t] = in[blockIdx.x * 64 + t];
    cluster.sync();
    if (right)
        next %= cluster.num_blocks();
    out[blockIdx.x * 64 + t] = cluster.map_shared_rank(tile, next)[t]; // HERE no_next_rank
    cluster.sync();
}

// expect: out-of-bounds|illegal-address
static void no_next_rank(void)
{
    device<int> in(256), out(256);

    of_next_block<<<4, 64>>>(in, out);
    FINISH();
}

// All lanes of a warp announce and send, where one should.
__global__ void announced_by_warp(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x;

    make_barrier(&bar);
    if (t < (right ? 1 : 32)) {
        announce(&bar, sizeof(tile)); // HERE sent_by_all_lanes
        load(tile, in, &bar); // HERE sent_by_all_lanes
    }
    wait_for(&bar, 0); // HERE sent_by_all_lanes
    out[t] = tile[63 - t];
}

// expect: deadlock|invalid-call|shared-race|refused|trap
static void sent_by_all_lanes(void)
{
    device<int> in(64), out(64);

    announced_by_warp<<<1, 64>>>(in, out);
    FINISH();
}

// The copies of a group are not awaited. A barrier of the block does not wait for them.
__global__ void copied_by_group(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();

    cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof(tile)); // HERE barrier_for_wait
    if (right)
        cg::wait(block);
    else
        block.sync();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x]; // HERE barrier_for_wait
}

// expect: shared-race|uninitialised
static void barrier_for_wait(void)
{
    device<int> in(512), out(512);

    copied_by_group<<<2, 256>>>(in, out);
    FINISH();
}

// A pipeline of the block, whose consumers do not wait.
__global__ void piped(const int *in, int *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int tile[2][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;

    for (int k = 0, sent = 0; k < tiles; k++) {
        for (; sent < tiles && sent < k + 2; sent++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[sent % 2], in + sent * 64, sizeof(tile[0]), pipe); // HERE stage_not_awaited
            pipe.producer_commit();
        }
        if (right)
            pipe.consumer_wait();
        sum += tile[k % 2][63 - t]; // HERE stage_not_awaited
        pipe.consumer_release();
    }
    out[t] = sum;
}

// expect: shared-race|uninitialised
static void stage_not_awaited(void)
{
    device<int> in(256), out(64);

    piped<<<1, 64>>>(in, out, 4);
    FINISH();
}

// The description of a tensor is on the stack of the host. The kernel has its address.
__device__ void load_box(const CUtensorMap *map, int *out)
{
    __shared__ alignas(128) int box[8][8];
    __shared__ uint64_t bar;
    int t = threadIdx.x;

    make_barrier(&bar);
    if (t == 0) {
        int32_t at[2] = {8, 8};

        announce(&bar, sizeof(box));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, map, at, &bar); // HERE map_on_host
    }
    wait_for(&bar, 0);
    out[t] = box[t / 8][t % 8];
}

__global__ void box_of(const __grid_constant__ CUtensorMap map, int *out)
{
    load_box(&map, out);
}

__global__ void box_at(const CUtensorMap *map, int *out)
{
    load_box(map, out);
}

// expect: host-access|illegal-address|out-of-bounds
static void map_on_host(void)
{
    device<int> in(1024), out(64);
    CUtensorMap map;
    void *encode;
    cudaDriverEntryPointQueryResult found;
    cuuint64_t sizes[2] = {32, 32}, pitch[1] = {128};
    cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};

    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
    EXPECT(reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
               &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in.at, sizes, pitch, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    if (right)
        box_of<<<1, 64>>>(map, out);
    else
        box_at<<<1, 64>>>(&map, out);
    FINISH();
}

// A kernel may start before the one before it has ended. It reads before it waits.
__global__ void makes(int *data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // HERE read_before_dependency
}

__global__ void uses(const int *data, int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;

    if (right)
        cudaGridDependencySynchronize();
    int v = data[255 - i]; // HERE read_before_dependency
    if (!right)
        cudaGridDependencySynchronize();
    out[i] = v;
}

// expect: global-race|stream-race
static void read_before_dependency(void)
{
    device<int> data(256), out(256);
    stream s;
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 4;
    config.blockDim = 64;
    config.stream = s;
    config.attrs = &early;
    config.numAttrs = 1;
    makes<<<4, 64, 0, s>>>(data);
    CHECK(cudaLaunchKernelEx(&config, uses, (const int *)data, (int *)out));
    FINISH();
}

// Two stages for six tiles. The parity is not changed when the stages come round.
__global__ void staged(const int *in, int *out, int tiles)
{
    __shared__ alignas(128) int tile[2][64];
    __shared__ uint64_t full[2];
    int t = threadIdx.x, sum = 0;

    make_barrier(&full[0]);
    make_barrier(&full[1]);
    for (int k = 0, sent = 0; k < tiles; k++) {
        if (t == 0) {
            for (; sent < tiles && sent < k + 2; sent++) {
                announce(&full[sent % 2], sizeof(tile[0]));
                load(tile[sent % 2], in + sent * 64, &full[sent % 2]); // HERE parity_kept
            }
        }
        wait_for(&full[k % 2], right ? k / 2 % 2 : 0);
        sum += tile[k % 2][63 - t]; // HERE parity_kept
        __syncthreads();
    }
    out[t] = sum;
}

// expect: shared-race|uninitialised|deadlock
static void parity_kept(void)
{
    device<int> in(384), out(64);

    staged<<<1, 64>>>(in, out, 6);
    FINISH();
}

// Two copies report to a barrier that awaits the bytes of one.
__global__ void two_operands(const int *a, const int *b, int *out)
{
    __shared__ alignas(128) int left[64], upper[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x;

    make_barrier(&bar);
    if (t == 0) {
        announce(&bar, right ? sizeof(left) + sizeof(upper) : sizeof(left)); // HERE bytes_of_one
        load(left, a, &bar);  // HERE bytes_of_one
        load(upper, b, &bar); // HERE bytes_of_one
    }
    wait_for(&bar, 0);
    out[t] = left[t] * upper[63 - t]; // HERE bytes_of_one
}

// expect: shared-race|uninitialised|invalid-call|deadlock
static void bytes_of_one(void)
{
    device<int> a(64), b(64), out(64);

    two_operands<<<1, 64>>>(a, b, out);
    FINISH();
}

// The wait is for the reads of a bulk store only. What it wrote is read at once.
__global__ void stored_and_read(int *data, int *out)
{
    __shared__ alignas(128) int tile[64];
    int t = threadIdx.x;

    tile[t] = t;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        store(data, tile); // HERE read_wait_only
        if (right)
            ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
        else
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
    out[t] = __ldcg(&data[63 - t]); // HERE read_wait_only
}

// expect: global-race
static void read_wait_only(void)
{
    device<int> data(64), out(64);

    stored_and_read<<<1, 64>>>(data, out);
    FINISH();
}

// The stages of a pipeline are not given back.
__global__ void kept_stages(const int *in, int *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int tile[2][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < tiles; k++) {
        pipe.producer_acquire(); // HERE stage_not_released
        cuda::memcpy_async(block, tile[k % 2], in + k * 64, sizeof(tile[0]), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += tile[k % 2][63 - t];
        if (right)
            pipe.consumer_release();
    }
    out[t] = sum;
}

// expect: deadlock
static void stage_not_released(void)
{
    device<int> in(384), out(64);

    kept_stages<<<1, 64>>>(in, out, 6);
    FINISH();
}

// The source of a bulk store is filled again while the store may still read it.
__global__ void store_rounds(int *out, int rounds)
{
    __shared__ alignas(128) int tile[64];
    int t = threadIdx.x;

    for (int k = 0; k < rounds; k++) {
        tile[t] = k * t; // HERE source_filled_again
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            store(out + k * 64, tile); // HERE source_filled_again
            if (right)
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
    if (t == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// expect: shared-race
static void source_filled_again(void)
{
    device<int> out(256);

    store_rounds<<<1, 64>>>(out, 4);
    FINISH();
}

static const suite_case cases[] = {
    {"no_next_rank", no_next_rank},
    {"sent_by_all_lanes", sent_by_all_lanes},
    {"barrier_for_wait", barrier_for_wait},
    {"stage_not_awaited", stage_not_awaited},
    {"map_on_host", map_on_host},
    {"read_before_dependency", read_before_dependency},
    {"parity_kept", parity_kept},
    {"bytes_of_one", bytes_of_one},
    {"read_wait_only", read_wait_only},
    {"stage_not_released", stage_not_released},
    {"source_filled_again", source_filled_again},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
