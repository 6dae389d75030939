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
static double time_of_blocks(const costs &cost, int blocks, int together, double steps, bool joined)
{
    const int full = blocks / together, rest = blocks % together;
    const double fixed = cost.fixed + (joined ? cost.joined : 0);

    return full * (fixed + steps * std::max<double>(cost.latency, together * cost.issue)) +
           (rest > 0 ? fixed + steps * std::max<double>(cost.latency, rest * cost.issue) : 0);
}

/* A kernel for a product, and what does not depend on how k is divided. */
struct candidate {
    int kernel, bits;
    int blocks, fit;     // that have all of C; that a multiprocessor has at once
    int slab, step;      // k of a block at least, and of a step of the model
    int divided_max;     // by how many k may be divided
    bool halves;         // of a step
    bool many_parts;     // long_row: many parts cost little
    double memory;       // microseconds that reading and writing take at least
    const costs *cost;
};

/* Whether a kernel is right for a product, and not absurd. */
static bool is_possible(const product &p, int kernel, int bits)
{
    const bool aligned = p.b_pitch % 4 == 0;

    if (kernel >= 0)
        return tiles[kernel].shift == p.b_pitch % 4 && ceil_div(p.k, tiles[kernel].slab) >= tiles[kernel].least &&
               (!tiles[kernel].halves || (p.k - 1) % tiles[kernel].slab < tiles[kernel].slab / 2);
    if (kernel == FEW_ROWS)
        return (p.m <= ROWS_MAX || p.k <= ROWS_K_MAX) &&
               (aligned ? 4 : 1) << bits >= std::max(4, std::min(32, p.n));
    if (kernel == FEW_COLUMNS)
        return p.n <= COLUMNS_MAX && 1 << bits >= (p.k >= 1024 ? 32 : std::min(8, p.k));

    if (kernel == NARROW)
        return bits == 1 && p.n <= NARROW_MAX && p.k <= NARROW_K_MAX && p.a_pitch == p.k;

    const int width = PRODUCTS_COLUMNS[aligned][FEW_PRODUCTS - kernel];

    /* One column: neighbours in a warp should have neighbours in memory. */
    return p.k <= PRODUCTS_K_MAX && (p.n > 1 || kernel == FEW_PRODUCTS) && (bits == 0 || width << (bits - 1) < p.n) &&
           (bits >= 5 || width << bits >= std::min(32, p.n));
}

static candidate candidate_of(const product &p, int kernel, int bits)
{
    const plan how = {kernel, bits, 1, 1, 1, 0};
    const double megabytes = 4e-6 * ((double)p.m * p.k + (double)p.k * p.n + (double)p.m * p.n);
    candidate c = {kernel, bits, blocks_of(p, how), 0, slab_of(how), 0, 0, false, false, 0, nullptr};

    if (kernel >= 0) {
        c.fit = tiles[kernel].blocks;
        c.step = c.slab;
        c.halves = tiles[kernel].halves;
        c.cost = &tiles[kernel].cost;
        c.divided_max = tiles[kernel].alone ? 1 : std::min(p.k, ceil_div(p.k, c.slab) / tiles[kernel].least * c.slab);
    } else {
        const thin_kernel &thin = thin_of(p, how);

        c.fit = fit_of(thin, p);
        c.step = c.slab * thin.depth;
        c.cost = &thin.cost;
        c.divided_max = kernel <= NARROW ? 1 : p.k;
        c.many_parts = &thin == &long_row;
    }
    c.memory = megabytes / c.cost->bandwidth;
    if (kernel == FEW_ROWS)
        c.memory *= 1 + PIECE / ((p.b_pitch % 4 == 0 ? 16 : 4) << bits);
    c.divided_max = std::max(1, c.divided_max / c.slab);
    return c;
}

/* How many blocks a multiprocessor is to have: where all are there at once and form clusters, as few as can be. */
static int together_of(const candidate &c, int split, int parts)
{
    for (int together = 1; split > 1 && together < c.fit; together++)
        if (device.clusters[split][together] >= c.blocks * parts)
            return together;
    return c.fit;
}

/* A launch, and adding what blocks that divide k have. */
static double launch_of(int split)
{
    return LAUNCH + (split > 1 ? CLUSTER + CLUSTER_DOUBLING * device.log_2[split] : 0);
}

static double adding_of(const candidate &c, int split, int parts)
{
    const bool by_warps = c.many_parts && split == 1 && parts >= PARTS_MAX;

    return parts > 1 ? ADDING + (by_warps ? PART_OF_WARP : c.cost->part) * parts : 0;
}

static double steps_of(const product &p, const candidate &c, int divided)
{
    return ceil_div(p.k, c.step * divided) - (c.halves ? 0.5 : 0);
}

