/*
 * plan.cuh - the choice of a plan, by a model of the time that a kernel and a division of k take.
 */
#pragma once

#include "kernels.cuh"

/*
 * The model. A launch takes LAUNCH, clusters and added parts take more, and then either memory or the multiprocessors
 * are the limit. A multiprocessor has its blocks in rounds of as many as fit. In each round every block takes its
 * `fixed` time and its steps of k; a step takes `latency`, or `issue` for each block of the round if that is more.
 */

/* Of the blocks that a multiprocessor has; `together` fit. */
static double time_of_blocks(const costs &cost, int blocks, int together, int steps, bool joined)
{
    const int full = blocks / together, rest = blocks % together;
    const double fixed = cost.fixed + (joined ? cost.joined : 0);

    return full * (fixed + steps * std::max<double>(cost.latency, together * cost.issue)) +
           (rest > 0 ? fixed + steps * std::max<double>(cost.latency, rest * cost.issue) : 0);
}

/* What a product takes by a plan, in microseconds. */
static double cost_of(const product &p, const plan &how)
{
    const double megabytes = 4e-6 * ((double)p.m * p.k + (double)p.k * p.n + (double)p.m * p.n);
    const int units = blocks_of(p, how) * how.split * how.parts;
    double fixed = LAUNCH, busy, bandwidth = MEMORY;

    if (how.split > 1)
        fixed += CLUSTER + CLUSTER_DOUBLING * std::log2(how.split);
    if (how.parts > 1)
        fixed += ADDING + ADDING_MEGABYTE * 4e-6 * p.m * p.n * how.parts;
    if (how.kernel < 0) {
        const thin_kernel &thin = thin_of(p, how);
        const int steps = ceil_div(ceil_div(p.k, slab_of(how) * how.split * how.parts), thin.depth);

        busy = time_of_blocks(thin.cost, ceil_div(units, device.multiprocessors), thin.blocks, steps, how.split > 1);
        bandwidth = how.kernel == FEW_ROWS ? MEMORY_ROWS : MEMORY_COLUMNS;
    } else {
        const tile_kernel &tile = tiles[how.kernel];
        const int fit = std::max(1, device.clusters[how.kernel][how.split] * how.split / tile.blocks);
        const int multiprocessors = std::min(device.multiprocessors, fit);

        busy = time_of_blocks(tile.cost, ceil_div(units, multiprocessors), tile.blocks,
                              ceil_div(ceil_div(p.k, tile.slab), how.split * how.parts), how.split > 1);
    }
    return fixed + std::max(busy, megabytes / bandwidth);
}

/* Whether a plan is right for a product, and not absurd. */
static bool is_possible(const product &p, const plan &how)
{
    const bool aligned = p.b_pitch % 4 == 0;
    const int divided = how.split * how.parts;

    if (how.kernel == FEW_ROWS &&
        ((p.m > ROWS_MAX && p.k > ROWS_K_MAX) || (aligned ? 4 : 1) << how.bits < std::max(4, std::min(32, p.n))))
        return false;
    if (how.kernel == FEW_COLUMNS &&
        (p.n > COLUMNS_MAX || 1 << how.bits < (p.k >= 1024 ? 32 : std::min(8, p.k))))
        return false;
    if (how.kernel >= 0 && tiles[how.kernel].alone && how.split > 1)
        return false;
    if (how.kernel >= 0 && ((tiles[how.kernel].width == 4) != aligned ||
                            ceil_div(p.k, tiles[how.kernel].slab) / divided < tiles[how.kernel].least))
        return false;
    const int blocks = blocks_of(p, how);

    if (how.kernel >= 0 && !aligned && p.n >= ALIGNED_MIN && (double)p.m * p.n * p.k > ALIGNED_ALWAYS)
        return false;
    if (how.parts > 1 && (size_t)p.m * round_up(p.n, 4) * how.parts > WORKSPACE)
        return false;
    return divided == 1 || (how.split <= device.cluster_max && p.k / divided >= slab_of(how) &&
                            (how.split == 1 || blocks * how.parts <= 16 * device.multiprocessors) &&
                            (how.parts == 1 || blocks * how.split <= 4 * device.multiprocessors));
}

/* The plan of least cost. */
static plan plan_for(const product &p)
{
    plan best = {};

    best.cost = HUGE_VAL;
    for (int kernel = FEW_COLUMNS; kernel < TILES; kernel++)
        for (int bits = kernel < 0 ? 1 : 0; bits <= (kernel < 0 ? 8 : 0); bits++)
            for (int split : SPLITS)
                for (int parts = 1; parts <= PARTS_MAX; parts *= 2) {
                    plan how = {kernel, bits, split, parts, 0};

                    if (!is_possible(p, how))
                        break;
                    how.cost = cost_of(p, how);
                    if (how.cost < best.cost)
                        best = how;
                }
    return best;
}

/* c[m][n] = a[m][k] b[k][n] on the device; b's and c's rows are `pitch` elements apart, a's k. */
static void launch(const float *a, const float *b, float *c, int m, int n, int k, int pitch, float *workspace,
                   cudaStream_t stream)
{
    product p = {a, b, c, m, n, k, k, pitch, pitch, 0};
    plan how = plan_for(p);

    if (pitch % 4 != 0 && n >= ALIGNED_MIN) {
        product q = p;

        q.b = workspace + WORKSPACE;
        q.b_pitch = (int)round_up(n, 4);

        const plan other = plan_for(q);

        if (other.cost + ALIGNING + ALIGNING_MEGABYTE * 4e-6 * k * n < how.cost) {
            align_rows<<<dim3(ceil_div(k, 8), ceil_div(n, 32)), dim3(32, 8), 0, stream>>>(
                b, pitch, workspace + WORKSPACE, q.b_pitch, k, n);
            CALL(cudaGetLastError());
            p = q;
            how = other;
        }
    }
    launch_plan(p, how, workspace, stream);
}
