/*
 * gpus.h - what is known of a GPU without a measurement: a row of contrib/predict/gpus.csv.
 */
#ifndef PREDICT_GPUS_H
#define PREDICT_GPUS_H

#include "table.h"

/* X(field, unit): the columns of gpus.csv after alias and gpu, in any order. */
#define GPU_FIELDS(X)                                                    \
    X(sms)              /* streaming multiprocessors */                  \
    X(max_mhz)          /* the highest SM clock */                       \
    X(dram_gbs)         /* bandwidth of the memory, 10^9 bytes/s */      \
    X(l2_bytes)         /* the L2 cache */                               \
    X(fp32_lanes)       /* float32 operations an SM and clock */         \
    X(fp64_lanes)       /* float64 operations an SM and clock */         \
    X(sfu_lanes)        /* special functions an SM and clock */          \
    X(threads_per_sm)   /* resident at most */                           \
    X(blocks_per_sm)    /* resident at most */                           \
    X(registers_per_sm) /* of 32 bits */                                 \
    X(shared_per_sm)    /* shared memory in bytes, of all blocks */      \
    X(launch_us)        /* a launch that is not the first, as ncu times it there: chosen by public programs */

struct gpu {
    char alias[32], name[64]; /* on command lines, and as the driver has it */
#define X(field) double field;
    GPU_FIELDS(X)
#undef X
};

struct gpus {
    struct gpu gpu[32]; /* `count` of them */
    int count;          /* rows of the file */
};

/* Reads the file; an error names file, line and column. */
bool gpus_read(struct gpus *gpus, const char *path, struct error *error);

/* The GPU of an alias or of a name as the driver has it, with or without NVIDIA before it; NULL if there is none. */
const struct gpu *gpus_find(const struct gpus *gpus, const char *name);

#endif
