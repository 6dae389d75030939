/*
 * choose.cuh - which kernel computes a product, and in how many parts: a model of their times.
 */
#pragma once

#include "tensor.cuh"

/* ------------------------------------------------------------------ what is kept */

constexpr int PANELS = 8, SIDE = 16384, MOST_TILES = 1 << 16;
constexpr int LEAST_K = 128; // for tensor cores: few products of a wide range excuse few errors
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

/* ------------------------------------------------------------------ the model */

/*
 * A model of times, in microseconds. Its constants were fitted to thousands of launches at random sizes on an H200; no
 * size of a matrix is among them. Two launches; a megabyte to be cut; a slab of 64 k of a tile; a tile besides; a
 * megabyte of C; a third launch, and a megabyte of parts.
 */
constexpr double TENSOR_LAUNCH = 9.4, CUT_MB = 0.69, TENSOR_SLAB = 1.05, TENSOR_TILE = 6.1, PUT_MB = 0.8, ADD = 2.1;
constexpr double ADD_MB = 0.47;

/* How tensor cores compute a product. */
struct plan {
    int parts; // of k, of the tiles that are left by whole waves
    double time;
};

/* Blocks that a multiprocessor has one after the other. */
static double rounds(double blocks) { return std::ceil(blocks / device.multiprocessors); }

constexpr int PART_COUNTS[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};

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
    plan best = {1, INFINITY};

    for (int parts : PART_COUNTS) {
        const int left = tiles_left(cuts(m, BM) * cuts(n, BN), parts);
        const bool possible = parts == 1 || (left > 0 && k / parts >= 2 * SLAB &&
                                             (size_t)left * parts * BM * BN <= PARTIAL);
        const double time = possible ? estimate_tensor(m, n, k, parts) : INFINITY;

        if (time < best.time)
            best = {parts, time};
    }
    return best;
}

/* Whether tensor cores are to compute the product: where they can, and take less time than the float32 units. */
static bool is_for_tensor_cores(int m, int n, int k)
{
    if (!device.hopper || k < LEAST_K)
        return false;

    const int pitch = float32::pitch_of(n, k);
    const float32::product plain = {nullptr, nullptr, nullptr, m, n, k, k, pitch, pitch, 0, nullptr, 0, nullptr};

    return choose_tensor(m, n, k).time < float32::plan_for(plain).cost;
}
