/*
 * settings.h - the virtual device's limits, and the checks and counts while kernels run.
 */
#ifndef CUDASIM_SETTINGS_H
#define CUDASIM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The virtual device's limits. The comments give the defaults. CUDASIM_* variables change them. */
struct sim_limits {
    unsigned multiprocessors;        /* 16 */
    unsigned threads_per_block;      /* 1024 */
    unsigned threads_per_sm;         /* 2048 */
    unsigned blocks_per_sm;          /* 32 */
    unsigned registers_per_sm;       /* 65536; the same a block */
    unsigned shared_per_sm;          /* bytes: 233472 */
    unsigned shared_per_block;       /* bytes without asking: 49152 */
    unsigned shared_per_block_optin; /* bytes: 232448 */
    unsigned shared_reserved;        /* bytes that the system takes of each block's shared memory: 1024 */
    unsigned constant_bytes;         /* 65536 */
    unsigned cluster_size;           /* blocks a cluster, at most: 16 */
    uint64_t memory_bytes;           /* 16 GiB */
    uint64_t stack_bytes;            /* a thread, cudaLimitStackSize: 1024 by default, as on the real one; grows */
    uint64_t stack_max_bytes;        /* on demand up to this: 524288 */
    uint64_t heap_bytes;             /* cudaLimitMallocHeapSize: 8 MiB */
    uint64_t printf_bytes;           /* cudaLimitPrintfFifoSize; 0: 64 KiB a multiprocessor; not enforced */
    /* Programs can ask for these. They have no effect. */
    char name[96];                   /* of the device */
    unsigned capability;             /* 90 is 9.0. PTX up to 9.0 runs whatever it says */
    unsigned clock_khz, memory_clock_khz;
    unsigned memory_bus_bits;
    unsigned l2_bytes;
    unsigned double_ratio;           /* single precision results for one of double precision */
};

struct sim_options {
    unsigned workers;    /* host threads; 0: all CPUs this process may use */
    uint64_t seed;       /* of the scheduler; used if `seeded` */
    bool seeded;         /* one worker, and an order of warps and blocks drawn from `seed` */
    bool check_written;  /* reads of memory never written */
    bool check_races;    /* races in shared and global memory */
    bool check_leaks;    /* allocations, streams and events alive at the end */
    bool check_lanes;    /* member masks, shuffles from inactive lanes, threads that exit before a barrier */
    bool check_bounds;   /* accesses beyond one shared or local variable; stacks beyond cudaLimitStackSize */
    bool check_calls;    /* calls of the host that failed and whose result the program ignored, and wrong frees */
    bool check_streams;  /* streams that race each other, and the host with pending work */
    bool check_host;     /* the host accesses memory of the device */
    bool check_unused;   /* allocations that nothing was ever written to */
    bool go_on;          /* accesses out of bounds are warnings: see access.c */
    bool explain;        /* count for the report */
    bool features;       /* count, and note which sectors are touched, for feature.h */
    uint64_t sample;     /* see features_create(); 0: launches run in full */
};

/* Defaults, then the environment variables of docs/SIMULATOR.md. False with a message for a bad value. */
bool sim_limits_from_environment(struct sim_limits *limits, char *error, size_t error_size);
bool sim_options_from_environment(struct sim_options *options, char *error, size_t error_size);

#endif
