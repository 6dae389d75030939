/*
 * choose.cuh - which kernel computes a product, and in how many parts: a model of their times.
 */
#pragma once

#include "float32.cuh"
#include "tensor.cuh"

/* ------------------------------------------------------------------ what is kept */

constexpr int PANELS = 8, SIDE = 16384, MOST_TILES = 1 << 16;
constexpr int LEAST_K = 64; // for tensor cores: few products of a wide range excuse few errors
constexpr size_t ELEMENTS = 402653184, SLACK = 256 << 20; // of the largest case; for padding and the like, in bytes
constexpr size_t PARTIAL = 16 << 20;                      // elements of partial sums

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, compute;
    cudaEvent_t arrived[2 * PANELS], computed[2 * PANELS];
    unsigned char *memory; // of the device
    float *partial;
    unsigned *counters; // MOST_TILES; zero between launches
    size_t size;
    int multiprocessors;
    bool hopper, ready;
} device;

using square_32 = shape<1, 1, 8, 8, 4, 8, 64, 4>;
using square_64 = shape<2, 2, 2, 8, 4, 8, 32, 4>;
using tall_128 = shape<4, 2, 1, 8, 4, 8, 16, 4>;
using short_8 = shape<1, 1, 8, 1, 8, 4, 64, 3>;
using thin_8 = shape<1, 1, 8, 32, 4, 8, 64, 3>;
using short_16 = shape<1, 2, 4, 1, 16, 4, 32, 3>;
using thin_16 = shape<2, 1, 4, 32, 4, 16, 32, 3>;

/* Rows that a block of multiply_columns has; rows or columns that a kernel for few of them is compiled for. */
static int dot_rows(int m) { return m < 8 * device.multiprocessors ? 1 : DOT_ROWS; }
static int lines_of(int lines) { return lines <= 2 ? lines : lines <= 4 ? 4 : 8; }

/* ------------------------------------------------------------------ the model */

/*
 * A model of times, in microseconds. Its constants were fitted to thousands of launches at random sizes on an H200; no
 * size of a matrix is among them. A launch of a plain kernel takes LAUNCH. Then each multiprocessor has so many blocks
 * to do, and each of these its slabs. A slab takes `alone` at least, however few blocks there are: that is latency. It
 * takes `busy` where there are many. No kernel is faster than memory. Parts of k cost PARTS and PART each.
 */
constexpr double LAUNCH = 3.7, PARTS = 3.6, PART = 0.095, ODD = 0.19; // ODD: more work where rows of B are not aligned
constexpr double ALONE = 1.05; // a block that is alone gets so much more than its share of memory at least
/* With tensor cores: two launches; a megabyte to be cut; a slab of 64 k of a tile; a tile besides; a megabyte of C; a
 * third launch, and a megabyte of parts. */
constexpr double TENSOR_LAUNCH = 9.4, CUT_MB = 0.69, TENSOR_SLAB = 1.05, TENSOR_TILE = 6.1, PUT_MB = 0.8, ADD = 2.1;
constexpr double ADD_MB = 0.47;

/* What a shape costs: a slab alone, one among many, a block besides, and a megabyte of A, B or C. */
struct cost {
    double alone, busy, besides, megabyte;
};

constexpr int TILE_SHAPES = 7, COLUMNS = 7, ROWS = 8, TENSOR = -1; // shapes: tiles of `tiles`, and other kernels

/* Rows and columns of the tiles of multiply_plain, k of a slab, and the sides of C that they are not made for. */
static const struct {
    int rows, columns, slab, most_rows, most_columns;
} tiles[TILE_SHAPES] = {
    {square_32::BM, square_32::BN, square_32::BK, SIDE, SIDE},
    {square_64::BM, square_64::BN, square_64::BK, SIDE, SIDE},
    {tall_128::BM, tall_128::BN, tall_128::BK, SIDE, SIDE},
    {short_8::BM, short_8::BN, short_8::BK, 32, SIDE},
    {thin_8::BM, thin_8::BN, thin_8::BK, SIDE, 32},
    {short_16::BM, short_16::BN, short_16::BK, 32, SIDE},
    {thin_16::BM, thin_16::BN, thin_16::BK, SIDE, 32},
};

static const cost costs[] = {
    {0.85, 0.57, 1.39, 0.73}, {1.79, 0.96, 1.94, 0.52}, {1.60, 0.92, 3.01, 0.55}, {0.50, 1.51, 0.61, 0.48},
    {1.02, 1.00, 1.04, 0.39}, {3.57, 0.87, 0.50, 0.36}, {1.68, 1.47, 2.86, 0.41}, {0.47, 0.0137, 0.11, 0.42},
    {1.58, 0.0108, 0.00, 0.47},
};

/* How a product is computed. */
struct plan {
    int shape; // of a plain kernel, or TENSOR
    int parts; // of k: of all tiles, or of those that are left by whole waves
    double time;
};

/* Blocks that a multiprocessor has one after the other. */
static double rounds(double blocks) { return std::ceil(blocks / device.multiprocessors); }

