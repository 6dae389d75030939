/*
 * runtime.h - shared by the files of the CUDA runtime's calls: the process's one runtime, the frame of every call, and
 * the records behind the handles that programs hold.
 *
 * Work enters its stream's queue and runs when something waits for it (queue.c). The order of the work is one of the
 * orders that CUDA allows. So a program that waits for too little sees the effect.
 *
 * Errors of kernels surface as on a device. The launch does not return them. The next call that looks at the device
 * does, and so does each later one until cudaDeviceReset(). The codes for wrong arguments are those of CUDA 13.0 on an
 * H100.
 */
#ifndef CUDASIM_RUNTIME_H
#define CUDASIM_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "call.h"
#include "ipc.h"
#include "node_hints.h"
#include "query.h"
#include "task_clock.h"
#include "unchecked.h"
#include "watch.h"
#include "word.h"
#include "contrib/cudasim/sim.h"

enum {
    CALL_DEPTH = 16,         /* <<<>>> configurations pushed and not yet popped by one thread */
    CONTEXT_DEPTH = 32,      /* contexts that one thread has pushed */
    NAME_BYTES = 64,         /* of a module's name in messages */
    DEVICE_ARCH = 90,        /* the highest PTX that is loaded: compute_90 */
    ALLOCATION_UNIT = 512,   /* bytes: of device allocations, and of rows of pitched ones, as on an H100 */
    HOST_UNIT = 4096,        /* bytes: page-locked and managed memory starts at a page */
    POOL_UNIT = 32 << 20,    /* bytes: pools reserve memory in such pieces, as on an H200 */
    BASE_ALIGNMENT = 512,    /* bytes: of a texture in linear memory */
    PITCH_ALIGNMENT = 32,    /* bytes: of its rows */
};

/* ------------------------------------------------------------------ complain.c */

struct call;

/* Prints "cudasim: " and the message on standard error. */
void runtime_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* cudaErrorNotSupported, with one line on standard error the first time for each `what`. */
cudaError_t runtime_unsupported(struct call *call, const char *what);

/* ------------------------------------------------------------------ map.c */

struct runtime;
struct error_log;
struct graph_launch;
struct graph_run;

struct pointer_map {
    const void **keys; /* [capacity]; NULL: free */
    void **values;     /* [capacity] */
    size_t capacity;   /* a power of two, or 0 */
    size_t count;
};

void *map_get(const struct pointer_map *map, const void *key);
bool map_put(struct pointer_map *map, const void *key, void *value); /* false: out of memory; NULL removes */
void map_remove(struct pointer_map *map, const void *key);
void map_release(struct pointer_map *map);

/* ------------------------------------------------------------------ module.c: the records */

struct binary;

/* A kernel as the program knows it; behind cudaKernel_t and cudaFunction_t. */
struct entry {
    struct entry *next;          /* of the same binary */
    struct binary *binary;       /* whose PTX has it */
    const void *host;            /* the stub's address, by which <<<>>> names it */
    char *name;                  /* mangled */
    struct sim_kernel *kernel;   /* NULL before its module is loaded */
    int carveout;                /* percent; -1: the driver's choice */
    bool launched;               /* by the host, at least once: lazy_load.c */
    bool non_portable_cluster;   /* more than 8 blocks a cluster allowed */
    int cluster[3];              /* set by cudaFuncSetAttribute, 0: not set */
    enum cudaFuncCache cache;    /* cudaFuncSetCacheConfig; kept, and without effect */
    struct old_launch *old;      /* cuParamSetv() and its like: driver_old.c; NULL: they were not called */
};

struct variable {
    struct variable *next; /* of the same binary */
    struct binary *binary; /* whose PTX has it */
    const void *host;      /* the shadow's address, or that of the pointer to a managed variable */
    char *name;            /* mangled */
    void **managed;        /* where the program keeps the address of a managed variable, else NULL */
};

enum {
    WRAPPER_MAGIC = 0x466243b1,
    WRAPPER_LINKED = 2, /* version of the wrapper that the device linker (-rdc=true) makes */
};

/* The argument that nvcc passes to __cudaRegisterFatBinary(). */
struct fatbin_wrapper {
    int magic;        /* WRAPPER_MAGIC */
    int version;      /* WRAPPER_LINKED, or of one translation unit */
    const void *data; /* the container */
    const void *const *more; /* WRAPPER_LINKED: the objects' own containers, NULL at the end */
};

/* The form of a binary. IMAGE_LINKED: a result of linked_make(). */
enum image_kind { IMAGE_CONTAINER, IMAGE_TEXT, IMAGE_LINKED, IMAGE_NONE };

enum binary_state { BINARY_REGISTERED, BINARY_LOADED, BINARY_BROKEN };

/* One fat binary that the program registered. Usually it is one translation unit. */
struct binary {
    struct binary *next;      /* registered before it */
    const void *image;        /* a container, or PTX */
    size_t image_size;        /* bytes; SIZE_MAX: its header is trusted */
    enum image_kind kind;     /* of the image */
    void *owned;              /* the image, if it is the binary's own copy */
    const void *const *parts; /* the containers of objects that were linked, NULL at the end; NULL: not linked */
    char name[NAME_BYTES];    /* of the executable or library that it lies in */
    enum binary_state state;  /* of its module */
    cudaError_t error;        /* if broken */
    bool gone;                /* unregistered; its modules stay loaded for the report */
    struct sim_module *module; /* NULL unless loaded */
    struct cubin_kernel *cubin; /* [cubin_count], of its machine code */
    size_t cubin_count;       /* kernels in it */
    struct entry *entries;    /* its kernels, newest first */
    struct variable *variables; /* newest first */
    unsigned ptx_arch;        /* of the PTX chosen, 90 for compute_90 */
};

