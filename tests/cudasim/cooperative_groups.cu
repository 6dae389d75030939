/*
 * cooperative_groups.cu - groups of threads: blocks, tiles of 1 to 128 threads, coalesced and partitioned groups, the
 * whole grid, with their collectives, and copies made by a group.
 */
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

/* --- a block of three dimensions --- */

__global__ void block_ranks(int *out)
{
    __shared__ int ranks[3 * 5 * 7];
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    int rank = block.thread_rank();
    dim3 index = block.thread_index();

    ranks[rank] = index.x + 100 * index.y + 10000 * index.z;
    block.sync();
    int other = (rank + 17) % block.size();

    out[grid.thread_rank()] = ranks[other] + 1000000 * block.group_index().y + (grid.size() == 6 * 105 ? 0 : 7);
}

static void test_block(void)
{
    std::vector<int> want(6 * 105);
    int *out = device_zeros<int>(want.size());

    for (int block = 0; block < 6; block++)
        for (int rank = 0; rank < 105; rank++) {
            int other = (rank + 17) % 105;

            want[block * 105 + rank] = other % 3 + 100 * (other / 3 % 5) + 10000 * (other / 15) + block / 2 * 1000000;
        }
    block_ranks<<<dim3(2, 3), dim3(3, 5, 7)>>>(out);
    CHECK_KERNEL();
    expect_device("block", want, out);
    device_free(out);
}

/* --- tiles --- */

enum { FACTS = 18 };

/* out: FACTS rows of blockDim.x */
template <int SIZE> __global__ void tiles(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(block);
    int n = blockDim.x;
    int i = threadIdx.x;
    int value = in[i];
    int facts[FACTS] = {
        (int)tile.thread_rank(),
        (int)tile.meta_group_rank(),
        (int)tile.meta_group_size(),
        tile.shfl(value, SIZE / 2),
        tile.shfl_up(value, 1),
        tile.shfl_down(value, SIZE / 2),
        tile.shfl_xor(value, SIZE / 2),
        (int)tile.ballot(value & 1),
        tile.any(value % 5 == 0),
        tile.all(value > 10),
        (int)tile.match_any(value & 3),
        cg::reduce(tile, value, cg::plus<int>()),
        cg::reduce(tile, value, cg::less<int>()),
        cg::reduce(tile, value, cg::greater<int>()),
        cg::reduce(tile, value, cg::bit_xor<int>()),
        cg::inclusive_scan(tile, value),
        cg::exclusive_scan(tile, value),
        cg::inclusive_scan(tile, value, cg::greater<int>()),
    };

    for (int fact = 0; fact < FACTS; fact++)
        out[fact * n + i] = facts[fact];
    tile.sync();
}

template <int SIZE> static void test_tiles(void)
{
    enum { N = 96 };
    struct rng rng = {SIZE};
    std::vector<int> in(N), want(FACTS * N);

    for (int &value : in)
        value = rng_below(&rng, 200);
    for (int i = 0; i < N; i++) {
        int start = i / SIZE * SIZE;
        int rank = i - start;
        int sum = 0, low = INT32_MAX, high = INT32_MIN, odd = 0, ballot = 0, any = 0, all = 1, match = 0;
        int inclusive = 0, highest = INT32_MIN;

        for (int j = 0; j < SIZE; j++) {
            int value = in[start + j];

            sum += value;
            low = std::min(low, value);
            high = std::max(high, value);
            odd ^= value;
            ballot |= (value & 1) << j;
            any |= value % 5 == 0;
            all &= value > 10;
            match |= (int)((value & 3) == (in[i] & 3)) << j;
            if (j <= rank) {
                inclusive += value;
                highest = std::max(highest, value);
            }
        }
        int facts[FACTS] = {rank,
                            i / SIZE,
                            N / SIZE,
                            in[start + SIZE / 2],
                            rank ? in[i - 1] : in[i],
                            rank + SIZE / 2 < SIZE ? in[i + SIZE / 2] : in[i],
                            in[start + (rank ^ SIZE / 2) % SIZE],
                            ballot,
                            any,
                            all,
                            match,
                            sum,
                            low,
                            high,
                            odd,
                            inclusive,
                            inclusive - in[i],
                            highest};

        for (int fact = 0; fact < FACTS; fact++)
            want[fact * N + i] = facts[fact];
    }
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(want.size());

    tiles<SIZE><<<1, N>>>(device_in, device_out);
    CHECK_KERNEL();
    expect_device("tiles", want, device_out);
    device_free(device_in);
    device_free(device_out);
}

/* Tiles of several warps need some shared memory. */
template <int SIZE> __global__ void large_tiles(const int *in, long long *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<SIZE>(block);
    long long value = in[threadIdx.x];

    out[threadIdx.x] = cg::reduce(tile, value, cg::plus<long long>());
    tile.sync();
    out[256 + threadIdx.x] = tile.shfl(value, 3);
    out[512 + threadIdx.x] = tile.any(value == 7);
    out[768 + threadIdx.x] = cg::inclusive_scan(tile, value);
}

