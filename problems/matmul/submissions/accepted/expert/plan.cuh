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
    const int units = blocks_of(p, how) * how.parts;
    /* Of a multiprocessor; clusters fill one before the next. */
    const int blocks = how.split == 1
                           ? ceil_div(units, device.multiprocessors)
                           : how.together * ceil_div(units, std::max(1, device.clusters[how.split][how.together]));
    const bool thin = how.kernel < 0;
    const costs &cost = thin ? thin_of(p, how).cost : tiles[how.kernel].cost;
    double fixed = LAUNCH, bandwidth = MEMORY;
    int steps = ceil_div(p.k, slab_of(how) * how.split * how.parts);

    if (how.split > 1)
        fixed += CLUSTER + CLUSTER_DOUBLING * std::log2(how.split);
    if (how.parts > 1)
        fixed += ADDING + cost.part * how.parts;
    if (thin) {
        steps = ceil_div(steps, thin_of(p, how).depth);
        bandwidth = how.kernel == FEW_ROWS      ? MEMORY_ROWS
                    : how.kernel == FEW_COLUMNS ? MEMORY_COLUMNS
                                                : MEMORY_PRODUCTS;
    }
    return fixed + std::max(time_of_blocks(cost, blocks, how.together, steps, how.split > 1), megabytes / bandwidth);
}

/* Whether a plan is right for a product, and not absurd. */
static bool is_possible(const product &p, const plan &how)
{
    const bool aligned = p.b_pitch % 4 == 0;
    const int divided = how.split * how.parts;
    const int width = how.kernel <= FEW_PRODUCTS ? PRODUCTS_COLUMNS[aligned][FEW_PRODUCTS - how.kernel]
                                                 : aligned ? 4 : 1;

    if (how.kernel == FEW_ROWS &&
        ((p.m > ROWS_MAX && p.k > ROWS_K_MAX) || width << how.bits < std::max(4, std::min(32, p.n))))
        return false;
    if (how.kernel == FEW_COLUMNS && (p.n > COLUMNS_MAX || 1 << how.bits < (p.k >= 1024 ? 32 : std::min(8, p.k))))
        return false;
    if (how.kernel <= FEW_PRODUCTS &&
        (p.k > PRODUCTS_K_MAX || divided > 1 || (how.bits > 0 && width << (how.bits - 1) >= p.n) ||
         (how.bits < 5 && width << how.bits < std::min(32, p.n))))
        return false;
    if (how.kernel >= 0 && ((tiles[how.kernel].alone && divided > 1) || tiles[how.kernel].shift != p.b_pitch % 4 ||
                            ceil_div(p.k, tiles[how.kernel].slab) / divided < tiles[how.kernel].least))
        return false;

    const int blocks = blocks_of(p, how);

    if (how.parts > 1 && ((size_t)p.m * round_up(p.n, 4) * how.parts > WORKSPACE ||
                          (size_t)blocks * how.split > COUNTERS || blocks * divided > 8 * device.multiprocessors))
        return false;
    return divided == 1 || (how.split <= device.cluster_max && p.k / divided >= slab_of(how) &&
                            blocks * divided <= 16 * device.multiprocessors);
}

/* How many blocks a multiprocessor is to have: where all are there at once and form clusters, as few as can be. */
static int together_of(const product &p, const plan &how)
{
    const int fit = how.kernel < 0 ? thin_of(p, how).blocks : tiles[how.kernel].blocks;

    for (int together = 1; how.split > 1 && together < fit; together++)
        if (device.clusters[how.split][together] >= blocks_of(p, how) * how.parts)
            return together;
    return fit;
}

/* Calls `look` with every plan that is possible. */
template <class function> static void for_each_plan(const product &p, function look)
{
    for (int kernel = FEW_PRODUCTS - 2; kernel < TILES; kernel++)
        for (int bits = 0; bits <= (kernel < 0 ? 8 : 0); bits++)
            for (int split : SPLITS)
                for (int parts : PARTS) {
                    plan how = {kernel, bits, split, parts, 1, 0};

                    if ((kernel == FEW_ROWS || kernel == FEW_COLUMNS) && bits == 0)
                        continue;
                    if (!is_possible(p, how))
                        break;
                    how.together = together_of(p, how);
                    how.cost = cost_of(p, how);
                    look(how);
                }
}

/* The plan of least cost. */
static plan plan_for(const product &p)
{
    plan best = {};

    best.cost = HUGE_VAL;
    for_each_plan(p, [&](const plan &how) {
        if (how.cost < best.cost)
            best = how;
    });
    return best;
}

/* c[m][n] = a[m][k] b[k][n] on the device; b's and c's rows are `pitch` elements apart, a's k. b begins at 16 bytes and
 * may be read to the end of its last 16. */
static void launch(const float *a, const float *b, float *c, int m, int n, int k, int pitch, float *workspace,
                   cudaStream_t stream)
{
    const product p = {a, b, c, m, n, k, k, pitch, pitch, 0, nullptr, 0, nullptr};

    launch_plan(p, plan_for(p), workspace, stream);
}
