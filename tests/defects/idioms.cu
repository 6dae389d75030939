/*
 * idioms.cu - of the second suite: right kernels that a naive checker would flag. Each checks its result.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>

#include "suite.h"

namespace cg = cooperative_groups;

/* `count` numbers 0, 1, 2, … in device memory. */
struct numbers : device<int> {
    explicit numbers(int count) : device<int>(count)
    {
        for (int k = 0; k < count; k++)
            CHECK(cudaMemcpyAsync(at + k, &k, sizeof k, cudaMemcpyHostToDevice));
    }
};

/* One word of device memory. */
static int word_of(const int *at)
{
    int word = 0;

    CHECK(cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

/* ---- lanes ---- */

__global__ void warp_sum_syncwarp(const int *in, int *out)
{
    __shared__ int s[64];
    int lane = threadIdx.x;

    s[lane] = in[lane] + in[lane + 32];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int other = lane < d ? s[lane + d] : 0;
        __syncwarp();
        s[lane] += other;
        __syncwarp();
    }
    if (lane == 0)
        *out = s[0];
}

static void warp_synchronous(void)
{
    numbers in(64);
    device<int> out(1);

    warp_sum_syncwarp<<<1, 32>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 63 * 32);
}

__global__ void warp_sum_volatile(const int *in, int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            int sum = s[t] + s[t + d];
            __syncwarp();
            if (t < d)
                s[t] = sum;
            __syncwarp();
        }
        if (t == 0)
            *out = s[0];
    }
}

static void volatile_last_warp(void)
{
    numbers in(64);
    device<int> out(1);

    warp_sum_volatile<<<1, 64>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 63 * 32);
}

__global__ void append_aggregated(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] % 3 == 0) {
        cg::coalesced_group takers = cg::coalesced_threads();
        int base = 0;
        if (takers.thread_rank() == 0)
            base = atomicAdd(count, (int)takers.size());
        out[takers.shfl(base, 0) + takers.thread_rank()] = in[i];
    }
}

static void aggregated_append(void)
{
    numbers in(200);
    device<int> out(200), count(1);

    append_aggregated<<<2, 128>>>(in, out, count, 200);
    FINISH();
    EXPECT(word_of(count) == 67);
}

__global__ void match_and_count(const int *in, int *counts)
{
    int key = in[threadIdx.x] % 5;
    unsigned same = __match_any_sync(0xffffffffu, key);

    if ((int)threadIdx.x % 32 == __ffs(same) - 1)
        atomicAdd(&counts[key], __popc(same));
}

static void matched_keys(void)
{
    numbers in(64);
    device<int> counts(5);

    match_and_count<<<1, 64>>>(in, counts);
    FINISH();
    EXPECT(word_of(counts) == 13);
}

__global__ void tiles_of_eight(const int *in, int *out)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, first = t / 8 * 8;

    s[t] = in[t];
    tile.sync();
    int turned = s[first + 7 - t % 8];
    tile.sync();
    s[t] = turned;
    tile.sync();
    if (t / 8 % 2)
        out[t] = cg::reduce(tile, s[first + (t + 1) % 8], cg::plus<int>());
    else
        out[t] = s[first];
}

static void partitions_of_eight(void)
{
    numbers in(64);
    device<int> out(64);

    tiles_of_eight<<<1, 64>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 7 && word_of(out + 8) == 8 * 8 + 28);
}

__global__ void halves_apart(const int *in, int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;

    s[lane] = in[lane];
    __syncwarp(half);
    if (lane < 16) {
        out[lane] = s[15 - lane];
        out[lane] += __shfl_sync(0xffffu, out[lane], lane ^ 1);
    } else {
        out[lane] = __shfl_xor_sync(0xffff0000u, s[47 - lane], 3);
    }
}

static void halves_of_a_warp(void)
{
    numbers in(32);
    device<int> out(32);

    halves_apart<<<1, 32>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 29);
}

__global__ void early_exit_then_shuffle(const int *in, int *out, int n)
{
    int i = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);

    if (i >= n)
        return;
    int value = in[i];
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(mask, value, d);
        if (i + d < n)
            value += other;
    }
    if (i == 0)
        *out = value;
}

