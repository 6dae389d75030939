/*
 * clusters.cu - blocks launched in clusters: their ranks, cluster.sync, arrive and wait, and shared memory of the other
 * blocks read, written and updated atomically (distributed shared memory).
 */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

template <typename... Parameters, typename... Arguments>
static void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, dim3 cluster, size_t shared,
                   Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
    CHECK_KERNEL();
}

/* out: 6 numbers a block */
__global__ void ranks(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    cg::grid_group grid = cg::this_grid();
    unsigned id, count, rank;
    int *mine = &out[grid.block_rank() * 6];

    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        mine[0] = cluster.block_rank();
        mine[1] = cluster.num_blocks();
        mine[2] = cluster.block_index().x + 10 * cluster.block_index().y + 100 * cluster.block_index().z;
        mine[3] = id + 100 * count;
        mine[4] = rank;
        mine[5] = cluster.num_threads();
    }
    cluster.sync();
}

static void test_ranks(dim3 grid, dim3 cluster)
{
    int blocks = grid.x * grid.y * grid.z;
    int size = cluster.x * cluster.y * cluster.z;
    std::vector<int> want;
    int *out = device_zeros<int>(6 * blocks);

    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                int rank = x % cluster.x + cluster.x * (y % cluster.y + cluster.y * (z % cluster.z));
                int facts[6] = {rank,
                                size,
                                (int)(x % cluster.x + 10 * (y % cluster.y) + 100 * (z % cluster.z)),
                                (int)(x / cluster.x + 100 * (grid.x / cluster.x)),
                                rank,
                                size * 40};

                want.insert(want.end(), facts, facts + 6);
            }
    launch(ranks, grid, dim3(40), cluster, 0, out);
    expect_device("ranks", want, out);
    device_free(out);
}

/* Each block reads its right neighbour's shared memory, writes its left neighbour's, and adds to that of rank 0. */
__global__ void __cluster_dims__(4, 1, 1) neighbours(int *out)
{
    __shared__ int mine[64];
    __shared__ int mail[64];
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    unsigned size = cluster.num_blocks();
    int i = threadIdx.x;

    mine[i] = blockIdx.x * 1000 + i;
    if (i == 0)
        sum = 0;
    cluster.sync();
    int right = cluster.map_shared_rank(mine, (rank + 1) % size)[63 - i];

    cluster.map_shared_rank(mail, (rank + size - 1) % size)[i] = mine[i] + 7;
    atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
    cluster.sync();
    out[blockIdx.x * 192 + i] = right;
    out[blockIdx.x * 192 + 64 + i] = mail[i];
    out[blockIdx.x * 192 + 128 + i] = sum + 1000 * (int)cluster.query_shared_rank(cluster.map_shared_rank(mine, 2));
}

static void test_neighbours(void)
{
    std::vector<int> want(8 * 192);
    int *out = device_zeros<int>(want.size());

    for (int block = 0; block < 8; block++)
        for (int i = 0; i < 64; i++) {
            int first = block / 4 * 4;
            int right = first + (block + 1) % 4;

            want[block * 192 + i] = right * 1000 + 63 - i;
            want[block * 192 + 64 + i] = right * 1000 + i + 7;
            want[block * 192 + 128 + i] = (block % 4 == 0 ? 256 : 0) + 2000;
        }
    neighbours<<<8, 64>>>(out);
    CHECK_KERNEL();
    expect_device("neighbours", want, out);
    device_free(out);
}

