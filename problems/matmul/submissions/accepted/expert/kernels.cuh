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
constexpr int PRODUCTS_K_MAX = 40;                            // and of few products;
constexpr int NARROW_MAX = 64, NARROW_K_MAX = 256;            // columns and k of multiply_narrow
constexpr int CLUSTER_MAX = 16, TOGETHER_MAX = 6;             // blocks of a cluster, and of a multiprocessor
constexpr int LONG_K = 2048;                                  // of one row: long_row
constexpr int WHOLE_K_MIN = 512;                              // where whole_tiles are used without a search,
constexpr double WHOLE_SHARE = 0.9;                           // and what share of their rounds C fills
constexpr int SHORT = 32;                                     // columns whose rows are not aligned: pitch_of()
constexpr int PLANS_KEPT = 64;
constexpr int SPLITS[] = {1, 2, 3, 4, 6, 8, 12, 16};           // blocks of a cluster that divide k,
constexpr int PARTS[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128}; // and clusters that do;
constexpr int PARTS_MAX = 32; // only long_row has more: its warps add them, and from so many on each costs little

/* In microseconds, measured on an H200: see time_of_blocks(). docs/experts/matmul.md says how they were fitted. */
struct costs {
    float issue, latency; // of a step of k: for each block of a multiprocessor, and at least
    float fixed, joined;  // of a block; and where its cluster adds sums
    float part;           // of the last block of a tile, for each part of k that it adds
    float bandwidth;      // megabytes in a microsecond that the kernel reads and writes at most
};

/* Bytes of shared memory of a multiprocessor, and those that the system keeps for each block. */
constexpr int SHARED = 228 << 10, RESERVED = 1 << 10;

constexpr double LAUNCH = 3.4, CLUSTER = 0.5609, CLUSTER_DOUBLING = 0.01; // microseconds
constexpr double ADDING = 1.956, PART_OF_WARP = 0.005; // of parts; of each where warps add them
constexpr double PIECE = 19; // bytes that reading a piece of a row costs more

typedef void tile_function(const product);
typedef void thin_function(const product, int);

/* A kernel of multiply_tiles, with what the host must know of its shape. */
struct tile_kernel {
    tile_function *function;
    int bm, bn, shift, threads, bytes;
    int blocks; // that a multiprocessor has at once
    int slab, least; // k of a step, and how many steps a block must have
    bool alone; // it has no clusters
    bool halves; // it is for a K that leaves half a slab, or less
    costs cost;
};

/* A kernel of few rows or columns; a step are `depth` rounds of its loop. */
struct thin_kernel {
    thin_function *function;
    int depth, blocks;
    costs cost;
    int threads = THIN_THREADS;
    int (*bytes)(int k) = nullptr; // of shared memory; none if null
};

template <class S> constexpr tile_kernel kernel_of(costs cost)
{
    return {multiply_tiles<S>, S::BM, S::BN, S::SHIFT, S::THREADS, S::BYTES, S::BLOCKS, S::BK, S::REPEATS ? 2 : 1,
            (S::ORDER & ALONE) != 0, S::HALF, cost};
}

using whole_tiles = shape<128, 256, 8, 16, 8, 1, 6, 1, 0, COPY_TWICE | ARRIVE_FIRST | ALONE>;

