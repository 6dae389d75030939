/*
 * device_graph.c - which graphs kernels may launch, and the records of those that run. work.c runs them.
 */
#include "device_graph.h"

#include <stdlib.h>
#include <string.h>

const struct CUgraphExec_st *device_graph_of(struct runtime *runtime, uint64_t graph)
{
    const void *handle = (const void *)(uintptr_t)graph;

    return handle_is(runtime, handle, HANDLE_EXEC) ? handle : NULL;
}

void device_graph_current(const struct runtime *runtime, struct sim_launch *launch)
{
    const struct graph_launch *now = runtime->graph_launch;

    launch->in_graph = now != NULL;
    if (now && now->exec->flags & cudaGraphInstantiateFlagDeviceLaunch)
        launch->graph = (uintptr_t)now->exec;
}

cudaError_t device_graph_add_tail(struct graph_launch *to, uint64_t graph)
{
    uint64_t *grown = realloc(to->tails, (to->tail_count + 1) * sizeof *grown);

    if (!grown)
        return cudaErrorMemoryAllocation;
    to->tails = grown;
    grown[to->tail_count++] = graph;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ which graphs kernels may launch */

/* The first node of a kind that no such graph may have, or NULL. */
static struct CUgraphNode_st *odd_node(const struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        enum work_kind kind = node->work.kind;

        if ((kind == WORK_GRAPH && odd_node(node->work.graph)) ||
            (kind != WORK_KERNEL && kind != WORK_COPY && kind != WORK_SET && kind != WORK_GRAPH && kind != WORK_EMPTY))
            return node;
    }
    return NULL;
}

struct CUgraphNode_st *device_graph_odd_node(const struct CUgraph_st *graph, unsigned long long flags)
{
    return flags & cudaGraphInstantiateFlagDeviceLaunch ? odd_node(graph) : NULL;
}

cudaError_t device_graph_upload(struct runtime *runtime, const struct CUgraphExec_st *exec)
{
    if (!(exec->flags & cudaGraphInstantiateFlagDeviceLaunch))
        return cudaSuccess;
    return sim_graph_permit(runtime->sim, (uintptr_t)exec) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ------------------------------------------------------------------ nodes that kernels change */

static void change_kernel(struct exec_step *step, const struct node_change *change)
{
    struct kernel_work *kernel = &step->work.kernel;
    bool good = true;

    switch (change->field) {
    case NODE_ENABLED: step->disabled = !change->grid[0]; break;
    case NODE_GRID:
        for (unsigned n = 0; n < 3; n++)
            good = good && change->grid[n] && change->grid[n] % kernel->cluster[n] == 0;
        if (good)
            memcpy(kernel->grid, change->grid, sizeof kernel->grid);
        break;
    case NODE_PARAMETER:
        good = change->offset <= kernel->parameter_bytes && change->bytes <= kernel->parameter_bytes - change->offset;
        if (good)
            memcpy(kernel->parameters + change->offset, change->data, change->bytes);
        break;
    }
    if (!good)
        runtime_complain("a kernel changed a node of %s to %s that it cannot have: the node stays as it was",
                         kernel->entry->name, change->field == NODE_GRID ? "a grid" : "parameters");
}

static void change_steps(struct CUgraphExec_st *exec, const struct node_change *change)
{
    for (size_t i = 0; i < exec->count; i++) {
        struct exec_step *step = &exec->steps[i];

        if ((uintptr_t)step->node == change->node && step->work.kind == WORK_KERNEL)
            change_kernel(step, change);
        if (step->child)
            change_steps(step->child, change);
        for (unsigned n = 0; step->bodies && n < step->work.condition.count; n++)
            change_steps(step->bodies[n], change);
    }
}

void device_graph_change(struct runtime *runtime)
{
    struct node_change *changes;
    size_t count = sim_node_changes(runtime->sim, &changes);

    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < runtime->handles.capacity; i++)
            if (runtime->handles.keys[i] && (uintptr_t)runtime->handles.values[i] == HANDLE_EXEC)
                change_steps((struct CUgraphExec_st *)(uintptr_t)runtime->handles.keys[i], &changes[n]);
    sim_node_changes_free(changes, count);
}
