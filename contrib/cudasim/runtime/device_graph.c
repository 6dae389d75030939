/*
 * device_graph.c - instantiated graphs that kernels launch, and the run of a graph with what its kernels launched.
 *
 * Graphs that are to run at once ("fire and forget") run when the kernel that launched them is over: nothing orders
 * them and the rest of its graph. Graphs of a tail launch run when the graph is over, and before whatever waits for it.
 */
#include "device_graph.h"

#include <stdlib.h>
#include <string.h>

/* A graph that runs. */
struct graph_launch {
    struct graph_launch *outer; /* whose kernel launched it, or NULL */
    const struct CUgraphExec_st *exec;
    uint64_t *tails;            /* [tail_count] graphs that run behind it, in the order of their launches */
    size_t tail_count;
};

static const struct CUgraphExec_st *exec_of(struct runtime *runtime, uint64_t graph)
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

static cudaError_t add_tail(struct graph_launch *to, uint64_t graph)
{
    uint64_t *grown = realloc(to->tails, (to->tail_count + 1) * sizeof *grown);

    if (!grown)
        return cudaErrorMemoryAllocation;
    to->tails = grown;
    grown[to->tail_count++] = graph;
    return cudaSuccess;
}

cudaError_t device_graph_requests(struct call *call, cudaStream_t stream)
{
    struct runtime *runtime = call->runtime;
    struct graph_request *requests;
    size_t count = sim_graph_requests(runtime->sim, &requests);
    cudaError_t error = cudaSuccess;

    for (size_t n = 0; n < count && error == cudaSuccess && runtime->sticky == cudaSuccess; n++) {
        const struct CUgraphExec_st *exec = exec_of(runtime, requests[n].graph);

        if (!exec || !runtime->graph_launch)
            continue;
        if (requests[n].kind == GRAPH_TAIL)
            error = add_tail(runtime->graph_launch, requests[n].graph);
        else
            error = exec_launch(call, exec, stream);
    }
    free(requests);
    return error;
}

/* Runs the graph alone; its tails come before the others of `rest`. */
static cudaError_t run_one(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream,
                           struct graph_launch *rest)
{
    struct runtime *runtime = call->runtime;
    struct graph_launch own = { .outer = runtime->graph_launch, .exec = exec };
    cudaError_t error;

    runtime->graph_launch = &own;
    condition_reset_all(runtime, exec);
    error = exec_run(call, exec, stream);
    runtime->graph_launch = own.outer;
    for (size_t n = 0; error == cudaSuccess && n < rest->tail_count; n++)
        error = add_tail(&own, rest->tails[n]);
    free(rest->tails);
    rest->tails = own.tails;
    rest->tail_count = own.tail_count;
    return error;
}

cudaError_t exec_launch(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream)
{
    struct graph_launch rest = { .exec = exec };
    cudaError_t error = run_one(call, exec, stream, &rest);

    while (rest.tail_count > 0 && error == cudaSuccess && call->runtime->sticky == cudaSuccess) {
        exec = exec_of(call->runtime, rest.tails[0]);
        memmove(rest.tails, rest.tails + 1, --rest.tail_count * sizeof *rest.tails);
        if (exec)
            error = run_one(call, exec, stream, &rest);
    }
    free(rest.tails);
    return error;
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
