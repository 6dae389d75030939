/*
 * runtime_node.c - the calls that make nodes of graphs from parameters, and that change the parameters in the graph or
 * in an instantiated graph.
 *
 * Each kind of node has one function that turns the API's parameters into work. All calls go through these functions.
 */
#include "runtime.h"
#include "graph_memory.h"
#include "graph_edge.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ parameters to work */

static cudaError_t kernel_work(struct runtime *runtime, const struct cudaKernelNodeParams *parameters,
                               struct work *work)
{
    struct configuration configuration;

    *work = (struct work){ .kind = WORK_KERNEL, .call = "a kernel node" };
    if (!parameters)
        return cudaErrorInvalidValue;
    configuration = (struct configuration){ parameters->gridDim, parameters->blockDim, parameters->sharedMemBytes, 0 };
    return launch_prepare(runtime, parameters->func, &configuration, parameters->kernelParams, parameters->extra, NULL,
                          0, false, &work->kernel);
}

static cudaError_t copy_work(struct runtime *runtime, const struct cudaMemcpy3DParms *parameters, struct work *work)
{
    cudaError_t error;

    *work = (struct work){ .kind = WORK_COPY, .call = "a memcpy node" };
    error = parameters ? copy_from_parameters(runtime, parameters, &work->copy) : cudaErrorInvalidValue;
    return error == cudaSuccess ? copy_check(runtime, &work->copy, work->call) : error;
}

static cudaError_t flat_work(struct runtime *runtime, uint64_t target, uint64_t source, size_t bytes,
                             enum cudaMemcpyKind kind, struct work *work)
{
    *work = (struct work){ .kind = WORK_COPY, .call = "a memcpy node",
                           .copy = { .target = { target, 0, 0 }, .source = { source, 0, 0 },
                                     .width = bytes, .height = 1, .depth = 1, .kind = kind } };
    if (!bytes)
        return cudaErrorInvalidValue;
    return copy_check(runtime, &work->copy, work->call);
}

static cudaError_t symbol_work(struct runtime *runtime, const void *symbol, const void *other, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind, bool to_symbol, struct work *work)
{
    uint64_t address, size;
    cudaError_t error = module_symbol(runtime, symbol, &address, &size);

    *work = (struct work){ .kind = WORK_EMPTY };
    if (error != cudaSuccess)
        return error;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    return to_symbol ? flat_work(runtime, address + offset, (uintptr_t)other, bytes, kind, work)
                     : flat_work(runtime, (uintptr_t)other, address + offset, bytes, kind, work);
}

static cudaError_t set_work(struct runtime *runtime, const struct cudaMemsetParams *parameters, struct work *work)
{
    *work = (struct work){ .kind = WORK_SET, .call = "a memset node" };
    if (!parameters || (parameters->elementSize != 1 && parameters->elementSize != 2 && parameters->elementSize != 4))
        return cudaErrorInvalidValue;
    /* An H200 looks at all this when the node is made. */
    if (!parameters->width || !parameters->height || (uintptr_t)parameters->dst % parameters->elementSize ||
        (parameters->height > 1 && (parameters->pitch % parameters->elementSize ||
                                    parameters->pitch / parameters->elementSize < parameters->width)))
        return cudaErrorInvalidValue;
    work->set = (struct set_work){ .target = { (uintptr_t)parameters->dst, parameters->pitch, 0 },
                                   .value = parameters->value, .element = parameters->elementSize,
                                   .width = parameters->width, .height = parameters->height, .depth = 1 };
    return set_check(runtime, &work->set, work->call);
}

static cudaError_t host_work(const struct cudaHostNodeParams *parameters, struct work *work)
{
    *work = (struct work){ .kind = WORK_HOST, .call = "a host node" };
    if (!parameters || !parameters->fn)
        return cudaErrorInvalidValue;
    work->host = (struct host_work){ .function = parameters->fn, .data = parameters->userData };
    return cudaSuccess;
}