/* The slabs of a part, those of them whose latency shows, the blocks of a multiprocessor. `more`: work of a slab. */
static double estimate(const cost &c, double slabs, double latencies, double blocks, double more, double megabytes,
                       int parts)
{
    const double work = std::max(latencies * c.alone, rounds(blocks) * slabs * c.busy * more);

    return LAUNCH + std::max(work + rounds(blocks) * c.besides, megabytes * c.megabyte) +
           (parts > 1 ? PARTS + PART * parts : 0);
}

static double estimate_plain(int shape, int parts, int m, int n, int k)
{
    const double megabytes = 4e-6 * ((double)m * k + (double)k * n + (double)m * n);

    if (shape == COLUMNS) {
        const double slabs = cuts(k, DOT_THREADS), rows = dot_rows(m);

        return estimate(costs[shape], slabs, std::ceil(slabs / 4), cuts(m, (int)rows), rows * (1 + lines_of(n)),
                        megabytes, 1);
    }
    if (shape == ROWS) {
        const double slabs = cuts(cuts(k, parts), STRIP_WARPS);

        return estimate(costs[shape], slabs, std::ceil(slabs / 8), (double)cuts(n, 32) * parts, 1 + lines_of(m),
                        megabytes, parts);
    }

    const double slabs = cuts(cuts(k, parts), tiles[shape].slab);
    const double blocks = (double)cuts(m, tiles[shape].rows) * cuts(n, tiles[shape].columns) * parts;

    const double share = std::max(1.0, ALONE * rounds(blocks) * device.multiprocessors / blocks);

    return estimate(costs[shape], slabs, slabs, blocks, n % 4 ? 1 + ODD : 1, megabytes * share, parts);
}

constexpr int PART_COUNTS[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};

/* Whether a shape is made for such a product, and its parts have room. */
static bool is_possible(int shape, int parts, int m, int n, int k)
{
    if (shape == COLUMNS)
        return n <= 8 && parts == 1;
    if (shape == ROWS)
        return m <= 8 && (parts == 1 || (k / parts >= STRIP_WARPS && (size_t)round_up(n, 32) * 8 * parts <= PARTIAL));

    const size_t blocks = (size_t)cuts(m, tiles[shape].rows) * cuts(n, tiles[shape].columns);

    return m <= tiles[shape].most_rows && n <= tiles[shape].most_columns &&
           (parts == 1 || (k / parts >= tiles[shape].slab / 2 && blocks <= MOST_TILES &&
                           blocks * parts * tiles[shape].rows * tiles[shape].columns <= PARTIAL));
}

static plan choose_plain(int m, int n, int k)
{
    plan best = {0, 1, INFINITY};

    for (int shape = 0; shape <= ROWS; shape++)
        for (int parts : PART_COUNTS) {
            const double time = is_possible(shape, parts, m, n, k) ? estimate_plain(shape, parts, m, n, k) : INFINITY;

            if (time < best.time)
                best = {shape, parts, time};
        }
    return best;
}

/* Tiles that are left by whole waves have their k in parts. Behind many waves blocks no longer end together. */
static int tiles_left(int tiles, int parts)
{
    return parts > 1 && tiles < 16 * device.multiprocessors ? tiles % device.multiprocessors : 0;
}

static double estimate_tensor(int m, int n, int k, int parts)
{
    const double slabs = cuts(k, SLAB), to_cut = 4e-6 * k * (round_up(m, BM) + round_up(n, BN));
    const int tiles = cuts(m, BM) * cuts(n, BN), left = tiles_left(tiles, parts);
    const double whole = rounds(tiles - left) * (slabs * TENSOR_SLAB + TENSOR_TILE);
    const double rest = rounds((double)left * parts) * (std::ceil(slabs / parts) * TENSOR_SLAB + TENSOR_TILE / 2);

    const double added = left > 0 ? ADD + ADD_MB * 4e-6 * BM * BN * left * parts : 0;

    return TENSOR_LAUNCH + to_cut * CUT_MB + std::max(whole + rest, PUT_MB * 4e-6 * m * n) + added;
}

/* In how many parts the rest of the tiles is computed; tensor cores. */
static plan choose_tensor(int m, int n, int k)
{
    plan best = {TENSOR, 1, INFINITY};

    for (int parts : PART_COUNTS) {
        const int left = tiles_left(cuts(m, BM) * cuts(n, BN), parts);
        const bool possible = parts == 1 || (left > 0 && k / parts >= 2 * SLAB &&
                                             (size_t)left * parts * BM * BN <= PARTIAL);
        const double time = possible ? estimate_tensor(m, n, k, parts) : INFINITY;

        if (time < best.time)
            best = {TENSOR, parts, time};
    }
    return best;
}

static plan choose(int m, int n, int k)
{
    const plan plain = choose_plain(m, n, k), tensor = choose_tensor(m, n, k);

    return device.hopper && k >= LEAST_K && tensor.time < plain.time ? tensor : plain;
}
