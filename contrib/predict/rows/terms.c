/*
 * terms.c - occupancy by the rules of the CUDA C++ Programming Guide (compute capability 9.0), and the terms.
 *
 * Latencies in clocks are typical of Hopper and only set a scale: every method that uses these terms fits a factor
 * to each.
 */
#include "terms.h"

#include <math.h>

#define CLOCKS_INSTRUCTION 4.6 /* a dependent integer operation: docs/experts/editdistance.md */
#define CLOCKS_MEMORY 600.0
#define CLOCKS_BARRIER 30.0
#define CLOCKS_BLOCK 1.0       /* between two blocks on the whole GPU: they are given out one after another */
#define BYTES_L1_CLOCK 64.0    /* two sectors */
#define BYTES_L2_CLOCK 64.0    /* from L2, an SM */
#define SCHEDULERS 4.0         /* of warps, an SM; each has a fourth of its lanes */
#define REGISTER_UNIT 256.0    /* registers are given to a warp in this many */
#define SHARED_RESERVED 1024.0 /* bytes of each block that are the system's */

static const struct {
    const char *name;
    bool bound;
} list[TERMS] = {
#define X(identifier, name, bound) {name, bound},
    TERMS_LIST(X)
#undef X
};

const char *term_name(enum term term)
{
    return list[term].name;
}

bool term_is_bound(enum term term)
{
    return list[term].bound;
}

struct occupancy terms_occupancy(const struct sample *sample, const struct gpu *gpu)
{
    const double *v = sample->value;
    double warps = fmax(1, ceil(v[COLUMN_N_T] / 32)), blocks = v[COLUMN_N_B];
    double per_warp = ceil(fmax(v[COLUMN_REGISTERS], 16) * 32 / REGISTER_UNIT) * REGISTER_UNIT;
    double by_threads = floor(gpu->threads_per_sm / (warps * 32));
    double by_registers = floor(floor(gpu->registers_per_sm / per_warp) / warps);
    double by_shared = floor(gpu->shared_per_sm / (v[COLUMN_SHARED_WORDS] * 4 + SHARED_RESERVED));
    struct occupancy o = {.blocks_per_sm = gpu->blocks_per_sm, .limit = "blocks"};
    double fullest, on_sm;

    if (by_threads < o.blocks_per_sm)
        o = (struct occupancy){.blocks_per_sm = by_threads, .limit = "threads"};
    if (by_registers < o.blocks_per_sm)
        o = (struct occupancy){.blocks_per_sm = by_registers, .limit = "registers"};
    if (by_shared < o.blocks_per_sm)
        o = (struct occupancy){.blocks_per_sm = by_shared, .limit = "shared memory"};
    o.blocks_per_sm = fmax(o.blocks_per_sm, 1);
    o.waves = blocks / (gpu->sms * o.blocks_per_sm);
    o.full_waves = ceil(o.waves);
    fullest = fmin(blocks, gpu->sms);
    o.busy = fullest / gpu->sms;
    on_sm = fmin(o.blocks_per_sm, blocks / fullest);
    o.warps_per_sm = on_sm * warps;
    o.imbalance = ceil(blocks / gpu->sms) * gpu->sms / blocks;
    return o;
}

/*
 * The share of the launch's threads that have work. Counts are means over all threads, and those beyond the end of the
 * data, of which a launch of a few blocks may have more than others, return at once. Who works writes: once, twice or
 * so, which is a whole number. Where fewer than one lane of a warp does, and where threads work together through shared
 * memory, one may write for all: so all are taken to work.
 */
double terms_activity(const struct sample *sample)
{
    double writes = sample->value[COLUMN_L_MW];

    if (writes <= 1.0 / 32 || sample->value[COLUMN_L_S] > 0 || sample->value[COLUMN_L_SHR] > 0)
        return 1;
    return writes / ceil(writes);
}

void terms_compute(const struct sample *sample, const struct gpu *gpu, double us[TERMS])
{
    const double *v = sample->value;
    struct occupancy o = terms_occupancy(sample, gpu);
    double bytes = v[COLUMN_BYTES_READ] + v[COLUMN_BYTES_WRITTEN];
    double active = terms_activity(sample);
    double full = fmax(active * v[COLUMN_N_B], 1 / v[COLUMN_N_T]); /* blocks' worth of threads */
    /* The busiest multiprocessor, and its busiest scheduler. */
    double sm_blocks = fmin(ceil(full / gpu->sms), full);
    double scheduler_warps = ceil(ceil(sm_blocks * v[COLUMN_N_T] / 32) / SCHEDULERS), warps = full * v[COLUMN_N_T] / 32;
    double beyond = v[COLUMN_FOOTPRINT] / gpu->l2_bytes;
    /* The share of the footprint that memory must serve: little when it fits L2 with room to spare, all far above. */
    double share = 1 / (1 + pow(fmax(beyond, 1e-9) / 0.7, -4));

    us[TERM_TOTAL] = v[COLUMN_WARP_INSTRUCTIONS] / (4 * gpu->sms) / gpu->max_mhz;
    us[TERM_BYTES] = bytes / (gpu->dram_gbs * 1e3);
    us[TERM_ISSUE] = scheduler_warps * v[COLUMN_WARP_INSTRUCTIONS] / fmax(warps, 1) / gpu->max_mhz;
    us[TERM_DOUBLE] = scheduler_warps * v[COLUMN_L_DPU] / active * 32 / (gpu->fp64_lanes / SCHEDULERS) / gpu->max_mhz;
    us[TERM_SPECIAL] = scheduler_warps * v[COLUMN_L_SFU] / active * 32 / (gpu->sfu_lanes / SCHEDULERS) / gpu->max_mhz;
    us[TERM_SHARED] = sm_blocks * v[COLUMN_SHARED_PASSES] / full / gpu->max_mhz;
    us[TERM_L1] = sm_blocks * bytes / full / BYTES_L1_CLOCK / gpu->max_mhz;
    /* How much of what is asked for again L1 keeps is not known; the geometric mean of all and nothing is taken. */
    us[TERM_L2] = sqrt(bytes * fmin(bytes, v[COLUMN_FOOTPRINT])) / (BYTES_L2_CLOCK * gpu->sms) / gpu->max_mhz;
    us[TERM_DRAM] = v[COLUMN_FOOTPRINT] * share / (gpu->dram_gbs * 1e3);
    us[TERM_FOOTPRINT] = v[COLUMN_FOOTPRINT] / (gpu->dram_gbs * 1e3);
    us[TERM_LATENCY] = o.full_waves * v[COLUMN_L] / active * fmax(v[COLUMN_DPC], 0.05) * CLOCKS_INSTRUCTION /
                       gpu->max_mhz;
    us[TERM_MEMORY_LATENCY] = o.full_waves * (v[COLUMN_L_MR] + 0.2 * v[COLUMN_L_MW]) / active * CLOCKS_MEMORY /
                              gpu->max_mhz;
    us[TERM_BARRIER] = o.full_waves * v[COLUMN_L_S] * CLOCKS_BARRIER / gpu->max_mhz;
    us[TERM_BLOCKS] = v[COLUMN_N_B] * CLOCKS_BLOCK / gpu->max_mhz;
}
