/*
 * machine.h - the warps, blocks and workers that execute instructions, and the launch to which they belong.
 *
 * Lanes of a warp that diverge form splits. A split is a program counter and a mask. The split with the lowest counter
 * in the deepest call runs first, so structured code meets again. A split that keeps jumping backwards yields to the
 * others after a while. So a lane that spins on a lock cannot starve the lane that holds it.
 *
 * This file has only data. The functions are in warp.h, block.h, launch.h, access.h, sectors.h, race.h, fault.h and
 * count.h.
 */
#ifndef CUDASIM_MACHINE_H
#define CUDASIM_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "fault.h"
#include "ins.h"
#include "kernel.h"

struct kernel_use;
struct sim_launch;

#define BARRIERS 16
#define LOCAL_GAP 64 /* bytes between the stacks of two lanes */
#define WARPS_PER_BLOCK 32
#define CLUSTER_BARRIER 255 /* split.barrier: waits for the cluster */

struct block;
struct grid_order;
struct launch;
struct meeting;
struct order;
struct page;
struct pages;
struct probe;
struct probe_path;
struct warp;
struct worker;

/* A call in progress. Lanes that parted inside of one call share the frame. */
struct frame {
    struct frame *parent;      /* NULL for the kernel's own */
    const struct ins *ret;     /* where the caller goes on */
    const struct call_site *site;
    const struct function *function;
    char *registers;
    char *params;              /* [32][function->param_bytes] */
    uint32_t local_base;       /* offset of its local variables in every thread's stack */
    uint32_t allocated;        /* bytes of alloca behind them, the same for all its lanes */
    uint32_t depth;
    uint32_t lanes;            /* lanes which are inside of the call */
};

enum split_state {
    SPLIT_RUNNABLE,
    SPLIT_SYNC,   /* waits at a .sync instruction for lanes of its member mask */
    SPLIT_BARRIER /* waits at a barrier of the block */
};

struct split {
    const struct ins *pc;
    struct frame *frame;
    uint32_t mask;
    uint8_t state;
    uint8_t barrier;   /* number, in state SPLIT_BARRIER */
    uint32_t need;         /* in state SPLIT_SYNC: lanes it waits for */
    uint64_t stamp;    /* when it last ran */
};

struct warp {
    char *base[2];                /* of slots: registers of the current frame, constants less 1 */
    uint32_t mask;                /* lanes of the current split */
    uint32_t other_count;         /* splits waiting in others[] */
    uint32_t lanes_mask;          /* the mask that lanes[] holds; `mask` may be cleared alone */
    uint32_t lanes[LANES] __attribute__((aligned(64))); /* mask, a word a lane: all ones or zero */
    uint64_t address[LANES] __attribute__((aligned(64))); /* scratch of memory instructions: host addresses */
    struct frame *frame;
    struct block *block;
    struct worker *worker;
    const struct ins *start;      /* of the straight line being executed, for the counts */
    const struct ins *pc;         /* of the current split while the warp does not run */
    int32_t budget;               /* backward branches before another warp has its turn */
    int32_t patience;             /* backward branches since lanes were together, or others had their turn */
    uint8_t forced;               /* branches for which the current split still runs out of turn */
    uint8_t spinning;             /* an INS_SPINS instruction was executed since the last backward branch */
    uint8_t spin_count;           /* successive backward branches with one */
    uint8_t yielded;              /* gave way because it spins */
    const struct ins *spin_at;    /* the instruction that it spins on */
    bool done;
    bool waiting;                 /* no split is runnable */
    uint32_t index;               /* in the block */
    uint32_t exists;              /* lanes that were started */
    uint32_t live;                /* lanes not exited */
    char *local;                  /* [32] stacks of local_stride bytes, or NULL until needed */
    uint64_t local_stride;
    uint32_t *local_written;      /* [local_stride] lanes that wrote this byte of their stack, with check_written */
    uint32_t cluster_phase;       /* in which it arrived last */
    struct frame top;             /* the kernel's own frame */
    struct order *order;          /* its part in the order of accesses, with check_races; else NULL */
    struct probe_path *path;      /* where its jumps are written down; else NULL */
    uint64_t executed;            /* instructions */
    uint64_t loads;               /* of global memory, of blocks that a probe looks at */
    struct split others[LANES];
};

/* The accesses of one warp that are known: all before time `all`, and those of `lanes` before time `some`. */
struct seen {
    uint32_t all, some, lanes;
};

