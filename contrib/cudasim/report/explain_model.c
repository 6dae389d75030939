/*
 * explain_model.c - gathers the counts, derives numbers from them, and computes the model's price of each kernel.
 *
 * explain.c and explain_json.c call it. explain_advice.c asks it for cheaper variants. It prints nothing.
 */
#include "explain_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define countof(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ names */

const char *explain_pipe_id(enum explain_pipe pipe)
{
    static const char *const ids[PIPE_COUNT] = { "issue", "double", "special", "global", "shared", "local", "atomic" };

    return ids[pipe];
}

const char *explain_pipe_words(enum explain_pipe pipe)
{
    static const char *const words[PIPE_COUNT] = { "instruction issue", "double precision", "special functions",
                                                   "global memory", "shared memory", "local memory", "atomics" };

    return words[pipe];
}

const char *explain_class_id(enum explain_class class)
{
    static const char *const ids[EXPLAIN_CLASSES] = { "l_c",   "l_mr", "l_mw",  "l_shr",
                                                      "l_shw", "l_s",  "l_dpu", "l_sfu" };

    return ids[class];
}

const char *explain_class_words(enum explain_class class)
{
    static const char *const words[EXPLAIN_CLASSES] = { "computation", "global loads", "global stores",
                                                        "shared loads", "shared stores", "synchronisation",
                                                        "double precision", "special functions" };

    return words[class];
}

const char *explain_limiter(enum sim_limiter limiter)
{
    switch (limiter) {
    case LIMIT_THREADS: return "threads";
    case LIMIT_BLOCKS: return "blocks";
    case LIMIT_REGISTERS: return "registers";
    case LIMIT_SHARED: return "shared memory";
    }
    return "nothing";
}

struct explain_size explain_size(double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
    struct explain_size size;
    size_t unit = 0;

    while (bytes >= 999.5 && unit + 1 < countof(units)) {
        bytes /= 1000;
        unit++;
    }
    snprintf(size.text, sizeof size.text, unit == 0 || bytes >= 99.95 ? "%.0f %s" : bytes >= 9.995 ? "%.1f %s"
             : "%.2f %s", bytes, units[unit]);
    return size;
}

struct explain_place explain_place(const char *file, unsigned line)
{
    struct explain_place place;
    const char *slash;

    if (!file || !file[0]) {
        snprintf(place.text, sizeof place.text, "PTX line %u", line);
        return place;
    }
    slash = strrchr(file, '/');
    snprintf(place.text, sizeof place.text, "%.80s:%u", slash && slash[1] ? slash + 1 : file, line);
    return place;
}

double explain_ratio(double a, double b)
{
    return b != 0 ? a / b : 0;
}

/* ------------------------------------------------------------------ model */

double explain_sector_cycles(double sectors)
{
    return sectors * SECTOR_BYTES / (MODEL_L2 / MODEL_MULTIPROCESSORS);
}

double explain_ideal_sectors(uint64_t requests, uint64_t bytes)
{
    return fmax((double)requests, (double)bytes / SECTOR_BYTES);
}

/* Warps that a pipe needs to be kept busy. */
static double warps_wanted(enum explain_pipe pipe)
{
    return pipe == PIPE_GLOBAL || pipe == PIPE_LOCAL || pipe == PIPE_ATOMIC ? MODEL_WARPS_MEMORY : MODEL_WARPS_ISSUE;
}

double explain_busy_cycles(const struct explain_work *work, double multiprocessors)
{
    double most = 0, sum = 0;

    for (int pipe = 0; pipe < PIPE_COUNT; pipe++) {
        double cycles = work->busy[pipe] / fmin(1, fmax(work->warps, 1) / warps_wanted((enum explain_pipe)pipe));

        most = fmax(most, cycles);
        sum += cycles;
    }
    return (most + sum) / 2 / (multiprocessors * work->fill);
}

double explain_cycles(const struct explain_work *work, double multiprocessors, bool *bound)
{
    double busy = explain_busy_cycles(work, multiprocessors), launch = work->launches * MODEL_LAUNCH * MODEL_CLOCK;

    if (bound)
        *bound = launch > busy;
    return fmax(busy, launch);
}