/* ------------------------------------------------------------------ runtime.c */

struct thread_state;
struct graph_capture;

struct CUstream_st {
    unsigned flags;     /* cudaStreamNonBlocking … */
    int priority;       /* PRIORITY_GREATEST to 0 */
    /* Attributes that are kept, and have no effect; a policy of 0 is cudaSyncPolicyAuto. */
    struct cudaAccessPolicyWindow window;
    enum cudaSynchronizationPolicy policy;
    cudaLaunchMemSyncDomain domain;
    cudaLaunchMemSyncDomainMap domains;
    uint64_t id;        /* from 3; 1 and 2 stand for the default streams */
    bool legacy;        /* the stream 0, with which all blocking streams synchronise */
    bool builtin;       /* a default stream, not to be destroyed */
    unsigned queue;     /* its place in runtime->queues; 0: the legacy stream's, or none before its first work */
    /* queue_drop(): a thread's end calls it here, as runtime.c stands below queue.c. */
    void (*drop)(struct runtime *runtime, struct CUstream_st *stream);
    struct graph_capture *capture;  /* in progress, else NULL */
    struct CUgraphNode_st **tail;   /* [tail_count]: what the next captured node depends on */
    cudaGraphEdgeData *tail_edges;  /* [tail_count], or NULL: zeros */
    size_t tail_count;  /* nodes */
    struct CUstream_st *next;       /* of the same capture */
    struct CUgreenCtx_st *green;    /* that it was created in, or NULL; it may be gone */
    struct CUctx_st *owner;         /* the context that it ends with; NULL: the primary one */
};

enum handle_kind { HANDLE_STREAM = 1, HANDLE_EVENT, HANDLE_GRAPH, HANDLE_EXEC, HANDLE_NODE, HANDLE_POOL,
                   HANDLE_ARRAY, HANDLE_MIPMAPPED, HANDLE_OBJECT, HANDLE_CONTEXT, HANDLE_MODULE, HANDLE_LINK,
                   HANDLE_PHYSICAL, HANDLE_USER_OBJECT, HANDLE_RESOURCES, HANDLE_GREEN,
                   HANDLE_RECORD, /* something that another record points to */
                   HANDLE_NOTICE /* a function to call about the device */ };

/*
 * A CUcontext. It owns the memory, the arrays, the streams and the events that were made while it was current. The
 * device owns the rest, and what belongs to the primary context.
 */
struct CUctx_st {
    unsigned flags;      /* of cuCtxCreate, or cuDevicePrimaryCtxSetFlags */
    unsigned references; /* of the primary one: cuDevicePrimaryCtxRetain; of others: cuCtxAttach */
    bool active;         /* of the primary one: it was made, and not reset since */
    bool used;           /* of the primary one: by the runtime, which keeps it */
    uint64_t id;
    unsigned multiprocessors; /* of a green context; 0: all */
    struct dump_settings *dump; /* of core dumps: driver_dump.c; NULL: the primary one, which has the process's */
    struct CUgreenCtx_st *green; /* that it was made from, or NULL */
};

/* What programs advise about ranges of managed memory: runtime_range.c. */
struct advised_list {
    struct advised_range *ranges; /* [capacity], the first `count` in the order of their addresses */
    size_t count, capacity;
};

void range_forget(struct advised_list *list, uint64_t low, uint64_t high); /* of memory that is freed */
void range_release(struct advised_list *list);

/* What the blocks of a pool are. */
enum pool_memory {
    POOL_DEVICE,
    POOL_HOST, /* page-locked: host and device use it */
    POOL_MANAGED,
};

/*
 * A cudaMemPool_t. Blocks come from the common memory. A pool only keeps accounts: what it would hold in reserve if it
 * took memory from the device in units of POOL_UNIT.
 */
struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next; /* of runtime->pools */
    uint64_t threshold;              /* cudaMemPoolAttrReleaseThreshold: bytes to keep when the host waits */
    uint64_t most;                   /* bytes that it may reserve; 0: any number */
    uint64_t used, used_high;        /* bytes of blocks */
    uint64_t reserved, reserved_high; /* bytes, a multiple of POOL_UNIT */
    int reuse[3];                    /* the three reuse policies, 1 by default */
    bool builtin;                    /* a default pool, not to be destroyed */
    enum pool_memory memory;         /* what its blocks are */
    bool shared;                     /* other processes may get its blocks: runtime_ipc.c */
    int imported;                    /* the file of the process that the pool is of; 0: of this one */
};

#define RECENT_LAUNCHES 8

/* The size of a launch that ran. */
struct recent_launch {
    uint64_t block_threads, threads; /* of a block; of all */
    uint64_t sides[2];               /* threads in x and y */
};

/* Bytes that a call of the host filled. */
struct recent_fill {
    uint64_t address, bytes;
};