/* What the blocks of a kernel take, in microseconds. */
static double cost_of(const product &p, const candidate &c, int split, int parts, int together, double steps)
{
    const int clusters = c.blocks * parts;
    /* Of a multiprocessor; clusters fill one before the next. */
    const int blocks = split == 1 ? ceil_div(clusters, device.multiprocessors)
                                  : together * ceil_div(clusters, std::max(1, device.clusters[split][together]));

    return std::max(time_of_blocks(*c.cost, blocks, together, steps, split > 1), c.memory);
}

/* Looks at all divisions of k by a kernel, and leaves out those whose lower bound is above the best that is known. */
static void look_at(const product &p, const candidate &c, plan &best)
{
    const bool kept = (size_t)c.blocks <= COUNTERS;
    const size_t elements = (size_t)p.m * round_up(p.n, 4);
    const double issue = (double)c.blocks * steps_of(p, c, 1) * c.cost->issue / device.multiprocessors;

    if (LAUNCH + std::max(c.memory, c.cost->fixed + issue) >= best.cost)
        return;
    for (int split : SPLITS) {
        const double fixed = c.cost->fixed + (split > 1 ? c.cost->joined : 0);
        const double busy = std::max(c.memory, fixed + issue), launched = launch_of(split);

        if (split > c.divided_max || (split > 1 && split > device.cluster_max))
            break;
        for (int parts : PARTS) {
            const int divided = split * parts, units = c.blocks * divided;
            const double apart = launched + adding_of(c, split, parts);

            if (divided > c.divided_max || (parts > PARTS_MAX && (split > 1 || !c.many_parts)))
                break;
            if (apart + busy >= best.cost) {
                if (c.many_parts)
                    continue;
                break;
            }
            if (divided > 1 && units > (parts > 1 ? 8 : 16) * device.multiprocessors)
                break;
            if (parts > 1 && (!kept || elements * parts > WORKSPACE || (size_t)c.blocks * split > COUNTERS))
                break;

            const double steps = steps_of(p, c, divided);

            if (apart + fixed + steps * c.cost->latency >= best.cost)
                continue;

            const int together = together_of(c, split, parts);
            const double cost = apart + cost_of(p, c, split, parts, together, steps);

            if (cost < best.cost)
                best = {c.kernel, c.bits, split, parts, together, cost};
        }
    }
}

/* Whether whole_tiles fill their rounds so well, and for so long, that nothing is faster. */
static bool are_whole(const product &p)
{
    const double tile = whole_tiles::BM * whole_tiles::BN;
    const int blocks = ceil_div(p.m, whole_tiles::BM) * ceil_div(p.n, whole_tiles::BN);
    const int rounds = ceil_div(blocks, device.multiprocessors);

    return p.b_pitch % 4 == 0 && p.k >= WHOLE_K_MIN &&
           (double)p.m * p.n >= WHOLE_SHARE * tile * rounds * device.multiprocessors;
}

/* The plan of least cost. */
static plan search(const product &p)
{
    plan best = {0, 0, 1, 1, 1, HUGE_VAL};

    if (are_whole(p)) {
        look_at(p, candidate_of(p, 0, 0), best);
        return best;
    }
    for (int kernel = THIN_LAST; kernel < 0; kernel++)
        for (int bits = kernel > FEW_PRODUCTS ? 1 : 0; bits <= 8; bits++)
            if (is_possible(p, kernel, bits))
                look_at(p, candidate_of(p, kernel, bits), best);
    for (int kernel = 0; kernel < TILES; kernel++)
        if (is_possible(p, kernel, 0))
            look_at(p, candidate_of(p, kernel, 0), best);
    return best;
}

/* The plan for a product, which is kept: a call has rectangles of few shapes, and calls may have the same. */
static plan plan_for(const product &p)
{
    static struct {
        int m, n, k, pitch;
        plan how;
    } kept[PLANS_KEPT];
    auto &place = kept[((unsigned)p.m * 31 + (unsigned)p.n * 17 + (unsigned)p.k) % PLANS_KEPT];

    if (place.m != p.m || place.n != p.n || place.k != p.k || place.pitch != p.b_pitch)
        place = {p.m, p.n, p.k, p.b_pitch, search(p)};
    return place.how;
}

/* c[m][n] = a[m][k] b[k][n] on the device; b's and c's rows are `pitch` elements apart, a's k. b begins at 16 bytes and
 * may be read to the end of its last 16. */
static void launch(const float *a, const float *b, float *c, int m, int n, int k, int pitch, float *workspace,
                   cudaStream_t stream)
{
    const product p = {a, b, c, m, n, k, k, pitch, pitch, 0, nullptr, 0, nullptr};

    launch_plan(p, plan_for(p), workspace, stream);
}
