/*
 * task_clock.c - points in the order of work: which piece comes before which by CUDA's rules. queue.c keeps such a
 * point for each piece of work and each event.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

bool clock_merge(struct clock *clock, const struct clock *other)
{
    if (other->count > clock->count) {
        uint64_t *at = realloc(clock->at, other->count * sizeof *at);

        if (!at)
            return false;
        memset(at + clock->count, 0, (other->count - clock->count) * sizeof *at);
        clock->at = at;
        clock->count = other->count;
    }
    for (size_t i = 0; i < other->count; i++)
        if (other->at[i] > clock->at[i])
            clock->at[i] = other->at[i];
    return true;
}

bool clock_set(struct clock *clock, size_t queue, uint64_t id)
{
    if (queue >= clock->count) {
        uint64_t *at = realloc(clock->at, (queue + 1) * sizeof *at);

        if (!at)
            return false;
        memset(at + clock->count, 0, (queue + 1 - clock->count) * sizeof *at);
        clock->at = at;
        clock->count = queue + 1;
    }
    clock->at[queue] = id;
    return true;
}

void clock_release(struct clock *clock)
{
    free(clock->at);
    *clock = (struct clock){ 0 };
}

bool clock_covers(const struct clock *clock, const struct task *task)
{
    return task->queue < clock->count && task->id <= clock->at[task->queue];
}

bool clock_include(struct clock *clock, const struct task *task)
{
    return clock_merge(clock, &task->clock) && (clock_covers(clock, task) || clock_set(clock, task->queue, task->id));
}

bool task_before(const struct task *a, const struct task *b)
{
    return clock_covers(&b->clock, a) || (a->waited && b->id > a->waited);
}

/* Whether the task is over and wrote the word that ends the wait. */
static bool answers(const struct task *task, const struct task *wait)
{
    return task->state == TASK_OVER && task->work.kind == WORK_WORD && word_answers(&task->work.word, &wait->work.word);
}

void clock_follow_word(struct runtime *runtime, const struct task *wait)
{
    const struct task *writer = runtime->tasks;

    while (writer && !answers(writer, wait))
        writer = writer->next;
    for (const struct task *done = runtime->tasks; done; done = done->next) {
        if (done->state != TASK_OVER || (writer && !answers(done, wait)))
            continue;
        for (struct task *later = wait->next; later; later = later->next)
            if (task_before(wait, later) && !clock_include(&later->clock, done))
                return; /* no memory */
        if (!clock_include(&runtime->queues[wait->queue].before, done))
            return;
    }
}