struct runtime {
    pthread_mutex_t lock;        /* around everything below, and around the device */
    pthread_t holder;            /* the thread that has the lock, if `held` */
    bool held;                   /* a handler of SIGSEGV reads it without the lock */
    pthread_key_t thread_key;    /* struct thread_state of each thread */
    struct sim *sim;             /* NULL before the first call that needs a device */
    struct features *features;   /* where CUDASIM_FEATURES asks for them, else NULL */
    struct features *tries;      /* where CUDASIM_FEATURES_TUNE asks for other block sizes, else NULL */
    FILE *features_out, *tries_out; /* their files */
    cudaError_t device_error;    /* why there is none */
    cudaError_t sticky;          /* of a kernel that faulted; all later calls return it */
    unsigned device_flags;       /* cudaSetDeviceFlags */
    enum cudaFuncCache cache;    /* cudaDeviceSetCacheConfig; kept, and without effect */
    struct binary *binaries;     /* newest first */
    char load_log[400];          /* what was wrong with the PTX loaded last, for the program's log; empty: nothing */
    struct pointer_map functions; /* host stub, or handle -> struct entry */
    struct pointer_map variables; /* host shadow, or address of a managed one -> struct variable */
    struct pointer_map handles;   /* handle -> enum handle_kind */
    struct pointer_map pooled;    /* address of a pool's block -> its pool */
    struct advised_list advised;  /* what the program advised about managed memory */
    struct pointer_map objects;   /* number of a texture or surface object -> what the program said of it */
    struct pointer_map told;      /* names of functions already reported as not supported */
    struct CUstream_st legacy;    /* the stream 0 */
    struct CUmemPoolHandle_st pool; /* the device's default pool */
    struct CUmemPoolHandle_st *pools; /* that programs made, and the host's, newest first */
    struct CUmemPoolHandle_st *current_pool; /* that cudaMallocAsync takes from */
    struct CUmemPoolHandle_st *host_pool, *current_host_pool; /* the same of the host; NULL: not asked for yet */
    struct CUmemPoolHandle_st graph_pool; /* of memory that graphs allocate */
    struct graph_memory *graph_memory; /* each piece of it, newest first: graph_memory.c */
    struct graph_capture *captures; /* in progress */
    struct queue *queues;        /* [queue_count]; the first is the legacy stream's */
    size_t queue_count;          /* 0 before the first work */
    struct CUstream_st recorder; /* a stream of no program: records events of contexts */
    struct clock awaited;        /* what cuCtxWaitEvent() made new streams wait for */
    struct ipc *ipc;             /* what is shared with other processes; NULL: nothing */
    unsigned word_waits;         /* graphs in progress that wait for a word */
    struct task *tasks, **tasks_end; /* work that is not over, in the order of submission */
    uint64_t last_task, asked;   /* id of the newest; and when the program last asked and dropped the answer */
    unsigned pending, running;   /* of them: do not run yet; run, host functions among them */
    uint64_t random;             /* state of the seed's draws */
    pthread_cond_t changed;      /* with `lock`: some work is over */
    bool ending;                 /* the process ends: nothing of the program is called or written any more */
    bool busy;                   /* a thread runs a kernel, whoever has the lock */
    unsigned waiting;            /* threads that wait for work which another thread runs */
    uint64_t calls;              /* of the program so far: see runner.c */
    bool host_memory;            /* there was memory that kernels and host share */
    bool runner;                 /* the thread of runner.c was started */
    struct query query;          /* the host asks whether work is over */
    unsigned threads, looks;     /* threads of the process when runner.c last counted them; how often it was asked */
    struct watch *watch;         /* on memory of the host; NULL: not watched */
    struct shield *shield;       /* on memory of the device; NULL: the host may access it */
    struct moves *moves;         /* notes the host's accesses to managed memory, for features; else NULL */
    struct traffic *traffic;     /* made when it is first needed */
    struct task *noting;         /* the task whose traffic is noted now */
    size_t noted_before;         /* if that is a host function: notes of watch.c that were there when it began */
    bool traffic_refused;        /* there was no room for `traffic` */
    bool handshake;              /* that task shares strong words with the host, which may order anything */
    bool collided;               /* a race of that task was reported */
    struct graph_launch *graph_launch; /* the innermost graph that runs, or NULL: device_graph.c */
    struct graph_run *graph_run; /* the innermost graph whose nodes are compared now, or NULL */
    uint64_t said[64];           /* hashes of printed messages, to print each once */
    unsigned said_count;
    struct CUuserObject_st *dead_objects; /* whose destructors are still to be called */
    uint64_t next_id;            /* of streams and captures */
    bool driver_ready;           /* cuInit, or a call of the runtime that needs a device, was made */
    struct CUctx_st primary;     /* the device's primary context */
    struct dump_settings *dump;  /* of core dumps: driver_dump.c; NULL: nobody asked */
    struct reservation *reservations; /* of addresses, by cuMemAddressReserve(): driver_virtual.c */
    struct unchecked unchecked[UNCHECKED_MOST]; /* [unchecked_count] */
    uint64_t locals;             /* a task that uses variables in a stack; 0: none is left */
    size_t unchecked_count, launches_pending; /* the latter: cudaLimitDevRuntimePendingLaunchCount; 0: the default */
    size_t fetch_granularity;    /* cudaLimitMaxL2FetchGranularity, bytes; 0: the default */
    bool told_of_call, event_nodes; /* the error of the call in progress was reported; there were nodes of events */
    struct error_log *log;       /* runtime_log.c; NULL: nothing failed yet */
    struct recent_launch recent[RECENT_LAUNCHES]; /* a ring, for copies of what too few threads wrote */
    unsigned recent_count;
    struct recent_fill fills[RECENT_LAUNCHES]; /* a ring, for copies of what was filled by too few bytes */
    unsigned fill_count;
    bool forked;                 /* a child of fork() after the device's first use: as with CUDA, it cannot use it */
    const struct task *working;  /* the work that runs; NULL: none */
    bool ended;                  /* the report was made: later calls are refused */
};

struct configuration {
    dim3 grid, block;      /* blocks, threads */
    size_t dynamic_shared; /* bytes */
    cudaStream_t stream;   /* as given: a handle, or a default stream's */
};

