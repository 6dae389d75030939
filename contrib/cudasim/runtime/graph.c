/*
 * graph.c - graphs as lists of work with dependencies: it creates, copies, destroys and orders them.
 *
 * An instantiated graph holds the work of its nodes in an order that their dependencies allow. work.c runs the work in
 * that order.
 */
#include "runtime.h"
#include "graph_memory.h"
#include "graph_edge.h"
#include "order.h"
#include "user_object.h"

#include <stdlib.h>
#include <string.h>

bool work_clone(const struct work *work, struct work *clone)
{
    struct runtime *runtime = runtime_get();

    *clone = *work;
    if (work->kind == WORK_KERNEL && work->kernel.parameters) {
        clone->kernel.parameters = malloc(work->kernel.parameter_bytes);
        if (!clone->kernel.parameters)
            return false;
        memcpy(clone->kernel.parameters, work->kernel.parameters, work->kernel.parameter_bytes);
    }
    if (work->kind == WORK_WORDS) {
        clone->words.list = malloc((work->words.count + 1) * sizeof *clone->words.list);
        if (!clone->words.list)
            return false;
        memcpy(clone->words.list, work->words.list, work->words.count * sizeof *clone->words.list);
    }
    if (work->kind == WORK_ALLOCATE && runtime)
        graph_memory_keep(runtime, work->memory.address);
    if (work->kind == WORK_CONDITION)
        return runtime && condition_clone(runtime, &work->condition, &clone->condition);
    if (work->kind == WORK_GRAPH) {
        clone->graph = runtime ? graph_clone(runtime, work->graph) : NULL;
        if (clone->graph)
            clone->graph->of_node = clone->graph->child = true;
        return clone->graph;
    }
    return true;
}

void work_release(struct work *work)
{
    struct runtime *runtime = runtime_get();

    if (work->kind == WORK_KERNEL) {
        free(work->kernel.parameters);
        work->kernel.parameters = NULL;
    }
    if (work->kind == WORK_WORDS) {
        free(work->words.list);
        work->words.list = NULL;
    }
    if (work->kind == WORK_ALLOCATE && runtime)
        graph_memory_drop(runtime, work->memory.address);
    if (work->kind == WORK_CONDITION && runtime)
        condition_release(runtime, &work->condition);
    if (work->kind == WORK_GRAPH && work->graph && runtime) {
        graph_destroy(runtime, work->graph);
        work->graph = NULL;
    }
}

/* ------------------------------------------------------------------ graphs */

struct CUgraph_st *graph_create(struct runtime *runtime)
{
    struct CUgraph_st *graph = handle_create(runtime, sizeof *graph, HANDLE_GRAPH);

    if (graph)
        graph->end = &graph->nodes;
    return graph;
}

void graph_release_node(struct runtime *runtime, struct CUgraphNode_st *node)
{
    work_release(&node->work);
    free(node->dependencies);
    free(node->edges);
    free(node->arguments);
    handle_destroy(runtime, node);
}

void graph_destroy(struct runtime *runtime, struct CUgraph_st *graph)
{
    struct CUgraphNode_st *node;

    while ((node = graph->nodes) != NULL) {
        graph->nodes = node->next;
        graph_release_node(runtime, node);
    }
    object_uses_drop(runtime, &graph->objects);
    handle_destroy(runtime, graph);
}

struct CUgraphNode_st *graph_add(struct runtime *runtime, struct CUgraph_st *graph, const struct work *work,
                                 struct CUgraphNode_st *const *dependencies, size_t dependency_count)
{
    struct CUgraphNode_st *node = handle_create(runtime, sizeof *node, HANDLE_NODE);

    if (!node)
        return NULL;
    node->graph = graph;
    node->work.kind = WORK_EMPTY;
    runtime->event_nodes |= work->kind == WORK_RECORD || work->kind == WORK_WAIT;
    if (dependency_count) {
        node->dependencies = malloc(dependency_count * sizeof *node->dependencies);
        if (!node->dependencies)
            goto failed;
        memcpy(node->dependencies, dependencies, dependency_count * sizeof *node->dependencies);
        node->dependency_count = dependency_count;
    }
    if (!work_clone(work, &node->work))
        goto failed;
    *graph->end = node;
    graph->end = &node->next;
    graph->count++;
    return node;
failed:
    node->work.kind = WORK_EMPTY;
    graph_release_node(runtime, node);
    return NULL;
}

/* The node of `clone` that was made from `node`. */
struct CUgraphNode_st *graph_in_clone(const struct CUgraph_st *clone, const struct CUgraphNode_st *node)
{
    struct CUgraphNode_st *found = clone->nodes;

    while (found && found->clone_of != node)
        found = found->next;
    return found;
}

struct CUgraph_st *graph_clone(struct runtime *runtime, const struct CUgraph_st *graph)
{
    struct CUgraph_st *clone = graph_create(runtime);
    struct CUgraphNode_st *copy;

