/*
 * kernels.cuh - the kernels, seen from the host: the shapes they are compiled for, memory that is kept, launches.
 */
#pragma once

#include "tiles.cuh"
#include "few.cuh"

constexpr int PANELS = 8, STREAMS = 3;
constexpr size_t ELEMENTS = 402653184, SLACK = 16 << 20; // of the largest case; for alignment and pitches, in bytes
constexpr size_t WORKSPACE = 8 << 20;                    // elements of a stream's partial sums
constexpr size_t COUNTERS = 1 << 14;                     // of parts that have arrived, behind them
constexpr int ROWS_MAX = 8, ROWS_K_MAX = 64, COLUMNS_MAX = 8; // for the kernels of few rows and columns,
constexpr int PRODUCTS_K_MAX = 40;                            // and of few products
constexpr int CLUSTER_MAX = 16, TOGETHER_MAX = 6;             // blocks of a cluster, and of a multiprocessor
constexpr int WHOLE_K_MIN = 512;                              // where whole_tiles are used without a search,
constexpr double WHOLE_SHARE = 0.9;                           // and what share of their rounds C fills
constexpr int PLANS_KEPT = 64;
constexpr int SPLITS[] = {1, 2, 3, 4, 6, 8, 12, 16};           // blocks of a cluster that divide k,
constexpr int PARTS[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32}; // and clusters that do

/* In microseconds, measured on an H200: see time_of_blocks(). docs/experts/matmul.md says how they were fitted. */
struct costs {
    float issue, latency; // of a step of k: for each block of a multiprocessor, and at least
    float fixed, joined;  // of a block; and where its cluster adds sums
    float part;           // of the last block of a tile, for each part of k that it adds
};

/* Bytes of shared memory of a multiprocessor, and those that the system keeps for each block. */
constexpr int SHARED = 228 << 10, RESERVED = 1 << 10;

constexpr double LAUNCH = 3.4, CLUSTER = 0.5609, CLUSTER_DOUBLING = 0.01; // microseconds
constexpr double ADDING = 1.956; // of parts
/* Megabytes in a microsecond. */
constexpr double MEMORY = 3.321, MEMORY_ROWS = 3.5, MEMORY_COLUMNS = 3.46, MEMORY_PRODUCTS = 3.5;

typedef void tile_function(const product);
typedef void thin_function(const product, int);

/* A kernel of multiply_tiles, with what the host must know of its shape. */
struct tile_kernel {
    tile_function *function;
    int bm, bn, shift, threads, bytes;
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
    return {multiply_tiles<S>, S::BM, S::BN, S::SHIFT, S::THREADS, S::BYTES, S::BLOCKS, S::BK, S::REPEATS ? 2 : 1,
            (S::ORDER & ALONE) != 0, cost};
}

using whole_tiles = shape<128, 256, 8, 16, 8, 1, 6, 1, 0, COPY_TWICE | ARRIVE_FIRST | ALONE>;

