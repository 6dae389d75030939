/*
 * kernels.cu - defects in kernels. Each case is wrong; with -DRIGHT it is right.
 *
 * The line before a case names the kinds that may be reported. A line that ends with HERE and the name of a case is one
 * at which its report may be; without such a line any will do.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "suite.h"

namespace cg = cooperative_groups;

/* The sum of value over a block of up to 1024 threads. */
__device__ int block_sum(int value)
{
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    value = __reduce_add_sync(0xffffffffu, value);
    if (right)
        __syncthreads();
    if (lane == 0)
        sums[warp] = value; // HERE block_sum_twice
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < (int)blockDim.x / 32; k++)
        sum += sums[k]; // HERE block_sum_twice
    return sum;
}

__global__ void mean_and_variance(const int *in, int *out)
{
    int value = in[threadIdx.x];
    int mean = block_sum(value) / (int)blockDim.x;
    int variance = block_sum((value - mean) * (value - mean)) / (int)blockDim.x;

    if (threadIdx.x == 0) {
        out[0] = mean;
        out[1] = variance;
    }
}

// expect: shared-race
static void block_sum_twice(void)
{
    int *in = device_copy<int>(nullptr, 256), *out = device_copy<int>(nullptr, 2);

    mean_and_variance<<<1, 256>>>(in, out);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void sort_odd_even(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = data[t];
    s[t + 64] = data[t + 64];
    for (int step = 0; step < 128; step++) {
        if (right || step == 0)
            __syncthreads();
        int k = 2 * t + (step & 1);
        if (k + 1 < 128 && s[k] > s[k + 1]) { // HERE odd_even_sort
            int a = s[k]; // HERE odd_even_sort
            s[k] = s[k + 1]; // HERE odd_even_sort
            s[k + 1] = a; // HERE odd_even_sort
        }
    }
    __syncthreads();
    data[t] = s[t];
    data[t + 64] = s[t + 64];
}

// expect: shared-race
static void odd_even_sort(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = 127 - k;
    int *data = device_copy(h, 128);
    sort_odd_even<<<1, 64>>>(data);
    FINISH();
    CHECK(cudaFree(data));
}

__global__ void swap_over_diagonal(int *a, int n)
{
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;

    if (right ? row < column : row != column) {
        int upper = a[row * n + column], lower = a[column * n + row]; // HERE transpose_in_place
        a[row * n + column] = lower; // HERE transpose_in_place
        a[column * n + row] = upper; // HERE transpose_in_place
    }
}

// expect: global-race
static void transpose_in_place(void)
{
    int h[32 * 32];

    for (int k = 0; k < 32 * 32; k++)
        h[k] = k;
    int *a = device_copy(h, 32 * 32);
    swap_over_diagonal<<<dim3(4, 4), dim3(8, 8)>>>(a, 32);
    FINISH();
    CHECK(cudaFree(a));
}

__global__ void sum_of_all(const int *in, int *sum)
{
    if (!right && blockIdx.x == 0 && threadIdx.x == 0)
        *sum = 0; // HERE zeroed_by_one_block
    __syncthreads();
    atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]); // HERE zeroed_by_one_block
}

// expect: global-race
static void zeroed_by_one_block(void)
{
    int *in = device_copy<int>(nullptr, 512), *sum = device_copy<int>(nullptr, 1);

    sum_of_all<<<4, 128>>>(in, sum);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(sum));
}

__global__ void append_even(const int *in, int *out, int *count)
{
    __shared__ int base[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned takers = __ballot_sync(0xffffffffu, value % 2 == 0);

    if (lane == 0)
        base[warp] = atomicAdd(count, __popc(takers)); // HERE base_by_warp_leader
    if (right)
        __syncwarp();
    if (value % 2 == 0)
        out[base[warp] + __popc(takers & ((1u << lane) - 1))] = value; // HERE base_by_warp_leader
}

// expect: shared-race
static void base_by_warp_leader(void)
{
    int h[512];

    for (int k = 0; k < 512; k++)
        h[k] = k;
    int *in = device_copy(h, 512), *out = device_copy<int>(nullptr, 512), *count = device_copy<int>(nullptr, 1);
    append_even<<<2, 256>>>(in, out, count);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(count));
}

__global__ void relax(float *u, int steps)
{
    int i = threadIdx.x + 1;

    for (int step = 0; step < steps; step++) {
        float mean = (u[i - 1] + u[i + 1]) / 2; // HERE relaxation_in_one_warp
        if (right)
            __syncwarp();
        u[i] = mean; // HERE relaxation_in_one_warp
        if (right)
            __syncwarp();
    }
}

