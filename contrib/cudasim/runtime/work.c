/*
 * work.c - one piece of work in a stream. It enters the stream's queue, or the graph into which the stream is captured.
 * This file also runs it when its turn comes.
 */
#include "runtime.h"
#include "order.h"
#include "device_graph.h"
#include "shield.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/clock.h"

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
    error = exec_launch(call, exec, stream);
    exec_destroy(call->runtime, exec);
    return error;
}

cudaError_t exec_run(struct call *call, const struct CUgraphExec_st *exec, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    struct graph_run run;

    nodes_begin(call->runtime, exec, &run);
    for (size_t i = 0; i < exec->count && error == cudaSuccess; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->disabled)
            continue;
        nodes_step(call->runtime, &run, i);
        if (step->child)
            error = exec_run(call, step->child, stream);
        else
            error = step->bodies ? condition_run(call, step, stream) : work_run(call, &step->work, stream);
        nodes_step_over(call->runtime, &run, &step->work);
        if (call->runtime->sticky != cudaSuccess) /* the rest would not run on a device, either */
            break;
    }
    nodes_end(call->runtime, &run);
    return error;
}

/* ------------------------------------------------------------------ graphs that kernels launch */

/*
 * After a kernel. Graphs that are to run at once ("fire and forget") run now: nothing orders them and the rest of the
 * graph. Graphs of a tail launch run when the graph is over, and before whatever waits for it.
 */
static cudaError_t run_requests(struct call *call, cudaStream_t stream)
{
    struct runtime *runtime = call->runtime;
    struct graph_request *requests;
    size_t count = sim_graph_requests(runtime->sim, &requests);
    cudaError_t error = cudaSuccess;

    for (size_t n = 0; n < count && error == cudaSuccess && runtime->sticky == cudaSuccess; n++) {
        const struct CUgraphExec_st *exec = device_graph_of(runtime, requests[n].graph);

        if (!exec || !runtime->graph_launch)
            continue;
        if (requests[n].kind == GRAPH_TAIL)
            error = device_graph_add_tail(runtime->graph_launch, requests[n].graph);
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
        error = device_graph_add_tail(&own, rest->tails[n]);
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
        exec = device_graph_of(call->runtime, rest.tails[0]);
        memmove(rest.tails, rest.tails + 1, --rest.tail_count * sizeof *rest.tails);
        if (exec)
            error = run_one(call, exec, stream, &rest);
    }
    free(rest.tails);
    return error;
}

/* ------------------------------------------------------------------ the run */

/* The words of a graph's node, one after the other. */
static cudaError_t run_words(struct call *call, const struct work *work)
{
    cudaError_t error = cudaSuccess;

    for (unsigned i = 0; i < work->words.count && error == cudaSuccess; i++) {
        const struct word_work *word = &work->words.list[i];

        shield_lower(call->runtime);
        if (word->waits)
            queue_run_until(call, word);
        else if (word->bytes)
            error = word_run(call->runtime, word);
    }
    return error;
}

/* A piece of work that was submitted earlier may end later, in another queue: its time stands. */
static void event_stamp(struct CUevent_st *event, uint64_t task)
{
    if (event && event->shared)
        __atomic_fetch_add(&event->shared->done, 1, __ATOMIC_RELEASE);
    if (!event || task < event->stamped)
        return;
    event->stamped = task;
    event->time = sim_clock_ns();
}

