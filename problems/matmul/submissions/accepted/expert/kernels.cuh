/*
 * kernels.cuh - the kernels, seen from the host: the shapes they are compiled for, memory that is kept, launches.
 */
#pragma once

#include "tiles.cuh"
#include "few.cuh"

constexpr int PANELS = 8, STREAMS = 3;
constexpr size_t ELEMENTS = 402653184, SLACK = 16 << 20; // of the largest case; for alignment and pitches, in bytes
constexpr size_t WORKSPACE = 8 << 20;                    // elements of a stream's partial sums
constexpr size_t ALIGNED = 16384 * 256;                  // elements of its copy of B
constexpr int ROWS_MAX = 8, ROWS_K_MAX = 64, COLUMNS_MAX = 8; // for the kernels of few rows and columns
constexpr int CLUSTER_MAX = 16, PARTS_MAX = 16;               // blocks of a cluster, clusters that divide k
constexpr int ALIGNED_MIN = 32;     // columns from which rows of B may be aligned first,
constexpr double ALIGNED_ALWAYS = 2e7; // and are, from so many products on
constexpr int SPLITS[] = {1, 2, 3, 4, 6, 8, 12, 16};

/* In microseconds, measured on an H200: see time_of_blocks(). docs/experts/matmul.md says how they were fitted. */
struct costs {
    float issue, latency; // of a step of k: for each block of a multiprocessor, and at least
    float fixed, joined;  // of a block; and where its cluster adds sums
};

constexpr double LAUNCH = 4.07, CLUSTER = 0.241, CLUSTER_DOUBLING = 0.0748; // microseconds
constexpr double ADDING = 2, ADDING_MEGABYTE = 0.809;             // of add_parts
constexpr double ALIGNING = 2.5, ALIGNING_MEGABYTE = 0.6;              // of align_rows
constexpr double MEMORY = 2.82, MEMORY_ROWS = 2.85, MEMORY_COLUMNS = 3.47; // megabytes in a microsecond

typedef void tile_function(const product);
typedef void thin_function(const product, int);

/* A kernel of multiply_tiles, with what the host must know of its shape. */
struct tile_kernel {
    tile_function *function;
    int bm, bn, width, threads, bytes;
    int blocks; // that a multiprocessor has at once
    int slab, least; // k of a step, and how many steps a block must have
    bool alone; // it has no clusters
    costs cost;
};

/* A kernel of few rows or columns; a step are `depth` rounds of its loop. */
struct thin_kernel {
    thin_function *function;
    int depth, blocks;
    costs cost;
};

template <class S> constexpr tile_kernel kernel_of(costs cost)
{
    return {multiply_tiles<S>, S::BM, S::BN, S::WIDTH, S::THREADS, S::BYTES, S::BLOCKS, S::BK, S::REPEATS ? 2 : 1,
            (S::ORDER & ALONE) != 0, cost};
}

using whole_tiles = shape<128, 256, 8, 16, 8, 1, 6, 1, 4, COPY_TWICE | ARRIVE_FIRST | ALONE>;

static const tile_kernel tiles[] = {
    kernel_of<whole_tiles>({2.58, 2.58, 3.51, 5.45}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 4, COLUMNS_FIRST | COPY_TWICE>>({0.685, 0.741, 1.44, 3.35}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 4>>({0.72, 0.743, 2.24, 2.48}),
    kernel_of<shape<64, 64, 8, 8, 8, 1, 4, 6, 4>>({0.414, 0.87, 3.2, 0.972}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3, 4>>({0.782, 0.593, 1.2, 2.21}),
    kernel_of<shape<32, 64, 4, 8, 4, 2, 4, 4, 4>>({0.397, 0.797, 1.03, 1.46}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 4>>({0.564, 0.345, 1.21, 0.924}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 4>>({0.35, 0.322, 0.882, 0.964}),
    kernel_of<shape<16, 128, 4, 8, 4, 2, 4, 2, 4>>({0.403, 0.607, 2.4, 1.02}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 4>>({0.291, 0.291, 1.18, 1.53}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 4>>({0.502, 0.345, 1.41, 1.4}),
    kernel_of<shape<32, 128, 8, 8, 4, 2, 4, 2, 4>>({0.784, 0.842, 1.65, 2.59}),
    kernel_of<shape<96, 128, 12, 8, 8, 1, 4, 3, 4, COLUMNS_FIRST | ARRIVE_FIRST>>({1.03, 1.29, 3.17, 3.21}),
    kernel_of<shape<32, 64, 4, 8, 4, 2, 4, 4, 1>>({1.13, 0.345, 0.4, 1.1}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 1>>({0.86, 0.345, 1.23, 1.07}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 1>>({1.07, 0.542, 0.038, 1.03}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 1>>({0.208, 0.214, 1.96, 0.478}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 1>>({0.652, 0.677, 0.827, 2.33}),
};
constexpr int TILES = sizeof tiles / sizeof *tiles;

/* By whether rows are aligned, and by the power of two that rows are rounded up to. */
static const thin_kernel few_rows[2][4] = {
    {{multiply_few_rows<1, 1>, 8, 8, {0.722, 0.718, 3.65e-05, 0.456}},
     {multiply_few_rows<2, 1>, 8, 5, {0.1, 0.886, 4.98e-05, 0.268}},
     {multiply_few_rows<4, 1>, 8, 4, {1.05, 1.08, 9.18e-06, 0.157}},
     {multiply_few_rows<8, 1>, 8, 2, {0.1, 0.689, 0.38, 0.325}}},
    {{multiply_few_rows<1, 4>, 8, 4, {0.1, 1.83, 0, 0}},
     {multiply_few_rows<2, 4>, 8, 3, {0.1, 1.86, 0, 0.216}},
     {multiply_few_rows<4, 4>, 8, 2, {0.1, 1.68, 0.606, 0.0746}},
     {multiply_few_rows<8, 4>, 4, 2, {0.1, 2.44, 5.56e-06, 0.853}}}};

/* By whether there are so many columns exactly, and by the power of two. */
static const thin_kernel few_columns[2][4] = {
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.723, 0.344, 0.894}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.866, 0.201, 1.46}},
     {multiply_few_columns<4, 8>, 4, 2, {0.1, 2.39, 3.87, 1.34}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 2.77, 9.35, 2.51}}},
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.723, 0.344, 0.894}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.866, 0.201, 1.46}},
     {multiply_few_columns<4, 8>, 4, 2, {0.1, 0.815, 2.89, 0.4}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 2.2, 5.76, 1.53}}}};

constexpr int COLUMNS_ROWS[4] = {4, 4, 8, 8}; // rows of A that a thread of few_columns has

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, compute[STREAMS];
    cudaEvent_t arrived[2 * PANELS], computed[2 * PANELS];
    float *workspace[STREAMS];
    unsigned char *memory; // of the device, for A, B and C
    size_t size;
    int multiprocessors, cluster_max;
    int clusters[TILES][CLUSTER_MAX + 1]; // of so many blocks, that the device has at once
} device;

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }
static int ceil_div(int x, int unit) { return (x + unit - 1) / unit; }