struct thread_state {
    cudaError_t last;                               /* cudaGetLastError() */
    struct configuration configurations[CALL_DEPTH]; /* pushed by <<<>>> */
    const void *pushed_from[CALL_DEPTH];            /* code behind each <<<>>> */
    unsigned depth;                                 /* of them that are not yet popped */
    const void *launched_from;                      /* of the <<<>>> that was popped last, until it is launched */
    bool in_callback;                               /* host functions may not call back */
    bool in_log;                                    /* a function that cudaLogsRegisterCallback() named runs */
    enum cudaStreamCaptureMode capture_mode;        /* cudaThreadExchangeStreamCaptureMode */
    struct CUstream_st stream;                      /* cudaStreamPerThread */
    struct CUctx_st *contexts[CONTEXT_DEPTH];       /* pushed; the last one is current */
    unsigned context_count;                         /* of them */
    uint64_t stack_low, stack_high;                 /* its stack; 0: old_stack.c has not asked for it */
};

/* Runs one of the program's functions without the lock. It refuses CUDA calls inside that function. */
void call_host(struct call *call, void (*function)(void *), void *data);

/* The runtime, created at first use; NULL only when memory ran out or the process is ending. */
struct runtime *runtime_get(void);
struct thread_state *runtime_thread(struct runtime *runtime);
/* The context that owns what this thread makes now; NULL: the primary one, whose objects green contexts share. */
struct CUctx_st *context_owner(struct runtime *runtime);
void runtime_lock(struct runtime *runtime);
void runtime_unlock(struct runtime *runtime);
void runtime_wait(struct runtime *runtime);    /* with the lock, until some work of another thread is over */
bool runtime_is_held(struct runtime *runtime); /* whether this thread has the lock */
bool runtime_needs_device(struct runtime *runtime, cudaError_t *error);

/* ------------------------------------------------------------------ what kernels may ask as well */

bool attribute_get(const struct sim_limits *limits, enum cudaDeviceAttr attribute, int *value); /* false: unknown */
cudaError_t limit_get(const struct runtime *runtime, enum cudaLimit limit, size_t *value);
/* For sim_set_answers(), with the runtime as its context. */
uint32_t answer_kernel(void *context, const struct sim_question *question, void *answer, unsigned *bytes);

/* ------------------------------------------------------------------ error_text.c */

const char *error_name(cudaError_t error); /* "cudaErrorInvalidValue" */
const char *error_text(cudaError_t error); /* "invalid argument" */

/* ------------------------------------------------------------------ rows.c */

/* Opens the files that the environment names; false after a line on standard error. `sample`: see features_create(). */
bool rows_open(struct runtime *runtime, uint64_t sample);
void rows_close(struct runtime *runtime);
/* sim_run() with a row for the launch. A launch that faulted has none. */
bool rows_run(struct runtime *runtime, const struct sim_launch *launch, struct sim_fault *fault);

/* ------------------------------------------------------------------ module.c */

/* Loads the registered binary, if it is not loaded. Later calls return the error of the first time. */
cudaError_t module_load(struct runtime *runtime, struct binary *binary);

/* The kernel that `function` (a stub's address or a handle) names, with its module loaded. */
cudaError_t module_entry(struct runtime *runtime, const void *function, struct entry **entry);

/* Address and size in bytes of the variable that `symbol` (a shadow's address) names. */
cudaError_t module_symbol(struct runtime *runtime, const void *symbol, uint64_t *address, uint64_t *size);

/* Whether a module's variable is a __managed__ one. */
bool module_is_managed(struct runtime *runtime, uint64_t base);

void module_unload_all(struct runtime *runtime); /* they load again at their next use */
void module_release_all(struct runtime *runtime);
void module_release(struct runtime *runtime, struct binary *binary); /* which is in no list any more */

/* ------------------------------------------------------------------ library.c */

/* Loads an image from memory: PTX that ends in NUL, a container, its wrapper, or a result of linked_make(). */
cudaError_t library_load(struct runtime *runtime, const void *image, struct binary **loaded);
void library_unload(struct runtime *runtime, struct binary *binary);
/* A kernel of it by its mangled name, and a variable. */
cudaError_t library_kernel(struct runtime *runtime, struct binary *binary, const char *name, struct entry **found);
cudaError_t library_variable(struct runtime *runtime, struct binary *binary, const char *name, uint64_t *address,
                             uint64_t *size);

/* ------------------------------------------------------------------ work.c */

enum work_kind {
    WORK_EMPTY,
    WORK_KERNEL,
    WORK_COPY,
    WORK_SET,
    WORK_HOST,
    WORK_GRAPH,    /* a child graph */
    WORK_CONDITION, /* a conditional node */
    WORK_EXEC,     /* the launch of an instantiated graph */
    WORK_RECORD,   /* an event */
    WORK_WAIT,     /* for an event */
    WORK_ALLOCATE, /* cudaMallocAsync in a graph */
    WORK_RELEASE,  /* cudaFreeAsync in a graph */
    WORK_FREE,     /* cudaFreeAsync */
    WORK_TAKE,     /* cudaMallocAsync: nothing is left to do */
    WORK_WORD,     /* a word that the stream writes, or waits for */
    WORK_WORDS     /* the words of a graph's node */
};

