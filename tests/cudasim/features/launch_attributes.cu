/*
 * launch_attributes.cu - cudaLaunchKernelEx with its attributes; attributes of functions; occupancy of clusters.
 */
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

static __global__ void where(int *out)
{
    extern __shared__ int room[];
    auto cluster = cg::this_cluster();
    auto grid = cg::this_grid();

    room[threadIdx.x] = (int)cluster.block_rank();
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(room, (cluster.block_rank() + 1) % cluster.num_blocks()) +
                          10 * (int)cluster.num_blocks();
    cluster.sync();
    if (grid.is_valid()) {
        grid.sync();
        if (grid.thread_rank() == 0)
            for (unsigned i = 0; i < gridDim.x; i++)
                out[gridDim.x] += out[i];
    }
}

static __global__ void __launch_bounds__(128, 2) bounded(int *out) { out[threadIdx.x] = 1; }

/* A launch of these gives clusters, and no size of blocks. */
static __global__ void __block_size__((64, 1, 1)) fixed_blocks(int *out)
{
    out[blockIdx.x] = (int)(gridDim.x * 1000 + blockDim.x);
}

static __global__ void __block_size__((32, 2, 1), (2, 1, 1)) fixed_clusters(int *out)
{
    if (threadIdx.x == 0 && threadIdx.y == 1)
        out[blockIdx.x] = (int)(gridDim.x * 1000 + blockDim.x + cg::this_cluster().num_blocks());
}

static __global__ void __launch_bounds__(256, 2, 4) small_clusters(int *out)
{
    int blocks;

    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = blocks;
}

static void sizes_of_kernels(void)
{
    int *out = device_zeros<int>(6);
    std::vector<int> want(6);

    fixed_blocks<<<3>>>(out);
    CHECK_KERNEL();
    want[0] = want[1] = want[2] = 3064;
    expect_device("blocks", want, out);
    fixed_clusters<<<3>>>(out);
    CHECK_KERNEL();
    for (int &each : want)
        each = 6034;
    expect_device("clusters", want, out);
    device_free(out);
}

/* The third number of __launch_bounds__ is the most blocks of a cluster. */
static void sizes_of_clusters(void)
{
    int *out = device_zeros<int>(1);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 4, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = 8, config.blockDim = 32, config.attrs = &cluster, config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, small_clusters, out));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(host_copy(out, 1)[0] == 4);
    cluster.val.clusterDim.x = 8;
    EXPECT_ERROR(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, small_clusters, out));
    device_free(out);
}

int main(void)
{
    int *out = device_zeros<int>(9), clusters = 0, size = 0, blocks = 0, least = 0;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute list[4] = {};
    cudaFuncAttributes about;
    std::vector<int> want(9);

    list[0].id = cudaLaunchAttributeClusterDimension;
    list[0].val.clusterDim.x = 4, list[0].val.clusterDim.y = list[0].val.clusterDim.z = 1;
    list[1].id = cudaLaunchAttributeCooperative;
    list[1].val.cooperative = 1;
    list[2].id = cudaLaunchAttributePriority;
    list[2].val.priority = -1;
    list[3].id = cudaLaunchAttributeMemSyncDomain;
    list[3].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    config.gridDim = 8, config.blockDim = 32, config.dynamicSmemBytes = 100 * 1024;
    config.attrs = list, config.numAttrs = 4;
    EXPECT_ERROR(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelEx(&config, where, out));
    CUDA_CHECK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    CUDA_CHECK(cudaLaunchKernelEx(&config, where, out));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        want[8] += want[i] = (i + 1) % 4 + 40;
    expect_device("ranks", want, out);
    CUDA_CHECK(cudaFuncGetAttributes(&about, bounded));
    EXPECT(about.maxThreadsPerBlock == 128 && about.binaryVersion == 90 && about.sharedSizeBytes == 0);
    CUDA_CHECK(cudaFuncGetAttributes(&about, where));
    EXPECT(about.maxDynamicSharedSizeBytes == 100 * 1024);
    CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, where, &config));
    CUDA_CHECK(cudaDeviceGetAttribute(&least, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(clusters >= 1 && clusters <= least * 2 / 4);
    config.numAttrs = 0;
    CUDA_CHECK(cudaOccupancyMaxPotentialClusterSize(&size, where, &config));
    EXPECT(size == 8);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, where, 32, 100 * 1024));
    EXPECT(blocks == 2);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small_clusters, 1025, 0));
    EXPECT(blocks == 0); /* no block has so many threads */
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &size, bounded, 0, 0));
    EXPECT(size == 128);
    device_free(out);
    sizes_of_kernels();
    sizes_of_clusters();
    return passed();
}
