/*
 * old_stack.c - finds work that uses variables of functions of the host that have returned.
 *
 * Host functions and graphs keep addresses of the host until they run. An address in the caller's stack is noted when
 * the work is submitted. Each later call of that thread shows where its stack ends. If the address lies below that,
 * the function has returned, and its variable is gone. Stacks that a program made for itself are not known.
 *
 * queue.c and runtime.c call it.
 */
#include "old_stack.h"

#include <stdio.h>

#include "host_place.h"
#include "order.h"

/* Finds where the thread's stack is, once. */
static void find_stack(struct thread_state *thread)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;

    thread->stack_high = 1; /* nothing lies in it */
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        thread->stack_low = (uintptr_t)low;
        thread->stack_high = (uintptr_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

static bool is_in_stack(const struct thread_state *thread, uint64_t address)
{
    return address >= thread->stack_low && address < thread->stack_high;
}

static void lower(const struct thread_state *thread, uint64_t address, uint64_t *lowest)
{
    if (is_in_stack(thread, address) && (!*lowest || address < *lowest))
        *lowest = address;
}

/* The lowest address in the thread's stack that the work uses; 0: none. */
static void find_lowest(const struct thread_state *thread, const struct work *work, uint64_t *lowest)
{
    if (work->kind == WORK_HOST)
        lower(thread, (uintptr_t)work->host.data, lowest);
    if (work->kind == WORK_COPY && work->copy.width && work->copy.height && work->copy.depth) {
        lower(thread, work->copy.source.address, lowest);
        lower(thread, work->copy.target.address, lowest);
    }
    for (size_t n = 0; work->kind == WORK_EXEC && n < work->exec->count; n++) {
        const struct exec_step *step = &work->exec->steps[n];

        if (step->child)
            find_lowest(thread, &(struct work){ .kind = WORK_EXEC, .exec = step->child }, lowest);
        else if (!step->disabled)
            find_lowest(thread, &step->work, lowest);
    }
}

void old_stack_submitted(const struct call *call, struct task *task)
{
    struct thread_state *thread = call->thread;

    if (task->work.kind != WORK_HOST && task->work.kind != WORK_COPY && task->work.kind != WORK_EXEC)
        return;
    if (!thread->stack_high)
        find_stack(thread);
    if (!is_in_stack(thread, call->frame))
        return;
    find_lowest(thread, &task->work, &task->local);
    task->local_of = thread;
    task->local_gone = task->local && task->local < call->frame;
    if (task->local)
        call->runtime->locals = task->id;
}

void old_stack_called(const struct call *call)
{
    bool any = false;

    for (struct task *task = call->runtime->tasks; task && call->runtime->locals; task = task->next) {
        if (!task->local || task->state == TASK_OVER)
            continue;
        any = true;
        if (task->local_of == call->thread && task->local < call->frame && is_in_stack(call->thread, call->frame))
            task->local_gone = true;
    }
    if (!any)
        call->runtime->locals = 0;
}

void old_stack_ended(struct runtime *runtime, const struct thread_state *thread)
{
    for (struct task *task = runtime->tasks; task; task = task->next)
        if (task->local && task->local_of == thread)
            task->local_gone = true;
}

void old_stack_run(const struct call *call, const struct task *task)
{
    const char *name = order_name(&task->work);
    char text[400], from[200];

    if (!task->local_gone || !sim_options(call->runtime->sim)->check_calls)
        return;
    host_call_place(task->from, task->outer, from, sizeof from);
    if (!order_is_new(call->runtime, name ? name : "a graph", from))
        return;
    snprintf(text, sizeof text,
             "uses a variable at 0x%llx, in the host's stack, of a function that has returned%s",
             (unsigned long long)task->local, from);
    order_report(call->runtime, FAULT_USE_AFTER_FREE, name ? name : "a graph", task->local, text);
}
