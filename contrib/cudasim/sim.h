/*
 * sim.h - the virtual device: modules loaded on it, kernels launched on it, what was counted and what went wrong.
 *
 * This is the joint between the CUDA runtime's calls (runtime_*.c) and the machine (program, warp, block, table). Every
 * call takes the device; nothing here is global, and two devices in one process do not know each other.
 */
#ifndef CUDASIM_SIM_H
#define CUDASIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contrib/cudasim/container/fatbin.h"
#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/machine/class.h"
#include "contrib/cudasim/ptx/ptx.h"

/* The virtual device's limits; sim_default_limits() documents the defaults, CUDASIM_* variables change them. */
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
    unsigned cluster_size;           /* blocks a cluster, at most: 8 */
    uint64_t memory_bytes;           /* 16 GiB */
    uint64_t stack_bytes;            /* a thread, cudaLimitStackSize: 1024 by default, as on the real one; grows */
    uint64_t stack_max_bytes;        /* on demand up to this: 524288 */
    uint64_t heap_bytes;             /* cudaLimitMallocHeapSize: 8 MiB */
    uint64_t printf_bytes;           /* cudaLimitPrintfFifoSize: 1 MiB; not enforced */
};

struct sim_options {
    unsigned workers;    /* host threads; 0: all CPUs this process may use */
    uint64_t seed;       /* of the scheduler; used if `seeded` */
    bool seeded;         /* one worker, and an order of warps and blocks drawn from `seed` */
    bool check_written;  /* reads of memory never written */
    bool check_races;    /* shared-memory races */
    bool check_leaks;    /* allocations alive at the end */
    bool explain;        /* count for the report */
    bool features;       /* count, and note which sectors are touched, for feature.h */
    uint64_t sample;     /* see features_create(); 0: launches are executed in full */
};

/* What a kernel did wrong. Those that end the launch are errors, the others warnings. */
enum sim_fault_kind {
    FAULT_NONE,
    FAULT_OUT_OF_BOUNDS,      /* address near, or past, a known allocation */
    FAULT_ILLEGAL_ADDRESS,    /* address that never belonged to the device, null and host pointers among them */
    FAULT_MISALIGNED,
    FAULT_USE_AFTER_FREE,
    FAULT_UNINITIALISED,      /* warning */
    FAULT_SHARED_RACE,        /* warning */
    FAULT_DIVERGENT_BARRIER,  /* warning, or error where threads can never meet */
    FAULT_MISMATCHED_BARRIER, /* likewise */
    FAULT_DEADLOCK,
    FAULT_LEAK,               /* warning, at the end */
    FAULT_STACK_OVERFLOW,
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_WRITE_TO_READ_ONLY,
    FAULT_INVALID_CALL,       /* a call through a pointer that is no function */
    FAULT_REFUSED             /* warning: a call of the host that returned an error, which many do not look at */
};

/* "out-of-bounds", … as used in reports and tests. */
const char *sim_fault_name(enum sim_fault_kind kind);

struct sim_fault {
    enum sim_fault_kind kind;
    bool error;         /* ended the launch */
    char kernel[256];   /* demangled name, without its parameters */
    char file[256];     /* of the source, "" if the PTX has no .loc */
    unsigned line;      /* of the source file, or of the PTX when file is "" */
    unsigned block[3], thread[3];
    uint64_t address;
    uint64_t count;     /* how often at this place: at most once for a warp's turn */
    char text[320];     /* the sentence, without the place: "write of 4 bytes at 0x…, 4 bytes after …" */
};

struct sim;
struct sim_module;
struct sim_kernel;

/* Defaults, then the environment variables of docs/CUDASIM.md. False with a message for a bad value. */
bool sim_limits_from_environment(struct sim_limits *limits, char *error, size_t error_size);
bool sim_options_from_environment(struct sim_options *options, char *error, size_t error_size);

/* NULL with a message where there is no memory, or no instruction table for this processor. */
struct sim *sim_create(const struct sim_limits *limits, const struct sim_options *options, char *error,
                       size_t error_size);
void sim_destroy(struct sim *sim);
struct memory *sim_memory(struct sim *sim);
const struct sim_limits *sim_limits(const struct sim *sim);
const struct sim_options *sim_options(const struct sim *sim);
struct sim_limits *sim_limits_writable(struct sim *sim); /* for cudaDeviceSetLimit */

