/*
 * parts.h - the mechanistic model of time: what each part of the machine needs for a launch, in microseconds.
 *
 * Throughputs are of the busiest multiprocessor, or of the whole GPU. The path is what the longest warp of a block
 * needs alone, times the waves of blocks. Computed from a row of features with the columns of the launch's work and a
 * GPU's description. The constants are those of contrib/predict/microbenchmarks (docs/predict/methods.md). No kernel's
 * time is used: methods/mechanism.c puts the parts together.
 */
#ifndef PREDICT_PARTS_H
#define PREDICT_PARTS_H

#include "terms.h"

/* X(identifier, name in reports, whether it is a stretch of the path of a warp and not a throughput) */
#define PARTS_LIST(X)                                                                                              \
    X(ISSUE, "instruction issue", false)           /* issue slots of four schedulers */                            \
    X(ALU, "integer and logic pipe", false)        /* clocks of each pipe of the busiest multiprocessor */         \
    X(FMA, "multiply-add pipe", false)                                                                             \
    X(FP64, "double-precision pipe", false)                                                                        \
    X(XU, "special-function pipe", false)                                                                          \
    X(TENSOR, "tensor cores", false)                                                                               \
    X(LSU, "load and store pipe", false)           /* requests, and lines of a request that lie apart */           \
    X(SHARED, "shared memory", false)              /* passes of the banks, lanes of atomics that meet */           \
    X(L1, "L1 bandwidth", false)                   /* sectors */                                                   \
    X(L2, "L2 bandwidth", false)                   /* sectors that L1 lacks, stores, atomics */                    \
    X(DRAM, "memory bandwidth", false)             /* bytes that L2 lacks */                                       \
    X(ATOMICS, "atomics", false)                   /* words changed in L2 */                                       \
    X(HOT, "atomics on one word", false)           /* lanes that meet at the hottest word, one after another */    \
    X(BLOCKS, "start of blocks", false)                                                                            \
    X(CHAIN, "dependent instructions", true)       /* of a warp alone */                                           \
    X(WAIT_LOAD, "latency of memory", true)        /* waits of the path, at the latency of where the data lies */  \
    X(WAIT_SHARED, "latency of shared memory", true)                                                               \
    X(WAIT_ATOMIC, "latency of atomics", true)                                                                     \
    X(WAIT_BARRIER, "barriers", true)                                                                              \
    X(WAIT_FENCE, "fences", true)                                                                                  \
    X(HEAP, "malloc and free", true)               /* of kernels */                                              \
    X(BUS, "memory of the host", true)             /* over the bus; managed pages that come for the first time */ \
    X(PRINT, "printing", true)                                                                                     \
    X(CHILDREN, "launches by the kernel", true)                                                                    \
    X(FETCH, "instruction fetch", true)            /* of code that no launch executed before */                    \
    X(FIRST, "first launch", true)                 /* of the program */

enum part {
#define X(identifier, name, path) PART_##identifier,
    PARTS_LIST(X)
#undef X
    PARTS
};

/* A row of what methods learn from: the terms, then the parts, then the price of a launch that does nothing. */
enum { PARTS_LAUNCH = PARTS, PARTS_ALL, ROW_TERMS = TERMS + PARTS_ALL };

/* Whether the row has the columns of the launch's work. */
bool parts_known(const struct sample *sample);

/* Why the parts say nothing of the time of a launch; NULL: they do. */
const char *parts_refused(const struct sample *sample);

/* Whether the GPU may have done other work than was counted: data that steers the kernel is not real, or a sample. */
bool parts_doubtful(const struct sample *sample);

/* How much wider the logarithm of an interval is for it than for others: docs/predict/methods.md, Intervals. */
#define DOUBTFUL_WIDTH 2.0

/*
 * Fills `us`, microseconds at the GPU's highest clock, and the price of a launch. The parts are 0 where the row lacks
 * the columns.
 */
void parts_compute(const struct sample *sample, const struct gpu *gpu, double us[PARTS_ALL]);

const char *part_name(enum part part);
bool part_is_path(enum part part);

#endif
