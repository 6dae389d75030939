/*
 * work.c - one piece of work in a stream: run at once, or kept in the graph that its stream is captured into.
 */
#include "runtime.h"

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

cudaError_t exec_run(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < exec->count && error == cudaSuccess; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->disabled)
            continue;
        error = step->child ? exec_run(call, step->child, stream) : work_run(call, &step->work, stream);
        if (call->runtime->sticky != cudaSuccess) /* the rest would not run on a device, either */
            break;
    }
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
