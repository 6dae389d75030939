/*
 * exec.h - the machine: instructions as they are executed, and the warps, blocks and workers that execute them.
 *
 * PTX is given its meaning once, when a module is loaded (program.c): every instruction becomes a `struct ins` with a
 * pointer to its body and the places of its operands. A body executes one instruction for all 32 lanes of a warp:
 *
 *   register slot   128 bytes = 32 lanes x 32 bits, 64 bytes for 16 bits, 256 bytes for 64 bits;
 *                   predicates are 32-bit lanes too, all ones or zero, so that every operation is the same short loop,
 *                   which the compiler turns into vector instructions
 *   constants       are slots as well, filled once in the module's pool, so that no body asks what an operand is
 *
 * Lanes of a warp that part form splits: a program counter and a mask each. The split with the lowest counter in the
 * deepest call runs first, which makes structured code meet again; a split that keeps jumping backwards gives way to
 * the others after a while, so that a lane spinning on a lock cannot starve the lane that holds it.
 */
#ifndef CUDASIM_EXEC_H
#define CUDASIM_EXEC_H

#include <pthread.h>
#include <stdatomic.h>

#include "contrib/cudasim/sim.h"

#define LANES 32
#define FULL_MASK 0xFFFFFFFFu
#define BARRIERS 16
#define LOCAL_GAP 64 /* bytes between the stacks of two lanes */
#define WARPS_PER_BLOCK 32
#define CLUSTER_BARRIER 255 /* split.barrier: waits for the cluster */

/*
 * Generic addresses: global memory is its host address; the other windows have the top byte set, which no address of a
 * program has. Offsets into shared memory carry the block's rank in its cluster in bits 32 to 47.
 */
#define WINDOW_SHIFT 56
#define WINDOW_SHARED 1
#define WINDOW_LOCAL 2
#define WINDOW_PARAM 3 /* parameters of a .func, whose address was taken */
#define WINDOW_FUNCTION 4
#define WINDOW(window) ((uint64_t)(window) << WINDOW_SHIFT)

struct warp;
struct block;
struct worker;
struct ins;

/* Executes one instruction for the lanes in warp->mask. Returns the next one, or NULL after warp_stop(). */
typedef const struct ins *step(struct warp *warp, const struct ins *ins);

/* A slot: byte offset, low bits tell from which base: 0 the frame's registers, 1 the module's pool of constants. */
typedef uint32_t slot;

enum ins_flag {
    INS_SATURATE = 1,
    INS_ADDRESS_64 = 2, /* the address register has 64 bits */
    INS_SPINS = 4,      /* reads what others may be waiting to change: volatile and acquire loads, compare-and-swap */
    INS_ALIGNED = 8,    /* barriers: all threads of the warp must execute it together */
    INS_HAS_COUNT = 16, /* barriers with a thread count */
    INS_RELEASE = 32,   /* orders memory: fences, volatile, release, acquire */
    INS_NEGATE = 64,    /* the guard, or the predicate operand, is negated */
    INS_ADDRESS_BASE = 128 /* the address has a register part in `a` */
};

struct ins {
    step *run;        /* with its guard */
    step *body;       /* without it; the same as run when there is none */
    slot d, a, b, c;  /* operands by the row's convention */
    slot e, f;        /* second destination, fourth source … */
    slot guard;       /* of `run` */
    uint32_t mxcsr;   /* SSE control word the instruction wants: rounding and flush modes */
    int64_t imm;      /* offset of an address, an immediate, … */
    const void *extra; /* lists: slots of vectors, targets, the call's description */
    uint16_t flags;   /* enum ins_flag */
    uint8_t size;     /* bytes of one memory element, or of one register lane */
    uint8_t width;    /* bytes of one lane of the register that a load fills or a store reads */
    uint8_t count;    /* elements of a vector */
    uint8_t space;    /* enum ptx_space of memory instructions; PTX_SPACE_NONE is generic */
    uint8_t op;       /* sub-operation by the row's convention */
    uint8_t class;    /* enum sim_class */
    bool guard_negated;
    bool is_call;     /* `extra` is a call_site */
    bool op_is_atomic; /* atom and red */
    bool grows_stack; /* alloca */
    bool selected;    /* a load whose result only selp uses: it may have been moved ahead of its condition */
    bool toolkit;     /* written in a header of the CUDA Toolkit */
    bool reserved;    /* reads where the system's part of shared memory lies */
    bool meets;       /* lanes named in the mask `f` execute it together, see warp_converge() */
    bool ends;        /* exit, or the return of a kernel */
    uint16_t flops;   /* floating-point operations a lane */
    uint8_t mode;     /* second sub-operation: scope, comparison, … */
    uint32_t event;   /* index of its event counters, plus 1; 0: none */
    uint32_t line;    /* of the PTX text */
    uint32_t source_line;
    uint32_t source_file; /* .loc's file number */
};

