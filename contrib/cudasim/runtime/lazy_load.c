/*
 * lazy_load.c - kernels that a GPU loads at their first launch, and what waits for that.
 *
 * Since CUDA 12 the driver loads a kernel when it is first launched, and waits for all work of the device to do so
 * (programming guide, "Lazy Loading"). If that work waits for a word that only later calls write, an H200 hangs. Here
 * loading waits for nothing, so that the program goes on, and is warned.
 */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_host.h"
#include "host_place.h"
#include "word.h"

static bool is_lazy(void)
{
    const char *mode = getenv("CUDA_MODULE_LOADING");

    return !mode || strcmp(mode, "EAGER") != 0;
}

static bool lacks_word(struct runtime *runtime, const struct task *task)
{
    return task->state == TASK_PENDING && task->work.kind == WORK_WORD && !word_is_met(runtime, &task->work.word);
}

/* Whether the task comes after a wait for a word that is not there. */
static bool is_held(struct runtime *runtime, const struct task *task)
{
    for (const struct task *other = runtime->tasks; other != task; other = other->next)
        if (lacks_word(runtime, other) && task_before(other, task))
            return true;
    return false;
}

/* Whether nothing that was submitted can go on before the program does something else. */
static bool is_stuck(struct runtime *runtime)
{
    bool lacks = false;

    for (const struct task *task = runtime->tasks; task; task = task->next) {
        if (task->state == TASK_OVER)
            continue;
        if (lacks_word(runtime, task))
            lacks = true;
        else if (task->state != TASK_PENDING || !is_held(runtime, task))
            return false;
    }
    return lacks;
}

void lazy_load(struct runtime *runtime, struct entry *entry)
{
    struct sim_fault fault = { .kind = FAULT_DEADLOCK, .count = 1 };
    const struct thread_state *thread = runtime_thread(runtime);
    const void *from = thread ? thread->launched_from : NULL;

    if (entry->launched)
        return;
    entry->launched = true;
    if (!is_lazy() || !is_stuck(runtime))
        return;
    snprintf(fault.kernel, sizeof fault.kernel, "%s", sim_kernel_title(entry->kernel));
    snprintf(fault.text, sizeof fault.text,
             "its first launch loads it, which on a GPU waits for all work, and a stream waits for a word that only a "
             "later call writes: a GPU hangs here; launch it once before, or set CUDA_MODULE_LOADING=EAGER");
    if (from)
        host_call_place(from, NULL, fault.text + strlen(fault.text), sizeof fault.text - strlen(fault.text));
    else
        host_add_place(fault.text, sizeof fault.text);
    sim_report_fault(runtime->sim, &fault);
}
