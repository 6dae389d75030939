/*
 * graph_memory.h - memory that graphs allocate: graph_memory.c. Nodes, executable graphs, frees and waits call it.
 */
#ifndef CUDASIM_GRAPH_MEMORY_H
#define CUDASIM_GRAPH_MEMORY_H

#include "runtime.h"

/* Reserves an address for an allocation node, which owns it by graph_memory_keep(). */
cudaError_t graph_memory_new(struct runtime *runtime, size_t size, void **pointer);
/* A node or a step of an executable graph that allocates it exists, or exists no more. */
void graph_memory_keep(struct runtime *runtime, uintptr_t address);
void graph_memory_drop(struct runtime *runtime, uintptr_t address);

/* A launch allocates and frees the memory of its nodes. Fails if some of it is allocated, or free, already. */
cudaError_t graph_memory_launch(struct runtime *runtime, const struct CUgraphExec_st *exec);
/* The program frees it itself. False: it is not allocated now. */
bool graph_memory_free(struct runtime *runtime, const void *pointer);
/* Whether the graph has nodes that allocate or free memory: an H100 does not copy it. */
bool graph_has_memory(const struct CUgraph_st *graph);

/* Whether a node of it, or of its children, is a conditional one. */
bool graph_has_conditions(const struct CUgraph_st *graph);
bool graph_memory_is(struct runtime *runtime, const void *pointer);

/* Gives back what no graph refers to and nobody has allocated. Only while no work is under way. */
void graph_memory_collect(struct runtime *runtime);
/* At a reset: forgets everything; the memory itself is gone. */
void graph_memory_forget(struct runtime *runtime);

#endif
