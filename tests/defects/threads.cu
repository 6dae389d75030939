/*
 * threads.cu - of the second suite: defects of lanes, barriers and memory, and of grids that launch grids.
 *
 * Built with -rdc=true, for the grids of grids.
 * The marks are those of kernels.cu. A case with no line of expected kinds is right.
 */
#include <cooperative_groups.h>

#include "suite.h"

namespace cg = cooperative_groups;

/* ---- lanes and barriers ---- */

__global__ void block_scan_after_return(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;

    if (i >= n)
        return;
    s[threadIdx.x] = in[i];
    __syncthreads(); // HERE return_before_barrier
    out[i] = i + 1 < n && threadIdx.x < 63 ? s[threadIdx.x + 1] : 0;
}

// expect: divergent-barrier
static void return_before_barrier(void)
{
    device<int> in(100), out(100);

    block_scan_after_return<<<2, 64>>>(in, out, 100);
    FINISH();
}

__global__ void half_of_ballot(const int *in, unsigned *out)
{
    unsigned vote = __ballot_sync(0x0000ffffu, in[threadIdx.x] > 0); // HERE mask_omits_caller

    out[threadIdx.x] = vote;
}

// expect: member-mask
static void mask_omits_caller(void)
{
    device<int> in(32);
    device<unsigned> out(32);

    half_of_ballot<<<1, 32>>>(in, out);
    FINISH();
}

__global__ void differences(const int *in, int *out, int n)
{
    int i = threadIdx.x;

    if (i < n) {
        unsigned mask = __ballot_sync(__activemask(), true);
        int value = in[i];
        int next = __shfl_sync(mask, value, (i + 1) % 32); // HERE shuffle_past_the_end

        out[i] = next - value;
    }
}

// expect: inactive-lane
static void shuffle_past_the_end(void)
{
    device<int> in(32), out(32);

    differences<<<1, 32>>>(in, out, 20);
    FINISH();
}

__global__ void barriers_of_two_roles(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t < 32) {
        s[t] = t;
        __syncthreads(); // HERE barrier_in_both_branches
        out[t] = s[t + 32];
    } else {
        s[t] = -t;
        __syncthreads(); // HERE barrier_in_both_branches
        out[t] = s[t - 32];
    }
}

// expect: divergent-barrier
static void barrier_in_both_branches(void)
{
    device<int> out(64);

    barriers_of_two_roles<<<1, 64>>>(out);
    FINISH();
}

/* ---- memory ---- */

__global__ void digits_of(const int *in, int *out)
{
    char digits[4], sign[4];
    int value = in[threadIdx.x], count = 0, sum = 0;

    for (int k = 0; k < 4; k++)
        sign[k] = value < 0 ? '-' : '+';
    do {
        digits[count++] = value % 10; // HERE digits_too_many
        value /= 10;
    } while (value);
    for (int k = 0; k < count; k++)
        sum = sum * 10 + digits[count - 1 - k] + (sign[k & 3] == '-');
    out[threadIdx.x] = sum;
}

// expect: out-of-bounds
static void digits_too_many(void)
{
    int h[32];

    for (int k = 0; k < 32; k++)
        h[k] = k * 401;
    device<int> in(32, h), out(32);
    digits_of<<<1, 32>>>(in, out);
    FINISH();
}

__global__ void columns_of_tile(const int *in, int *out)
{
    __shared__ int tile[8][8];
    __shared__ int scale[8];
    int x = threadIdx.x, y = threadIdx.y;

    if (y == 0)
        scale[x] = x;
    tile[y][x] = in[y * 8 + x];
    __syncthreads();
    out[y * 8 + x] = tile[y + 1][x] * scale[x]; // HERE row_below_the_tile
}

// expect: out-of-bounds
static void row_below_the_tile(void)
{
    device<int> in(64), out(64);

    columns_of_tile<<<1, dim3(8, 8)>>>(in, out);
    FINISH();
}

__global__ void backwards(const int *in, int *out, unsigned n)
{
    int sum = 0;

    for (unsigned k = n - 1; k >= threadIdx.x; k -= 32)
        sum += in[k]; // HERE unsigned_loop
    out[threadIdx.x] = sum;
}