    if (!clone)
        return NULL;
    if (!object_uses_copy(graph->objects, &clone->objects)) {
        graph_destroy(runtime, clone);
        return NULL;
    }
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        copy = graph_add(runtime, clone, &node->work, node->dependencies, node->dependency_count);
        if (!copy || !edges_set(copy, node->edges, node->dependency_count)) {
            graph_destroy(runtime, clone);
            return NULL;
        }
        copy->clone_of = (struct CUgraphNode_st *)(uintptr_t)node;
    }
    /* Dependencies may point ahead, so they are translated last. */
    for (copy = clone->nodes; copy; copy = copy->next)
        for (size_t i = 0; i < copy->dependency_count; i++)
            copy->dependencies[i] = graph_in_clone(clone, copy->dependencies[i]);
    return clone;
}

/* ------------------------------------------------------------------ instantiation */

static bool is_ready(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->dependency_count; i++)
        if (node->dependencies[i]->mark == 0)
            return false;
    return true;
}

/* Marks the nodes with their places; false if dependencies form a ring. One pass, unless some point ahead. */
bool graph_put_in_order(struct CUgraph_st *graph)
{
    size_t done = 0, before;

    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
        node->mark = 0;
    do {
        before = done;
        for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
            if (node->mark == 0 && is_ready(node))
                node->mark = ++done;
    } while (done < graph->count && done > before);
    return done == graph->count;
}

cudaError_t exec_create(struct runtime *runtime, struct CUgraph_st *graph, struct CUgraphExec_st **result)
{
    struct CUgraphExec_st *exec;

    if (!graph_put_in_order(graph))
        return cudaErrorInvalidValue;
    exec = handle_create(runtime, sizeof *exec, HANDLE_EXEC);
    if (!exec)
        return cudaErrorMemoryAllocation;
    exec->count = graph->count;
    exec->steps = calloc(graph->count + 1, sizeof *exec->steps);
    if (!exec->steps || !object_uses_copy(graph->objects, &exec->objects))
        goto failed;
    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        struct exec_step *step = &exec->steps[node->mark - 1];

        step->node = node;
        if (node->work.kind == WORK_GRAPH) {
            /* The child is instantiated with its parent, not at each launch. */
            if (exec_create(runtime, node->work.graph, &step->child) != cudaSuccess)
                goto failed;
        } else if (node->work.kind == WORK_CONDITION) {
            if (condition_instantiate(runtime, &node->work.condition, step) != cudaSuccess)
                goto failed;
        } else if (!work_clone(&node->work, &step->work)) {
            step->work.kind = WORK_EMPTY;
            goto failed;
        }
    }
    nodes_instantiated(exec);
    *result = exec;
    return cudaSuccess;
failed:
    exec_destroy(runtime, exec);
    return cudaErrorMemoryAllocation;
}

void exec_destroy(struct runtime *runtime, struct CUgraphExec_st *exec)
{
    for (size_t i = 0; exec->steps && i < exec->count; i++) {
        condition_end(runtime, &exec->steps[i]);
        work_release(&exec->steps[i].work);
        if (exec->steps[i].child)
            exec_destroy(runtime, exec->steps[i].child);
    }
    if (exec->flags & cudaGraphInstantiateFlagDeviceLaunch)
        sim_graph_forbid(runtime->sim, (uintptr_t)exec);
    object_uses_drop(runtime, &exec->objects);
    free(exec->before);
    free(exec->steps);
    handle_destroy(runtime, exec);
}

static void forget_in(struct work *work, const struct CUevent_st *event)
{
    if ((work->kind == WORK_RECORD || work->kind == WORK_WAIT) && work->event == event)
        work->event = NULL;
}

void graphs_forget_event(struct runtime *runtime, const struct CUevent_st *event)
{
    for (size_t n = 0; runtime->event_nodes && n < runtime->handles.capacity; n++) {
        void *record = (void *)(uintptr_t)runtime->handles.keys[n];
        struct CUgraphExec_st *exec = record;

        if (!record)
            continue;
        if (handle_is(runtime, record, HANDLE_NODE))
            forget_in(&((struct CUgraphNode_st *)record)->work, event);
        for (size_t i = 0; handle_is(runtime, record, HANDLE_EXEC) && i < exec->count; i++)
            forget_in(&exec->steps[i].work, event);
    }
}

bool exec_lacks_event(const struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->child ? exec_lacks_event(step->child)
                        : (step->work.kind == WORK_RECORD || step->work.kind == WORK_WAIT) && !step->work.event)
            return true;
    }
    return false;
}

struct exec_step *exec_step_of(struct runtime *runtime, struct CUgraphExec_st *exec,
                               const struct CUgraphNode_st *node)
{
    for (size_t i = 0; handle_is(runtime, exec, HANDLE_EXEC) && i < exec->count; i++) {
        struct exec_step *inner = NULL;

        if (exec->steps[i].node == node)
            return &exec->steps[i];
        if (exec->steps[i].child) /* a node of a child graph may be named as well */
            inner = exec_step_of(runtime, exec->steps[i].child, node);
        if (inner)
            return inner;
    }
    return NULL;
}

cudaError_t exec_replace(struct runtime *runtime, struct CUgraphExec_st *exec, const struct CUgraphNode_st *node,
                         struct work *work)
{
    struct exec_step *step = exec_step_of(runtime, exec, node);

    if (!step || step->child || step->work.kind != work->kind)
        return cudaErrorInvalidValue;
    work_release(&step->work);
    step->work = *work;
    *work = (struct work){ .kind = WORK_EMPTY };
    return cudaSuccess;
}
