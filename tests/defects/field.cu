/*
 * field.cu - defects in kernels, as they come back from the field. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <mma.h>

#include "suite.h"

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

// Two sums of a block use one storage, and nothing separates them.
using block_sum = cub::BlockReduce<int, 128>;

__global__ void two_sums(const int *in, int *out)
{
    __shared__ block_sum::TempStorage storage;
    int v = in[threadIdx.x];
    int sum = block_sum(storage).Sum(v); // HERE storage_reused

    if (right)
        __syncthreads();
    int squares = block_sum(storage).Sum(v * v); // HERE storage_reused
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = squares;
    }
}

// expect: shared-race
static void storage_reused(void)
{
    device<int> in(128), out(2);

    two_sums<<<1, 128>>>(in, out);
    FINISH();
}

// A window of five values, whose oldest place is taken from six.
__global__ void moving_median(const int *in, int *out, int n)
{
    int window[5], sorted[5];

    for (int k = 0; k < 5; k++)
        window[k] = in[k];
    for (int k = 5; k < n; k++) {
        window[k % (right ? 5 : 6)] = in[k]; // HERE window_of_five
        for (int a = 0; a < 5; a++) {
            int place = 0;
            for (int b = 0; b < 5; b++)
                place += window[b] < window[a] || (window[b] == window[a] && b < a);
            sorted[place] = window[a];
        }
        out[k] = sorted[out[k] + 2];
    }
}

// expect: out-of-bounds
static void window_of_five(void)
{
    device<int> in(32), out(32);

    moving_median<<<1, 1>>>(in, out, 32);
    FINISH();
}

// The rows of a tile are padded by four halves, so that they do not begin at multiples of 16 bytes.
__global__ void load_matrix(const half *in, unsigned *out)
{
    constexpr int pitch = right ? 16 : 12;
    __shared__ alignas(16) half tile[8 * 16];
    int lane = threadIdx.x;
    unsigned got;

    for (int k = lane; k < 64; k += 32)
        tile[k / 8 * pitch + k % 8] = in[k];
    __syncwarp();
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane % 8 * pitch]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(got) : "r"(at)); // HERE rows_of_24_bytes
    out[lane] = got;
}

// expect: misaligned
static void rows_of_24_bytes(void)
{
    device<half> in(64);
    device<unsigned> out(32);

    load_matrix<<<1, 32>>>(in, out);
    FINISH();
}

// The sum of a product of matrices starts with no value.
__global__ void product(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> top;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;

    if (right)
        wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < 2; k++) {
        wmma::load_matrix_sync(left, a + 16 * k, 32);
        wmma::load_matrix_sync(top, b + 16 * k * 16, 16);
        wmma::mma_sync(sum, left, top, sum); // HERE fragment_not_filled
    }
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major); // HERE fragment_not_filled
}

// expect: undefined-register
static void fragment_not_filled(void)
{
    device<half> a(16 * 32), b(32 * 16);
    device<float> c(256);

    product<<<1, 32>>>(a, b, c);
    FINISH();
}

// Threads beyond the end return before the block counts.
__global__ void count_positive(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (!right && i >= n)
        return;
    int count = __syncthreads_count(i < n && in[i] >= 0); // HERE count_after_return
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

// expect: divergent-barrier
static void count_after_return(void)
{
    device<int> in(100), out(2);

    count_positive<<<2, 64>>>(in, out, 100);
    FINISH();
}

// A sum over a tile of 32 threads, of which 20 take the branch.
__global__ void sum_of_some(const int *in, int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[threadIdx.x], sum = 0;

    if (v > 11) {
        if (right)
            sum = cg::reduce(cg::coalesced_threads(), v, cg::plus<int>());
        else
            sum = cg::reduce(tile, v, cg::plus<int>()); // HERE tile_in_branch
    }
    out[threadIdx.x] = sum;
}

// expect: member-mask|deadlock|inactive-lane|divergent-barrier
static void tile_in_branch(void)
{
    int h[32];

    for (int k = 0; k < 32; k++)
        h[k] = k;
    device<int> in(32, h), out(32);
    sum_of_some<<<1, 32>>>(in, out);
    FINISH();
}

// A search ends when enough was found. The count is read while others add to it.
__global__ void find_some(const int *in, int *out, int n)
{
    __shared__ int found;

    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        int so_far = right ? atomicAdd(&found, 0) : found; // HERE count_read_plainly
        if (so_far >= 8)
            break;
        if (in[k] % 3 == 0)
            out[atomicAdd(&found, 1)] = k; // HERE count_read_plainly
    }
}

// expect: shared-race
static void count_read_plainly(void)
{
    device<int> in(512), out(512);

    find_some<<<1, 128>>>(in, out, 512);
    FINISH();
}

// A function returns the address of its own variable.
__device__ __noinline__ const int *ordered(int a, int b, int *place)
{
    int own[2];
    int *pair = right ? place : own;

    pair[a > b] = a;
    pair[a <= b] = b;
    return pair;
}

__device__ __noinline__ int digits(int v)
{
    int digit[10], count = 0;

    do
        digit[count++] = v % 10;
    while (v /= 10);
    return digit[count / 2];
}

__global__ void order(const int *in, int *out)
{
    int place[2];
    int t = threadIdx.x;
    const int *pair = ordered(in[2 * t], in[2 * t + 1], place);

    out[2 * t] = digits(t) + pair[t & 1]; // HERE returns_own
}

// expect: out-of-bounds|use-after-free|uninitialised|illegal-address
static void returns_own(void)
{
    device<int> in(64), out(64);

    order<<<1, 32>>>(in, out);
    FINISH();
}

// The lanes get the address of lane 0's array.
__global__ void shared_by_shuffle(const int *in, int *out)
{
    __shared__ int common[8];
    int own[8];
    int lane = threadIdx.x;
    int *mine = right ? common : own;

    if (lane == 0)
        for (int k = 0; k < 8; k++)
            mine[in[k] & 7] = k;
    unsigned long long at = reinterpret_cast<unsigned long long>(mine);
    at = __shfl_sync(~0u, at, 0);
    __syncwarp();
    out[lane] = reinterpret_cast<const int *>(at)[lane & 7]; // HERE address_by_shuffle
}

// expect: out-of-bounds|uninitialised|illegal-address|use-after-free
static void address_by_shuffle(void)
{
    int h[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    device<int> in(8, h), out(32);

    shared_by_shuffle<<<1, 32>>>(in, out);
    FINISH();
}

// A kernel changes its constants through a pointer. nvcc makes a trap of the store.
__constant__ int limits[4];

__global__ void raise_limits(const int *in, int *out)
{
    __shared__ int copy[4];
    int *own = right ? copy : const_cast<int *>(limits);

    if (threadIdx.x < 4) // HERE constant_written
        own[threadIdx.x] = in[threadIdx.x]; // HERE constant_written
    __syncthreads();
    out[threadIdx.x] = own[threadIdx.x & 3];
}

// expect: write-to-read-only|trap
static void constant_written(void)
{
    device<int> in(4), out(32);

    raise_limits<<<1, 32>>>(in, out);
    FINISH();
}

// Two arrays of dynamic shared memory begin at one address.
__global__ void two_names(float *out)
{
    extern __shared__ int counts[];
    extern __shared__ float weights[];
    float *second = right ? reinterpret_cast<float *>(counts + 64) : weights;
    int t = threadIdx.x;

    counts[t] = t; // HERE externs_alias
    second[63 - t] = 0.5f * t; // HERE externs_alias
    __syncthreads();
    out[t] = counts[63 - t] * second[t];
}

// expect: shared-race
static void externs_alias(void)
{
    device<float> out(64);

    two_names<<<1, 64, 64 * 8>>>(out);
    FINISH();
}

// Whoever comes first fills a table, and more than one does.
__device__ int table_ready;
__device__ int table[32];

__global__ void fill_table(void)
{
    table[threadIdx.x] = threadIdx.x * threadIdx.x;
    __threadfence();
    if (threadIdx.x == 0)
        table_ready = 1;
}

__global__ void use_table(int *out)
{
    int t = threadIdx.x;

    if (!table_ready) { // HERE filled_by_the_first
        table[t] = t * t; // HERE filled_by_the_first
        __syncthreads();
        table_ready = 1; // HERE filled_by_the_first
    }
    out[blockIdx.x * 32 + t] = table[31 - t]; // HERE filled_by_the_first
}

// expect: global-race
static void filled_by_the_first(void)
{
    device<int> out(256);

    if (right)
        fill_table<<<1, 32>>>();
    use_table<<<8, 32>>>(out);
    FINISH();
}

// The reader of a message looks at the flag without acquiring.
__device__ int message[32];
__device__ int sent;

__global__ void mail(int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(sent);
    int t = threadIdx.x;

    if (blockIdx.x == 0) {
        message[t] = t + 1;
        __syncthreads();
        if (t == 0)
            flag.store(1, cuda::std::memory_order_release);
    } else {
        while (!flag.load(right ? cuda::std::memory_order_acquire : cuda::std::memory_order_relaxed))
            ;
        out[t] = message[t]; // HERE flag_not_acquired
    }
}

// expect: global-race
static void flag_not_acquired(void)
{
    device<int> out(32);

    mail<<<2, 32>>>(out);
    FINISH();
}

// A barrier of the grid counts to the number of blocks, and is used three times.
__device__ unsigned blocks_here;

__device__ void all_blocks(unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&blocks_here, 1);
        while (atomicAdd(&blocks_here, 0) < goal)
            ;
        __threadfence();
    }
    __syncthreads();
}

__global__ void three_steps(int *a, int *b)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int step = 1; step <= 3; step++) {
        b[i] = a[(i + blockDim.x) % n] + 1; // HERE counter_not_reset
        all_blocks(right ? step * gridDim.x : gridDim.x);
        int *swap = a;
        a = b;
        b = swap;
    }
}

// expect: global-race
static void counter_not_reset(void)
{
    device<int> a(256), b(256);

    three_steps<<<4, 64>>>(a, b);
    FINISH();
}

// Who finds no key reads through a pointer that was never set.
__global__ void look_up(const int *keys, const float *values, float *out, int n)
{
    const float *at;

    if (right)
        at = values;
    for (int k = 0; k < n; k++)
        if (keys[k] == threadIdx.x)
            at = &values[k];
    out[threadIdx.x] = *at; // HERE pointer_not_set
}

// expect: undefined-register
static void pointer_not_set(void)
{
    int h[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    device<int> keys(8, h);
    device<float> values(8), out(32);

    look_up<<<1, 32>>>(keys, values, out, 8);
    FINISH();
}

// Blocks without work leave before the grid synchronises.
__global__ void two_parts(int *data, int *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();

    if (!right && i >= n)
        return;
    if (i < n)
        data[i] = i;
    grid.sync(); // HERE leaves_before_grid_sync
    if (i < n)
        out[i] = data[n - 1 - i];
}

// expect: deadlock|divergent-barrier
static void leaves_before_grid_sync(void)
{
    device<int> data(64), out(64);
    int *a = data, *b = out, n = 64;
    void *arguments[] = {&a, &b, &n};

    CHECK(cudaLaunchCooperativeKernel((void *)two_parts, dim3(4), dim3(32), arguments, 0, nullptr));
    FINISH();
}

static const suite_case cases[] = {
    {"storage_reused", storage_reused},
    {"window_of_five", window_of_five},
    {"rows_of_24_bytes", rows_of_24_bytes},
    {"fragment_not_filled", fragment_not_filled},
    {"count_after_return", count_after_return},
    {"tile_in_branch", tile_in_branch},
    {"count_read_plainly", count_read_plainly},
    {"returns_own", returns_own},
    {"address_by_shuffle", address_by_shuffle},
    {"constant_written", constant_written},
    {"externs_alias", externs_alias},
    {"filled_by_the_first", filled_by_the_first},
    {"flag_not_acquired", flag_not_acquired},
    {"counter_not_reset", counter_not_reset},
    {"pointer_not_set", pointer_not_set},
    {"leaves_before_grid_sync", leaves_before_grid_sync},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
