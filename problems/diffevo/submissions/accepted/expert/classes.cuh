/*
 * classes.cuh - classes of problems, a launch each: which problems get a team, and of what size.
 */
#pragma once

#include "teams.cuh"
#include "warp.cuh"

typedef void kernel(const diffevo_problem *, const int *, int, int *, const float *, char *, size_t, int, float,
                    diffevo_result *, float *);
typedef void team_kernel(const diffevo_problem *, const int *, int, team, const float *, char *, size_t,
                         diffevo_result *, float *);

/* Blocks that a multiprocessor has room for: the problems with the same entry are a class. */
static const int blocks_of_class[] = { 1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32 };
const int SHARED_CLASSES = sizeof blocks_of_class / sizeof blocks_of_class[0];
const int PLAIN_CLASSES = 2 * SHARED_CLASSES + 1; /* narrow, wide, and in global memory */
const int BLOCK_CLASSES = 2 * PLAIN_CLASSES;      /* without and with rotation */
const int TEAM_SIZES = 9; /* one warp; blocks alone with 1, 2, 4, 8 quads a row; teams of 2, 4, 8, 16 blocks */
const int CLASSES = BLOCK_CLASSES + 2 * TEAM_SIZES;

/* Problems that are launched together. */
struct work {
    std::vector<int> order;            /* which problems, the longest first */
    uint32_t threads = 0, shared = 0;  /* of a block, the most that any needs; shared in bytes */
    size_t room = 0;                   /* bytes of a population in global memory */
    team together = {};                /* of a class of teams; workers and drawers the most that any needs */
    int grid = 0;                      /* blocks, or teams */
    size_t memory = 0;                 /* where its populations begin in global memory */
};

/* What is kept between calls. */
static struct {
    bool ready;
    uint32_t team_most; /* blocks of a team */
    int processors, shared_of_block, shared_of_processor, resident[CLASSES];
    cudaStream_t streams[CLASSES];
    char *buffer, *staging; /* on the device; page-locked on the host */
    size_t size, staging_size;
} device;

template <bool ROTATED> static kernel *kernel_of_class(int k)
{
    return k < SHARED_CLASSES       ? evolve<true, true, ROTATED>
           : k < 2 * SHARED_CLASSES ? evolve<false, true, ROTATED>
                                    : evolve<false, false, ROTATED>;
}

static kernel *kernel_of(int k)
{
    return k < PLAIN_CLASSES ? kernel_of_class<false>(k) : kernel_of_class<true>(k - PLAIN_CLASSES);
}

static bool is_team(int k) { return k >= BLOCK_CLASSES; }

static bool is_rotated(int k) { return is_team(k) ? k >= BLOCK_CLASSES + TEAM_SIZES : k >= PLAIN_CLASSES; }

static int size_of_team(int k) { return (k - BLOCK_CLASSES) % TEAM_SIZES; }

static uint32_t blocks_of_team(int k)
{
    const int size = size_of_team(k);

    return size < 5 ? 1 : 2u << (size - 5);
}

template <bool ROTATED> static team_kernel *team_kernel_of_size(int size)
{
    return size == 0   ? evolve_by_warps<ROTATED>
           : size == 1 ? evolve_by_teams<1, ROTATED>
           : size == 2 ? evolve_by_teams<2, ROTATED>
           : size == 3 ? evolve_by_teams<4, ROTATED>
           : size == 4 ? evolve_by_teams<8, ROTATED>
                       : evolve_by_teams<0, ROTATED>;
}

static team_kernel *team_kernel_of(int k)
{
    const int size = size_of_team(k);

    return is_rotated(k) ? team_kernel_of_size<true>(size) : team_kernel_of_size<false>(size);
}

static bool is_global(int k)
{
    return is_team(k) ? blocks_of_team(k) > 1 : k % PLAIN_CLASSES == PLAIN_CLASSES - 1;
}

/* At the process's end. A runtime that is already gone has freed it itself. */
static void release()
{
    cudaFree(device.buffer);
    cudaFreeHost(device.staging);
    for (cudaStream_t stream : device.streams)
        cudaStreamDestroy(stream);
}

/* Blocks of the largest team that the device can have, a power of two: 16 on an H100, where no part of it is closed. */
static uint32_t largest_team()
{
    cudaLaunchConfig_t config = {};
    uint32_t blocks = 1;
    int most;

    config.gridDim = dim3(16);
    config.blockDim = dim3(most_threads(0));
    config.dynamicSmemBytes = device.shared_of_block;
    CALL(cudaOccupancyMaxPotentialClusterSize(&most, (const void *)team_kernel_of(CLASSES - 1), &config));
    while (2 * blocks <= (uint32_t)std::min(most, 16))
        blocks *= 2;
    return blocks;
}

