/*
 * runtime_graph.c - the calls about whole graphs: they create, copy, instantiate, launch, change and query them.
 * (runtime_node.c has the calls that make and change nodes.)
 */
#include "runtime.h"
#include "graph_memory.h"
#include "device_graph.h"
#include "graph_edge.h"
#include "host_place.h"
#include "user_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the graph as a whole */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!graph || flags)
            call.error = cudaErrorInvalidValue;
        else if (!(*graph = graph_create(call.runtime)))
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, graph, HANDLE_GRAPH) && !graph->of_node) {
            graph_destroy(call.runtime, graph);
            objects_destroy(&call);
        } else {
            call.error = cudaErrorInvalidValue;
        }
    }
    return call_end(&call);
}

/* Whether there may be one instantiated graph of it at a time: it has such memory, or kernels may change its nodes. */
static bool is_single(const struct CUgraph_st *graph)
{
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
        if (node->work.kind == WORK_KERNEL && node->work.kernel.updatable)
            return true;
    return graph_has_memory(graph);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!clone || !handle_is(call.runtime, graph, HANDLE_GRAPH))
            call.error = cudaErrorInvalidValue;
        else if (graph_has_memory(graph) || graph_has_conditions(graph))
            call.error = cudaErrorNotSupported;
        else if (!(*clone = graph_clone(call.runtime, graph)))
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!node || !handle_is(call.runtime, clone, HANDLE_GRAPH) ||
            !(*node = graph_in_clone(clone, original)))
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ execution */

enum {
    INSTANTIATE_FLAGS = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority,
};

static cudaError_t instantiate(struct call *call, cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    const unsigned long long by_device = cudaGraphInstantiateFlagDeviceLaunch;
    cudaError_t error;

    if (!exec || !handle_is(call->runtime, graph, HANDLE_GRAPH) || flags & ~(unsigned long long)INSTANTIATE_FLAGS)
        return cudaErrorInvalidValue;
    if (graph->child || device_graph_odd_node(graph, flags))
        return cudaErrorNotSupported;
    if (graph->only && is_single(graph))
        return graph_has_memory(graph) ? cudaErrorNotSupported : cudaErrorInvalidValue;
    if (flags & by_device && flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
        return cudaErrorInvalidValue;
    error = exec_create(call->runtime, graph, exec);
    if (error != cudaSuccess)
        return error;
    (*exec)->flags = flags;
    if (is_single(graph)) {
        (*exec)->only_of = graph;
        graph->only = *exec;
    }
    return flags & cudaGraphInstantiateFlagUpload ? device_graph_upload(call->runtime, *exec) : cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    struct call call;

    /* An upload needs the stream in the parameters of cudaGraphInstantiateWithParams(). */
    if (call_begin(&call, CALL_DEVICE))
        call.error = flags & cudaGraphInstantiateFlagUpload ? cudaErrorInvalidValue
                                                            : instantiate(&call, exec, graph, flags);
    return call_end(&call);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = parameters ? instantiate(&call, exec, graph, parameters->flags) : cudaErrorInvalidValue;
        if (parameters) {
            parameters->errNode_out = NULL;
            parameters->result_out = call.error == cudaSuccess ? cudaGraphInstantiateSuccess
                                                                : cudaGraphInstantiateError;
            if (call.error == cudaErrorNotSupported) {
                parameters->result_out = cudaGraphInstantiateNodeOperationNotSupported;
                parameters->errNode_out = device_graph_odd_node(graph, parameters->flags);
            }
        }
    }
    return call_end(&call);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (flags && handle_is(call.runtime, exec, HANDLE_EXEC))
            *flags = exec->flags & ~(unsigned long long)cudaGraphInstantiateFlagUseNodePriority; /* as an H100 */
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, exec, HANDLE_EXEC)) {
            queue_settle(&call, exec);
            if (handle_is(call.runtime, exec->only_of, HANDLE_GRAPH) && exec->only_of->only == exec)
                exec->only_of->only = NULL;
            exec_destroy(call.runtime, exec);
            objects_destroy(&call);
        } else {
            call.error = cudaErrorInvalidValue;
        }
    }
    return call_end(&call);
}

