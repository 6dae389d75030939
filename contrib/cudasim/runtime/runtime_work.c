/*
 * runtime_work.c - one piece of work in a stream: run at once, or kept in the graph that its stream is captured into.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

struct host_call {
    const struct host_work *host;
    cudaStream_t stream;
};

static void call_callback(void *data)
{
    const struct host_call *host_call = data;

    host_call->host->callback(host_call->stream, cudaSuccess, host_call->host->data);
}

static cudaError_t run_host(struct call *call, const struct host_work *host, cudaStream_t stream)
{
    struct host_call host_call = { host, stream };

    if (host->function)
        call_host(call, host->function, host->data);
    else
        call_host(call, call_callback, &host_call);
    return cudaSuccess;
}

static cudaError_t run_graph(struct call *call, struct CUgraph_st *graph, cudaStream_t stream)
{
    struct CUgraphExec_st *exec = NULL;
    cudaError_t error = exec_create(call->runtime, graph, &exec);

    if (error != cudaSuccess)
        return error;
    error = exec_run(call, exec, stream);
    exec_destroy(call->runtime, exec);
    return error;
}

cudaError_t work_run(struct call *call, const struct work *work, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    switch (work->kind) {
    case WORK_KERNEL:
        return launch_run(call->runtime, &work->kernel, stream);
    case WORK_COPY:
        error = copy_check(call->runtime, &work->copy, work->call);
        return error == cudaSuccess ? copy_run(call->runtime, &work->copy, work->call) : error;
    case WORK_SET:
        error = set_check(call->runtime, &work->set, work->call);
        return error == cudaSuccess ? set_run(call->runtime, &work->set) : error;
    case WORK_HOST:
        return run_host(call, &work->host, stream);
    case WORK_GRAPH:
        return run_graph(call, work->graph, stream);
    case WORK_RECORD:
        event_stamp(work->event);
        return cudaSuccess;
    case WORK_EMPTY:
    case WORK_WAIT:     /* what it waits for is over */
    case WORK_ALLOCATE: /* a graph's memory keeps its address as long as the graph lives */
    case WORK_RELEASE:
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

cudaError_t work_submit(struct call *call, const struct work *work, cudaStream_t handle)
{
    struct CUstream_st *stream = stream_of(call, handle);
    cudaError_t error = cudaSuccess;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
        if (work->kind == WORK_COPY) /* and memsets are not looked at before they run */
            error = copy_check(call->runtime, &work->copy, work->call);
        return error == cudaSuccess ? capture_add(call, stream, work) : error;
    }
    if (stream->legacy)
        error = capture_permits_legacy(call->runtime);
    return error == cudaSuccess ? work_run(call, work, handle) : error;
}

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
    if (work->kind == WORK_GRAPH) {
        clone->graph = runtime ? graph_clone(runtime, work->graph) : NULL;
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
    if (work->kind == WORK_GRAPH && work->graph && runtime) {
        graph_destroy(runtime, work->graph);
        work->graph = NULL;
    }
}
