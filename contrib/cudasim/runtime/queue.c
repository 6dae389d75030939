/*
 * queue.c - the queues of streams. Work enters a queue, and runs when something waits for it.
 *
 * All unfinished work is one list in the order of submission. Each piece carries a clock: for every queue, the newest
 * piece that comes before it by CUDA's rules (its own stream, the legacy stream, events). Every wait waits for a clock.
 * Work depends only on earlier work. So a wait runs the pieces that its clock covers from first to last, and leaves the
 * others pending. If a program forgets to wait, it sees old bytes, as it may on a device.
 *
 * A query asks for the same, but work that may wait for the host runs in the thread of runner.c. Three things run work
 * before a wait asks for it. A full queue runs its oldest piece. A seed draws moments, and the
 * order of streams. A caller may ask for it, because a graph is about to change or memory is short.
 *
 * work.c and the calls that wait call it. It does not know what work does.
 */
#include "runtime.h"
#include "graph_memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/cudasim/base/clock.h"
#include "old_stack.h"
#include "shield.h"

enum {
    PENDING_MOST = 1024,  /* pieces: where a device's queue is full a launch waits, too */
    PENDING_SEEDED = 64,  /* of a run with a seed, which looks at all of them for each choice */
    QUERY_PATIENCE = 10000000, /* ns: that a query gives a host function */
};

/* ------------------------------------------------------------------ queues */

static bool has_tasks(const struct runtime *runtime, unsigned queue)
{
    for (const struct task *task = runtime->tasks; task; task = task->next)
        if (task->queue == queue)
            return true;
    return false;
}

/* A queue without a stream and without work of an earlier stream; else a new queue. NULL: no memory. */
static struct queue *take_queue(struct runtime *runtime, unsigned *number)
{
    struct queue *queues;
    unsigned n = 1; /* the first is the legacy stream's */

    while (n < runtime->queue_count && (runtime->queues[n].used || has_tasks(runtime, n)))
        n++;
    if (n >= runtime->queue_count) {
        queues = realloc(runtime->queues, (n + 1) * sizeof *queues);
        if (!queues)
            return NULL;
        memset(queues + runtime->queue_count, 0, (n + 1 - runtime->queue_count) * sizeof *queues);
        runtime->queues = queues;
        runtime->queue_count = n + 1;
    }
    clock_release(&runtime->queues[n].before);
    *number = n;
    return &runtime->queues[n];
}

/* The stream's queue; made at its first work. */
static struct queue *queue_of(struct runtime *runtime, struct CUstream_st *stream)
{
    struct queue *queue;

    if (runtime->queue_count == 0) {
        runtime->queues = calloc(1, sizeof *runtime->queues);
        if (!runtime->queues)
            return NULL;
        runtime->queue_count = 1;
        runtime->queues[0].used = true;
    }
    if (stream->legacy || stream->queue)
        return &runtime->queues[stream->queue];
    queue = take_queue(runtime, &stream->queue);
    if (queue) {
        stream->drop = queue_drop;
        queue->used = true;
        queue->blocking = !(stream->flags & cudaStreamNonBlocking);
        queue->green = stream->green;
        if (!clock_merge(&queue->before, &runtime->awaited))
            return NULL;
    }
    return queue;
}

/* Whether the queue belongs to the green context; NULL stands for the primary context, which has all of them. */
static bool is_of(const struct queue *queue, const struct CUgreenCtx_st *green)
{
    return !green || queue->green == green;
}

void queue_drop(struct runtime *runtime, struct CUstream_st *stream)
{
    if (stream->queue)
        runtime->queues[stream->queue].used = false;
    stream->queue = 0;
}