static cudaError_t event_work(struct runtime *runtime, enum work_kind kind, cudaEvent_t event, struct work *work)
{
    *work = (struct work){ .kind = kind, .call = "an event node", .event = event };
    if (!event)
        return cudaErrorInvalidValue;
    return handle_is(runtime, event, HANDLE_EVENT) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t allocation_work(struct runtime *runtime, const struct cudaMemPoolProps *properties, size_t bytes,
                                   void **pointer, struct work *work)
{
    bool good = bytes && properties->allocType == cudaMemAllocationTypePinned &&
                properties->location.type == cudaMemLocationTypeDevice && properties->location.id == 0;
    cudaError_t error = good ? graph_memory_new(runtime, bytes, pointer) : cudaErrorInvalidValue;

    *work = (struct work){ .kind = WORK_ALLOCATE, .call = "a memory allocation node",
                           .memory = { .size = bytes, .address = error == cudaSuccess ? (uintptr_t)*pointer : 0 } };
    return error;
}

/* Whether a graph allocated it, and no other node of this graph frees it. */
static bool may_release(struct runtime *runtime, const struct CUgraph_st *graph, const void *pointer)
{
    if (!pointer || !graph_memory_is(runtime, pointer) ||
        !handle_is(runtime, graph, HANDLE_GRAPH))
        return false;
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
        if (node->work.kind == WORK_RELEASE && node->work.memory.address == (uintptr_t)pointer)
            return false;
    return true;
}

static cudaError_t release_work(struct runtime *runtime, const struct CUgraph_st *graph, const void *pointer,
                                struct work *work)
{
    *work = (struct work){ .kind = WORK_RELEASE, .call = "a memory free node",
                           .memory = { .address = (uintptr_t)pointer } };
    return may_release(runtime, graph, pointer) ? cudaSuccess : cudaErrorInvalidValue;
}

/* The list stays the caller's. */
static cudaError_t words_work(struct runtime *runtime, const struct word_work *list, unsigned count, struct work *work)
{
    cudaError_t error = cudaSuccess;

    *work = (struct work){ .kind = WORK_WORDS, .call = "a node of memory operations",
                           .words = { (struct word_work *)(uintptr_t)list, count } };
    for (unsigned i = 0; i < count && error == cudaSuccess; i++)
        error = list[i].bytes ? word_check(runtime, &list[i]) : cudaSuccess;
    return error;
}

/* ------------------------------------------------------------------ adding */

static cudaError_t add(struct call *call, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                       size_t count, const struct work *work)
{
    if (!node || !handle_is(call->runtime, graph, HANDLE_GRAPH) || (count && !dependencies))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!handle_is(call->runtime, dependencies[i], HANDLE_NODE) || dependencies[i]->graph != graph)
            return cudaErrorInvalidValue;
    if (graph->child && (work->kind == WORK_ALLOCATE || work->kind == WORK_RELEASE))
        return cudaErrorNotSupported;
    *node = graph_add(call->runtime, graph, work, dependencies, count);
    return *node ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* The end of every call that adds: `call->error` is that of the making of `work`. */
static cudaError_t add_end(struct call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                           const cudaGraphNode_t *dependencies, size_t count, struct work *work)
{
    if (call->error == cudaSuccess)
        call->error = add(call, node, graph, dependencies, count, work);
    if (work->kind == WORK_KERNEL)
        work_release(work);
    return call_end(call);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaKernelNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = kernel_work(call.runtime, parameters, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaMemcpy3DParms *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = copy_work(call.runtime, parameters, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, void *target, const void *source, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = flat_work(call.runtime, (uintptr_t)target, (uintptr_t)source, bytes, kind, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count, const void *symbol,
                                           const void *source, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = symbol_work(call.runtime, symbol, source, bytes, offset, kind, true, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count, void *target,
                                             const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = symbol_work(call.runtime, symbol, target, bytes, offset, kind, false, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaMemsetParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = set_work(call.runtime, parameters, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                 size_t count, const struct cudaHostNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = host_work(parameters, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    call_begin(&call, CALL_DEVICE);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                        size_t count, cudaEvent_t event)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = event_work(call.runtime, WORK_RECORD, event, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = event_work(call.runtime, WORK_WAIT, event, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

/* An H200 puts the child of a node nowhere else, and copies no graph with nodes of memory or conditional ones. */
static cudaError_t may_copy(const struct CUgraph_st *child)
{
    return child->child || graph_has_memory(child) || graph_has_conditions(child) ? cudaErrorNotSupported
                                                                                   : cudaSuccess;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child)
{
    struct work work = { .kind = WORK_GRAPH, .call = "a child graph node", .graph = child };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = handle_is(call.runtime, child, HANDLE_GRAPH) ? may_copy(child) : cudaErrorInvalidValue;
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, struct cudaMemAllocNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = parameters ? allocation_work(call.runtime, &parameters->poolProps, parameters->bytesize,
                                                  &parameters->dptr, &work)
                                : cudaErrorInvalidValue;
    return add_end(&call, node, graph, dependencies, count, &work);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                    size_t count, void *pointer)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = release_work(call.runtime, graph, pointer, &work);
    return add_end(&call, node, graph, dependencies, count, &work);
}

/* ------------------------------------------------------------------ any kind */

static bool is_moved(const struct cudaGraphNodeParams *parameters)
{
    return parameters->type == cudaGraphNodeTypeGraph &&
           parameters->graph.ownership == cudaGraphChildGraphOwnershipMove;
}

/* Whether a node of `graph` may have that child. An H200 moves a graph into itself as well, and cannot use it then. */
static cudaError_t may_own(const struct CUgraph_st *graph, const struct cudaChildGraphNodeParams *child)
{
    if (child->ownership == cudaGraphChildGraphOwnershipClone)
        return may_copy(child->graph);
    if (child->ownership != cudaGraphChildGraphOwnershipMove || child->graph == graph)
        return cudaErrorInvalidValue;
    return child->graph->of_node ? cudaErrorNotSupported : cudaSuccess;
}

/* The node gets the graph itself in place of its copy, and ends it with its own graph. */
static void move_child(struct runtime *runtime, struct CUgraphNode_st *node, struct CUgraph_st *child)
{
    graph_destroy(runtime, node->work.graph);
    node->work.graph = child;
    child->of_node = child->child = child->moved = true;
}

static cudaError_t work_of(struct call *call, const struct CUgraph_st *graph, struct cudaGraphNodeParams *parameters,
                           struct work *work)
{
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams memset_;

    switch (parameters->type) {
    case cudaGraphNodeTypeKernel:
        kernel = (struct cudaKernelNodeParams){ parameters->kernel.func, parameters->kernel.gridDim,
                                                parameters->kernel.blockDim, parameters->kernel.sharedMemBytes,
                                                parameters->kernel.kernelParams, parameters->kernel.extra };
        return kernel_work(call->runtime, &kernel, work);
    case cudaGraphNodeTypeMemcpy:
        return copy_work(call->runtime, &parameters->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset:
        memset_ = (struct cudaMemsetParams){ parameters->memset.dst, parameters->memset.pitch,
                                             parameters->memset.value, parameters->memset.elementSize,
                                             parameters->memset.width, parameters->memset.height };
        return set_work(call->runtime, &memset_, work);
    case cudaGraphNodeTypeHost:
        return host_work(&(struct cudaHostNodeParams){ parameters->host.fn, parameters->host.userData }, work);
    case cudaGraphNodeTypeGraph:
        *work = (struct work){ .kind = WORK_GRAPH, .call = "a child graph node", .graph = parameters->graph.graph };
        return handle_is(call->runtime, work->graph, HANDLE_GRAPH) ? may_own(graph, &parameters->graph)
                                                                   : cudaErrorInvalidValue;
    case cudaGraphNodeTypeEmpty:
        *work = (struct work){ .kind = WORK_EMPTY };
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return event_work(call->runtime, WORK_WAIT, parameters->eventWait.event, work);
    case cudaGraphNodeTypeEventRecord:
        return event_work(call->runtime, WORK_RECORD, parameters->eventRecord.event, work);
    case cudaGraphNodeTypeMemAlloc:
        return allocation_work(call->runtime, &parameters->alloc.poolProps, parameters->alloc.bytesize,
                               &parameters->alloc.dptr, work);
    case cudaGraphNodeTypeMemFree:
        return release_work(call->runtime, graph, parameters->free.dptr, work);
    case cudaGraphNodeTypeConditional:
        return condition_prepare(call->runtime, &parameters->conditional, work);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return runtime_unsupported(call, "a graph node of this type");
    default:
        return cudaErrorInvalidValue;
    }
}

/* What the dependencies of a new node carry. It stays in its graph without data if that is wrong. */
static cudaError_t add_edges(cudaGraphNode_t node, const cudaGraphEdgeData *edges)
{
    for (size_t i = 0; i < node->dependency_count; i++)
        if (edges_check(node->dependencies[i], node, &edges[i]) != cudaSuccess)
            return cudaErrorInvalidValue;
    return edges_set(node, edges, node->dependency_count) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = parameters ? work_of(&call, graph, parameters, &work) : cudaErrorInvalidValue;
    if (call.error == cudaSuccess)
        call.error = add(&call, node, graph, dependencies, count, &work);
    if (call.error == cudaSuccess && work.kind == WORK_CONDITION)
        parameters->conditional.phGraph_out = (*node)->work.condition.bodies;
    if (call.error == cudaSuccess && is_moved(parameters))
        move_child(call.runtime, *node, work.graph);
    if (call.error == cudaSuccess && edges)
        call.error = add_edges(*node, edges);
    if (work.kind == WORK_KERNEL)
        work_release(&work);
    return call_end(&call);
}

cudaError_t node_add_words(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                           const cudaGraphEdgeData *edges, size_t dependency_count, const struct word_work *list,
                           unsigned count)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = words_work(call.runtime, list, count, &work);
    if (call.error == cudaSuccess)
        call.error = add(&call, node, graph, dependencies, dependency_count, &work);
    if (call.error == cudaSuccess && edges)
        call.error = add_edges(*node, edges);
    return call_end(&call);
}

/* ------------------------------------------------------------------ changing */

/* Stands for "in its graph", not in an executable one. A program may give NULL, by mistake. */
static struct CUgraphExec_st in_graph;
#define IN_GRAPH (&in_graph)

/* Which memory a copy has on each side, the host's or the device's: an executable graph keeps that. */
static bool same_side(struct runtime *runtime, const struct plane *old, const struct plane *fresh)
{
    enum copy_side was = copy_side(runtime, old->address), is = copy_side(runtime, fresh->address);

    return was == SIDE_MANAGED || is == SIDE_MANAGED || (was == SIDE_DEVICE) == (is == SIDE_DEVICE);
}

static bool same_sides(struct runtime *runtime, const struct work *old, const struct work *fresh)
{
    return old->kind != WORK_COPY || (same_side(runtime, &old->copy.target, &fresh->copy.target) &&
                                      same_side(runtime, &old->copy.source, &fresh->copy.source));
}

/* Whether the copy's rows lie side by side on that side: they are one then. */
static bool is_dense(const struct copy_work *copy, const struct plane *side)
{
    return (copy->height == 1 || side->pitch == copy->width) &&
           (copy->depth == 1 || side->slice == copy->width * copy->height);
}

/*
 * Whether an executable graph may change one into the other: as many rows as before, side by side. The manual says one
 * row; an H200 also takes several that lie so.
 */
static bool same_rows(const struct work *old, const struct work *fresh)
{
    if (old->kind == WORK_SET)
        return old->set.height == 1 && fresh->set.height == 1;
    return old->kind != WORK_COPY ||
           (old->copy.height == fresh->copy.height && old->copy.depth == fresh->copy.depth &&
            is_dense(&old->copy, &old->copy.target) && is_dense(&old->copy, &old->copy.source) &&
            is_dense(&fresh->copy, &fresh->copy.target) && is_dense(&fresh->copy, &fresh->copy.source));
}

/*
 * Gives the node new work of its kind: in its graph, or in `exec` if that is not IN_GRAPH. `call->error` is the error
 * from making `work`. The node then owns `work`, or this function releases it.
 */
static cudaError_t change_end(struct call *call, cudaGraphExec_t exec, cudaGraphNode_t node, struct work *work)
{
    if (call->error == cudaSuccess) {
        if (!handle_is(call->runtime, node, HANDLE_NODE) || node->work.kind != work->kind) {
            call->error = cudaErrorInvalidValue;
        } else if (exec != IN_GRAPH) {
            const struct exec_step *step = exec_step_of(call->runtime, exec, node);

            if (handle_is(call->runtime, exec, HANDLE_EXEC))
                queue_settle(call, exec);
            if (step && (!same_sides(call->runtime, &step->work, work) || !same_rows(&step->work, work)))
                call->error = cudaErrorInvalidValue;
            else
                call->error = exec_replace(call->runtime, exec, node, work);
        } else {
            work_release(&node->work);
            node->work = *work;
            *work = (struct work){ .kind = WORK_EMPTY };
        }
    }
    if (work->kind == WORK_KERNEL || work->kind == WORK_WORDS)
        work_release(work);
    return call_end(call);
}

cudaError_t node_set_words(cudaGraphExec_t exec, cudaGraphNode_t node, const struct word_work *list, unsigned count)
{
    struct work given, work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = words_work(call.runtime, list, count, &given);
    if (call.error == cudaSuccess && !work_clone(&given, &work)) {
        work = (struct work){ .kind = WORK_EMPTY };
        call.error = cudaErrorMemoryAllocation;
    }
    return change_end(&call, exec ? exec : IN_GRAPH, node, &work);
}

static cudaError_t change_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = kernel_work(call.runtime, parameters, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters)
{
    return change_kernel(IN_GRAPH, node, parameters);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *parameters)
{
    return change_kernel(exec, node, parameters);
}

static cudaError_t change_copy(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = copy_work(call.runtime, parameters, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *parameters)
{
    return change_copy(IN_GRAPH, node, parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *parameters)
{
    return change_copy(exec, node, parameters);
}

static cudaError_t change_flat(cudaGraphExec_t exec, cudaGraphNode_t node, void *target, const void *source,
                               size_t bytes, enum cudaMemcpyKind kind)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = flat_work(call.runtime, (uintptr_t)target, (uintptr_t)source, bytes, kind, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *target, const void *source, size_t bytes,
                                           enum cudaMemcpyKind kind)
{
    return change_flat(IN_GRAPH, node, target, source, bytes, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *target,
                                               const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
    return change_flat(exec, node, target, source, bytes, kind);
}

static cudaError_t change_symbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol, const void *other,
                                 size_t bytes, size_t offset, enum cudaMemcpyKind kind, bool to_symbol)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = symbol_work(call.runtime, symbol, other, bytes, offset, kind, to_symbol, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *source,
                                                 size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return change_symbol(IN_GRAPH, node, symbol, source, bytes, offset, kind, true);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *target, const void *symbol,
                                                   size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return change_symbol(IN_GRAPH, node, symbol, target, bytes, offset, kind, false);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *source, size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    return change_symbol(exec, node, symbol, source, bytes, offset, kind, true);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *target,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       enum cudaMemcpyKind kind)
{
    return change_symbol(exec, node, symbol, target, bytes, offset, kind, false);
}

static cudaError_t change_set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = set_work(call.runtime, parameters, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *parameters)
{
    return change_set(IN_GRAPH, node, parameters);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *parameters)
{
    return change_set(exec, node, parameters);
}

static cudaError_t change_host(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = host_work(parameters, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *parameters)
{
    return change_host(IN_GRAPH, node, parameters);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *parameters)
{
    return change_host(exec, node, parameters);
}

static cudaError_t change_event(cudaGraphExec_t exec, cudaGraphNode_t node, enum work_kind kind, cudaEvent_t event)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = event_work(call.runtime, kind, event, &work);
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return change_event(IN_GRAPH, node, WORK_RECORD, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return change_event(IN_GRAPH, node, WORK_WAIT, event);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    return change_event(exec, node, WORK_RECORD, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    return change_event(exec, node, WORK_WAIT, event);
}

/* Memory keeps its place. Child graphs have a call of their own. */
static bool may_change(enum cudaGraphNodeType type)
{
    return type != cudaGraphNodeTypeGraph && type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree;
}

static cudaError_t change_any(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
    struct work work = { .kind = WORK_EMPTY };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = parameters && may_change(parameters->type) ? work_of(&call, NULL, parameters, &work)
                                                                : cudaErrorInvalidValue;
    }
    return change_end(&call, exec, node, &work);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
    return change_any(IN_GRAPH, node, parameters);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parameters)
{
    return change_any(exec, node, parameters);
}

/* The new child must have the shape of the old one. */
static cudaError_t change_child(struct runtime *runtime, cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    struct exec_step *step = exec_step_of(runtime, exec, node);
    struct CUgraphExec_st *fresh;
    cudaError_t error;

    if (!step || !step->child || !handle_is(runtime, child, HANDLE_GRAPH) || child->count != step->child->count)
        return cudaErrorInvalidValue;
    error = exec_create(runtime, child, &fresh);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < fresh->count; i++) {
        if (fresh->steps[i].work.kind != step->child->steps[i].work.kind ||
            !fresh->steps[i].child != !step->child->steps[i].child) {
            exec_destroy(runtime, fresh);
            return cudaErrorInvalidValue;
        }
    }
    exec_destroy(runtime, step->child);
    step->child = fresh;
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, exec, HANDLE_EXEC))
            queue_settle(&call, exec);
        call.error = change_child(call.runtime, exec, node, child);
    }
    return call_end(&call);
}