cudaError_t work_run(struct call *call, const struct work *work, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    switch (work->kind) {
    case WORK_KERNEL:
        error = launch_run(call, &work->kernel, stream);
        device_graph_change(call->runtime);
        return error == cudaSuccess ? run_requests(call, stream) : error;
    case WORK_COPY:
        error = copy_check(call->runtime, &work->copy, work->call);
        return error == cudaSuccess ? copy_run(call->runtime, &work->copy, work->call) : error;
    case WORK_SET:
        error = set_check(call->runtime, &work->set, work->call);
        return error == cudaSuccess ? set_run(call->runtime, &work->set) : error;
    case WORK_WORD:
        return word_run(call->runtime, &work->word);
    case WORK_WORDS:
        return run_words(call, work);
    case WORK_HOST:
        return run_host(call, &work->host, stream);
    case WORK_EXEC:
        return exec_launch(call, work->exec, stream);
    case WORK_FREE:
        return allocation_release(call->runtime, (void *)(uintptr_t)work->memory.address, work->call);
    case WORK_GRAPH:
        return run_graph(call, work->graph, stream);
    case WORK_RECORD:
        event_stamp(work->event, call->task);
        return cudaSuccess;
    case WORK_CONDITION: /* exec_run() runs them */
    case WORK_EMPTY:
    case WORK_TAKE:
    case WORK_WAIT:     /* what it waits for is over: it was put behind that */
        return cudaSuccess;
    case WORK_ALLOCATE: /* a graph's memory keeps its address as long as the graph lives */
    case WORK_RELEASE:
        memory_away(sim_memory(call->runtime->sim), work->memory.address, work->kind == WORK_RELEASE);
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

/* ------------------------------------------------------------------ submission */

static bool has_suffix(const char *text, const char *suffix)
{
    size_t length = strlen(text), end = strlen(suffix);

    return length >= end && strcmp(text + length - end, suffix) == 0;
}

/*
 * The host waits for copies to pageable memory. For those without "Async" it waits unless both sides are the device's.
 * From pageable memory to the device a copy with "Async" takes the bytes now, and writes them when its turn comes.
 */
static cudaError_t submit_copy(struct call *call, const struct work *work, struct CUstream_st *stream,
                               cudaStream_t handle)
{
    enum copy_side target = copy_side(call->runtime, work->copy.target.address);
    enum copy_side source = copy_side(call->runtime, work->copy.source.address);
    bool async = has_suffix(work->call, "Async"), waits = target == SIDE_PAGEABLE;
    struct work staged = *work;
    struct task *task = NULL;
    void *buffer = NULL;
    cudaError_t error = copy_check(call->runtime, &work->copy, work->call);

    if (error != cudaSuccess)
        return error;
    if (!async)
        waits |= target != SIDE_DEVICE || source != SIDE_DEVICE;
    else if (source == SIDE_PAGEABLE && target != SIDE_DEVICE && target != SIDE_MANAGED)
        waits = true;
    if (!waits && source == SIDE_PAGEABLE && !(buffer = copy_stage(&staged.copy)))
        waits = true;
    error = queue_submit(call, &staged, stream, handle, &task);
    if (error != cudaSuccess)
        free(buffer);
    else
        task->staged = buffer;
    return error == cudaSuccess && waits ? queue_wait_task(call, task) : error;
}

/* The device runs sets alone. If the host may read the memory, and the call is not "Async", this waits for the end. */
static cudaError_t submit_set(struct call *call, const struct work *work, struct CUstream_st *stream,
                              cudaStream_t handle)
{
    bool waits = !has_suffix(work->call, "Async") &&
                 copy_side(call->runtime, work->set.target.address) != SIDE_DEVICE;
    struct task *task = NULL;
    cudaError_t error = set_check(call->runtime, &work->set, work->call);

    if (error == cudaSuccess)
        error = queue_submit(call, work, stream, handle, &task);
    return error == cudaSuccess && waits ? queue_wait_task(call, task) : error;
}

cudaError_t work_submit(struct call *call, const struct work *work, cudaStream_t handle)
{
    struct CUstream_st *stream = stream_of(call, handle);
    cudaError_t error = cudaSuccess;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (work->kind == WORK_WORD)
        error = word_check(call->runtime, &work->word);
    if (error != cudaSuccess)
        return error;
    if (work->kind == WORK_WORD && stream->capture) {
        struct word_work word = work->word;

        return capture_add(call, stream, &(struct work){ .kind = WORK_WORDS, .call = work->call,
                                                         .words = { &word, 1 } });
    }
    if (stream->capture) {
        if (work->kind == WORK_COPY) /* and memsets are not looked at before they run */
            error = copy_check(call->runtime, &work->copy, work->call);
        return error == cudaSuccess ? capture_add(call, stream, work) : error;
    }
    if (stream->legacy)
        error = capture_permits_legacy(call->runtime);
    if (error != cudaSuccess)
        return error;
    if (work->kind == WORK_WAIT)
        return queue_follow(call, stream, work->event);
    if (work->kind == WORK_COPY)
        return submit_copy(call, work, stream, handle);
    if (work->kind == WORK_SET)
        return submit_set(call, work, stream, handle);
    return queue_submit(call, work, stream, handle, NULL);
}
