/*
 * explain_model.h - the report before it is written: numbers derived from the counts, and their estimated cost on a
 * GPU.
 *
 * Only explain*.c use it. The model has one purpose: to rank findings. It takes counts, not time. Its cycles have a
 * meaning only relative to each other.
 *
 *   A multiprocessor (SM) is a set of pipes. The kernel's counts keep each pipe busy for a number of cycles. The table
 *   below has the cycles per unit. Pipes overlap, but never perfectly. So the time lies between the time of the busiest
 *   pipe and the sum of all; the model takes the middle.
 *
 *   Too few resident warps stretch a pipe. With an arithmetic latency of 4 cycles, 4 schedulers issue every cycle only
 *   if 16 warps have an instruction to issue. Memory at DRAM's rate needs some 7 KB in flight (14.5 bytes a cycle, 479
 *   cycles). That is 54 requests of 128 bytes, two from each of about 32 warps.
 *
 *   Blocks are dealt out evenly. So the time is that of the SM with most blocks: 17 blocks on 16 SMs take as long as
 *   32.
 *
 *   A launch takes at least the launch overhead. The next one is queued while a kernel runs, so short kernels wait.
 *
 * A finding costs the model's time with the counts, less its time with the finding's counts at their ideal. Caches are
 * not modelled: the model takes every sector from L2.
 */
#ifndef CUDASIM_EXPLAIN_MODEL_H
#define CUDASIM_EXPLAIN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "contrib/cudasim/sim.h"

/*
 * Published figures. H100 SXM5: NVIDIA's data sheet (3.35 TB/s) and architecture whitepaper (132 SMs, each of
 * 4 schedulers, 128 single and 64 double precision lanes, 16 special function lanes). Clock: the boost of the H100
 * PCIe; the SXM5 may go to 1.98 GHz. Lanes and shared memory (32 banks of 4 bytes a cycle): CUDA Programming Guide,
 * compute capability 9.0. L2: 5120 bytes a cycle, A100 whitepaper; the same for the H100 in table 3 of PMC10448217
 * (8986 GB/s at 1.755 GHz), as is the arithmetic latency. Memory latency: Luo et al., arXiv:2402.13499.
 * Launch: the order that NVIDIA's articles on CUDA graphs give for launches one after the other. Atomics: one a cycle
 * for one address, GK110 whitepaper; taken a lane and SM, as if lanes of a warp met and SMs did not.
 */
#define MODEL_MULTIPROCESSORS 132.0
#define MODEL_CLOCK 1.755e9               /* Hz */
#define MODEL_DRAM 3.35e12                /* bytes a second, the whole GPU */
#define MODEL_L2 5120.0                   /* bytes a cycle, the whole GPU */
#define MODEL_LAUNCH 2.5e-6               /* seconds a launch */
#define MODEL_ISSUE 4.0                   /* warp instructions a cycle and SM */
#define MODEL_DOUBLE_LANES 64.0           /* a cycle and SM */
#define MODEL_SPECIAL_LANES 16.0          /* a cycle and SM */
#define MODEL_L1 128.0                    /* bytes a cycle and SM, for local memory */
#define MODEL_WARPS_ISSUE 16.0            /* warps an SM that keep the schedulers busy: 4 schedulers, 4 cycles */
#define MODEL_WARPS_MEMORY 32.0           /* warps an SM that keep memory busy, see above */
/* Thread instructions a byte from which on issue, not DRAM, is the limit: 4 x 32 a cycle over 14.5 bytes a cycle. */
#define MODEL_BALANCE (MODEL_ISSUE * 32 / (MODEL_DRAM / MODEL_CLOCK / MODEL_MULTIPROCESSORS))

#define WARP_LANES 32
#define SECTOR_BYTES 32

/* Below this share of all kernels' modelled work, a kernel gets a line and no advice. */
#define EXPLAIN_NEGLIGIBLE 0.01

enum explain_pipe {
    PIPE_ISSUE,
    PIPE_DOUBLE,
    PIPE_SPECIAL,
    PIPE_GLOBAL,
    PIPE_SHARED,
    PIPE_LOCAL,
    PIPE_ATOMIC,
    PIPE_COUNT
};
const char *explain_pipe_id(enum explain_pipe pipe);    /* "issue": in JSON */
const char *explain_pipe_words(enum explain_pipe pipe); /* "instruction issue": in the text */

/* The work from which the model computes a time. A finding changes a copy of it to its ideal. */
struct explain_work {
    double busy[PIPE_COUNT]; /* cycles of one SM, all launches together, each pipe as if alone and full of warps */
    double launches;
    double fill;             /* 0 to 1: share of the SMs' time, until the last block ends, in which they have a block */
    double warps;            /* resident on an SM that has blocks */
};

