/*
 * child.h - launches that kernels make (CUDA's dynamic parallelism), and other requests of kernels to the device.
 *
 * Since CUDA 12 no kernel can wait for its children. So the children run after their parent's grid, in the order of
 * their launches. Each child runs with all of its own children. Children for the tail stream run last. A grid is over
 * when all its children are over.
 */
#ifndef CUDASIM_CHILD_H
#define CUDASIM_CHILD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch.h"

struct ins;
struct launch;
struct sim;
struct warp;

/* A copy or a memset that a thread asked for: rows `pitch` bytes apart, planes `slice` bytes apart. */
struct child_copy {
    uint64_t to, from;             /* from: 0 for a memset */
    uint64_t bytes;                /* of a row; 0: there is none */
    uint64_t rows, planes;         /* rows of a plane */
    uint64_t to_pitch, from_pitch; /* bytes */
    uint64_t to_slice, from_slice; /* bytes */
    int value;                     /* of a memset */
};

/* What kernels ask the device, and the runtime of the host answers. */
enum sim_query { QUERY_ATTRIBUTE, QUERY_LIMIT, QUERY_CACHE_CONFIG, QUERY_SHARED_CONFIG, QUERY_FUNCTION,
                 QUERY_OCCUPANCY, QUERY_VERSION };

enum { ANSWER_MOST = 256 }; /* bytes */

struct sim_question {
    enum sim_query query;
    int what;                   /* which attribute or limit; of occupancy: the threads of a block */
    struct sim_kernel *kernel;  /* of QUERY_FUNCTION and QUERY_OCCUPANCY; NULL: not a kernel */
    uint64_t dynamic_shared;    /* bytes, of QUERY_OCCUPANCY */
};

/* Fills in answer[ANSWER_MOST] and says how many bytes of it count. Returns a cudaError_t. Any worker may call it. */
typedef uint32_t sim_answer(void *context, const struct sim_question *question, void *answer, unsigned *bytes);

/* A launch, or a copy, that a thread asked for. */
struct child {
    struct child *next;       /* in the order of launches; of buffers: the newest first */
    struct sim_launch launch; /* its parameters are the child's own, set when it is launched */
    uint64_t buffer;          /* device address that the thread writes its arguments to */
    uint64_t buffer_bytes;    /* its size */
    bool tail;                /* for cudaStreamTailLaunch */
    struct child_copy copy;   /* in place of the launch */
};

/* How a kernel launches a graph: the number is the top byte of cudaStreamGraphTailLaunch and its like. */
enum graph_launch_kind { GRAPH_TAIL = 1, GRAPH_FIRE_AND_FORGET, GRAPH_SIBLING };

/* A graph that a kernel launched. */
struct graph_request {
    uint64_t graph; /* a cudaGraphExec_t */
    enum graph_launch_kind kind;
};

/* How a kernel changes a kernel node of a graph: the values of cudaGraphKernelNodeField. */
enum node_field { NODE_GRID = 1, NODE_PARAMETER, NODE_ENABLED };

struct node_change {
    uint64_t node;         /* a cudaGraphDeviceNode_t */
    enum node_field field; /* what changes */
    uint32_t grid[3];      /* of NODE_GRID, in blocks; grid[0] of NODE_ENABLED: 0 or not */
    uint64_t offset;       /* of NODE_PARAMETER, in the node's parameters */
    uint64_t bytes;        /* of data; 0: none */
    const unsigned char *data; /* [bytes]; of the list's own */
};

/* A value that kernels set and graphs read. */
struct condition {
    uint32_t value, initial; /* initial: what it is at a graph's launch, if `resets` */
    bool resets;
    uint64_t sets;           /* how often kernels have set it */
};