/* Appends what the instantiated graph does now as a chain of nodes; *last is the chain's end. */
static bool append_steps(struct runtime *runtime, struct CUgraph_st *graph, const struct CUgraphExec_st *exec,
                         struct CUgraphNode_st **last)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->disabled)
            continue;
        if (step->child) {
            if (!append_steps(runtime, graph, step->child, last))
                return false;
            continue;
        }
        *last = graph_add(runtime, graph, &step->work, last, *last ? 1 : 0);
        if (!*last)
            return false;
    }
    return true;
}

/* Captured, the launch becomes a child graph. */
static cudaError_t capture_launch(struct call *call, struct CUstream_st *stream, const struct CUgraphExec_st *exec)
{
    struct work child = { .kind = WORK_GRAPH, .call = "cudaGraphLaunch", .graph = graph_create(call->runtime) };
    struct CUgraphNode_st *last = NULL;
    cudaError_t error = cudaErrorMemoryAllocation;

    if (child.graph && append_steps(call->runtime, child.graph, exec, &last))
        error = capture_add(call, stream, &child);
    work_release(&child);
    return error;
}

static void say_lost_event(struct runtime *runtime)
{
    struct sim_fault fault = { .kind = FAULT_USE_AFTER_FREE, .count = 1 };

    snprintf(fault.kernel, sizeof fault.kernel, "cudaGraphLaunch");
    snprintf(fault.text, sizeof fault.text,
             "the graph has a node of an event that was destroyed: the node does nothing");
    host_add_place(fault.text, sizeof fault.text);
    sim_report_fault(runtime->sim, &fault);
}

static cudaError_t submit_launch(struct call *call, const struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                 cudaStream_t handle)
{
    struct work work = { .kind = WORK_EXEC, .call = "cudaGraphLaunch", .exec = exec };
    cudaError_t error = device_graph_upload(call->runtime, exec);

    if (call->runtime->event_nodes && sim_options(call->runtime->sim)->check_calls && exec_lacks_event(exec))
        say_lost_event(call->runtime);
    if (error == cudaSuccess)
        error = graph_memory_launch(call->runtime, exec);
    return error != cudaSuccess ? error : queue_submit(call, &work, stream, handle, NULL);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *stream = stream_of(&call, handle);

        if (!handle_is(call.runtime, exec, HANDLE_EXEC))
            call.error = cudaErrorInvalidValue;
        else if (!stream)
            call.error = cudaErrorInvalidResourceHandle;
        else if (stream->capture)
            call.error = capture_launch(&call, stream, exec);
        else if (!stream->legacy || (call.error = capture_permits_legacy(call.runtime)) == cudaSuccess)
            call.error = submit_launch(&call, exec, stream, handle);
    }
    return call_end(&call);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, exec, HANDLE_EXEC))
            call.error = cudaErrorInvalidValue;
        else if (!stream_of(&call, stream))
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = device_graph_upload(call.runtime, exec);
    }
    return call_end(&call);
}

/* Whether the nodes, in the order they run, are of the same kinds and depend on the same places. */
static bool same_shape(const struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                       cudaGraphExecUpdateResultInfo *result)
{
    if (!graph_put_in_order(graph) || graph->count != exec->count) {
        result->result = cudaGraphExecUpdateErrorTopologyChanged;
        return false;
    }
    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        const struct exec_step *step = &exec->steps[node->mark - 1];

        if ((node->work.kind == WORK_GRAPH) != (step->child != NULL) ||
            (!step->child && node->work.kind != step->work.kind)) {
            result->result = cudaGraphExecUpdateErrorNodeTypeChanged;
            result->errorNode = node;
            return false;
        }
    }
    return true;
}