static void ballot_before_exit(void)
{
    numbers in(32);
    device<int> out(1);

    early_exit_then_shuffle<<<1, 32>>>(in, out, 16);
    FINISH();
    EXPECT(word_of(out) == 120);
}

__global__ void leader_writes(const int *in, int *out)
{
    __shared__ int best[4];
    int warp = threadIdx.x / 32, value = in[threadIdx.x];
    int most = __reduce_max_sync(0xffffffffu, value);

    best[warp] = most;
    __syncwarp();
    out[threadIdx.x] = best[warp] - value;
}

static void all_lanes_write_the_same(void)
{
    numbers in(128);
    device<int> out(128);

    leader_writes<<<1, 128>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 31);
}

/* ---- blocks ---- */

__global__ void scan_two_buffers(const int *in, int *out)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, at = 0;

    s[0][t] = in[t];
    for (int d = 1; d < 128; d *= 2, at ^= 1) {
        __syncthreads();
        s[at ^ 1][t] = t >= d ? s[at][t] + s[at][t - d] : s[at][t];
    }
    out[t] = s[at][t];
}

static void double_buffered_scan(void)
{
    numbers in(128);
    device<int> out(128);

    scan_two_buffers<<<1, 128>>>(in, out);
    FINISH();
    EXPECT(word_of(out + 127) == 127 * 64);
}

__global__ void bitonic(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = data[t];
    s[t + 64] = data[t + 64];
    for (int size = 2; size <= 128; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int low = 2 * d * (t / d) + t % d;
            bool up = (low & size) == 0;
            if ((s[low] > s[low + d]) == up) {
                int a = s[low];
                s[low] = s[low + d];
                s[low + d] = a;
            }
        }
    __syncthreads();
    data[t] = s[t];
    data[t + 64] = s[t + 64];
}

static void bitonic_in_place(void)
{
    int h[128];

    for (int k = 0; k < 128; k++)
        h[k] = 127 - k;
    device<int> data(128, h);
    bitonic<<<1, 64>>>(data);
    FINISH();
    EXPECT(word_of(data + 3) == 3);
}

__global__ void found_flag(const int *in, int *out, int wanted, int n)
{
    __shared__ bool found;
    int t = threadIdx.x;

    if (t == 0)
        found = false;
    __syncthreads();
    for (int k = 0; k < n; k += 64) {
        if (in[k + t] == wanted) {
            found = true;
            *out = k + t;
        }
        __syncthreads();
        bool stop = found;
        __syncthreads();
        if (stop)
            break;
    }
}

static void flag_read_between_barriers(void)
{
    numbers in(256);
    device<int> out(1);

    found_flag<<<1, 64>>>(in, out, 70, 256);
    FINISH();
    EXPECT(word_of(out) == 70);
}

__global__ void any_stop(const int *in, int *out)
{
    int rounds = 0, value = in[threadIdx.x];

    while (__syncthreads_or(value > 0)) {
        value -= 1 + threadIdx.x % 2;
        rounds++;
    }
    out[threadIdx.x] = rounds;
}

static void vote_of_the_block(void)
{
    numbers in(96);
    device<int> out(96);

    any_stop<<<1, 96>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 94);
}

__global__ void named_pairs(const int *in, int *out, int rounds)
{
    __shared__ int buffer[2][32];
    int lane = threadIdx.x % 32;

    for (int k = 0; k < rounds; k++) {
        int slot = k % 2;
        if (threadIdx.x < 32) {
            if (k >= 2)
                asm volatile("bar.sync %0, 64;" ::"r"(3 + slot) : "memory");
            buffer[slot][lane] = in[k * 32 + lane];
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + slot) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + slot) : "memory");
            out[k * 32 + lane] = buffer[slot][31 - lane];
            if (k + 2 < rounds)
                asm volatile("bar.arrive %0, 64;" ::"r"(3 + slot) : "memory");
        }
    }
}

static void named_barriers(void)
{
    numbers in(256);
    device<int> out(256);

    named_pairs<<<1, 64>>>(in, out, 8);
    FINISH();
    EXPECT(word_of(out + 224) == 255);
}