// expect: out-of-bounds|illegal-address
static void unsigned_loop(void)
{
    device<int> in(128), out(32);

    backwards<<<1, 32>>>(in, out, 128);
    FINISH();
}

__global__ void left_difference(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] - in[i - 1]; // HERE before_the_first
}

// expect: out-of-bounds
static void before_the_first(void)
{
    device<int> in(128), out(128);

    left_difference<<<2, 64>>>(in, out);
    FINISH();
}

__global__ void nearest(const float *x, int *out, int n)
{
    int best;
    float least = 10;

    for (int k = 0; k < n; k++) {
        float distance = fabsf(x[k] - threadIdx.x);
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    out[threadIdx.x] = best; // HERE best_without_value
}

// expect: undefined-register
static void best_without_value(void)
{
    device<float> x(8);
    device<int> out(32);

    nearest<<<1, 32>>>(x, out, 8);
    FINISH();
}

__global__ void bins_in_shared(const int *in, int *out)
{
    __shared__ int bins[32];

    atomicAdd(&bins[in[threadIdx.x] & 31], 1); // HERE bins_not_zeroed
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x]; // HERE bins_not_zeroed
}

// expect: uninitialised
static void bins_not_zeroed(void)
{
    device<int> in(64), out(32);

    bins_in_shared<<<1, 64>>>(in, out);
    FINISH();
}

__global__ void add_to(float *sum, const float *x)
{
    sum[threadIdx.x] += x[threadIdx.x]; // HERE sum_not_zeroed
}

// expect: uninitialised
static void sum_not_zeroed(void)
{
    device<float> x(64);
    float *sum;

    CHECK(cudaMalloc(&sum, 64 * sizeof(float)));
    add_to<<<1, 64>>>(sum, x);
    FINISH();
    CHECK(cudaFree(sum));
}

__device__ int paths(int row, int column, const int *cost)
{
    int mine[8];

    for (int k = 0; k < 8; k++)
        mine[k] = cost[(row * column + k) & 63];
    if (row == 0 || column == 0)
        return mine[(row + column) & 7];
    return mine[row & 7] + max(paths(row - 1, column, cost), paths(row, column - 1, cost)); // HERE recursion_too_deep
}

__global__ void all_paths(const int *cost, int *out)
{
    *out = paths(40, 1, cost); // HERE recursion_too_deep
}

// expect: stack-overflow
static void recursion_too_deep(void)
{
    device<int> cost(64), out(1);

    all_paths<<<1, 1>>>(cost, out);
    FINISH();
}

__global__ void lists_kept(int **kept)
{
    int *list = (int *)malloc(16 * sizeof(int)); // HERE heap_list_kept

    if (!list)
        return;
    list[0] = threadIdx.x;
    if (threadIdx.x % 2)
        free(list);
    else
        kept[threadIdx.x] = list;
}

// expect: leak
static void heap_list_kept(void)
{
    device<int *> kept(32);

    lists_kept<<<1, 32>>>(kept);
    FINISH();
}

__global__ void freed_twice(int *out)
{
    int *list = (int *)malloc(16 * sizeof(int));

    if (!list)
        return;
    list[0] = 1;
    out[threadIdx.x] = list[0];
    free(list);
    if (threadIdx.x == 3)
        free(list); // HERE heap_freed_twice
}

// expect: use-after-free
static void heap_freed_twice(void)
{
    device<int> out(32);

    freed_twice<<<1, 32>>>(out);
    FINISH();
}

__global__ void headers(const unsigned char *packets, int *out)
{
    out[threadIdx.x] = *(const int *)(packets + threadIdx.x * 14 + 2); // HERE fields_unaligned
}

// expect: misaligned
static void fields_unaligned(void)
{
    device<unsigned char> packets(32 * 14);
    device<int> out(32);

    headers<<<1, 32>>>(packets, out);
    FINISH();
}

__global__ void two_phases(int *data)
{
    cg::grid_group grid = cg::this_grid();

    data[grid.thread_rank()] = 1;
    grid.sync(); // HERE grid_sync_plain_launch
    data[(grid.thread_rank() + 64) % grid.size()] = 2;
}