/* The work before the queue's next work. The legacy stream and all blocking streams wait for each other. */
static bool bring_up(struct runtime *runtime, struct queue *queue)
{
    struct queue *legacy = &runtime->queues[0];

    if (queue == legacy) {
        for (size_t n = 1; n < runtime->queue_count; n++)
            if ((runtime->queues[n].used || runtime->queues[n].before.count) && runtime->queues[n].blocking &&
                !clock_merge(&queue->before, &runtime->queues[n].before))
                return false;
        return true;
    }
    return !queue->blocking || clock_merge(&queue->before, &legacy->before);
}

/* ------------------------------------------------------------------ the list */

static void task_free(struct task *task)
{
    work_release(&task->work);
    clock_release(&task->clock);
    order_release(task);
    free(task->staged);
    free(task);
}

/* Removes work that is over and that the checks do not need any more. */
static void sweep(struct runtime *runtime)
{
    struct task **link = &runtime->tasks;

    while (*link) {
        struct task *task = *link;

        if (task->state == TASK_OVER && !order_needs(runtime, task)) {
            *link = task->next;
            task_free(task);
        } else {
            link = &task->next;
        }
    }
    runtime->tasks_end = link;
}

/* Whether all work that must come before it has run. */
static bool is_ready_task(const struct runtime *runtime, const struct task *task)
{
    for (const struct task *other = runtime->tasks; other != task; other = other->next)
        if (other->state != TASK_OVER && task_before(other, task))
            return false;
    return true;
}

static void forget_pending(struct runtime *runtime)
{
    for (struct task *task = runtime->tasks; task; task = task->next) {
        if (task->state == TASK_PENDING) {
            task->state = TASK_OVER;
            runtime->pending--;
        }
    }
}

static bool uses_device(const struct task *task)
{
    return task->work.kind == WORK_KERNEL || task->work.kind == WORK_EXEC;
}

/* Whether the work may run beside a kernel of another stream. */
static bool runs_beside(const struct task *task)
{
    return task->work.kind == WORK_COPY || task->work.kind == WORK_SET || task->work.kind == WORK_RECORD ||
           task->work.kind == WORK_WORD || task->work.kind == WORK_HOST;
}

/* Whether a kernel may run for a while on purpose, so that the host can do something else, or look at it. */
static bool takes_time(const struct task *task)
{
    return task->work.kind == WORK_KERNEL && sim_kernel_facts(task->work.kernel.entry->kernel)->times;
}

/* Whether work may wait for a later action of the host. On the thread that would act, it would wait for ever. */
static bool may_wait_for_host(const struct task *task)
{
    return task->work.kind == WORK_EXEC || task->work.kind == WORK_HOST ||
           (task->work.kind == WORK_KERNEL && sim_kernel_facts(task->work.kernel.entry->kernel)->waits);
}

static bool waits_for_word(struct runtime *runtime, const struct task *task)
{
    return task->state == TASK_PENDING && task->work.kind == WORK_WORD && !word_is_met(runtime, &task->work.word);
}

/* `early`: nothing waits for it. */
static void run(struct call *call, struct task *task, bool early)
{
    struct runtime *runtime = call->runtime;
    uint64_t outer = call->task; /* a kernel that waits, where this runs beside it */
    const struct task *outer_task = runtime->working;

    task->state = TASK_RUNNING;
    call->task = task->id;
    runtime->working = task;
    runtime->busy |= uses_device(task);
    runtime->running++;
    runtime->pending--;
    shield_lower(runtime);
    order_begin(runtime, task, early);
    old_stack_run(call, task);
    if (!runtime->ending || (task->work.kind != WORK_HOST && task->work.kind != WORK_COPY))
        work_run(call, &task->work, task->stream);
    task->state = TASK_OVER;
    if (task->work.kind == WORK_WORD && task->work.word.waits)
        clock_follow_word(runtime, task);
    runtime->running--;
    call->task = outer;
    runtime->working = outer ? outer_task : NULL; /* work of another thread may be over by now */
    if (uses_device(task))
        runtime->busy = false;
    order_end(runtime, task);
    if (runtime->sticky != cudaSuccess) /* a device executes nothing after a fault */
        forget_pending(runtime);
    pthread_cond_broadcast(&runtime->changed);
}