static cudaError_t update(struct runtime *runtime, struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                          cudaGraphExecUpdateResultInfo *result)
{
    struct CUgraphExec_st *fresh, old;
    cudaError_t error;

    *result = (cudaGraphExecUpdateResultInfo){ .result = cudaGraphExecUpdateSuccess };
    if (!same_shape(exec, graph, result))
        return cudaErrorGraphExecUpdateFailure;
    error = exec_create(runtime, graph, &fresh);
    if (error != cudaSuccess)
        return error;
    /* The handle stays, so the contents change places. Nodes are still named as in the graph instantiated first. */
    for (size_t i = 0; i < exec->count; i++) {
        fresh->steps[i].node = exec->steps[i].node;
        fresh->steps[i].disabled = exec->steps[i].disabled;
    }
    old = *exec;
    exec->steps = fresh->steps;
    exec->before = fresh->before;
    exec->unordered = fresh->unordered;
    fresh->steps = old.steps;
    fresh->before = old.before;
    exec_destroy(runtime, fresh);
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result)
{
    struct call call;
    cudaGraphExecUpdateResultInfo ignored;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, exec, HANDLE_EXEC) && handle_is(call.runtime, graph, HANDLE_GRAPH) &&
            !graph->moved) {
            queue_settle(&call, exec);
            call.error = update(call.runtime, exec, graph, result ? result : &ignored);
        } else {
            call.error = cudaErrorInvalidValue;
        }
    }
    return call_end(&call);
}

/* Kernels, fills and copies: others have no such state, on an H200 as in the manual. */
static bool can_be_disabled(const struct exec_step *step)
{
    return step->work.kind == WORK_KERNEL || step->work.kind == WORK_SET || step->work.kind == WORK_COPY;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct exec_step *step = exec_step_of(call.runtime, exec, node);

        if (step && can_be_disabled(step)) {
            queue_settle(&call, exec);
            step->disabled = !enabled;
        } else {
            call.error = cudaErrorInvalidValue;
        }
    }
    return call_end(&call);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct exec_step *step = exec_step_of(call.runtime, exec, node);

        if (step && enabled && can_be_disabled(step))
            *enabled = !step->disabled;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ the graph's form */

/* Hands out a list the way the API wants it: the count alone when there is no place for nodes. */
struct node_list {
    cudaGraphNode_t *places; /* [capacity], or NULL */
    size_t capacity, count;
};

static void list_node(struct node_list *list, struct CUgraphNode_st *node)
{
    if (list->places && list->count < list->capacity)
        list->places[list->count] = node;
    list->count++;
}

/* The rest of the places is filled with NULL; *count says how many nodes there are, or were put. */
static void list_end(const struct node_list *list, size_t *count)
{
    for (size_t i = list->count; list->places && i < list->capacity; i++)
        list->places[i] = NULL;
    *count = list->places && list->count > list->capacity ? list->capacity : list->count;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!count || !handle_is(call.runtime, graph, HANDLE_GRAPH)) {
            call.error = cudaErrorInvalidValue;
        } else {
            struct node_list list = { nodes, *count, 0 };

            for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
                if (!roots || node->dependency_count == 0)
                    list_node(&list, node);
            list_end(&list, count);
        }
    }
    return call_end(&call);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, true);
}

/* Dependency `i` of the node is the next in the list. Without a place for its data the answer would be false. */
static void list_edge(struct call *call, const struct node_list *list, const struct CUgraphNode_st *node, size_t i,
                      cudaGraphEdgeData *edges)
{
    cudaGraphEdgeData edge = edge_of(node, i);

    if (!list->places || list->count >= list->capacity)
        return;
    if (edges)
        edges[list->count] = edge;
    else if (!edge_is_plain(&edge))
        call->error = cudaErrorLossyQuery;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!count || !from != !to || !handle_is(call.runtime, graph, HANDLE_GRAPH)) {
            call.error = cudaErrorInvalidValue;
        } else {
            struct node_list starts = { from, *count, 0 }, ends = { to, *count, 0 };

            for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
                for (size_t i = 0; i < node->dependency_count; i++) {
                    list_edge(&call, &starts, node, i, edges);
                    list_node(&starts, node->dependencies[i]);
                    list_node(&ends, node);
                }
            }
            list_end(&starts, count);
            list_end(&ends, count);
        }
    }
    return call_end(&call);
}