/* The classes of Riahi et al.: their computation is the machine's computation, control and parameters together. */
enum explain_class { EXPLAIN_C, EXPLAIN_MR, EXPLAIN_MW, EXPLAIN_SHR, EXPLAIN_SHW, EXPLAIN_S, EXPLAIN_DPU, EXPLAIN_SFU,
                     EXPLAIN_CLASSES };
const char *explain_class_id(enum explain_class class);    /* "l_c" */
const char *explain_class_words(enum explain_class class); /* "computation" */

struct explain_line {
    struct sim_line_counts counts;
    double share; /* of the kernel's lines' modelled work, 0 to 1 */
};

/* The metric of a line that is furthest from its ideal. */
enum explain_worst { WORST_NONE, WORST_SECTORS, WORST_PASSES, WORST_BRANCHES, WORST_LANES };

struct explain_kernel {
    const struct sim_kernel_counts *counts;
    struct explain_line *lines;            /* [line_count], most modelled work first */
    size_t line_count;
    uint64_t warp[EXPLAIN_CLASSES];        /* warp instructions */
    uint64_t thread[EXPLAIN_CLASSES];      /* thread instructions */
    uint64_t warp_total, thread_total;     /* their sums */
    unsigned block_threads, block_warps;   /* of one block of the largest launch */
    double lanes_possible;                 /* 0 to 1: lanes of a block's warps that have a thread at all */
    double simd;                           /* 0 to 1: lanes that work in an instruction; 1 when there is none */
    double ideal_load_sectors, ideal_store_sectors;
    double bytes_moved;                    /* global sectors x 32 */
    double blocks_a_launch;                /* on average */
    double waves;                          /* of the largest launch */
    double last_wave;                      /* 0 to 1: how full the largest launch's last wave is */
    unsigned warps_per_sm;                 /* by occupancy */
    struct explain_work work;
    double cycles;                         /* the model's, see above */
    double share;                          /* of all kernels' cycles, 0 to 1 */
    bool launch_bound;                     /* launches take longer than what they do */
};

struct explain_finding {
    const char *kind;  /* "uncoalesced-loads", … */
    size_t kernel;     /* index in explain.kernels */
    const char *file;  /* NULL when it belongs to no line, "" when the line is of the PTX */
    unsigned line;
    double cycles;     /* that it costs, by the model */
    double share;      /* of all kernels' cycles */
    char text[768];    /* sentences */
};

struct explain {
    const struct sim_limits *limits;
    const struct sim_fault *faults;    /* [fault_count], the simulator's own */
    size_t fault_count;
    struct sim_kernel_counts *counts;  /* [kernel_count] */
    struct explain_kernel *kernels;    /* [kernel_count] */
    size_t kernel_count;
    struct explain_finding *findings;  /* [finding_count], the costliest first */
    size_t finding_count;
    double cycles;                     /* of all kernels */
};

/* All numbers of the report except the findings, before it is written. NULL without memory. */
struct explain *explain_gather(struct sim *sim);
void explain_free(struct explain *explain);

/* Fills explain->findings. False without memory. Of explain_advice.c. */
bool explain_advise(struct explain *explain);

/* Cycles that the work takes on a device of so many SMs; *bound (may be NULL): launches take longer than the work. */
double explain_cycles(const struct explain_work *work, double multiprocessors, bool *bound);
/* The same of the pipes alone, without launch overhead. */
double explain_busy_cycles(const struct explain_work *work, double multiprocessors);

/* Sets work's fill and warps for launches of so many blocks. */
void explain_spread(struct explain_work *work, const struct explain_kernel *kernel, double blocks,
                    double multiprocessors);

/* Cycles of one SM for so many sectors. */
double explain_sector_cycles(double sectors);

/* The least number of sectors for so many requests and bytes: at least one per request. */
double explain_ideal_sectors(uint64_t requests, uint64_t bytes);

/* Which metric of a line is worst, or WORST_NONE when all are within a tenth of their ideal. */
enum explain_worst explain_line_worst(const struct sim_line_counts *line);

/* a / b, and 0 when b is 0: for numbers that are only shown when b is not. */
double explain_ratio(double a, double b);

/* "1.23 GB", powers of 1000. */
struct explain_size { char text[24]; };
struct explain_size explain_size(double bytes);

/* "device_user.cu:55", "PTX line 55", without folders. */
struct explain_place { char text[96]; };
struct explain_place explain_place(const char *file, unsigned line);

const char *explain_limiter(enum sim_limiter limiter); /* "registers" */

#endif