void explain_spread(struct explain_work *work, const struct explain_kernel *kernel, double blocks,
                    double multiprocessors)
{
    double most = fmax(1, ceil(blocks / multiprocessors)); /* blocks of the SM that has most */

    work->fill = blocks > 0 ? blocks / (multiprocessors * most) : 1;
    work->warps = fmin(most, kernel->counts->blocks_per_sm > 0 ? kernel->counts->blocks_per_sm : 1)
                  * kernel->block_warps;
}

/* ------------------------------------------------------------------ kernels */

static void add_classes(struct explain_kernel *kernel)
{
    static const enum explain_class of[CLASS_COUNT] = {
        [CLASS_COMPUTATION] = EXPLAIN_C,   [CLASS_CONTROL] = EXPLAIN_C,
        [CLASS_PARAMETER] = EXPLAIN_C,     [CLASS_GLOBAL_LOAD] = EXPLAIN_MR,
        [CLASS_GLOBAL_STORE] = EXPLAIN_MW, [CLASS_SHARED_LOAD] = EXPLAIN_SHR,
        [CLASS_SHARED_STORE] = EXPLAIN_SHW, [CLASS_SYNCHRONISATION] = EXPLAIN_S,
        [CLASS_DOUBLE] = EXPLAIN_DPU,      [CLASS_SPECIAL] = EXPLAIN_SFU,
    };

    for (int class = 0; class < CLASS_COUNT; class++) {
        kernel->warp[of[class]] += kernel->counts->warp_instructions[class];
        kernel->thread[of[class]] += kernel->counts->thread_instructions[class];
        kernel->warp_total += kernel->counts->warp_instructions[class];
        kernel->thread_total += kernel->counts->thread_instructions[class];
    }
}

/*
 * Bytes of spills, which the counts do not hold: PTX has unlimited registers, so spills exist only after ptxas. The
 * model takes each thread to write and read its frame once. That is the least use of a frame.
 */
static double uncounted_spill_bytes(const struct sim_kernel_counts *counts)
{
    return counts->local_requests == 0 ? 2.0 * counts->facts.local * (double)counts->threads : 0;
}

static void price(struct explain_kernel *kernel, double multiprocessors)
{
    const struct sim_kernel_counts *c = kernel->counts;
    struct explain_work *work = &kernel->work;

    work->busy[PIPE_ISSUE] = (double)kernel->warp_total / MODEL_ISSUE;
    work->busy[PIPE_DOUBLE] = (double)kernel->warp[EXPLAIN_DPU] * WARP_LANES / MODEL_DOUBLE_LANES;
    work->busy[PIPE_SPECIAL] = (double)kernel->warp[EXPLAIN_SFU] * WARP_LANES / MODEL_SPECIAL_LANES;
    work->busy[PIPE_GLOBAL] = explain_sector_cycles((double)c->global_load_sectors + (double)c->global_store_sectors);
    work->busy[PIPE_SHARED] = (double)c->shared_passes;
    work->busy[PIPE_LOCAL] = ((double)c->local_bytes + uncounted_spill_bytes(c)) / MODEL_L1;
    work->busy[PIPE_ATOMIC] = (double)c->atomic_lanes;
    work->launches = (double)c->launches;
    explain_spread(work, kernel, kernel->blocks_a_launch, multiprocessors);
    kernel->cycles = explain_cycles(work, multiprocessors, &kernel->launch_bound);
}

static void derive(struct explain_kernel *kernel, double multiprocessors)
{
    const struct sim_kernel_counts *c = kernel->counts;
    double blocks = (double)c->grid[0] * c->grid[1] * c->grid[2], whole;

    add_classes(kernel);
    kernel->block_threads = c->block[0] * c->block[1] * c->block[2];
    kernel->block_warps = (kernel->block_threads + WARP_LANES - 1) / WARP_LANES;
    kernel->lanes_possible = kernel->block_warps > 0
                                 ? (double)kernel->block_threads / (kernel->block_warps * WARP_LANES) : 1;
    kernel->simd = kernel->warp_total > 0
                       ? (double)kernel->thread_total / ((double)kernel->warp_total * WARP_LANES) : 1;
    kernel->ideal_load_sectors = explain_ideal_sectors(c->global_load_requests, c->global_load_bytes);
    kernel->ideal_store_sectors = explain_ideal_sectors(c->global_store_requests, c->global_store_bytes);
    kernel->bytes_moved = ((double)c->global_load_sectors + (double)c->global_store_sectors) * SECTOR_BYTES;
    kernel->blocks_a_launch = explain_ratio((double)c->blocks, (double)c->launches);
    kernel->warps_per_sm = c->blocks_per_sm * kernel->block_warps;
    kernel->waves = explain_ratio(blocks, c->blocks_per_sm * multiprocessors);
    kernel->last_wave = modf(kernel->waves, &whole);
    if (kernel->last_wave == 0 && kernel->waves > 0)
        kernel->last_wave = 1;
    price(kernel, multiprocessors);
}