/* An allocation that may be touched, as memory instructions remember it. Empty (low 1, high 0) or zero: none. */
struct span {
    uint64_t low, high; /* addresses: [low, high) */
    const struct region *region;
};
#define SPANS 16

/* What happened at one memory instruction, or one conditional branch. */
struct event {
    uint64_t requests; /* warp executions that reached global memory; of branches: those where lanes parted */
    uint64_t lanes;    /* lanes active */
    uint64_t units;    /* sectors of global memory; of shared memory passes, for instructions that name .shared */
    uint64_t ideal;    /* the least possible units for what was asked for */
    uint64_t bytes;    /* asked for by lanes */
    uint64_t shared_requests, shared_units, shared_ideal, shared_bytes; /* of generic addresses of shared memory */
    uint64_t local_requests, local_bytes;
    struct span span;  /* the allocation it touched last */
};

struct function {
    const struct ptx_function *ptx;
    const struct ins *entry;
    uint32_t first, last;     /* its instructions: code[first .. last) */
    uint32_t register_bytes;  /* of a frame */
    uint32_t local_bytes;     /* of a frame and thread */
    uint32_t param_bytes;     /* of a frame and thread: formal parameters, results and those of calls */
    uint32_t formal_count;    /* results, then parameters */
    uint32_t *formal_offset;  /* into the frame's parameters */
    uint32_t *formal_size;
    bool recursive;           /* may call itself, or through a pointer */
    uint64_t stack_bytes;     /* of local memory for it and all it calls, when not recursive */
    uint64_t shared_bytes;    /* static shared memory of an entry */
    uint64_t *shared_uses;    /* a bit a place: shared variables that it and all it calls may touch; arena */
    uint32_t entry_bytes;     /* parameters of an entry */
    size_t first_place;       /* of the shared variables that it declares, in the order of its locals */
};

/* A call's arguments: where they lie in the caller's parameter area, results first. */
struct call_site {
    int32_t function; /* index, or -1 for a call through a pointer */
    uint32_t builtin; /* enum builtin, when function is -2 */
    uint32_t count;   /* results, then arguments */
    uint32_t result_count;
    uint32_t *offset;
    uint32_t *size;
};

/* The other addresses of a bulk copy: offsets beside the registers in `b` and `e`, and their spaces. */
struct bulk {
    int64_t from_offset, barrier_offset;
    uint8_t from_space, from_wide, barrier_wide;
    bool has_from_base, has_barrier, has_barrier_base;
};

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
    uint32_t lanes_mask;          /* what lanes[] says; `mask` may be cleared without it */
    uint32_t lanes[LANES] __attribute__((aligned(64))); /* mask, a word a lane: all ones or zero */
    uint64_t address[LANES] __attribute__((aligned(64))); /* scratch of memory instructions: host addresses */
    struct frame *frame;
    struct block *block;
    struct worker *worker;
    const struct ins *start;      /* of the straight line being executed, for the counts */
    const struct ins *pc;         /* of the current split while the warp does not run */
    int32_t budget;               /* backward branches before another warp has its turn */
    int32_t patience;             /* backward branches before another split has its turn */
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
    uint8_t *local_written;       /* a bit a byte of `local`, with check_written */
    uint32_t cluster_phase;       /* in which it arrived last */
    struct frame top;             /* the kernel's own frame */
    struct split others[LANES];
    uint32_t clock[WARPS_PER_BLOCK]; /* vector clock of the race check: what it knows of each warp */
};

struct barrier {
    uint32_t arrived[WARPS_PER_BLOCK]; /* lanes that arrived, a mask a warp */
    uint32_t waiting;                  /* lanes blocked */
    uint32_t arrivals;                 /* lanes that arrived, those that have exited since among them */
    uint32_t expected;                 /* threads, 0: all live ones */
    bool pending;                      /* somebody arrived */
    bool mismatched;                   /* arrivals with different counts were seen */
    const struct ins *first;           /* the instruction of the first arrival */
    bool divergent;                    /* arrivals from different instructions */
    uint32_t join[WARPS_PER_BLOCK];    /* vector clock gathered from arrivals */
    uint32_t true_count, false_count;  /* of bar.red */
};

/* Who touched a 4-byte word of shared memory last, for the race check. Warps are counted from 1. */
struct shared_word {
    uint32_t write_clock; /* the writer's own, then */
    uint8_t write_warp;   /* 0: never written */
    uint8_t writer_lane;
    uint8_t bytes;        /* written ever, a bit a byte */
    uint8_t how;          /* enum shared_how of access.c */
    uint32_t write_epoch; /* the block's, at the last write */
    uint32_t read;        /* its last 24 bits at the last read, times 256; plus the only warp that read then, or 0xFF */
};