static int log_2_up(int x)
{
    int bits = 0;

    while (1 << bits < x)
        bits++;
    return bits;
}

constexpr int FEW_ROWS = -1, FEW_COLUMNS = -2;

/* How a product is computed: by tiles[kernel], or few_..., where 2^bits threads are side by side; with `split`
 * blocks in a cluster, and `parts` clusters, that divide k. */
struct plan {
    int kernel, bits, split, parts;
    double cost; // predicted, in microseconds
};

static const thin_kernel &thin_of(const product &p, const plan &how)
{
    if (how.kernel == FEW_ROWS)
        return few_rows[p.b_pitch % 4 == 0][log_2_up(std::min(p.m, ROWS_MAX))];
    return few_columns[p.n == 1 << log_2_up(p.n)][log_2_up(p.n)];
}

/* How many blocks side by side have all of C. */
static int blocks_of(const product &p, const plan &how)
{
    if (how.kernel == FEW_ROWS)
        return ceil_div(p.n, (p.b_pitch % 4 == 0 ? 4 : 1) << how.bits) * ceil_div(p.m, ROWS_MAX);
    if (how.kernel == FEW_COLUMNS)
        return ceil_div(p.m, COLUMNS_ROWS[log_2_up(p.n)] * (THIN_THREADS >> how.bits));
    return ceil_div(p.m, tiles[how.kernel].bm) * ceil_div(p.n, tiles[how.kernel].bn);
}

/* How many k a block has at a time. */
static int slab_of(const plan &how)
{
    return how.kernel == FEW_ROWS ? THIN_THREADS >> how.bits : how.kernel == FEW_COLUMNS ? 1 << how.bits
                                                                                         : tiles[how.kernel].slab;
}

static void launch_plan(product p, const plan &how, float *workspace, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2] = {}, &attribute = attributes[0];
    cudaLaunchConfig_t config = {};
    float *const c = p.c;
    const int c_pitch = p.c_pitch;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = how.split;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks_of(p, how) * how.split, how.parts);
    config.blockDim = dim3(how.kernel < 0 ? THIN_THREADS : tiles[how.kernel].threads);
    config.dynamicSmemBytes = how.kernel < 0 ? 0 : tiles[how.kernel].bytes;
    config.stream = stream;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    config.attrs = attributes;
    config.numAttrs = how.split > 1 ? 2 : 0;
    if (how.parts > 1) {
        p.c = workspace;
        p.c_pitch = (int)round_up(p.n, 4);
        p.part = (size_t)p.m * p.c_pitch;
    }
    if (how.kernel >= 0)
        CALL(cudaLaunchKernelEx(&config, tiles[how.kernel].function, p));
    else
        CALL(cudaLaunchKernelEx(&config, thin_of(p, how).function, p, how.bits));
    if (how.parts == 1)
        return;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(ceil_div(p.n, 256), std::min(p.m, 1024));
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = 0;
    config.numAttrs = 1;
    CALL(cudaLaunchKernelEx(&config, add_parts, (const float *)workspace, how.parts, p.part, p.c_pitch, c, c_pitch,
                            p.m, p.n));
}