/* ------------------------------------------------------------------ lines */

static double line_cycles(const struct sim_line_counts *line)
{
    return (double)line->warp_instructions / MODEL_ISSUE + explain_sector_cycles((double)line->global_sectors)
           + (double)line->shared_passes;
}

static int by_share(const void *a, const void *b)
{
    const struct explain_line *x = a, *y = b;

    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return (x->counts.line > y->counts.line) - (x->counts.line < y->counts.line);
}

static bool gather_lines(struct sim *sim, size_t index, struct explain_kernel *kernel)
{
    struct sim_line_counts *lines = NULL;
    size_t count = sim_line_counts(sim, index, &lines);
    double sum = 0;

    kernel->lines = calloc(count + 1, sizeof *kernel->lines);
    if (!kernel->lines) {
        free(lines);
        return false;
    }
    kernel->line_count = count;
    for (size_t i = 0; i < count; i++)
        sum += line_cycles(&lines[i]);
    for (size_t i = 0; i < count; i++) {
        kernel->lines[i].counts = lines[i];
        kernel->lines[i].share = explain_ratio(line_cycles(&lines[i]), sum);
    }
    qsort(kernel->lines, count, sizeof *kernel->lines, by_share);
    free(lines);
    return true;
}

/* How many times its ideal a line's sectors, passes, … are; the one furthest away is what a reader should look at. */
enum explain_worst explain_line_worst(const struct sim_line_counts *line)
{
    double ratio[] = {
        [WORST_NONE] = 1.1,
        [WORST_SECTORS] = explain_ratio((double)line->global_sectors,
                                        explain_ideal_sectors(line->global_requests, line->global_bytes)),
        [WORST_PASSES] = explain_ratio((double)line->shared_passes, (double)line->shared_ideal_passes),
        /* Where lanes part, both sides are executed: at most twice for one branch. */
        [WORST_BRANCHES] = 1 + explain_ratio((double)line->divergent_branches, (double)line->branches),
        [WORST_LANES] = explain_ratio((double)line->warp_instructions * WARP_LANES, (double)line->thread_instructions),
    };
    enum explain_worst worst = WORST_NONE;

    for (size_t i = 1; i < countof(ratio); i++)
        if (ratio[i] > ratio[worst])
            worst = (enum explain_worst)i;
    return worst;
}

/* ------------------------------------------------------------------ all */

struct explain *explain_gather(struct sim *sim)
{
    struct explain *explain = calloc(1, sizeof *explain);

    if (!explain)
        return NULL;
    explain->limits = sim_limits(sim);
    explain->fault_count = sim_faults(sim, &explain->faults);
    explain->kernel_count = sim_counts(sim, &explain->counts);
    explain->kernels = calloc(explain->kernel_count + 1, sizeof *explain->kernels);
    if (!explain->kernels)
        goto out;
    for (size_t i = 0; i < explain->kernel_count; i++) {
        explain->kernels[i].counts = &explain->counts[i];
        if (!gather_lines(sim, i, &explain->kernels[i]))
            goto out;
        derive(&explain->kernels[i], explain->limits->multiprocessors);
        explain->cycles += explain->kernels[i].cycles;
    }
    for (size_t i = 0; i < explain->kernel_count; i++)
        explain->kernels[i].share = explain_ratio(explain->kernels[i].cycles, explain->cycles);
    return explain;
out:
    explain_free(explain);
    return NULL;
}

void explain_free(struct explain *explain)
{
    if (!explain)
        return;
    for (size_t i = 0; explain->kernels && i < explain->kernel_count; i++)
        free(explain->kernels[i].lines);
    free(explain->kernels);
    free(explain->findings);
    free(explain->counts);
    free(explain);
}