struct kernel_work {
    struct entry *entry;                    /* the kernel */
    unsigned grid[3], block[3], cluster[3]; /* blocks, threads, blocks; cluster: 1 1 1 if none */
    unsigned dynamic_shared;                /* bytes */
    bool cooperative;                       /* all blocks must be on the device together */
    bool programmatic;                      /* it may start before the kernel ahead of it is over */
    int priority;                           /* of a graph's node; kept, and without effect */
    bool priority_given;                    /* by the launch; else a capture gives it its stream's */
    bool updatable;                         /* of a graph's node: kernels may change it */
    struct node_hints hints;                /* of a graph's node */
    unsigned char *parameters;              /* [parameter_bytes], packed; owned by clones, see work_clone() */
    unsigned parameter_bytes;               /* 0: none */
};

/* One side of a copy: rows `pitch` bytes apart, planes `slice` bytes apart. */
struct plane {
    uint64_t address;    /* of the first byte */
    size_t pitch, slice; /* bytes */
};

struct copy_work {
    struct plane target, source; /* where to, where from */
    size_t width, height, depth; /* bytes, rows, planes */
    enum cudaMemcpyKind kind;    /* the direction that the program gave */
};

struct set_work {
    struct plane target;         /* what is set */
    unsigned value;              /* its low `element` bytes */
    unsigned element;            /* bytes: 1, 2 or 4 */
    size_t width, height, depth; /* elements, rows, planes */
};

struct host_work {
    cudaHostFn_t function;         /* or NULL */
    cudaStreamCallback_t callback; /* instead of `function`, of cudaStreamAddCallback */
    void *data;                    /* the function's argument */
};

/* Bodies of a conditional node. A value of the device decides whether they run. */
struct condition_work {
    uint64_t handle;                        /* of the value */
    enum cudaGraphConditionalNodeType type; /* if, while, switch */
    unsigned count;                         /* of bodies */
    struct CUgraph_st **bodies;             /* [count], owned by nodes; NULL: to be made */
};

struct work {
    enum work_kind kind; /* which of the union's members holds */
    const char *call;    /* the CUDA function that asked for it, for messages */
    union {
        struct kernel_work kernel; /* WORK_KERNEL */
        struct copy_work copy;     /* WORK_COPY */
        struct set_work set;       /* WORK_SET */
        struct word_work word;     /* WORK_WORD */
        struct {
            struct word_work *list; /* [count]; owned by clones, see work_clone() */
            unsigned count;         /* words */
        } words;                   /* WORK_WORDS */
        struct host_work host;     /* WORK_HOST */
        struct CUgraph_st *graph;  /* WORK_GRAPH; owned by the node */
        struct condition_work condition; /* WORK_CONDITION */
        const struct CUgraphExec_st *exec; /* WORK_EXEC; before it changes or ends, queue_run_all() is called */
        struct CUevent_st *event;  /* WORK_RECORD, WORK_WAIT */
        struct {
            uint64_t address;      /* of the device */
            size_t size;           /* bytes; 0 where it is released */
        } memory;                  /* WORK_ALLOCATE, WORK_RELEASE, WORK_FREE, WORK_TAKE */
    };
};

/* Runs it now, for the stream given. */
cudaError_t work_run(struct call *call, const struct work *work, cudaStream_t stream);
/* Puts it in the stream's queue, or adds it to the capture that the stream takes part in. */
cudaError_t work_submit(struct call *call, const struct work *work, cudaStream_t handle);
/* Runs the steps that are not disabled, up to the first that fails. */
cudaError_t exec_run(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream);

/* ------------------------------------------------------------------ do_launch.c */

/* Fills in a kernel's work from what a launch gives, after all checks. `attributes` may be NULL. */
cudaError_t launch_prepare(struct runtime *runtime, const void *function, const struct configuration *configuration,
                           void **arguments, void **extra, const cudaLaunchAttribute *attributes,
                           unsigned attribute_count, bool cooperative, struct kernel_work *work);
/* work_submit(), and records the events that the attributes name: runtime_launch.c. */
cudaError_t launch_submit(struct call *call, const struct work *work, const cudaLaunchAttribute *attributes,
                          unsigned count, cudaStream_t stream);
cudaError_t launch_run(struct call *call, const struct kernel_work *work, cudaStream_t stream);
/* Threads that a block of the kernel may have: of its launch bounds, and of the registers there are. */
unsigned launch_threads(const struct sim_limits *limits, const struct sim_kernel_facts *facts);
/* Blocks that a cluster of the kernel may have. */
unsigned launch_largest_cluster(const struct sim_limits *limits, const struct entry *entry);

/* ------------------------------------------------------------------ do_copy.c */

/* The kind of the memory. It decides whether the host waits for a copy. */
enum copy_side { SIDE_DEVICE, SIDE_MANAGED, SIDE_LOCKED, SIDE_PAGEABLE };
enum copy_side copy_side(struct runtime *runtime, uint64_t address);
/* Copies the source to a buffer, which becomes the source. The caller frees it. NULL: too large, or no memory. */
void *copy_stage(struct copy_work *copy);
cudaError_t copy_check(struct runtime *runtime, const struct copy_work *copy, const char *call);
cudaError_t copy_run(struct runtime *runtime, const struct copy_work *copy, const char *call);
cudaError_t set_check(struct runtime *runtime, const struct set_work *set, const char *call);
cudaError_t set_run(struct runtime *runtime, const struct set_work *set);
cudaError_t copy_from_parameters(struct runtime *runtime, const struct cudaMemcpy3DParms *parameters,
                                 struct copy_work *copy);
