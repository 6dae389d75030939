/*
 * terms.h - what a launch asks of each part of a GPU, as a time in microseconds: the physics below every method.
 *
 * A term is the work of a launch over the peak rate of one resource, so no launch can be faster than its largest term
 * of the resources whose work is counted exactly. Computed from a row of features and a GPU's description; no
 * measurement.
 */
#ifndef PREDICT_TERMS_H
#define PREDICT_TERMS_H

#include "gpus.h"

/* X(identifier, name in reports, whether it is a lower bound of any launch) */
#define TERMS_LIST(X)                                                                                                 \
    X(TOTAL, "instructions", true)             /* warp instructions, four a clock on every SM of the GPU */           \
    X(BYTES, "bytes asked for", false)         /* bytes asked for, at the bandwidth of the memory */                  \
    X(ISSUE, "instruction issue", false)       /* warp instructions, four a clock on each SM that has blocks */       \
    X(DOUBLE, "double precision", true)        /* float64 operations */                                               \
    X(SPECIAL, "special functions", true)      /* sines, roots and such */                                            \
    X(SHARED, "shared memory", true)           /* passes of 32 banks, one a clock */                                  \
    X(L1, "global access", false)              /* sectors asked of L1: two a clock */                                 \
    X(L2, "L2 bandwidth", false)               /* bytes from L2: between those asked for and the distinct ones */     \
    X(DRAM, "memory bandwidth", false)         /* distinct bytes touched, by how far they go beyond L2 */             \
    X(FOOTPRINT, "distinct bytes", false)      /* distinct bytes touched, at the bandwidth of the memory */           \
    X(LATENCY, "latency of one warp", false)   /* dependent instructions of one thread in turn, waves of blocks */    \
    X(MEMORY_LATENCY, "memory latency", false) /* global accesses of one thread one after another, waves of blocks */ \
    X(BARRIER, "barriers", false)              /* barriers of one block after another, waves of blocks */             \
    X(BLOCKS, "start of blocks", false)        /* blocks given to the SMs, one after another */

enum term {
#define X(identifier, name, bound) TERM_##identifier,
    TERMS_LIST(X)
#undef X
    TERMS
};

/* How a launch lies on the GPU. */
struct occupancy {
    double blocks_per_sm; /* resident at once, by threads, registers, shared memory and the limit on blocks */
    double warps_per_sm;  /* resident on an SM, on average over those with blocks in a full wave or all there are */
    double waves;         /* blocks over those resident on the whole GPU */
    double full_waves;    /* rounded up */
    double busy;          /* share of the SMs that have a block, of the fullest wave */
    double imbalance;     /* blocks of the busiest SM over the mean, at least 1 */
    const char *limit;    /* what limits blocks_per_sm */
};

struct occupancy terms_occupancy(const struct sample *sample, const struct gpu *gpu);

double terms_activity(const struct sample *sample);

/* Fills `us`, microseconds at the GPU's highest clock; each at least 0. */
void terms_compute(const struct sample *sample, const struct gpu *gpu, double us[TERMS]);

const char *term_name(enum term term);
bool term_is_bound(enum term term);

#endif