static uint64_t draw(struct runtime *runtime)
{
    uint64_t x = runtime->random += UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/*
 * The next piece to run among those that `clock` covers (NULL: among all). *left: one of them is not over. `drawn`:
 * the seed chose the moment, and no caller asked for it.
 */
static struct task *choose(struct runtime *runtime, const struct clock *clock, bool drawn, bool *left)
{
    bool seeded = sim_options(runtime->sim)->seeded;
    struct task *chosen = NULL;
    uint64_t count = 0;

    *left = false;
    for (struct task *task = runtime->tasks; task; task = task->next) {
        if (task->state == TASK_OVER || (clock && !clock_covers(clock, task)))
            continue;
        *left = true;
        if (task->state != TASK_PENDING || (runtime->busy && !runs_beside(task)) ||
            (drawn && may_wait_for_host(task)) || !is_ready_task(runtime, task) ||
            waits_for_word(runtime, task))
            continue;
        if (!seeded)
            return task;
        if (draw(runtime) % ++count == 0)
            chosen = task;
    }
    return chosen;
}

/* Whether a piece that the clock covers waits for a word. Then work of other streams, or the host, has to write it. */
static bool lacks_word(struct runtime *runtime, const struct clock *clock)
{
    for (const struct task *task = runtime->tasks; task; task = task->next)
        if ((!clock || clock_covers(clock, task)) && waits_for_word(runtime, task))
            return true;
    return false;
}

/* Runs what may write a word; else lets the other threads of the program run. */
static void run_for_word(struct call *call)
{
    struct runtime *runtime = call->runtime;
    bool left;
    struct task *task = choose(runtime, NULL, false, &left);

    if (task) {
        runtime->query.starved = 0;
        run(call, task, true);
        return;
    }
    if (runner_starves(call)) { /* a device would wait forever */
        forget_pending(runtime);
        return;
    }
    runtime->waiting++;
    runtime_unlock(runtime);
    nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    runtime_lock(runtime);
    runtime->waiting--;
}

/* Runs the work that the clock covers. If another thread runs a host function of it, this waits for that thread. */
static void run_all(struct call *call, const struct clock *clock, bool early)
{
    struct runtime *runtime = call->runtime;
    bool left = true;

    while (left && runtime->sim) {
        struct task *task = choose(runtime, clock, false, &left);

        if (task)
            run(call, task, early);
        else if (left && lacks_word(runtime, clock))
            run_for_word(call);
        else if (left) {
            runtime->waiting++;
            runtime_wait(runtime);
            runtime->waiting--;
        }
    }
}

/*
 * A graph that runs waits for a word. Work of other streams may write it, so that runs now, kernels as well. What it
 * touches counts for no check. All that has run then comes before the graph, as clock_follow_word() has it.
 */
void queue_run_until(struct call *call, const struct word_work *word)
{
    struct runtime *runtime = call->runtime;
    struct graph_launch *launch = runtime->graph_launch;
    struct graph_run *run = runtime->graph_run;
    uint64_t task = call->task;
    bool busy = runtime->busy;

    if (!call->task) { /* the host waits: for an event of another process */
        while (!word_is_met(runtime, word) && runtime->sticky == cudaSuccess)
            run_for_word(call);
        return;
    }
    runtime->word_waits++;
    runtime->busy = false;
    runtime->graph_launch = NULL;
    runtime->graph_run = NULL;
    while (!word_is_met(runtime, word) && runtime->sticky == cudaSuccess)
        run_for_word(call);
    while (runtime->busy) { /* a kernel in another thread */
        runtime->waiting++;
        runtime_wait(runtime);
        runtime->waiting--;
    }
    runtime->graph_launch = launch;
    runtime->graph_run = run;
    runtime->busy = busy;
    runtime->word_waits--;
    for (struct task *self = runtime->tasks; self; self = self->next)
        for (const struct task *done = runtime->tasks; self->id == task && done; done = done->next)
            if (done->state == TASK_OVER && !clock_include(&self->clock, done))
                return; /* no memory */
}

void queue_run_all(struct call *call)
{
    if (call->runtime->tasks && call->runtime->sim)
        run_all(call, NULL, true);
    sweep(call->runtime);
}

void queue_settle(struct call *call, const struct CUgraphExec_st *exec)
{
    for (const struct task *task = call->runtime->tasks; task; task = task->next) {
        if (task->state != TASK_OVER && task->work.kind == WORK_EXEC && task->work.exec == exec) {
            queue_run_all(call);
            return;
        }
    }
}

bool queue_run_beside(struct call *call, bool hosts)
{
    bool left;
    struct task *task = choose(call->runtime, NULL, !hosts, &left);

    if (task)
        run(call, task, true);
    return task;
}

bool queue_has_host_beside(struct runtime *runtime)
{
    bool left;

    if (runtime->running > 1) /* it runs */
        return true;
    return !choose(runtime, NULL, true, &left) && choose(runtime, NULL, false, &left);
}

/* Notes that the host knows: the work that the clock covers (NULL: all) is over. */
static void note_waited(struct runtime *runtime, const struct clock *clock)
{
    for (struct task *task = runtime->tasks; task; task = task->next)
        if (!task->waited && task->state == TASK_OVER && (!clock || clock_covers(clock, task)))
            task->waited = runtime->last_task;
    sweep(runtime);
}

/* ------------------------------------------------------------------ waiting */

static cudaError_t wait_for(struct call *call, const struct clock *clock)
{
    struct clock own = { 0 };

    /* A host function may lengthen the list, and so the clock of a queue, while this waits. */
    if (clock && !clock_merge(&own, clock))
        return cudaErrorMemoryAllocation;
    if (call->runtime->tasks) {
        run_all(call, clock ? &own : NULL, false);
        note_waited(call->runtime, clock ? &own : NULL);
    }
    order_waited(call->runtime);
    pools_waited(call->runtime);
    if (!call->runtime->pending && !call->runtime->running)
        graph_memory_collect(call->runtime);
    clock_release(&own);
    return call->runtime->sticky;
}

cudaError_t queue_wait_all(struct call *call)
{
    return wait_for(call, NULL);
}

cudaError_t queue_wait_stream(struct call *call, struct CUstream_st *stream)
{
    struct queue *queue = queue_of(call->runtime, stream);

    if (!queue || !bring_up(call->runtime, queue))
        return cudaErrorMemoryAllocation;
    return wait_for(call, &queue->before);
}

cudaError_t queue_wait_event(struct call *call, const struct CUevent_st *event)
{
    return wait_for(call, &event->clock);
}

/*
 * Lets the thread of runner.c run what this thread must not run. Returns whether to look again: some work is over.
 * False: that work waits, or it is a host function that takes long.
 */
static bool leave_to_runner(struct runtime *runtime)
{
    uint64_t idle = runtime->query.idle;
    const uint64_t calls = runtime->calls;
    bool changed;

    runtime->query.wanted = true;
    pthread_cond_signal(&runtime->query.asked);
    do
        changed = runtime_wait_for(runtime, &runtime->changed, QUERY_PATIENCE);
    while (!changed && runtime->busy && runtime->calls == calls);
    return changed && runtime->query.idle == idle;
}

/* The first answer about a kernel that takes time is that it is not over: a device would have begun it just now. */
static bool is_new(struct runtime *runtime, const struct clock *clock)
{
    for (struct task *task = runtime->tasks; task; task = task->next) {
        if (task->state == TASK_OVER || task->asked || !clock_covers(clock, task) || !takes_time(task))
            continue;
        task->asked = true;
        return true;
    }
    return false;
}

/* Runs what the clock covers, if it does not wait for the host. False: the rest waits. */
static bool run_ready(struct call *call, const struct clock *clock)
{
    struct runtime *runtime = call->runtime;
    bool left = true, any;

    while (runtime->sim && !is_new(runtime, clock)) {
        struct task *task = choose(runtime, clock, true, &left);

        if (!left)
            return true;
        if (!task && lacks_word(runtime, clock)) /* other streams may write it */
            task = choose(runtime, NULL, true, &any);
        if (task)
            run(call, task, !clock_covers(clock, task));
        else if (!runtime->busy && !choose(runtime, NULL, false, &any) && !runtime->running)
            return false;
        else if (!leave_to_runner(runtime))
            return false;
    }
    return !runtime->sim;
}

static cudaError_t query(struct call *call, const struct clock *clock)
{
    struct clock own = { 0 };
    bool over;

    runner_start(call->runtime);
    if (!call->runtime->runner || !call->runtime->tasks) /* there may be no more threads */
        return wait_for(call, clock);
    if (!clock_merge(&own, clock))
        return cudaErrorMemoryAllocation;
    over = run_ready(call, &own);
    clock_release(&own);
    if (over)
        return wait_for(call, clock);
    call->runtime->query.last = sim_clock_ns();
    return cudaErrorNotReady;
}

cudaError_t queue_query_stream(struct call *call, struct CUstream_st *stream)
{
    struct queue *queue = queue_of(call->runtime, stream);

    if (!queue || !bring_up(call->runtime, queue))
        return cudaErrorMemoryAllocation;
    return query(call, &queue->before);
}

cudaError_t queue_query_event(struct call *call, const struct CUevent_st *event)
{
    return query(call, &event->clock);
}

cudaError_t queue_follow(struct call *call, struct CUstream_st *stream, const struct CUevent_st *event)
{
    struct queue *queue = queue_of(call->runtime, stream);

    return queue && bring_up(call->runtime, queue) && clock_merge(&queue->before, &event->clock)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t queue_follow_all(struct call *call, const struct CUgreenCtx_st *green, const struct CUevent_st *event)
{
    struct runtime *runtime = call->runtime;

    for (size_t n = 0; n < runtime->queue_count; n++)
        if (is_of(&runtime->queues[n], green) && !clock_merge(&runtime->queues[n].before, &event->clock))
            return cudaErrorMemoryAllocation;
    return clock_merge(&runtime->awaited, &event->clock) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t queue_record_all(struct call *call, const struct CUgreenCtx_st *green, struct CUevent_st *event)
{
    struct runtime *runtime = call->runtime;
    struct CUstream_st *recorder = &runtime->recorder;
    const struct work work = { .kind = WORK_RECORD, .call = "an event of a context", .event = event };
    struct queue *own;

    recorder->flags = cudaStreamNonBlocking;
    own = queue_of(runtime, recorder);
    if (!own)
        return cudaErrorMemoryAllocation;
    clock_release(&own->before); /* records of other contexts do not come before this one */
    for (size_t n = 0; n < runtime->queue_count; n++)
        if (&runtime->queues[n] != own && is_of(&runtime->queues[n], green) &&
            !clock_merge(&own->before, &runtime->queues[n].before))
            return cudaErrorMemoryAllocation;
    return queue_submit(call, &work, recorder, cudaStreamLegacy, NULL);
}

/* ------------------------------------------------------------------ submission */

/* The work's events count as recorded now for the host. */
static bool record_events(const struct work *work, const struct task *task)
{
    bool good = true;

    if (work->kind == WORK_RECORD)
        return !work->event || event_record(work->event, task);
    for (size_t i = 0; work->kind == WORK_EXEC && i < work->exec->count; i++) {
        const struct exec_step *step = &work->exec->steps[i];

        if (step->child)
            good &= record_events(&(struct work){ .kind = WORK_EXEC, .exec = step->child }, task);
        else if (!step->disabled)
            good &= record_events(&step->work, task);
    }
    return good;
}

/* Events that an instantiated graph waits for. */
static cudaError_t follow_events(struct call *call, struct CUstream_st *stream, const struct CUgraphExec_st *exec)
{
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < exec->count && error == cudaSuccess; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->child)
            error = follow_events(call, stream, step->child);
        else if (step->work.kind == WORK_WAIT && step->work.event && !step->disabled)
            error = queue_follow(call, stream, step->work.event);
    }
    return error;
}

/* A launch of an instantiated graph comes behind its earlier launches, of all streams. False: no memory. */
static bool follow_launches(struct runtime *runtime, struct queue *queue, const struct CUgraphExec_st *exec)
{
    for (const struct task *task = runtime->tasks; task; task = task->next)
        if (task->work.kind == WORK_EXEC && task->work.exec == exec && !clock_include(&queue->before, task))
            return false;
    return true;
}

/* Whether the work calls a function of the host, which may wake a thread that waits without a call. */
static bool calls_host(const struct work *work)
{
    bool calls = work->kind == WORK_HOST;

    for (size_t i = 0; work->kind == WORK_EXEC && !calls && i < work->exec->count; i++) {
        const struct exec_step *step = &work->exec->steps[i];

        calls = step->child ? calls_host(&(struct work){ .kind = WORK_EXEC, .exec = step->child })
                            : !step->disabled && step->work.kind == WORK_HOST;
    }
    return calls;
}

/* Runs work at moments that the seed draws. */
static void run_some(struct call *call)
{
    struct runtime *runtime = call->runtime;
    bool seeded = sim_options(runtime->sim)->seeded, left = true;
    unsigned most = seeded ? PENDING_SEEDED : PENDING_MOST, room = most;
    bool ran = false;

    if (runtime->pending > most)
        room = most / 2; /* many at once: each look at the list takes a while */
    while (left && (runtime->pending > room || (seeded && runtime->pending && draw(runtime) % 4 == 0))) {
        struct task *task = choose(runtime, NULL, runtime->pending <= room, &left);

        if (!task)
            break;
        run(call, task, true);
        ran = true;
    }
    if (ran)
        sweep(runtime);
}

/*
 * A programmatic launch may begin before the kernel ahead of it is over, if that kernel lets it: it has
 * griddepcontrol.launch_dependents. A block is ordered with that kernel only after its griddepcontrol.wait, if it has
 * one. The launch still runs after that kernel here, but the checks of order.c take the two as unordered until then.
 */
static void begin_early(struct runtime *runtime, struct task *task)
{
    const struct kernel_work *kernel = &task->work.kernel;

    if (task->work.kind != WORK_KERNEL || !kernel->programmatic)
        return;
    for (struct task *ahead = runtime->tasks; ahead; ahead = ahead->next)
        if (ahead->queue == task->queue && ahead->id == runtime->queues[task->queue].before.at[task->queue] &&
            ahead->state == TASK_PENDING && ahead->work.kind == WORK_KERNEL &&
            sim_kernel_facts(ahead->work.kernel.entry->kernel)->lets_begin) {
            ahead->followed = true;
            task->alongside = ahead->id;
            if (!sim_kernel_facts(ahead->work.kernel.entry->kernel)->awaits_ahead)
                task->beyond = ahead->alongside;
        }
}

cudaError_t queue_submit(struct call *call, const struct work *work, struct CUstream_st *stream, cudaStream_t handle,
                         struct task **result)
{
    struct runtime *runtime = call->runtime;
    struct task *task = calloc(1, sizeof *task);
    struct queue *queue;
    cudaError_t error = cudaSuccess;

    run_some(call);
    if (runtime->sticky != cudaSuccess) {
        free(task);
        return runtime->sticky;
    }
    if (task && work->kind == WORK_EXEC)
        error = follow_events(call, stream, work->exec);
    queue = queue_of(runtime, stream);
    if (!task || error != cudaSuccess || !queue || !bring_up(runtime, queue) ||
        (work->kind == WORK_EXEC && !follow_launches(runtime, queue, work->exec)) ||
        !clock_merge(&task->clock, &queue->before) || !work_clone(work, &task->work)) {
        if (task)
            clock_release(&task->clock);
        free(task);
        return cudaErrorMemoryAllocation;
    }
    task->id = ++runtime->last_task;
    task->queue = (unsigned)(queue - runtime->queues);
    task->stream = handle;
    task->from = call->from;
    task->outer = call->outer;
    task->stream_id = stream->id;
    if (task->queue < queue->before.count)
        begin_early(runtime, task);
    if (!clock_set(&queue->before, task->queue, task->id) || !record_events(work, task)) {
        task_free(task);
        return cudaErrorMemoryAllocation;
    }
    if (!runtime->tasks)
        runtime->tasks_end = &runtime->tasks;
    *runtime->tasks_end = task;
    runtime->tasks_end = &task->next;
    runtime->pending++;
    order_submitted(runtime, task);
    old_stack_submitted(call, task);
    if (!runtime->runner && (runtime->host_memory || calls_host(work)))
        runner_start(runtime);
    if (result)
        *result = task;
    /* What the environment tells of a launch (CUDASIM_FEATURES_N) is read as it runs, and may be another one later. A
     * word that work waits for may be the host's next write: then the launch waits, too. */
    if (runtime->features && work->kind == WORK_KERNEL && !lacks_word(runtime, NULL))
        run_all(call, NULL, true);
    return cudaSuccess;
}

cudaError_t queue_wait_task(struct call *call, const struct task *task)
{
    struct clock clock = { 0 };
    cudaError_t error;

    if (!clock_merge(&clock, &task->clock) || !clock_set(&clock, task->queue, task->id)) {
        clock_release(&clock);
        return cudaErrorMemoryAllocation;
    }
    error = wait_for(call, &clock);
    clock_release(&clock);
    return error;
}

/* ------------------------------------------------------------------ events */

bool event_record(struct CUevent_st *event, const struct task *task)
{
    event->recorded = true;
    if (event->shared)
        __atomic_fetch_add(&event->shared->recorded, 1, __ATOMIC_RELEASE);
    event->capture_id = 0;
    free(event->tail);
    event->tail = NULL;
    event->tail_count = 0;
    event->task = task->id;
    clock_release(&event->clock);
    return clock_merge(&event->clock, &task->clock) && clock_set(&event->clock, task->queue, task->id);
}

bool event_is_pending(const struct runtime *runtime, const struct CUevent_st *event)
{
    for (const struct task *task = runtime->tasks; task; task = task->next)
        if (task->id == event->task)
            return task->state != TASK_OVER;
    return false;
}

void event_forget(struct runtime *runtime, const struct CUevent_st *event)
{
    for (struct task *task = runtime->tasks; task; task = task->next)
        if (task->work.kind == WORK_RECORD && task->work.event == event)
            task->work.event = NULL;
}

/* ------------------------------------------------------------------ the end */

void queue_forget_all(struct runtime *runtime)
{
    forget_pending(runtime);
    while (runtime->tasks) {
        struct task *next = runtime->tasks->next;

        if (runtime->tasks->state == TASK_RUNNING) /* a host function of another thread; it lets go of nothing */
            break;
        task_free(runtime->tasks);
        runtime->tasks = next;
    }
}

void queue_release(struct runtime *runtime)
{
    queue_forget_all(runtime);
    for (size_t n = 0; n < runtime->queue_count; n++)
        clock_release(&runtime->queues[n].before);
    clock_release(&runtime->awaited);
    free(runtime->queues);
    runtime->queues = NULL;
    runtime->queue_count = 0;
    runtime->recorder.queue = 0;
}