struct channel;
struct family;

/* The first `length` releases at a word. Several blocks know them. */
struct known {
    const struct channel *channel;
    uint32_t length;
};

struct knowledge {
    struct known *items; /* owned */
    uint32_t count, capacity;
    uint32_t next;       /* where the next item that is looked for may be */
    bool everything;     /* there were too many to keep: all count as known */
    uint64_t filter[16]; /* channels that may be among the items; nothing, if there are none */
};

struct barrier {
    uint32_t arrived[WARPS_PER_BLOCK]; /* lanes that arrived, one mask per warp */
    uint32_t waiting;                  /* lanes blocked */
    uint32_t arrivals;                 /* lanes that arrived, also those that exited later */
    uint32_t expected;                 /* threads, 0: all live ones */
    bool pending;                      /* some lane arrived */
    bool mismatched;                   /* arrivals with different counts were seen */
    const struct ins *first;           /* the instruction of the first arrival */
    bool divergent;                    /* arrivals from different instructions */
    struct seen join[WARPS_PER_BLOCK]; /* what the warps that arrived know, with check_races and a count */
    uint32_t true_count, false_count;  /* of bar.red */
    uint32_t met;                      /* the warps that met there last, by a count, a bit each; with check_races */
    uint32_t over;                     /* and when */
};

#define BULK_READS 16

/* Bytes of shared memory that a copy in bulk reads until its group was waited for: race_bulk.c. */
struct bulk_read {
    uint32_t begin, end; /* offsets */
    uint32_t age;        /* groups that its thread ended since; 0: its own is not ended */
    uint8_t warp, lane;  /* who issued it */
    const struct ins *ins;
};

struct block {
    struct launch *launch;
    struct worker *worker;
    uint32_t id[3];
    uint64_t number;         /* linear */
    uint32_t warp_count;
    uint32_t threads;
    uint32_t live;           /* threads not exited */
    uint32_t live_warps;
    bool awaited;            /* a thread of it or its cluster has waited for the kernel ahead in the stream */
    bool unfenced;           /* it stored to page-locked memory since its last fence for the system, as far as noted */
    uint32_t cluster_rank;
    struct block **cluster;  /* [cluster size] blocks of its cluster, itself among them; NULL if there is none */
    char *shared;
    uint32_t shared_size;
    uint64_t *writes;          /* who wrote a unit of shared memory last, as race_entry.h has it, with check_races or */
                               /* check_written; else NULL */
    uint64_t *reads;           /* and who read it, with check_races; else NULL */
    uint32_t *log;             /* plain reads since t0 that are not in `reads` yet: see race_shared.c */
    uint32_t log_used;         /* words of it */
    uint8_t chunk_shift;       /* shared memory is 64 chunks or less of 1 << chunk_shift bytes, a bit each: */
    uint64_t copy_chunks;      /* asynchronous copies went there; */
    uint64_t bulk_chunks;      /* such copies in bulk, or in a cluster; */
    uint64_t read_chunks, write_chunks; /* accessed since t0 */
    uint64_t full_chunks;      /* every unit was written; */
    uint64_t tried_chunks;     /* or not, when that was last looked at */
    uint8_t unit_shift;        /* bytes of a unit are 1 << unit_shift: the least that the kernel accesses at once */
    uint32_t *time;            /* of the order of accesses, with check_races; else NULL */
    uint32_t own_time;         /* where `time` is the block's own */
    uint32_t t0;               /* the last meeting of all its threads: what was before is ordered */
    bool fenced;               /* a warp executed a fence since then */
    uint32_t cluster_t0;       /* and that of its cluster */
    uint32_t cluster_met;      /* the same, also where all arrived by `.relaxed`, which orders no memory */
    uint32_t proxy_time;       /* stores before it are there for copies in bulk, by a proxy fence */
    uint32_t bulk_count;       /* of bulk_reads[] */
    struct bulk_read bulk_reads[BULK_READS];
    struct sources *sources;   /* what asynchronous copies read: race_source.c; NULL: nothing yet; owned */
    uint8_t *shades;           /* [shared_size] bits of shared memory that are undefined; NULL: none yet; owned */
    struct matrix_reads *matrix_reads; /* what wgmma reads: race_matrix.c; NULL: nothing yet; owned */
    struct knowledge barrier_known[BARRIERS]; /* of other blocks: what those who arrived know */
    struct meeting *meetings;  /* [meeting_size] words that its warps synchronise by; owned */
    uint32_t meeting_count, meeting_size;
    uint32_t barriers_used;    /* a bit each: the others are zero */
    struct barrier barriers[BARRIERS];
    struct warp *warps;
    char *storage;           /* one allocation that holds all of it */
    size_t storage_size;
    struct block *next;      /* in the worker's ring */
    uint32_t cluster_phase;   /* of its barrier */
    uint32_t cluster_arrived; /* threads of this block that arrived at the cluster's barrier */
    bool cluster_releases;    /* one of them did not by `.relaxed`, or one executed a fence since the last time */
    bool done;
    bool probed;              /* looked at closely: probe.h */
    uint32_t probed_as;       /* its number among those, since L1 was empty */
    struct round {
        uint64_t state;  /* of the group, kept to be compared with later ones */
        uint32_t quiet;  /* turns since memory changed */
        uint32_t since;  /* looks since `state` was kept or came again */
        uint32_t period; /* found: after so many looks it comes again; else after so many another one is kept */
        bool found;      /* it came again: the group goes round, and changes nothing */
    } round;             /* of a group, in its first block: see goes_round() */
};

