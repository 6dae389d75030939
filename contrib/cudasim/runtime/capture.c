/*
 * capture.c - captures streams into graphs: which streams take part, what each node depends on, and what a capture in
 * progress forbids. The error codes are those of an H100's runtime. A call that breaks the rules also makes the capture
 * invalid, so ending the capture fails. runtime.c, in the frame of every call, checks the rules for calls like
 * cudaMalloc.
 */
#include "runtime.h"
#include "graph_edge.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what is forbidden */

struct graph_capture *capture_by_id(const struct runtime *runtime, uint64_t id)
{
    struct graph_capture *capture = runtime->captures;

    while (capture && capture->id != id)
        capture = capture->next;
    return capture;
}

cudaError_t capture_permits_legacy(struct runtime *runtime)
{
    cudaError_t error = cudaSuccess;

    for (struct graph_capture *capture = runtime->captures; capture; capture = capture->next) {
        for (const struct CUstream_st *stream = capture->streams; stream; stream = stream->next) {
            if (!(stream->flags & cudaStreamNonBlocking)) {
                capture->invalid = true;
                error = cudaErrorStreamCaptureImplicit;
            }
        }
    }
    return error;
}

cudaError_t capture_permits_wait(struct call *call, const struct CUstream_st *stream)
{
    if (stream && stream->legacy)
        return capture_permits_legacy(call->runtime);
    if (stream && !stream->capture)
        return cudaSuccess;
    for (struct graph_capture *capture = call->runtime->captures; capture; capture = capture->next) {
        if (!stream || stream->capture == capture) {
            capture->invalid = true;
            call->error = cudaErrorStreamCaptureUnsupported;
        }
    }
    return call->error;
}

/* ------------------------------------------------------------------ streams in a capture */

bool stream_set_tail(struct CUstream_st *stream, struct CUgraphNode_st *const *nodes, size_t count)
{
    struct CUgraphNode_st **tail = count ? malloc(count * sizeof *tail) : NULL;

    if (count && !tail)
        return false;
    if (count)
        memcpy(tail, nodes, count * sizeof *tail);
    free(stream->tail);
    free(stream->tail_edges);
    stream->tail = tail;
    stream->tail_edges = NULL;
    stream->tail_count = count;
    return true;
}

bool stream_set_edges(struct CUstream_st *stream, const cudaGraphEdgeData *edges, size_t count)
{
    if (!stream->tail_edges)
        stream->tail_edges = calloc(stream->tail_count + 1, sizeof *stream->tail_edges);
    if (!stream->tail_edges)
        return false;
    if (edges && count)
        memcpy(stream->tail_edges + stream->tail_count - count, edges, count * sizeof *edges);
    return true;
}

/* The next work of the stream depends on these, too. */
bool stream_extend_tail(struct CUstream_st *stream, struct CUgraphNode_st *const *nodes, size_t count)
{
    size_t most = stream->tail_count + count + 1;
    struct CUgraphNode_st **tail = realloc(stream->tail, most * sizeof *tail);
    cudaGraphEdgeData *edges = tail && stream->tail_edges ? realloc(stream->tail_edges, most * sizeof *edges) : NULL;

    if (!tail)
        return false;
    stream->tail = tail;
    if (!edges && stream->tail_edges)
        return false;
    if (edges)
        memset(edges + stream->tail_count, 0, (count + 1) * sizeof *edges);
    stream->tail_edges = edges;
    for (size_t i = 0; i < count; i++) {
        bool known = false;

        for (size_t j = 0; j < stream->tail_count; j++)
            known = known || tail[j] == nodes[i];
        if (!known)
            tail[stream->tail_count++] = nodes[i];
    }
    return true;
}

static void join(struct graph_capture *capture, struct CUstream_st *stream)
{
    stream->capture = capture;
    stream->next = capture->streams;
    capture->streams = stream;
}

static void leave(struct CUstream_st *stream)
{
    free(stream->tail);
    free(stream->tail_edges);
    stream->tail = NULL;
    stream->tail_edges = NULL;
    stream->tail_count = 0;
    stream->capture = NULL;
    stream->next = NULL;
}