static void prepare()
{
    if (device.ready)
        return;
    CALL(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, 0));
    CALL(cudaDeviceGetAttribute(&device.shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CALL(cudaDeviceGetAttribute(&device.shared_of_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    for (int k = 0; k < CLASSES; k++) {
        const void *function = is_team(k) ? (const void *)team_kernel_of(k) : (const void *)kernel_of(k);

        CALL(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_of_block));
        if (is_team(k) && is_global(k))
            CALL(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    device.team_most = largest_team();
    for (cudaStream_t &stream : device.streams)
        CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    device.ready = true;
    std::atexit(release);
}

extern "C" void device_user_setup(void) { prepare(); }

/* ------------------------------------------------------------------ which problems get a team, and of what size */

static uint32_t whole_warps(uint32_t threads) { return (threads + 31) / 32 * 32; }

/* Threads of a team's blocks, at most `most`; no workers if they are too few. */
static team make_team(const diffevo_problem &p, uint32_t blocks, uint32_t most)
{
    const team_layout l = make_team_layout(p.dimension, p.population, p.rotation != DIFFEVO_NO_ROTATION, blocks);
    const uint32_t drawing = l.padded * (1 + l.eights), making = whole_warps(blocks == 1 ? l.own : l.own * l.quads);
    team t = { blocks, making, drawing };

    if (blocks == 1) { /* a lane an individual, and as many drawers as there is room for */
        t.workers = making + 32 <= most ? making : 0;
        t.drawers = std::min(drawing, most - t.workers);
    } else if (making + drawing > most) {
        t.drawers = std::min(drawing, most * 3 / 8 / 32 * 32);
        t.workers = std::min(making, most - t.drawers);
        t.drawers = std::min(drawing, most - t.workers);
    }
    return t;
}

/* Quads of a row that its lane has in registers: 1, 2, 4 or 8; 0 if a team of several blocks works on the problem. */
static int quads_of(const diffevo_problem &p, uint32_t blocks)
{
    return blocks > 1 ? 0 : p.dimension <= 4 ? 1 : p.dimension <= 8 ? 2 : p.dimension <= 16 ? 4 : 8;
}

/* Threads that a block can have at most if `each` of them share a multiprocessor. */
static uint32_t room_for_threads(const diffevo_problem &p, uint32_t blocks, uint32_t each)
{
    return most_threads(quads_of(p, blocks)) / each / 32 * 32;
}

/* Whether one warp is good for p if `each` such problems share a multiprocessor: while latencies count. */
static bool is_for_one_warp(const diffevo_problem &p, uint32_t each)
{
    return p.population <= 32 && p.dimension <= WARP_MOST_D && each <= 8;
}

/*
 * Whether a block alone is good for p if `each` such blocks share a multiprocessor: while its schedulers have few warps
 * each, latencies count and not instructions. To rotate 32 coordinates a lane would need too long.
 */
static bool is_for_one_block(const diffevo_problem &p, uint32_t each)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const uint32_t memory = make_team_layout(p.dimension, p.population, rotated, 1).total + 1024;
    const uint32_t lanes = whole_warps(p.population) * each;

    if (p.dimension > (rotated ? 16u : NARROW_D) || each * memory > (uint32_t)device.shared_of_processor)
        return false;
    return (p.dimension <= 8 ? each <= 8 && lanes <= 512 : lanes <= 256) &&
           make_team(p, 1, room_for_threads(p, 1, each)).workers > 0;
}

/*
 * The number of blocks of the team that is best for p, if `count` problems are like it; 0 if evolve() is better, which
 * is made for many problems: it leaves no room for waiting. All teams run at once, but where evolve() would have its
 * population in global memory: so many do not fit the L2 cache, and teams in turns are faster.
 */
static uint32_t team_for(const diffevo_problem &p, int count)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const uint32_t each = (uint32_t)((count + device.processors - 1) / device.processors);
    const uint32_t room = device.shared_of_block;
    const uint32_t shared = make_layout(p.dimension, p.population, p.shifts, rotated, THREADS_WIDE, true).total;
    const auto team_shared = [&](uint32_t n) { return make_team_layout(p.dimension, p.population, rotated, n).total; };
    uint32_t blocks = device.team_most;

    while (blocks > 1 && (uint64_t)blocks * count > (uint32_t)device.processors)
        blocks /= 2;
    if (is_for_one_warp(p, each))
        return 1;
    if ((p.dimension <= 16 || blocks < 4) && is_for_one_block(p, each))
        return 1;
    if (shared > room)
        blocks = std::max(blocks, std::min(8u, device.team_most));
    while (blocks > 1 && blocks < device.team_most && team_shared(blocks) > room)
        blocks *= 2;
    return blocks > 1 && team_shared(blocks) <= room ? blocks : 0;
}

/* Operations of a problem, about. */
static uint64_t cost(const diffevo_problem &p)
{
    uint64_t evaluation = 8 * p.dimension + 64 +
                          (p.rotation == DIFFEVO_NO_ROTATION ? 0 : (uint64_t)p.dimension * p.dimension);

    return evaluation * p.population * (p.generations + 1);
}

/* The class of a problem whose block has `threads` threads. */
static int block_class(const diffevo_problem &p, uint32_t threads)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const layout l = make_layout(p.dimension, p.population, p.shifts, rotated, threads, true);
    const int blocks = device.shared_of_processor / (l.total + 1024);
    int k = PLAIN_CLASSES - 1;

    if (l.total <= (uint32_t)device.shared_of_block) {
        for (k = SHARED_CLASSES - 1; k > 0 && blocks_of_class[k] > blocks; k--)
            ;
        k += is_narrow(p.dimension) ? 0 : SHARED_CLASSES;
    }
    return k + (rotated ? PLAIN_CLASSES : 0);
}

static void add_to_blocks(work works[CLASSES], const diffevo_problem &p, int n)
{
    const uint32_t threads = threads_for(p.dimension, p.population);
    work &w = works[block_class(p, threads)];

    w.order.push_back(n);
    w.threads = std::max(w.threads, threads);
    w.room = std::max(w.room, (size_t)make_layout(p.dimension, p.population, 1, false, threads, false).population);
}

static void add_to_teams(work works[CLASSES], const diffevo_problem &p, int n, int count, uint32_t blocks)
{
    const bool rotated = p.rotation != DIFFEVO_NO_ROTATION;
    const team_layout l = make_team_layout(p.dimension, p.population, rotated, blocks);
    const uint32_t each = (uint32_t)((count + device.processors - 1) / device.processors);
    const team t = make_team(p, blocks, room_for_threads(p, blocks, blocks > 1 ? 1 : each));
    int k = BLOCK_CLASSES + (rotated ? TEAM_SIZES : 0);

    if (blocks == 1 && is_for_one_warp(p, each)) {
        works[k].order.push_back(n);
        works[k].together = { 1, 32, 32 * (each > 2 ? WARP_DRAWERS / 2 : WARP_DRAWERS) };
        works[k].threads = works[k].together.workers + works[k].together.drawers;
        works[k].shared = sizeof(warp_room);
        return;
    }
    for (k++; blocks_of_team(k) < blocks || (blocks == 1 && 2u << size_of_team(k) < p.dimension); k++)
        ;
    work &w = works[k];
    w.order.push_back(n);
    w.together = { blocks, std::max(w.together.workers, t.workers), std::max(w.together.drawers, t.drawers) };
    const uint32_t most = most_threads(quads_of(p, blocks));

    w.together.drawers = std::min(w.together.drawers, most - w.together.workers);
    w.threads = w.together.workers + w.together.drawers;
    w.shared = std::max(w.shared, l.total);
    w.room = std::max(w.room, (size_t)blocks * l.population);
}

static void sort_into_classes(work works[CLASSES], int mode, const diffevo_problem *problems, int count)
{
    std::vector<uint64_t> costs(count);

    for (int n = 0; n < count; n++) {
        const uint32_t blocks = mode == DIFFEVO_PRESCRIBED ? team_for(problems[n], count) : 0;

        costs[n] = cost(problems[n]);
        if (blocks > 0)
            add_to_teams(works, problems[n], n, count, blocks);
        else
            add_to_blocks(works, problems[n], n);
    }
    for (int k = 0; k < CLASSES; k++) {
        work &w = works[k];

        for (int n : w.order) { /* now that the block's size is known */
            const diffevo_problem &p = problems[n];

            if (!is_team(k))
                w.shared = std::max(w.shared, make_layout(p.dimension, p.population, p.shifts, is_rotated(k),
                                                          w.threads, !is_global(k)).total);
        }
        std::stable_sort(w.order.begin(), w.order.end(), [&costs](int a, int b) { return costs[a] > costs[b]; });
    }
}