__global__ void half_of_block_meets(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t < 64) {
        s[t] = in[t];
        asm volatile("bar.sync 5, 64;" ::: "memory");
        out[t] = s[63 - t];
    } else {
        out[t] = in[t];
    }
}

static void barrier_of_half(void)
{
    numbers in(128);
    device<int> out(128);

    half_of_block_meets<<<1, 128>>>(in, out);
    FINISH();
    EXPECT(word_of(out) == 63);
}

__global__ void padded_transpose(const int *in, int *out)
{
    __shared__ int tile[32][33];

    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

static void transpose_with_padding(void)
{
    numbers in(1024);
    device<int> out(1024);

    padded_transpose<<<1, dim3(32, 8)>>>(in, out);
    FINISH();
    EXPECT(word_of(out + 1) == 32);
}

__global__ void in_dynamic_parts(const int *in, int *out, int n)
{
    extern __shared__ int parts[];
    int *keys = parts, t = threadIdx.x;
    short *ranks = (short *)(keys + n);

    keys[t] = in[t] * 7 % n;
    __syncthreads();
    ranks[keys[t]] = t;
    __syncthreads();
    out[t] = ranks[t];
}

static void parts_of_dynamic(void)
{
    numbers in(64);
    device<int> out(64);

    in_dynamic_parts<<<1, 64, 64 * 6>>>(in, out, 64);
    FINISH();
    EXPECT(word_of(out + 7) == 1);
}

__global__ void bytes_apart(const int *in, unsigned char *out)
{
    __shared__ unsigned char s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    s[t]++;
    __syncthreads();
    out[t] = s[127 - t];
}

static void neighbouring_bytes(void)
{
    numbers in(128);
    device<unsigned char> out(128);

    bytes_apart<<<1, 128>>>(in, out);
    FINISH();
}

/* ---- asynchronous copies ---- */

__global__ void two_stages(const int *in, int *out, int tiles)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;

    __pipeline_memcpy_async(&tile[0][t], in + t, 4);
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&tile[(k + 1) % 2][t], in + (k + 1) * 64 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[k % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

static void pipeline_of_two_stages(void)
{
    numbers in(256);
    device<int> out(64);

    two_stages<<<1, 64>>>(in, out, 4);
    FINISH();
    EXPECT(word_of(out) == 63 * 4 + 64 * 6);
}

__global__ void three_stages_one_barrier(const int *in, int *out, int tiles)
{
    __shared__ int tile[3][64];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&tile[k][t], in + k * 64 + t, 4);
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[k % 3][63 - t];
        if (k + 2 < tiles)
            __pipeline_memcpy_async(&tile[(k + 2) % 3][t], in + (k + 2) * 64 + t, 4);
        __pipeline_commit();
    }
    out[t] = sum;
}

static void pipeline_of_three_stages(void)
{
    numbers in(384);
    device<int> out(64);

    three_stages_one_barrier<<<1, 64>>>(in, out, 6);
    FINISH();
    EXPECT(word_of(out) == 63 * 6 + 64 * 15);
}

__global__ void pipeline_object(const int *in, int *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][64];
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0, issued = 0;

    for (int k = 0; k < tiles; k++) {
        for (; issued < tiles && issued < k + 2; issued++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[issued % 2], in + issued * 64, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[k % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

static void pipeline_of_libcu(void)
{
    numbers in(256);
    device<int> out(64);

    pipeline_object<<<1, 64>>>(in, out, 4);
    FINISH();
    EXPECT(word_of(out) == 63 * 4 + 64 * 6);
}

__global__ void group_copy(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    cg::thread_block block = cg::this_thread_block();

    for (int k = 0; k < 2; k++) {
        cg::memcpy_async(block, tile, in + k * 256, sizeof tile);
        cg::wait(block);
        out[k * 256 + threadIdx.x] = tile[255 - threadIdx.x];
        block.sync();
    }
}

static void copies_of_a_group(void)
{
    numbers in(512);
    device<int> out(512);

    group_copy<<<1, 256>>>(in, out);
    FINISH();
    EXPECT(word_of(out + 256) == 511);
}

__global__ void bulk_in_and_out(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    __shared__ alignas(8) uint64_t bar;
    int t = threadIdx.x;

    if (t == 0) {
        cuda::ptx::mbarrier_init(&bar, 1);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                             &bar, 1024);
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in, 1024, &bar);
    }
    __syncthreads();
    while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    tile[t] *= 2;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, tile, 1024);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
}