/* The bytes of a copy or a fill: first to last of each side; and row by row, where false means too many rows. */
unsigned work_bounds(const struct work *work, struct traffic_span bounds[2]);
bool work_spans(const struct work *work, struct traffic_span **spans, size_t *count);
/* The rows and planes from `position` on. False: their addresses overflow. */
bool copy_plane(const struct cudaPitchedPtr *pointer, const struct cudaPos *position, size_t element,
                struct plane *plane);

/* ------------------------------------------------------------------ do_memory.c */

/* A new region, owned by the program; *pointer is NULL for no bytes. `flags`: what cudaHostGetFlags() is to give. */
cudaError_t allocation_new(struct runtime *runtime, size_t size, enum region_kind kind, unsigned flags, void **pointer);
/* The live region that holds the pointer, or NULL; and whether the pointer is where it starts. */
const struct region *allocation_find(struct runtime *runtime, const void *pointer);
bool allocation_starts(const struct region *region, const void *pointer);
/* Whether cudaFree() takes it. */
bool allocation_is_freeable(const struct region *region, const void *pointer);

/* A block of a pool; *pointer is NULL for no bytes. */
cudaError_t pool_allocate(struct runtime *runtime, struct CUmemPoolHandle_st *pool, size_t size, void **pointer);
/* Gives back what the pool holds in reserve beyond `kept` bytes, as far as no block needs it. */
/* Counts `size` bytes as taken. False: it may not reserve that much. */
bool pool_take(struct CUmemPoolHandle_st *pool, uint64_t size);
void pool_release(struct CUmemPoolHandle_st *pool, uint64_t kept);
/* The host waited: pools give back what is above their thresholds. */
void pools_waited(struct runtime *runtime);
cudaError_t allocation_release(struct runtime *runtime, void *pointer, const char *call);
/* Of the program; variables and kernels' heaps stay. `owner`: what that context owns; NULL: the primary one. */
void allocation_release_all(struct runtime *runtime, const struct CUctx_st *owner);
/* Memory that is left at the end, and memory that nothing used. */
void allocation_check_leaks(struct runtime *runtime);

/* ------------------------------------------------------------------ queue.c */

/* A stream's queue. It lives on while work of a destroyed stream is in it. */
struct queue {
    bool used;           /* by a stream */
    bool blocking;       /* it and the legacy stream wait for each other */
    struct clock before; /* the work that comes before its next work */
    const struct CUgreenCtx_st *green; /* of its stream, or NULL; only compared */
};

enum task_state { TASK_PENDING, TASK_RUNNING, TASK_OVER };

/* A piece of work that was submitted. */
struct task {
    struct task *next;     /* submitted after it */
    uint64_t id;           /* counts submissions from 1 */
    unsigned queue;        /* its place in runtime->queues */
    enum task_state state; /* running: for other threads, while a host function has the lock open */
    struct work work;      /* its own clone */
    cudaStream_t stream;   /* as the program gave it; only compared and passed on */
    uint64_t stream_id;    /* for messages */
    struct clock clock;    /* what comes before it */
    uint64_t alongside, beyond; /* the kernel beside which this one may run until it waits; and that one, forever; 0 */
    bool followed;         /* there is a task that may run beside it */
    bool asked;            /* a query has answered that it is not over */
    uint64_t waited;       /* the newest task when the host's wait for this one ended; 0: no wait */
    struct traffic_span *spans; /* [span_count] by address: what it touched, where the checks of order.c ask for it */
    size_t span_count;
    const void *from;      /* code behind the call that asked for it, as in struct call */
    const void *outer;     /* likewise */
    void *staged;          /* a copy of pageable memory that it reads; NULL: none */
    uint64_t local;        /* the lowest variable in the stack of `local_of` that it uses; 0: none */
    const struct thread_state *local_of; /* only compared */
    bool local_gone;       /* the variable's function has returned */
};

/* Puts a clone of the work in the stream's queue. `handle`: the stream as the program named it. `result`: or NULL. */
cudaError_t queue_submit(struct call *call, const struct work *work, struct CUstream_st *stream, cudaStream_t handle,
                         struct task **result);
/* The host waits: for all work, a stream's, an event's, or one task and the work before it. The error is a kernel's. */
cudaError_t queue_wait_all(struct call *call);
cudaError_t queue_wait_stream(struct call *call, struct CUstream_st *stream);
cudaError_t queue_wait_event(struct call *call, const struct CUevent_st *event);
cudaError_t queue_wait_task(struct call *call, const struct task *task);
/* The stream's next work comes behind the event. */
cudaError_t queue_follow(struct call *call, struct CUstream_st *stream, const struct CUevent_st *event);
/* The same for all streams of a green context, or of the device if `green` is NULL; and the event after all of them. */
cudaError_t queue_follow_all(struct call *call, const struct CUgreenCtx_st *green, const struct CUevent_st *event);
cudaError_t queue_record_all(struct call *call, const struct CUgreenCtx_st *green, struct CUevent_st *event);
void queue_run_all(struct call *call);             /* the host does not count as having waited */
/* Runs a piece that may run beside the kernel that runs now. `hosts`: also a host function. False: there is none. */
bool queue_run_beside(struct call *call, bool hosts);
/* Whether a host function runs beside that kernel, or could. */
bool queue_has_host_beside(struct runtime *runtime);
/* The instantiated graph is about to change or to end. Its pending launches run first, with the graph as it is. */
void queue_settle(struct call *call, const struct CUgraphExec_st *exec);
void queue_drop(struct runtime *runtime, struct CUstream_st *stream); /* the stream is being destroyed */
void queue_forget_all(struct runtime *runtime);    /* nothing of it is run any more */
void queue_release(struct runtime *runtime);       /* at the end */

/* ------------------------------------------------------------------ runner.c */