// expect: trap
static void grid_sync_plain_launch(void)
{
    device<int> data(256);

    two_phases<<<4, 64>>>(data);
    FINISH();
}

/* ---- grids that launch grids ---- */

__global__ void fill(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = value; // HERE parent_reads_result two_fire_and_forget
}

__global__ void double_all(int *data)
{
    data[threadIdx.x] *= 2; // HERE named_streams_race null_streams_of_blocks
}

__global__ void copy_row(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x]; // HERE parent_writes_input other_thread_prepared sibling_reads
}

__global__ void reads_at_once(int *data, int *out)
{
    if (threadIdx.x == 0)
        fill<<<1, 32>>>(data, 7);
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x]; // HERE parent_reads_result
}

// expect: global-race
static void parent_reads_result(void)
{
    device<int> data(32), out(32);

    reads_at_once<<<1, 32>>>(data, out);
    FINISH();
}

__global__ void writes_after_launch(int *data, int *out)
{
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        copy_row<<<1, 32>>>(out, data);
    __syncthreads();
    data[threadIdx.x] = 2; // HERE parent_writes_input
}

// expect: global-race
static void parent_writes_input(void)
{
    device<int> data(32), out(32);

    writes_after_launch<<<1, 32>>>(data, out);
    FINISH();
}

/* The launch comes before the barrier that would have ordered what the others stored. */
__global__ void launches_too_early(int *data, int *out)
{
    data[threadIdx.x] = threadIdx.x; // HERE other_thread_prepared
    if (threadIdx.x == 0)
        copy_row<<<1, 64>>>(out, data);
    __syncthreads();
}

// expect: global-race
static void other_thread_prepared(void)
{
    device<int> data(64), out(64);

    launches_too_early<<<1, 64>>>(data, out);
    FINISH();
}

__global__ void forgets_two(int *data)
{
    fill<<<1, 32, 0, cudaStreamFireAndForget>>>(data, 1);
    fill<<<1, 32, 0, cudaStreamFireAndForget>>>(data, 2);
}

// expect: global-race
static void two_fire_and_forget(void)
{
    device<int> data(32);

    forgets_two<<<1, 1>>>(data);
    FINISH();
}

__global__ void in_two_streams(int *data)
{
    cudaStream_t first, second;

    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    double_all<<<1, 32, 0, first>>>(data);
    double_all<<<1, 32, 0, second>>>(data);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}

// expect: global-race
static void named_streams_race(void)
{
    int h[32] = {1, 2, 3};
    device<int> data(32, h);

    in_two_streams<<<1, 1>>>(data);
    FINISH();
}

__global__ void each_block_launches(int *data)
{
    if (threadIdx.x == 0)
        double_all<<<1, 32>>>(data);
}

// expect: global-race
static void null_streams_of_blocks(void)
{
    int h[32] = {1, 2, 3};
    device<int> data(32, h);

    each_block_launches<<<2, 32>>>(data);
    FINISH();
}

__global__ void writer_and_reader(int *data, int *out)
{
    fill<<<1, 32>>>(data, 3);
    copy_row<<<1, 32, 0, cudaStreamFireAndForget>>>(out, data);
}

// expect: global-race
static void sibling_reads(void)
{
    device<int> data(32), out(32);

    writer_and_reader<<<1, 1>>>(data, out);
    FINISH();
}

/* ---- right programs: grids that launch grids ---- */

__global__ void prepares_then_launches(int *data, int *out)
{
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        copy_row<<<1, 64>>>(out, data);
}

static void child_reads_what_was_prepared(void)
{
    device<int> data(64), out(64);

    prepares_then_launches<<<1, 64>>>(data, out);
    FINISH();
}

__global__ void one_after_the_other(int *data, int *out)
{
    fill<<<2, 32>>>(data, 5);
    double_all<<<1, 64>>>(data);
    copy_row<<<1, 64>>>(out, data);
}

static void children_in_one_stream(void)
{
    device<int> data(64), out(64);

    one_after_the_other<<<1, 1>>>(data, out);
    FINISH();
}