static void bulk_copies(void)
{
    numbers in(256);
    device<int> out(256);

    bulk_in_and_out<<<1, 256>>>(in, out);
    FINISH();
    EXPECT(word_of(out + 255) == 510);
}

__global__ void full_and_empty(const int *in, int *out, int rounds)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
    __shared__ int buffer[2][32];
    int lane = threadIdx.x % 32;

    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < rounds; k++) {
            empty[k % 2].arrive_and_wait();
            buffer[k % 2][lane] = in[k * 32 + lane];
            (void)full[k % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int k = 0; k < rounds; k++) {
            full[k % 2].arrive_and_wait();
            out[k * 32 + lane] = buffer[k % 2][31 - lane];
            (void)empty[k % 2].arrive();
        }
    }
}

static void barriers_full_and_empty(void)
{
    numbers in(256);
    device<int> out(256);

    full_and_empty<<<1, 64>>>(in, out, 8);
    FINISH();
    EXPECT(word_of(out + 224) == 255);
}

__global__ void split_arrive_and_wait(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        s[t] = data[t] + k;
        auto token = bar.arrive();
        data[64 + t] += k;
        bar.wait(static_cast<decltype(token) &&>(token));
        data[t] = s[(t + 1) % 64];
        bar.arrive_and_wait();
    }
}

static void arrival_before_wait(void)
{
    device<int> data(128);

    split_arrive_and_wait<<<1, 64>>>(data);
    FINISH();
    EXPECT(word_of(data) == 6);
}

__global__ void __cluster_dims__(2, 1, 1) exchange_in_cluster(int *out)
{
    __shared__ int mine[64];
    cg::cluster_group cluster = cg::this_cluster();
    int *other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);

    mine[threadIdx.x] = cluster.block_rank() * 64 + threadIdx.x;
    cluster.sync();
    int value = other[63 - threadIdx.x];
    cluster.sync();
    other[threadIdx.x] = value;
    cluster.sync();
    out[cluster.block_rank() * 64 + threadIdx.x] = mine[threadIdx.x];
}

static void cluster_exchange(void)
{
    device<int> out(128);

    exchange_in_cluster<<<2, 64>>>(out);
    FINISH();
    EXPECT(word_of(out) == 63);
}

static const suite_case cases[] = {
    {"warp_synchronous", warp_synchronous},
    {"volatile_last_warp", volatile_last_warp},
    {"aggregated_append", aggregated_append},
    {"matched_keys", matched_keys},
    {"partitions_of_eight", partitions_of_eight},
    {"halves_of_a_warp", halves_of_a_warp},
    {"ballot_before_exit", ballot_before_exit},
    {"all_lanes_write_the_same", all_lanes_write_the_same},
    {"double_buffered_scan", double_buffered_scan},
    {"bitonic_in_place", bitonic_in_place},
    {"flag_read_between_barriers", flag_read_between_barriers},
    {"vote_of_the_block", vote_of_the_block},
    {"named_barriers", named_barriers},
    {"barrier_of_half", barrier_of_half},
    {"transpose_with_padding", transpose_with_padding},
    {"parts_of_dynamic", parts_of_dynamic},
    {"neighbouring_bytes", neighbouring_bytes},
    {"pipeline_of_two_stages", pipeline_of_two_stages},
    {"pipeline_of_three_stages", pipeline_of_three_stages},
    {"pipeline_of_libcu", pipeline_of_libcu},
    {"copies_of_a_group", copies_of_a_group},
    {"bulk_copies", bulk_copies},
    {"barriers_full_and_empty", barriers_full_and_empty},
    {"arrival_before_wait", arrival_before_wait},
    {"cluster_exchange", cluster_exchange},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
