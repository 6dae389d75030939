/*
 * graph_memory.c - memory that graphs allocate.
 *
 * An allocation node has its address from the time it is made. The memory counts as allocated from the launch of its
 * graph to the launch of a graph that frees it, or to the program's own free. Both are noted in the order of the calls,
 * as the errors of a launch are. When the last graph is gone and the memory is free, the address is given back. That
 * waits until no work is under way, because earlier work may use the memory.
 */
#include "graph_memory.h"

#include <stdlib.h>

struct graph_memory {
    struct graph_memory *next; /* of runtime->graph_memory */
    uintptr_t address;         /* start of its region */
    size_t size;               /* bytes */
    unsigned keepers;          /* nodes and steps that allocate it */
    bool allocated;            /* by a launch, and not freed since */
    bool counted;              /* as used: from the first launch until the address is given back, as on an H200 */
};

static struct graph_memory *find(struct runtime *runtime, uintptr_t address)
{
    struct graph_memory *m = runtime->graph_memory;

    while (m && m->address != address)
        m = m->next;
    return m;
}

bool graph_memory_is(struct runtime *runtime, const void *pointer)
{
    return find(runtime, (uintptr_t)pointer);
}

bool graph_has_memory(const struct CUgraph_st *graph)
{
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
        if (node->work.kind == WORK_ALLOCATE || node->work.kind == WORK_RELEASE ||
            (node->work.kind == WORK_GRAPH && graph_has_memory(node->work.graph)))
            return true;
    return false;
}

bool graph_has_conditions(const struct CUgraph_st *graph)
{
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
        if (node->work.kind == WORK_CONDITION ||
            (node->work.kind == WORK_GRAPH && graph_has_conditions(node->work.graph)))
            return true;
    return false;
}

cudaError_t graph_memory_new(struct runtime *runtime, size_t size, void **pointer)
{
    struct graph_memory *m = calloc(1, sizeof *m);
    cudaError_t error = m ? allocation_new(runtime, size, REGION_POOL, 0, pointer) : cudaErrorMemoryAllocation;

    if (error == cudaSuccess && !map_put(&runtime->pooled, *pointer, &runtime->graph_pool)) {
        memory_release(sim_memory(runtime->sim), (uintptr_t)*pointer);
        error = cudaErrorMemoryAllocation;
    }
    if (error != cudaSuccess) {
        free(m);
        return error;
    }
    m->address = (uintptr_t)*pointer;
    m->size = size;
    m->next = runtime->graph_memory;
    runtime->graph_memory = m;
    return cudaSuccess;
}

void graph_memory_keep(struct runtime *runtime, uintptr_t address)
{
    struct graph_memory *m = find(runtime, address);

    if (m)
        m->keepers++;
}

void graph_memory_drop(struct runtime *runtime, uintptr_t address)
{
    struct graph_memory *m = find(runtime, address);

    if (m && m->keepers)
        m->keepers--;
}

static void set_allocated(struct runtime *runtime, struct graph_memory *m, bool allocated)
{
    m->allocated = allocated;
    if (allocated && !m->counted)
        m->counted = pool_take(&runtime->graph_pool, m->size);
}

/* Whether a step of `exec` is of this kind and this memory. */
static bool has_step(const struct CUgraphExec_st *exec, enum work_kind kind, uintptr_t address)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->child ? has_step(step->child, kind, address)
                        : step->work.kind == kind && step->work.memory.address == address)
            return true;
    }
    return false;
}

static bool may_launch(struct runtime *runtime, const struct CUgraphExec_st *top, const struct CUgraphExec_st *exec)
{
    bool frees_first = top->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;

    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_step *step = &exec->steps[i];
        const struct graph_memory *m;

        if (step->child) {
            if (!may_launch(runtime, top, step->child))
                return false;
        } else if (step->work.kind == WORK_ALLOCATE) {
            m = find(runtime, step->work.memory.address);
            if (m && m->allocated && !frees_first)
                return false;
        } else if (step->work.kind == WORK_RELEASE) {
            m = find(runtime, step->work.memory.address);
            if (!m || (!m->allocated && !has_step(top, WORK_ALLOCATE, m->address)))
                return false;
        }
    }
    return true;
}

static void launch(struct runtime *runtime, const struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_step *step = &exec->steps[i];
        struct graph_memory *m;

        if (step->child)
            launch(runtime, step->child);
        else if ((step->work.kind == WORK_ALLOCATE || step->work.kind == WORK_RELEASE) &&
                 (m = find(runtime, step->work.memory.address)))
            set_allocated(runtime, m, step->work.kind == WORK_ALLOCATE);
    }
}

cudaError_t graph_memory_launch(struct runtime *runtime, const struct CUgraphExec_st *exec)
{
    if (!runtime->graph_memory)
        return cudaSuccess;
    if (!may_launch(runtime, exec, exec))
        return cudaErrorInvalidValue;
    launch(runtime, exec);
    return cudaSuccess;
}

bool graph_memory_free(struct runtime *runtime, const void *pointer)
{
    struct graph_memory *m = find(runtime, (uintptr_t)pointer);

    if (!m || !m->allocated)
        return false;
    set_allocated(runtime, m, false);
    return true;
}

void graph_memory_collect(struct runtime *runtime)
{
    struct graph_memory **link = &runtime->graph_memory, *m;

    while ((m = *link) != NULL) {
        if (m->keepers || m->allocated) {
            link = &m->next;
            continue;
        }
        *link = m->next;
        if (m->counted)
            runtime->graph_pool.used -= m->size;
        map_remove(&runtime->pooled, (void *)m->address);
        range_forget(&runtime->advised, m->address, m->address + m->size);
        memory_release(sim_memory(runtime->sim), m->address);
        free(m);
    }
}

void graph_memory_forget(struct runtime *runtime)
{
    struct graph_memory *m;

    while ((m = runtime->graph_memory) != NULL) {
        runtime->graph_memory = m->next;
        free(m);
    }
}