// expect: global-race
static void relaxation_in_one_warp(void)
{
    float h[34];

    for (int k = 0; k < 34; k++)
        h[k] = k * k;
    float *u = device_copy(h, 34);
    relax<<<1, 32>>>(u, 4);
    FINISH();
    CHECK(cudaFree(u));
}

__global__ void rows_through_shared(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int end = right ? (n + 63) / 64 * 64 : n;

    for (int i = threadIdx.x; i < end; i += 64) {
        s[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads(); // HERE barrier_in_stride_loop
        if (i < n)
            out[i] = s[threadIdx.x ^ 1];
        __syncthreads(); // HERE barrier_in_stride_loop
    }
    __syncthreads(); // HERE barrier_in_stride_loop
    if (threadIdx.x == 0)
        out[n] = n;
}

// expect: divergent-barrier
static void barrier_in_stride_loop(void)
{
    int *in = device_copy<int>(nullptr, 96), *out = device_copy<int>(nullptr, 97);

    rows_through_shared<<<1, 64>>>(in, out, 96);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void sums_of_warps(const int *in, int *out, int n)
{
    int end = right ? (n + 31) / 32 * 32 : n;

    for (int i = threadIdx.x; i < end; i += 32) {
        int value = i < n ? in[i] : 0;
        for (int d = 16; d > 0; d /= 2)
            value += __shfl_down_sync(0xffffffffu, value, d); // HERE shuffle_in_stride_loop
        if (threadIdx.x == 0)
            out[i / 32] = value;
    }
}

// expect: member-mask|divergent-barrier|inactive-lane
static void shuffle_in_stride_loop(void)
{
    int *in = device_copy<int>(nullptr, 80), *out = device_copy<int>(nullptr, 3);

    sums_of_warps<<<1, 32>>>(in, out, 80);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[right ? 66 : 64];
    __shared__ float weight[3];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;

    if (t < 3)
        weight[t] = 1.0f / 3;
    tile[t + 1] = in[i]; // HERE halo_of_tile
    if (t == 0)
        tile[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63)
        tile[65] = i + 1 < n ? in[i + 1] : 0; // HERE halo_of_tile
    __syncthreads();
    out[i] = weight[0] * tile[t] + weight[1] * tile[t + 1] + weight[2] * tile[t + 2]; // HERE halo_of_tile
}

// expect: out-of-bounds
static void halo_of_tile(void)
{
    float *in = device_copy<float>(nullptr, 256), *out = device_copy<float>(nullptr, 256);

    blur<<<4, 64>>>(in, out, 256);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void largest(const int *in, int *out, int n)
{
    int best[8];

    for (int k = 0; k < 8; k++)
        best[k] = -1;
    for (int i = 0; i < n; i++) {
        int at = 8, value = in[i * 32 + threadIdx.x];
        while (at > 0 && best[at - 1] < value)
            at--;
        for (int k = right ? 7 : 8; k > at; k--)
            best[k] = best[k - 1]; // HERE top_k
        if (at < 8)
            best[at] = value; // HERE top_k
    }
    for (int k = 0; k < 8; k++)
        out[k * 32 + threadIdx.x] = best[k];
}

// expect: out-of-bounds
static void top_k(void)
{
    int h[32 * 32];

    for (int k = 0; k < 32 * 32; k++)
        h[k] = k * 7919 % 1024;
    int *in = device_copy(h, 32 * 32), *out = device_copy<int>(nullptr, 8 * 32);
    largest<<<1, 32>>>(in, out, 32);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

struct Neuron {
    float weight[4];
    float bias;
};

__global__ void zero_weights(Neuron *neurons, int weights)
{
    for (int k = 0; right ? k < weights : k <= weights; k++)
        neurons[threadIdx.x].weight[k] = 0; // HERE member_of_structure
}

// expect: out-of-bounds
static void member_of_structure(void)
{
    Neuron *neurons = device_copy<Neuron>(nullptr, 32);

    zero_weights<<<1, 32>>>(neurons, 4);
    FINISH();
    CHECK(cudaFree(neurons));
}

__global__ void scale(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i] = 2 * i; // HERE bytes_allocated
}

// expect: out-of-bounds
static void bytes_allocated(void)
{
    int n = 1000, *data;

    CHECK(cudaMalloc(&data, right ? n * sizeof(int) : n));
    scale<<<4, 256>>>(data, n);
    FINISH();
    CHECK(cudaFree(data));
}

__global__ void double_all(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = 2 * in[i]; // HERE bytes_copied
}

// expect: uninitialised
static void bytes_copied(void)
{
    int h[1000] = {}, *in, *out = device_copy<int>(nullptr, 1000);

    CHECK(cudaMalloc(&in, sizeof h));
    CHECK(cudaMemcpy(in, h, right ? sizeof h : 1000, cudaMemcpyHostToDevice));
    double_all<<<4, 256>>>(in, out, 1000);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void first_of_rows(const float *in, float *out, int pitch)
{
    float4 v = *(const float4 *)(in + threadIdx.x * pitch); // HERE odd_rows_as_vectors

    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// expect: misaligned
static void odd_rows_as_vectors(void)
{
    float *in = device_copy<float>(nullptr, 32 * 36), *out = device_copy<float>(nullptr, 32);

    first_of_rows<<<1, 32>>>(in, out, right ? 36 : 33);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__device__ const float *table;

__global__ void look_up(float *out)
{
    out[threadIdx.x] = table[threadIdx.x]; // HERE host_assigns_symbol
}

// expect: illegal-address
static void host_assigns_symbol(void)
{
    float *values = device_copy<float>(nullptr, 32), *out = device_copy<float>(nullptr, 32);

    if (right)
        CHECK(cudaMemcpyToSymbol(table, &values, sizeof values));
    else
        table = values;
    look_up<<<1, 32>>>(out);
    FINISH();
    CHECK(cudaFree(values));
    CHECK(cudaFree(out));
}

__global__ void keys_and_values(const int *in, int *out)
{
    extern __shared__ int keys[];
    int *values = keys + blockDim.x, t = threadIdx.x;

    keys[t] = in[t] & 15; // HERE two_arrays_in_dynamic
    values[t] = in[t] >> 4; // HERE two_arrays_in_dynamic
    __syncthreads();
    out[t] = keys[t ^ 1] + values[t ^ 1]; // HERE two_arrays_in_dynamic
}

// expect: out-of-bounds
static void two_arrays_in_dynamic(void)
{
    int *in = device_copy<int>(nullptr, 128), *out = device_copy<int>(nullptr, 128);

    keys_and_values<<<1, 128, (right ? 2 : 1) * 128 * sizeof(int)>>>(in, out);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void fetch(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); // HERE texture_of_freed
}

// expect: use-after-free
static void texture_of_freed(void)
{
    float *in = device_copy<float>(nullptr, 32), *out = device_copy<float>(nullptr, 32);
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 32 * sizeof(float);
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    if (!right)
        CHECK(cudaFree(in));
    fetch<<<1, 32>>>(texture, out);
    FINISH();
    if (right)
        CHECK(cudaFree(in));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(out));
}

__global__ void __cluster_dims__(2, 1, 1) neighbours_sum(int *out)
{
    __shared__ int mine[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();

    mine[threadIdx.x] = rank + threadIdx.x;
    cluster.sync();
    if (rank == 0) {
        int sum = 0;
        const int *other = cluster.map_shared_rank(mine, 1);
        for (int k = 0; k < 64; k++)
            sum += other[k]; // HERE cluster_block_leaves
        out[threadIdx.x] = sum;
    }
    if (right)
        cluster.sync();
}

// expect: use-after-free|shared-race
static void cluster_block_leaves(void)
{
    int *out = device_copy<int>(nullptr, 64);

    neighbours_sum<<<2, 64>>>(out);
    FINISH();
    CHECK(cudaFree(out));
}

__global__ void sums_of_bulk(const int *in, int *out)
{
    __shared__ alignas(16) int tile[2][256];
    __shared__ alignas(8) uint64_t bar;
    int t = threadIdx.x;

    if (t == 0) {
        cuda::ptx::mbarrier_init(&bar, 1);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        for (int k = 0; k < 2; k++)
            cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile[k], in + k * 256, 1024,
                                     &bar);
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                             &bar, right ? 2048 : 1024);
    }
    __syncthreads();
    while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0)) // HERE expect_too_few_bytes
        ;
    out[t] = tile[0][t] + tile[1][t]; // HERE expect_too_few_bytes
}

// expect: shared-race|deadlock
static void expect_too_few_bytes(void)
{
    int *in = device_copy<int>(nullptr, 512), *out = device_copy<int>(nullptr, 256);

    sums_of_bulk<<<1, 256>>>(in, out);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

#ifdef RIGHT
typedef volatile int flag_type;
#else
typedef int flag_type;
#endif

__global__ void hand_over(flag_type *flag, volatile int *data, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1; // HERE plain_spin
    } else {
        while (*flag == 0) // HERE plain_spin
            ;
        __threadfence();
        *out = *data;
    }
}

// expect: deadlock|global-race
static void plain_spin(void)
{
    int *words = device_copy<int>(nullptr, 3);

    hand_over<<<2, 1>>>(words, words + 1, words + 2);
    FINISH();
    CHECK(cudaFree(words));
}

struct Matrix {
    int rows, columns;
    float *values;
};

__global__ void sums_of_rows(Matrix m, float *out)
{
    float sum = 0;

    for (int k = 0; k < m.columns; k++)
        sum += m.values[threadIdx.x * m.columns + k]; // HERE host_pointer_in_structure
    out[threadIdx.x] = sum;
}

// expect: illegal-address
static void host_pointer_in_structure(void)
{
    float *values = (float *)calloc(32 * 8, sizeof(float)), *out = device_copy<float>(nullptr, 32);
    float *copied = device_copy(values, 32 * 8);
    Matrix m = {32, 8, right ? copied : values};

    sums_of_rows<<<1, 32>>>(m, out);
    FINISH();
    CHECK(cudaFree(copied));
    CHECK(cudaFree(out));
    free(values);
}

__global__ void number_all(int *out, int n)
{
#ifdef RIGHT
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#else
    short i = blockIdx.x * blockDim.x + threadIdx.x;
#endif

    if (i < n)
        out[i] = i; // HERE short_index
}

// expect: out-of-bounds
static void short_index(void)
{
    int *out = device_copy<int>(nullptr, 40000);

    number_all<<<(40000 + 255) / 256, 256>>>(out, 40000);
    FINISH();
    CHECK(cudaFree(out));
}

__global__ void tree_sum(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    if (right && t + 96 < 128)
        s[t + 96] = 0;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d]; // HERE block_of_96
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

// expect: uninitialised
static void block_of_96(void)
{
    int *in = device_copy<int>(nullptr, 96), *out = device_copy<int>(nullptr, 1);

    tree_sum<<<1, 96>>>(in, out);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void reverse_tile(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    cg::thread_block block = cg::this_thread_block();

    cg::memcpy_async(block, tile, in, sizeof tile);
    if (right)
        cg::wait(block);
    else
        block.sync();
    out[threadIdx.x] = tile[255 - threadIdx.x]; // HERE copy_of_group_not_waited
}

// expect: shared-race
static void copy_of_group_not_waited(void)
{
    int *in = device_copy<int>(nullptr, 256), *out = device_copy<int>(nullptr, 256);

    reverse_tile<<<1, 256>>>(in, out);
    FINISH();
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void lists_on_the_heap(int *out, int n)
{
    int *list = (int *)malloc(n * sizeof(int)), sum = 0;

#ifdef RIGHT
    if (!list)
        return;
#endif
    for (int k = 0; k < n; k++)
        list[k] = k; // HERE heap_too_small
    for (int k = 0; k < n; k++)
        sum += list[(k * 7) % n];
    out[threadIdx.x] = sum;
    free(list);
}

// expect: illegal-address
static void heap_too_small(void)
{
    int *out = device_copy<int>(nullptr, 256);

    lists_on_the_heap<<<1, 256>>>(out, 64 * 1024);
    FINISH();
    CHECK(cudaFree(out));
}

static const suite_case cases[] = {
    {"block_sum_twice", block_sum_twice},
    {"odd_even_sort", odd_even_sort},
    {"transpose_in_place", transpose_in_place},
    {"zeroed_by_one_block", zeroed_by_one_block},
    {"base_by_warp_leader", base_by_warp_leader},
    {"relaxation_in_one_warp", relaxation_in_one_warp},
    {"barrier_in_stride_loop", barrier_in_stride_loop},
    {"shuffle_in_stride_loop", shuffle_in_stride_loop},
    {"halo_of_tile", halo_of_tile},
    {"top_k", top_k},
    {"member_of_structure", member_of_structure},
    {"bytes_allocated", bytes_allocated},
    {"bytes_copied", bytes_copied},
    {"odd_rows_as_vectors", odd_rows_as_vectors},
    {"host_assigns_symbol", host_assigns_symbol},
    {"two_arrays_in_dynamic", two_arrays_in_dynamic},
    {"texture_of_freed", texture_of_freed},
    {"cluster_block_leaves", cluster_block_leaves},
    {"expect_too_few_bytes", expect_too_few_bytes},
    {"plain_spin", plain_spin},
    {"host_pointer_in_structure", host_pointer_in_structure},
    {"short_index", short_index},
    {"block_of_96", block_of_96},
    {"copy_of_group_not_waited", copy_of_group_not_waited},
    {"heap_too_small", heap_too_small},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