/* Text of one block, from `from` on to the next part. */
struct printed_part {
    uint64_t block;  /* its number */
    size_t from;
};

struct printed {
    char *text;
    size_t size, capacity;
    struct printed_part *parts; /* [part_count], of a launch whose text waits for its end */
    size_t part_count, part_capacity;
};

/*
 * The sectors of 32 bytes of the device's own memory that were accessed. `pages` makes the search for them fast: a page
 * is 64 words of bits, for 128 KiB of memory.
 */
#define TOUCHED_PAGE 64
struct touched {
    uint64_t origin;  /* address of the first sector */
    uint64_t sectors;
    uint64_t *bits;   /* [sectors / 64], a bit a sector */
    uint8_t *pages;   /* [sectors / 64 / TOUCHED_PAGE]: 1 where a bit of the page may be set */
};

#define LOST_BYTES 128 /* the largest access of a lane that may go on out of bounds */

/* One host thread, and the counts it keeps. */
struct worker {
    struct sim *sim;
    struct launch *launch;
    unsigned index;
    uint32_t mxcsr;                /* as set now */
    struct span spans[SPANS];      /* found lately, for instructions that move to another allocation */
    unsigned span_next;
    struct span no_event;          /* of instructions without counters */
    bool sim_check_written;        /* the options, at hand */
    bool check_lanes;
    bool check_bounds;
    bool go_on;                    /* the option, at hand */
    bool may_go_on;                /* while an access is checked that may go on out of bounds */
    bool went_on;                  /* the last access that was checked did so: its lanes have harmless addresses */
    char lost[LANES][LOST_BYTES] __attribute__((aligned(64))); /* where such writes of the lanes go */
    bool counting;
    struct touched *touched;       /* sectors of global memory, where they are asked for; else NULL */
    struct probe *probe;           /* where features are asked for; else NULL */
    struct traffic *traffic;       /* of the launch, where it is asked for; else NULL */
    uint32_t shape[3];             /* of a block, for which `numbers` holds */
    uint32_t numbers[3][LANES * WARPS_PER_BLOCK] __attribute__((aligned(64))); /* x, y and z of each thread */
    bool progress;                 /* memory changed since the scheduler last looked: see block.c */
    bool met;                      /* likewise: threads met at a barrier */
    uint32_t at_block;             /* name of the block that has its turn, as race_entry.h has it, plus 1 */
    const struct ins *faulted_at;  /* of the last warning: the same place is not looked up again at once */
    uint64_t page_address;         /* the page of global memory that was looked up last, for race_global.c, */
    struct page *page;             /* what is kept of it, */
    uint64_t *page_entries[4];     /* and its words and entries, as far as they were asked for */
    uint64_t random;               /* state of the scheduler's choices */
    uint64_t stamp;                /* counts scheduling decisions */
    int64_t *warp_diff;            /* [code + 1] differences of counts of warp instructions */
    int64_t *lane_diff;
    struct event *events;
    const struct program *program;
    struct printed printed;
    struct block *ring;            /* resident blocks */
    unsigned resident;
    uint64_t sector_tags[128];     /* scratch of the count of distinct sectors */
    uint32_t sector_generation[128];
    uint32_t generation;
    struct block *free_blocks;     /* storage of finished blocks, for the next ones, also of later launches: */
    size_t free_size;              /* bytes of each, */
    uint32_t free_warps;           /* with as many warps, */
    uint64_t free_local;           /* whose threads have stacks of that many bytes */
    pthread_t thread;
    uint64_t served;               /* launches given to the pool before its thread began */
};