/* Of one device. */
struct children {
    pthread_mutex_t lock;     /* of all that follows */
    struct child *buffers;    /* children with a buffer that are not launched yet */
    struct child *first, **end; /* launched by the grid that runs */
    unsigned depth;           /* of the grid that runs: 0 for the host's */
    uint32_t error;           /* cudaGetLastError() of threads */
    uint32_t handles;         /* of streams and events that kernels made */
    struct family *family;    /* with check_races, while grids run that may launch grids; else NULL */
    uint64_t texts;           /* device address of the texts of errors; 0: not made yet */
    uint64_t *graphs;         /* [graph_count] graphs that kernels may launch, and nodes that they may change */
    size_t graph_count;
    struct graph_request *requests; /* [request_count] in the order of launches */
    size_t request_count;
    struct node_change *changes;  /* [change_count] in the order of the calls */
    size_t change_count;
    struct condition *conditions; /* [condition_count] */
    uint32_t condition_count;
    sim_answer *answer;       /* answers questions of kernels; NULL: nobody does */
    void *answer_context;     /* its first argument */
};

void children_init(struct children *children);
void children_release(struct sim *sim);

/* A buffer for the arguments of a kernel, which its device address names. 0: the launch is impossible. */
uint64_t child_buffer(struct warp *w, const struct ins *ins, unsigned lane, uint64_t function, const uint32_t grid[3],
                      const uint32_t block[3], uint32_t dynamic_shared);

/* The kernel of the launch's own module whose device address that is, or NULL. */
struct sim_kernel *child_kernel(const struct launch *launch, uint64_t address);

/* A buffer of `size` bytes for a kernel that child_name() names later. 0: no memory. */
uint64_t child_space(struct warp *w, uint64_t alignment, uint64_t size);

/* Launches the buffer's kernel. Returns a cudaError_t. */
uint32_t child_launch(struct warp *w, unsigned lane, uint64_t buffer, uint64_t stream);

/* A handle for a stream or an event: no null pointer, and no stream with a meaning of its own. */
uint64_t child_handle(struct sim *sim);

/* Says which kernel a buffer of child_space() is for, and how it is launched. False after a refusal. */
bool child_name(struct warp *w, const struct ins *ins, unsigned lane, uint64_t buffer, uint64_t function,
                const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared);

/* Puts a copy among the launches. Its bytes were checked. Returns a cudaError_t. */
uint32_t child_copy(struct sim *sim, const struct child_copy *copy, uint64_t stream);

/* Launches a graph from a node of a graph. Returns a cudaError_t. */
uint32_t child_graph(struct warp *w, uint64_t graph, uint64_t stream);

/* Notes the change, which copies its data. Returns a cudaError_t. */
uint32_t child_change(struct sim *sim, const struct node_change *change);

/* The changes since the last call; the caller frees the list with sim_node_changes_free(). */
size_t sim_node_changes(struct sim *sim, struct node_change **changes);
void sim_node_changes_free(struct node_change *changes, size_t count);

/* Kernels may launch this graph, or change this node; false: no memory. And they may not any more. */
bool sim_graph_permit(struct sim *sim, uint64_t graph);
void sim_graph_forbid(struct sim *sim, uint64_t graph);

/* The graphs that kernels launched since the last call; the caller frees the list. */
size_t sim_graph_requests(struct sim *sim, struct graph_request **requests);

/* Does what the child wants done, unless its memory was freed since. */
void child_run_copy(struct sim *sim, const struct child_copy *copy);

/* Returns the last error of a thread's calls, and clears it if `clear`. */
uint32_t child_error(struct sim *sim, bool clear);

/* The device address of an error's text, or of its name. 0: no memory. */
uint64_t child_error_text(struct sim *sim, uint32_t error, bool name);

/* The children of the grid that has just run, tail launches last. The caller owns the list. */
struct child *children_take(struct sim *sim);
void child_free(struct child *child);

/* Who answers questions of kernels. */
void sim_set_answers(struct sim *sim, sim_answer *answer, void *context);

/* Asks them. Without anybody the answer is cudaErrorInvalidValue. */
uint32_t child_answer(struct sim *sim, const struct sim_question *question, void *answer, unsigned *bytes);

/* Makes a condition. Returns its handle, or 0 without memory. */
uint64_t sim_condition_new(struct sim *sim, uint32_t value, bool resets);
bool sim_condition_get(struct sim *sim, uint64_t handle, uint32_t *value);
void sim_condition_reset(struct sim *sim, uint64_t handle);
bool sim_condition_set(struct sim *sim, uint64_t handle, uint32_t value);
uint64_t sim_condition_sets(struct sim *sim, uint64_t handle); /* how often kernels have set it */

#endif