static const tile_kernel tiles[] = {
    kernel_of<whole_tiles>({1.32, 2.55, 7.92, 5.45, 0.2, 3.32}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | COPY_TWICE>>({0.668, 0.753, 4.35, 3.47, 1.42, 1.59}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | COPY_TWICE>>({0.709, 0.841, 6.7, 4.97, 0.958, 3.32}),
    kernel_of<shape<64, 64, 8, 8, 8, 1, 4, 6, 0, COLUMNS_FIRST>>({0.534, 1.1, 2.34, 12, 6, 2.31}),
    kernel_of<shape<64, 64, 8, 8, 8, 2, 4, 3>>({0.827, 0.765, 4.46, 2.57, 0.664, 1.02}),
    kernel_of<shape<32, 64, 4, 8, 4, 2, 4, 4>>({0.514, 0.285, 2.03, 1.61, 0.555, 1.48}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3>>({0.711, 0.345, 2, 1.8, 1.17, 2.38}),
    kernel_of<shape<16, 64, 4, 4, 4, 2, 4, 4>>({0.481, 0.508, 0.796, 0.87, 0.327, 1.73}),
    kernel_of<shape<16, 128, 4, 8, 4, 2, 4, 2>>({0.562, 0.599, 2.79, 1.28, 0.47, 4.49}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4>>({0.637, 0.291, 2.07, 0.334, 0.494, 1.6}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4>>({0.577, 0.295, 2.49, 1.87, 0.202, 0.735}),
    kernel_of<shape<32, 128, 8, 8, 4, 2, 4, 2>>({0.795, 1.59, 6.36, 0.131, 0.352, 2.97}),
    kernel_of<shape<96, 128, 12, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | ARRIVE_FIRST>>(
        {1.27, 0.625, 12.6, 0.0517, 0.0756, 3.32}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 1>>({1, 0.69, 1.56, 0.62, 0.993, 1.57}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 1>>({0.658, 0.291, 1.94, 0.207, 1.45, 2.25}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 1>>({0.771, 0.345, 4.24, 0.54, 6, 1.34}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 2>>({1, 0.69, 1.56, 0.62, 0.993, 1.57}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 2>>({0.658, 0.291, 1.94, 0.207, 1.45, 2.25}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 2>>({0.771, 0.345, 4.24, 0.54, 6, 1.34}),
    kernel_of<shape<32, 32, 4, 4, 8, 4, 4, 3, 3>>({1, 0.69, 1.56, 0.62, 0.993, 1.57}),
    kernel_of<shape<64, 16, 4, 4, 8, 2, 4, 4, 3>>({0.658, 0.291, 1.94, 0.207, 1.45, 2.25}),
    kernel_of<shape<64, 32, 4, 8, 8, 2, 4, 4, 3>>({0.771, 0.345, 4.24, 0.54, 6, 1.34}),
    kernel_of<shape<64, 64, 8, 8, 8, 1, 4, 6, 0, COLUMNS_FIRST | HALVES | ALONE>>(
        {0.491, 1.02, 2.23, 8.52, 3.27, 3.25}),
    kernel_of<shape<64, 128, 8, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | COPY_TWICE | HALVES | ALONE>>(
        {0.687, 0.762, 2.62, 4.21, 1.6, 1.19}),
    kernel_of<shape<128, 64, 8, 8, 8, 1, 4, 3, 0, COLUMNS_FIRST | COPY_TWICE | HALVES | ALONE>>(
        {3.96, 0.778, 8.34, 5.6, 1.04, 1.81}),
};
constexpr int TILES = sizeof tiles / sizeof *tiles;

/* By whether rows are aligned, and by the power of two that rows are rounded up to. */
static const thin_kernel few_rows[2][4] = {
    {{multiply_few_rows<1, 1>, 8, 8, {1.02, 0.29, 0.402, 1.11, 0.674, 3.5}},
     {multiply_few_rows<2, 1>, 8, 5, {1.52, 0.778, 0.0963, 0.851, 0.57, 2.6}},
     {multiply_few_rows<4, 1>, 8, 4, {2.47, 1.28, 0.0566, 0.8, 0.523, 3.5}},
     {multiply_few_rows<8, 1>, 8, 2, {1.99, 1.26, 0.01, 1.4, 0.266, 2.6}}},
    {{multiply_few_rows<1, 4>, 8, 4, {0.76, 1.11, 0.254, 1.15, 1.21, 4.46}},
     {multiply_few_rows<2, 4>, 8, 3, {0.939, 1.36, 0.255, 1.2, 3.1, 3.74}},
     {multiply_few_rows<4, 4>, 8, 2, {0.991, 1.63, 1.05, 0.885, 0.857, 4.06}},
     {multiply_few_rows<8, 4>, 4, 2, {0.1, 8.04, 1.8, 6.36, 0.571, 2.1}}}};

/* One row of A and a k from LONG_K on, where rows of B are not aligned. */
static const thin_kernel long_row = {multiply_few_rows<1, 1, 16>, 16, 8, {1.08, 0.75, 0.331, 0.89, 0.192, 3.5}};

/* By whether there are so many columns exactly, and by the power of two. */
static const thin_kernel few_columns[2][4] = {
    {{multiply_few_columns<1, 4>, 4, 5, {0.1, 0.723, 0.344, 0.894, 0.2, 3.46}},
     {multiply_few_columns<2, 4>, 4, 5, {0.1, 0.866, 0.201, 1.46, 0.2, 3.46}},
     {multiply_few_columns<4, 8>, 4, 2, {0.964, 2.83, 6.5, 1.66, 1.15, 2.68}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 12.4, 25.6, 7.63, 0.3, 3.46}}},
    {{multiply_few_columns<1, 4>, 4, 5, {0.493, 0.984, 0.663, 1.71, 6, 4.07}},
     {multiply_few_columns<2, 4>, 4, 5, {0.571, 1.08, 0.86, 1.75, 2.2, 3.64}},
     {multiply_few_columns<4, 8>, 4, 2, {0.6, 1.8, 5.55, 3.38, 6, 3.53}},
     {multiply_few_columns<8, 8>, 4, 1, {0.1, 1.17, 21.8, 1.5, 2.24, 3.46}}}};

/* By whether rows are aligned. */
constexpr int PRODUCTS_ROWS[2][3] = {{1, 4, 4}, {1, 4, 8}}, PRODUCTS_COLUMNS[2][3] = {{1, 1, 4}, {4, 4, 4}};
static const thin_kernel few_products[2][3] = {
    {{multiply_few_products<1, 1, false>, 8, 6, {1.5, 4.52, 2.36, 0.02, 0.2, 3.5}},
     {multiply_few_products<4, 1, false>, 8, 4, {0.369, 0.535, 0.01, 0.02, 0.2, 1.11}},
     {multiply_few_products<4, 4, false>, 8, 2, {0.1, 4.96, 1.5, 0.02, 0.2, 3.5}}},
    {{multiply_few_products<1, 4, true>, 8, 4, {0.422, 0.658, 0.01, 0.02, 0.2, 1.09}},
     {multiply_few_products<4, 4, true>, 8, 2, {0.1, 1.39, 0.125, 0.02, 0.2, 1.44}},
     {multiply_few_products<8, 4, true>, 4, 2, {0.1, 1.5, 0.12, 0.02, 0.2, 3.79}}}};

/* By whether K is a multiple of 4, and by the power of two that columns are rounded up to, from 4 on. */
template <int COLUMNS, bool ALIGNED> constexpr thin_kernel narrow_of(int blocks, costs cost)
{
    using shape = narrow_shape<COLUMNS>;

    return {multiply_narrow<shape, ALIGNED>, 32, blocks, cost, shape::THREADS, narrow_bytes<shape>};
}

/* By whether K is a multiple of 4, and by the power of two that columns are rounded up to, from 4 on. */
static const thin_kernel narrow[2][5] = {
    {narrow_of<4, false>(6, {0.0701, 0.0334, 0.398, 0.02, 0.2, 2.78}),
     narrow_of<8, false>(6, {0.175, 0.06, 0.577, 0.02, 0.2, 1.35}),
     narrow_of<16, false>(6, {0.273, 0.216, 0.753, 0.02, 0.2, 3.3}),
     narrow_of<32, false>(5, {0.408, 0.267, 1.23, 0.02, 0.2, 3}),
     narrow_of<64, false>(4, {0.927, 0.574, 1.27, 0.02, 0.2, 3})},
    {narrow_of<4, true>(6, {0.0983, 0.0372, 0.187, 0.02, 0.2, 2.89}),
     narrow_of<8, true>(6, {0.209, 0.097, 0.468, 0.02, 0.2, 1.65}),
     narrow_of<16, true>(6, {0.263, 0.152, 0.695, 0.02, 0.2, 1.54}),
     narrow_of<32, true>(5, {0.462, 0.4, 0.847, 0.02, 0.2, 3}),
     narrow_of<64, true>(4, {0.965, 1.49, 0.676, 0.02, 0.2, 3})}};

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

/* Of B's and C's rows of n elements on the device. Kernels for rows that begin at 16 bytes are up to 1.4 times as fast,
 * and a copy over the bus with a pitch takes up to 1 ns a row longer. Rows and K that are short are not worth it. */
static int pitch_of(int n, int k)
{
    return n > SHORT && (n > 2 * SHORT || k > 2 * SHORT) ? (int)round_up(n, 4) : n;
}
static int ceil_div(int x, int unit) { return (x + unit - 1) / unit; }

static int log_2_up(int x)
{
    int bits = 0;

    while (1 << bits < x)
        bits++;
    return bits;
}

constexpr int FEW_ROWS = -1, FEW_COLUMNS = -2, NARROW = -3;
constexpr int FEW_PRODUCTS = -4, THIN_LAST = -6; // FEW_PRODUCTS - e: few_products[e]

/* How a product is computed: by tiles[kernel], or few_..., where 2^bits threads are side by side; with `split`
 * blocks in a cluster, and `parts` clusters, that divide k. A multiprocessor has `together` blocks at once. */
struct plan {
    int kernel, bits, split, parts, together;
    double cost; // predicted, in microseconds
};

static int narrow_index(const product &p) { return log_2_up(std::max(p.n, 4)) - 2; }

static const thin_kernel &thin_of(const product &p, const plan &how)
{
    if (how.kernel <= FEW_PRODUCTS)
        return few_products[p.b_pitch % 4 == 0][FEW_PRODUCTS - how.kernel];
    if (how.kernel == NARROW)
        return narrow[p.k % 4 == 0][narrow_index(p)];
    if (how.kernel == FEW_ROWS && p.m == 1 && p.k >= LONG_K && p.b_pitch % 4 != 0)
        return long_row;
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
    if (how.kernel == NARROW)
        return ceil_div(p.m, narrow_shape<4>::ROWS);
    if (how.kernel == FEW_ROWS)
        return ceil_div(p.n, (p.b_pitch % 4 == 0 ? 4 : 1) << how.bits) * ceil_div(p.m, ROWS_MAX);
    if (how.kernel == FEW_COLUMNS)
        return ceil_div(p.m, COLUMNS_ROWS[log_2_up(p.n)] * (THIN_THREADS >> how.bits));
    return ceil_div(p.m, tiles[how.kernel].bm) * ceil_div(p.n, tiles[how.kernel].bn);
}

/* How many k a block has at a time. */
static int slab_of(const plan &how)
{
    if (how.kernel <= NARROW)
        return 1;
    if (how.kernel < 0)
        return how.kernel == FEW_ROWS ? THIN_THREADS >> how.bits : 1 << how.bits;
    return tiles[how.kernel].slab;
}

/* How many blocks of a thin kernel a multiprocessor has at once. */
static int fit_of(const thin_kernel &thin, const product &p)
{
    return thin.bytes ? std::min(thin.blocks, SHARED / (thin.bytes(p.k) + RESERVED)) : thin.blocks;
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
    const thin_kernel *const thin = how.kernel < 0 ? &thin_of(p, how) : nullptr;
    const int fit = thin ? fit_of(*thin, p) : tiles[how.kernel].blocks;
    const int bytes = !thin ? tiles[how.kernel].bytes : thin->bytes ? thin->bytes(p.k) : 0;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};

    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = how.split;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    config.gridDim = dim3(blocks_of(p, how) * how.split, how.parts);
    config.blockDim = dim3(thin ? thin->threads : tiles[how.kernel].threads);
    config.dynamicSmemBytes = shared_bytes(bytes, how.together, fit);
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
        CALL(cudaLaunchKernelEx(&config, thin->function, p, how.bits));
    else
        CALL(cudaLaunchKernelEx(&config, tiles[how.kernel].function, p));
}