/* Starts the thread that runs pending work while the host makes no calls, once. The host may wait for such work. */
void runner_start(struct runtime *runtime);
/* For sim_launch.meanwhile, with the call as its context. */
bool runner_meanwhile(void *context, double *patience);

/* ------------------------------------------------------------------ order.c: the checks of streams */

void order_submitted(struct runtime *runtime, const struct task *task);
/* Around the run of a task. `early`: nothing waits for it. */
void order_begin(struct runtime *runtime, struct task *task, bool early);
void order_end(struct runtime *runtime, struct task *task);
/* The record in which the kernels of the running task note what they touch. NULL: there is none. */
struct traffic *order_traffic(struct runtime *runtime);
/* Whether later tasks must still be compared with this one, which is over. */
bool order_needs(const struct runtime *runtime, const struct task *task);
void order_release(struct task *task);
void order_waited(struct runtime *runtime);  /* the host waited for something */
void order_at_end(struct runtime *runtime);  /* warns of kernels that nothing waited for */

/* ------------------------------------------------------------------ queue.c: events */

bool event_record(struct CUevent_st *event, const struct task *task); /* at submission; false: no memory */
bool event_is_pending(const struct runtime *runtime, const struct CUevent_st *event);
void event_forget(struct runtime *runtime, const struct CUevent_st *event); /* it is being destroyed */

/* Records the event in the stream, or in the capture that the stream takes part in: cudaEventRecordWithFlags(). */
cudaError_t stream_record(struct call *call, struct CUevent_st *event, cudaStream_t handle, unsigned flags,
                          const char *name);

/* ------------------------------------------------------------------ do_free.c */

/* cudaErrorInvalidValue, with a report that `call` was given a pointer that it cannot free. */
cudaError_t free_refused(struct runtime *runtime, const void *pointer, const char *call);
/* Reports memory that is about to be freed and was never written, if that check is on. */
void unused_check(struct runtime *runtime, const struct region *region);
/* At the end: reports streams, events and memory of kernels that were never released. */
void left_check(struct runtime *runtime);

/* ------------------------------------------------------------------ handle.c */

/* The record behind a handle, default streams among them, or NULL. */
struct CUstream_st *stream_of(struct call *call, cudaStream_t handle);
bool call_is_legacy(struct call *call, cudaStream_t handle); /* whether it is the stream 0 */
bool handle_is(const struct runtime *runtime, const void *handle, enum handle_kind kind);
/* A zeroed record that is known as a handle, or NULL. */
void *handle_create(struct runtime *runtime, size_t size, enum handle_kind kind);
void handle_destroy(struct runtime *runtime, void *handle);
void handle_release_all(struct runtime *runtime); /* at the end: of programs that did not destroy theirs */

struct CUevent_st {
    struct shared_event *shared;   /* or NULL */
    int shared_file;               /* that it lies in */
    unsigned flags;                /* cudaEventDisableTiming … */
    struct CUctx_st *owner;        /* the context that it ends with; NULL: the primary one */
    bool recorded;                 /* at least once */
    int64_t time;                  /* nanoseconds of the host's monotonic clock, when its work was over */
    uint64_t task;                 /* that recorded it last, 0: none */
    uint64_t stamped;              /* the newest task that set `time` */
    struct clock clock;            /* the work that is over when the event is */
    uint64_t capture_id;           /* recorded in that capture, 0: not in one */
    struct CUgraphNode_st **tail;  /* [tail_count]: the last nodes of the capture at that time */
    size_t tail_count;             /* nodes */
    cudaGraphEdgeData edge;        /* of what waits for it in the capture, if an attribute of a launch recorded it */
};

/* ------------------------------------------------------------------ graph.c, capture.c */

struct CUgraphNode_st {
    struct CUgraph_st *graph;             /* that it belongs to */
    struct work work;                     /* its own clone */
    struct CUgraphNode_st **dependencies; /* [dependency_count], of the same graph */
    size_t dependency_count;              /* nodes that come before it */
    cudaGraphEdgeData *edges;             /* [dependency_count], or NULL: zeros. See graph_edge.h */
    struct CUgraphNode_st *next;          /* in the order of creation */
    struct CUgraphNode_st *clone_of;      /* of cudaGraphClone, else NULL */
    size_t mark;                          /* scratch of instantiation: place in the order, from 1 */
    void **arguments;                     /* for cudaGraphKernelNodeGetParams: into work.kernel.parameters */
};

struct CUgraph_st {
    struct CUgraphNode_st *nodes, **end; /* end: where the next one is linked */
    size_t count;                        /* of nodes */
    struct object_use *objects;          /* user objects that it keeps alive */
    const struct CUgraphExec_st *only;   /* instantiated, where there may be one at a time; else NULL */
    bool of_node, child, moved;          /* goes with a node; is its child, not a body; the program made it itself */
};

struct exec_step {
    struct CUgraphNode_st *node; /* of the graph instantiated; only compared */
    struct work work;            /* its own clone; WORK_EMPTY where there is a child */
    struct CUgraphExec_st *child; /* the child graph, instantiated with its parent, or NULL */
    struct CUgraphExec_st **bodies; /* [work.condition.count] of a conditional node, or NULL */
    bool disabled;               /* cudaGraphNodeSetEnabled: left out */
};

struct CUgraphExec_st {
    struct exec_step *steps; /* [count], dependencies first */
    size_t count;            /* of steps */
    unsigned long long flags; /* of its instantiation */
    struct CUgraph_st *only_of; /* of which it is the only one; NULL: there may be more */
    struct object_use *objects; /* user objects that it keeps alive */
    uint64_t *before;        /* [2][count][(count + 63) / 64] bits: the steps before each step, and of these the ones */
                             /* beside which it may begin; NULL: not kept */
    bool unordered;          /* nothing orders some of its steps, or some steps inside of them */
};