struct launch;

struct block {
    struct launch *launch;
    struct worker *worker;
    uint32_t id[3];
    uint64_t number;         /* linear */
    uint32_t warp_count;
    uint32_t threads;
    uint32_t live;           /* threads not exited */
    uint32_t live_warps;
    uint32_t cluster_rank;
    struct block **cluster;  /* [cluster size] blocks of its cluster, itself among them; NULL if there is none */
    char *shared;
    uint32_t shared_size;
    struct shared_word *words; /* of shared memory, with check_races or check_written; else NULL */
    uint32_t epoch;            /* barriers of all its threads so far, plus 1: what was before one is ordered */
    uint32_t *readers;         /* [words][warps]: clock of each warp's last read, with check_races; else NULL */
    uint32_t atomic_clock[WARPS_PER_BLOCK]; /* what atomics and fences have published */
    struct barrier barriers[BARRIERS];
    struct warp *warps;
    char *storage;           /* one allocation that holds all of it */
    size_t storage_size;
    struct block *next;      /* in the worker's ring */
    uint32_t cluster_phase;   /* of its barrier */
    uint32_t cluster_arrived; /* threads of this block that arrived at the cluster's barrier */
    bool done;
};

struct printed {
    char *text;
    size_t size, capacity;
};

/*
 * Which sectors of 32 bytes of the device's own memory were accessed. Pages are for who looks for them: a page of the
 * bits is 64 words, for 128 KiB of memory.
 */
#define TOUCHED_PAGE 64
struct touched {
    uint64_t origin;  /* address of the first sector */
    uint64_t sectors;
    uint64_t *bits;   /* [sectors / 64], a bit a sector */
    uint8_t *pages;   /* [sectors / 64 / TOUCHED_PAGE]: 1 where a bit of the page may be set */
};