static const tile_kernel tiles[] = {
    kernel_of<whole_tiles>({2.58, 2.58, 4.2, 5.45, 0.2}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | COPY_TWICE>>({0.66, 0.7, 4.32, 1.82, 1.27}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3>>({0.719, 0.822, 4.83, 1.4, 1.01}),
    kernel_of<shape<64, 64, 8, 8, 8, 1, 4, 6>>({0.469, 0.766, 2.39, 2.13, 0.818}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3>>({0.722, 0.593, 4.33, 1.13, 0.791}),
    kernel_of<shape<32, 64, 4, 8, 4, 2, 4, 4>>({0.447, 0.502, 2.17, 1.43, 0.654}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3>>({0.608, 0.345, 1.83, 1.48, 0.217}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4>>({0.4, 0.463, 0.771, 1.06, 0.295}),
    kernel_of<shape<16, 128, 4, 8, 4, 2, 4, 2>>({0.567, 0.6, 2.24, 0.908, 0.438}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4>>({0.492, 0.291, 1.04, 0.774, 0.246}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4>>({0.572, 0.345, 1.94, 1.56, 0.281}),
    kernel_of<shape<32, 128, 8, 8, 4, 2, 4, 2>>({0.762, 0.74, 4.81, 0.688, 0.629}),
    kernel_of<shape<96, 128, 12, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | ARRIVE_FIRST>>({1.25, 1.12, 6.31, 1.69, 0.982}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 1, COLUMNS_FIRST | COPY_TWICE>>({0.703, 0.934, 7.61, 0.01, 4.37}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 1>>({0.86, 0.886, 5.72, 3.65, 5.85}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3, 1>>({0.861, 0.593, 7.37, 0.621, 2.33}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 1>>({0.823, 0.345, 2.29, 0.31, 0.715}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 1>>({0.491, 0.322, 2.62, 0.0778, 0.365}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 1>>({0.502, 0.291, 1.5, 0.795, 0.586}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 1>>({0.578, 0.345, 2.91, 1.36, 1.24}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 2, COLUMNS_FIRST | COPY_TWICE>>({0.703, 0.934, 7.61, 0.01, 4.37}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 2>>({0.86, 0.886, 5.72, 3.65, 5.85}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3, 2>>({0.861, 0.593, 7.37, 0.621, 2.33}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 2>>({0.823, 0.345, 2.29, 0.31, 0.715}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 2>>({0.491, 0.322, 2.62, 0.0778, 0.365}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 2>>({0.502, 0.291, 1.5, 0.795, 0.586}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 2>>({0.578, 0.345, 2.91, 1.36, 1.24}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 3, COLUMNS_FIRST | COPY_TWICE>>({0.703, 0.934, 7.61, 0.01, 4.37}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 3>>({0.86, 0.886, 5.72, 3.65, 5.85}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3, 3>>({0.861, 0.593, 7.37, 0.621, 2.33}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 3>>({0.823, 0.345, 2.29, 0.31, 0.715}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4, 3>>({0.491, 0.322, 2.62, 0.0778, 0.365}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 3>>({0.502, 0.291, 1.5, 0.795, 0.586}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 3>>({0.578, 0.345, 2.91, 1.36, 1.24}),
};
constexpr int TILES = sizeof tiles / sizeof *tiles;

/* By whether rows are aligned, and by the power of two that rows are rounded up to. */
static const thin_kernel few_rows[2][4] = {
    {{multiply_few_rows<1, 1>, 8, 8, {0.693, 0.829, 0.144, 0.739, 0.389}},
     {multiply_few_rows<2, 1>, 8, 5, {0.1, 1.15, 0.187, 0.535, 0.403}},
     {multiply_few_rows<4, 1>, 8, 4, {0.841, 1.13, 0.263, 0.982, 0.283}},
     {multiply_few_rows<8, 1>, 8, 2, {0.1, 1.7, 0.0894, 0.858, 0.184}}},
    {{multiply_few_rows<1, 4>, 8, 4, {0.1, 1.19, 0.01, 1.37, 0.5}},
     {multiply_few_rows<2, 4>, 8, 3, {0.1, 1.3, 0.01, 1.97, 0.35}},
     {multiply_few_rows<4, 4>, 8, 2, {0.1, 2.07, 0.944, 0.539, 0.228}},
     {multiply_few_rows<8, 4>, 4, 2, {0.1, 2.01, 0.449, 1.59, 0.223}}}};

/* By whether there are so many columns exactly, and by the power of two. */
static const thin_kernel few_columns[2][4] = {
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.723, 0.344, 0.894, 0.2}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.866, 0.201, 1.46, 0.2}},
     {multiply_few_columns<4, 8>, 4, 2, {0.1, 2.82, 2.72, 1.03, 0.568}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 3.1, 6.39, 2.98, 0.117}}},
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.916, 0.5, 2.34, 0.375}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.62, 1.33, 2.09, 0.313}},
     {multiply_few_columns<4, 8>, 4, 2, {0.1, 2.23, 2.39, 0.848, 0.234}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 1.89, 5.46, 0.01, 0.56}}}};

/* By whether rows are aligned. */
constexpr int PRODUCTS_ROWS[2][3] = {{1, 4, 4}, {1, 4, 8}}, PRODUCTS_COLUMNS[2][3] = {{1, 1, 4}, {4, 4, 4}};
static const thin_kernel few_products[2][3] = {
    {{multiply_few_products<1, 1, false>, 8, 6, {0.172, 1.13, 0.601, 0.02, 0.2}},
     {multiply_few_products<4, 1, false>, 8, 4, {0.1, 0.738, 0.01, 0.02, 0.2}},
     {multiply_few_products<4, 4, false>, 8, 2, {0.1, 1.24, 0.0597, 0.02, 0.2}}},
    {{multiply_few_products<1, 4, true>, 8, 4, {0.1, 0.921, 0.01, 0.02, 0.2}},
     {multiply_few_products<4, 4, true>, 8, 2, {0.1, 1.15, 0.589, 0.02, 0.2}},
     {multiply_few_products<8, 4, true>, 4, 2, {0.1, 1.19, 0.412, 0.02, 0.2}}}};

constexpr int COLUMNS_ROWS[4] = {4, 4, 8, 8}; // rows of A that a thread of few_columns has

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, compute[STREAMS];
    cudaEvent_t arrived[2 * PANELS], computed[2 * PANELS];
    float *workspace[STREAMS];
    unsigned char *memory; // of the device, for A, B and C
    size_t size;
    int multiprocessors, cluster_max;
    double log_2[CLUSTER_MAX + 1];
    int clusters[CLUSTER_MAX + 1][TOGETHER_MAX + 1]; // of so many blocks, that the device has at once, of blocks of
                                                     // which so many fit on a multiprocessor
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

constexpr int FEW_ROWS = -1, FEW_COLUMNS = -2, FEW_PRODUCTS = -3; // FEW_PRODUCTS - e: few_products[e]

/* How a product is computed: by tiles[kernel], or few_..., where 2^bits threads are side by side; with `split`
 * blocks in a cluster, and `parts` clusters, that divide k. A multiprocessor has `together` blocks at once. */
struct plan {
    int kernel, bits, split, parts, together;
    double cost; // predicted, in microseconds
};

static const thin_kernel &thin_of(const product &p, const plan &how)
{
    if (how.kernel <= FEW_PRODUCTS)
        return few_products[p.b_pitch % 4 == 0][FEW_PRODUCTS - how.kernel];
    if (how.kernel == FEW_ROWS)
        return few_rows[p.b_pitch % 4 == 0][log_2_up(std::min(p.m, ROWS_MAX))];
    return few_columns[p.n == 1 << log_2_up(p.n)][log_2_up(p.n)];
}

/* How many blocks side by side have all of C. */
static int blocks_of(const product &p, const plan &how)
{
    if (how.kernel <= FEW_PRODUCTS)
        return ceil_div(p.n, PRODUCTS_COLUMNS[p.b_pitch % 4 == 0][FEW_PRODUCTS - how.kernel] << how.bits) *
               ceil_div(p.m, PRODUCTS_ROWS[p.b_pitch % 4 == 0][FEW_PRODUCTS - how.kernel] * (THIN_THREADS >> how.bits));
    if (how.kernel == FEW_ROWS)
        return ceil_div(p.n, (p.b_pitch % 4 == 0 ? 4 : 1) << how.bits) * ceil_div(p.m, ROWS_MAX);
    if (how.kernel == FEW_COLUMNS)
        return ceil_div(p.m, COLUMNS_ROWS[log_2_up(p.n)] * (THIN_THREADS >> how.bits));
    return ceil_div(p.m, tiles[how.kernel].bm) * ceil_div(p.n, tiles[how.kernel].bn);
}

/* How many k a block has at a time. */
static int slab_of(const plan &how)
{
    if (how.kernel <= FEW_PRODUCTS)
        return 1;
    if (how.kernel < 0)
        return how.kernel == FEW_ROWS ? THIN_THREADS >> how.bits : 1 << how.bits;
    return tiles[how.kernel].slab;
}

/*
 * The device fills one multiprocessor with blocks of a cluster before the next. So where there are fewer than fit, they
 * ask for more shared memory than they need: as much that only `together` of them fit.
 */
static int shared_bytes(int needed, int together, int fit)
{
    return together < fit ? std::max(needed, SHARED / (together + 1) - RESERVED + 128) : needed;
}

static void launch_plan(product p, const plan &how, float *workspace, cudaStream_t stream)
{
    const bool thin = how.kernel < 0;
    const int fit = thin ? thin_of(p, how).blocks : tiles[how.kernel].blocks;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};

    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = how.split;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    config.gridDim = dim3(blocks_of(p, how) * how.split, how.parts);
    config.blockDim = dim3(thin ? THIN_THREADS : tiles[how.kernel].threads);
    config.dynamicSmemBytes = shared_bytes(thin ? 0 : tiles[how.kernel].bytes, how.together, fit);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = how.split > 1 ? 2 : 0;
    if (how.parts > 1) {
        p.sum = p.c;
        p.sum_pitch = p.c_pitch;
        p.c = workspace;
        p.c_pitch = (int)round_up(p.n, 4);
        p.part = (size_t)p.m * p.c_pitch;
        p.arrived = (unsigned *)(workspace + WORKSPACE);
    }
    if (thin)
        CALL(cudaLaunchKernelEx(&config, thin_of(p, how).function, p, how.bits));
    else
        CALL(cudaLaunchKernelEx(&config, tiles[how.kernel].function, p));
}