/* Which dependency of the node `other` is, or dependency_count: none. */
static size_t dependency_on(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    size_t i = 0;

    while (i < node->dependency_count && node->dependencies[i] != other)
        i++;
    return i;
}

static bool depends_on(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    return dependency_on(node, other) < node->dependency_count;
}

static cudaError_t list_neighbours(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                   size_t *count, bool dependents)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!count || !handle_is(call.runtime, node, HANDLE_NODE)) {
            call.error = cudaErrorInvalidValue;
        } else {
            struct node_list list = { nodes, *count, 0 };

            for (struct CUgraphNode_st *other = node->graph->nodes; other; other = other->next) {
                const struct CUgraphNode_st *late = dependents ? other : node, *early = dependents ? node : other;

                if (!depends_on(late, early))
                    continue;
                list_edge(&call, &list, late, dependency_on(late, early), edges);
                list_node(&list, other);
            }
            list_end(&list, count);
        }
    }
    return call_end(&call);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *count)
{
    return list_neighbours(node, nodes, edges, count, false);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *count)
{
    return list_neighbours(node, nodes, edges, count, true);
}

static bool add_dependency(struct CUgraphNode_st *node, struct CUgraphNode_st *on, const cudaGraphEdgeData *edge)
{
    struct CUgraphNode_st **larger = realloc(node->dependencies, (node->dependency_count + 1) * sizeof *larger);

    if (!larger)
        return false;
    node->dependencies = larger;
    node->dependencies[node->dependency_count++] = on;
    return edges_set(node, edge, 1);
}

static void remove_dependency(struct CUgraphNode_st *node, const struct CUgraphNode_st *on)
{
    size_t kept = 0;

    for (size_t i = 0; i < node->dependency_count; i++)
        if (node->dependencies[i] != on) {
            if (node->edges)
                node->edges[kept] = node->edges[i];
            node->dependencies[kept++] = node->dependencies[i];
        }
    node->dependency_count = kept;
}

static cudaError_t change_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                       const cudaGraphEdgeData *edges, size_t count, bool add)
{
    struct call call;

    if (!call_begin(&call, CALL_DEVICE))
        return call_end(&call);
    if (!handle_is(call.runtime, graph, HANDLE_GRAPH) || (count && (!from || !to)))
        call.error = cudaErrorInvalidValue;
    else if (!add && count && graph_has_memory(graph))
        call.error = cudaErrorNotSupported;
    for (size_t i = 0; call.error == cudaSuccess && i < count; i++)
        if (!handle_is(call.runtime, from[i], HANDLE_NODE) || !handle_is(call.runtime, to[i], HANDLE_NODE) ||
            from[i]->graph != graph || to[i]->graph != graph || from[i] == to[i] || depends_on(to[i], from[i]) == add)
            call.error = cudaErrorInvalidValue;
        else if (edges)
            call.error = edges_check(from[i], to[i], &edges[i]);
    for (size_t i = 0; call.error == cudaSuccess && i < count; i++) {
        if (!add)
            remove_dependency(to[i], from[i]);
        else if (!add_dependency(to[i], from[i], edges ? &edges[i] : NULL))
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    return change_dependencies(graph, from, to, edges, count, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    return change_dependencies(graph, from, to, edges, count, false);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, node, HANDLE_NODE)) {
            call.error = cudaErrorInvalidValue;
        } else if (graph_has_memory(node->graph)) {
            call.error = cudaErrorNotSupported;
        } else {
            struct CUgraph_st *graph = node->graph;
            struct CUgraphNode_st **link = &graph->nodes;

            while (*link != node)
                link = &(*link)->next;
            *link = node->next;
            if (graph->end == &node->next)
                graph->end = link;
            graph->count--;
            for (struct CUgraphNode_st *other = graph->nodes; other; other = other->next)
                remove_dependency(other, node);
            graph_release_node(call.runtime, node);
        }
    }
    return call_end(&call);
}
