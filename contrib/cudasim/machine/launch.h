/*
 * launch.h - runs a kernel.
 */
#ifndef CUDASIM_LAUNCH_H
#define CUDASIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct sim_fault;
struct sim_kernel;
struct launch_point;
struct traffic;

struct sim_launch {
    struct sim_kernel *kernel;
    unsigned grid[3], block[3], cluster[3]; /* cluster: blocks; 1 1 1 if none */
    unsigned dynamic_shared;                /* bytes */
    bool cooperative;
    const void *parameters;                 /* packed, facts.parameter_bytes bytes */
    uint64_t stream;                        /* for the report alone */
    const struct launch_point *from;        /* of a launch by a kernel, for the check for races; else NULL */
    bool in_graph;                          /* a node of a graph, which may launch graphs */
    uint64_t graph;                         /* %current_graph_exec: the graph that runs, if kernels may launch it */
    struct traffic *traffic;                /* notes what the launch touches; NULL: it is not noted */
    /*
     * Called repeatedly while all blocks in flight wait for memory. Returns whether it did something that they may wait
     * for. *patience: a longer wait is a deadlock, in seconds. NULL: nothing to call.
     */
    bool (*meanwhile)(void *context, double *patience);
    void *context;                          /* of meanwhile() */
    const uint64_t *only;                   /* [only_count] blocks, or clusters, that are executed; NULL: all */
    size_t only_count;
    bool continues;                         /* the rest of a launch that was counted already */
};

/*
 * Runs the launch to its end. The caller has checked the configuration: the block is within limits, shared memory is
 * within the kernel's maximum, cooperative launches are co-resident. Returns true, or false with *fault after an error.
 */
bool sim_run(struct sim *sim, const struct sim_launch *launch, struct sim_fault *fault);

/* Ends the workers' threads, and frees the storage of their blocks. */
void pool_end(struct sim *sim);

#endif