struct graph_capture {
    struct graph_capture *next; /* in progress, too */
    struct CUgraph_st *graph;   /* that is captured into */
    bool own_graph;             /* created for this capture */
    struct CUstream_st *origin; /* where it began */
    struct CUstream_st *streams; /* all that take part */
    struct CUgraphNode_st **left; /* the last nodes of streams that took part and were destroyed: left_count */
    size_t left_count;
    enum cudaStreamCaptureMode mode; /* which calls of which threads it forbids */
    struct thread_state *thread; /* that began it */
    /* capture_forget(): a thread's end calls it here, as runtime.c stands below capture.c. */
    void (*forget)(struct runtime *runtime, struct CUstream_st *stream);
    bool invalid;               /* a call broke its rules: its end fails */
    uint64_t id;                /* of runtime->next_id */
};

/* What `clone` owns (parameters, a child graph) is its own; false when memory ran out. */
bool work_clone(const struct work *work, struct work *clone);
void work_release(struct work *work);

struct CUgraph_st *graph_create(struct runtime *runtime);
void graph_destroy(struct runtime *runtime, struct CUgraph_st *graph);
struct CUgraphNode_st *graph_add(struct runtime *runtime, struct CUgraph_st *graph, const struct work *work,
                                 struct CUgraphNode_st *const *dependencies, size_t dependency_count);
void graph_release_node(struct runtime *runtime, struct CUgraphNode_st *node); /* which is in no list any more */
struct CUgraph_st *graph_clone(struct runtime *runtime, const struct CUgraph_st *graph);
/* The node of `clone` that was made from `node`, or NULL. */
struct CUgraphNode_st *graph_in_clone(const struct CUgraph_st *clone, const struct CUgraphNode_st *node);
/* Sets each node's mark to its place, from 1; false if dependencies form a ring. */
bool graph_put_in_order(struct CUgraph_st *graph);
cudaError_t exec_create(struct runtime *runtime, struct CUgraph_st *graph, struct CUgraphExec_st **exec);
void exec_destroy(struct runtime *runtime, struct CUgraphExec_st *exec);
/* The step made from `node`, or NULL. */
struct exec_step *exec_step_of(struct runtime *runtime, struct CUgraphExec_st *exec, const struct CUgraphNode_st *node);
/* Gives the step made from `node` new work of the same kind. The step then owns the work. */
cudaError_t exec_replace(struct runtime *runtime, struct CUgraphExec_st *exec, const struct CUgraphNode_st *node,
                         struct work *work);

/* ------------------------------------------------------------------ condition.c */

/* The work of a conditional node, with no bodies yet: they are made with its node. */
cudaError_t condition_prepare(struct runtime *runtime, const struct cudaConditionalNodeParams *parameters,
                              struct work *work);
bool condition_clone(struct runtime *runtime, const struct condition_work *from, struct condition_work *to);
void condition_release(struct runtime *runtime, struct condition_work *condition);
/* The step of an instantiated graph, its bodies instantiated as well; and its end. */
cudaError_t condition_instantiate(struct runtime *runtime, const struct condition_work *condition,
                                  struct exec_step *step);
void condition_end(struct runtime *runtime, struct exec_step *step);
/* Before each launch of a graph: gives values their defaults, if they have one. */
void condition_reset_all(struct runtime *runtime, const struct CUgraphExec_st *exec);
cudaError_t condition_run(struct call *call, const struct exec_step *step, cudaStream_t stream);

/* Begins a capture of `stream` into `graph`, or into a new one if that is NULL, behind `dependencies` [count]. */
cudaError_t capture_begin(struct call *call, struct CUstream_st *stream, struct CUgraph_st *graph,
                          const cudaGraphNode_t *dependencies, size_t count, enum cudaStreamCaptureMode mode);
/* Ends it; *graph is what was captured, or NULL. */
cudaError_t capture_end(struct call *call, struct CUstream_st *stream, struct CUgraph_st **graph);
/* Sets, or adds to, the nodes that the stream's next node depends on. False when memory ran out. */
bool stream_set_tail(struct CUstream_st *stream, struct CUgraphNode_st *const *nodes, size_t count);
bool stream_extend_tail(struct CUstream_st *stream, struct CUgraphNode_st *const *nodes, size_t count);
/* The data of the edges from the last `count` of them; the others keep theirs. NULL: only makes room. */
bool stream_set_edges(struct CUstream_st *stream, const cudaGraphEdgeData *edges, size_t count);
/*
 * Whether a call may synchronise with `stream`, or with all streams if that is NULL. If a capture in progress forbids
 * it, the result is an error, and the capture becomes invalid.
 */
cudaError_t capture_permits_wait(struct call *call, const struct CUstream_st *stream);
cudaError_t capture_permits_legacy(struct runtime *runtime); /* the same for work in the legacy stream */
cudaError_t capture_add(struct call *call, struct CUstream_st *stream, const struct work *work);
cudaError_t capture_record(struct CUstream_st *stream, struct CUevent_st *event);
cudaError_t capture_wait(struct runtime *runtime, struct CUstream_st *stream, struct CUevent_st *event);
void capture_forget(struct runtime *runtime, struct CUstream_st *stream); /* it is being destroyed */
struct graph_capture *capture_by_id(const struct runtime *runtime, uint64_t id);

#endif