static void unlink_capture(struct runtime *runtime, struct graph_capture *capture)
{
    struct graph_capture **link = &runtime->captures;

    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
}

/* Ends the capture, valid or not. The caller owns the graph. */
static void dissolve(struct runtime *runtime, struct graph_capture *capture)
{
    struct CUstream_st *stream;

    while ((stream = capture->streams) != NULL) {
        capture->streams = stream->next;
        leave(stream);
    }
    unlink_capture(runtime, capture);
    free(capture->left);
    free(capture);
}

/* What ends a stream that is destroyed must still be joined before the capture ends. */
static void keep_tail(struct graph_capture *capture, const struct CUstream_st *stream)
{
    size_t count = capture->left_count + stream->tail_count;
    struct CUgraphNode_st **left = realloc(capture->left, (count + 1) * sizeof *left);

    if (!left) {
        capture->invalid = true;
        return;
    }
    capture->left = left;
    for (size_t i = 0; i < stream->tail_count; i++)
        left[capture->left_count++] = stream->tail[i];
}

void capture_forget(struct runtime *runtime, struct CUstream_st *stream)
{
    struct graph_capture *capture = stream->capture;
    struct CUstream_st **link;

    if (!capture)
        return;
    if (capture->origin == stream) {
        if (capture->own_graph)
            graph_destroy(runtime, capture->graph);
        dissolve(runtime, capture);
        return;
    }
    keep_tail(capture, stream);
    for (link = &capture->streams; *link != stream; link = &(*link)->next)
        ;
    *link = stream->next;
    leave(stream);
}

/* The data of a captured node's edges: what the program gave, or what its attribute says. False: no memory. */
static bool set_edges(const struct CUstream_st *stream, struct CUgraphNode_st *node)
{
    bool programmatic = node->work.kind == WORK_KERNEL && node->work.kernel.programmatic;

    if (!edges_set(node, stream->tail_edges, node->dependency_count))
        return false;
    for (size_t i = 0; node->edges && i < node->dependency_count; i++) /* other nodes wait for the whole kernel */
        if (edges_check(node->dependencies[i], node, &node->edges[i]) != cudaSuccess)
            node->edges[i] = (cudaGraphEdgeData){ 0 };
    for (size_t i = 0; programmatic && i < node->dependency_count; i++) {
        if (node->dependencies[i]->work.kind != WORK_KERNEL)
            continue;
        if (!node->edges && !(node->edges = calloc(node->dependency_count, sizeof *node->edges)))
            return false;
        node->edges[i].from_port = cudaGraphKernelNodePortProgrammatic;
        node->edges[i].type = cudaGraphDependencyTypeProgrammatic;
    }
    return true;
}

cudaError_t capture_add(struct call *call, struct CUstream_st *stream, const struct work *work)
{
    struct graph_capture *capture = stream->capture;
    struct CUgraphNode_st *node;

    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    node = graph_add(call->runtime, capture->graph, work, stream->tail, stream->tail_count);
    if (!node || !set_edges(stream, node) || !stream_set_tail(stream, &node, 1)) {
        capture->invalid = true;
        return cudaErrorMemoryAllocation;
    }
    if (work->kind == WORK_KERNEL && !work->kernel.priority_given)
        node->work.kernel.priority = stream->priority;
    return cudaSuccess;
}