struct sim_kernel {
    struct sim_module *module;
    const struct function *function;
    struct sim_kernel_facts facts;
    char *demangled;
    bool fences;                   /* has fences, or atomics that order */
    bool polls;                    /* waits in loops for words of memory */
    bool polls_shared;             /* waits in loops for words of shared memory */
    uint8_t shared_shift;          /* the smallest access to shared memory has 1 << shared_shift bytes */
    uint8_t global_shift;          /* and to global memory */
    bool uses_reserved;            /* reads %reserved_smem_offset_* */
    bool uses_grid;                /* asks for what a barrier of the whole grid needs */
    bool paints;                   /* stores to surfaces */
    bool prints;                   /* calls printf, or assert */
    bool launches;                 /* launches kernels */
    bool ordered;                  /* what it computes may depend on the order of its blocks: see launch.c */
    bool stores_anywhere;          /* what it calls stores, or its own stores have addresses of unknown origin */
    bool uses_local;
    uint64_t static_shared;        /* bytes laid out by program.c */
    struct kernel_use *use;        /* counts, made at the first launch */
    void *attached;                /* data of another part of the program; NULL: none */
    void (*detach)(void *attached); /* frees it */
};

struct launch {
    struct sim *sim;
    const struct sim_launch *what;
    struct sim_kernel *kernel;
    const struct program *program;
    char *parameters;
    uint32_t grid[3], ntid[3];
    uint64_t blocks;               /* in all */
    uint64_t groups;               /* to be executed: clusters, or blocks where there are none */
    atomic_uint_fast64_t next;     /* the next group to be started */
    uint64_t until;                /* workers that have nothing to do start none from this one on */
    uint32_t cluster_blocks;       /* 1 without clusters */
    uint32_t threads;              /* a block */
    uint32_t warps;
    uint32_t shared_size;          /* bytes a block */
    uint32_t reserved;             /* offset of the system's part of it, where the kernel asks for that; else its end */
    unsigned resident_limit;       /* groups in flight a worker */
    atomic_uint_fast64_t progress; /* bumped by workers that made some */
    struct grid_order *grid_order;  /* what blocks tell each other, with check_races and if they may; else NULL */
    struct pages *pages;           /* who touched global memory, with check_races; else NULL */
    uint32_t start_time;           /* the first time of the launch: earlier accesses came before it */
    struct family *family;         /* grids that launch grids, with check_races: race_family.h; else NULL */
    uint32_t family_index;         /* which of them it is */
    uint32_t name_base;            /* name of its first block, as race_entry.h has names; 0 without a family */
    uint8_t global_shift;          /* units of global memory have 1 << global_shift bytes, for the check for races */
    bool stores_anywhere;          /* with check_races: it may store to any memory; else to regions whose `stored` is */
                                   /* start_time, */
    bool stores_variables;         /* and to variables of modules */
    atomic_bool stop;              /* a fault was recorded */
    bool keeps_text;               /* its text waits for its end, and is then put in the order of its blocks */
    uint64_t fault_block;          /* with keeps_text: the first block with a fault; under `lock` */
    bool cooperative;
    uint64_t workspace;            /* device address of what a grid's barrier needs; 0: not a cooperative launch */
    pthread_mutex_t lock;          /* of `fault` and the printing */
    struct sim_fault fault;
    unsigned active;               /* workers still running */
};

/* ---- operands ---------------------------------------------------------------------------------------------- */

static inline void *slot_at(const struct warp *w, slot s)
{
    return w->base[s & 1] + s;
}

/* A loop over the lanes of a mask. */
#define EVERY_LANE(l, mask)                                                                                            \
    for (uint32_t m_ = (mask), l = 0; m_ && ((l = (uint32_t)__builtin_ctz(m_)), true); m_ &= m_ - 1)

/*
 * Loops over lanes that gain from wider vectors; the loader takes the version for the machine. Not under
 * ThreadSanitizer, which is not up yet when the loader asks.
 */
#ifdef __SANITIZE_THREAD__
#define CLONES
#else
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

#endif