template <int SIZE> static void test_large_tiles(void)
{
    struct rng rng = {SIZE};
    std::vector<int> in(256);
    std::vector<long long> want(1024);

    for (int &value : in)
        value = rng_below(&rng, 300);
    for (int i = 0; i < 256; i++) {
        int start = i / SIZE * SIZE;

        for (int j = start; j < start + SIZE; j++) {
            want[i] += in[j];
            want[512 + i] |= in[j] == 7;
            want[768 + i] += j <= i ? in[j] : 0;
        }
        want[256 + i] = in[start + 3];
    }
    int *device_in = device_copy(in);
    long long *device_out = device_zeros<long long>(1024);

    large_tiles<SIZE><<<1, 256>>>(device_in, device_out);
    CHECK_KERNEL();
    expect_device("large tiles", want, device_out);
    device_free(device_in);
    device_free(device_out);
}

/* A tile whose size is known only when the program runs. */
__global__ void dynamic_tiles(int *out, int size)
{
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), size);

    out[threadIdx.x] = tile.size() * 1000 + tile.thread_rank();
    tile.sync();
}

static void test_dynamic_tiles(void)
{
    int *out = device_zeros<int>(64);

    for (int size = 1; size <= 32; size *= 2) {
        std::vector<int> want(64);

        for (int i = 0; i < 64; i++)
            want[i] = size * 1000 + i % size;
        dynamic_tiles<<<1, 64>>>(out, size);
        CHECK_KERNEL();
        expect_device("dynamic tiles", want, out);
    }
    device_free(out);
}

/* --- coalesced, labeled and binary groups --- */

/* out: 5 rows of 64; counter: one increment of the group's size by the group's leader */
__global__ void divergent_groups(int *out, int *counter)
{
    int i = threadIdx.x;
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());

    if (i % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();

        /* Which threads form the group is not promised; what is checked holds for any division. */
        int last = group.shfl(i, group.size() - 1);
        int sum = cg::reduce(group, 1, cg::plus<int>());
        int before = cg::exclusive_scan(group, 1);

        out[i] = sum == (int)group.size() && before == (int)group.thread_rank() && last >= i;
        if (group.thread_rank() == 0)
            atomicAdd(counter, group.size());
    } else {
        out[i] = 1;
    }
    warp.sync();
    cg::coalesced_group same = cg::labeled_partition(warp, i % 5);

    out[64 + i] = same.size();
    out[128 + i] = cg::reduce(same, i, cg::plus<int>());
    out[192 + i] = same.thread_rank();
    cg::coalesced_group half = cg::binary_partition(warp, i % 7 < 3);

    out[256 + i] = cg::reduce(half, i, cg::greater<int>()) + 1000 * half.size() + 100000 * half.meta_group_rank();
}

static void test_divergent_groups(void)
{
    std::vector<int> want(320, 1);
    int *out = device_zeros<int>(320);
    int *counter = device_zeros<int>(1);

    for (int i = 0; i < 64; i++) {
        int size = 0, sum = 0, rank = 0, half = 0, high = 0;

        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) {
            if (j % 5 == i % 5) {
                size++;
                sum += j;
                rank += j < i;
            }
            if ((j % 7 < 3) == (i % 7 < 3)) {
                half++;
                high = j;
            }
        }
        want[64 + i] = size;
        want[128 + i] = sum;
        want[192 + i] = rank;
        want[256 + i] = high + 1000 * half + 100000 * (i % 7 < 3 ? 0 : 1);
    }
    divergent_groups<<<1, 64>>>(out, counter);
    CHECK_KERNEL();
    std::vector<int> got = host_copy(out, 320);

    /* The order of the two halves among themselves is not documented: compare all but it. */
    for (int i = 256; i < 320; i++) {
        got[i] %= 100000;
        want[i] %= 100000;
    }
    expect_equal("divergent groups", want, got);
    expect_value("coalesced", 22, host_copy(counter, 1)[0]);
    device_free(out);
    device_free(counter);
}

/* --- reductions into memory, and one thread for all --- */

__global__ void into_memory(int *sums)
{
    __shared__ int chosen;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    cuda::atomic_ref<int, cuda::thread_scope_device> low(sums[1]);
    cuda::atomic_ref<int, cuda::thread_scope_device> total(sums[0]);

    if (block.thread_rank() == 0)
        chosen = 0;
    block.sync();
    cg::reduce_update_async(tile, total, (int)block.thread_rank(), cg::plus<int>());
    cg::reduce_update_async(tile, low, -(int)block.thread_rank(), cg::less<int>());
    cg::invoke_one(tile, [&] { atomicAdd(&chosen, 1); });
    int leader = cg::invoke_one_broadcast(tile, [&] { return (int)block.thread_rank() / 16; });

    block.sync();
    if (leader != (int)block.thread_rank() / 16)
        atomicAdd(&sums[2], 1000);
    if (block.thread_rank() == 0)
        atomicAdd(&sums[2], chosen);
}