cudaError_t capture_record(struct CUstream_st *stream, struct CUevent_st *event)
{
    struct CUgraphNode_st **tail = NULL;

    if (stream->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (stream->tail_count) {
        tail = malloc(stream->tail_count * sizeof *tail);
        if (!tail)
            return cudaErrorMemoryAllocation;
        memcpy(tail, stream->tail, stream->tail_count * sizeof *tail);
    }
    free(event->tail);
    event->tail = tail;
    event->tail_count = stream->tail_count;
    event->edge = (cudaGraphEdgeData){ 0 };
    event->capture_id = stream->capture->id;
    event->recorded = true;
    return cudaSuccess;
}

/* The stream's next work depends on what the event stands for. False: no memory. */
static bool wait_behind(struct CUstream_st *stream, const struct CUevent_st *event)
{
    size_t before = stream->tail_count;

    if (!stream_extend_tail(stream, event->tail, event->tail_count))
        return false;
    return edge_is_plain(&event->edge) || stream->tail_count == before || stream_set_edges(stream, &event->edge, 1);
}

cudaError_t capture_wait(struct runtime *runtime, struct CUstream_st *stream, struct CUevent_st *event)
{
    struct graph_capture *capture;

    if (!event->capture_id) {
        /* An event outside of the capture cannot be a dependency. An event never recorded is no dependency. */
        if (!stream->capture || !event->recorded)
            return cudaSuccess;
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    capture = capture_by_id(runtime, event->capture_id);
    if (!capture)
        return cudaErrorInvalidValue;
    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (stream->legacy) {
        capture->invalid = true;
        return cudaErrorStreamCaptureImplicit;
    }
    if (stream->capture && stream->capture != capture) {
        capture->invalid = stream->capture->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (!stream->capture)
        join(capture, stream);
    return wait_behind(stream, event) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ------------------------------------------------------------------ beginning and end */

cudaError_t capture_begin(struct call *call, struct CUstream_st *stream, struct CUgraph_st *graph,
                          const cudaGraphNode_t *dependencies, size_t count, enum cudaStreamCaptureMode mode)
{
    struct graph_capture *capture;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if ((unsigned)mode > (unsigned)cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (stream->legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return cudaErrorIllegalState;
    capture = calloc(1, sizeof *capture);
    if (!capture)
        return cudaErrorMemoryAllocation;
    *capture = (struct graph_capture){ .graph = graph, .own_graph = !graph, .origin = stream, .mode = mode,
                                       .thread = call->thread, .id = call->runtime->next_id++,
                                       .forget = capture_forget };
    if (!graph)
        capture->graph = graph_create(call->runtime);
    if (!capture->graph || !stream_set_tail(stream, dependencies, count)) {
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    join(capture, stream);
    capture->next = call->runtime->captures;
    call->runtime->captures = capture;
    return cudaSuccess;
}

/* Whether the origin's next work, or a node of the graph, depends on this one. */
static bool is_used(const struct graph_capture *capture, const struct CUgraphNode_st *last)
{
    for (size_t i = 0; i < capture->origin->tail_count; i++)
        if (capture->origin->tail[i] == last)
            return true;
    for (const struct CUgraphNode_st *node = capture->graph->nodes; node; node = node->next)
        for (size_t i = 0; i < node->dependency_count; i++)
            if (node->dependencies[i] == last)
                return true;
    return false;
}

/* Whether the work of all other streams flows back into the stream where the capture began. */
static bool is_joined(const struct graph_capture *capture)
{
    for (const struct CUstream_st *stream = capture->streams; stream; stream = stream->next)
        for (size_t i = 0; stream != capture->origin && i < stream->tail_count; i++)
            if (!is_used(capture, stream->tail[i]))
                return false;
    for (size_t i = 0; i < capture->left_count; i++)
        if (!is_used(capture, capture->left[i]))
            return false;
    return true;
}

cudaError_t capture_end(struct call *call, struct CUstream_st *stream, struct CUgraph_st **graph)
{
    struct graph_capture *capture = stream ? stream->capture : NULL;
    cudaError_t error = cudaSuccess;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!capture)
        return cudaErrorIllegalState;
    if (!graph && capture->own_graph) /* who gave the graph has it */
        return cudaErrorInvalidValue;
    if (graph)
        *graph = NULL;
    if (capture->origin != stream) {
        capture->invalid = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    if (capture->thread != call->thread && capture->mode != cudaStreamCaptureModeRelaxed)
        return cudaErrorStreamCaptureWrongThread;
    if (capture->invalid)
        error = cudaErrorStreamCaptureInvalidated;
    else if (!is_joined(capture))
        error = cudaErrorStreamCaptureUnjoined;
    if (error == cudaSuccess && graph)
        *graph = capture->graph;
    else if (error != cudaSuccess && capture->own_graph)
        graph_destroy(call->runtime, capture->graph);
    dissolve(call->runtime, capture);
    return error;
}
