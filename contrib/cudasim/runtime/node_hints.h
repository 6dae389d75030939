/*
 * node_hints.h - attributes of streams and of a graph's kernel nodes about speed: kept, and without effect.
 * runtime_stream.c and runtime_node_get.c have the calls.
 */
#ifndef CUDASIM_NODE_HINTS_H
#define CUDASIM_NODE_HINTS_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

/* Of streams and nodes, as on an H100; work of all priorities runs in order all the same. */
enum { PRIORITY_GREATEST = -5 };
#define WINDOW_MOST ((size_t)128 << 20) /* bytes: what an H200 gives for cudaDevAttrMaxAccessPolicyWindowSize */

/* What becomes of a priority that a program asks for. */
static inline int priority_within(int priority)
{
    return priority < PRIORITY_GREATEST ? PRIORITY_GREATEST : priority > 0 ? 0 : priority;
}

/* Whether an H200 takes the window; it does not look at the address and at what hits are. */
static inline bool window_is_one(const struct cudaAccessPolicyWindow *window)
{
    return window->hitRatio >= 0 && window->hitRatio <= 1 && window->num_bytes <= WINDOW_MOST &&
           (unsigned)window->missProp <= (unsigned)cudaAccessPropertyStreaming;
}

struct node_hints {
    struct cudaAccessPolicyWindow window; /* which accesses stay in the L2 cache */
    cudaLaunchMemSyncDomainMap domains;   /* of fences */
    bool mapped;                          /* the program gave `domains` */
    int domain;                           /* of fences */
    int scheduling;                       /* of clusters */
    int carveout;                         /* percent of shared memory */
};

#endif