static void test_into_memory(void)
{
    int *sums = device_zeros<int>(3);

    into_memory<<<2, 80>>>(sums);
    CHECK_KERNEL();
    expect_device("into memory", std::vector<int>{79 * 80, -79, 10}, sums);
    device_free(sums);
}

/* --- the grid --- */

/* Rounds of: each element becomes the sum of its two neighbours in the ring. */
__global__ void ring(int *from, int *to, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();

    for (int round = 0; round < rounds; round++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
        grid.sync();
        int *swap = from;

        from = to;
        to = swap;
    }
}

static void test_grid(int blocks, int n, int rounds)
{
    struct rng rng = {(uint64_t)n};
    std::vector<int> values(n), next(n);

    for (int &value : values)
        value = rng_below(&rng, 50);
    int *from = device_copy(values);
    int *to = device_zeros<int>(n);
    int *results[] = {from, to};
    void *arguments[] = {&from, &to, &n, &rounds};

    CUDA_CHECK(cudaLaunchCooperativeKernel((void *)ring, dim3(blocks), dim3(64), arguments, 0, 0));
    CHECK_KERNEL();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            next[i] = values[(i + 1) % n] + values[(i + n - 1) % n];
        values.swap(next);
    }
    expect_device("grid", values, results[rounds % 2]);
    device_free(from);
    device_free(to);
}

/* Phases by arrive and wait, and the ranks of blocks. */
__global__ void phases(int *counts, int *out)
{
    cg::grid_group grid = cg::this_grid();

    if (threadIdx.x == 0)
        atomicAdd(&counts[0], 1);
    auto token = grid.barrier_arrive();

    grid.barrier_wait(std::move(token));
    if (threadIdx.x == 0)
        out[grid.block_rank()] = counts[0] * 100 + grid.num_blocks();
}

static void test_phases(void)
{
    int *counts = device_zeros<int>(1);
    int *out = device_zeros<int>(12);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = dim3(3, 2, 2);
    config.blockDim = dim3(40);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, phases, counts, out));
    CHECK_KERNEL();
    expect_device("phases", std::vector<int>(12, 1212), out);
    device_free(counts);
    device_free(out);
}

/* --- copies by a group --- */

__global__ void copies(const int *in, int *out, int n)
{
    extern __shared__ int staged[];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    cg::memcpy_async(block, staged, in, n * sizeof(int));
    cg::wait(block);
    for (int i = block.thread_rank(); i < n; i += block.size())
        out[i] = staged[n - 1 - i];
    block.sync();
    /* Two batches in flight; the first is complete when at most one is pending. */
    int *mine = staged + warp.meta_group_rank() * 64;
    const int *from = in + (3 - warp.meta_group_rank()) * 64;

    cg::memcpy_async(warp, mine, 32, from, 32);
    cg::memcpy_async(warp, mine + 32, 32, from + 32, 32);
    cg::wait_prior<1>(warp);
    out[n + warp.meta_group_rank() * 64 + warp.thread_rank()] = mine[31 - warp.thread_rank()];
    cg::wait(warp);
    out[n + warp.meta_group_rank() * 64 + 32 + warp.thread_rank()] = mine[63 - warp.thread_rank()];
}

static void test_copies(void)
{
    enum { N = 333 };
    std::vector<int> in(N), want(N + 256);

    for (int i = 0; i < N; i++)
        in[i] = i * i;
    for (int i = 0; i < N; i++)
        want[i] = in[N - 1 - i];
    for (int i = 0; i < 256; i++)
        want[N + i] = in[(3 - i / 64) * 64 + i % 64 / 32 * 32 + 31 - i % 32];
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(want.size());

    copies<<<1, 128, N * sizeof(int)>>>(device_in, device_out, N);
    CHECK_KERNEL();
    expect_device("copies", want, device_out);
    device_free(device_in);
    device_free(device_out);
}

int main(void)
{
    test_block();
    test_tiles<1>();
    test_tiles<2>();
    test_tiles<4>();
    test_tiles<8>();
    test_tiles<16>();
    test_tiles<32>();
    test_large_tiles<64>();
    test_large_tiles<128>();
    test_dynamic_tiles();
    test_divergent_groups();
    test_into_memory();
    test_grid(1, 100, 3);
    test_grid(20, 1000, 7);
    test_grid(64, 5000, 4);
    test_phases();
    test_copies();
    return passed();
}