/* One host thread, and the counts it keeps. */
struct worker {
    struct sim *sim;
    struct launch *launch;
    unsigned index;
    uint32_t mxcsr;                /* as set now */
    struct span spans[SPANS];      /* found lately, for instructions that touch another allocation than before */
    unsigned span_next;
    struct span no_event;          /* of instructions without counters */
    bool sim_check_written;        /* the options, at hand */
    bool counting;
    struct touched *touched;       /* sectors of global memory, where they are asked for; else NULL */
    bool progress;                 /* something changed since the scheduler last looked: see block.c */
    const struct ins *faulted_at;  /* of the last warning: the same place is not looked up again at once */
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

struct program {
    struct sim *sim;
    struct ptx_module *ptx;
    struct ins *code;
    uint32_t code_count;
    uint32_t event_count;
    char *pool;                    /* constants */
    size_t pool_size;
    struct function *functions;
    size_t function_count;
    struct place *places;          /* variables of the module */
    size_t place_count;
    bool debug;                    /* compiled with -G */
    void *arena;
};

struct sim_kernel {
    struct sim_module *module;
    const struct function *function;
    struct sim_kernel_facts facts;
    char *demangled;
    bool fences;                   /* has fences or atomics: its volatile accesses may be meant to synchronise */
    bool uses_reserved;            /* reads %reserved_smem_offset_* */
    bool ordered;                  /* what it computes may depend on the order of its blocks: see launch.c */
    bool uses_local;
    uint64_t static_shared;        /* bytes laid out by program.c */
    struct kernel_use *use;        /* counts, made at the first launch */
    struct features_code *code;    /* owned; made when first asked for: feature.c */
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
    uint32_t cluster_blocks;       /* 1 without clusters */
    uint32_t threads;              /* a block */
    uint32_t warps;
    uint32_t shared_size;          /* bytes a block */
    uint32_t reserved;             /* offset of the system's part of it, where the kernel asks for that; else its end */
    unsigned resident_limit;       /* groups in flight a worker */
    atomic_uint_fast64_t progress; /* bumped by workers that made some */
    atomic_bool stop;              /* a fault was recorded */
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

#define ONES(condition) ((condition) ? 0xFFFFFFFFu : 0u)

/* ---- what bodies may call (warp.c, block.c, access.c, fault.c) ----------------------------------------------- */

/* Closes the straight line that ends before `end`, for the counts. */
static inline void count_line(struct warp *w, const struct ins *end)
{
    struct worker *k = w->worker;
    int lanes = __builtin_popcount(w->mask);
    size_t from = (size_t)(w->start - k->program->code), to = (size_t)(end - k->program->code);

    k->warp_diff[from]++;
    k->warp_diff[to]--;
    k->lane_diff[from] += lanes;
    k->lane_diff[to] -= lanes;
}

/* Goes to `target` from `ins`, whose lanes are all of the current split. */
const struct ins *warp_jump(struct warp *w, const struct ins *ins, const struct ins *target);

/* Parts the current split: `taken` goes to `target`, the rest goes on after `ins`. */
const struct ins *warp_part(struct warp *w, const struct ins *ins, uint32_t taken, const struct ins *target);

/* Another split may be due at `ins`, which was reached in a straight line. */
const struct ins *warp_join(struct warp *w, const struct ins *ins);

/*
 * At the .sync instruction `ins` of lanes whose member masks are members[32]. True: the lanes in w->mask may execute
 * it. False: *next is where to go on (NULL: nowhere).
 */
bool warp_converge(struct warp *w, const struct ins *ins, const uint32_t *members, const struct ins **next);

/* Sets the current split's mask. */
void warp_set_mask(struct warp *w, uint32_t mask);

/* Puts lanes of the current split aside, to be run later from `pc`. */
void warp_push(struct warp *w, uint32_t mask, const struct ins *pc, struct frame *frame, enum split_state state);

/* Frees the frames of a warp that will not go on. */
void warp_abandon(struct warp *w);

/* The lanes of the current split exit. */
const struct ins *warp_exit(struct warp *w, const struct ins *ins);

const struct ins *warp_call(struct warp *w, const struct ins *ins, const struct function *function,
                            const struct call_site *site);
const struct ins *warp_return(struct warp *w, const struct ins *ins);

/* Picks a split to run after the current one was emptied or put aside; NULL: none. */
const struct ins *warp_pick(struct warp *w);

/* The current split waits at barrier `number`; see block.c. */
const struct ins *block_barrier(struct warp *w, const struct ins *ins, unsigned number, uint32_t expected, bool wait,
                                uint32_t contribution);
void block_exited(struct warp *w);
const struct ins *cluster_arrive(struct warp *w, const struct ins *ins);
const struct ins *cluster_wait(struct warp *w, const struct ins *ins);

/* Records an error of lane `lane` at `ins`, which ends the launch. Returns NULL, for the body to return. */
const struct ins *fault_at(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind,
                           uint64_t address, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Records a warning; the launch goes on. */
void fault_warn(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The body of calls to vprintf, malloc, free and __assertfail. */
const struct ins *builtin_call(struct warp *w, const struct ins *ins, const struct call_site *site);
int builtin_find(const char *name); /* number for call_site.builtin, -1 if it is none */

/*
 * Turns the addresses in w->address (of lanes in w->mask; generic, or global if `global`) into host addresses, checks
 * them for `bytes` a lane, and notes what was read or written. False: a fault was recorded.
 */
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
bool access_slow(struct warp *w, const struct ins *ins, unsigned bytes, enum access access);
void access_written(struct warp *w, const struct ins *ins, unsigned bytes);
void access_note(struct warp *w, unsigned bytes);
void access_shared_check(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                         enum access access);
void access_local_check(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                        const uint64_t *asked); /* asked[32]: offsets, whatever their window */
void access_fence(struct warp *w); /* a fence, or an atomic, for the race check */
unsigned access_sectors(struct worker *k, const uint64_t *address, uint32_t mask, unsigned bytes);
void access_touch(struct touched *t, uint64_t first, uint64_t last); /* sectors of bytes first .. last */
void access_touch_lanes(struct touched *t, const uint64_t *address, uint32_t mask, unsigned bytes);
unsigned access_passes(const uint32_t *offsets, uint32_t mask, unsigned bytes);
char *warp_local(struct warp *w); /* makes the stacks */
uint64_t local_need(const struct launch *launch); /* bytes of a thread's stack */

/* ---- the table ---------------------------------------------------------------------------------------------- */

/* What modifiers a row allows, which are then taken out of its name. */
enum row_allows { ALLOW_ROUNDING = 1, ALLOW_FTZ = 2, ALLOW_SAT = 4 };

/*
 * A row an instruction form. `names`: one or more full names, separated by spaces, without the modifiers that `allows`
 * names. `operands`: a letter an operand, destination first:
 *   b 8 or 16 bits read from a register of any width    h 16 bits   w 32 bits   q 64 bits   o 128 bits   p predicate
 *   Wn, Qn a vector of n registers of 32 or 64 bits     m an address
 *   i an immediate, into `imm`   P destination predicate with an optional second one (p|q)   . nothing ('_' allowed)
 */
struct row {
    const char *names;
    step *run;
    const char *operands;
    uint8_t allows;
    uint8_t class;
    uint16_t flops;
};

/* The bodies exist once for every level of x86-64 that differs enough; `level` picks them: 2, 3 or 4. */
struct table {
    const struct row *const *rows; /* lists, each ended by a row without names */
};
const struct table *table_select(void);

#endif
