/*
 * kernel.h - the kernels of a loaded module: the resources that they need, and the blocks that fit on a multiprocessor.
 */
#ifndef CUDASIM_KERNEL_H
#define CUDASIM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_function;
struct ptx_module;
struct sim;
struct sim_kernel;
struct sim_module;

/* A kernel by its mangled name, or NULL. */
struct sim_kernel *sim_kernel(struct sim_module *module, const char *name);

/* The module's kernels in the order of its text: number `index`, or NULL behind the last. */
struct sim_kernel *sim_kernel_at(struct sim_module *module, size_t index);

/* The PTX text of the kernel. */
const struct ptx_module *sim_kernel_ptx(const struct sim_kernel *kernel, const struct ptx_function **function);

/* The unsupported feature that keeps the kernel from running, with its line of the PTX (0: none). NULL: it can run. */
const char *sim_kernel_refusal(const struct sim_kernel *kernel, unsigned *line);

/* The kernel's name for people: demangled, without parameters. */
const char *sim_kernel_title(const struct sim_kernel *kernel);

struct sim_kernel_facts {
    const char *name;          /* mangled */
    unsigned registers;        /* a thread, of ptxas; without a cubin an estimate, and `estimated` is true */
    bool estimated;
    unsigned static_shared;    /* bytes a block */
    unsigned local;            /* bytes a thread */
    unsigned constant;         /* bytes of the module's constants */
    unsigned max_threads;      /* a block */
    unsigned required_threads[3];  /* 0: any */
    unsigned required_cluster[3];  /* 0: any */
    unsigned largest_cluster;      /* blocks, as the kernel was compiled for; 0: any */
    bool counts_clusters;          /* a launch gives the number of clusters, and no size of blocks: __block_size__ */
    unsigned parameter_bytes;  /* of the parameters, packed as PTX lays them out */
    unsigned parameter_count;
    unsigned max_dynamic_shared; /* set by cudaFuncSetAttribute; 48 KiB less static by default */
    bool awaits_ahead;         /* it has griddepcontrol.wait, for the kernel ahead in the stream */
    bool launches_graphs;      /* by the device runtime's cudaGraphLaunch() */
    bool lets_begin;           /* it has griddepcontrol.launch_dependents, for the kernel behind it */
    bool waits;                /* it has a loop that waits for a word of global memory */
    bool times;                /* it reads a clock, or sleeps */
};
const struct sim_kernel_facts *sim_kernel_facts(const struct sim_kernel *kernel);
void sim_kernel_set_max_dynamic_shared(struct sim_kernel *kernel, unsigned bytes);

/* Offset and size in bytes of parameter `index` in the packed parameters. */
bool sim_kernel_parameter(const struct sim_kernel *kernel, unsigned index, unsigned *offset, unsigned *size);

/* How many blocks of that size and dynamic shared memory fit on a multiprocessor. *limiter names the limit. */
enum sim_limiter { LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };
unsigned sim_occupancy(const struct sim *sim, const struct sim_kernel *kernel, unsigned threads,
                       unsigned dynamic_shared, enum sim_limiter *limiter);

/* ---- for sim.c ---- */

/* What ptxas reports for a kernel. */
struct kernel_resources {
    unsigned registers; /* a thread */
    unsigned local;     /* bytes a thread */
};

/*
 * Fills `kernel` from function `index` of the module, which must be an entry. If `measured` is NULL, registers are
 * estimated. `seen` is scratch, [function_count]. False: no memory.
 */
bool kernel_describe(struct sim_module *module, struct sim_kernel *kernel, size_t index,
                     const struct kernel_resources *measured, char *seen);

#endif