/* A histogram whose bins are spread over the blocks of a cluster. */
__global__ void spread_histogram(const int *in, int *bins, int n, int bins_a_block)
{
    extern __shared__ int local[];
    cg::cluster_group cluster = cg::this_cluster();
    int first_bin = cluster.block_rank() * bins_a_block;

    for (int i = threadIdx.x; i < bins_a_block; i += blockDim.x)
        local[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = in[i];
        int *remote = cluster.map_shared_rank(local, bin / bins_a_block);

        atomicAdd(&remote[bin % bins_a_block], 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < bins_a_block; i += blockDim.x)
        atomicAdd(&bins[first_bin + i], local[i]);
}

static void test_histogram(int cluster, int blocks)
{
    enum { BINS = 240, N = 10007 };
    struct rng rng = {(uint64_t)cluster};
    std::vector<int> in(N), want(BINS);

    for (int &value : in)
        want[value = rng_below(&rng, BINS)]++;
    int *device_in = device_copy(in);
    int *bins = device_zeros<int>(BINS);

    launch(spread_histogram, dim3(blocks), dim3(96), dim3(cluster), BINS / cluster * sizeof(int), device_in, bins,
           (int)N, BINS / cluster);
    expect_device("histogram", want, bins);
    device_free(device_in);
    device_free(bins);
}

/* A sum handed from block to block, with arrive and wait apart; work between the two. */
__global__ void relay(int *out, int rounds)
{
    __shared__ int slots[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int busy = 0;

    if (threadIdx.x == 0)
        slots[0] = slots[1] = rank == 0 ? 1 : 0;
    cluster.sync();
    for (int round = 0; round < rounds; round++) {
        int now = round % 2;

        if (threadIdx.x == 0) {
            int *next = cluster.map_shared_rank(&slots[1 - now], (rank + 1) % cluster.num_blocks());

            *next = slots[now] + 1;
        }
        cluster.barrier_arrive();
        busy += __popc(rank + round);
        cluster.barrier_wait();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = busy < 0 ? 0 : slots[rounds % 2];
    cluster.sync(); /* no block may leave while another could still write to it */
}

static void test_relay(void)
{
    int *out = device_zeros<int>(8);
    std::vector<int> want(8);

    launch(relay, dim3(8), dim3(33), dim3(8), 0, out, 10);
    for (int rank = 0; rank < 8; rank++) /* 10 hops from the rank 10 before, whose slot started with 1 or 0 */
        want[rank] = 10 + (rank == 2 ? 1 : 0);
    expect_device("relay", want, out);
    device_free(out);
}

/* The same by hand: mapa, ld.shared::cluster, st.shared::cluster, barrier.cluster. */
__global__ void __cluster_dims__(2, 1, 1) by_hand(int *out)
{
    __shared__ int mine[32];
    unsigned address = (unsigned)__cvta_generic_to_shared(&mine[threadIdx.x]);
    unsigned rank, remote, back;
    int value;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    mine[threadIdx.x] = 100 * rank + threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(1 - rank));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(back) : "r"(remote));
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
    asm volatile("st.shared::cluster.s32 [%0], %1;" : : "r"(remote), "r"(value + 1000) : "memory");
    asm volatile("barrier.cluster.arrive;\n"
                 "barrier.cluster.wait;" ::
                     : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = mine[threadIdx.x] + 10000 * back;
}

static void test_by_hand(void)
{
    std::vector<int> want(128);
    int *out = device_zeros<int>(128);

    for (int i = 0; i < 128; i++) /* the other block read what is here, added 1000, and wrote it back here */
        want[i] = i / 32 % 2 * 100 + i % 32 + 1000 + 10000 * (1 - i / 32 % 2);
    by_hand<<<4, 32>>>(out);
    CHECK_KERNEL();
    expect_device("by hand", want, out);
    device_free(out);
}

int main(void)
{
    test_ranks(dim3(6), dim3(1));
    test_ranks(dim3(6), dim3(2));
    test_ranks(dim3(8, 3), dim3(8));
    test_ranks(dim3(4, 4, 2), dim3(2, 2, 2));
    test_neighbours();
    test_histogram(1, 3);
    test_histogram(2, 4);
    test_histogram(4, 8);
    test_histogram(8, 16);
    test_relay();
    test_by_hand();
    return passed();
}