/*
 * Loads PTX text onto the device: every instruction is given its body now, so an opcode that is not supported fails
 * here with its line. `cubin` (may be NULL) has what ptxas said of the kernels. NULL with *error otherwise.
 */
struct sim_module *sim_load(struct sim *sim, const char *ptx, size_t size, const struct cubin_kernel *cubin,
                            size_t cubin_count, struct ptx_error *error);
void sim_unload(struct sim *sim, struct sim_module *module);

/* A kernel by its mangled name, or NULL. */
struct sim_kernel *sim_kernel(struct sim_module *module, const char *name);

/* The module's kernels in the order of its text: number `index`, or NULL behind the last. */
struct sim_kernel *sim_kernel_at(struct sim_module *module, size_t index);

/* The text that the kernel was made of. */
const struct ptx_module *sim_kernel_ptx(const struct sim_kernel *kernel, const struct ptx_function **function);

/* The kernel's name for people: demangled, without parameters. */
const char *sim_kernel_title(const struct sim_kernel *kernel);

/* A variable by its name: its device address and size in bytes. */
bool sim_variable(struct sim_module *module, const char *name, uint64_t *address, uint64_t *size);

struct sim_kernel_facts {
    const char *name;          /* mangled */
    unsigned registers;        /* a thread, of ptxas; an estimate when there was no cubin (then `estimated`) */
    bool estimated;
    unsigned static_shared;    /* bytes a block */
    unsigned local;            /* bytes a thread */
    unsigned constant;         /* bytes of the module's constants */
    unsigned max_threads;      /* a block */
    unsigned required_threads[3];  /* 0: any */
    unsigned required_cluster[3];  /* 0: any */
    unsigned parameter_bytes;  /* of the parameters, packed as PTX lays them out */
    unsigned parameter_count;
    unsigned max_dynamic_shared; /* set by cudaFuncSetAttribute; 48 KiB less static by default */
};
const struct sim_kernel_facts *sim_kernel_facts(const struct sim_kernel *kernel);
void sim_kernel_set_max_dynamic_shared(struct sim_kernel *kernel, unsigned bytes);

/* Offset and size in bytes of parameter `index` in the packed parameters. */
bool sim_kernel_parameter(const struct sim_kernel *kernel, unsigned index, unsigned *offset, unsigned *size);

/* Blocks of that size and dynamic shared memory which fit on a multiprocessor together; *limiter says what ends it. */
enum sim_limiter { LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };
unsigned sim_occupancy(const struct sim *sim, const struct sim_kernel *kernel, unsigned threads,
                       unsigned dynamic_shared, enum sim_limiter *limiter);

struct sim_launch {
    struct sim_kernel *kernel;
    unsigned grid[3], block[3], cluster[3]; /* cluster: blocks; 1 1 1 if none */
    unsigned dynamic_shared;                /* bytes */
    bool cooperative;
    const void *parameters;                 /* packed, facts.parameter_bytes bytes */
    uint64_t stream;                        /* for the report alone */
    const uint64_t *only;                   /* [only_count] blocks, or clusters, that are executed; NULL: all */
    size_t only_count;
    bool continues;                         /* the rest of a launch that was counted already */
};

/*
 * Runs the launch to its end. The configuration has been checked by the caller (block within limits, shared memory
 * within the kernel's maximum, cooperative launches co-resident). Returns true, or false with *fault after an error.
 */
bool sim_run(struct sim *sim, const struct sim_launch *launch, struct sim_fault *fault);

/* Warnings and errors so far, at most 1000 places. */
size_t sim_faults(struct sim *sim, const struct sim_fault **faults);
void sim_report_fault(struct sim *sim, const struct sim_fault *fault); /* adds one; prints it on standard error */

/* Sums over all launches of one kernel. Counts are of warp instructions unless they say otherwise. */
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
    uint64_t shared_requests, shared_passes; /* passes: 1 a request without a bank conflict (vectors: the least) */
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

/* Kernels launched so far, in the order of their first launch. To be freed with free(). */
size_t sim_counts(struct sim *sim, struct sim_kernel_counts **counts);
/* The same of one kernel, all zeros before its first launch. Pointers in it are valid as long as the device. */
void sim_kernel_count(const struct sim_kernel *kernel, struct sim_kernel_counts *counts);
/* Lines of kernel number `index` of sim_counts(), most warp instructions first. To be freed with free(). */
size_t sim_line_counts(struct sim *sim, size_t index, struct sim_line_counts **lines);

#endif
