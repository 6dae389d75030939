/*
 * clinic.cu - defects in kernels, drawn by lot from a table of mechanisms. Each case is wrong; with -DRIGHT it is
 * right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "suite.h"

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

// Each block waits for the block after it. Blocks that have not started cannot answer.
__global__ void suffix_sums(const int *in, volatile int *sums, int *ready, int *ticket)
{
    int last = gridDim.x - 1;

    if (threadIdx.x == 0) {
        int part = right ? last - atomicAdd(ticket, 1) : blockIdx.x;
        int sum = in[part];

        if (part < last) {
            while (atomicAdd(&ready[part + 1], 0) == 0) { // HERE later_block_awaited
            }
            __threadfence();
            sum += sums[part + 1];
        }
        sums[part] = sum;
        __threadfence();
        atomicExch(&ready[part], 1);
    }
}

// expect: deadlock
static void later_block_awaited(void)
{
    int size = 200 << 10; // one block per multiprocessor
    device<int> in(600), sums(600), ready(600), ticket(1);

    CHECK(cudaFuncSetAttribute(suffix_sums, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    suffix_sums<<<600, 32, size>>>(in, sums, ready, ticket);
    FINISH();
}

// One thread finds that its block is the last. The others read the answer too early.
__global__ void sum_of_blocks(const int *in, int *parts, unsigned *count, int *out)
{
    __shared__ bool last;
    int t = threadIdx.x;

    if (t == 0) {
        parts[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1; // HERE last_not_awaited
    }
    if (right)
        __syncthreads();
    if (last) { // HERE last_not_awaited
        __threadfence();
        int sum = t < gridDim.x ? __ldcg(&parts[t]) : 0;
        if (t < gridDim.x)
            atomicAdd(out, sum);
    }
}

// expect: shared-race|uninitialised
static void last_not_awaited(void)
{
    device<int> in(8), parts(8), out(1);
    device<unsigned> count(1);

    sum_of_blocks<<<8, 64>>>(in, parts, count, out);
    FINISH();
}

// Values are smoothed in place. The barrier is for one block only.
__global__ void smooth(const int *in, int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool inside = i > 0 && i < n - 1;
    int mean = inside ? (in[i - 1] + in[i] + in[i + 1]) / 3 : 0; // HERE smoothed_in_place

    __syncthreads();
    if (inside)
        data[i] = mean; // HERE smoothed_in_place
}

// expect: global-race
static void smoothed_in_place(void)
{
    device<int> data(512), other(512);

    smooth<<<4, 128>>>(data, right ? other : data, 512);
    FINISH();
}

// The first thread of each block sets the counter of the grid to zero.
__global__ void count_positive(const int *in, int *count)
{
    if (!right && threadIdx.x == 0)
        *count = 0; // HERE zeroed_by_each_block
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > 0)
        atomicAdd(count, 1); // HERE zeroed_by_each_block
}

// expect: global-race
static void zeroed_by_each_block(void)
{
    int h[256];

    for (int k = 0; k < 256; k++)
        h[k] = k % 3;
    device<int> in(256, h), count(1);
    count_positive<<<4, 64>>>(in, count);
    FINISH();
}

// The last block is not full. Nothing is stored after its last value.
__global__ void box_filter(const int *in, int *out, int n)
{
    constexpr int radius = 3;
    __shared__ int tile[128 + 2 * radius];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;

    if (t < radius) {
        tile[t] = i >= radius ? in[i - radius] : 0;
        tile[t + 128 + radius] = i + 128 < n ? in[i + 128] : 0;
    }
    if (i < n)
        tile[t + radius] = in[i];
    else if (right)
        tile[t + radius] = 0;
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int k = 0; k <= 2 * radius; k++)
            sum += tile[t + k]; // HERE halo_of_last_block
        out[i] = sum;
    }
}

// expect: uninitialised
static void halo_of_last_block(void)
{
    device<int> in(200), out(200);

    box_filter<<<2, 128>>>(in, out, 200);
    FINISH();
}

// A barrier of the grid made by hand. Its counter is not set back, so it holds only once.
__device__ void grid_barrier(unsigned *arrived, unsigned round)
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

__global__ void two_steps(int *a, int *b, int *c, unsigned *arrived)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;

    a[i] = i;
    grid_barrier(arrived, 1);
    b[i] = __ldcg(&a[n - 1 - i]); // HERE barrier_holds_once
    grid_barrier(arrived, 2);
    c[i] = __ldcg(&b[(i + blockDim.x) % n]); // HERE barrier_holds_once
}

// expect: global-race
static void barrier_holds_once(void)
{
    device<int> a(256), b(256), c(256);
    device<unsigned> arrived(1);
    int *first = a, *second = b, *third = c;
    unsigned *counter = arrived;
    void *arguments[] = {&first, &second, &third, &counter};

    CHECK(cudaLaunchCooperativeKernel((void *)two_steps, dim3(4), dim3(64), arguments, 0, nullptr));
    FINISH();
}

// A volatile flag does not order the stores before it.
__global__ void hand_over(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 * threadIdx.x; // HERE volatile_is_no_fence
        if (right)
            __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
            if (right)
                __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = __ldcg(&data[threadIdx.x]); // HERE volatile_is_no_fence
    }
}

// expect: global-race
static void volatile_is_no_fence(void)
{
    device<int> data(64), flag(1), out(64);

    hand_over<<<2, 64>>>(data, flag, out);
    FINISH();
}

// The address of a local array goes to other threads. Each of them reads its own array there.
__global__ void of_winner(const int *in, int *out, int winner)
{
    __shared__ int *best;
    __shared__ int copy[4];
    int t = threadIdx.x;
    int found[4];

    for (int k = 0; k < 4; k++)
        found[k] = in[4 * t + k];
    if (t == winner) {
        for (int k = 0; k < 4; k++)
            copy[k] = found[k];
        best = right ? copy : found; // HERE local_address_shared
    }
    __syncthreads();
    out[t] = best[in[t] & 3]; // HERE local_address_shared
}

// expect: illegal-address|out-of-bounds|uninitialised
static void local_address_shared(void)
{
    device<int> in(256), out(64);

    of_winner<<<1, 64>>>(in, out, 5);
    FINISH();
}

// The kernel is for blocks of 16 rows. It is launched with 8.
__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int k = 0; k < 32; k += 16)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * 64 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 16)
        out[(y + k) * 64 + x] = tile[threadIdx.x][threadIdx.y + k]; // HERE rows_of_tile
}

// expect: uninitialised
static void rows_of_tile(void)
{
    device<float> in(4096), out(4096);

    transpose<<<dim3(2, 2), dim3(32, right ? 16 : 8)>>>(in, out);
    FINISH();
}

// A block takes tasks from a queue. The next number is stored before all threads have read this one.
__global__ void take_tasks(int *queue, int *done, int tasks)
{
    __shared__ int next;

    for (;;) {
        if (threadIdx.x == 0)
            next = atomicAdd(queue, 1); // HERE next_task_early
        __syncthreads();
        int task = next; // HERE next_task_early
        if (right)
            __syncthreads();
        if (task >= tasks)
            break;
        done[task * 64 + threadIdx.x] = task;
    }
}

// expect: shared-race
static void next_task_early(void)
{
    device<int> queue(1), done(640);

    take_tasks<<<2, 64>>>(queue, done, 10);
    FINISH();
}

// The threads after the end leave. Their lanes are read all the same.
__global__ void sum_by_tiles(const int *in, int *out, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (!right && i >= n)
        return;
    int sum = i < n ? in[i] : 0;
    for (int k = 16; k > 0; k /= 2)
        sum += tile.shfl_down(sum, k); // HERE tile_after_exit
    if (tile.thread_rank() == 0)
        atomicAdd(out, sum);
}

// expect: inactive-lane|member-mask|undefined-register
static void tile_after_exit(void)
{
    device<int> in(100), out(1);

    sum_by_tiles<<<1, 128>>>(in, out, 100);
    FINISH();
}

// A sort without barriers where the partners are of one warp.
__global__ void sort_block(int *data)
{
    __shared__ int values[128];
    int t = threadIdx.x;

    values[t] = data[t];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int partner = t ^ j;
            if (partner > t) {
                int a = values[t], b = values[partner]; // HERE warp_sorts_blindly
                if ((a > b) == !(t & k)) {
                    values[t] = b; // HERE warp_sorts_blindly
                    values[partner] = a; // HERE warp_sorts_blindly
                }
            }
            if (j >= 32 || (j == 1 && k >= 32))
                __syncthreads();
            else if (right)
                __syncwarp();
        }
    data[t] = values[t];
}

// expect: shared-race
static void warp_sorts_blindly(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = 77 * k % 128;
    device<int> data(128, h);
    sort_block<<<1, 128>>>(data);
    FINISH();
}

// The last tile of a product is half filled.
__global__ void product(const half *a, const half *b, float *out, int depth)
{
    __shared__ alignas(32) half left[2][256], upper[2][256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;

    for (int k = threadIdx.x; k < 512; k += 32) {
        int row = k / 32, column = k % 32;

        if (column < depth) {
            left[column / 16][row * 16 + column % 16] = a[row * depth + column];
            upper[column / 16][column % 16 * 16 + row] = b[column * 16 + row];
        } else if (right) {
            left[column / 16][row * 16 + column % 16] = __float2half(0);
            upper[column / 16][column % 16 * 16 + row] = __float2half(0);
        }
    }
    __syncwarp();
    wmma::fill_fragment(sum, 0.0f);
    for (int stage = 0; stage < 2; stage++) {
        wmma::load_matrix_sync(fa, left[stage], 16); // HERE tile_half_filled
        wmma::load_matrix_sync(fb, upper[stage], 16); // HERE tile_half_filled
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}

// expect: uninitialised|undefined-register
static void tile_half_filled(void)
{
    device<half> a(16 * 24), b(24 * 16);
    device<float> out(256);

    product<<<1, 32>>>(a, b, out, 24);
    FINISH();
}

// A sum of the block in a function. The second call stores before all have read the first sums.
__device__ float block_sum(float v)
{
    __shared__ float sums[32];
    int lane = threadIdx.x % 32, warps = blockDim.x / 32;

    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(~0u, v, k);
    if (right)
        __syncthreads();
    if (lane == 0)
        sums[threadIdx.x / 32] = v; // HERE sum_called_twice
    __syncthreads();
    v = lane < warps ? sums[lane] : 0; // HERE sum_called_twice
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(~0u, v, k);
    return v;
}

__global__ void normalise(float *data)
{
    float v = data[threadIdx.x];
    float mean = block_sum(v) / blockDim.x;
    float variance = block_sum((v - mean) * (v - mean)) / blockDim.x;

    data[threadIdx.x] = (v - mean) * rsqrtf(variance + 1e-5f);
}

// expect: shared-race
static void sum_called_twice(void)
{
    device<float> data(128);

    normalise<<<1, 128>>>(data);
    FINISH();
}

// A loop down to zero with a variable that is never below zero.
__global__ void suffix_maximum(int *data, unsigned n, unsigned first)
{
    int best = 0;

    for (unsigned k = n - 1; right ? k + 1 > first : k >= first; k--) {
        best = max(best, data[k]); // HERE below_zero
        data[k] = best; // HERE below_zero
    }
}

// expect: out-of-bounds|illegal-address
static void below_zero(void)
{
    device<int> data(64);

    suffix_maximum<<<1, 1>>>(data, 64, 0);
    FINISH();
}

// The flag of a loop is taken back before all threads have read it.
__global__ void until_settled(int *steps)
{
    __shared__ bool changed;
    int left = threadIdx.x % 5, rounds = 0;
    bool again;

    do {
        if (threadIdx.x == 0)
            changed = false; // HERE flag_taken_back
        __syncthreads();
        if (left > 0) {
            left--;
            changed = true;
        }
        __syncthreads();
        again = changed; // HERE flag_taken_back
        if (right)
            __syncthreads();
        rounds++;
    } while (again);
    steps[threadIdx.x] = rounds;
}

// expect: shared-race
static void flag_taken_back(void)
{
    device<int> steps(96);

    until_settled<<<1, 96>>>(steps);
    FINISH();
}

// Lists are copied to the device, but the values that they point at are not.
struct list {
    int count;
    int *values;
};

__global__ void sum_lists(const list *lists, int *out)
{
    list mine = lists[threadIdx.x];
    int sum = 0;

    for (int k = 0; k < mine.count; k++)
        sum += mine.values[k]; // HERE values_stay_behind
    out[threadIdx.x] = sum;
}

// expect: host-access|illegal-address|out-of-bounds
static void values_stay_behind(void)
{
    int *h = static_cast<int *>(calloc(64, sizeof(int)));
    device<int> values(64, h), out(4);
    list lists[4];

    for (int k = 0; k < 4; k++)
        lists[k] = {16, (right ? values : h) + 16 * k};
    device<list> copied(4, lists);
    sum_lists<<<1, 4>>>(copied, out);
    FINISH();
    free(h);
}

// A lock with tickets. The number that is served is read once, because nothing says that it changes.
__global__ void in_turn(int *next, int *serving, int *total)
{
    if (threadIdx.x == 0) {
        int mine = atomicAdd(next, 1); // HERE ticket_read_once

        if (right) {
            while (*(volatile int *)serving != mine) {
            }
        } else {
            while (*serving != mine) { // HERE ticket_read_once
            }
        }
        __threadfence();
        *(volatile int *)total = *(volatile int *)total + mine;
        __threadfence();
        atomicAdd(serving, 1); // HERE ticket_read_once
    }
}

// expect: deadlock|global-race
static void ticket_read_once(void)
{
    device<int> next(1), serving(1), total(1);

    in_turn<<<8, 32>>>(next, serving, total);
    FINISH();
}

static const suite_case cases[] = {
    {"later_block_awaited", later_block_awaited},
    {"last_not_awaited", last_not_awaited},
    {"smoothed_in_place", smoothed_in_place},
    {"zeroed_by_each_block", zeroed_by_each_block},
    {"halo_of_last_block", halo_of_last_block},
    {"barrier_holds_once", barrier_holds_once},
    {"volatile_is_no_fence", volatile_is_no_fence},
    {"local_address_shared", local_address_shared},
    {"rows_of_tile", rows_of_tile},
    {"next_task_early", next_task_early},
    {"tile_after_exit", tile_after_exit},
    {"warp_sorts_blindly", warp_sorts_blindly},
    {"tile_half_filled", tile_half_filled},
    {"sum_called_twice", sum_called_twice},
    {"below_zero", below_zero},
    {"flag_taken_back", flag_taken_back},
    {"values_stay_behind", values_stay_behind},
    {"ticket_read_once", ticket_read_once},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
