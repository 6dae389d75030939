/*
 * count.h - the counts of kernels that ran.
 */
#ifndef CUDASIM_COUNT_H
#define CUDASIM_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "class.h"
#include "kernel.h"

struct kernel_use;

/* Sums over all launches of one kernel. Counts are in warp instructions unless their comment names another unit. */
struct sim_kernel_counts {
    const char *name;         /* demangled, without parameters */
    uint64_t launches;
    unsigned grid[3], block[3], dynamic_shared; /* of the launch with most blocks */
    uint64_t blocks, threads, warps;
    double seconds;           /* the simulator's own time */
    uint64_t warp_instructions[CLASS_COUNT];
    uint64_t thread_instructions[CLASS_COUNT];
    uint64_t all_warp_instructions, all_thread_instructions; /* whatever their class */
    uint64_t thread_exits;    /* thread instructions by which a thread ended: among those of CLASS_CONTROL */
    uint64_t branches, divergent_branches; /* conditional branches executed by warps, and those where lanes parted */
    uint64_t global_load_requests, global_load_sectors, global_load_bytes; /* asked for by threads; sectors: 32 bytes */
    uint64_t global_store_requests, global_store_sectors, global_store_bytes;
    uint64_t shared_requests, shared_passes; /* passes: 1 per request without a bank conflict (vectors: the least) */
    uint64_t shared_ideal_passes;
    uint64_t shared_bytes;
    uint64_t local_requests, local_bytes;
    uint64_t atomic_requests, atomic_lanes;
    uint64_t flops;           /* floating-point operations by threads, fma as two; f32, f64 and half */
    uint64_t integer_ops;     /* other computation by threads */
    unsigned blocks_per_sm;   /* occupancy at the launch recorded above */
    enum sim_limiter limiter;
    struct sim_kernel_facts facts;
};

/* One source line's share of a kernel's counts, for "where". */
struct sim_line_counts {
    const char *file;
    unsigned line;
    uint64_t warp_instructions, thread_instructions;
    uint64_t branches, divergent_branches;
    uint64_t global_requests, global_sectors, global_bytes;
    uint64_t shared_requests, shared_passes, shared_ideal_passes;
};

/* Kernels launched so far, in the order of their first launch. The caller frees the list with free(). */
size_t sim_counts(struct sim *sim, struct sim_kernel_counts **counts);
/* The same for one kernel. All are zero before its first launch. Pointers in it are valid as long as the device. */
void sim_kernel_count(const struct sim_kernel *kernel, struct sim_kernel_counts *counts);
/* Lines of kernel number `index` of sim_counts(), most warp instructions first. The caller frees them with free(). */
size_t sim_line_counts(struct sim *sim, size_t index, struct sim_line_counts **lines);

/* ---- for sim.c and launch.c ---- */

/* Sums the counts. They then no longer depend on the kernel's module. */
void use_freeze(struct kernel_use *use);
void use_free(struct kernel_use *use);

#endif