__global__ void tail_reads_result(int *data, int *out)
{
    if (threadIdx.x == 0) {
        fill<<<1, 32>>>(data, 7);
        copy_row<<<1, 32, 0, cudaStreamTailLaunch>>>(out, data);
        double_all<<<1, 32, 0, cudaStreamTailLaunch>>>(out);
    }
    out[threadIdx.x] = 1;
}

static void tail_after_children(void)
{
    device<int> data(32), out(32);

    tail_reads_result<<<1, 32>>>(data, out);
    FINISH();
}

__global__ void halves(int *data, int n)
{
    if (n == 1) {
        data[0] += 1;
        return;
    }
    halves<<<1, 1, 0, cudaStreamFireAndForget>>>(data, n / 2);
    halves<<<1, 1, 0, cudaStreamFireAndForget>>>(data + n / 2, n - n / 2);
}

static void divide_and_conquer(void)
{
    device<int> data(16);

    halves<<<1, 1>>>(data, 16);
    FINISH();
}

__global__ void each_block_its_part(int *data, int *out)
{
    data[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        copy_row<<<1, 32>>>(out + blockIdx.x * 32, data + blockIdx.x * 32);
}

static void blocks_with_own_children(void)
{
    device<int> data(128), out(128);

    each_block_its_part<<<4, 32>>>(data, out);
    FINISH();
}

__global__ void add_atomically(int *sum)
{
    atomicAdd(sum, 1);
}

__global__ void all_add(int *sum)
{
    atomicAdd(sum, 1);
    add_atomically<<<2, 32>>>(sum);
    atomicAdd(sum, 1);
}

static void atomics_of_all(void)
{
    device<int> sum(1);

    all_add<<<2, 32>>>(sum);
    FINISH();
}

__global__ void relaxes_by_tails(int *data, int rounds)
{
    data[threadIdx.x] += 1;
    if (threadIdx.x == 0 && rounds > 1)
        relaxes_by_tails<<<1, 32, 0, cudaStreamTailLaunch>>>(data, rounds - 1);
    data[threadIdx.x] += 1;
}

static void chain_of_tails(void)
{
    device<int> data(32);

    relaxes_by_tails<<<1, 32>>>(data, 5);
    FINISH();
    relaxes_by_tails<<<1, 32>>>(data, 2);
    FINISH();
}

/* Two launches of the host use the same memory; the second follows all children of the first. */
static void next_launch_of_the_host(void)
{
    device<int> data(64), out(64);

    prepares_then_launches<<<1, 64>>>(data, out);
    fill<<<2, 32>>>(out, 1);
    FINISH();
}

static const suite_case cases[] = {
    {"return_before_barrier", return_before_barrier},
    {"mask_omits_caller", mask_omits_caller},
    {"shuffle_past_the_end", shuffle_past_the_end},
    {"barrier_in_both_branches", barrier_in_both_branches},
    {"digits_too_many", digits_too_many},
    {"row_below_the_tile", row_below_the_tile},
    {"unsigned_loop", unsigned_loop},
    {"before_the_first", before_the_first},
    {"best_without_value", best_without_value},
    {"bins_not_zeroed", bins_not_zeroed},
    {"sum_not_zeroed", sum_not_zeroed},
    {"recursion_too_deep", recursion_too_deep},
    {"heap_list_kept", heap_list_kept},
    {"heap_freed_twice", heap_freed_twice},
    {"fields_unaligned", fields_unaligned},
    {"grid_sync_plain_launch", grid_sync_plain_launch},
    {"parent_reads_result", parent_reads_result},
    {"parent_writes_input", parent_writes_input},
    {"other_thread_prepared", other_thread_prepared},
    {"two_fire_and_forget", two_fire_and_forget},
    {"named_streams_race", named_streams_race},
    {"null_streams_of_blocks", null_streams_of_blocks},
    {"sibling_reads", sibling_reads},
    {"child_reads_what_was_prepared", child_reads_what_was_prepared},
    {"children_in_one_stream", children_in_one_stream},
    {"tail_after_children", tail_after_children},
    {"divide_and_conquer", divide_and_conquer},
    {"blocks_with_own_children", blocks_with_own_children},
    {"atomics_of_all", atomics_of_all},
    {"chain_of_tails", chain_of_tails},
    {"next_launch_of_the_host", next_launch_of_the_host},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
