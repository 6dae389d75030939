/*
 * lab.cu - defects in kernels, as the authors of larger programs make them. Each case is wrong; with -DRIGHT it is
 * right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>

#include "suite.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// The warp's leader reads what the lanes counted, before they counted it.
__global__ void warp_bins(const int *in, int *out)
{
    __shared__ int bins[4][8];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (lane < 8)
        bins[w][lane] = 0;
    if (right)
        __syncwarp();
    atomicAdd(&bins[w][in[threadIdx.x] & 7], 1); // HERE bins_before_zero
    __syncwarp();
    if (lane < 8)
        atomicAdd(&out[lane], bins[w][lane]);
}

// expect: shared-race
static void bins_before_zero(void)
{
    device<int> in(128), out(8);

    warp_bins<<<1, 128>>>(in, out);
    FINISH();
}

// A buffer of two halves, of which the wrong one is refilled.
__global__ void double_buffer(const float *in, float *out, int tiles)
{
    __shared__ float half[2][64];
    int t = threadIdx.x;
    float sum = 0;

    half[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        int now = k & 1;
        if (k + 1 < tiles)
            half[right ? now ^ 1 : now][t] = in[(k + 1) * 64 + t]; // HERE wrong_half
        sum += half[now][63 - t]; // HERE wrong_half
        __syncthreads();
    }
    out[t] = sum;
}

// expect: shared-race
static void wrong_half(void)
{
    float h[512];

    for (int k = 0; k < 512; k++)
        h[k] = k;
    device<float> in(512, h), out(64);
    double_buffer<<<1, 64>>>(in, out, 8);
    FINISH();
}

// The condition of a loop with barriers is read from shared memory that a fast thread has already changed.
__global__ void frontier(int *levels)
{
    __shared__ int again;
    int t = threadIdx.x, level = 0;

    if (t == 0)
        again = 1;
    __syncthreads();
    while (again) { // HERE flag_of_loop
        if (right)
            __syncthreads();
        if (t == 0)
            again = 0; // HERE flag_of_loop
        __syncthreads();
        if (t > level * 32 && level < 4)
            again = 1;
        level++;
        __syncthreads();
    }
    levels[t] = level;
}

// expect: shared-race|divergent-barrier
static void flag_of_loop(void)
{
    device<int> levels(128);

    frontier<<<1, 128>>>(levels);
    FINISH();
}

// A ballot within a branch that not all named lanes take.
__global__ void compact(const int *in, int *out, int *count)
{
    int lane = threadIdx.x, value = in[lane];
    unsigned all = right ? __activemask() : 0xffffffffu;

    if (value > 10) {
        unsigned named = right ? __activemask() : all;
        unsigned mine = __ballot_sync(named, value & 1); // HERE ballot_in_branch
        if (value & 1)
            out[__popc(mine & ((1u << lane) - 1))] = value;
        if (lane == __ffs(named) - 1)
            *count = __popc(mine);
    }
}

// expect: member-mask|deadlock
static void ballot_in_branch(void)
{
    int h[32];

    for (int k = 0; k < 32; k++)
        h[k] = k % 4 == 3 ? 1 : 100 + k;
    device<int> in(32, h), out(32), count(1);
    compact<<<1, 32>>>(in, out, count);
    FINISH();
}

// The tail of a row is loaded as a vector, and the row's length is no multiple of four.
__global__ void row_norms(const float *rows, float *norms, int width)
{
    const float *row = rows + blockIdx.x * width;
    float sum = 0;

    if (right) {
        for (int k = threadIdx.x; k < width; k += 32)
            sum += row[k] * row[k];
    } else {
        for (int k = threadIdx.x; k < width / 4; k += 32) {
            float4 v = reinterpret_cast<const float4 *>(row)[k]; // HERE rows_of_odd_width
            sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0)
        norms[blockIdx.x] = sum;
}

// expect: misaligned
static void rows_of_odd_width(void)
{
    device<float> rows(4 * 30), norms(4);

    row_norms<<<4, 32>>>(rows, norms, 30);
    FINISH();
}

// An index in 32 bits overflows and points before the array.
__global__ void big_index(char *data, int row, int pitch)
{
    long long at = right ? (long long)row * pitch % 4096 : row * pitch % 4096;

    data[at] = 1; // HERE index_overflow
}

// expect: out-of-bounds|illegal-address
static void index_overflow(void)
{
    device<char> data(4096);

    big_index<<<1, 1>>>(data, 70001, 40000);
    FINISH();
}

// A list in a kernel's heap: the node is read after it was freed.
struct node {
    int value;
    node *next;
};

__global__ void list_sum(int *out)
{
    node *head = nullptr;
    int sum = 0;

    for (int k = 0; k < 5; k++) {
        node *n = new node;
        n->value = k;
        n->next = head;
        head = n;
    }
    while (head) {
        node *old = head;
        sum += old->value;
        if (right)
            head = old->next;
        delete old;
        if (!right)
            head = old->next; // HERE list_freed
    }
    *out = sum;
}

// expect: use-after-free
static void list_freed(void)
{
    device<int> out(1);

    list_sum<<<1, 1>>>(out);
    FINISH();
}

// A pointer to a local variable is left in global memory for another thread.
__device__ int *mailbox;

__global__ void post(int *out)
{
    int mine = threadIdx.x + 5;
    __shared__ int kept;

    if (threadIdx.x == 0) {
        kept = mine;
        mailbox = right ? &kept : &mine;
    }
    __syncthreads();
    if (threadIdx.x == 1)
        *out = *mailbox; // HERE address_of_local
}

// expect: illegal-address|uninitialised|out-of-bounds|undefined-register|use-after-free
static void address_of_local(void)
{
    device<int> out(1);

    post<<<1, 32>>>(out);
    FINISH();
}

// Of a tile of shared memory the border was never loaded.
__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;

    tile[t + 1] = in[i];
    if (t == 0 && i > 0)
        tile[0] = in[i - 1];
    if (t == 63 && i + 1 < n)
        tile[65] = in[i + 1];
    if (right && t == 0 && i == 0)
        tile[0] = 0;
    if (right && t == 63 && i + 1 == n)
        tile[65] = 0;
    __syncthreads();
    out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3; // HERE border_not_loaded
}

// expect: uninitialised
static void border_not_loaded(void)
{
    device<float> in(256), out(256);

    blur<<<4, 64>>>(in, out, 256);
    FINISH();
}

// A running mean that starts with no value.
__global__ void smooth(const float *in, float *out, int n)
{
    float mean;

    if (right)
        mean = in[threadIdx.x * n];
    for (int k = 0; k < n; k++) {
        mean = mean * 0.75f + in[threadIdx.x * n + k] * 0.25f;
        out[threadIdx.x * n + k] = mean; // HERE no_first_value
    }
}

// expect: undefined-register
static void no_first_value(void)
{
    device<float> in(32 * 4), out(32 * 4);

    smooth<<<1, 32>>>(in, out, 4);
    FINISH();
}

// The block's barrier object counts one thread more than arrive.
__global__ void barrier_of_producers(int *out)
{
    using block_barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ block_barrier full;
    __shared__ int data[64];

    if (threadIdx.x == 0)
        init(&full, right ? 64 : 96);
    __syncthreads();
    if (threadIdx.x < 64) {
        data[threadIdx.x] = threadIdx.x;
        full.arrive_and_wait(); // HERE expects_more_arrivals
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}

// expect: deadlock
static void expects_more_arrivals(void)
{
    device<int> out(64);

    barrier_of_producers<<<1, 96>>>(out);
    FINISH();
}

// Two tiles by bulk copies; the second wait uses the first phase's parity and does not wait.
__global__ void two_phases(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;
    int t = threadIdx.x;

    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
            const int *at = in + k * 64;
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, at, 256, &full); // HERE parity_not_flipped
        }
        while (!ptx::mbarrier_try_wait_parity(&full, right ? k : 0))
            ;
        out[k * 64 + t] = tile[t]; // HERE parity_not_flipped
        __syncthreads();
    }
}

// expect: shared-race
static void parity_not_flipped(void)
{
    device<int> in(128), out(128);

    two_phases<<<1, 64>>>(in, out);
    FINISH();
}

// The bytes that a barrier expects are more than the copy brings.
__global__ void wrong_bytes(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                       right ? sizeof(tile) : 2 * sizeof(tile));
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) // HERE too_many_bytes
        ;
    out[threadIdx.x] = tile[threadIdx.x];
}

// expect: deadlock
static void too_many_bytes(void)
{
    device<int> in(64), out(64);

    wrong_bytes<<<1, 64>>>(in, out);
    FINISH();
}

// A bulk copy from global memory at an address that is no multiple of 16.
__global__ void bulk_at(const int *in, int *out, int from)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + from, 256, &full); // HERE bulk_odd
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[threadIdx.x] = tile[threadIdx.x];
}

// expect: misaligned
static void bulk_odd(void)
{
    device<int> in(128), out(64);

    bulk_at<<<1, 64>>>(in, out, right ? 8 : 6);
    FINISH();
}

// A block of a cluster ends while another still reads its shared memory.
__global__ void __cluster_dims__(2) neighbour(int *out)
{
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    int *other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);

    mine[threadIdx.x] = blockIdx.x * 32 + threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x]; // HERE block_gone
    if (right)
        cluster.sync();
}

// expect: use-after-free|shared-race
static void block_gone(void)
{
    device<int> out(64);

    neighbour<<<2, 32>>>(out);
    FINISH();
}

// Threads read each other's part of an asynchronous copy after their own wait alone.
__global__ void own_wait(const int *in, int *out)
{
    __shared__ int tile[128];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&tile[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (right)
        __syncthreads();
    out[t] = tile[127 - t]; // HERE own_copies_only
}

// expect: shared-race
static void own_copies_only(void)
{
    device<int> in(128), out(128);

    own_wait<<<1, 128>>>(in, out);
    FINISH();
}

// A pipeline of two stages, of which the younger one is still under way.
__global__ void one_stage_left(const int4 *in, int4 *out)
{
    __shared__ int4 stage[2][32];
    int t = threadIdx.x;

    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&stage[k][t], &in[k * 32 + t], 16);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    out[t] = stage[0][t];
    if (right)
        __pipeline_wait_prior(0);
    out[32 + t] = stage[1][t]; // HERE stage_too_early
    __pipeline_wait_prior(0);
}

// expect: shared-race|uninitialised
static void stage_too_early(void)
{
    device<int4> in(64), out(64);

    one_stage_left<<<1, 32>>>(in, out);
    FINISH();
}

// A lock whose holder leaves it without a fence.
__device__ int lock_word;

__global__ void locked_add(int *account, int amount)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1))
            ;
        __threadfence();
        account[0] += amount; // HERE unlock_unfenced
        if (right)
            __threadfence();
        atomicExch(&lock_word, 0);
    }
}

// expect: global-race
static void unlock_unfenced(void)
{
    device<int> account(1);

    locked_add<<<8, 32>>>(account, 3);
    FINISH();
}

// A step of a wave over the whole grid without a barrier of the grid.
__global__ void wave(float *now, float *next, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();

    for (int s = 0; s < steps; s++) {
        if (i > 0 && i < n - 1)
            next[i] = (now[i - 1] + now[i + 1]) / 2; // HERE wave_without_grid_sync
        if (right)
            grid.sync();
        else
            __syncthreads();
        float *swap = now;
        now = next;
        next = swap;
    }
}

// expect: global-race
static void wave_without_grid_sync(void)
{
    device<float> a(256), b(256);
    float *now = a, *next = b;
    int n = 256, steps = 4;
    void *arguments[] = {&now, &next, &n, &steps};

    CHECK(cudaLaunchCooperativeKernel((void *)wave, dim3(4), dim3(64), arguments, 0, nullptr));
    FINISH();
}

// The dependent kernel of a programmatic launch reads before it waits.
__global__ void first_half(int *data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x; // HERE dependent_too_early
}

__global__ void second_half(const int *data, int *out)
{
    if (right)
        cudaGridDependencySynchronize();
    out[threadIdx.x] = data[threadIdx.x] + 1; // HERE dependent_too_early
}

// expect: global-race|stream-race
static void dependent_too_early(void)
{
    device<int> data(64), out(64);
    stream s;
    cudaLaunchConfig_t how = {};
    cudaLaunchAttribute attribute = {};

    first_half<<<1, 64, 0, s>>>(data);
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = dim3(1);
    how.blockDim = dim3(64);
    how.stream = s;
    how.attrs = &attribute;
    how.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&how, second_half, (const int *)data.at, out.at));
    FINISH();
}

// Dynamic shared memory for two arrays, of which the second begins beyond what the launch gave.
__global__ void two_arrays(double *out, int n)
{
    extern __shared__ double first[];
    int *second = reinterpret_cast<int *>(first + n);

    first[threadIdx.x] = threadIdx.x;
    second[threadIdx.x] = 2 * threadIdx.x; // HERE second_array_forgotten
    __syncthreads();
    out[threadIdx.x] = first[n - 1 - threadIdx.x] + second[n - 1 - threadIdx.x];
}

// expect: out-of-bounds
static void second_array_forgotten(void)
{
    device<double> out(64);

    two_arrays<<<1, 64, right ? 64 * 12 : 64 * 8>>>(out, 64);
    FINISH();
}

// A reduction by shuffles in a block of 48 threads names lanes that do not exist.
__global__ void sum_48(const int *in, int *out)
{
    int v = in[threadIdx.x];
    unsigned lanes = right && threadIdx.x >= 32 ? 0xffffu : 0xffffffffu;

    for (int d = right && threadIdx.x >= 32 ? 8 : 16; d; d /= 2)
        v += __shfl_down_sync(lanes, v, d); // HERE half_a_warp
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}

// expect: member-mask|inactive-lane
static void half_a_warp(void)
{
    device<int> in(48), out(1);

    sum_48<<<1, 48>>>(in, out);
    FINISH();
}

// A work queue: the counter is read plainly, and then increased.
__global__ void drain(int *head, int *jobs, int n)
{
    for (;;) {
        int k = right ? atomicAdd(head, 1) : *head; // HERE queue_not_atomic
        if (k >= n)
            break;
        if (!right)
            *head = k + 1; // HERE queue_not_atomic
        atomicAdd(&jobs[k], 1);
    }
}

// expect: global-race
static void queue_not_atomic(void)
{
    device<int> head(1), jobs(64);

    drain<<<4, 32>>>(head, jobs, 64);
    FINISH();
}

static const suite_case cases[] = {
    {"bins_before_zero", bins_before_zero},
    {"wrong_half", wrong_half},
    {"flag_of_loop", flag_of_loop},
    {"ballot_in_branch", ballot_in_branch},
    {"rows_of_odd_width", rows_of_odd_width},
    {"index_overflow", index_overflow},
    {"list_freed", list_freed},
    {"address_of_local", address_of_local},
    {"border_not_loaded", border_not_loaded},
    {"no_first_value", no_first_value},
    {"expects_more_arrivals", expects_more_arrivals},
    {"parity_not_flipped", parity_not_flipped},
    {"too_many_bytes", too_many_bytes},
    {"bulk_odd", bulk_odd},
    {"block_gone", block_gone},
    {"own_copies_only", own_copies_only},
    {"stage_too_early", stage_too_early},
    {"unlock_unfenced", unlock_unfenced},
    {"wave_without_grid_sync", wave_without_grid_sync},
    {"dependent_too_early", dependent_too_early},
    {"second_array_forgotten", second_array_forgotten},
    {"half_a_warp", half_a_warp},
    {"queue_not_atomic", queue_not_atomic},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
