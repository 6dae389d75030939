/*
 * handle.c - the records behind the handles that programs hold. A handle is known from its creation to its destruction.
 * The end releases all of them.
 */
#include "runtime.h"
#include "user_object.h"

#include <stdlib.h>

bool handle_is(const struct runtime *runtime, const void *handle, enum handle_kind kind)
{
    return (uintptr_t)map_get(&runtime->handles, handle) == (uintptr_t)kind;
}

void *handle_create(struct runtime *runtime, size_t size, enum handle_kind kind)
{
    void *record = calloc(1, size);

    if (record && !map_put(&runtime->handles, record, (void *)(uintptr_t)kind)) {
        free(record);
        return NULL;
    }
    return record;
}

void handle_destroy(struct runtime *runtime, void *handle)
{
    map_remove(&runtime->handles, handle);
    free(handle);
}

static void release_uses(struct object_use *use)
{
    while (use) {
        struct object_use *next = use->next;

        free(use);
        use = next;
    }
}

/* A record that another record owns has its own handle. So each record frees only its parts without a handle. */
static void release_record(enum handle_kind kind, void *record)
{
    struct CUgraphExec_st *exec = record;
    struct CUgraphNode_st *node = record;

    if (kind == HANDLE_STREAM) {
        free(((struct CUstream_st *)record)->tail);
        free(((struct CUstream_st *)record)->tail_edges);
    } else if (kind == HANDLE_EVENT) {
        free(((struct CUevent_st *)record)->tail);
        clock_release(&((struct CUevent_st *)record)->clock);
    } else if (kind == HANDLE_NODE) {
        if (node->work.kind == WORK_KERNEL)
            free(node->work.kernel.parameters);
        if (node->work.kind == WORK_CONDITION)
            free(node->work.condition.bodies);
        free(node->dependencies);
        free(node->edges);
        free(node->arguments);
    } else if (kind == HANDLE_GRAPH) {
        release_uses(((struct CUgraph_st *)record)->objects);
    } else if (kind == HANDLE_EXEC) {
        for (size_t i = 0; i < exec->count; i++) {
            if (exec->steps[i].work.kind == WORK_KERNEL)
                free(exec->steps[i].work.kernel.parameters);
            free(exec->steps[i].bodies);
        }
        release_uses(exec->objects);
        free(exec->steps);
        free(exec->before);
    }
    free(record);
}

void handle_release_all(struct runtime *runtime)
{
    struct graph_capture *capture;

    while ((capture = runtime->captures) != NULL) {
        runtime->captures = capture->next;
        free(capture);
    }
    for (size_t i = 0; i < runtime->handles.capacity; i++) {
        const void *record = runtime->handles.keys[i];

        if (record && record != &runtime->pool &&
            (uintptr_t)runtime->handles.values[i] != HANDLE_MODULE) /* those went with the others */
            release_record((enum handle_kind)(uintptr_t)runtime->handles.values[i], (void *)(uintptr_t)record);
    }
    map_release(&runtime->handles);
}

struct CUstream_st *stream_of(struct call *call, cudaStream_t handle)
{
    if (handle == NULL || handle == cudaStreamLegacy)
        return &call->runtime->legacy;
    if (handle == cudaStreamPerThread)
        return &call->thread->stream;
    return handle_is(call->runtime, handle, HANDLE_STREAM) ? handle : NULL;
}

bool call_is_legacy(struct call *call, cudaStream_t handle)
{
    return stream_of(call, handle) == &call->runtime->legacy;
}
