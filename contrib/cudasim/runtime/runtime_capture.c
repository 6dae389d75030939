/*
 * runtime_capture.c - the calls that begin, end and query the capture of a stream.
 */
#include "runtime.h"
#include "graph_edge.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = capture_begin(&call, stream_of(&call, stream), NULL, NULL, 0, mode);
    return call_end(&call);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *record = stream_of(&call, stream);

        if (!handle_is(call.runtime, graph, HANDLE_GRAPH) || (count && !dependencies))
            call.error = cudaErrorInvalidValue;
        else
            call.error = capture_begin(&call, record, graph, dependencies, count, mode);
        if (call.error == cudaSuccess && edges && !stream_set_edges(record, edges, count))
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = capture_end(&call, stream_of(&call, stream), graph);
    return call_end(&call);
}

static enum cudaStreamCaptureStatus status_of(const struct CUstream_st *stream)
{
    if (!stream->capture)
        return cudaStreamCaptureStatusNone;
    return stream->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

static cudaError_t check_status_asked(struct runtime *runtime, const struct CUstream_st *stream, const void *status)
{
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!status)
        return cudaErrorInvalidValue;
    /* Only asked for, so the captures stay valid. */
    for (const struct graph_capture *capture = runtime->captures; stream->legacy && capture; capture = capture->next)
        for (const struct CUstream_st *other = capture->streams; other; other = other->next)
            if (!(other->flags & cudaStreamNonBlocking))
                return cudaErrorStreamCaptureImplicit;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUstream_st *record = stream_of(&call, stream);

        call.error = check_status_asked(call.runtime, record, status);
        if (call.error == cudaSuccess)
            *status = status_of(record);
    }
    return call_end(&call);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *record = stream_of(&call, stream);

        call.error = check_status_asked(call.runtime, record, status);
        if (call.error == cudaSuccess)
            *status = status_of(record);
        if (call.error == cudaSuccess && *status == cudaStreamCaptureStatusActive && !edges && dependencies)
            for (size_t i = 0; record->tail_edges && i < record->tail_count; i++)
                if (!edge_is_plain(&record->tail_edges[i]))
                    call.error = cudaErrorLossyQuery;
        if (call.error == cudaSuccess && *status == cudaStreamCaptureStatusActive) {
            if (id)
                *id = record->capture->id;
            if (graph)
                *graph = record->capture->graph;
            if (dependencies)
                *dependencies = record->tail;
            if (edges)
                *edges = stream_set_edges(record, NULL, 0) ? record->tail_edges : NULL;
            if (count)
                *count = record->tail_count;
        }
    }
    return call_end(&call);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edges, size_t count, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *record = stream_of(&call, stream);
        bool done = false;

        if (!record)
            call.error = cudaErrorInvalidResourceHandle;
        else if (!record->capture)
            call.error = cudaErrorIllegalState;
        else if ((count && !dependencies) || flags > cudaStreamSetCaptureDependencies)
            call.error = cudaErrorInvalidValue;
        else
            done = flags == cudaStreamSetCaptureDependencies ? stream_set_tail(record, dependencies, count)
                                                              : stream_extend_tail(record, dependencies, count);
        if (call.error == cudaSuccess && done && edges)
            done = stream_set_edges(record, edges, count < record->tail_count ? count : record->tail_count);
        if (call.error == cudaSuccess && !done)
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    struct call call;

    if (call_begin(&call, CALL_ANY)) {
        if (!mode) {
            call.error = cudaErrorInvalidValue; /* an H200 takes any number */
        } else {
            enum cudaStreamCaptureMode old = call.thread->capture_mode;

            call.thread->capture_mode = *mode;
            *mode = old;
        }
    }
    return call_end(&call);
}
