/*
 * inside.h - the inside of the virtual device. sim.c, device.c, kernel.c, launch.c, child.c, count.c and fault.c share
 * it.
 */
#ifndef CUDASIM_INSIDE_H
#define CUDASIM_INSIDE_H

#include "builtin.h"
#include "child.h"
#include "count.h"
#include "fault.h"
#include "machine.h"
#include "settings.h"
#include "texture.h"

struct memory;
struct pages;
struct row_index;

#define FAULT_PLACES 1000
#define KNOWN_WARNINGS 256

/* A call of malloc() in a kernel, and the report of blocks that it leaves: heap_sites.c. */
struct heap_site {
    const struct ins *ins;
    struct sim_fault fault; /* its place; the text is written at the end */
};

/* One worker's counters for one kernel. They are kept from launch to launch. */
struct use_counters {
    int64_t *warp_diff;    /* [code_count + 1] */
    int64_t *lane_diff;    /* [code_count + 1] */
    struct event *events;  /* [event_count] */
    uint64_t generation;   /* of the memory when `events` remembered their spans */
};

/* The launches of one kernel, summed. Outlives its module: then `frozen` and `lines` hold the sums. */
struct kernel_use {
    struct kernel_use *next;           /* in the order of first launches */
    const struct sim_kernel *kernel;   /* NULL once the module is unloaded */
    struct sim_kernel_counts frozen;   /* what launches add at once; after unloading everything */
    char *name, *mangled;              /* owned */
    struct use_counters *counters;     /* [workers] */
    struct sim_line_counts *lines;     /* owned, after unloading; so are their files */
    size_t line_count;
};

struct sim_module {
    struct sim *sim;
    struct program *program;
    struct sim_kernel *kernels; /* [kernel_count] */
    size_t kernel_count;
    char *text;                 /* [text_size] its PTX, while features are written; NULL: it was linked of several */
    size_t text_size;
    struct sim_module *next;
};

struct sim {
    struct sim_limits limits;
    struct sim_options options;
    struct memory *memory;
    struct row_index *rows;        /* of the instruction table; sim.c's */
    struct heap heap;
    struct touched touched;        /* bits are NULL without options.features */
    struct pages *pages;           /* who touched global memory; NULL before the first launch that is checked */
    bool pages_refused;            /* there was no room for it */
    bool silent;                   /* what kernels print is dropped: the program is over */
    bool wide;                     /* bodies for AVX-512 are used, so checks may use it as well */
    struct region *workspace;      /* of cooperative launches, made for the first one */
    struct sim_texture **textures; /* by handle; NULL before the first one */
    uint32_t texture_count;        /* handles given out */
    struct sim_module *modules;
    struct kernel_use *uses;
    struct children children;      /* what kernels launched */
    pthread_mutex_t fault_lock;    /* of the four below, and of printing them */
    struct sim_fault *faults;      /* [FAULT_PLACES] */
    const struct ins **fault_at;   /* [FAULT_PLACES]: the instruction of each, to know it again */
    /* By instruction and kind: which of the faults it is; fault_count: there is no more room. */
    struct { const struct ins *at; uint32_t kind, index; } known_warnings[KNOWN_WARNINGS];
    size_t fault_count;
    struct worker *workers;        /* [worker_count]; the first is whoever calls sim_run() */
    unsigned worker_count;
    unsigned threads;              /* host threads started, for workers 1 .. */
    pthread_mutex_t pool_lock;     /* of what follows */
    pthread_cond_t pool_work, pool_done;
    struct launch *pool_launch;    /* what the pool works on */
    uint64_t pool_serial;          /* counts launches given to the pool */
    unsigned pool_wanted;          /* workers that shall take part */
    unsigned pool_active;          /* that still do */
    bool pool_end;
};

/* Host threads for a device without CUDASIM_WORKERS: the CPUs that this process may use. */
unsigned device_cpus(void);

/* Makes sim->touched, with one bit per sector of the device's memory. False: no memory. */
bool device_note_sectors(struct sim *sim);

#endif
