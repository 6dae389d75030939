/*
 * node_hints.h - attributes of a graph's kernel node about speed: kept, and without effect. runtime_node_get.c has the
 * calls.
 */
#ifndef CUDASIM_NODE_HINTS_H
#define CUDASIM_NODE_HINTS_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

struct node_hints {
    struct cudaAccessPolicyWindow window; /* which accesses stay in the L2 cache */
    cudaLaunchMemSyncDomainMap domains;   /* of fences */
    bool mapped;                          /* the program gave `domains` */
    int domain;                           /* of fences */
    int scheduling;                       /* of clusters */
    int carveout;                         /* percent of shared memory */
};

#endif
